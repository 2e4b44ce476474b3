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

INSERT INTO view_doc VALUES
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
