-- Readings of the node's own counters, and what was recorded until each of them.  Thirteen readings lie
-- before the load and fourteen after it: those of the test, that of the start, and two of the stop.  Blocks
-- that the node has, less those that were recorded, are blocks from before the hook: always the same number.
-- Another scheduler may allocate or free between the reading and its first event, on a busy machine at
-- many readings: then the number is a few more or fewer.  A block that was not recorded moves every number
-- after it, so one number must stand on both sides of the load.  The first of a side is left out, since it
-- loads what the others find loaded.
CREATE TEMP TABLE mark AS
SELECT snapshot_id, min(ts_ns) AS ts_ns, row_number() OVER (ORDER BY min(ts_ns)) AS n
FROM snapshot_figure GROUP BY 1;

-- fix_alloc keeps freed objects and counts them as blocks; its calls are counted as they come.
CREATE TEMP TABLE node AS
SELECT m.n, s.allocator_id, 'blocks' AS what, sum(s.current) AS live
FROM mark AS m JOIN snapshot_figure AS s USING (snapshot_id) JOIN name AS a USING (allocator_id)
WHERE s.key = 'blocks' AND a.name <> 'fix_alloc'
GROUP BY 1, 2
UNION ALL
SELECT m.n, s.allocator_id, 'calls',
  sum(iif(s.key = a.name, s.current, 0)) - sum(iif(s.key = replace(a.name, '_alloc', '_free'), s.current, 0))
FROM mark AS m JOIN snapshot_figure AS s USING (snapshot_id) JOIN name AS a USING (allocator_id)
WHERE s.section = 'calls'
GROUP BY 1, 2;

CREATE TEMP TABLE step AS
SELECT (SELECT count(*) FROM mark AS m WHERE m.ts_ns <= b.ts_ns) + 1 AS n, b.allocator_id,
  sum(CASE b.op WHEN 1 THEN -1 ELSE 1 END) AS live, count(*) AS events
FROM block_event AS b
GROUP BY 1, 2;

CREATE TEMP TABLE offset AS
SELECT node.what, node.allocator_id, node.n,
  node.live - coalesce((SELECT sum(live) FROM step AS s
    WHERE s.allocator_id = node.allocator_id AND s.n <= node.n), 0) AS before_hook
FROM node;

CREATE TEMP TABLE base AS
SELECT what, allocator_id, min(before_hook) FILTER (WHERE n <= 13) AS least_before,
  max(before_hook) FILTER (WHERE n <= 13) AS most_before,
  min(before_hook) FILTER (WHERE n > 13) AS least_after,
  max(before_hook) FILTER (WHERE n > 13) AS most_after,
  EXISTS (SELECT 1 FROM offset AS b JOIN offset AS a USING (what, allocator_id, before_hook)
    WHERE b.n BETWEEN 2 AND 13 AND a.n > 14 AND b.what = o.what AND b.allocator_id = o.allocator_id) AS is_one
FROM offset AS o
WHERE n NOT IN (1, 14)
GROUP BY 1, 2;
