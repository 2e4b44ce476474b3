#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# holders_test.sh NODE BROWSER CARRIERSCOPE DATA [NPM FOLDER]: the page of a node with 10,000 processes (holders.sql into a
# recording of a stock node, in folder DATA), and that of two recordings, in a browser.  With NPM: axe-core, kept in
# FOLDER, looks at both, and at a board, instead.
. "$(dirname "$0")/../harness/main.sh"
node=$1 browser=$2 data=$4 npm=${5-} folder=${6-}
. "$harness/npm_packages.sh"
tests_program "$3"

"$program" report --format html "$work/none.db" 2>&1 | grep -q 'no HTML reports' && skip "the program was built without the page"
"$browser" --version >/dev/null 2>&1 || skip "$browser does not run here"
if [[ -n $npm ]]; then
  installs "$npm" "$here/npm" "$folder" "$work/log" || skip "npm could not install axe-core, so accessibility is not checked: $(tail -n 1 "$work/log")"
fi

judge=$(dirname "$program")/../tests/harness/judge_file
mkdir "$work/node" && tar xzf "$data/all.tar.gz" -C "$work/node"
"$program" load -q -o "$work/old.db" "$work/node" || exit 1
cp "$work/old.db" "$work/new.db"
sqlite3 "$work/new.db" <"$here/holders.sql" && "$judge" "$work/new.db" || exit 1
# A shorter run, with other pids and less in each, that freed what this one kept.
sed -e 's/1000 + n/20000 + n/; s/250000/25000/; /process_name SET/d' "$here/holders.sql" | sqlite3 "$work/old.db"
cp "$work/new.db" "$work/long.db"
sqlite3 "$work/long.db" "UPDATE source SET last_ts_ns = last_ts_ns + 30000000" && "$judge" "$work/long.db" || exit 1
sqlite3 "$work/old.db" "UPDATE figure SET low = low / 2, likely = likely / 2, high = high / 2 WHERE quantity = 'carriers_bytes'" &&
  "$judge" "$work/old.db" || exit 1
"$program" diff --format html -o "$work/diff.html" "$work/old.db" "$work/long.db"
[[ $? -eq 1 ]] || fail "a page of two recordings that differ ends with status 1"

if [[ -n $npm ]]; then
  "$program" report --format html -o "$work/new.html" "$work/new.db" || exit 1
  "$program" load -q -o "$work/board.db" "$here/../board/corpus/log/crash" && "$program" report --format html -o "$work/board.html" "$work/board.db" || exit 1
  "$node" "$here/axe_test.mjs" "$browser" "$folder" "$work/new.html" "$work/diff.html" "$work/board.html" || failures=$((failures + 1))
else
  "$node" "$here/holders_test.mjs" "$browser" "$program" "$work/new.db" || failures=$((failures + 1))
  "$node" "$here/diff_test.mjs" "$browser" "$work/diff.html" "$here/../cli/holder_names.txt" || failures=$((failures + 1))
fi
ends
