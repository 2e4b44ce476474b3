#!/bin/sh
# SPDX-License-Identifier: MIT
# batches_test.sh PROGRAM TWIN FOLDER READER: block events in batches give the database that single ones give.
#
# Each workload of FOLDER is recorded both ways.  READER reads batches in another language.
. "$(dirname "$0")/../harness/main.sh"
records_here "$@"
tests_program "$1"
twin=$2
folder=$3
reader=$4
needs babeltrace2 sqlite3 python3
plugins=$(dirname "$program")

# begin NAME: what the twin emits goes into the trace NAME.
begin() {
	begins_session "$work/$1" 1M 'org_erlang_otp:carrier_*,carrierscope:*'
}

end() {
	lttng destroy $session >/dev/null 2>&1
	session=
}

# record NAME ARGUMENT...: a trace of the twin.
record() {
	name=$1
	shift
	begin "$name"
	"$twin" --quiet "$@" >"$work/out" 2>"$work/err" || fail "the twin ended with $?: $*"
	end
}

# loads NAME OPTION...: the trace into NAME.db.
loads() {
	name=$1
	shift
	"$program" load --quiet "$@" -o "$work/$name.db" -f "$work/$name" >"$work/out" 2>"$work/err" ||
		fail "load $name: exit $?"
}

# Each block by the row that had its address first, as addresses are others in each process.
rows="SELECT row_number() OVER w AS n, op, size, type_id, allocator_id, instance, b.process,
	min(b.id) OVER (PARTITION BY t.runtime_id, address) - min(b.id) OVER (PARTITION BY t.runtime_id) AS block,
	ended_id - min(b.id) OVER (PARTITION BY t.runtime_id) AS ended
	FROM block_event AS b JOIN thread AS t ON t.id = b.thread_id"

# What two recordings of one workload have in common.
figures() {
	sqlite3 "$work/$1.db" "$rows WINDOW w AS (ORDER BY b.id) ORDER BY b.id;
		SELECT provider, event, events FROM event_count WHERE event <> 'block_batch' ORDER BY 1, 2;
		SELECT name, severity, count FROM load_problem; SELECT cause, events FROM lost_interval;
		SELECT events, carrier_events FROM thread; SELECT id, kind, size FROM carrier_event ORDER BY id;
		SELECT * FROM block_made_size; SELECT scope, allocator_id, type_id, class_id, made, made_bytes, ended, ended_bytes, resized, live_blocks, live_bytes,
		most_blocks, most_blocks_id, most_bytes, most_bytes_id, unknown_frees, lost_frees FROM block_account ORDER BY id;
		SELECT events - (SELECT sum(events) FROM event_count WHERE event = 'block_batch') FROM source"
}

# same NAME NAME: what they have in common is the same.
same() {
	figures "$1" >"$work/want" || fail "$1 cannot be asked"
	figures "$2" >"$work/have" || fail "$2 cannot be asked"
	cmp -s "$work/want" "$work/have" || {
		fail "$2 has other rows than $1"
		diff "$work/want" "$work/have" | head -10
	}
}

# says NAME QUERY ANSWER
says() {
	have=$(sqlite3 "$work/$1.db" "$2") || have='no answer'
	[ "$have" = "$3" ] || fail "$1: $2: '$have', not '$3'"
}

unordered='SELECT count(*) FROM (SELECT ts_ns - lag(ts_ns) OVER (ORDER BY id) AS d FROM block_event) WHERE d < 0'

for workload in "$folder"/*.workload; do
	record single --workload "$workload" --scale 2 --events single
	record batches --workload "$workload" --scale 2 --events batches
	loads single
	loads batches
	same single batches
	says single "SELECT events FROM event_count WHERE event = 'block_batch'" 0
	says batches "SELECT events > 2 FROM event_count WHERE event = 'block_batch'" 1
	says batches "$unordered" 0
	echo "$(basename "$workload"): $(wc -l <"$work/have") rows, blocks in $(
		sqlite3 "$work/batches.db" "SELECT events FROM event_count WHERE event = 'block_batch'") batches"
	rm -rf "$work/single" "$work/batches"
done

"$twin" --workload "$folder/fragmentation.workload" --events both >"$work/out" 2>"$work/err"
[ $? -eq 2 ] && grep -q "^carrierscope-twin: --events: 'both' is neither single nor batches" "$work/err" ||
	fail 'a third kind of events is taken'

# Without the option events are single.
record plain --workload "$folder/fragmentation.workload" --scale 1
babeltrace2 "$work/plain" >"$work/text"
grep -q 'carrierscope:block_alloc:' "$work/text" || fail 'no single event without the option'
! grep -aq 'carrierscope:block_batch:' "$work/text" || fail 'a batch without the option'

# One trace by one thread, by several, by babeltrace2 alone, and by the reader in another language.
# On one processor, so that all is in one file.
processor=$(taskset -cp $$ | sed 's/.*: \([0-9]*\).*/\1/')
whole_twin=$twin
twin=in_one_file
in_one_file() {
	taskset -c "$processor" "$whole_twin" "$@"
}
record mixed --workload "$folder/mixed-service.workload" --scale 4 --events batches
twin=$whole_twin
dump() {
	sqlite3 "$work/$1.db" 'SELECT * FROM block_event ORDER BY id; SELECT * FROM event_count ORDER BY 2, 3;
		SELECT * FROM runtime_span; SELECT id, vtid, events FROM thread; SELECT * FROM block_process;
		SELECT first_ts_ns, last_ts_ns, events, content_hash FROM source'
}
loads mixed --jobs 1
dump mixed >"$work/want"
loads mixed --jobs 3
dump mixed >"$work/have"
[ -s "$work/want" ] && cmp "$work/want" "$work/have" || fail 'threads load other rows'
babeltrace2 --plugin-path="$plugins" "$work/mixed" -c sink.carrierscope.sqlite -p "path=\"$work/raw.db\"" 2>"$work/err" ||
	fail "babeltrace2 ended with $?"
dump raw >"$work/have"
cmp "$work/want" "$work/have" || fail 'babeltrace2 alone loads other rows'

babeltrace2 "$work/mixed" | python3 "$reader" >"$work/csv" 2>"$work/err" || fail "the reader ended with $?"
awk -F , 'NR > 1 {
	if (!first) first = $2
	# As rows are: a block that is moved ends in one of its own.
	if ($3 == "realloc" && $5 > 0) print $2 - first, "free", $5, "", $7, $8, $9, $10
	print $2 - first, $3, $4, $6, $7, $8, $9, $10
}' OFS='|' "$work/csv" >"$work/have"
sqlite3 "$work/mixed.db" "SELECT ts_ns - (SELECT min(ts_ns) FROM block_event),
	CASE op WHEN 0 THEN 'alloc' WHEN 1 THEN 'free' ELSE 'realloc' END, address, size, type_id, allocator_id,
	instance, process FROM block_event ORDER BY id" >"$work/want"
[ -s "$work/want" ] && cmp -s "$work/want" "$work/have" || {
	fail "$(basename "$reader") reads something else"
	diff "$work/want" "$work/have" | head -10
}
echo "$(basename "$reader"): $(wc -l <"$work/have") rows as in the database"
printf '%s\n' '[0] x carrierscope:block_batch: { }, { thread = 8, ordinal = 3, records = 2, lost = 0, payload = "\x01\x7f" }' |
	python3 "$reader" >/dev/null 2>"$work/damage" && fail 'the reader takes a damaged batch'
grep -q '^batch 3 of thread 8 is damaged: ' "$work/damage" || fail 'the reader does not say what is damaged'

# Threads have batches of their own: none has a block that is there already, and none frees another's or none.
record threads --workload "$folder/fragmentation.workload" --scale 5 --threads --schedulers 3 --events batches
loads threads
says threads "$unordered" 0
says threads 'SELECT count(*) FROM thread WHERE events > 1000' 3
says threads 'SELECT count(*) FROM block_event WHERE op = 1 AND ended_id IS NULL' 0
says threads 'SELECT count(*) FROM block_event WHERE op <> 1 AND ended_id IS NOT NULL' 0
says threads 'SELECT count(*) FROM load_problem' 0

# Two processes in one trace: each is as it is alone.
record alone --workload "$folder/mixed-service.workload" --scale 2 --events batches
loads alone
begin both
for i in 1 2; do
	"$twin" --quiet --workload "$folder/mixed-service.workload" --scale 2 --events batches &
	eval "twin_$i=\$!"
done
wait "$twin_1" || fail 'the first of two twins failed'
wait "$twin_2" || fail 'the second of two twins failed'
end
loads both
says both "$unordered" 0
says both 'SELECT count(*), (SELECT count(*) FROM load_problem) FROM runtime' '2|0'
sqlite3 "$work/alone.db" "SELECT n, op, size, type_id, allocator_id, instance FROM ($rows WINDOW w AS (ORDER BY b.id))
	ORDER BY n" >"$work/want"
for runtime in 1 2; do
	sqlite3 "$work/both.db" "SELECT n, op, size, type_id, allocator_id, instance FROM
		($rows WHERE t.runtime_id = $runtime WINDOW w AS (ORDER BY b.id)) ORDER BY n" >"$work/have"
	[ -s "$work/want" ] && cmp "$work/want" "$work/have" || fail "process $runtime of two has other rows than alone"
done

# At a pause all is in the trace, though the session ends there.
mkfifo "$work/go"
for kind in single batches; do
	begin pause-$kind
	"$twin" --workload "$folder/fragmentation.workload" --scale 5 --pause-at 50 --events $kind <"$work/go" >"$work/paused" &
	runner=$!
	exec 3>"$work/go"
	waits grep -qs '^paused' "$work/paused" || fail 'it does not pause'
	end
	exec 3>&-
	wait $runner || fail "the twin ended with $?"
	runner=
	loads pause-$kind
done
same pause-single pause-batches

# A trace that is cut within a batch: what is before the cut is there, and one line says what is not.
full=$(sqlite3 "$work/mixed.db" 'SELECT count(*) FROM block_event')
dump mixed | sed "${full}q" >"$work/want"
# Within what the first packet has: its content stands in bits behind its times.  Batches are most of it, but not at its end
# where a thread went on to another processor: where the cut is between two of them, the next one is elsewhere.
for path in $(cd "$work/mixed" && find . -name 'all_*' ! -path '*/index/*' -type f -size +64k | sort); do
	rm -rf "$work/cut"
	cp -r "$work/mixed" "$work/cut"
	stream=$work/cut/${path#./}
	content=$(od -A n -t u8 -j 48 -N 8 "$stream" | tr -d ' ')
	for tenths in 9 8 7 6 5 4; do
		truncate -s $((content / 80 * tenths)) "$stream"
		"$program" load -o "$work/cut.db" -f "$work/cut" >"$work/out" 2>"$work/err" && fail 'a cut trace is loaded as if it were whole'
		[ "$(grep -c "$stream" "$work/err")" = 1 ] || fail 'no line names the file that is cut'
		"$program" load --salvage -o "$work/cut.db" -f "$work/cut" >"$work/out" 2>"$work/err" || fail "salvage: exit $?"
		says cut "SELECT count(*) FROM lost_interval WHERE cause = 'packet_cut'" 1
		says cut "SELECT count(*) > 100, count(*) < $full FROM block_event" '1|1'
		sqlite3 "$work/cut.db" "SELECT sentence FROM load_problem WHERE name = 'batch_damaged'" >"$work/sentence"
		[ ! -s "$work/sentence" ] || break 2
	done
done
grep -q 'batch [0-9]* of ring 0 at [0-9]* ns in .*all_.* is damaged behind [0-9]* of [0-9]* records; those are loaded' \
	"$work/sentence" || fail 'the batch that is cut is not named'
sqlite3 "$work/cut.db" "SELECT * FROM block_event WHERE ts_ns < (SELECT min(begin_ns) FROM lost_interval
	WHERE cause = 'batch_damaged') ORDER BY id" >"$work/have"
[ -s "$work/have" ] || fail 'nothing is left of a cut trace'
head -n "$(wc -l <"$work/have")" "$work/want" | cmp - "$work/have" || fail 'what is before the cut is something else'
echo "cut: $(cat "$work/sentence")"

ends
