-- SPDX-License-Identifier: MIT
INSERT INTO given_source(id, first_ts_ns, last_ts_ns, lost_events) VALUES
  (1, 1000000000, 3000000000, 4);
INSERT INTO footprint_sample VALUES (1, 0, 1000000000, 0), (1, 99, 3000000000, 2097152);
