#!/bin/sh
# SPDX-License-Identifier: MIT
# proof_test.sh ERL EBIN BEAMS PLUGIN_DIR REPLAY_CHECK [MS]: the blocks of a stock node, replayed, have the
# node's own figures.  Blocks to the last one; their bytes within what sizes allow.  Carriers are an
# estimate: threads call at the same time, also beside one scheduler, and who comes first makes a
# carrier.  One less or more is usual and two were seen (of ten busy runs), so three may be, five with
# several schedulers, or 2 %.
. "$(dirname "$0")/../harness/main.sh"
. "$here/common.sh"
check=$5
ms=${6:-700}

# compares NAME [FLAG...]: prints what differs; rows are in $work/NAME.csv.
compares() {
	name=$1
	shift
	"$check" "$work/$name.db" --compare --replays=2 --format=csv "$@" >"$work/$name.csv" 2>"$work/err"
	code=$?
	[ $code -le 1 ] || fail "'$name' cannot be compared: exit $code: $(cat "$work/err")"
	is "$name" "SELECT sum(lost_events) FROM source" 0
	awk -F, -v name="$name" '
		NR > 1 && $2 == "" && $6 != 0 { print name ": " $1, $3 ": node " $4, "replayed " $5, $10, $11 }
		NR > 1 && $11 == "differs" { differs = 1 }
		END { if (differs != '$code') { print name ": exit status '$code'"; exit 1 } }' \
		"$work/$name.csv" || fail "the exit status is not that of the rows"
}

# kept_of NAME: objects that fix_alloc had kept at both readings.  When it lets go of them is up to
# timers, and each makes the bounds of bytes wider by what such objects differ in: 40 to 1024 bytes.
kept_of() {
	sqlite3 "$work/$1.db" "SELECT sum(CASE key WHEN 'blocks' THEN current WHEN 'fix_alloc' THEN -current
		WHEN 'fix_free' THEN current END)
		FROM snapshot_figure JOIN (SELECT DISTINCT runtime_id, allocator_id FROM allocator_name
			WHERE name = 'fix_alloc') USING (runtime_id, allocator_id)
		WHERE (section IN ('mbcs', 'mbcs_pool', 'sbcs') AND key = 'blocks' OR section = 'calls' AND key IN ('fix_alloc', 'fix_free'))
		AND snapshot_id IN (SELECT min(snapshot_id) FROM snapshot_end UNION SELECT max(snapshot_id) FROM snapshot_end WHERE ts_ns < (SELECT max(ts_ns) FROM hook_end))"
}

# Rows of every allocator, blocks exact but for what passed during a reading, bytes within bounds.
blocks_agree() {
	awk -F, -v kept="$(kept_of "$1")" 'NR > 1 && $2 == "" && $1 != "all" && ($3 == "blocks" || $3 == "block_bytes") {
			rows++
			if ($11 != "agrees") { print "differs: " $0; bad = 1 }
			if ($10 == "estimate") { print "no bound: " $0; bad = 1 }
			if ($3 == "blocks" && $10 == "exact" && $6 != 0) { print "not exact: " $0; bad = 1 }
			if ($3 == "blocks" && $10 == "exact") { exact++ }
			if ($3 == "block_bytes" && $9 - $8 > 0.25 * $4 + 2000000 + ($1 == "fix_alloc" ? 984 * kept : 0)) { print "wide: " $0; bad = 1 }
		}
		END { if (rows != 20 || exact < 6) { print rows " rows, exact: " exact + 0; bad = 1 }; exit bad }' \
		"$work/$1.csv" >"$work/bad" || fail "'$1': $(cat "$work/bad")"
}

# carriers_agree NAME CARRIERS: of no allocator more carriers off than that, or 2 %.
carriers_agree() {
	awk -F, -v most="$2" 'NR > 1 && $2 == "" && $3 == "carriers" && $1 != "all" {
			off = $6 < 0 ? -$6 : $6
			if (off > most && off > 0.02 * $4) { print $0; bad = 1 }
			node += $4; sum += $6
		}
		END { print "carriers: " node ", replayed " node + sum; exit bad }' "$work/$1.csv" \
		>"$work/bad" || fail "'$1': carriers: $(cat "$work/bad")"
	sed "s/^/$1: /" "$work/bad"
}

# proves NAME MS SEED CARRIERS: recorded, loaded and compared.  What a schedule of one recording in a
# hundred does to estimates is not known: a recording that disagrees is made again, twice at most, and
# says so; what is wrong in the hook, the core or the replay disagrees each time.
proves() {
	failures_before=$failures
	for try in 1 2 3; do
		failures=$failures_before
		rm -rf "$work/$1.trace"
		records "$1" 32M
		runs proof "$2" "$3"
		loads "$1"
		compares "$1"
		blocks_agree "$1"
		carriers_agree "$1" "$4"
		[ $failures -ne $failures_before ] || return 0
		echo "recording $try of '$1' disagrees"
	done
}

# All that allocates on one scheduler: calls are recorded in their order.
flags='+S 1:1 +SDcpu 1:1'
proves one "$ms" 2 3

# Several schedulers, whose instances give carriers to each other.
flags='+S 2:2'
proves two "$ms" 3 5

# The node's own options come with the recording: other strategies, sizes, and none of the pool.
flags='+S 2:2 +MBas aobf +MEas bf +MHsbct 100 +Musmbcs 256 +MBlmbcs 1024 +MRatags false'
proves flags 300 4 5

# What is wrong is found: a block more, events that were lost, another runtime's carriers.
# Of an allocator that nobody called during a reading: elsewhere one block more is within bounds.
quiet=
for name in sl_alloc std_alloc driver_alloc binary_alloc ets_alloc; do
	! grep -q "^$name,,blocks,.*,exact,agrees," "$work/one.csv" || quiet=$name
done
[ -n "$quiet" ] || fail "no allocator's blocks are exact: $(cat "$work/one.csv")"
cp "$work/one.db" "$work/bad.db"
sqlite3 "$work/bad.db" "UPDATE snapshot_figure SET current = current + 1 WHERE key = 'blocks'
	AND section = 'mbcs' AND allocator_id = (SELECT allocator_id FROM name_allocator
	WHERE name = '$quiet' LIMIT 1) AND instance = 1
	AND snapshot_id = (SELECT max(snapshot_id) FROM snapshot_begin WHERE ts_ns < (SELECT max(ts_ns) FROM hook_end))"
"$check" "$work/bad.db" --compare >"$work/out" 2>"$work/err"
[ $? -eq 1 ] || fail "a block too many is not seen: $(cat "$work/err")"
grep -q "^$quiet .* blocks .*differs" "$work/out" || fail "not said: $(grep "$quiet" "$work/out")"

# Carriers that no schedule explains.
cp "$work/one.db" "$work/bad.db"
sqlite3 "$work/bad.db" "UPDATE snapshot_figure SET current = current + 9 WHERE key = 'carriers'
	AND section = 'mbcs' AND allocator_id = (SELECT allocator_id FROM name_allocator
	WHERE name = 'sl_alloc' LIMIT 1) AND instance = 1
	AND snapshot_id = (SELECT max(snapshot_id) FROM snapshot_begin WHERE ts_ns < (SELECT max(ts_ns) FROM hook_end))"
"$check" "$work/bad.db" --compare --replays=8 >"$work/out" 2>"$work/err"
[ $? -eq 1 ] || fail "nine carriers too many are not seen: $(cat "$work/err")"
grep -q '^sl_alloc .* carriers .*differs' "$work/out" || fail "not said: $(grep sl_alloc "$work/out")"

# Instances, JSON, and what cannot be compared.
"$check" "$work/two.db" --compare --instances --format=json >"$work/out"
sqlite3 :memory: "SELECT count(*), sum(json_extract(value, '\$.instance') = 2) > 30
	FROM json_each(json_extract(readfile('$work/out'), '\$.rows'))" >"$work/json"
grep -q '^1[0-9][0-9]|1$' "$work/json" || fail "JSON: $(cat "$work/json")"
cp "$work/one.db" "$work/bad.db"
sqlite3 "$work/bad.db" "DELETE FROM snapshot_end WHERE id = (SELECT max(id) FROM snapshot_end WHERE ts_ns < (SELECT max(ts_ns) FROM hook_end))"
"$check" "$work/bad.db" --compare >"$work/out" 2>"$work/err"
[ $? -eq 2 ] || fail "half a reading is compared"
grep -q 'no two whole readings' "$work/err" || fail "not said: $(cat "$work/err")"
# Figures that no node has are refused, and not made block by block.
cp "$work/one.db" "$work/bad.db"
for wrong in 9223372036854775807 1000000000000 -1; do
	sqlite3 "$work/bad.db" "UPDATE snapshot_figure SET current = $wrong WHERE key = 'blocks'
		AND section = 'mbcs' AND instance = 1"
	"$check" "$work/bad.db" --compare >"$work/out" 2>"$work/err"
	[ $? -eq 2 ] || fail "$wrong blocks are compared"
	grep -q 'snapshot [0-9]*: ' "$work/err" || fail "$wrong blocks: not said: $(cat "$work/err")"
done
for arguments in "$work/one.db --instances" "$work/one.db --format=csv" --compare \
	"$work/one.db --compare --replays=0" "$work/one.db --compare --replays=9" "$work/one.db --replays=2" \
	"$work/one.db --compare --format=xml"; do
	# shellcheck disable=SC2086
	"$check" $arguments >/dev/null 2>&1
	[ $? -eq 2 ] || fail "taken: $arguments"
done
ends
