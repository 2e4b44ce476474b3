#!/bin/sh
# SPDX-License-Identifier: MIT
# scans.sh ERL EBIN BEAMS PLUGIN_DIR CARRIERSCOPE: answers of module instrument as events are what
# the node was answered: the same views of the trace, and of the answers as they are printed.
. "$(dirname "$0")/../harness/main.sh"
carrierscope=$5
. "$here/common.sh"
"$erl" -noinput -eval 'case code:ensure_loaded(instrument) of {module, _} -> halt(0); _ -> halt(1) end.' ||
	skip 'module instrument is not installed (Debian: erlang-tools)'

records all
"$erl" -noinput -boot start_clean -pa "$ebin" "$beams" -run beam_scans main "$work/answers" \
	>"$work/out" 2>&1 || fail "the node ended with $?: $(tail -n 20 "$work/out")"
loads all
"$carrierscope" load -o "$work/printed.db" "$work/answers" >"$work/log" 2>&1 ||
	fail "the answers cannot be loaded: $(cat "$work/log")"

# seen DB: all that the views show, without the numbers that either side has made up.
seen() {
	sqlite3 "$work/$1.db" <<-'END'
		CREATE TEMP TABLE carrier AS SELECT *, row_number() OVER (ORDER BY abs(snapshot_id),
		  abs(carrier_scan_id)) AS n FROM carrier_scan_all;
		SELECT 'carrier', n, allocator, in_pool, size, unscanned_bytes, blocks, blocks_bytes
		FROM carrier ORDER BY n;
		SELECT 'blocks', c.n, b.allocator, b.blocks, b.blocks_bytes
		FROM carrier_scan_blocks_all AS b JOIN carrier AS c USING (carrier_scan_id) ORDER BY 2, 3;
		SELECT 'bucket', h.kind, c.n, dense_rank() OVER (PARTITION BY h.kind
		  ORDER BY abs(h.snapshot_id)), h.origin, h.type, h.bucket, h.from_bytes, h.to_bytes,
		  h.blocks, h.rule
		FROM histogram_bucket_all AS h LEFT JOIN carrier AS c USING (carrier_scan_id)
		ORDER BY 2, 3, 4, 5, 6, 7;
		SELECT 'scan', unscanned_bytes FROM block_scan_all ORDER BY abs(snapshot_id);
	END
}
seen all >"$work/traced"
seen printed >"$work/printed"
cmp -s "$work/traced" "$work/printed" || fail "events and printed answers differ:
$(diff "$work/traced" "$work/printed" | head -n 20)"
for what in 'carrier' 'blocks' 'bucket|free' 'bucket|blocks' 'scan'; do
	count=$(grep -c "^$what|" "$work/traced")
	echo "$what: $count rows"
	[ "$count" -ge 2 ] || fail "few rows of '$what'"
done
is all "SELECT count(*), sum(follow) = (SELECT count(*) FROM scan_carrier) +
	(SELECT count(*) FROM scan_blocks) + (SELECT count(*) FROM scan_bucket) FROM scan_begin" '4|1'
is all "SELECT group_concat(DISTINCT histogram_start) FROM scan_begin WHERE kind = 'carriers'" 512,300
ends
