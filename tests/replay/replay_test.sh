#!/bin/sh
# SPDX-License-Identifier: MIT
# replay_test.sh TWIN REPLAY_CHECK CARRIERSCOPE FOLDER: what is recorded of workloads and replayed has the
# figures of the run that was recorded, to the byte: system_info of every instance.
. "$(dirname "$0")/../harness/main.sh"
records_here "$@"
twin=$1
check=$2
carrierscope=$3
folder=$4
needs babeltrace2 sqlite3

# record EVENTS EXIT ARGUMENT...: a workload, loaded into $work/db, its figures in $work/stats.
record() {
	events=$1
	expected=$2
	shift 2
	begins_session "$work/trace" 8M "$events"
	"$twin" --stats "$work/stats" "$@" >"$work/out" 2>"$work/err" &
	pid=$!
	wait $pid
	code=$?
	[ $code -eq "$expected" ] || fail "exit $code instead of $expected: $*"
	lttng destroy $session >/dev/null 2>&1
	session=
	"$carrierscope" load -f -o "$work/db" "$work/trace" >"$work/log" 2>&1 ||
		fail "cannot load: $(cat "$work/log")"
	rm -rf "$work/kept-trace"
	mv "$work/trace" "$work/kept-trace"
	# Others may run the same program at the same time.
	runtime=$(sqlite3 "$work/db" "SELECT id FROM runtime WHERE vpid = $pid")
}

# replay NAME ARGUMENT...: the same figures.
replay() {
	name=$1
	shift
	"$check" "$work/db" --runtime "$runtime" --stats "$work/again" >"$work/table" 2>"$work/err" ||
		fail "$name: exit $?: $(cat "$work/err")"
	if [ ! -s "$work/stats" ] || ! cmp -s "$work/stats" "$work/again"; then
		fail "$name: the figures that were recorded (<) and replayed (>)"
		diff "$work/stats" "$work/again" | head -20
	fi
	grep -q '^% the replay has 100 % of the carriers' "$work/table" || fail "$name: $(grep '^%' "$work/table")"
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
"$check" "$work/db" --runtime "$runtime" --stats "$work/again" -- +MBas aobf +MHacul 0 >"$work/table" ||
	fail "flags refused"
want=$(sed -n 's/.*footprint \([0-9]*\) bytes, peak \([0-9]*\) .*/\1 \2/p' "$work/out")
have=$(awk '$1 == "footprint" { f = $3 } $1 == "peak" { p = $3 } END { print f, p }' "$work/table")
[ "$want" = "$have" ] || fail "with other flags: footprint and peak $have instead of $want"
grep '^footprint' "$work/table"
cmp -s "$work/stats" "$work/again" || fail "with other flags the figures differ"

# Carriers lie where mmap(2) puts them, with --compare and without: with two readings around all of it,
# the last of the carriers that the run had, both replays have the same figures.  The twin reads itself at
# its end: that reading is the last, and the numbers of the others are none of its own.
cp "$work/db" "$work/read"
sqlite3 "$work/read" "
	CREATE TEMP TABLE span AS SELECT min(ts_ns) AS first, max(ts_ns) AS last FROM block_event;
	INSERT INTO hook_begin (ts_ns, runtime_id, hook_id, is_again, allocators, types, min_bytes, sample_by)
		SELECT first - 3, $runtime, 1, 0, 65535, 0, 0, 0 FROM span;
	INSERT INTO snapshot_begin (ts_ns, runtime_id, snapshot_id)
		SELECT first - 2, $runtime, 1001 FROM span UNION ALL SELECT last + 1, $runtime, 1002 FROM span;
	INSERT INTO snapshot_figure (ts_ns, runtime_id, snapshot_id, allocator_id, instance, section, key, current)
		SELECT first - 1, $runtime, 1001, (SELECT min(allocator_id) FROM name_allocator), 0, 'mbcs', 'carriers_size', 0
		FROM span UNION ALL
		SELECT last + 2, $runtime, 1002, (SELECT min(allocator_id) FROM name_allocator), 0, 'mbcs', 'carriers_size', 0
		FROM span;
	INSERT INTO snapshot_end (ts_ns, runtime_id, snapshot_id, figures)
		SELECT first, $runtime, 1001, 1 FROM span UNION ALL SELECT last + 3, $runtime, 1002, 1 FROM span"
for flags in '' '+MHas aoff +MBas aoffcaobf'; do
	# shellcheck disable=SC2086
	"$check" "$work/read" --runtime "$runtime" --stats "$work/plain" -- $flags >"$work/out" 2>"$work/err" ||
		fail "plain '$flags': $(cat "$work/err")"
	# shellcheck disable=SC2086
	"$check" "$work/read" --runtime "$runtime" --compare --replays=2 --stats "$work/compared" -- $flags \
		>"$work/out" 2>"$work/err"
	[ $? -le 1 ] || fail "--compare '$flags': $(cat "$work/err")"
	cmp -s "$work/plain" "$work/compared" || fail "with --compare '$flags' other carriers: $(diff "$work/plain" "$work/compared" | head -5)"
done
# A node that ran without the flags is not judged.
! grep -q -e ' agrees' -e ' differs' "$work/out" || fail "judged: $(cat "$work/out")"
grep -q '^% with +MHas aoff .*nothing is judged' "$work/out" || fail "not said: $(cat "$work/out")"
! grep -q -e ' -[0-9]* to' -e ' to -' "$work/out" || fail "a negative bound: $(cat "$work/out")"

# carrierscope replay has the same with the flags; the file stays as it was.
before=$(cksum "$work/db")
"$carrierscope" replay "$work/db" --runtime "$runtime" --format csv -- +MBas   aobf '+MHacul' 0 >"$work/out" 2>"$work/err" ||
	fail "carrierscope replay: $(cat "$work/err")"
have=$(awk -F, '$1 == "all" { print $5, $2 }' "$work/out")
[ "$want" = "$have" ] || fail "carrierscope replay: end and peak $have instead of $want"
[ "$(cksum "$work/db")" = "$before" ] || fail 'carrierscope replay changes the recording'

# Past SQLite's statements or through them: the same rows and replays.
"$carrierscope" load -f -o "$work/paged" "$work/kept-trace" >"$work/log" 2>&1 || fail "cannot load: $(cat "$work/log")"
CARRIERSCOPE_PAGES=off "$carrierscope" load -f -o "$work/stated" "$work/kept-trace" >"$work/log" 2>&1 ||
	fail "cannot load without pages: $(cat "$work/log")"
for file in paged stated; do
	sqlite3 "$work/$file" 'SELECT * FROM block_event; SELECT * FROM carrier_event; SELECT * FROM figure' >"$work/$file.rows"
done
[ "$(wc -l <"$work/paged.rows")" -gt 1000 ] || fail "$(wc -l <"$work/paged.rows") rows"
cmp -s "$work/paged.rows" "$work/stated.rows" || fail 'rows that went through statements differ'
CARRIERSCOPE_PAGES=off "$carrierscope" replay "$work/db" --runtime "$runtime" --format csv -- +MBas aobf +MHacul 0 >"$work/stated.csv" ||
	fail 'no replay without pages'
cmp -s "$work/out" "$work/stated.csv" || fail 'a replay of rows that were read by statements differs'

# carrierscope advise keeps it, with the rest of the recording as it was.
dump() {
	sqlite3 "$1" .dump | grep -v 'INSERT INTO sweep_' | cksum
}
cp "$work/db" "$work/kept"
before=$(dump "$work/kept")
echo '+MBas aobf +MHacul 0' >"$work/flags"
"$carrierscope" advise "$work/kept" --runtime "$runtime" --flags "$work/flags" >"$work/out" 2>"$work/err" ||
	fail "carrierscope advise: $(cat "$work/err")"
[ "$(dump "$work/kept")" = "$before" ] || fail 'carrierscope advise changes the recording'
have=$(sqlite3 "$work/kept" "SELECT end_bytes || ' ' || peak_bytes FROM sweep_result
	WHERE allocator = 'all' AND NOT is_part AND runtime_id = $runtime AND flags = '+MBas aobf +MHacul 0'")
[ "$want" = "$have" ] || fail "sweep_result has $have instead of $want"

# A file of a version that kept results of the twin in a table of their own.
sqlite3 "$work/kept" "CREATE TABLE flag_trial (id INTEGER PRIMARY KEY, flags TEXT); INSERT INTO flag_trial VALUES (1, 'x')"
for command in 'report' 'report sweep' 'report findings' 'advise'; do
	# shellcheck disable=SC2086
	"$carrierscope" $command "$work/kept" >"$work/out" 2>"$work/err" || fail "$command of an older file: $(cat "$work/err")"
done
"$twin" --replay "$work/db" >"$work/out" 2>"$work/err"
[ $? -eq 2 ] || fail 'the twin replays'
grep -q 'carrierscope replay' "$work/err" || fail "not said: $(cat "$work/err")"

# What takes far more memory than the recording accounts for is stopped.
cp "$work/db" "$work/bad"
sqlite3 -init "$harness/block_event.sql" "$work/bad" 'UPDATE block_event SET size = size * 1000 WHERE size > 0'
timeout 400 "$check" "$work/bad" --runtime "$runtime" >"$work/out" 2>"$work/err"
code=$?
if [ $code -ne 1 ] || [ "$(wc -l <"$work/err")" -ne 1 ] || ! grep -q 'needs more than [0-9]* MiB of carriers' "$work/err"; then
	fail "blocks a thousand times as large: exit $code: $(cat "$work/err")"
fi

# That this can be done is said where blocks were recorded, and only there.
"$carrierscope" report "$work/db" >"$work/out" 2>&1 && tr -s ' \n' '  ' <"$work/out" | grep -qF "carrierscope advise $work/db;" ||
	fail 'the report does not say that flags can be tried'
record 'org_erlang_otp:carrier_*' 0 --workload "$folder/mixed-service.workload" --scale 2
"$carrierscope" report "$work/db" >"$work/out" 2>&1 || fail "no report: $(cat "$work/out")"
! grep -q -e '--replay' -e 'carrierscope advise' "$work/out" || fail 'the report offers to replay carriers'

# Without the runtime's work and without its carriers: blocks agree, and it says what it assumes.
record 'carrierscope:block_*,carrierscope:name_*,carrierscope:option,carrierscope:state_begin' 0 \
	--workload "$folder/mixed-service.workload" --scale 5 --schedulers 2
"$check" "$work/db" --runtime "$runtime" >"$work/table" 2>"$work/err" || fail "blocks alone: $(cat "$work/err")"
grep -q 'work between them was not recorded' "$work/table" || fail 'it does not say what it assumes'
grep -q 'not recorded$' "$work/table" || fail 'carriers come from nowhere'
awk 'NR > 1 && !/^%/ && ($2 != $3 || $4 != $5) { exit 1 }' "$work/table" || fail 'other blocks'

# Schedulers that are threads: the order of events is not that of the calls.
record "$all" 0 --workload "$folder/mixed-service.workload" --scale 5 --schedulers 3 --threads
"$check" "$work/db" --runtime "$runtime" >"$work/table" 2>"$work/err" || fail "threads: $(cat "$work/err")"
awk 'NR > 1 && !/^%/ && ($2 != $3 || $4 != $5) { exit 1 }' "$work/table" || fail 'threads: blocks'
cat "$work/table"

# What cannot be replayed is refused in one sentence.
for file in "$work/none" "$work/out" /dev/null "$work"; do
	"$check" "$file" >/dev/null 2>"$work/err"
	code=$?
	if [ $code -ne 1 ] || [ "$(wc -l <"$work/err")" -ne 1 ]; then
		fail "$file: exit $code: $(cat "$work/err")"
	fi
done
cp "$work/db" "$work/bad"
sqlite3 -init "$harness/block_event.sql" "$work/bad" 'UPDATE block_event SET ended_id = id + 7 WHERE op = 1'
"$check" "$work/bad" --runtime "$runtime" >/dev/null 2>"$work/err" && fail 'ends before beginnings'
grep -q 'does not make sense' "$work/err" || fail "not: $(cat "$work/err")"
cp "$work/db" "$work/bad"
sqlite3 -init "$harness/block_event.sql" "$work/bad" "DELETE FROM block_event WHERE id IN (SELECT b.id FROM block_event AS b
	JOIN thread AS t ON t.id = b.thread_id
	WHERE t.runtime_id = $runtime AND b.op = 1 AND b.size IS NOT NULL AND b.ended_id LIMIT 9)"
"$check" "$work/bad" --runtime "$runtime" >/dev/null 2>"$work/err" && fail 'a difference is none'
grep -q 'are not those of' "$work/err" || fail "not: $(cat "$work/err")"

ends
