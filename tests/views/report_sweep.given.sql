-- SPDX-License-Identifier: MIT
INSERT INTO given_source(id, first_ts_ns, last_ts_ns, lost_events) VALUES (1, 0, 9000, 0);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp');
INSERT INTO sweep_result VALUES
  (1, 1, '', 0, 0, 'all', 104857600, 52428800, 78643200, NULL, NULL, NULL, NULL, NULL, NULL, 40, 1048576, 12, 1),
  (2, 1, '', 0, 0, 'binary_alloc', 94371840, 41943040, 68157440, NULL, NULL, NULL, NULL, NULL, NULL, 30, 1048576, 10, 1),
  (3, 1, '+MBlmbcs 1024', 1, 0, 'all', 10485760, 10485760, 10485760, NULL, NULL, NULL, NULL, NULL, NULL, 4, 0, 2, 1),
  (4, 1, '+MBlmbcs 1024', 0, 1, 'all', 83886080, 31457280, 57671680, 78643200, 94371840, 31457280, 41943040, 52428800, 68157440, 80, 524288, 20, 1);
