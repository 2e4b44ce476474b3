#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# verdicts_page.sh CARRIERSCOPE PAGE [--write]: the lists of rules and mechanisms of PAGE (analyzer/guide/verdicts.md), which stand
# between marks, are what the tables of rules have.  --write puts them there.
set -euo pipefail
program=$1 page=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '+MBas aobf\n' >"$work/vm.args"
"$program" load -q -o "$work/rules.db" "$work/vm.args"

rules() {
  sqlite3 "$work/rules.db" "SELECT format('| \`%s\` | %s. | %s. |', rule, replace(title, '|', '/'), iif(falsify = '', 'Nothing can', replace(falsify, '|', '/')))
    FROM finding_rule ORDER BY rule"
}

# The page with what the tables have between the marks.
whole() {
  awk -v rules="$work/rules" '
    /^<!-- rules -->$/ { print; print ""; print "| rule | means | proved wrong if |"; print "|---|---|---|"; while ((getline line < rules) > 0) print line; print ""; skip = 1; next }
    /^<!-- end -->$/ { skip = 0 }
    !skip { print }' "$page"
}

rules >"$work/rules"
[[ $(wc -l <"$work/rules") -gt 20 ]] || { echo 'there are no rules' >&2; exit 1; }
whole >"$work/page"
if [[ ${3-} == --write ]]; then
  cp "$work/page" "$page"
elif ! diff "$page" "$work/page" >&2; then
  echo "write it again: tests/house/verdicts_page.sh CARRIERSCOPE $page --write" >&2
  exit 1
fi
