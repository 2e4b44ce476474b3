-- SPDX-License-Identifier: MIT
--
-- Layer:   growers
-- Serves:  verdict, report growth
--
-- Who grew, how fast, by what mechanism, and what could have been missed.  Curves (curve.sql) say what rises; here the
-- rise of an allocator is given to who has at least half of it.

-- _rising: curves that rise or rose, and what they are part of.
CREATE TEMP TABLE _rising AS
SELECT * FROM _curve_state WHERE state <> 'flat';

-- _item: one row for each runtime and what is counted that grows most: messages of a process, objects of a table,
-- atoms, modules, exports, tables, processes, ports.
CREATE TEMP TABLE _item AS
SELECT *
FROM (
  SELECT subject_id, type, scope, holder, grown, state, rate, "last" AS entries, row_number() OVER (PARTITION BY subject_id, type ORDER BY state = 'grows' DESC, grown DESC, holder) AS rank
  FROM _rising
  WHERE type IN ('messages', 'objects', 'atoms', 'modules', 'exports', 'tables', 'processes', 'ports')
)
WHERE rank = 1;

-- _share: one row for each allocator that rises and its holder that has at least half of the rise; where nobody has, those that
-- grow, have a fifth at least and half together.
CREATE TEMP TABLE _share AS
WITH candidate AS (
  SELECT a.curve_id, h.curve_id AS holder_id, h.scope, h.holder, h.state, h."last" - h."first" AS more,
    row_number() OVER (PARTITION BY a.curve_id
      -- A group of which several have the same binaries has more than there is: it comes before each of them.
      ORDER BY CASE iif(h.scope = 'group' AND h.grown >= 2 * a.grown, 'shared', h.scope) WHEN 'shared' THEN 0 WHEN 'process' THEN 1 WHEN 'table' THEN 1 WHEN 'port' THEN 1 WHEN 'group' THEN 2 ELSE 4 END + 2 * (h.state = 'flat'), h.grown DESC, h.holder) AS rank
  FROM _rising AS a
  JOIN _curve_state AS h ON h.subject_id = a.subject_id AND h.allocator = a.allocator AND h.scope <> 'allocator'
  WHERE a.scope = 'allocator'
    -- Few lists, or old ones, do not show that nobody has it.
    AND (h.scope <> 'nobody' OR h.points >= 5 AND h.to_ns >= a.to_ns - 250000000 * a.seconds)
    AND (h.state <> 'flat' AND h.grown >= 0.5 * a.grown
    -- Lists are too few for a trend.
    OR h.state = 'flat' AND h.scope <> 'nobody' AND h.allocator <> 'fix_alloc' AND h.fallen < 0.5 * h.grown AND h."last" - h."first" >= 0.5 * a.grown)
),
several AS (
  SELECT a.curve_id, h.curve_id AS holder_id, h.scope, h.holder, h.state, h."last" - h."first" AS more, sum(h.grown) OVER (PARTITION BY a.curve_id) >= 0.5 * a.grown AS is_most
  FROM _rising AS a
  JOIN _rising AS h ON h.subject_id = a.subject_id AND h.allocator = a.allocator AND (h.scope IN ('process', 'table', 'port') 
      -- What nobody has may be in rows.
      OR h.scope = 'nobody' AND h.points >= 5 AND a.subject_id IN (SELECT i.subject_id FROM _item AS i WHERE i.type = 'objects' AND i.state = 'grows'))
  WHERE a.scope = 'allocator' AND a.state = 'grows' AND h.state = 'grows' AND h.grown >= 0.2 * a.grown
    -- These say more than a group that they are of.
    AND a.curve_id NOT IN (SELECT curve_id FROM candidate WHERE scope <> 'group')
)
SELECT curve_id, holder_id, scope, holder, state, more FROM candidate WHERE rank = 1 AND curve_id NOT IN (SELECT curve_id FROM several WHERE is_most)
UNION ALL
SELECT curve_id, holder_id, scope, holder, state, more FROM several WHERE is_most;

-- _part_share: the same of a fifth at least, of allocators of which nobody is known to have half: references are counted when
-- garbage is collected, and lists of them are cut.
CREATE TEMP TABLE _part_share AS
SELECT a.curve_id, h.curve_id AS holder_id, h.scope, h.holder, max(h.grown)
FROM _rising AS a
JOIN _rising AS h ON h.subject_id = a.subject_id AND h.allocator = a.allocator AND h.scope IN ('process', 'group')
WHERE a.scope = 'allocator' AND a.state = 'grows' AND h.state = 'grows' AND h.grown >= 0.2 * a.grown
GROUP BY a.curve_id;

-- _entry_limit: one row for each table of a node whose entries grow: when it is full; which kind of growth that limits.
CREATE TEMP TABLE _entry_limit AS
SELECT i.subject_id, k.kind, k.allocator, i.grown, format('limit of %,d %s', m.most, i.type) AS name, (m.most - i.entries) / i.rate AS seconds,
  row_number() OVER (PARTITION BY i.subject_id, k.kind ORDER BY (m.most - i.entries) / i.rate) AS rank
FROM _item AS i
JOIN (SELECT column1 AS type, column2 AS kind, column3 AS allocator FROM (VALUES ('atoms', 'atoms', 'll_alloc'), ('ports', 'ports', 'driver_alloc'),
  ('processes', 'group', 'eheap_alloc'), ('modules', 'code', NULL), ('exports', 'code', NULL))) AS k ON k.type = i.type
JOIN (SELECT runtime_id, what, max(most) AS most FROM _node_count GROUP BY runtime_id, what) AS m ON m.runtime_id = i.subject_id AND m.what = i.type
WHERE i.state = 'grows' AND i.rate > 0 AND m.most > 0;

-- _grown_part: one row for each allocator that rises, and each holder that rises beside it: who that is.
CREATE TEMP TABLE _grown_part AS
WITH known AS (
  SELECT runtime_id, iif(kind IN ('queue', 'recorder'), text, ifnull(name, pid)) AS holder, max(kind) AS kind, max(text) AS text
  FROM _process_label WHERE runtime_id IS NOT NULL GROUP BY 1, 2
),
-- Of which call most processes came from the first list to the last, by the part of them that was looked at.
call AS MATERIALIZED (
  SELECT runtime_id, holder, max(more) AS more
  FROM (
    SELECT v.runtime_id, v.holder, total(v.value * iif(v.runtime_id IN (SELECT runtime_id FROM _list_source), 1.0, 1.0 * h.processes / max(1, h.processes_seen)) * iif(v.ts_ns = l.last_ns, 1, -1)) AS more
    FROM (SELECT runtime_id, min(ts_ns) AS first_ns, max(ts_ns) AS last_ns FROM snapshot_holders GROUP BY runtime_id) AS l
    JOIN snapshot_holders AS h ON h.runtime_id = l.runtime_id AND h.ts_ns IN (l.first_ns, l.last_ns)
    JOIN _held_level AS v ON v.runtime_id = h.runtime_id AND v.ts_ns = h.ts_ns AND v.type = 'members'
    GROUP BY v.runtime_id, v.holder
  )
  GROUP BY runtime_id
),
-- What one of each call has of heap in the last list.
size AS MATERIALIZED (
  SELECT v.runtime_id, v.holder, max(h.value / v.value) AS bytes
  FROM _held_level AS v
  JOIN _held_level AS h ON h.runtime_id = v.runtime_id AND h.ts_ns = v.ts_ns AND h.scope = 'group' AND h.holder = v.holder AND h.type = 'heap blocks'
  WHERE v.type = 'members' AND v.value > 0 AND v.ts_ns = (SELECT max(l.ts_ns) FROM snapshot_holders AS l WHERE l.runtime_id = v.runtime_id)
  GROUP BY v.runtime_id, v.holder
),
part AS (
  SELECT a.*,
    -- Where neither a table nor a queue of messages explains what nobody holds.
    iif(ifnull(s.scope, 'nobody') = 'nobody' AND m.holder IS NULL AND o.holder IS NULL, ifnull(p.scope, s.scope), s.scope) AS holder_scope,
    iif(ifnull(s.scope, 'nobody') = 'nobody' AND m.holder IS NULL AND o.holder IS NULL, ifnull(p.holder, s.holder), s.holder) AS holder_name,
    s.holder_id, iif(s.state = 'over' AND s.more < 0.8 * (a."last" - a."first"), NULL, s.state) AS holder_state, s.state = 'over' AND s.scope <> 'nobody' AND s.more < 0.8 * (a."last" - a."first") AS stopped,
    m.holder AS reader, m.grown AS messages, m.state = 'grows' AS messages_grow,
    a.rate_low > 0 AND a.z >= (SELECT growth_z_count FROM _threshold) AS is_rise, o.holder AS "table", o.grown AS objects,
    EXISTS (SELECT 1 FROM _rising AS f WHERE f.subject_id = a.subject_id AND f.scope = 'allocator' AND f.allocator = 'fix_alloc'
      -- Processes have blocks of it, too.
      AND f.state = a.state AND (n.grown IS NULL OR f.grown > 2048 * n.grown))
      AND EXISTS (SELECT 1 FROM _rising AS f WHERE f.subject_id = a.subject_id AND f.scope = 'allocator' AND f.allocator = 'eheap_alloc'
        AND f.state = a.state) AS fixed_rise,
    EXISTS (SELECT 1 FROM _rising AS f WHERE f.subject_id = a.subject_id AND f.scope = 'allocator' AND f.allocator = 'literal_alloc'
      AND f.state = a.state AND f.rate > a.rate) AS literals_rise,
    EXISTS (SELECT 1 FROM _curve_state AS b WHERE b.subject_id = a.subject_id AND b.type = 'heap blocks' AND b.scope IN ('process', 'group')
      AND b."last" - b."first" >= 0.5 * (a."last" - a."first") AND b.grown >= 0.25 * a.grown) AS is_room,
    i.grown AS atoms, d.grown AS modules, b.grown AS tables, q.grown AS ports, c.holder AS call,
    -- New processes, most of which are of one call, have at least half of it.
    n.grown IS NOT NULL AND c.more >= 0.5 * n.grown AND iif(a.allocator = 'fix_alloc', 2048, z.bytes) * n.grown >= 0.5 * a.grown AS are_processes,
    -- All processes were looked at, and no more of them came: what grows as blocks of fix_alloc do is in messages of timers.
    a.allocator = 'eheap_alloc' AND s.scope IS NULL AND m.holder IS NULL
      AND a.subject_id NOT IN (SELECT runtime_id FROM snapshot_holders WHERE processes_seen < 0.95 * processes) AND n.grown IS NULL
      AND EXISTS (SELECT 1 FROM _curve_state AS f JOIN _threshold AS t WHERE f.subject_id = a.subject_id AND f.scope = 'allocator'
        AND f.allocator = 'fix_alloc' AND f.z >= t.growth_z_count AND f.rate_low > 0) AS is_timers,
    -- New processes of the group explain it, each as large as the others.
    EXISTS (SELECT 1 FROM _rising AS n
      JOIN _curve_state AS h ON h.subject_id = n.subject_id AND h.scope = 'group' AND h.holder = n.holder
        AND h.type = iif(a.allocator = 'binary_alloc', 'binary', 'heap blocks')
      WHERE n.subject_id = a.subject_id AND n.type = 'members' AND n.state = 'grows'
        AND n.holder = iif(ifnull(s.scope, p.scope) = 'group', ifnull(s.holder, p.holder), NULL)
        AND h."last" / n."last" * n.grown >= 0.67 * h.grown) AS is_processes
  FROM _rising AS a
  LEFT JOIN _share AS s ON s.curve_id = a.curve_id
  LEFT JOIN _part_share AS p ON p.curve_id = a.curve_id
  LEFT JOIN _item AS m ON m.subject_id = a.subject_id AND m.type = 'messages' AND (m.state = a.state OR m.state = 'grows')
  LEFT JOIN _item AS o ON o.subject_id = a.subject_id AND o.type = 'objects' AND (o.state = a.state OR o.state = 'grows')
  LEFT JOIN _item AS i ON i.subject_id = a.subject_id AND i.type = 'atoms' AND (i.state = a.state OR i.state = 'grows')
  LEFT JOIN _item AS d ON d.subject_id = a.subject_id AND d.type = 'modules' AND (d.state = a.state OR d.state = 'grows')
  LEFT JOIN _item AS b ON b.subject_id = a.subject_id AND b.type = 'tables' AND (b.state = a.state OR b.state = 'grows')
  LEFT JOIN _item AS n ON n.subject_id = a.subject_id AND n.type = 'processes' AND (n.state = a.state OR n.state = 'grows')
  LEFT JOIN _item AS q ON q.subject_id = a.subject_id AND q.type = 'ports' AND (q.state = a.state OR q.state = 'grows')
  LEFT JOIN call AS c ON c.runtime_id = a.subject_id
  LEFT JOIN size AS z ON z.runtime_id = c.runtime_id AND z.holder = c.holder
  WHERE a.scope = 'allocator'
),
owned AS (
  SELECT *,
    CASE
      WHEN allocator IN ('binary_alloc', 'eheap_alloc', 'fix_alloc') AND reader IS NOT NULL
        AND (holder_scope IS NULL OR holder_scope IN ('nobody', 'group') OR holder_name = reader)
        AND ifnull(holder_name = reader OR messages >= ifnull(objects, 0), 1) THEN 'mailbox'
      WHEN is_processes OR allocator IN ('eheap_alloc', 'fix_alloc') AND holder_scope IS NULL AND are_processes THEN 'processes'
      WHEN holder_scope = 'process' AND allocator = 'fix_alloc' THEN 'monitors'
      WHEN holder_scope IN ('process', 'group') THEN iif(allocator = 'binary_alloc', 'binaries', 'state')
      WHEN holder_scope = 'table' THEN 'table'
      WHEN holder_scope = 'port' THEN 'port'
      WHEN allocator = 'binary_alloc' AND "table" IS NOT NULL THEN 'table_of_binaries'
      -- Blocks of heaps with room in them.
      WHEN allocator = 'eheap_alloc' AND is_room THEN 'room'
      WHEN allocator IN ('eheap_alloc', 'fix_alloc') AND fixed_rise OR is_timers THEN 'timers'
      WHEN allocator = 'ets_alloc' AND tables IS NOT NULL THEN 'tables'
      WHEN allocator = 'driver_alloc' AND ports IS NOT NULL THEN 'ports'
      WHEN allocator = 'literal_alloc' OR modules IS NOT NULL AND allocator IN ('ll_alloc', 'std_alloc', 'fix_alloc', 'ets_alloc')
        OR allocator = 'll_alloc' AND literals_rise THEN 'modules'
      WHEN allocator = 'll_alloc' AND atoms IS NOT NULL THEN 'atoms'
    END AS way
  FROM part
),
first AS MATERIALIZED (
SELECT subject_id, curve_id, holder_id, allocator,
  -- Who has nearly all of it stopped: what rises is a rest, but for messages that it did not come to and are none of its
  -- binaries.  Who has half of it stopped: another one may go on.
  CASE WHEN state = 'grows' AND holder_state = 'over' AND holder_scope <> 'nobody' AND NOT ifnull(way = 'mailbox' AND messages_grow, 0) THEN 'over'
    WHEN state = 'grows' AND stopped AND NOT ifnull(way = 'mailbox' AND messages_grow, 0) THEN 'open'
    -- Where bytes swing, the number of messages says whether it goes on.
    WHEN state = 'open' AND way = 'mailbox' AND messages_grow AND is_rise THEN 'grows' ELSE state END AS state,
  CASE way WHEN 'mailbox' THEN reader WHEN 'table_of_binaries' THEN "table" WHEN 'modules' THEN '' WHEN 'atoms' THEN '' WHEN 'timers' THEN ''
    WHEN 'tables' THEN '' WHEN 'ports' THEN '' WHEN 'processes' THEN ifnull(holder_name, call)
    ELSE iif(holder_scope = 'nobody', '', ifnull(holder_name, allocator)) END AS holder,
  CASE way WHEN 'mailbox' THEN 'process' WHEN 'table_of_binaries' THEN 'table' WHEN 'modules' THEN 'code' WHEN 'atoms' THEN 'atoms'
    WHEN 'timers' THEN 'nobody' WHEN 'port' THEN 'port' WHEN 'tables' THEN 'tables' WHEN 'ports' THEN 'ports' WHEN 'processes' THEN 'group'
    ELSE ifnull(holder_scope, iif(allocator IN ('binary_alloc', 'eheap_alloc') AND subject_id IN (SELECT runtime_id FROM snapshot_holders GROUP BY runtime_id HAVING count(*) >= 5),
      'nobody', 'allocator')) END AS scope,
  way
FROM owned
),
grown AS (
SELECT * FROM first
UNION ALL
-- Holders that rise where their allocator does not: something else gives as much back, or the load swings.  A process that has
-- half of what its group gained, or gains, is who grew.
SELECT h.subject_id, h.curve_id, ifnull(h.process_id, h.curve_id), h.allocator, h.state, h.holder, h.scope,
  CASE WHEN h.scope = 'table' THEN 'table'
    WHEN EXISTS (SELECT 1 FROM _rising AS m WHERE m.subject_id = h.subject_id AND m.type = 'messages' AND m.holder = h.holder AND m.state = 'grows') THEN 'mailbox'
    WHEN h.allocator = 'fix_alloc' THEN 'monitors' WHEN h.allocator = 'binary_alloc' THEN 'binaries' ELSE 'state' END
FROM (
  SELECT r.subject_id, r.curve_id, r.allocator, r.state, p.curve_id AS process_id, ifnull(p.holder, r.holder) AS holder, ifnull(p.scope, r.scope) AS scope,
    row_number() OVER (PARTITION BY r.curve_id ORDER BY p.state = 'grows' DESC, p.grown DESC) AS number
  FROM _rising AS r
  LEFT JOIN _rising AS p ON r.scope = 'group' AND p.subject_id = r.subject_id AND p.allocator = r.allocator AND p.scope = 'process'
    AND (p.grown >= 0.5 * r.grown OR p.state = 'grows' AND p.rate >= 0.5 * r.rate)
  WHERE r.scope IN ('process', 'group', 'table') AND r.allocator <> '' AND r.state = 'grows' AND r.z >= 3
) AS h
WHERE h.number = 1
  AND (h.subject_id, h.allocator) NOT IN (SELECT f.subject_id, f.allocator FROM first AS f WHERE f.state = 'grows')
UNION ALL
-- The same of the heaps of ever more processes of one call, of which little is in use.
SELECT h.subject_id, h.curve_id, h.curve_id, 'eheap_alloc', h.state, h.holder, h.scope, 'processes'
FROM _rising AS h
JOIN _rising AS n ON n.subject_id = h.subject_id AND n.scope = 'group' AND n.holder = h.holder AND n.type = 'members' AND n.state = 'grows'
WHERE h.scope = 'group' AND h.type = 'heap blocks' AND h.state = 'grows' AND h.z >= 3 AND h."last" / n."last" * n.grown >= 0.67 * h.grown
  AND h.subject_id NOT IN (SELECT subject_id FROM _rising WHERE scope = 'allocator' AND allocator = 'eheap_alloc' AND state = 'grows')
UNION ALL
-- Blocks in carriers that were there, but not touched, are resident only now: few readings do not tell that from growth.
SELECT o.subject_id, o.curve_id, NULL, '', iif(o.points >= 5, o.state, 'open'), '', 'outside', 'outside'
FROM _rising AS o
WHERE o.scope = 'outside' AND o.state = 'grows' AND o.late_share >= 0.35
  AND (o.grown >= -o."first" OR 0.5 * o.grown >= (SELECT total(a.swing) FROM _curve_state AS a WHERE a.subject_id = o.subject_id AND a.scope = 'allocator'))
  AND 0.5 * o.grown >= (SELECT total(max(0, a."last" - a."first")) FROM _curve_state AS a WHERE a.subject_id = o.subject_id AND a.scope = 'allocator')
    -- Code of the JIT is in mappings of its own.
    + (SELECT ifnull(max(m.bytes) - min(m.bytes), 0) FROM snapshot_memory AS m WHERE m.runtime_id = o.subject_id AND m.key = 'code')
    -- What was given back may never have been touched.
    + (SELECT max(0, (SELECT x.mapped FROM _outside AS x WHERE x.runtime_id = o.subject_id ORDER BY x.ts_ns LIMIT 1) - min(m.mapped))
      FROM _outside AS m WHERE m.runtime_id = o.subject_id)
UNION ALL
-- A table of the node that will be full is a leak, however small an entry; modules bring atoms of their own.
SELECT a.subject_id, a.curve_id, NULL, a.allocator, 'grows', iif(l.kind = 'group', ifnull(c.holder, ''), ''), l.kind, iif(l.kind = 'group', 'processes', l.kind)
FROM _entry_limit AS l
JOIN _curve_state AS a ON a.subject_id = l.subject_id AND a.scope = 'allocator' AND a.allocator = l.allocator
LEFT JOIN call AS c ON c.runtime_id = l.subject_id AND c.more >= 0.5 * l.grown
WHERE l.seconds < 604800 AND a.state = 'flat' AND a.z >= 3 AND a.rate_low > 0
  AND NOT (l.kind = 'atoms' AND EXISTS (SELECT 1 FROM _item AS i WHERE i.subject_id = l.subject_id AND i.type = 'modules'))
),
-- What is too little of an allocator to be a row of its own belongs to the processes that it comes with.
whole AS (
SELECT * FROM grown
UNION ALL
SELECT f.subject_id, f.curve_id, NULL, f.allocator, 'grows', g.holder, g.scope, g.way
FROM grown AS g
JOIN _curve_state AS f ON f.subject_id = g.subject_id AND f.scope = 'allocator' AND f.allocator = 'fix_alloc'
WHERE g.way = 'processes' AND g.allocator = 'eheap_alloc' AND g.state = 'grows' AND f.state = 'flat' AND f.z >= 3 AND f.rate_low > 0
)
SELECT g.*, ifnull(nullif(k.kind, 'process'), g.scope) AS kind, k.text
FROM whole AS g
LEFT JOIN known AS k ON g.scope = 'process' AND k.runtime_id = g.subject_id AND k.holder = g.holder;

-- _collected: one row for each list of holders and each that binaries are held by: how many collections of part of a heap its processes
-- had since the last of all of it.
CREATE TEMP TABLE _collected AS
WITH label AS MATERIALIZED (
  SELECT runtime_id, pid, iif(kind IN ('queue', 'recorder'), text, ifnull(name, pid)) AS holder, initial_call FROM _process_label WHERE runtime_id IS NOT NULL
),
one AS (
  SELECT s.runtime_id, s.snapshot_id, ifnull(l.holder, s.pid) AS holder, l.initial_call, s.minor_gcs AS gcs, 1 AS processes
  FROM snapshot_process AS s
  LEFT JOIN label AS l ON l.runtime_id = s.runtime_id AND l.pid = s.pid
  WHERE s.minor_gcs >= 0 AND s.runtime_id IN (SELECT subject_id FROM _grown_part WHERE way = 'binaries')
)
SELECT runtime_id, snapshot_id, 'process' AS scope, holder, sum(gcs) AS gcs, sum(processes) AS processes FROM one GROUP BY 1, 2, 4
UNION ALL
SELECT runtime_id, snapshot_id, 'group', initial_call, sum(gcs), sum(processes)
FROM (
  SELECT runtime_id, snapshot_id, initial_call, gcs, processes FROM one
  UNION ALL
  SELECT runtime_id, snapshot_id, initial_call, minor_gcs, processes FROM _group_level WHERE minor_gcs IS NOT NULL
)
GROUP BY 1, 2, 4;

-- growth: one row for each that grew: who, how much, how fast, and whether it goes on.  rank 1 is who a verdict of growth names.
CREATE TABLE growth (
  source_id INTEGER,
  runtime_id INTEGER,
  snapshot_id INTEGER,
  vpid INTEGER,
  rank INTEGER,
  who TEXT,
  kind TEXT,
  holder TEXT,
  allocator TEXT,
  mechanism TEXT,
  begin_ns INTEGER,
  end_ns INTEGER,
  seconds REAL,
  first_bytes INTEGER,
  last_bytes INTEGER,
  grown_low_bytes INTEGER,
  grown_bytes INTEGER,
  grown_high_bytes INTEGER,
  bytes_per_s_low REAL,
  bytes_per_s REAL,
  bytes_per_s_high REAL,
  monotone_share REAL,
  to_the_end INTEGER,
  seconds_to_limit REAL,
  limit_name TEXT,
  limit_bytes INTEGER,
  is_leak INTEGER,
  evidence TEXT,
  remedy TEXT,
  disproof TEXT,
  sentence TEXT,
  source_lost_events INTEGER,
  source_lost_packets INTEGER
) STRICT;

CREATE TEMP TABLE growth AS
WITH rated AS (
  -- The holder's own curve, if that rises as well.
  SELECT p.subject_id, p.holder, p.kind, p.scope, p.text, p.way, p.allocator, p.state, c.curve_id,
    -- No finer than the levels are apart.
    c.rate_low * (1 - c.spacing_s / c.seconds) AS rate_low, c.rate, c.rate_high * (1 + c.spacing_s / c.seconds) AS rate_high, c.seconds, c.begin_s, c.grow_s, c.quiet_s, c.pause_s, c."first" AS first_value, c."last" AS last_value, c.grown, c.monotone,
    c.from_ns, c.to_ns, c.scatter, c.points, c.z
  FROM (
    -- Of a holder and an allocator one: both curves may rise, and one has stopped.
    SELECT *, row_number() OVER (PARTITION BY subject_id, holder, kind, scope, allocator ORDER BY state = 'grows' DESC, curve_id) AS number
    FROM _grown_part
    WHERE ifnull(way, '') <> 'room'
  ) AS p
  -- Of ever more processes all of their heaps, not what is in use of them.
  LEFT JOIN _curve_state AS b ON p.way = 'processes' AND p.allocator = 'eheap_alloc' AND b.subject_id = p.subject_id AND b.scope = 'group'
    AND b.type = 'heap blocks' AND b.holder = p.holder
  LEFT JOIN _curve_state AS h ON h.curve_id = ifnull(b.curve_id, p.holder_id) AND h.state = p.state AND p.way IN ('state', 'binaries', 'table', 'table_of_binaries', 'mailbox', 'port', 'processes', 'monitors')
  JOIN _curve_state AS a ON a.curve_id = p.curve_id
  JOIN _curve_state AS c
    ON c.curve_id = CASE WHEN h.curve_id IS NULL THEN a.curve_id
    -- What several refer to counts once.
    WHEN h.grown >= 2 * a.grown THEN a.curve_id
    -- Where it has nearly all, the steadier one of both.
    WHEN h.grown >= 0.8 * a.grown AND a.rate_high - a.rate_low < h.rate_high - h.rate_low THEN a.curve_id
    ELSE h.curve_id END
  WHERE p.number = 1
),
summed AS (
  SELECT subject_id, holder, kind, scope, max(text) AS text, max(state = 'grows') AS grows,
    count(*) FILTER (WHERE state = 'open') AS opens,
    total(rate_low) FILTER (WHERE state = 'grows') AS rate_low, total(rate) FILTER (WHERE state = 'grows') AS rate,
    total(rate_high) FILTER (WHERE state = 'grows') AS rate_high,
    total(grown) AS grown, total(scatter) AS scatter, total(first_value) AS first_value, total(last_value) AS last_value, max(seconds) AS seconds,
    min(from_ns + CAST(begin_s * 1e9 AS INTEGER)) AS begin_ns, max(to_ns) AS end_ns, max(grow_s) AS grow_s, min(quiet_s) AS quiet_s,
    max(pause_s) AS pause_s, max(points) AS points
  FROM rated
  GROUP BY subject_id, holder, kind, scope
),
main AS (
  SELECT *, row_number() OVER (PARTITION BY subject_id, holder, kind ORDER BY state = 'grows' DESC, grown DESC, allocator) AS rank FROM rated
),
worded AS (
  SELECT s.subject_id, s.holder, s.kind, s.scope, s.grows, s.opens, s.rate_low, s.rate, s.rate_high, s.grown, s.scatter,
    s.first_value, s.last_value, s.seconds, s.begin_ns, s.end_ns, s.grow_s, s.quiet_s, s.pause_s, s.points, m.allocator, m.way, m.monotone, l.name AS limit_name, l.bytes AS limit_bytes,
    max(0, l.bytes - ifnull(e.likely, f.total_bytes)) / nullif(s.rate, 0) AS memory_s, n.name AS entry_limit, n.seconds AS entry_s,
    CASE s.scope
      WHEN 'process' THEN ifnull(s.text, s.holder)
        -- A monitor has two ends, and each counts half of its blocks.
        || iif(m.way = 'monitors', ifnull((SELECT ' and ' || ifnull((SELECT max(l.text) FROM _process_label AS l WHERE l.runtime_id = o.subject_id AND ifnull(l.name, l.pid) = o.holder), o.holder)
          FROM _rising AS one
          JOIN _rising AS o ON o.subject_id = one.subject_id AND o.type = 'monitors' AND o.state = 'grows' AND o.holder <> one.holder AND o.grown BETWEEN 0.8 * one.grown AND 1.25 * one.grown
          WHERE one.subject_id = s.subject_id AND one.type = 'monitors' AND one.holder = s.holder ORDER BY o.grown DESC, o.holder LIMIT 1), ''), '')
      -- Of a fun nothing is known but where most of those that are listed wait.
      WHEN 'group' THEN rtrim('processes ' || s.holder) || iif(s.holder = 'erlang:apply/2', ifnull((SELECT ' in ' || n.current_function FROM process_name AS n
        WHERE n.runtime_id = s.subject_id AND n.initial_call = s.holder AND n.name = '' AND n.current_function <> ''
          AND n.pid IN (SELECT x.pid FROM snapshot_process AS x WHERE x.runtime_id = s.subject_id
            AND x.snapshot_id = (SELECT h.snapshot_id FROM snapshot_holders AS h WHERE h.runtime_id = s.subject_id ORDER BY h.ts_ns DESC LIMIT 1))
        GROUP BY n.current_function HAVING count(DISTINCT n.pid) >= 5 ORDER BY count(DISTINCT n.pid) DESC, n.current_function LIMIT 1), ''), '')
      WHEN 'table' THEN ifnull((SELECT c.called || ifnull((SELECT max(o.text) FROM _process_label AS o WHERE o.runtime_id = c.runtime_id AND o.pid = c.owner), c.owner)
        FROM _table_called AS c WHERE c.runtime_id = s.subject_id AND c.called = format('table "%s" of ', s.holder) ORDER BY c.snapshot_id DESC LIMIT 1),
        format('table "%s"', s.holder))
      WHEN 'port' THEN ifnull((SELECT x.port || ' ' || x.name || iif(x.peer = '', '', ' to ' || x.peer) || iif(x.owner = '', '', ' of ' || ifnull((SELECT max(o.text)
          FROM _process_label AS o WHERE o.runtime_id = x.runtime_id AND o.pid = x.owner), x.owner))
        FROM snapshot_port AS x WHERE x.runtime_id = s.subject_id AND x.port = s.holder ORDER BY x.snapshot_id DESC LIMIT 1), s.holder)
      -- Those that are listed of one name and owner.
      WHEN 'tables' THEN ifnull((SELECT replace(c.called, 'table "', 'tables "') || ifnull((SELECT max(o.text) FROM _process_label AS o
          WHERE o.runtime_id = c.runtime_id AND o.pid = c.owner), c.owner)
        FROM _table_called AS c WHERE c.runtime_id = s.subject_id AND c.snapshot_id = (SELECT max(x.snapshot_id) FROM snapshot_table AS x WHERE x.runtime_id = s.subject_id)
        GROUP BY c.called, c.owner HAVING count(*) >= 10 ORDER BY count(*) DESC LIMIT 1), 'tables')
      WHEN 'ports' THEN ifnull((SELECT 'ports ' || x.name || ' of ' || ifnull((SELECT max(o.text) FROM _process_label AS o
          WHERE o.runtime_id = x.runtime_id AND o.pid = x.owner), x.owner)
        FROM snapshot_port AS x WHERE x.runtime_id = s.subject_id AND x.snapshot_id = (SELECT max(y.snapshot_id) FROM snapshot_port AS y WHERE y.runtime_id = s.subject_id)
        GROUP BY x.name, x.owner HAVING count(*) >= 10 ORDER BY count(*) DESC LIMIT 1), 'ports')
      WHEN 'code' THEN 'loaded code and literals'
      WHEN 'atoms' THEN 'the atom table'
      WHEN 'outside' THEN 'memory outside the allocators'
      WHEN 'nobody' THEN CASE WHEN m.way = 'timers' THEN 'messages of timers' WHEN m.allocator = 'binary_alloc' THEN 'binaries whose holder is not known'
        ELSE 'heap memory whose holder is not known' END
      ELSE m.allocator END AS who,
    CASE m.way
      -- Whose garbage was collected keeps what it refers to: by pieces, if its heap has hardly more for each.
      WHEN 'binaries' THEN CASE WHEN s.grown < 60 * (SELECT max(h."last" - h."first") FROM _curve_state AS h WHERE h.subject_id = s.subject_id
          AND h.scope = s.scope AND h.holder = s.holder AND h.type = 'heap survived') THEN iif(s.kind = 'queue', 'queue', 'state') WHEN (SELECT max(c.gcs) - min(c.gcs) >= 0.1 * max(c.processes) FROM _collected AS c
        WHERE c.runtime_id = s.subject_id AND c.scope = s.scope AND c.holder = s.holder) THEN iif(s.kind = 'queue', 'queue', 'pieces') ELSE 'uncollected' END
      WHEN 'state' THEN iif(s.kind = 'queue', 'queue', 'state')
      WHEN 'room' THEN NULL
      ELSE m.way END AS mechanism
  FROM summed AS s
  JOIN main AS m ON m.subject_id = s.subject_id AND m.holder = s.holder AND m.kind = s.kind AND m.rank = 1
  LEFT JOIN _entry_limit AS n ON n.subject_id = s.subject_id AND n.kind = s.kind AND n.rank = 1 AND (n.kind <> 'group' OR m.way = 'processes')
  LEFT JOIN _memory_limit AS l ON l.runtime_id = s.subject_id AND l.is_least
  LEFT JOIN figure AS e ON e.subject_id = s.subject_id AND e.allocator = 'all' AND e.moment = 'end' AND e.quantity = 'resident_bytes'
  LEFT JOIN _subject AS f ON f.subject_id = s.subject_id
),
-- The unit of a rate, and a limit's time, in words.
measured AS (
  SELECT w.*, t.growth_day_bytes, iif(ifnull(w.entry_s < ifnull(w.memory_s, 9e99), 0), w.entry_s, w.memory_s) AS seconds_to_limit,
    ifnull(w.entry_s < ifnull(w.memory_s, 9e99), 0) AS is_entry_limit,
    iif(ifnull(w.entry_s < ifnull(w.memory_s, 9e99), 0), w.entry_limit,
      format('%s (%.1f GiB)', CASE w.limit_name WHEN 'machine' THEN 'memory of the machine' WHEN 'control group' THEN 'limit of the control group' ELSE w.limit_name END,
        w.limit_bytes / 1073741824.0)) AS limit_text, iif(w.rate_high >= 104858, 1048576.0, 1024.0) AS unit, iif(w.rate_high >= 104858, 'MiB/s', 'KiB/s') AS unit_name,
    CASE WHEN w.rate_high < 104858 THEN 0 WHEN w.rate_high < 1048576 THEN 2 ELSE 1 END AS digits,
    CASE WHEN w.grown >= 10485760 THEN format('%.0f MiB', w.grown / 1048576.0) ELSE format('%.1f MiB', w.grown / 1048576.0) END AS amount
  FROM worded AS w
  JOIN _threshold AS t
),
worded_rate AS (
  SELECT *, format('%.*f', digits, rate_low / unit) AS low_text, format('%.*f', digits, rate_high / unit) AS high_text,
    CASE
      WHEN seconds_to_limit < 120 THEN format('%.0f seconds', seconds_to_limit)
      WHEN seconds_to_limit < 7200 THEN format('%.0f minutes', seconds_to_limit / 60)
      WHEN seconds_to_limit < 172800 THEN format('%.0f hours', seconds_to_limit / 3600)
      WHEN seconds_to_limit < 31536000 THEN format('%.0f days', seconds_to_limit / 86400)
    END AS until_text
  FROM measured
)
SELECT o.id AS source_id, w.subject_id AS runtime_id, NULL AS snapshot_id, r.vpid,
  row_number() OVER (PARTITION BY w.subject_id ORDER BY w.grows DESC, w.rate DESC, w.grown DESC, w.who) AS rank,
  w.who, w.kind, w.holder, nullif(w.allocator, '') AS allocator, w.mechanism, w.begin_ns, w.end_ns,
  round(w.seconds, 3) AS seconds, CAST(w.first_value AS INTEGER) AS first_bytes, CAST(w.last_value AS INTEGER) AS last_bytes,
  CAST(max(0, w.grown - 2 * w.scatter) AS INTEGER) AS grown_low_bytes, CAST(w.grown AS INTEGER) AS grown_bytes,
  CAST(w.grown + 2 * w.scatter AS INTEGER) AS grown_high_bytes,
  iif(w.grows, w.rate_low, NULL) AS bytes_per_s_low, iif(w.grows, w.rate, NULL) AS bytes_per_s,
  iif(w.grows, w.rate_high, NULL) AS bytes_per_s_high,
  round(w.monotone, 3) AS monotone_share, CASE WHEN w.grows THEN 1 WHEN w.opens THEN NULL ELSE 0 END AS to_the_end,
  iif(w.grows, w.seconds_to_limit, NULL) AS seconds_to_limit, iif(w.is_entry_limit, w.entry_limit, w.limit_name) AS limit_name, iif(w.is_entry_limit, NULL, w.limit_bytes) AS limit_bytes,
  w.grows AND (w.rate * 86400 >= w.growth_day_bytes OR ifnull(w.seconds_to_limit < 604800, 0)) AS is_leak,
  format('%d levels in %.1f s', w.points, w.seconds) AS evidence, replace(m.remedy, '$W', w.who) AS remedy, replace(m.disproof, '$W', w.who) AS disproof,
  CASE
    WHEN w.grows THEN format('%s gain%s %s %s%s, %s in %.0f s%s', w.who,
      iif(w.scope IN ('group', 'tables', 'ports', 'code') OR w.mechanism = 'timers' OR w.mechanism = 'monitors' AND instr(w.who, ' and ') OR w.scope = 'nobody' AND w.allocator = 'binary_alloc', '', 's'), CASE WHEN w.low_text = w.high_text THEN w.low_text WHEN CAST(w.low_text AS REAL) = 0 THEN 'up to ' || w.high_text ELSE w.low_text || ' to ' || w.high_text END,
      w.unit_name,
      iif(w.mechanism IN ('processes', 'tables', 'ports'), ' as their number grows', ifnull(' of ' || CASE w.mechanism WHEN 'pieces' THEN 'large binaries that ' || iif(w.scope = 'group', 'they refer to', 'it refers to')
        WHEN 'uncollected' THEN 'binaries in use or not yet collected'
        WHEN 'monitors' THEN 'monitors and links' WHEN 'port' THEN iif(w.allocator = 'binary_alloc', 'unsent data', NULL)
        WHEN 'mailbox' THEN 'unread messages' WHEN 'queue' THEN iif(w.allocator = 'binary_alloc', 'binaries that it refers to', 'heap in use')
        WHEN 'state' THEN iif(w.allocator = 'binary_alloc', 'binaries that ' || iif(w.scope = 'group', 'they refer to', 'it refers to'), 'heap in use') WHEN 'table' THEN 'rows' WHEN 'table_of_binaries' THEN 'binaries in its rows' END, '')),
      w.amount, w.grow_s, iif(w.until_text IS NULL, format('; that is %.1f GiB a day', w.rate * 86400 / 1073741824.0),
        format('; at that rate the %s is reached in %s', w.limit_text, w.until_text)))
    WHEN w.opens THEN format('%s grew by %s in %.1f s', w.who, w.amount, w.grow_s)
    ELSE format('%s grew by %s until %.1f s before the end', w.who, w.amount, w.quiet_s)
  END AS sentence,
  o.lost_events AS source_lost_events, o.lost_packets AS source_lost_packets
FROM worded_rate AS w
LEFT JOIN _mechanism AS m ON m.mechanism = w.mechanism
JOIN runtime AS r ON r.id = w.subject_id
JOIN source AS o ON o.id = r.source_id
LEFT JOIN _history AS y ON y.subject_id = w.subject_id
-- Counters of carriers do not say what is freed inside them, nor events of which some were lost, nor a part of a run what the
-- whole does; readings of a node do.
WHERE NOT ifnull(NOT y.is_complete OR y.has_counters AND NOT y.has_blocks OR NOT y.is_boot AND NOT y.is_hooked, 0)
  OR w.subject_id IN (SELECT runtime_id FROM _snapshot_at_end
    WHERE readings >= 32 OR readings >= 5 AND runtime_id NOT IN (SELECT runtime_id FROM _live_total));

-- _power: one row for each runtime: the largest rate at which something could have grown and not been seen.
CREATE TEMP TABLE _power AS
SELECT subject_id, max(CASE state WHEN 'over' THEN (0.02 * grown + least) / quiet_s ELSE max(power, least / seconds) END) AS bytes_per_s
FROM _curve_state
WHERE scope IN ('allocator', 'outside') AND points >= 5 AND seconds > 0
  AND (state <> 'grows' OR curve_id NOT IN (SELECT curve_id FROM _grown_part))
GROUP BY subject_id;
