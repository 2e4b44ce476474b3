-- Calls of alloc by instance, between the first reading and the last: what the node counted and
-- what was recorded.  A realloc that takes a block over from another instance counts as one, too, and
-- readings allocate a little between their moments.  One row for each that differs by more; and one
-- if there are not enough with so few reallocs that little is left open.
CREATE TEMP TABLE span AS SELECT min(ts_ns) AS begin_ns, max(ts_ns) AS end_ns,
  min(snapshot_id) AS first, max(snapshot_id) AS last FROM snapshot_begin;

CREATE TEMP TABLE recorded AS
SELECT allocator_id, instance, sum(op = 0) AS allocs, sum(op = 2) AS reallocs
FROM block_event, span WHERE ts_ns BETWEEN begin_ns AND end_ns GROUP BY 1, 2;

CREATE TEMP TABLE counted AS
SELECT s.allocator_id, a.name, s.instance, sum(iif(s.snapshot_id = last, current, -current)) AS calls
FROM snapshot_figure AS s JOIN allocator_name AS a USING (runtime_id, allocator_id), span
WHERE s.section = 'calls' AND s.key = a.name AND s.snapshot_id IN (first, last)
GROUP BY 1, 2, 3;

SELECT c.name, c.instance, c.calls, coalesce(t.allocs, 0), coalesce(t.reallocs, 0)
FROM counted AS c LEFT JOIN recorded AS t USING (allocator_id, instance)
WHERE c.calls < coalesce(t.allocs, 0) - 10
  OR c.calls > coalesce(t.allocs, 0) + coalesce(t.reallocs, 0) + 10;

SELECT 'compared closely:', count(*)
FROM counted AS c JOIN recorded AS t USING (allocator_id, instance)
WHERE c.calls > 50 AND t.reallocs <= c.calls / 10
HAVING count(*) < 8;
