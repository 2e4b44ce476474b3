-- SPDX-License-Identifier: MIT
--
-- Layer:   judge
-- Serves:  alarms of a watched node: moments, report alarms

-- node_alarm: one row for each alarm of a node that `carrierscope keep` watched, with what was recorded around it.
--
-- Worked example, tests/views/node_alarm: growth at 60 s, 2 of 3 snapshots before it; a process with a large heap at 90 s.
CREATE VIEW node_alarm AS
WITH unit(rule, unit, bytes) AS (
  VALUES ('rss_share', '%', 0), ('cgroup_share', '%', 0), ('rss', 'bytes', 1), ('growth', 'bytes', 1),
    ('large_heap', 'bytes', 1), ('long_gc', 'ms', 0), ('failures', 'failed allocations', 0)
)
SELECT
  r.source_id, a.runtime_id, r.vpid, n.name AS node, a.ts_ns, a.reason AS rule, a.value, a.threshold,
  u.unit, nullif(a.detail, '') AS detail,
  iif(u.bytes, format('%.1f MiB', a.value / 1048576.0), trim(format('%d %s', a.value, ifnull(u.unit, '')))) AS value_text,
  iif(u.bytes, format('%.1f MiB', a.threshold / 1048576.0), trim(format('%d %s', a.threshold, ifnull(u.unit, '')))) AS threshold_text,
  a.ts_ns - s.first_ts_ns AS before_ns,
  s.last_ts_ns - a.ts_ns AS after_ns,
  (SELECT count(*) FROM snapshot_end AS e WHERE e.runtime_id = a.runtime_id AND e.ts_ns <= a.ts_ns) AS snapshots_before,
  (SELECT count(*) FROM snapshot_end AS e WHERE e.runtime_id = a.runtime_id AND e.ts_ns > a.ts_ns) AS snapshots_after,
  s.lost_events AS source_lost_events
FROM alarm AS a
JOIN runtime AS r ON r.id = a.runtime_id
JOIN source AS s ON s.id = r.source_id
JOIN node_name AS n ON n.runtime_id = a.runtime_id
LEFT JOIN unit AS u ON u.rule = a.reason;

INSERT INTO view_doc VALUES
  ('node_alarm', '', 'row', 'fast', 'One row for each time that a rule of carrierscope keep --alarm held, with what was recorded around it'),
  ('node_alarm', 'ts_ns', 'ns', 'exact', 'When the node raised it, since the Unix epoch'),
  ('node_alarm', 'node', 'text', 'label', 'Name of the node'),
  ('node_alarm', 'rule', 'text', 'label', 'rss_share, cgroup_share, rss, growth, large_heap, long_gc or failures'),
  ('node_alarm', 'value', 'count', 'exact', 'What the node read, in unit'),
  ('node_alarm', 'threshold', 'count', 'exact', 'The rule''s limit, in unit'),
  ('node_alarm', 'unit', 'text', 'label', 'bytes, % (of what the process may have), ms or failed allocations; NULL: a rule that is not known here'),
  ('node_alarm', 'detail', 'text', 'exact', 'Which process; NULL: none'),
  ('node_alarm', 'value_text', 'text', 'exact', 'value with its unit; MiB are 1,048,576 bytes, rounded to 0.1'),
  ('node_alarm', 'threshold_text', 'text', 'exact', 'threshold with its unit'),
  ('node_alarm', 'before_ns', 'ns', 'exact', 'From the source''s first event to the alarm'),
  ('node_alarm', 'after_ns', 'ns', 'exact', 'From the alarm to the source''s last event'),
  ('node_alarm', 'snapshots_before', 'count', 'exact', 'Snapshots of the node that ended before the alarm'),
  ('node_alarm', 'snapshots_after', 'count', 'exact', 'Snapshots of the node that ended after it');
