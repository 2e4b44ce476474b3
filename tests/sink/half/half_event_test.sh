#!/bin/sh
# SPDX-License-Identifier: MIT
# half_event_test.sh PROGRAM HALF_EVENT: what LTTng does not deliver of a process that died within an event is said.
. "$(dirname "$0")/../../harness/main.sh"
records_here "$@"
tests_program "$1"
half=$2
needs sqlite3

# records NAME ARGUMENT...: what half_event emits, into NAME.db; $processor is the one that it died on.
records() {
	name=$1
	shift
	begins_session "$work/$name" 64K 'carrierscope:*,org_erlang_dyntrace:*'
	"$half" "$@" >"$work/processor" 2>"$work/err"
	status=$?
	[ $status -ne 77 ] || skip 'there is one processor'
	processor=$(cat "$work/processor")
	# LTTng's own tools wait for ever for the half event.
	lttng stop --no-wait $session >/dev/null 2>&1
	sleep 1
	timeout 5 lttng destroy --no-wait $session >/dev/null 2>&1
	session=
	: >"$work/err"
	"$program" load --quiet -o "$work/$name.db" "$work/$name" >"$work/out" 2>"$work/err" || fail "load $name: exit $?"
}

# says NAME QUERY ANSWER
says() {
	have=$(sqlite3 "$work/$1.db" "$2") || have='no answer'
	[ "$have" = "$3" ] || fail "$1: $2: '$have', not '$3'"
}

records whole 20000 whole
[ $status -eq 0 ] || fail "half_event ended with $status"
says whole 'SELECT count(*), (SELECT count(*) FROM lost_interval), (SELECT count(*) FROM load_problem) FROM block_event' '40000|0|0'

# Several sub-buffers came before the one with the half event.
records half 20000
[ $status -gt 128 ] || fail "half_event did not die: $status"
says half "SELECT count(*) FILTER (WHERE op = 0) BETWEEN 1000 AND 19999, count(*) FILTER (WHERE op = 1) FROM block_event" '1|20000'
says half "SELECT l.cause, l.events IS NULL, s.name GLOB '*_$processor', l.begin_ns >= (SELECT max(ts_ns) FROM block_event WHERE op = 0),
	l.begin_ns < (SELECT min(ts_ns) FROM block_event WHERE op = 1), l.end_ns >= o.last_ts_ns
	FROM lost_interval AS l JOIN stream AS s ON s.id = l.stream_id, source AS o" 'not_delivered|1|1|1|1|1'
says half "SELECT name, severity, count, sentence GLOB '*_$processor'' ends [0-9]*.[0-9]* s before the others: *within an event'
	FROM load_problem" 'not_delivered|data_loss|1|1'
for kind in findings problems loss; do
	"$program" report $kind "$work/half.db" >"$work/$kind" 2>"$work/err" || fail "report $kind: exit $?"
done
grep -q 'LOSS-01 .*An unknown number of events is missing, from 0\.[0-9]* s of the recording on\.' "$work/findings" ||
	fail "no finding: $(cat "$work/findings")"
grep -q not_delivered "$work/problems" && grep -q not_delivered "$work/loss" || fail 'a report does not show it'

# All that the processor recorded lay in that sub-buffer.
records empty 100
says empty "SELECT count(*) FILTER (WHERE op = 0), count(*) FILTER (WHERE op = 1) FROM block_event" '0|100'
says empty "SELECT cause, begin_ns IS NULL, end_ns >= last_ts_ns, stream_id IS NULL FROM lost_interval, source" 'not_delivered|1|1|1'
says empty "SELECT name, severity, count, sentence GLOB '*_$processor'' is empty: *within an event' FROM load_problem" 'not_delivered|data_loss|1|1'

# A recorder's session ends although what came behind the half event can never be delivered.
mkfifo "$work/go"
"$half" 100000 on <"$work/go" >"$work/processor" &
runner=$!
exec 3>"$work/go"
"$program" record --pid $runner --seconds 5 -o "$work/killed.db" >"$work/out" 2>"$work/err" &
recorder=$!
is_recorded() {
	lttng list 2>/dev/null | grep -q 'carrierscope-.*\[active'
}
waits is_recorded || fail 'the recorder does not begin'
echo >&3
wait $runner 2>/dev/null
exec 3>&-
runner=
wait $recorder || fail "the recorder ended with $?"
! grep 'before its time' "$work/err" || fail 'the session did not end as it should'
says killed "SELECT cause, begin_ns < last_ts_ns, count(*) FROM lost_interval, source" 'not_delivered|1|1'

ends
