-- as: verdict.glance
-- SPDX-License-Identifier: MIT
-- stage: figure
-- The same node, whose ets_alloc uses 40 of 400 MiB: more than 3 MiB in 3 s would be in 30 s, so that this is the
-- verdict; and what is not known is said.
INSERT INTO name_allocator(ts_ns, runtime_id, allocator_id, name) VALUES (0, 1, 5, 'ets_alloc');
INSERT INTO snapshot_figure(ts_ns, runtime_id, snapshot_id, allocator_id, instance, section, "key", "current", max_since_last, max_ever)
SELECT e.ts_ns, 1, e.snapshot_id, 5, 1, 'mbcs', f.key, f.value, f.value, f.value
FROM snapshot_end AS e
JOIN json_each('{"blocks": 100, "blocks_size": 41943040, "carriers": 100, "carriers_size": 419430400}') AS f;
UPDATE snapshot_end SET figures = figures + 4;
