-- SPDX-License-Identifier: MIT
--
-- Layer:   reports
-- Serves:  `carrierscope report alarms`, the HTML report

-- report_alarms: one row for each alarm, in the order of time: what the node read, what is kept of the time around it, and the
-- verdict over all that was kept.
CREATE VIEW report_alarms AS
SELECT
  a.source_id AS source,
  a.node,
  strftime('%Y-%m-%d %H:%M:%S', a.ts_ns / 1000000000, 'unixepoch') AS time_utc,
  a.rule,
  a.value_text AS value,
  a.threshold_text AS more_than,
  a.detail AS process,
  format('%d s before, %d s after, %d snapshots', a.before_ns / 1000000000, a.after_ns / 1000000000,
    a.snapshots_before + a.snapshots_after) AS kept,
  ifnull((SELECT v.headline FROM verdict AS v WHERE v.level = 'runtime' AND v.runtime_id = a.runtime_id), 'unknown') AS verdict,
  a.source_lost_events AS lost_events
FROM node_alarm AS a
ORDER BY a.ts_ns, a.source_id, a.runtime_id, a.rule;

INSERT INTO view_doc VALUES
  ('report_alarms', '', 'row', 'fast', 'Alarms of a node that carrierscope keep watched, in the order of time; from node_alarm'),
  ('report_alarms', 'node', 'text', 'label', 'Name of the node'),
  ('report_alarms', 'time_utc', 'text', 'exact', 'When the node raised it (UTC)'),
  ('report_alarms', 'rule', 'text', 'label', 'Which rule held'),
  ('report_alarms', 'value', 'text', 'exact', 'What the node read then'),
  ('report_alarms', 'more_than', 'text', 'exact', 'The rule''s limit'),
  ('report_alarms', 'process', 'text', 'exact', 'Which process; empty: the rule is about the whole node'),
  ('report_alarms', 'kept', 'text', 'exact', 'What this file has of the time around it'),
  ('report_alarms', 'verdict', 'text', 'estimate', 'Of all that was kept, as in report verdict');
