#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# guide_test.sh CARRIERSCOPE TWIN DUMP BOARD TRACE: the commands of pages of the guide that need no node are typed, page by page, on an
# erl_crash.dump, the log of a board, a database and a damaged trace of the names that the pages have.
. "$(dirname "$0")/../harness/main.sh"
tests_program "$1"
twin=$(realpath "$2") dump=$3 board=$4 trace=$5
needs sqlite3
guide=$(realpath "$here/../../analyzer/guide")
EXAMPLES=$(realpath "$here/../../examples")
export EXAMPLES
mkdir "$work/bin"
ln -s "$program" "$work/bin/carrierscope"
ln -s "$twin" "$work/bin/carrierscope-twin"
PATH=$work/bin:$PATH
cp "$dump" "$work/erl_crash.dump" && cp "$board" "$work/board.log" && cp -r "$trace" "$work/TRACE" && cd "$work" || exit 1
gzip -dcf "$dump" >erl_crash.dump
carrierscope load -q -o run.db "$trace" || fail 'no run.db'

typed=0
for page in dumps boards troubleshooting; do
  while IFS= read -r line; do
    typed=$((typed + 1))
    bash -c "$line" >out 2>err </dev/null || fail "$page: '$line' ends with $?: $(cat err)"
    [[ -s out || $line == *' -o '* || $line == *twin* ]] || fail "$page: '$line' prints nothing"
  done < <(awk '/^```sh$/ { on = 1; next } /^```$/ { on = 0 } on' "$guide/$page.md")
done
[[ $typed -ge 9 ]] || fail "$typed commands were typed"
[[ -s erl_crash.dump.db ]] || fail 'the dump was not loaded beside itself'
ends
