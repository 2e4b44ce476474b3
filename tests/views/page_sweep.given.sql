-- as: report_sweep
-- SPDX-License-Identifier: MIT
-- What is small is the end: 1024 needs least but asks most often; "worse" is as recorded and copies more.
INSERT INTO sweep_advice(runtime_id, objective, flags, letters, bound_bytes, half_chosen, half_other, composed_bytes,
  replayed_bytes, settings, is_cut_short) VALUES (1, 'end', '+MBlmbcs 1024', 'B', 1, 1, 1, 1, 1, 4, 0);
INSERT INTO sweep_result VALUES
  (5, 1, 'worse', 0, 0, 'all', 1, 52428800, 1, NULL, NULL, NULL, NULL, NULL, NULL, 40, 1048577, 12, 1),
  (6, 1, 'a part', 1, 0, 'all', 1, 1, 1, NULL, NULL, NULL, NULL, NULL, NULL, 1, 1, 1, 1);
