-- SPDX-License-Identifier: MIT
--
-- Layer:   entries of a node's tables, and what limits them and its memory
-- Serves:  the judge of growth, report node
--
-- Read by the node at its snapshots; of what an older version recorded there is nothing.

-- _node_count: one row for each snapshot of a traced node and each of its tables: how many entries it had, and its limit; NULL:
-- not known.  Functions that code calls by name (what: exports) are counted at some snapshots.
--
-- Worked example, tests/views/_node_count: atoms rose from 900 to 1000 of 1,048,576.
--
--   snapshot_id  what   entries     most
--             1  atoms      900  1048576
--             2  atoms     1000  1048576
CREATE TEMP VIEW _node_count AS
WITH fact AS (
  SELECT runtime_id, key, ts_ns, CAST(value AS INTEGER) AS value FROM runtime_fact WHERE key LIKE '%\_limit' ESCAPE '\' OR key = 'export_count'
),
most AS MATERIALIZED (
  SELECT runtime_id, key, value, max(ts_ns) FROM fact GROUP BY runtime_id, key
),
counted AS (
  SELECT runtime_id, snapshot_id, ts_ns, replace(key, '_count', '') AS word, current AS entries
  FROM snapshot_figure
  WHERE allocator_id = 0 AND section = 'node'
  UNION ALL
  SELECT runtime_id, NULL, ts_ns, 'export', value FROM fact WHERE key = 'export_count'
)
SELECT c.runtime_id, c.snapshot_id, c.ts_ns,
  CASE c.word WHEN 'process' THEN 'processes' WHEN 'ets' THEN 'tables' ELSE c.word || 's' END AS what, c.entries, m.value AS most
FROM counted AS c
LEFT JOIN most AS m ON m.runtime_id = c.runtime_id AND m.key = c.word || '_limit';

-- _memory_limit: one row for each limit of the memory of a traced node, as it was recorded last; the least one counts.
--
-- Worked example, tests/views/_memory_limit: a control group of 1 GiB on a machine of 4 GiB.
--
--   name                    bytes  is_least
--   control group      1073741824         1
--   machine            4294967296         0
CREATE TEMP VIEW _memory_limit AS
WITH last AS (
  SELECT runtime_id, key, CAST(value AS INTEGER) AS bytes, max(ts_ns)
  FROM runtime_fact
  WHERE key IN ('memory_limit', 'machine_memory', 'rabbitmq_memory_limit')
  GROUP BY runtime_id, key
)
SELECT runtime_id, CASE key WHEN 'memory_limit' THEN 'control group' WHEN 'machine_memory' THEN 'machine' ELSE 'high watermark' END AS name,
  bytes, bytes = min(bytes) OVER (PARTITION BY runtime_id) AS is_least
FROM last
WHERE bytes > 0;

-- _tried_collection: one row for each traced node of which a process was collected because the user asked for it (record
-- --try-collect): bytes in use of its heaps, and of the binaries that it refers to, before and after; NULL: it had ended, or did
-- not come to it.
--
-- Worked example, tests/views/finding.heap-02.
CREATE TEMP VIEW _tried_collection AS
SELECT runtime_id, max(value) FILTER (WHERE key = 'collected_process') AS pid,
  CAST(max(value) FILTER (WHERE key = 'collected_heap_before') AS INTEGER) AS heap_before,
  CAST(max(value) FILTER (WHERE key = 'collected_heap_after') AS INTEGER) AS heap_after,
  CAST(max(value) FILTER (WHERE key = 'collected_binaries_before') AS INTEGER) AS binaries_before,
  CAST(max(value) FILTER (WHERE key = 'collected_binaries_after') AS INTEGER) AS binaries_after
FROM runtime_fact
WHERE key LIKE 'collected\_%' ESCAPE '\'
GROUP BY runtime_id
HAVING pid IS NOT NULL;
