#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# schema_page.sh CARRIERSCOPE PAGE [--write]: REPORTS, VIEWS and TABLES of PAGE (carrierscope-schema.7) are what table view_doc has of
# each.  --write puts them there.
set -euo pipefail
program=$1 page=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '+MBas aobf\n' >"$work/vm.args"
"$program" load -q -o "$work/doc.db" "$work/vm.args"

# section TITLE CONDITION: a paragraph for each relation.
section() {
  echo ".SH $1"
  sqlite3 "$work/doc.db" "SELECT format('.TP%s.B %s%s%s', char(10), s.name, char(10),
      rtrim(replace(replace(d.meaning, '\\', '\\e'), '--', '\\-\\-'), '.') || '.')
    FROM sqlite_schema AS s JOIN view_doc AS d ON d.view = s.name AND d.\"column\" = '' WHERE $2
    ORDER BY s.name" | sed "s/^'/\\\\\&'/"
}

{
  section REPORTS "s.type = 'view' AND s.name GLOB 'report_*'"
  section VIEWS "s.type = 'view' AND s.name NOT GLOB 'report_*'"
  section TABLES "s.type = 'table'"
} >"$work/sections"
[[ $(wc -l <"$work/sections") -gt 500 ]] || { echo 'there is no documentation' >&2; exit 1; }
awk -v sections="$work/sections" '
  /^\.SH REPORTS$/ { while ((getline line < sections) > 0) print line; skip = 1 }
  /^\.SH EXAMPLES$/ { skip = 0 }
  !skip { print }' "$page" >"$work/page"
if [[ ${3-} == --write ]]; then
  cp "$work/page" "$page"
elif ! diff "$page" "$work/page" >&2; then
  echo "write it again: tests/schema/schema_page.sh CARRIERSCOPE $page --write" >&2
  exit 1
fi
