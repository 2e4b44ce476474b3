-- SPDX-License-Identifier: MIT
-- 100 MiB of binary_alloc, all of it in blocks, and 1 MiB of ets_alloc of whose blocks nothing is known: it is too
-- small to be a problem whatever is in it, so that the node is normal.
INSERT INTO given_source(id, first_ts_ns, last_ts_ns) VALUES (1, 0, 9000);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp');
INSERT INTO given_figure(subject_id, allocator, mbc, bytes, mbcs) VALUES
  (1, 'binary_alloc', 104857600, 104857600, 20), (1, 'ets_alloc', 1048576, 524288, 1);
UPDATE figure SET low = low - 524288, high = high + 524288, quality = 'bound'
WHERE allocator <> 'binary_alloc' AND quantity IN ('blocks_bytes', 'unused_bytes');
