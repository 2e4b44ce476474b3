-- Readings of the node's own counters, and what was told until each of them.  Thirteen readings lie
-- before the load and thirteen after it: those of the test, and that of the start and the stop.  Blocks that the node has, less those that were told, are
-- blocks from before the hook: always the same number, and at some readings a few more that the
-- reading itself has in the air.  Hence the least of each side; the first of a side is left out,
-- since it loads what the others find loaded.  A reading was complete when its first figure was told.
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
SELECT what, allocator_id, n > 13 AS is_after, min(before_hook) AS before_hook
FROM offset
WHERE n NOT IN (1, 14)
GROUP BY 1, 2, 3;
