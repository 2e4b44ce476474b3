-- SPDX-License-Identifier: MIT
-- A traced node with +MHe false, recorded twice, and a dump of one with +MBe false; others, and temporary blocks, do not count.
INSERT INTO given_source(id, first_ts_ns, last_ts_ns) VALUES (1, 0, 9000), (2, NULL, NULL);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp');
INSERT INTO name_allocator(runtime_id, allocator_id, name) VALUES (1, 3, 'ets_alloc'), (1, 4, 'eheap_alloc'), (1, 4, 'eheap_alloc');
INSERT INTO "option"(ts_ns, runtime_id, allocator_id, name, value) VALUES (0, 1, 3, 'e', 'true'), (0, 1, 3, 't', 'false'),
  (0, 1, 4, 'e', 'false'), (9, 1, 4, 'e', 'false');
INSERT INTO snapshot(id, source_id, kind) VALUES (1, 2, 'crash_dump');
INSERT INTO allocator_option(snapshot_id, allocator, instance, name, value) VALUES (1, 'binary_alloc', NULL, 'e', 'false'),
  (1, 'temp_alloc', NULL, 'e', 'false'), (1, 'ets_alloc', 0, 'e', 'true'), (1, 'ets_alloc', 0, 'ramv', 'false');
