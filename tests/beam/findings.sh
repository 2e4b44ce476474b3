#!/bin/sh
# SPDX-License-Identifier: MIT
# findings.sh ERL EBIN BEAMS PLUGIN_DIR CARRIERSCOPE: nodes that read themselves and hook nothing.
# What is found in their readings shows its figures by its evidence, as it stands.
. "$(dirname "$0")/../harness/main.sh"
. "$here/common.sh"
. "$here/../verdict/evidence.sh"

verdicts="SELECT group_concat(verdict || ' ' || allocator, ', ') FROM (SELECT * FROM verdict
	WHERE level = 'allocator' AND allocator = 'binary_alloc' AND verdict <> 'normal' ORDER BY runtime_id)"
found='leak binary_alloc, fragmentation binary_alloc, pooled binary_alloc'
# Again where the node that grows stood still in its second, on a busy machine: that may be no leak.
for try in 1 2 3 4 5; do
	rm -rf "$work/all.trace"
	records all
	# One scheduler: carriers stay where they were made.
	flags='+S 1 +MBacul 0'
	runs read_growth
	runs read_peak
	flags='+S 1'
	runs read_peak
	runs read_code
	loads all
	[ "$(sqlite3 "$work/all.db" "$verdicts")" != "$found" ] || break
	echo "try $try: not the verdicts"
done
cp "$work/all.db" "$work/planted.db"
is all "SELECT count(*) FROM runtime" 4
is all "SELECT count(*) FROM carrier_event" 0
# Of the node as a whole a recording this short may be unknown, where its heaps grew meanwhile.
is all "SELECT count(*) FROM verdict WHERE level = 'runtime' AND verdict = 'normal' AND runtime_id IN (SELECT runtime_id
	FROM verdict WHERE level = 'allocator' AND allocator = 'binary_alloc' AND verdict <> 'normal')" 0
is all "$verdicts" "$found"
# Of which node the readings are is known from the process itself.
is all "SELECT confidence, sentence LIKE '%assumed%' FROM finding WHERE rule = 'LEAK-01'" 'exact|0'
# FRAG-02: at the first reading, which is the peak, carriers were filled less than in other runs.
for rules in LEAK-01 SBC-01 HEAP-01 'FRAG-01 FRAG-02' POOL-01 BOUND-01 JIT-01; do
	is all "SELECT count(*) > 0 FROM finding WHERE instr('$rules', rule) > 0" 1
done
is all "SELECT count(*) FROM finding WHERE rule = 'JIT-01' AND at_stake_bytes BETWEEN 8388608 AND 33554432
	AND runtime_id = (SELECT max(id) FROM runtime)" 1
wrong=$(evidence_missing "$work/all.db")
[ -z "$wrong" ] || fail "evidence of $wrong"
# Queries that yield no rows are seen to show nothing.
sqlite3 "$work/planted.db" "UPDATE finding SET evidence = 'SELECT * FROM (' || evidence || ') LIMIT 0'"
wrong=$(evidence_missing "$work/planted.db")
[ -n "$wrong" ] || fail "evidence without rows is not seen"
ends
