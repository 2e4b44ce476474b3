#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# made_pages.sh CARRIERSCOPE MAN GUIDE [--write]: REPORTS, VIEWS and TABLES of MAN (carrierscope-schema.7) are what table view_doc
# has of each; the rules of GUIDE (verdicts.md), which stand between marks, are those of table finding_rule.  --write puts them there.
set -euo pipefail
program=$1 man=$2 guide=$3 write=${4-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '+MBas aobf\n' >"$work/vm.args"
"$program" load -q -o "$work/doc.db" "$work/vm.args"

# section TITLE CONDITION: a title, if there is one, and a paragraph for each relation.
section() {
  [[ -z $1 ]] || echo ".SH $1"
  sqlite3 "$work/doc.db" "SELECT format('.TP%s.B %s%s%s', char(10), s.name, char(10),
      rtrim(replace(replace(d.meaning, '\\', '\\e'), '--', '\\-\\-'), '.') || '.')
    FROM sqlite_schema AS s JOIN view_doc AS d ON d.view = s.name AND d.\"column\" = '' WHERE $2
    ORDER BY s.name" | sed "s/^'/\\\\\&'/"
}

# What follows .SH REPORTS.
relations() {
  section '' "s.type = 'view' AND s.name GLOB 'report_*'"
  section VIEWS "s.type = 'view' AND s.name NOT GLOB 'report_*'"
  section TABLES "s.type = 'table'"
}

rules() {
  printf '\n| rule | means | proved wrong if |\n|---|---|---|\n'
  sqlite3 "$work/doc.db" "SELECT format('| \`%s\` | %s. | %s. |', rule, replace(title, '|', '/'), iif(falsify = '', 'Nothing can', replace(falsify, '|', '/')))
    FROM finding_rule ORDER BY rule"
  echo
}

# keeps PAGE BEGIN END LINES COMMAND: between two lines PAGE has what COMMAND prints, which is more than LINES lines.
keeps() {
  local page=$1 begin=$2 end=$3 lines=$4
  "$5" >"$work/part"
  [[ $(wc -l <"$work/part") -gt $lines ]] || { echo "$page: there is nothing to put into it" >&2; exit 1; }
  awk -v part="$work/part" -v begin="$begin" -v end="$end" '
    $0 == end { while ((getline line < part) > 0) print line; skip = 0 }
    !skip { print }
    $0 == begin { skip = 1 }' "$page" >"$work/page"
  if [[ $write == --write ]]; then
    cp "$work/page" "$page"
  elif ! diff "$page" "$work/page" >&2; then
    echo "write it again: tests/schema/made_pages.sh CARRIERSCOPE $man $guide --write" >&2
    exit 1
  fi
}

keeps "$guide" '<!-- rules -->' '<!-- end -->' 20 rules
keeps "$man" '.SH REPORTS' '.SH EXAMPLES' 500 relations
