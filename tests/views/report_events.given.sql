-- SPDX-License-Identifier: MIT
INSERT INTO given_source(id, first_ts_ns, last_ts_ns) VALUES (1, 0, 9000);
INSERT INTO event_count VALUES
  (1, 'org_erlang_otp', 'carrier_create', 5),
  (1, 'org_erlang_otp', 'carrier_destroy', 7),
  (1, 'lttng_ust_libc', 'malloc', 5);
