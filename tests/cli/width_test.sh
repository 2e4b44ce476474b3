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
grep -q '^No rows: no block was recorded. ' out || fail "an empty report has no reason: $(cat out)"
"$program" report loss run.db >out
grep -q '^No rows: there is nothing of this kind; that is good' out || fail "no loss has no word: $(cat out)"
"$program" report growth --format csv run.db >out
[ "$(wc -l <out)" -eq 1 ] || fail "CSV without rows is not its header: $(cat out)"

# The next step of each finding, once for those that are next to each other with the same.
cp run.db lost.db
sqlite3 lost.db "UPDATE source SET lost_events = 5" &&
	"$(dirname "$program")/../tests/harness/judge_file" lost.db || exit 1
"$program" report lost.db >out || fail "report: $(cat out)"
grep -q 'Record again with larger buffers: carrierscope record' out || fail "lost events have no next step: $(cat out)"
[ "$(LC_ALL=C.UTF-8 wc -L <out)" -le 80 ] || fail "the answer is wider than 80: $(cat out)"

# The answer on a terminal: the verdict is last and whole, in 20 lines of 80 columns, and no line is wider than the terminal.
at 80 '' >out
"$program" report run.db >plain
verdict=$(sed '/^$/,$d' plain)
[ "$(sed '1,/^$/d' out)" = "$verdict" ] || fail "on a terminal the verdict is not last: $(cat out)"
[ "$(sed '/^$/,$d' out)" = "$(sed '1,/^$/d' plain)" ] || fail "a terminal and a file have two answers: $(cat out)"
for width in 20 40 80 200; do
	at "$width" '' >out
	[ "$(LC_ALL=C.UTF-8 wc -L <out)" -le "$width" ] || fail "the answer is wider than $width: $(cat out)"
	[ "$(wc -l <out)" -le 20 ] || fail "the answer has more than 20 lines at $width: $(cat out)"
	grep -q "$(printf '%.12s' "$verdict")" out || fail "no verdict at $width: $(cat out)"
done
LC_ALL=C "$program" report run.db >out
! LC_ALL=C grep -q '[^ -~]' out || fail "UTF-8 where there is none: $(cat out)"
script -qec "stty cols 80; '$program' report run.db" /dev/null </dev/null | grep -q '^'$'\033''\[1;3' || fail "the verdict has no colour on a terminal"
# Long output of a terminal goes through the user's pager; the answer, a pipe and a dumb terminal need none.
paged() { TERM=$1 PAGER='sed s/^/paged:/' script -qec "stty rows 24 cols 80; '$program' report $2" /dev/null </dev/null | grep -c '^paged:'; }
[[ $(paged xterm 'glossary run.db') -gt 20 ]] || fail 'a long report is not paged'
[[ $(paged xterm '--all run.db') -gt 5 ]] || fail 'the list of reports is not paged'
[[ $(paged xterm 'run.db') == 0 && $(paged dumb 'glossary run.db') == 0 && $(paged xterm 'glossary -o file run.db') == 0 ]] || fail 'what needs no pager is paged'
[[ $(TERM=xterm PAGER='sed q' script -qec "'$program' report glossary run.db; echo status \$?" /dev/null </dev/null | tr -d '\r' | tail -n 1) == 'status 0' ]] ||
  fail 'a pager that ends early is a failure'
TERM=xterm PAGER=no_such_pager script -qec "'$program' report glossary run.db" /dev/null </dev/null | grep -q utilisation || fail 'a pager that is not there hides the report'
TERM=dumb script -qec "'$program' load -f -o other.db '$trace'" /dev/null </dev/null >out
! grep -q $'\033' out || fail "escapes of load on a dumb terminal: $(od -c out | head)"
script -qec "TERM=dumb '$program' report run.db" /dev/null </dev/null >out
! grep -q $'\033' out || fail "escapes on a dumb terminal: $(cat out)"

# A file's name of any length, with what would act on a terminal or turn a text round.
long=$(printf 'n%.0s' {1..200}).db
for name in "$long" $'e\033[2J\xe2\x80\xae<b>.db'; do
	cp run.db "$name"
	"$program" report "$name" >out || fail "report: $(cat out)"
	[ "$(LC_ALL=C.UTF-8 wc -L <out)" -le 80 ] && [ "$(wc -l <out)" -le 20 ] || fail "the name of the file spoils the answer: $(cat out)"
	! grep -q $'\033\|\xe2\x80\xae' out || fail "a name acts on the terminal: $(cat out)"
done

ends
