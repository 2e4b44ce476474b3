-- SPDX-License-Identifier: MIT
--
-- Layer:   the first holder
-- Serves:  verdict, growth by holder
--
-- Who holds most of what a verdict is about, in words.

INSERT INTO finding_threshold VALUES
  ('holder_share', 0.2, 'ratio', 'Who holds at least this part of what a verdict is about is named in it',
    'ours: a fifth, so that five names at most could stand there');

-- _first_holder: one row for each place and allocator, and one for all allocators of the place: who holds most there,
-- as a sentence, if that is worth one.  subject_id as in _subject.
--
-- Worked example, tests/views/verdict.holder: of 100 MiB of binaries a process refers to 80.
--
--   <0.543.0> rabbit_amqqueue_process "slow" (rabbit) holds 80.0 MiB of binaries
CREATE VIEW _first_holder AS
WITH whole AS (
  SELECT snapshot_id, CAST(sum(bytes) AS INTEGER) AS bytes FROM _holder_total GROUP BY snapshot_id
),
held AS MATERIALIZED (
  SELECT ifnull(h.runtime_id, -h.snapshot_id) AS subject_id, h.*, w.bytes AS whole_bytes
  FROM _held AS h
  LEFT JOIN whole AS w ON w.snapshot_id = h.snapshot_id
  WHERE h.kind <> 'nobody' AND h.bytes > 0
),
label AS MATERIALIZED (SELECT runtime_id, snapshot_id, pid, initial_call FROM process_label),
-- Processes of one kind together: those that are listed one by one, and those that are summed.
kin AS (
  SELECT h.subject_id, h.allocator, h.type, iif(h.kind = 'processes', h.holder, l.initial_call) AS call,
    sum(iif(h.kind = 'processes', CAST(replace(h.name, ',', '') AS INTEGER), 1)) AS processes, sum(h.bytes) AS bytes,
    max(h.quality) FILTER (WHERE h.quality <> 'exact') AS doubt, max(h.ts_ns) AS ts_ns,
    max(h.total_bytes) AS total_bytes, max(h.whole_bytes) AS whole_bytes
  FROM held AS h
  LEFT JOIN label AS l ON h.kind = 'process' AND l.pid = h.holder
    AND l.runtime_id IS h.runtime_id AND (h.runtime_id IS NOT NULL OR l.snapshot_id = h.snapshot_id)
  WHERE h.kind IN ('process', 'processes')
  GROUP BY h.subject_id, h.allocator, h.type, call
  HAVING processes > 1 AND call <> ''
),
candidate AS (
  SELECT subject_id, allocator, name, kind, type, bytes, quality, ts_ns, total_bytes, whole_bytes
  FROM held
  WHERE kind <> 'processes'
  UNION ALL
  SELECT subject_id, allocator, format('%,d processes %s', processes, call), 'processes', type, bytes, ifnull(doubt, 'exact'), ts_ns,
    total_bytes, whole_bytes
  FROM kin
),
shared AS (
  SELECT *, allocator AS place, 1.0 * bytes / nullif(total_bytes, 0) AS share FROM candidate
  UNION ALL
  SELECT *, 'all', 1.0 * bytes / nullif(whole_bytes, 0) FROM candidate
),
place AS (
  SELECT s.subject_id, s.place AS allocator, s.name, s.kind, s.type, s.bytes, s.quality, s.ts_ns, s.share,
    -- One that has enough comes before its kind.
    row_number() OVER (PARTITION BY s.subject_id, s.place
      ORDER BY s.kind = 'processes' OR s.share < t.value, s.bytes DESC, s.name) AS rank
  FROM shared AS s
  JOIN finding_threshold AS t ON t.name = 'holder_share'
)
SELECT p.subject_id, p.allocator, p.name, p.kind, p.type, p.bytes, p.quality, p.share, p.ts_ns,
  format('%s%s hold%s %s%.1f MiB%s', upper(substr(p.name, 1, 1)), substr(p.name, 2),
    iif(p.kind IN ('processes', 'tables') AND p.name NOT LIKE '1 %', '', 's'), iif(p.quality = 'bound', 'at most ', ''),
    p.bytes / 1048576.0, CASE p.type WHEN 'heap' THEN ' of heap' WHEN 'binary' THEN ' of binaries' ELSE '' END) AS sentence
FROM place AS p
JOIN finding_threshold AS t ON t.name = 'holder_share'
JOIN finding_threshold AS m ON m.name = 'matter_bytes'
WHERE p.rank = 1 AND p.share >= t.value AND p.bytes >= m.value;

INSERT INTO view_doc VALUES
  ('_first_holder', '', 'row', 'full scan', 'Private. One row for each place and allocator of which one holder has much: who, in words');
