-- SPDX-License-Identifier: MIT
--
-- Layer:   curves
-- Serves:  growth
--
-- What may grow, over time: what allocators hold, what processes, groups of them, tables and nobody hold at each list of
-- holders, what is resident outside the allocators, what the node counts.  How a curve goes is computed by analyzer/judge/trend.c.

-- _list_source: one row for each list of holders and those of it and before it in which all processes were looked at: of many
-- processes each list has a part, in turn.  share: what the sums of these count for.  None: there are too few lists.
CREATE TEMP TABLE _list_source AS
WITH list AS MATERIALIZED (
  SELECT runtime_id, snapshot_id, ts_ns, processes, processes_seen,
    sum(processes_seen) OVER (PARTITION BY runtime_id ORDER BY ts_ns, snapshot_id ROWS UNBOUNDED PRECEDING) AS seen
  FROM snapshot_holders
),
whole AS MATERIALIZED (SELECT * FROM list WHERE seen >= 0.95 * processes),
source AS MATERIALIZED (
  SELECT runtime_id, snapshot_id, snapshot_id AS from_id, processes, processes_seen FROM whole WHERE processes_seen >= 0.95 * processes
  UNION ALL
  SELECT w.runtime_id, w.snapshot_id, j.snapshot_id, w.processes, j.processes_seen
  FROM whole AS w
  JOIN list AS j ON j.runtime_id = w.runtime_id AND j.seen <= w.seen AND w.seen - j.seen < 0.95 * w.processes
  WHERE w.processes_seen < 0.95 * w.processes
),
share AS (
  SELECT runtime_id, snapshot_id, iif(count(*) = 1, 1.0, 1.0 * max(processes) / sum(processes_seen)) AS share FROM source GROUP BY runtime_id, snapshot_id
),
-- Before all were looked at, what is known then.
target AS (
  SELECT l.runtime_id, l.snapshot_id, ifnull(w.snapshot_id, (SELECT f.snapshot_id FROM whole AS f WHERE f.runtime_id = l.runtime_id ORDER BY f.ts_ns LIMIT 1)) AS by_id
  FROM list AS l
  LEFT JOIN whole AS w ON w.runtime_id = l.runtime_id AND w.snapshot_id = l.snapshot_id
)
SELECT t.runtime_id, t.snapshot_id, s.from_id, h.share
FROM target AS t
JOIN source AS s ON s.runtime_id = t.runtime_id AND s.snapshot_id = t.by_id
JOIN share AS h ON h.runtime_id = t.runtime_id AND h.snapshot_id = t.by_id;

-- _group_level: one row for each list and call: the processes that are not listed, of all of them if that is known.
CREATE TEMP TABLE _group_level AS
SELECT s.runtime_id, s.snapshot_id, g.initial_call, sum(g.processes) * s.share AS processes, sum(g.heap_bytes) * s.share AS heap_bytes,
  sum(ifnull(g.used_bytes, g.heap_bytes)) * s.share AS used_bytes, sum(ifnull(g.survived_bytes, g.heap_bytes)) * s.share AS survived_bytes,
  sum(g.binary_bytes) * s.share AS binary_bytes, sum(g.messages) * s.share AS messages, sum(g.minor_gcs) * s.share AS minor_gcs
FROM (
  SELECT * FROM _list_source
  UNION ALL
  SELECT runtime_id, snapshot_id, snapshot_id, 1.0 FROM snapshot_holders WHERE runtime_id NOT IN (SELECT runtime_id FROM _list_source)
) AS s
JOIN snapshot_process_group AS g ON g.runtime_id = s.runtime_id AND g.snapshot_id = s.from_id
GROUP BY s.runtime_id, s.snapshot_id, g.initial_call;

-- _held_level: one row for each list of holders of a traced node and what holds something: scope as in _curve.
CREATE TEMP TABLE _held_level AS
WITH process AS MATERIALIZED (
  SELECT runtime_id, pid, iif(kind IN ('queue', 'recorder'), text, ifnull(name, pid)) AS holder, initial_call, kind
  FROM _process_label WHERE runtime_id IS NOT NULL
),
held AS (
  SELECT p.runtime_id, p.snapshot_id, ifnull(n.holder, p.pid) AS holder, iif(n.kind = 'recorder', '', ifnull(n.initial_call, '')) AS initial_call,
    max(0, p.heap_bytes) AS heap, p.used_bytes AS used, p.survived_bytes AS survived,
    -- What waits for who asked for readings is none of the node's.
    iif(p.binaries_by > 0, max(0, p.binary_bytes), 0) AS binary, iif(n.kind = 'recorder', 0, max(0, p.messages)) AS messages, 1 AS members
  FROM snapshot_process AS p
  LEFT JOIN process AS n ON n.runtime_id = p.runtime_id AND n.pid = p.pid
),
all_held AS (
  SELECT runtime_id, snapshot_id, holder, initial_call, heap, iif(used >= 0, used, heap) AS used, iif(survived >= 0, survived, heap) AS survived,
    binary, messages, members
  FROM held
  UNION ALL
  SELECT runtime_id, snapshot_id, NULL, initial_call, heap_bytes, used_bytes, survived_bytes, binary_bytes, messages, processes
  FROM _group_level
),
part AS (
  SELECT runtime_id, snapshot_id, iif(holder IS NULL, 'group', 'process') AS scope, ifnull(holder, initial_call) AS holder, heap, used, survived, binary, messages, members
  FROM all_held
  WHERE holder IS NOT NULL
  UNION ALL
  SELECT runtime_id, snapshot_id, 'group', initial_call, heap, used, survived, binary, messages, members FROM all_held WHERE initial_call <> ''
),
level AS (
  SELECT runtime_id, snapshot_id, scope, 'eheap_alloc' AS allocator, 'heap' AS type, holder, used AS value FROM part
  UNION ALL
  SELECT runtime_id, snapshot_id, scope, '', 'heap blocks', holder, heap FROM part WHERE scope = 'group' OR used >= 131072
  UNION ALL
  -- Just after a collection of the whole heap it is 0.
  SELECT runtime_id, snapshot_id, scope, '', 'heap survived', holder, survived FROM part WHERE survived > 0
  UNION ALL
  SELECT runtime_id, snapshot_id, scope, 'binary_alloc', 'binary', holder, binary FROM part
  UNION ALL
  SELECT runtime_id, snapshot_id, scope, '', 'messages', holder, messages FROM part WHERE scope = 'process'
  UNION ALL
  SELECT runtime_id, snapshot_id, scope, '', 'members', holder, members FROM part WHERE scope = 'group'
  UNION ALL
  SELECT runtime_id, snapshot_id, 'table', 'ets_alloc', 'ets', CASE WHEN name = '' THEN "table" WHEN name LIKE 'Elixir.%' THEN substr(name, 8) ELSE name END, memory_bytes FROM snapshot_table
  UNION ALL
  SELECT runtime_id, snapshot_id, 'table', '', 'objects', CASE WHEN name = '' THEN "table" WHEN name LIKE 'Elixir.%' THEN substr(name, 8) ELSE name END, objects FROM snapshot_table
  UNION ALL
  SELECT runtime_id, snapshot_id, 'port', 'driver_alloc', 'port', port, memory_bytes FROM snapshot_port
  UNION ALL
  -- What waits to be sent is in binaries.
  SELECT runtime_id, snapshot_id, 'port', 'binary_alloc', 'port', port, queue_bytes FROM snapshot_port
  UNION ALL
  -- What a process has besides its heaps and messages: monitors and links, of whose blocks half counts at each end.
  SELECT p.runtime_id, p.snapshot_id, 'process', 'fix_alloc', 'monitors', ifnull(n.holder, p.pid), 2 * max(0, p.memory_bytes - p.heap_bytes)
  FROM snapshot_process AS p
  LEFT JOIN process AS n ON n.runtime_id = p.runtime_id AND n.pid = p.pid
  WHERE p.memory_bytes > 0 AND p.heap_bytes >= 0 AND p.messages = 0
)
SELECT p.runtime_id, h.ts_ns, p.scope, p.allocator, p.type, p.holder, CAST(sum(p.value) AS REAL) AS value
FROM level AS p
JOIN snapshot_holders AS h ON h.runtime_id = p.runtime_id AND h.snapshot_id = p.snapshot_id
GROUP BY p.runtime_id, p.scope, p.allocator, p.type, p.holder, p.snapshot_id;

-- _outside: one row for each reading of a node: what is resident without our buffers and tables and data of the JIT, and what the
-- allocators have from the system, at least their carriers: what the segment cache keeps is in memory, too.
CREATE TEMP TABLE _outside AS
WITH mapped AS MATERIALIZED (
  SELECT runtime_id, snapshot_id, total(current) AS bytes
  FROM snapshot_figure
  WHERE key LIKE '%\_mmap/os/sizes/used' ESCAPE '\' OR key LIKE '%\_mmap/supercarrier/sizes/used' ESCAPE '\'
    OR key = 'sys_alloc_carriers_size'
  GROUP BY runtime_id, snapshot_id
),
carrier AS MATERIALIZED (
  SELECT runtime_id, snapshot_id, total(mbc_bytes) + total(sbc_bytes) + total(pool_bytes) AS bytes
  FROM _recorded_sum
  GROUP BY runtime_id, snapshot_id
)
SELECT m.runtime_id, s.ts_ns, total(m.bytes * iif(m.key = 'os_resident', 1, -1)) AS resident, max(ifnull(a.bytes, 0), c.bytes) AS mapped
FROM _recorded_snapshot AS s
JOIN carrier AS c ON c.runtime_id = s.runtime_id AND c.snapshot_id = s.id
JOIN snapshot_memory AS m ON m.runtime_id = s.runtime_id AND m.snapshot_id = s.recorded_id
  AND m.key IN ('os_resident', 'own_buffers', 'own_tables', 'jit_debug')
LEFT JOIN mapped AS a ON a.runtime_id = s.runtime_id AND a.snapshot_id = s.recorded_id
GROUP BY s.runtime_id, s.id
HAVING max(m.key = 'os_resident');

-- _curve_value: one row for each level of what may grow, in bytes, of objects, messages and the like their number.
CREATE TEMP TABLE _curve_value AS
WITH reading AS MATERIALIZED (
  SELECT t.runtime_id, t.ts_ns, t.snapshot_id, t.allocator,
    ifnull(t.mbc_blocks_bytes, 0) + ifnull(t.sbc_blocks_bytes, 0) + ifnull(t.pool_blocks_bytes, 0) AS blocks
  FROM _recorded_sum AS t
),
-- A holder that is in the first list or the last of a node has no level before or after.
list AS MATERIALIZED (
  SELECT runtime_id, min(ts_ns) AS first_ns, max(ts_ns) AS last_ns FROM snapshot_holders GROUP BY runtime_id
),
ranked AS (
  SELECT *, max(value) OVER one AS most, min(ts_ns) OVER one AS first_ns, max(ts_ns) OVER one AS last_ns
  FROM _held_level
  WINDOW one AS (PARTITION BY runtime_id, scope, allocator, type, holder)
),
large AS MATERIALIZED (
  SELECT * FROM ranked WHERE holder <> '' AND most >= iif(type IN ('messages', 'objects', 'members'), 100, 262144)
),
held AS (
  SELECT runtime_id, scope, allocator, type, holder, ts_ns, value FROM large
  UNION ALL
  SELECT l.runtime_id, l.scope, l.allocator, l.type, l.holder, k.first_ns, 0.0
  FROM large AS l JOIN list AS k ON k.runtime_id = l.runtime_id WHERE l.ts_ns = l.first_ns AND l.first_ns > k.first_ns
  UNION ALL
  SELECT l.runtime_id, l.scope, l.allocator, l.type, l.holder,
    (SELECT min(s.ts_ns) FROM snapshot_holders AS s WHERE s.runtime_id = l.runtime_id AND s.ts_ns > l.last_ns), 0.0
  FROM large AS l JOIN list AS k ON k.runtime_id = l.runtime_id WHERE l.ts_ns = l.last_ns AND l.last_ns < k.last_ns
    AND l.type <> 'heap survived'
),
-- What no process that was looked at refers to: the rest of the binaries at each list.
others AS MATERIALIZED (
  SELECT runtime_id, snapshot_id, sum(binary_bytes) AS bytes
  FROM (
    SELECT runtime_id, snapshot_id, binary_bytes FROM _group_level
    UNION ALL
    SELECT runtime_id, snapshot_id, binary_bytes FROM snapshot_process WHERE binaries_by = 2
  )
  GROUP BY runtime_id, snapshot_id
),
rest AS (
  SELECT r.runtime_id, 'nobody' AS scope, r.allocator, 'binary' AS type, '' AS holder, h.ts_ns,
    max(0.0, r.blocks - h.binary_bytes - ifnull(o.bytes, 0)) AS value
  FROM snapshot_holders AS h
  JOIN _recorded_snapshot AS s ON s.runtime_id = h.runtime_id AND s.recorded_id = h.snapshot_id
  JOIN reading AS r ON r.runtime_id = s.runtime_id AND r.snapshot_id = s.id
  LEFT JOIN others AS o ON o.runtime_id = h.runtime_id AND o.snapshot_id = h.snapshot_id
  WHERE r.allocator = 'binary_alloc'
),
outside AS (
  SELECT runtime_id, 'outside' AS scope, '' AS allocator, '' AS type, '' AS holder, ts_ns, resident - mapped AS value FROM _outside
),
counted AS (
  SELECT runtime_id, 'count' AS scope, '' AS allocator, what AS type, '' AS holder, ts_ns, CAST(entries AS REAL) AS value FROM _node_count
),
-- What records has heaps, too, which come and go with each reading: they are none of the node's.  Of the lists before a
-- reading and after it the less: making a list takes heap.
listed AS (
  SELECT p.runtime_id, p.snapshot_id, min(p.ts_ns) AS ts_ns, total(max(0, p.heap_bytes)) AS bytes
  FROM _process_label AS l
  JOIN snapshot_process AS p ON p.runtime_id = l.runtime_id AND p.pid = l.pid
  WHERE l.kind = 'recorder'
  GROUP BY p.runtime_id, p.snapshot_id
),
own AS MATERIALIZED (
  SELECT r.runtime_id, r.ts_ns, r.allocator, min(l.bytes, l.before) AS bytes
  FROM (SELECT *, lag(bytes, 1, bytes) OVER (PARTITION BY runtime_id ORDER BY ts_ns) AS before FROM listed) AS l
  JOIN _recorded_snapshot AS s ON s.runtime_id = l.runtime_id AND s.recorded_id = l.snapshot_id
  JOIN reading AS r ON r.runtime_id = s.runtime_id AND r.snapshot_id = s.id AND r.allocator = 'eheap_alloc'
),
every AS (
  SELECT l.subject_id AS runtime_id, 'allocator' AS scope, l.allocator, '' AS type, '' AS holder, l.ts_ns,
    CAST(max(0, l.bytes - ifnull(o.bytes, 0)) AS REAL) AS value
  FROM _level AS l
  LEFT JOIN own AS o ON o.runtime_id = l.subject_id AND o.ts_ns = l.ts_ns AND o.allocator = l.allocator
  UNION ALL SELECT * FROM held
  UNION ALL SELECT * FROM rest
  UNION ALL SELECT * FROM outside
  UNION ALL SELECT * FROM counted
)
SELECT dense_rank() OVER (ORDER BY runtime_id, scope, allocator, type, holder) AS curve_id, * FROM every;

-- _curve: one row for each curve, with the time that counts: a node that is recorded from its start boots in the first
-- quarter.
--
--   scope      allocator    type                      holder
--   allocator  its name
--   process    eheap_alloc, heap, binary, messages    its registered name, else its pid; of a queue and what records its name
--              binary_alloc heap blocks,              heap: in use, garbage included; blocks: with what is free in them;
--                           heap survived             survived: what the last collection left
--              fix_alloc    monitors                  what it has besides heaps and messages
--   group      the same     the same, members         what its processes began with
--   table      ets_alloc    ets, objects              its name, else its reference
--   port       driver_alloc port                      the port
--              binary_alloc                           what waits in it to be sent
--   nobody     binary_alloc binary
--   outside                                           resident memory less carriers, our buffers and tables, data of the JIT
--   count                   atoms, modules, exports, processes, ports, tables
CREATE TEMP TABLE _curve AS
SELECT v.curve_id, v.runtime_id AS subject_id, v.scope, v.allocator, v.type, v.holder,
  s.begin_ns + iif(v.scope = 'allocator' AND v.runtime_id IN (SELECT runtime_id FROM _boot),
    (s.end_ns - s.begin_ns) / 4, max(0, min(v.ts_ns) - s.begin_ns)) AS from_ns,
  iif(v.scope = 'allocator' AND v.runtime_id NOT IN (SELECT runtime_id FROM _snapshot_at_end), s.end_ns, max(v.ts_ns)) AS to_ns
FROM _curve_value AS v
JOIN _span AS s ON s.runtime_id = v.runtime_id
GROUP BY v.curve_id;

CREATE TEMP VIEW _curve_point AS
SELECT c.curve_id, c.from_ns, c.to_ns, v.ts_ns, v.value
FROM _curve AS c
JOIN _curve_value AS v ON v.curve_id = c.curve_id;

-- _trend: one row for each curve: its statistics, as analyzer/judge/trend.h describes them.  Computed in C: medians of pairs.
CREATE TEMP TABLE _trend AS
SELECT curve_id, 0 AS points, 0 AS windows, 0.0 AS seconds, 0.0 AS "first", 0.0 AS "last", 0.0 AS base, 0.0 AS z, 0.0 AS rate_low,
  0.0 AS rate, 0.0 AS rate_high, 0.0 AS scatter, 0.0 AS monotone, 0.0 AS grown, 0.0 AS fallen, 0.0 AS swing, 0.0 AS swing_s,
  0.0 AS begin_s, 0.0 AS grow_s, 0.0 AS pause_s, 0.0 AS quiet_s, 0.0 AS late_share, 0.0 AS power, 0.0 AS trough,
  0.0 AS early_pause_s
FROM _curve_point
WHERE 0;

-- _curve_state: one row for each curve that rises, or did: whether that is growth.  state:
--
--   grows   its minima rise more than chance explains, and it went on to the end
--   open    it rose by what matters, and the recording shows neither that it goes on nor that it is over
--   over    it has stood still for a third of the time that it took, and twice as long as it paused before
--
-- least: growth of less is not worth a row (bytes; 100 of what is counted).
CREATE TEMP TABLE _curve_state AS
WITH place AS (
  SELECT c.*, t.*, r.growth_z_count, r.growth_line_share,
    iif(n.least IS NOT NULL, n.least, iif(c.allocator = 'temp_alloc', r.temp_bytes, r.growth_least_bytes)) AS least,
    max(t.seconds / max(1, t.points - 1), iif(t.swing_s > 0 AND t.windows < t.points, t.seconds / max(1, t.windows), 0)) AS spacing_s,
    iif(n.least IS NOT NULL, n.least, iif(c.allocator = 'temp_alloc', r.temp_bytes, r.matter_bytes)
      * iif(c.subject_id IN (SELECT subject_id FROM _history WHERE is_hooked AND NOT is_boot),
        min(1.0, max(0.0625, t.seconds / r.growth_full_s)), 1.0)) AS matter
  FROM _curve AS c
  JOIN _trend AS t ON t.curve_id = c.curve_id
  JOIN _threshold AS r
  LEFT JOIN (SELECT column1 AS type, column2 AS least
    FROM (VALUES ('messages', 100), ('objects', 100), ('members', 100), ('atoms', 1000), ('modules', 10), ('exports', 100), ('processes', 100), ('ports', 100), ('tables', 100)))
    AS n ON n.type = c.type
),
tested AS MATERIALIZED (
  SELECT *,
    -- What began in the second half is seen for too short a time, and of stairs there must be four.
    grown >= least AND rate_low > 0 AND fallen < 0.5 * grown AND begin_s <= 0.5 * seconds AND pause_s <= 0.4 * grow_s AND (swing_s = 0 OR grown >= 2 * trough
        -- Where few levels of a swing are known, in its last third, too.
        AND (swing_s >= 4 * seconds / points OR grown * late_share >= 3 * trough)) AND (
      (z >= growth_z_count AND monotone >= 0.6)
      -- So few windows can show no more than that all rise; they must be on a line, too.
      OR (windows >= 4 AND monotone = 1 AND scatter <= growth_line_share * grown)) AS is_trend,
    quiet_s <= 1.1 * pause_s + spacing_s AS goes_on,
    quiet_s >= 2 * pause_s + 2 * spacing_s AND quiet_s >= grow_s / 3 AS is_over,
    -- A smooth curve that flattens is a cache that fills, or a node that starts.
    late_share < iif(early_pause_s <= 0.15 * seconds, 0.35, 0.1) AS is_flattening,
    -- What rose by no more than it fells now and then.
    fallen >= 0.5 * grown AS is_swing
  FROM place
),
-- What is known beside of heaps: their blocks, and what survived the last collection.
beside AS MATERIALIZED (
  SELECT subject_id, scope, holder,
    max(points) FILTER (WHERE type = 'heap survived') AS survived_points,
    max(grown) FILTER (WHERE type = 'heap survived') AS survived_grown,
    max(swing) FILTER (WHERE type = 'heap survived') AS survived_fallen,
    max(is_over AND NOT goes_on) FILTER (WHERE type = 'heap survived') AS survived_is_over,
    max(grown) FILTER (WHERE type = 'heap blocks') AS blocks_grown,
    max(is_over AND NOT goes_on OR fallen >= grown) FILTER (WHERE type = 'heap blocks') AS blocks_is_over
  FROM tested
  WHERE type IN ('heap survived', 'heap blocks')
  GROUP BY subject_id, scope, holder
)
SELECT t.*,
  CASE
    WHEN grown < least OR is_swing THEN 'flat'
    -- Garbage that was not collected yet, in heaps that were there.
    WHEN type = 'heap' AND iif(survived_points >= 0.75 * points AND survived_fallen < 0.3 * grown,
      survived_grown < 0.3 * grown OR survived_is_over, blocks_grown < 0.3 * grown OR blocks_is_over) THEN 'flat'
    WHEN is_trend AND goes_on AND NOT is_flattening THEN 'grows'
    WHEN is_over THEN 'over'
    WHEN grown >= matter THEN 'open'
    ELSE 'flat'
  END AS state
FROM tested AS t
LEFT JOIN beside AS b ON t.type = 'heap' AND b.subject_id = t.subject_id AND b.scope = t.scope AND b.holder = t.holder;
