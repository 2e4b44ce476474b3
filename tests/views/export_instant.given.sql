-- as: moment
-- SPDX-License-Identifier: MIT
-- A finding about the same node stands at the end of its events, one of a dump at the dump's time; a reading that has none
-- has no place on a line of time.
INSERT INTO runtime_fact(ts_ns, runtime_id, "key", value) VALUES (1, 1, 'node_name', 'one@here');
INSERT INTO runtime_span(runtime_id, first_ts_ns, last_ts_ns) VALUES (1, 0, 95000000000);
INSERT INTO snapshot(id, source_id, ts_ns, kind) VALUES (7, 1, 40000000000, 'system_info'), (8, 1, NULL, 'system_info');
INSERT INTO node_fact VALUES (7, 'node_name', 'two@here');
CREATE TEMP TABLE finding AS SELECT * FROM main.finding;
INSERT INTO temp.finding(source_id, runtime_id, snapshot_id, rule, severity, allocator, title, sentence) VALUES
  (1, 1, NULL, 'LEAK-01', 'warning', 'ets_alloc', 'it grows', 'ets_alloc grows.'),
  (1, NULL, 7, 'SUPER-01', 'warning', NULL, 'nearly full', 'The super carrier is nearly full.'),
  (1, NULL, 8, 'SUPER-01', 'warning', NULL, 'nearly full', 'The super carrier is nearly full.');
