#!/bin/sh
# SPDX-License-Identifier: MIT
# replay_test.sh TWIN CARRIERSCOPE FOLDER: what is recorded of workloads and replayed has the
# figures of the run that was recorded, to the byte: system_info of every instance.
set -u
# shellcheck source=../own_daemon.sh
. "$(dirname "$0")/../own_daemon.sh"
# Nothing is lost on a busy machine, and nothing runs before it is recorded.
export LTTNG_UST_ALLOW_BLOCKING=1 LTTNG_UST_REGISTER_TIMEOUT=-1
twin=$1
carrierscope=$2
folder=$3
work=$(mktemp -d) || exit 1
session=
failures=0
serial=0

# shellcheck source=../../examples/session-daemon.sh
. "$(dirname "$0")/../../examples/session-daemon.sh"

# Ends what was started here and nothing else.
finish() {
	[ -z "$session" ] || lttng destroy "$session" >/dev/null 2>&1
	ends_daemon
	rm -rf "$work"
}
trap finish EXIT

skip() {
	echo "SKIPPED: $*"
	exit 77
}

fail() {
	echo "FAILED: $*"
	failures=$((failures + 1))
}

for tool in lttng lttng-sessiond babeltrace2 sqlite3; do
	command -v $tool >/dev/null || skip "there is no $tool here"
done
starts_daemon "$work/daemon.log" || skip "$(cat "$work/daemon.log")"

# record EVENTS EXIT ARGUMENT...: a workload, loaded into $work/db, its figures in $work/stats.
record() {
	events=$1
	expected=$2
	shift 2
	serial=$((serial + 1))
	session=carrierscope-replay-$$-$serial
	{
		lttng create $session --output="$work/trace" &&
			lttng enable-channel --userspace --session=$session --buffers-uid \
				--subbuf-size=8M --num-subbuf=8 --blocking-timeout=inf all &&
			lttng add-context --userspace --session=$session --channel=all \
				--type=vpid --type=vtid --type=procname &&
			lttng enable-event --userspace --session=$session --channel=all "$events" &&
			lttng start $session
	} >"$work/log" 2>&1 || skip "no session can be recorded: $(cat "$work/log")"
	"$twin" --stats "$work/stats" "$@" >"$work/out" 2>"$work/err" &
	pid=$!
	wait $pid
	code=$?
	[ $code -eq "$expected" ] || fail "exit $code instead of $expected: $*"
	lttng destroy $session >/dev/null 2>&1
	session=
	"$carrierscope" load -f -o "$work/db" "$work/trace" >"$work/log" 2>&1 ||
		fail "cannot load: $(cat "$work/log")"
	rm -rf "$work/trace"
	# Others may run the same program at the same time.
	runtime=$(sqlite3 "$work/db" "SELECT id FROM runtime WHERE vpid = $pid")
}

# replay NAME ARGUMENT...: the same figures.
replay() {
	name=$1
	shift
	"$twin" --replay "$work/db" --runtime "$runtime" --stats "$work/again" >"$work/table" 2>"$work/err" ||
		fail "$name: exit $?: $(cat "$work/err")"
	if [ ! -s "$work/stats" ] || ! cmp -s "$work/stats" "$work/again"; then
		fail "$name: the figures that were recorded (<) and replayed (>)"
		diff "$work/stats" "$work/again" | head -20
	fi
	grep -q 'exact$' "$work/table" || fail "$name: no carriers to compare with"
	awk 'NR == 1 || /^%/ { next }
		$2 != $3 || $4 != $5 || $7 != $8 || $9 != $10 { print "differs: " $0; bad = 1 }
		END { exit bad }' "$work/table" || fail "$name: the table differs"
	echo "$name: $(grep '^%' "$work/table" | head -n 1)"
}

all='org_erlang_otp:carrier_*,carrierscope:*'
record "$all" 0 --workload "$folder/fragmentation.workload" --scale 10
replay fragmentation
record "$all" 0 --workload "$folder/fragmentation.workload" --scale 5 --otp 24rc0 -- \
	+MBas aobf +MBlmbcs 2048 +MBsmbcs 300 +MHsbct 100 +Mulmbcs 1024
replay flags
for workload in mixed-service load-peak ets-churn large-binaries; do
	record "$all" 0 --workload "$folder/$workload.workload" --scale 5
	replay $workload
done
# Pools are full here, blocks are freed by others.
record "$all" 0 --workload "$folder/mixed-service.workload" --scale 5 --schedulers 4
replay schedulers

# What if: the second replay is the run with those flags.
"$twin" --workload "$folder/mixed-service.workload" --scale 5 --schedulers 4 --no-trace \
	--stats "$work/stats" -- +MBas aobf +MHacul 0 >"$work/out"
"$twin" --replay "$work/db" --runtime "$runtime" --stats "$work/again" -- +MBas aobf +MHacul 0 >"$work/table" ||
	fail "flags refused"
want=$(sed -n 's/.*footprint \([0-9]*\) bytes, peak \([0-9]*\) .*/\1 \2/p' "$work/out")
have=$(awk '$1 == "footprint" { f = $3 } $1 == "peak" { p = $3 } END { print f, p }' "$work/table")
[ "$want" = "$have" ] || fail "with other flags: footprint and peak $have instead of $want"
grep '^footprint' "$work/table"
cmp -s "$work/stats" "$work/again" || fail "with other flags the figures differ"

# That this can be done is said where blocks were recorded, and only there.
"$carrierscope" report "$work/db" >"$work/out" 2>&1 && grep -q 'carrierscope-twin --replay FILE' "$work/out" ||
	fail 'the report does not say that flags can be tried'
record 'org_erlang_otp:carrier_*' 0 --workload "$folder/mixed-service.workload" --scale 2
"$carrierscope" report "$work/db" >"$work/out" 2>&1 || fail "no report: $(cat "$work/out")"
! grep -q -e '--replay' "$work/out" || fail 'the report offers to replay carriers'

# Without the runtime's work and without its carriers: blocks agree, and it says what it assumes.
record 'carrierscope:block_*,carrierscope:name_*,carrierscope:option,carrierscope:state_begin' 0 \
	--workload "$folder/mixed-service.workload" --scale 5 --schedulers 2
"$twin" --replay "$work/db" --runtime "$runtime" >"$work/table" 2>"$work/err" || fail "blocks alone: $(cat "$work/err")"
grep -q 'does not tell of work' "$work/table" || fail 'it does not say what it assumes'
grep -q 'not recorded$' "$work/table" || fail 'carriers come from nowhere'
awk 'NR > 1 && !/^%/ && ($2 != $3 || $4 != $5) { exit 1 }' "$work/table" || fail 'other blocks'

# Schedulers that are threads: the order of events is not that of the calls.
record "$all" 0 --workload "$folder/mixed-service.workload" --scale 5 --schedulers 3 --threads
"$twin" --replay "$work/db" --runtime "$runtime" >"$work/table" 2>"$work/err" || fail "threads: $(cat "$work/err")"
awk 'NR > 1 && !/^%/ && ($2 != $3 || $4 != $5) { exit 1 }' "$work/table" || fail 'threads: blocks'
cat "$work/table"

# What cannot be replayed is refused in one sentence.
for file in "$work/none" "$work/out" /dev/null "$work"; do
	"$twin" --replay "$file" >/dev/null 2>"$work/err"
	code=$?
	if [ $code -ne 1 ] || [ "$(wc -l <"$work/err")" -ne 1 ]; then
		fail "$file: exit $code: $(cat "$work/err")"
	fi
done
cp "$work/db" "$work/bad"
sqlite3 "$work/bad" 'UPDATE block_event SET ended_id = id + 7 WHERE op = 1'
"$twin" --replay "$work/bad" --runtime "$runtime" >/dev/null 2>"$work/err" && fail 'ends before beginnings'
grep -q 'does not make sense' "$work/err" || fail "not: $(cat "$work/err")"
cp "$work/db" "$work/bad"
sqlite3 "$work/bad" "DELETE FROM block_event WHERE id IN (SELECT b.id FROM block_event AS b
	JOIN thread AS t ON t.id = b.thread_id
	WHERE t.runtime_id = $runtime AND b.op = 1 AND b.size IS NOT NULL AND b.ended_id LIMIT 9)"
"$twin" --replay "$work/bad" --runtime "$runtime" >/dev/null 2>"$work/err" && fail 'a difference is none'
grep -q 'are not those of' "$work/err" || fail "not: $(cat "$work/err")"

[ $failures -eq 0 ] || echo "$failures failures"
[ $failures -eq 0 ]
