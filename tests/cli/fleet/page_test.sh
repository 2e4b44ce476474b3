#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# page_test.sh NODE BROWSER CARRIERSCOPE FOLDER: the page of a fleet (answers.mjs is its server) in a browser, and before axe-core, if
# test page.axe has put that into FOLDER.
. "$(dirname "$0")/../../harness/main.sh"
node=$1 browser=$2
tests_program "$3"
stub=

cleanup() {
  [[ -z $stub ]] || kill "$stub" 2>/dev/null
}
"$browser" --version >/dev/null 2>&1 || skip "$browser does not run here"
mkfifo "$work/port"
"$node" "$here/stub.mjs" answers >"$work/port" 2>"$work/stub" &
stub=$!
read -r port <"$work/port" || skip "no server can be started here: $(cat "$work/stub")"
"$program" fleet report --to "http://127.0.0.1:$port/fleet" --format html -o "$work/fleet.html" 2>"$work/err" || fail "no page: $(cat "$work/err")"
axe=$4/node_modules/axe-core/axe.min.js
[[ -f $axe ]] || axe=
"$node" "$here/page_test.mjs" "$browser" "$work/fleet.html" "127.0.0.1:$port/fleet" "$axe" || failures=$((failures + 1))
ends
