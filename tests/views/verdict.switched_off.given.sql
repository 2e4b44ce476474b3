-- SPDX-License-Identifier: MIT
-- Two nodes with 1 MiB in binary_alloc; in the second +MHe false switches eheap_alloc off: what heaps hold is not known.
INSERT INTO given_source(id, first_ts_ns, last_ts_ns, bucket_origin_ns, bucket_ns) VALUES (1, 0, 9000, 0, 1000);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp'), (2, 1, 'host', 200, 'beam.smp');
INSERT INTO allocator VALUES (1, 'binary_alloc'), (2, 'eheap_alloc');
INSERT INTO name_allocator(runtime_id, allocator_id, name) VALUES (1, 4, 'eheap_alloc'), (2, 4, 'eheap_alloc'), (2, 4, 'eheap_alloc');
INSERT INTO "option"(ts_ns, runtime_id, allocator_id, name, value) VALUES (0, 1, 4, 'e', 'true'), (0, 2, 4, 'e', 'false'), (9, 2, 4, 'e', 'false');
INSERT INTO allocator_use VALUES (1, 1, 1, 1), (2, 2, 1, 1), (3, 1, 2, 1), (4, 2, 2, 1);
INSERT INTO given_instance(id, runtime_id, allocator_id, number) VALUES (1, 1, 1, 1), (2, 2, 1, 1), (3, 1, 2, 1), (4, 2, 2, 1);
INSERT INTO given_figure(subject_id, allocator, moment, ts_ns, mbc, bytes, mbcs)
SELECT r.id, a.name, m.value, 9000, 1048576, 1000000, 1 FROM runtime AS r, allocator AS a, json_each('["end", "peak"]') AS m;
