#!/bin/sh
# SPDX-License-Identifier: MIT
# holders.sh ERL EBIN BEAMS PLUGIN_DIR CARRIERSCOPE: nodes of which it is known who holds their memory.
# What is said is compared with process_info and ets:info of the node itself, and with its allocators.
. "$(dirname "$0")/../harness/main.sh"
. "$here/common.sh"
carrierscope=$5

for node in cache leak blocks bad grown waiting odd; do
	# What leaks is read six times at once: again where it stood still meanwhile, on a busy machine.
	for try in 1 2 3 4 5; do
		rm -rf "$work/$node.trace"
		records $node
		runs $node
		loads $node
		[ $node = leak ] || break
		"$carrierscope" report "$work/leak.db" >"$work/said"
		! grep -q '^LEAK: ' "$work/said" || break
	done
	cp "$work/out" "$work/$node.out"
done

# told NODE WHAT COLUMN: what the node itself printed: bytes (2) or pid (3).
told() {
	awk -v what="$2" -v column="$3" '$1 == what { print $column }' "$work/$1.out"
}

# first NODE TYPE: the first holder of that type in report holders: its bytes, name and quality.
first() {
	"$carrierscope" report holders --format csv "$work/$1.db" >"$work/$1.csv" ||
		fail "report holders of '$1'"
	sqlite3 :memory: ".import --csv $work/$1.csv r" \
		"SELECT bytes, holder, quality FROM r WHERE type = '$2' ORDER BY rowid LIMIT 1"
}

# equals WHAT GOT EXPECTED
equals() {
	[ "$2" = "$3" ] || fail "$1: expected $3, got $2"
}

# named NODE TYPE: percent of that allocator's bytes that have a named holder, cut to a whole number.
named() {
	sqlite3 "$work/$1.db" "SELECT 100 - CAST(100 * total(share) + 0.999 AS INTEGER) FROM holder
		WHERE type = '$2' AND kind = 'nobody'"
}

equals 'the cache' "$(first cache ets)" \
	"$(told cache table 2)|table \"<b>cäche</b>\" of $(told cache table 3) cache_öwner|exact"
equals 'what leaks' "$(first leak binary)" "$(told leak binary 2)|$(told leak binary 3) beam_holders|exact"
equals 'its heap' "$(sqlite3 "$work/leak.db" "SELECT bytes FROM holder WHERE type = 'heap'
	AND holder = '$(told leak binary 3)'")" "$(told leak heap 2)"
# What is in use of it, and what its last collection left; that it worked and collected between readings; and of the others, which
# wait, as much as they had.
is leak "SELECT used_bytes, survived_bytes, used_bytes <= heap_bytes, minor_gcs >= 0 FROM snapshot_process
	WHERE pid = '$(told leak used 3)' ORDER BY id DESC LIMIT 1" "$(told leak used 2)|$(told leak survived 2)|1|1"
is leak "SELECT min(grown > 100), count(*) FROM (SELECT reductions - lag(reductions) OVER (ORDER BY id) AS grown
	FROM snapshot_process WHERE pid = '$(told leak used 3)') WHERE grown IS NOT NULL" '1|5'
is leak "SELECT min(processes) > 9000, min(used_bytes > 100 * processes), max(used_bytes > heap_bytes), max(survived_bytes > used_bytes),
	min(reductions > 0) FROM snapshot_process_group WHERE initial_call = 'beam_holders:idle/0'" '1|1|0|0|1'
is leak "SELECT processes >= 10000, processes = processes_seen, count(*) FROM snapshot_holders
	GROUP BY 1, 2" '1|1|6'
is leak "SELECT holder, type, grown_bytes, quality FROM holder_growth ORDER BY grown_bytes DESC LIMIT 1" \
	"$(told leak binary 3)|binary|40000000|exact"
for pair in cache:ets leak:binary leak:heap; do
	percent=$(named "${pair%:*}" "${pair#*:}")
	[ "$percent" -ge 95 ] || fail "of $pair $percent % have a holder"
done

# Elixir's modules are named as Elixir does.
is cache "SELECT text LIKE '% Shop.Cart' FROM process_label WHERE pid = '$(told cache cart 3)'" 1
is cache "SELECT name LIKE 'table \"Shop.Small\" of %' FROM holder WHERE kind = 'table' AND name LIKE '%Shop%'" 1

# The report names them, and the verdict who grew.
"$carrierscope" report "$work/cache.db" | tr -s " \n" " " >"$work/said"
grep -q "Holds most .*table \"<b>cäche</b>\" of $(told cache table 3) cache_öwner 18.3 MiB" "$work/said" ||
	fail "the report of the cache: $(cat "$work/said")"
"$carrierscope" report "$work/leak.db" | tr -s " \n" " " >"$work/said"
grep -q "LEAK: $(told leak binary 3) beam_holders gains .* Holds most .*$(told leak binary 3) beam_holders [0-9]" "$work/said" ||
	fail "the verdict of what leaks: $(cat "$work/said")"

# A binary's id is the address of its block.
is blocks "SELECT count(*), min(size - 80000) >= 8, max(size - 80000) <= 64 FROM block_holder_at
	WHERE pid = '$(told blocks binary 3)' AND how = 'refers to it' AND type = 'binary'" '100|1|1'
is blocks "SELECT count(DISTINCT allocator) > 1, min(bytes) > 0 FROM holder
	WHERE basis = 'blocks it made'" "1|1"

# Messages beside a heap belong to the process that they wait for; of binaries in messages that wait, and of a table of
# binaries, it is known who allocated them.
for which in beside onheap terms; do
	is waiting "SELECT binaries_by, messages FROM snapshot_process
		WHERE pid = '$(told waiting $which 3)' ORDER BY id DESC LIMIT 1" '3|1000'
done
is waiting "SELECT type, quality, bytes FROM holder WHERE holder = '$(told waiting terms 3)' AND type = 'message'" \
	"message|bound|$(told waiting terms 2)"
is waiting "SELECT count(*) FROM holder WHERE holder = '$(told waiting onheap 3)' AND type = 'message'" 0
got=$("$plugins/../tests/harness/judge_file" "$work/waiting.db" "SELECT sentence LIKE 'No process that was looked at refers to 4_.% MiB of binaries: tables, messages, drivers or connections to other nodes may. Table \"cache\" of $(told waiting owner 3)% has 2,000 objects, 2,000 more than at first. At least 4_.% MiB were allocated by $(told waiting owner 3)%'
	FROM _no_holder WHERE allocator = 'binary_alloc'")
[ "$got" = 1 ] || fail "of what nobody holds: '$got'"

# Names with control characters and without end, a queue that is too long to be walked through, one
# binary of 1 MB referred to 20,000 times, and holders that end meanwhile.
pid=$(told bad queue 3)
is bad "SELECT messages, heap_bytes, memory_bytes, binary_bytes, binaries_by FROM snapshot_process
	WHERE pid = '$pid' ORDER BY id LIMIT 1" '10001|-1|-1|-1|0'
is bad "SELECT count(*) FROM holder WHERE holder = '$pid' AND type = 'heap'" 0
is bad "SELECT quality, name LIKE '%could not be read%' FROM holder WHERE kind = 'nobody' AND allocator = 'eheap_alloc'" 'bound|1'
pid=$(told bad shared 3)
is bad "SELECT binaries_by, binary_bytes > 10000000000 FROM snapshot_process WHERE pid = '$pid'
	ORDER BY id LIMIT 1" '2|1'
is bad "SELECT quality, share = 1.0 FROM holder WHERE holder = '$pid' AND type = 'binary'" 'bound|1'
is bad "SELECT length(CAST(name AS BLOB)) <= 200, name LIKE 'a  ä%', instr(name, char(10)) FROM process_name
	WHERE pid = '$(told bad long 3)' ORDER BY id LIMIT 1" '1|1|0'
# Of 9 of each kind no more are recorded than were asked for, and the largest are found again.
is bad "SELECT max(n), count(*) > 2 FROM (SELECT count(*) AS n FROM snapshot_table
	WHERE snapshot_id > (SELECT min(snapshot_id) FROM snapshot_table) GROUP BY snapshot_id)" "3|1"
is bad "SELECT count(*) > 0, sum(processes_seen > 600), min(processes) > 600 FROM snapshot_holders
	WHERE processes_seen < processes" '1|0|1'
is bad "SELECT count(*) FROM load_problem WHERE severity IN ('data_loss', 'error')" 0
# What has grown keeps its name, and is known by its parent else.
is grown "SELECT initial_call FROM process_name WHERE pid = '$(told grown grown 3)' ORDER BY id DESC LIMIT 1" \
	beam_holders:grows/1
if [ "$(told grown alone 3)" != true ]; then
	for which in large other; do
		is grown "SELECT text LIKE '%in %, child of grown_parent, name not read: large heap%' FROM process_label
			WHERE pid = '$(told grown $which 3)'" 1
	done
	is grown "SELECT kind, text FROM process_label WHERE pid = '$(told grown queue 3)'" 'queue|queue "slow" (vhost /)'
fi
# Notes that are none cost no holder.
is odd "SELECT count(*) FROM runtime_fact WHERE key = 'snapshot_failed'" 0
is odd "SELECT ancestors, length(label), initial_call FROM process_name WHERE pid = '$(told odd odd 3)' ORDER BY id DESC LIMIT 1" \
	'first ?|200|beam_holders:notes/1'
# Without holders none are shown.
is bad "SELECT count(*) FROM snapshot_holders AS h JOIN snapshot_process AS p USING (runtime_id, snapshot_id)
	WHERE p.snapshot_id NOT IN (SELECT snapshot_id FROM snapshot_end)" 0
[ -z "${CSC_KEEP:-}" ] || cp "$work"/*.db "$work"/*.out "$CSC_KEEP"
ends
