-- SPDX-License-Identifier: MIT
-- Compares the figures of one recording with the truth.  Before it ran, in this connection:
--
--   setting    one row: way, workload, first_ns (the first event of the recording), near_ns (the line of
--              the end of a call is about the event so long before it, too), is_to_end (nothing was
--              lost at the end), has_blocks (nothing happens to blocks that was not recorded),
--              is_node (several lines say from where to where the truth may be; no change is known)
--   said       text: a JSON array as `report figures` prints it; at_ns: for this moment; NULL: none
--   written    the truth files, with columns pid, and t_ns on the scale of the recording
--   verdicts   pid, verdict as it should be, and one that a part of the run may have as well ('': none)
--   judgement  text: a JSON array of pid and verdict
--
-- A line of the truth holds from its time to the next one of the same allocator: of carriers every
-- change has a line; blocks are known only at a line.

CREATE TEMP TABLE printed AS
SELECT
  json_extract(r.value, '$.os_pid') AS pid,
  json_extract(r.value, '$.allocator') AS allocator,
  json_extract(r.value, '$.moment') AS moment,
  json_extract(r.value, '$.quantity') AS quantity,
  json_extract(r.value, '$.low') AS low,
  json_extract(r.value, '$.likely') AS likely,
  json_extract(r.value, '$.high') AS high,
  json_extract(r.value, '$.quality') AS quality,
  ifnull(s.at_ns, json_extract(r.value, '$.time')) AS time_ns
FROM said AS s, json_each(s.text) AS r
WHERE s.at_ns IS NULL OR json_extract(r.value, '$.moment') = 'at';

-- Which lines are about which moment.
CREATE INDEX temp.written_at ON written(pid, allocator, t_ns);
CREATE TEMP TABLE place AS
SELECT DISTINCT pid, allocator, moment, time_ns FROM printed WHERE time_ns IS NOT NULL;
CREATE TEMP TABLE last_line AS
SELECT w.pid, w.allocator, w.line, w.t_ns FROM written AS w JOIN setting AS s
WHERE w.kind IN ('end', 'pause') AND (s.is_node OR NOT EXISTS (SELECT 1 FROM written AS l WHERE l.pid = w.pid
  AND l.allocator = w.allocator AND l.kind IN ('end', 'pause') AND l.line > w.line));
CREATE TEMP TABLE about AS
-- At the time itself: all is known.
SELECT p.pid, p.allocator, p.moment, p.time_ns, w.line, 1 AS has_carriers, 1 AS has_blocks
FROM place AS p JOIN setting AS s
JOIN written AS w ON w.pid = p.pid AND w.allocator = p.allocator
  AND w.t_ns = p.time_ns
WHERE p.moment <> 'at' OR w.kind IN ('moment', 'pause', 'end')
UNION ALL
-- The call that an event was part of has an end.
SELECT p.pid, p.allocator, p.moment, p.time_ns, min(w.line), 1, 1
FROM place AS p JOIN setting AS s
JOIN written AS w ON w.pid = p.pid AND w.allocator = p.allocator
  AND w.t_ns > p.time_ns AND w.t_ns <= p.time_ns + s.near_ns
WHERE p.moment <> 'at' GROUP BY 1, 2, 3, 4
UNION ALL
-- Carriers are as they were last.
SELECT p.pid, p.allocator, p.moment, p.time_ns,
  (SELECT w.line FROM written AS w WHERE w.pid = p.pid AND w.allocator = p.allocator
   AND w.t_ns <= p.time_ns ORDER BY w.t_ns DESC, w.line DESC LIMIT 1), 1, 0
FROM place AS p JOIN setting AS s WHERE p.moment <> 'at' AND NOT s.is_node
UNION ALL
-- Blocks are at the last event about one what they are when the run ends.
SELECT p.pid, p.allocator, p.moment, p.time_ns, l.line, l.t_ns <= p.time_ns, 1
FROM place AS p JOIN setting AS s JOIN last_line AS l USING (pid, allocator)
WHERE p.moment = 'end' AND (s.is_node OR s.is_to_end AND s.has_blocks);

CREATE TEMP TABLE line AS
SELECT a.pid, a.allocator, a.moment, a.time_ns, a.has_carriers, a.has_blocks, w.line, w.mbcs_bytes, w.sbcs,
  w.sbcs_bytes, w.pool_bytes, w.blocks AS blocks, w.blocks_bytes, w.kept, w.cached_bytes, w.asked_blocks, w.asked_bytes
FROM about AS a JOIN written AS w ON w.pid = a.pid AND w.line = a.line;
-- A new single-block carrier has its block already, which its caller has not: it has not been
-- recorded.  It is no larger than the carrier.
CREATE INDEX temp.written_line ON written(pid, allocator, line);
INSERT INTO line
SELECT l.pid, l.allocator, l.moment, l.time_ns, 0, 1, l.line, l.mbcs_bytes, l.sbcs, l.sbcs_bytes, l.pool_bytes,
  l.blocks - 1, l.blocks_bytes - (l.sbcs_bytes - p.sbcs_bytes), l.kept, '', '', ''
FROM line AS l JOIN written AS e ON e.pid = l.pid AND e.line = l.line AND e.kind = 'event'
JOIN written AS p ON p.pid = l.pid AND p.line = (SELECT max(line) FROM written AS w
  WHERE w.pid = l.pid AND w.allocator = l.allocator AND w.line < l.line)
WHERE l.has_blocks AND l.moment <> 'at' AND l.sbcs = p.sbcs + 1;

CREATE TEMP TABLE figure_truth AS
WITH truth AS (
  SELECT pid, allocator, moment, time_ns, 'carriers_bytes' AS quantity,
    mbcs_bytes + sbcs_bytes + pool_bytes AS truth FROM line WHERE has_carriers AND moment <> 'peak'
  UNION ALL SELECT pid, allocator, moment, time_ns, 'multi_block_carriers_bytes', mbcs_bytes FROM line WHERE has_carriers
  UNION ALL SELECT pid, allocator, moment, time_ns, 'single_block_carriers_bytes', sbcs_bytes FROM line WHERE has_carriers
  UNION ALL SELECT pid, allocator, moment, time_ns, 'pool_bytes', pool_bytes FROM line WHERE has_carriers
  UNION ALL SELECT pid, allocator, moment, time_ns, 'blocks_bytes', blocks_bytes FROM line WHERE has_blocks
  UNION ALL SELECT pid, allocator, moment, time_ns, 'blocks', blocks FROM line WHERE has_blocks
  UNION ALL SELECT pid, allocator, moment, time_ns, 'unused_bytes',
    mbcs_bytes + sbcs_bytes + pool_bytes - blocks_bytes FROM line WHERE has_blocks
  -- Blocks that wait in a queue to be freed are the allocator's, but nobody's any more.
  UNION ALL SELECT pid, allocator, moment, time_ns, 'asked_bytes', asked_bytes FROM line
    WHERE has_blocks AND asked_bytes <> '' AND asked_blocks + kept = blocks
  UNION ALL SELECT pid, allocator, moment, time_ns, 'segment_cache_bytes', cached_bytes FROM line
    WHERE has_blocks AND allocator = 'all' AND cached_bytes <> ''
)
SELECT pid, allocator, moment, time_ns, quantity, min(truth) AS low, max(truth) AS high
FROM truth WHERE truth IS NOT NULL AND truth <> '' GROUP BY 1, 2, 3, 4, 5
UNION ALL
-- The peak since the recording began.
SELECT p.pid, p.allocator, p.moment, p.time_ns, 'carriers_bytes', max(k.peak), max(k.peak)
FROM place AS p JOIN setting AS s JOIN (
  SELECT w.pid, w.allocator, w.t_ns, w.mbcs_bytes + w.sbcs_bytes + w.pool_bytes AS peak,
    lead(w.t_ns, 1, 9223372036854775807) OVER (PARTITION BY w.pid, w.allocator ORDER BY w.t_ns, w.line) AS next_ns
  FROM written AS w) AS k ON k.pid = p.pid AND k.allocator = p.allocator
  AND k.next_ns > s.first_ns
  AND (s.is_to_end OR k.t_ns <= (SELECT max(e.time_ns) FROM place AS e
    WHERE e.pid = p.pid AND e.allocator = p.allocator AND e.moment = 'end'))
WHERE p.moment = 'peak' AND NOT s.is_node GROUP BY 1, 2, 3, 4;

CREATE TEMP TABLE result AS
SELECT s.way, s.workload, p.*, t.low AS truth_low, t.high AS truth_high,
  CASE
    WHEN p.quality NOT IN ('exact', 'bound', 'estimate', 'unknown') THEN 'quality'
    WHEN p.low > p.high OR p.likely < p.low OR p.likely > p.high THEN 'order'
    WHEN p.quality = 'exact' AND (p.low IS NULL OR p.low IS NOT p.high OR p.likely IS NOT p.low) THEN 'exact, but open'
    WHEN p.low > t.high THEN 'low is too high'
    WHEN p.high < t.low THEN 'high is too low'
  END AS wrong
FROM printed AS p JOIN setting AS s
JOIN figure_truth AS t ON t.pid = p.pid AND t.allocator = p.allocator AND t.moment = p.moment
  AND t.time_ns = p.time_ns AND t.quantity = p.quantity;

INSERT INTO checked
SELECT way, workload, pid, allocator, moment, quantity, low, likely, high, quality, time_ns,
  truth_low, truth_high, wrong FROM result;

-- An allocator with memory of which nothing is said: it may have been silent, but not where all
-- carriers were recorded.
INSERT INTO checked
SELECT s.way, s.workload, w.pid, w.allocator, 'end', 'carriers_bytes', NULL, NULL, NULL, 'missing', NULL,
  w.mbcs_bytes + w.sbcs_bytes + w.pool_bytes, w.mbcs_bytes + w.sbcs_bytes + w.pool_bytes,
  iif(s.way IN ('carriers', 'all', 'two', 'killed'), 'missing', NULL)
FROM last_line AS l JOIN written AS w USING (pid, line) JOIN setting AS s
WHERE w.mbcs_bytes + w.sbcs_bytes + w.pool_bytes > 0 AND NOT EXISTS (
  SELECT 1 FROM printed AS p WHERE p.pid = l.pid AND p.allocator = w.allocator
  AND p.moment = 'end' AND p.quantity = 'carriers_bytes');

INSERT INTO judged
SELECT s.way, s.workload, json_extract(r.value, '$.verdict'),
  iif(json_extract(r.value, '$.verdict') = v.part_verdict, v.part_verdict, v.verdict)
FROM setting AS s JOIN verdicts AS v JOIN judgement AS j, json_each(j.text) AS r
WHERE v.pid = json_extract(r.value, '$.pid');
