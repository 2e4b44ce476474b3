-- SPDX-License-Identifier: MIT
INSERT INTO given_source(id, first_ts_ns, last_ts_ns) VALUES (1, 0, 9000);
INSERT INTO load_problem VALUES
  (1, 1, 'unknown_field', 'info', 3, 'event x has a field y, which is new'),
  (2, 1, 'number_too_large', 'error', 1, 'size is 2^63 or more'),
  (3, 1, 'context_missing', 'notice', 1, 'no vpid: add it with "lttng add-context"');
