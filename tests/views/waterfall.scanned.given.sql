-- SPDX-License-Identifier: MIT
-- What instrument:carriers() reported: a carrier of 4000 bytes in use with 2000 of its own and 300 of
-- another allocator, two holes of 511 to 1532 bytes; and one of 1000 in the pool, half of it used.
-- A scan reads carrier after carrier while the node runs: nothing of it is exact.
INSERT INTO given_source(id, kind) VALUES (1, 'terms');
INSERT INTO snapshot VALUES (7, 1, NULL, NULL, 1, 'carriers');
INSERT INTO carrier_scan VALUES (1, 7, 'ets_alloc', 0, 4000, 0), (2, 7, 'ets_alloc', 1, 1000, 0);
INSERT INTO carrier_scan_blocks VALUES (1, 'ets_alloc', 3, 2000), (1, 'sl_alloc', 1, 300),
  (2, 'ets_alloc', 1, 500);
INSERT INTO histogram_bucket VALUES
  (7, 'free', 1, NULL, NULL, 1, 512, 1536, 2, 'otp21'), (7, 'free', 2, NULL, NULL, 0, 0, 512, 1, 'otp21');
