-- SPDX-License-Identifier: MIT
-- 100 MiB in 20 carriers, of which 30 to 60 MiB are in blocks: used 30 to 60 %, so that it is fragmentation at
-- one end of the interval and none at the other (waste of 65 or of 35 MiB, below and above half used).
INSERT INTO given_source(id, first_ts_ns, last_ts_ns) VALUES (1, 0, 9000);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp');
INSERT INTO given_figure(subject_id, allocator, mbc, bytes, mbcs) VALUES (1, 'binary_alloc', 104857600, 47185920, 20);
UPDATE figure SET low = 31457280, high = 62914560, quality = 'bound' WHERE quantity = 'blocks_bytes';
UPDATE figure SET low = 41943040, high = 73400320, quality = 'bound' WHERE quantity = 'unused_bytes';
