-- SPDX-License-Identifier: MIT
-- LTTng's buffers have 72 of 360 MiB that are resident in runtime 1, and 30 in runtime 2, less than a tenth.
INSERT INTO given_source(id, first_ts_ns, last_ts_ns) VALUES (1, 0, 9000);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp'), (2, 1, 'host', 200, 'beam.smp');
INSERT INTO given_figure(subject_id, allocator, mbc, bytes) VALUES (1, 'ets_alloc', 1048576, 1048576), (2, 'ets_alloc', 1048576, 1048576);
INSERT INTO figure VALUES
  (1, 1, 1, NULL, 'all', 'end', 'own_buffers_bytes', 75497472, 75497472, 75497472, 'exact', 9000, 'snapshot'),
  (1, 1, 1, NULL, 'all', 'end', 'resident_bytes', 377487360, 377487360, 377487360, 'exact', 9000, 'snapshot'),
  (2, 1, 2, NULL, 'all', 'end', 'own_buffers_bytes', 31457280, 31457280, 31457280, 'exact', 9000, 'snapshot'),
  (2, 1, 2, NULL, 'all', 'end', 'resident_bytes', 377487360, 377487360, 377487360, 'exact', 9000, 'snapshot');
