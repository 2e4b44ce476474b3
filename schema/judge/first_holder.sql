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
place AS (
  SELECT subject_id, allocator, name, kind, type, bytes, quality, ts_ns, 1.0 * bytes / nullif(total_bytes, 0) AS share,
    row_number() OVER (PARTITION BY subject_id, allocator ORDER BY bytes DESC, name) AS rank
  FROM held
  UNION ALL
  SELECT subject_id, 'all', name, kind, type, bytes, quality, ts_ns, 1.0 * bytes / nullif(whole_bytes, 0),
    row_number() OVER (PARTITION BY subject_id ORDER BY bytes DESC, name)
  FROM held
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
