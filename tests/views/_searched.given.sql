-- SPDX-License-Identifier: MIT
-- Six runtimes that were searched: for the peak, the end, in vain, not to its end, for resident memory, and for the peak in vain,
-- where another setting leaves less at the end.
INSERT INTO given_source(id, first_ts_ns, last_ts_ns, lost_events) VALUES (1, 0, 9000, 0);
INSERT INTO runtime SELECT value, 1, 'host', value, 'beam.smp' FROM json_each('[1, 2, 3, 4, 5, 6]');
INSERT INTO sweep_advice(runtime_id, objective, flags, refusal, letters, bound_bytes, half_chosen, half_other, composed_bytes,
  replayed_bytes, settings, is_cut_short) VALUES
  (1, 'peak', '+MBlmbcs 1024', NULL, 'B', 1, 1, 1, 1, 1, 90, 0),
  (2, 'end', '+MBlmbcs 1024', NULL, 'B', 1, 1, 1, 1, 1, 90, 1),
  (3, 'average', NULL, 'no setting that was replayed saves memory', 'B', 1, 1, 1, 1, 1, 90, 0),
  (4, 'average', NULL, 'no setting that was replayed saves memory', 'B', 1, 1, 1, 1, 1, 9, 1),
  (5, 'rss', '+MBlmbcs 1024', NULL, 'B', 1, 1, 1, 1, 1, 90, 0),
  (6, 'peak', NULL, 'it may save nothing', 'B', 1, 1, 1, 1, 1, 90, 0);
INSERT INTO sweep_result
SELECT NULL, r.id, f.value, 0, f.value <> '', 'all', 1, 1, 1,
  iif(f.value = '', 100, 50) << 20, iif(f.value = '', 110, 60) << 20, iif(f.value = '', 80, 30) << 20, iif(f.value = '', 90, 40) << 20,
  NULL, NULL, 1, 1, 1, 5
FROM runtime AS r JOIN json_each('["", "+MBlmbcs 1024"]') AS f;
UPDATE sweep_result SET end_bytes = iif(flags = '', 100, 60) WHERE runtime_id = 6;
