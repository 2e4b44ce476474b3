-- SPDX-License-Identifier: MIT
INSERT INTO given_source(id, first_ts_ns, last_ts_ns) VALUES (1, 1000000000, 9000000000);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp');
INSERT INTO libc_total VALUES
  (1, 20, 2, 10, 2097152, 5, 1, 1, 524288, 3, 1, 1, 0, 0, 4, 1572864, 1835008, 3000000000);
