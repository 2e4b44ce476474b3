#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Tables fit into the terminal, say what they leave out, and why they are empty; into a file they are whole.
#
#	width_test.sh CARRIERSCOPE TRACE_DIR
. "$(dirname "$0")/../harness/main.sh"

set -- "$(realpath "$1")" "$(realpath "$2")"
trace=$2
tests_program "$1"
cd "$work" || exit 1
command -v script >/dev/null || { echo "SKIPPED: script(1) is missing"; exit 77; }
"$program" load -q -o run.db "$trace" || fail "load"

# at WIDTH NAME: the report on a terminal so wide, without colours and what the terminal adds.
at() {
	NO_COLOR=1 script -qec "stty cols $1; '$program' report $2 run.db" /dev/null </dev/null | tr -d '\r'
}

for name in utilisation peaks instances findings figures settings summary; do
	for width in 80 120; do
		at "$width" "$name" >out
		# The table ends at the first empty line; mawk counts bytes.
		widest=$(sed "s/…/./g" out | awk '$0 == "" { exit } length($0) > m { m = length($0) } END { print m + 0 }')
		[ "$widest" -gt 0 ] && [ "$widest" -le "$width" ] || fail "report $name is $widest wide on a terminal of $width"
		# Where a text is cut, no room is left.
		! sed '/^$/,$d' out | grep -q '…' || [ "$widest" -eq "$width" ] || fail "report $name is cut, and $widest of $width wide"
	done
done
at 80 utilisation >out
grep -q '^in all rows: .*source 1' out || fail "what all rows have is not named: $(cat out)"
grep -q '^the same in all rows: .*_mib_m[inax]* is ' out || fail "bounds that are equal are not named: $(cat out)"
grep -q 'binary_alloc' out || fail "no binary_alloc: $(cat out)"
at 50 utilisation >out
grep -q 'not shown in this width (see --format=csv): .*used_percent' out || fail "columns are left out without a word: $(cat out)"
"$program" report utilisation run.db >whole
head -n 1 whole | grep -q 'carriers_mib_min.*used_percent' || fail "a table in a file is cut: $(head -n 1 whole)"

# A message ends its lines at blanks on a terminal, and is one line elsewhere.
missing='a folder with a name of many words that is not there/nor is this file of many words.db'
script -qec "stty cols 60; '$program' report '$missing'" /dev/null </dev/null | tr -d '\r' >out
[ "$(wc -l <out)" -gt 1 ] && [ "$(wc -L <out)" -le 60 ] || fail "a message is not folded: $(cat out)"
"$program" report "$missing" 2>out
[ "$(wc -l <out)" -eq 1 ] || fail "a message in a file is not one line: $(cat out)"
"$program" report growth run.db >out
grep -q '^No rows: no block was recorded. Record them: carrierscope record' out || fail "an empty report has no reason: $(cat out)"
"$program" report loss run.db >out
grep -q '^No rows: there is nothing of this kind; that is good' out || fail "no loss has no word: $(cat out)"
"$program" report growth --format csv run.db >out
[ "$(wc -l <out)" -eq 1 ] || fail "CSV without rows is not its header: $(cat out)"

# The next step of each finding, once for those that are next to each other with the same.
cp run.db lost.db
sqlite3 lost.db "UPDATE source SET lost_events = 5; DELETE FROM figure" && "$(dirname "$program")/../tests/harness/judge_file" lost.db || exit 1
"$program" report lost.db >out || fail "report: $(cat out)"
grep -q '^      next: Record again with larger buffers: carrierscope record' out || fail "lost events have no next step: $(cat out)"
steps=$(sqlite3 lost.db "SELECT count(DISTINCT rule) FROM finding_next WHERE next_step IS NOT NULL")
[ "$(grep -c '^      next: ' out)" -eq "$steps" ] || fail "not each of $steps rules has its next step: $(cat out)"
[ "$(awk 'length($0) > 80' out | wc -l)" -eq 0 ] || fail "the default report is wider than 80: $(awk 'length($0) > 80' out)"

ends
