-- as: figure
-- SPDX-License-Identifier: MIT
-- stage: figure
-- One carrier of the allocator moved between instances in the last try of the reading: in the mean one has 250 bytes.
INSERT INTO runtime_fact(id, ts_ns, runtime_id, thread_id, "key", value) VALUES (1, 1100, 1, NULL, 'snapshot_moving', '1 1 ets_alloc'),
  (2, 1100, 1, NULL, 'snapshot_moving', '2 7 ets_alloc');
