-- SPDX-License-Identifier: MIT
-- Two runtimes of one session, which lasts from 0 to 16,000 ns.  The first is there from 2000 to 9999 ns only: its
-- windows are eighths of that, 1000 ns each.  100 were live at 2000 ns, and 50 more every 1000 ns: it grew to
-- its end.  Over all of the session, windows of 2000 ns, that would be a plateau.
INSERT INTO given_source(id, first_ts_ns, last_ts_ns, bucket_origin_ns, bucket_ns) VALUES (1, 0, 15999, 0, 500);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp'), (2, 1, 'host', 101, 'beam.smp');
INSERT INTO runtime_span VALUES (1, 2000, 9999), (2, 0, 15999);
INSERT INTO allocator VALUES (1, 'ets_alloc');
INSERT INTO allocator_use VALUES (1, 1, 1, 1), (2, 2, 1, 1);
INSERT INTO given_bucket(source_id, scope, scope_id, bucket, last_mbc_blocks_bytes, last_sbc_blocks_bytes) VALUES
  (1, 'allocator', 1, 4, 100, 0), (1, 'allocator', 1, 6, 150, 0), (1, 'allocator', 1, 8, 200, 0), (1, 'allocator', 1, 10, 250, 0),
  (1, 'allocator', 1, 12, 300, 0), (1, 'allocator', 1, 14, 350, 0), (1, 'allocator', 1, 16, 400, 0), (1, 'allocator', 1, 18, 450, 0),
  (1, 'allocator', 2, 0, 70, 0);
