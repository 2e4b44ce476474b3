-- as: figure.killed
-- SPDX-License-Identifier: MIT
-- stage: figure
-- Carriers were recorded, too, and one was freed after the first snapshot: nothing is exact at the end, and what the snapshot says is likely.
INSERT INTO carrier_free(ts_ns, runtime_id, address, size_bytes, allocator_id, instance, kind) VALUES (1250, 1, 4096, 100, 4, 1, 1);
INSERT INTO event_count VALUES (1, 'carrierscope', 'carrier_free', 1);
