-- SPDX-License-Identifier: MIT
INSERT INTO given_source(id, first_ts_ns, last_ts_ns) VALUES (1, 0, 9000);
INSERT INTO trace VALUES (1, 1, NULL, 'ust', 'host', NULL, 'uid', 64, NULL);
INSERT INTO stream VALUES (1, 1, 'channel0_0', 3, 30);
INSERT INTO lost_interval VALUES
  (1, 1, 1, 'discarded_events', 100, 200, 40, NULL, NULL, NULL, NULL),
  (2, 1, 1, 'discarded_events', 300, 400, -6, NULL, NULL, NULL, NULL),
  (3, 1, NULL, 'packet_cut', NULL, NULL, NULL, NULL, 'channel0_1', 4096, 512);
