-- SPDX-License-Identifier: MIT
--
-- Layer:   reports
-- Serves:  `carrierscope report sweep`, after `carrierscope advise`

-- report_sweep: one row for each set of flags that was replayed in full, least memory first.
CREATE VIEW report_sweep AS
SELECT
  r.source_id AS source,
  r.vpid,
  w.flags,
  iif(w.is_advised, 'yes', 'no') AS advised,
  round(w.peak_bytes / 1048576.0, 2) AS peak_mib,
  round(w.peak_low_bytes / 1048576.0, 2) AS peak_mib_min,
  round(w.peak_high_bytes / 1048576.0, 2) AS peak_mib_max,
  round(w.end_bytes / 1048576.0, 2) AS end_mib,
  round(w.average_bytes / 1048576.0, 2) AS average_mib,
  w.calls,
  round(w.copied_bytes / 1048576.0, 2) AS copied_mib,
  w.mappings,
  s.lost_events
FROM sweep_result AS w
JOIN runtime AS r ON r.id = w.runtime_id
JOIN source AS s ON s.id = r.source_id
WHERE w.allocator = 'all' AND w.is_part = 0
ORDER BY r.source_id, w.runtime_id, w.peak_bytes, w.flags;

-- sweep_saving: one row for each allocator and one for all, of each set of flags that was replayed in full, beside the recording
-- without them, with ranges.  What was replayed once is as uncertain as the best that was found: by as many bytes.  Without that
-- its range is not known, and it is left out.
--
-- Worked example, tests/views/sweep_saving: 1000 bytes at the peak are 960 to 1060 in five replays, so 1100 are 1060 to 1160.
CREATE VIEW sweep_saving AS
WITH error AS (
  SELECT runtime_id, allocator,
    max(peak_bytes - peak_low_bytes) AS peak_below, max(peak_high_bytes - peak_bytes) AS peak_above,
    max(end_bytes - end_low_bytes) AS end_below, max(end_high_bytes - end_bytes) AS end_above
  FROM sweep_result
  WHERE is_part = 0 AND flags <> '' AND end_low_bytes IS NOT NULL
  GROUP BY runtime_id, allocator
)
SELECT
  w.runtime_id, w.flags, w.allocator, w.schedules, a.coverage,
  p.peak_low_bytes AS plain_peak_low_bytes, p.peak_high_bytes AS plain_peak_high_bytes,
  ifnull(w.peak_low_bytes, max(0, w.peak_bytes - e.peak_below)) AS peak_low_bytes,
  ifnull(w.peak_high_bytes, w.peak_bytes + e.peak_above) AS peak_high_bytes,
  p.end_low_bytes AS plain_end_low_bytes, p.end_high_bytes AS plain_end_high_bytes,
  ifnull(w.end_low_bytes, max(0, w.end_bytes - e.end_below)) AS end_low_bytes,
  ifnull(w.end_high_bytes, w.end_bytes + e.end_above) AS end_high_bytes,
  s.lost_events AS source_lost_events
FROM sweep_result AS w
JOIN sweep_result AS p ON p.runtime_id = w.runtime_id AND p.flags = '' AND p.is_part = 0 AND p.allocator = w.allocator
  AND p.peak_low_bytes IS NOT NULL
JOIN sweep_advice AS a ON a.runtime_id = w.runtime_id
JOIN runtime AS r ON r.id = w.runtime_id
JOIN source AS s ON s.id = r.source_id
LEFT JOIN error AS e ON e.runtime_id = w.runtime_id AND e.allocator = w.allocator
WHERE w.is_part = 0 AND w.flags <> '' AND (w.end_low_bytes IS NOT NULL OR e.runtime_id IS NOT NULL);

INSERT INTO view_doc VALUES
  ('sweep_saving', '', 'row', 'fast', 'One row for each set of flags that carrierscope advise has replayed in full, and each allocator (or all), beside none'),
  ('sweep_saving', 'runtime_id', 'id', 'label', 'runtime.id'),
  ('sweep_saving', 'flags', 'text', 'label', 'The flags that were added to the options of the recording'),
  ('sweep_saving', 'allocator', 'text', 'label', 'The allocator, or all'),
  ('sweep_saving', 'schedules', 'count', 'exact', 'Replays, each with other turns of the threads'),
  ('sweep_saving', 'coverage', 'ratio', 'estimate', 'Share of the node''s carriers at the end that a replay knows; NULL: not recorded'),
  ('sweep_saving', 'plain_peak_low_bytes', 'bytes', 'estimate', 'Most carriers at one time without the flags: at least'),
  ('sweep_saving', 'plain_peak_high_bytes', 'bytes', 'estimate', 'Most carriers at one time without the flags: at most'),
  ('sweep_saving', 'peak_low_bytes', 'bytes', 'estimate', 'Most carriers at one time with the flags: at least'),
  ('sweep_saving', 'peak_high_bytes', 'bytes', 'estimate', 'Most carriers at one time with the flags: at most'),
  ('sweep_saving', 'plain_end_low_bytes', 'bytes', 'estimate', 'Carriers at the end without the flags: at least'),
  ('sweep_saving', 'plain_end_high_bytes', 'bytes', 'estimate', 'Carriers at the end without the flags: at most'),
  ('sweep_saving', 'end_low_bytes', 'bytes', 'estimate', 'Carriers at the end with the flags: at least'),
  ('sweep_saving', 'end_high_bytes', 'bytes', 'estimate', 'Carriers at the end with the flags: at most'),
  ('report_sweep', '', 'row', 'fast', 'What flags would have made of the recording, least memory at the peak first; from sweep_result'),
  ('report_sweep', 'flags', 'text', 'label', 'The flags; empty: as recorded'),
  ('report_sweep', 'advised', 'text', 'label', 'yes: carrierscope advise advises them'),
  ('report_sweep', 'peak_mib', 'MiB', 'estimate', 'Most carriers at one time'),
  ('report_sweep', 'peak_mib_min', 'MiB', 'estimate', 'At least so much, over schedules of the threads and errors of predictions; empty: it was replayed once'),
  ('report_sweep', 'peak_mib_max', 'MiB', 'estimate', 'At most so much'),
  ('report_sweep', 'end_mib', 'MiB', 'estimate', 'Carriers at the end'),
  ('report_sweep', 'average_mib', 'MiB', 'estimate', 'Carriers on average, weighted by time'),
  ('report_sweep', 'calls', 'count', 'estimate', 'Requests for carriers'),
  ('report_sweep', 'copied_mib', 'MiB', 'estimate', 'What reallocations copied'),
  ('report_sweep', 'mappings', 'count', 'estimate', 'Most carriers at one time');
