-- SPDX-License-Identifier: MIT
--
-- Layer:   moments that curves mark
-- Serves:  the HTML report

-- moment: one row for each moment of a runtime that stands out; events of a kind that follow each
-- other within a fiftieth of the recording are one.
--
-- Worked example, tests/views/moment: 100 s; failures at 11, 11.5 and 90 s, a reading at 50 s.
--
--   ts_ns        letter  kind        number
--   11000000000  F       failure          2
--   50000000000  R       reading          1
--   90000000000  F       failure          1
CREATE VIEW moment AS
WITH event AS (
  SELECT f.runtime_id, f.ts_ns, 'F' AS letter, 'failure' AS kind,
    format('%s could not get %,d bytes', n.name, f.size_bytes) AS label
  FROM alloc_failure AS f
  JOIN allocator_name AS n ON n.runtime_id = f.runtime_id AND n.allocator_id = f.allocator_id
  UNION ALL
  SELECT runtime_id, ts_ns, 'A', 'alarm', format('alarm: %s is %s', rule, value_text) FROM node_alarm
  UNION ALL
  SELECT runtime_id, ts_ns, iif(is_again, 'S', 'H'), iif(is_again, 'session', 'hook'),
    iif(is_again, 'a session came later', 'blocks are recorded from here on')
  FROM hook_begin
  UNION ALL
  SELECT runtime_id, ts_ns, 'E', 'hook end', 'blocks are no longer recorded' FROM hook_end
  UNION ALL
  SELECT runtime_id, ts_ns, 'R', 'reading', 'the node read its own figures' FROM snapshot_begin
  UNION ALL
  SELECT b.runtime_id, b.ts_ns, 'S', 'session', 'the state was recorded for a session'
  FROM state_begin AS b
  WHERE EXISTS (SELECT 1 FROM state_carrier AS c WHERE c.runtime_id = b.runtime_id)
  UNION ALL
  SELECT runtime_id, ts_ns, 'P', 'peak',
    format('most carriers: %s%.1f MiB', CASE WHEN low = high THEN '' WHEN likely IS NULL THEN 'at least ' ELSE 'about ' END, ifnull(likely, low) / 1048576.0)
  FROM figure WHERE runtime_id IS NOT NULL AND allocator = 'all' AND moment = 'peak' AND quantity = 'carriers_bytes' AND ifnull(likely, low) > 0
),
near AS (
  SELECT t.*, r.source_id, r.vpid, s.lost_events, s.lost_packets,
    (t.ts_ns - s.first_ts_ns) / ((s.last_ts_ns - s.first_ts_ns) / 50 + 1) AS slot
  FROM event AS t
  JOIN runtime AS r ON r.id = t.runtime_id
  JOIN source AS s ON s.id = r.source_id
  WHERE t.ts_ns IS NOT NULL
)
SELECT
  source_id, runtime_id, vpid, min(ts_ns) AS ts_ns, letter, kind, count(*) AS number, label,
  lost_events AS source_lost_events, lost_packets AS source_lost_packets
FROM near
GROUP BY runtime_id, kind, slot;

INSERT INTO view_doc VALUES
  ('moment', '', 'row', 'full scan', 'One row for each moment of a runtime that stands out: requests that failed, alarms, hooks, sessions, readings, the peak. Events of a kind within a fiftieth of the recording are one'),
  ('moment', 'ts_ns', 'ns', 'exact', 'When the first of them was recorded, since the Unix epoch'),
  ('moment', 'letter', 'text', 'label', 'What stands at the curve: A alarm, F failure, H hook, E its end, S session, R reading, P peak'),
  ('moment', 'kind', 'text', 'label', 'alarm, failure, hook, hook end, session, reading or peak'),
  ('moment', 'number', 'count', 'exact', 'Events that the row stands for'),
  ('moment', 'label', 'text', 'label', 'The first of them in words');
