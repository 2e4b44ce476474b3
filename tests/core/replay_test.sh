#!/bin/sh
# SPDX-License-Identifier: MIT
# replay_test.sh TWIN CARRIERSCOPE FOLDER: what is recorded of workloads and replayed has the
# figures of the run that was recorded, to the byte: system_info of every instance.
. "$(dirname "$0")/../harness/main.sh"
records_here "$@"
twin=$1
carrierscope=$2
folder=$3
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
"$twin" --replay "$work/db" --runtime "$runtime" --stats "$work/again" -- +MBas aobf +MHacul 0 >"$work/table" ||
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
	"$twin" --replay "$work/read" --runtime "$runtime" --stats "$work/plain" -- $flags >"$work/out" 2>"$work/err" ||
		fail "plain '$flags': $(cat "$work/err")"
	# shellcheck disable=SC2086
	"$twin" --replay "$work/read" --runtime "$runtime" --compare --replays=2 --stats "$work/compared" -- $flags \
		>"$work/out" 2>"$work/err"
	[ $? -le 1 ] || fail "--compare '$flags': $(cat "$work/err")"
	cmp -s "$work/plain" "$work/compared" || fail "with --compare '$flags' other carriers: $(diff "$work/plain" "$work/compared" | head -5)"
done
# A node that ran without the flags is not judged.
! grep -q -e ' agrees' -e ' differs' "$work/out" || fail "judged: $(cat "$work/out")"
grep -q '^% with +MHas aoff .*nothing is judged' "$work/out" || fail "not said: $(cat "$work/out")"
! grep -q -e ' -[0-9]* to' -e ' to -' "$work/out" || fail "a negative bound: $(cat "$work/out")"

# Trials are kept in the database, one for each allocator and all of them, and nothing else is changed.
dump() {
	sqlite3 "$1" .dump | grep -v -e 'INSERT INTO flag_trial' -e 'INSERT INTO judgement' -e flag_candidate | cksum
}
cp "$work/db" "$work/trial"
sqlite3 "$work/trial" 'DROP TABLE flag_candidate' || fail 'a database has no table flag_candidate'
before=$(dump "$work/trial")
flags='+MBas aobf +MHacul 0'
# shellcheck disable=SC2086
"$twin" --replay "$work/trial" --runtime "$runtime" --save -- $flags >"$work/out" 2>"$work/err" ||
	fail "--save: $(cat "$work/err")"
"$twin" --replay "$work/trial" --runtime "$runtime" --save -- +MBas   aobf '+MHacul' 0 >"$work/out" 2>"$work/err" ||
	fail "--save again: $(cat "$work/err")"
cat "$work/out"
[ "$(dump "$work/trial")" = "$before" ] || fail '--save changes the recording'
trial() {
	have=$(sqlite3 "$work/trial" "SELECT $1 FROM flag_trial WHERE $2")
	[ "$have" = "$3" ] || fail "flag_trial: $1 where $2: '$have' instead of '$3'"
}
trial 'count(*), count(DISTINCT allocator), min(schedules), max(flags)' 1 "13|13|5|$flags"
# Footprint and peak as --workload gave them above; this recording says when threads passed.
trial "end_low_bytes || ' ' || peak_low_bytes" "allocator = 'all'" "$want"
trial "end_high_bytes || ' ' || peak_high_bytes" "allocator = 'all'" "$want"
trial "count(*)" 'runtime_id <> '"$runtime"' OR end_low_bytes > end_high_bytes OR end_high_bytes > peak_high_bytes
	OR plain_end_bytes NOT BETWEEN plain_end_low_bytes AND plain_end_high_bytes
	OR plain_peak_bytes NOT BETWEEN plain_peak_low_bytes AND plain_peak_high_bytes
	OR plain_peak_low_bytes < plain_end_low_bytes' 0
trial "count(*)" "allocator <> 'all' AND coverage IS NOT NULL AND coverage <> 1" 0
trial "coverage" "allocator = 'all'" 1.0
trial "sum(plain_end_bytes) FILTER (WHERE allocator <> 'all') = sum(plain_end_bytes) FILTER (WHERE allocator = 'all')" 1 1

# Candidates of the findings: each is tried.
cp "$work/db" "$work/found"
candidates=$(sqlite3 "$work/found" "SELECT count(DISTINCT flags) FROM flag_candidate WHERE runtime_id = $runtime")
"$twin" --replay "$work/found" --runtime "$runtime" --try >"$work/out" 2>"$work/err"
if [ "$candidates" -gt 0 ]; then
	grep -q "^% $candidates of $candidates candidates" "$work/out" || fail "--try of findings: $(cat "$work/err" "$work/out")"
else
	grep -q 'view flag_candidate is empty' "$work/err" || fail "--try without a finding: $(cat "$work/err")"
fi
rm "$work/found"

# Candidates of a view; what is refused is said, and the others are kept.
"$twin" --replay "$work/trial" --runtime "$runtime" --try >"$work/out" 2>"$work/err" && fail 'nothing was tried'
grep -q 'names no flags to try' "$work/err" && [ "$(wc -l <"$work/err")" -eq 1 ] || fail "not: $(cat "$work/err")"
sqlite3 "$work/trial" "CREATE TABLE flag_candidate(runtime_id, allocator, rule, flags)"
sqlite3 "$work/trial" "INSERT INTO flag_candidate
	VALUES ($runtime, 'binary_alloc', 'FRAG-01', '+MBlmbcs 1024 +MBsbct 128'),
		($runtime, 'all', 'FRAG-01', '+MBlmbcs 1024 +MBsbct 128'), ($runtime, 'ets_alloc', 'X', '+MEas bf'),
		($runtime + 99, 'all', 'X', '+Muacul 0')"
"$twin" --replay "$work/trial" --runtime "$runtime" --try >"$work/out" 2>"$work/err" ||
	fail "--try: $(cat "$work/err")"
grep -q '^% 2 of 2 candidates' "$work/out" || fail "--try: $(cat "$work/out")"
trial 'count(DISTINCT flags), count(*)' 1 '3|39'
[ "$(dump "$work/trial")" = "$before" ] || fail '--try changes the recording'
sqlite3 "$work/trial" "DROP TABLE flag_candidate; DELETE FROM flag_trial;
	CREATE VIEW flag_candidate(runtime_id, allocator, rule, flags) AS
	VALUES ($runtime, 'all', 'X', '+MBlmbcs much'), ($runtime, 'all', 'X', '+MEas bf')"
"$twin" --replay "$work/trial" --runtime "$runtime" --try >"$work/out" 2>"$work/err" && fail 'all was tried'
grep -q '^% not tried: +MBlmbcs much: ' "$work/out" || fail "not said: $(cat "$work/out")"
trial 'count(DISTINCT flags)' 1 1

# Where nothing can be written, and where there is nowhere to write it.
unwritable() {
	"$twin" --replay "$1" --runtime "$runtime" --save -- +MBas aobf >"$work/out" 2>"$work/err"
	code=$?
	if [ $code -ne 1 ] || [ "$(wc -l <"$work/err")" -ne 1 ] || ! grep -q "$2" "$work/err"; then
		fail "--save into $1: exit $code: $(cat "$work/err")"
	fi
}
sqlite3 "$work/trial" 'DROP TABLE flag_trial'
unwritable "$work/trial" 'has no table flag_trial'
cp "$work/db" "$work/locked"
mkfifo "$work/hold"
sqlite3 "$work/locked" <"$work/hold" >"$work/held" &
holder=$!
exec 3>"$work/hold"
echo 'BEGIN IMMEDIATE; SELECT 1;' >&3
while [ ! -s "$work/held" ]; do sleep 0.1; done
unwritable "$work/locked" 'locked'
exec 3>&-
wait $holder
sqlite3 "$work/locked" "PRAGMA user_version = 3"
unwritable "$work/locked" 'made by an older carrierscope'
cp "$work/db" "$work/const"
chmod a=r "$work/const"
chmod a+rx "$work"
if [ "$(id -u)" -ne 0 ]; then
	unwritable "$work/const" 'is read-only'
elif command -v setpriv >/dev/null; then
	plain=$twin
	twin=$work/as-nobody
	printf '#!/bin/sh\nexec setpriv --reuid 65534 --regid 65534 --clear-groups "%s" "$@"\n' "$plain" >"$twin"
	chmod a+rx "$twin"
	if "$twin" --version >/dev/null 2>&1; then
		unwritable "$work/const" 'is read-only'
	else
		echo 'SKIPPED: nobody cannot run the twin here: a read-only file was not tried'
	fi
	twin=$plain
else
	echo 'SKIPPED: this is root and there is no setpriv: a read-only file was not tried'
fi
for wrong in --save '--try -- +MBas aobf' '--save --compare -- +MBas aobf' '--save --stats x -- +MBas aobf'; do
	# shellcheck disable=SC2086
	"$twin" --replay "$work/db" --runtime "$runtime" $wrong >"$work/out" 2>"$work/err"
	[ $? -eq 2 ] || fail "'$wrong' is accepted: $(cat "$work/err")"
done

# What takes far more memory than the recording accounts for is stopped.
cp "$work/db" "$work/bad"
sqlite3 "$work/bad" 'UPDATE block_event SET size = size * 1000 WHERE size > 0'
timeout 120 "$twin" --replay "$work/bad" --runtime "$runtime" >"$work/out" 2>"$work/err"
code=$?
if [ $code -ne 1 ] || [ "$(wc -l <"$work/err")" -ne 1 ] || ! grep -q 'needs more than [0-9]* MiB of carriers' "$work/err"; then
	fail "blocks a thousand times as large: exit $code: $(cat "$work/err")"
fi

# That this can be done is said where blocks were recorded, and only there.
"$carrierscope" report "$work/db" >"$work/out" 2>&1 && tr -s ' \n' '  ' <"$work/out" | grep -q 'carrierscope advise FILE' ||
	fail 'the report does not say that flags can be tried'
record 'org_erlang_otp:carrier_*' 0 --workload "$folder/mixed-service.workload" --scale 2
"$carrierscope" report "$work/db" >"$work/out" 2>&1 || fail "no report: $(cat "$work/out")"
! grep -q -e '--replay' -e 'carrierscope advise' "$work/out" || fail 'the report offers to replay carriers'

# Without the runtime's work and without its carriers: blocks agree, and it says what it assumes.
record 'carrierscope:block_*,carrierscope:name_*,carrierscope:option,carrierscope:state_begin' 0 \
	--workload "$folder/mixed-service.workload" --scale 5 --schedulers 2
"$twin" --replay "$work/db" --runtime "$runtime" >"$work/table" 2>"$work/err" || fail "blocks alone: $(cat "$work/err")"
grep -q 'work between them was not recorded' "$work/table" || fail 'it does not say what it assumes'
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

ends
