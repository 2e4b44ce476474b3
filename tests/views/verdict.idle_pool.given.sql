-- SPDX-License-Identifier: MIT
-- 200 MiB of ets_alloc in the pool, 20 MiB of them in blocks, and 10 MiB in use, all of it in blocks; they were
-- there a quarter of the recording before and nobody fetched one.  Holes in a pool that nobody uses are
-- fragmentation, not a reserve: 210 - 30 = 180 MiB unused, less a carrier of 1 MiB that may be empty by chance.
INSERT INTO given_source(id, first_ts_ns, last_ts_ns) VALUES (1, 0, 9000);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp');
INSERT INTO given_figure(subject_id, allocator, mbc, pool, bytes, pool_bytes, mbcs) VALUES
  (1, 'ets_alloc', 10485760, 209715200, 31457280, 20971520, 10);
INSERT INTO figure
SELECT 1, 1, 1, NULL, 'ets_alloc', 'end', 'pool_waiting_bytes', 209715200, 209715200, 209715200, 'exact', 9000, 'addresses';
