-- SPDX-License-Identifier: MIT
--
-- Layer:   code
-- Serves:  report code

-- By function, for people.
CREATE VIEW report_code AS
WITH site AS (
  SELECT ifnull(own, 'no stack was read') AS function, sum(samples) AS samples,
    sum(made_bytes) AS made_bytes, sum(live_bytes) AS live_bytes, sum(live_variance) AS live_variance, sum(grown_bytes) AS grown_bytes,
    max(source_lost_events) AS lost_events
  FROM code_memory
  GROUP BY 1
),
-- The process that made most of it, the line, and the function that it called for it.
most AS (
  SELECT function, runtime_id, pid, source_line, innermost, max(bytes)
  FROM (SELECT ifnull(own, 'no stack was read') AS function, runtime_id, pid, source_line, innermost, sum(live_bytes) + sum(made_bytes) / 1e6 AS bytes
        FROM code_memory GROUP BY 1, 2, 3, 4, 5)
  GROUP BY function
),
bounds AS (
  SELECT *, iif(live_variance > 0, live_variance / live_bytes, 0) AS mean,
    iif(live_variance > 0, live_bytes * live_bytes / live_variance, 0) AS n
  FROM site
)
SELECT
  b.function,
  round(100.0 * b.live_bytes / nullif(sum(b.live_bytes) OVER (), 0), 1) AS live_percent,
  round(iif(b.mean > 0, max(0, b.mean * (b.n + 1.92 - 1.96 * sqrt(b.n + 0.96))), b.live_bytes) / 1048576.0, 2) AS live_low_mib,
  round(b.live_bytes / 1048576.0, 2) AS live_mib,
  round(iif(b.mean > 0, b.mean * (b.n + 1.92 + 1.96 * sqrt(b.n + 0.96)), b.live_bytes) / 1048576.0, 2) AS live_high_mib,
  round(b.grown_bytes / 1048576.0, 2) AS grown_mib,
  round(b.made_bytes / 1048576.0, 2) AS made_mib,
  b.samples,
  coalesce((SELECT p.text FROM process_label AS p WHERE p.pid = m.pid AND p.runtime_id = m.runtime_id), m.pid) AS who,
  m.source_line,
  iif(m.innermost <> b.function, m.innermost, NULL) AS by_calling,
  b.lost_events
FROM bounds AS b
LEFT JOIN most AS m ON m.function = b.function
ORDER BY b.live_bytes DESC, b.made_bytes DESC, b.function;

INSERT INTO view_doc VALUES
  ('report_code', '', 'row', 'full scan', 'Which Erlang functions made what is live, and what is new of it, by the stacks of samples'),
  ('report_code', 'function', 'text', 'exact', 'Innermost function that is not of OTP or Elixir; where there is none, this recorder or the innermost'),
  ('report_code', 'live_percent', 'percent', 'estimate', 'Its share of what is live and was sampled'),
  ('report_code', 'live_low_mib', 'MiB', 'estimate', 'At least so much of what it made is live, in 95 of 100 recordings, MiB'),
  ('report_code', 'live_mib', 'MiB', 'estimate', 'Likely so much, MiB; blocks from before the hook are not in it'),
  ('report_code', 'live_high_mib', 'MiB', 'estimate', 'At most so much, MiB'),
  ('report_code', 'grown_mib', 'MiB', 'estimate', 'Of it, made since --since, or in the second half of the recording, MiB'),
  ('report_code', 'made_mib', 'MiB', 'estimate', 'All that it made while samples were drawn, MiB'),
  ('report_code', 'samples', 'count', 'exact', 'Blocks that were drawn'),
  ('report_code', 'who', 'text', 'exact', 'Process that made most of what is live'),
  ('report_code', 'source_line', 'text', 'exact', 'File and line at which most of it was made; NULL: not known'),
  ('report_code', 'by_calling', 'text', 'exact', 'Function of a library that it called for most of it'),
  ('report_code', 'lost_events', 'count', 'exact', 'Events that the sources are known to lack; above 0, estimates are off by more');
