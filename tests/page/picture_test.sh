#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# picture_test.sh NODE BROWSER CARRIERSCOPE [--write]: pictures of a leak, fragmentation with its map, a board, dark and on a phone.
# data/leak: 11 s of a node of which a process keeps 2 MB of binaries each second, read without hooks; data/fragmentation: the twin,
# which drops 85 % of 900 messages.
. "$(dirname "$0")/../harness/main.sh"
node=$1 browser=$2
tests_program "$3"
needs xz
"$program" report --format html "$work/none.db" 2>&1 | grep -q 'no HTML reports' && skip "the program was built without the page"
"$browser" --version >/dev/null 2>&1 || skip "$browser does not run here"

for name in leak fragmentation; do
  mkdir "$work/$name" && tar xJf "$here/data/$name.tar.xz" -C "$work/$name" || fail "$name is not unpacked"
  "$program" load -q -o "$work/$name.db" "$work/$name" || fail "$name is not loaded"
done
"$program" load -q -o "$work/board.db" "$here/../readers/data/board.log" || fail 'the board is not loaded'
for name in leak fragmentation board; do
  "$program" report --format html -o "$work/$name.html" "$work/$name.db" 2>"$work/err" || fail "$name has no page: $(cat "$work/err")"
done
"$node" "$here/picture_test.mjs" "$browser" "$here/pictures" ${4:+"$4"} leak="$work/leak.html" fragmentation="$work/fragmentation.html" \
  board="$work/board.html" || failures=$((failures + 1))
ends
