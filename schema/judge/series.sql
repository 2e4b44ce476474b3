-- SPDX-License-Identifier: MIT
--
-- Layer:   readings of one node, one after the other
-- Serves:  verdict (growth from reading to reading), finding
--
-- One reading shows no growth; several of one node do: dumps, recon's snapshots and other readings
-- of whole nodes, loaded together or appended.  The order is that of their times, where not recorded
-- that of loading.  Which are of one node is decided by what they record, and never by less:
--
--   the version of the emulator, with its schedulers and word size, must be the same;
--   readings that record a name (=node of a dump) are of the node of that name;
--   those of nodes that had none ('nonode@nohost') may be of one node, if their settings of the
--   allocators are the same.  It is assumed, and reported as such;
--   those that do not record whether there was one (snapshots, dumps that break off before =node)
--   belong to the only node that the others name, or to one of their own.  It is assumed, and
--   reported as such.  Where others name several nodes they belong to none;
--   live readings are of one run: where a count of calls fell, another run begins.

-- _node_reading: one row for each reading of a whole node, with the node that it is of.
CREATE TEMP VIEW _node_reading AS
WITH node_snapshot AS MATERIALIZED (
  SELECT h.snapshot_id, h.source_id, n.ts_ns, n.kind,
    (SELECT max(f.value) FROM node_fact AS f
     WHERE f.snapshot_id = h.snapshot_id AND f.key = 'node_name') AS name,
    ifnull((SELECT max(f.value) FROM node_fact AS f
      WHERE f.snapshot_id = h.snapshot_id AND f.key = 'system_version'), '') AS version
  FROM _snapshot_memory_by_allocator AS h
  JOIN snapshot AS n ON n.id = h.snapshot_id
  LEFT JOIN _whole_dump AS d ON d.snapshot_id = h.snapshot_id
  -- Of a dump that breaks off among its allocators a part of the figures is missing.
  WHERE ifnull(d.has_all_allocators, 1)
  GROUP BY h.snapshot_id
  -- Terms of some allocators alone are no reading of a node.
  HAVING count(*) >= 8
),
named AS (
  SELECT version, count(DISTINCT name) AS names, max(name) AS name
  FROM node_snapshot
  WHERE name IS NOT NULL
  GROUP BY version
),
setting AS (
  SELECT snapshot_id, group_concat(allocator || ifnull(instance, '') || name || value, ' ') AS settings
  FROM (SELECT o.* FROM allocator_option AS o
    WHERE EXISTS (SELECT 1 FROM node_snapshot AS t WHERE t.snapshot_id = o.snapshot_id
      AND ifnull(t.name, 'nonode@nohost') = 'nonode@nohost')
    ORDER BY o.snapshot_id, o.allocator, o.instance, o.name, o.value)
  GROUP BY snapshot_id
)
SELECT
  t.snapshot_id, t.source_id, t.ts_ns, t.kind, t.name AS node_name,
  t.version || '/' || CASE
    WHEN t.name IS NULL AND n.names > 1 THEN t.snapshot_id
    WHEN ifnull(t.name, ifnull(n.name, 'nonode@nohost')) <> 'nonode@nohost' THEN ifnull(t.name, n.name)
    ELSE '/' || ifnull(s.settings, '')
  END AS node,
  ifnull(t.name, 'nonode@nohost') = 'nonode@nohost' AS is_assumed
FROM node_snapshot AS t
LEFT JOIN named AS n ON n.version = t.version
LEFT JOIN setting AS s ON s.snapshot_id = t.snapshot_id;

-- _node_run: the same with the number of the run, from 0.  Calls are only ever added to.
CREATE TEMP VIEW _node_run AS
WITH ordered AS MATERIALIZED (
  SELECT *, row_number() OVER (PARTITION BY node, kind = 'crash_dump' ORDER BY ts_ns, snapshot_id) AS number
  FROM _node_reading
),
called AS (
  SELECT o.snapshot_id, c.current < lag(c.current) OVER (
      PARTITION BY o.node, c.allocator, c.instance, c.key ORDER BY o.number) AS has_fallen
  FROM ordered AS o
  JOIN instance_stat AS c ON c.snapshot_id = o.snapshot_id AND c.section = 'calls'
  WHERE o.kind <> 'crash_dump'
),
fallen AS (
  SELECT snapshot_id, max(has_fallen) AS begins_run FROM called GROUP BY snapshot_id
)
SELECT
  o.*,
  sum(ifnull(f.begins_run, 0)) OVER (PARTITION BY o.node ORDER BY o.ts_ns, o.snapshot_id) AS run
FROM ordered AS o
LEFT JOIN fallen AS f ON f.snapshot_id = o.snapshot_id;

-- _series: one row for each allocator of each reading that is one of several.
CREATE TEMP TABLE _series AS
WITH whole AS MATERIALIZED (
  SELECT * FROM _node_run
),
allocator_snapshot AS (
  SELECT 'n' || w.run || '/' || w.node AS series, h.snapshot_id, w.source_id, NULL AS runtime_id, w.ts_ns,
    w.node_name, w.is_assumed, h.allocator,
    h.mbc_blocks_bytes + h.sbc_blocks_bytes + h.pool_blocks_bytes AS blocks_bytes
  FROM _snapshot_memory_by_allocator AS h
  JOIN whole AS w ON w.snapshot_id = h.snapshot_id
  UNION ALL
  -- A node that read itself; from 32 readings on its curve is judged like any other.
  SELECT 'r' || t.runtime_id, t.snapshot_id, r.source_id, t.runtime_id, t.ts_ns, NULL, 0, t.allocator,
    ifnull(t.mbc_blocks_bytes, 0) + ifnull(t.sbc_blocks_bytes, 0) + ifnull(t.pool_blocks_bytes, 0)
  FROM _recorded_sum AS t
  JOIN _snapshot_at_end AS k ON k.runtime_id = t.runtime_id AND k.readings < 32
  JOIN runtime AS r ON r.id = t.runtime_id
  WHERE NOT EXISTS (SELECT 1 FROM _live_total AS l WHERE l.runtime_id = t.runtime_id)
)
SELECT
  series, source_id, runtime_id, snapshot_id, ts_ns, allocator, blocks_bytes,
  max(node_name) OVER series_allocator AS node_name, max(is_assumed) OVER series_allocator AS is_assumed,
  -- Ids of what a node recorded itself fall.
  row_number() OVER (series_allocator ORDER BY ts_ns, abs(snapshot_id)) AS reading,
  count(*) OVER series_allocator AS readings,
  first_value(snapshot_id) OVER (series_allocator ORDER BY ts_ns DESC, abs(snapshot_id) DESC) AS last_snapshot_id
FROM allocator_snapshot
WINDOW series_allocator AS (PARTITION BY series, allocator);

-- reading_series: one row for each allocator of each reading that is one of at least five of a
-- node.  They are cut into up to 8 windows of as many readings each: of a window the least counts,
-- and the first quarter of them does not, in which a node boots.
--
-- Worked example, tests/views/reading_series: five readings, 10, 20, 30, 40 and 50 MiB.
--
--   reading  window  counts  low_bytes  growth_bytes
--         1       1       0   10485760
--         2       2       1   20971520             0
--         5       5       1   52428800      31457280
CREATE TABLE reading_series (
  source_id INTEGER,
  runtime_id INTEGER,
  snapshot_id INTEGER,
  last_snapshot_id INTEGER,
  allocator TEXT,
  "reading" INTEGER,
  readings INTEGER,
  ts_ns INTEGER,
  "window" INTEGER,
  windows INTEGER,
  counts INTEGER,
  blocks_bytes INTEGER,
  low_bytes INTEGER,
  growth_bytes INTEGER,
  source_lost_events INTEGER,
  source_lost_packets INTEGER,
  node_name TEXT,
  is_assumed INTEGER
) STRICT;

CREATE TEMP TABLE reading_series AS
WITH cut AS (
  SELECT *, min(8, readings) AS windows, (reading - 1) * min(8, readings) / readings + 1 AS window
  FROM _series
  WHERE readings >= 5
),
low AS (
  SELECT *, window > windows / 4 AS counts,
    min(blocks_bytes) OVER (PARTITION BY series, allocator, window) AS low_bytes
  FROM cut
)
SELECT
  l.source_id, l.runtime_id, l.snapshot_id, l.last_snapshot_id, l.allocator,
  l.reading, l.readings, l.ts_ns, l.window, l.windows, l.counts,
  l.blocks_bytes,
  l.low_bytes,
  iif(l.counts, l.low_bytes
    - min(iif(l.counts, l.low_bytes, NULL)) OVER (PARTITION BY l.series, l.allocator), NULL)
    AS growth_bytes,
  s.lost_events AS source_lost_events,
  s.lost_packets AS source_lost_packets,
  l.node_name,
  l.is_assumed
FROM low AS l
JOIN source AS s ON s.id = l.source_id;

INSERT INTO view_doc VALUES
  ('reading_series', '', 'row', 'full scan', 'One row for each allocator of each reading that is one of at least five of a node: whether it grows from reading to reading. Readings are of one node when they record the same name and version of the emulator; where they record no name it is assumed, see is_assumed'),
  ('reading_series', 'snapshot_id', 'id', 'label', 'The reading: snapshot.id; below 0 what a traced node recorded of itself'),
  ('reading_series', 'last_snapshot_id', 'id', 'label', 'The last reading of the node, whose verdict names the growth'),
  ('reading_series', 'reading', 'count', 'label', 'Number of the reading, from 1, in the order of time, or of loading where no time was recorded'),
  ('reading_series', 'readings', 'count', 'exact', 'Readings of the node'),
  ('reading_series', 'ts_ns', 'ns', 'estimate', 'When it was taken; NULL: not recorded'),
  ('reading_series', 'window', 'count', 'label', 'Number of the window of readings it is in'),
  ('reading_series', 'windows', 'count', 'label', 'Windows: as many as readings, at most 8'),
  ('reading_series', 'counts', 'flag', 'label', '0: in the first quarter of the windows, when a node boots'),
  ('reading_series', 'blocks_bytes', 'bytes', 'exact', 'Bytes in blocks, the pool included'),
  ('reading_series', 'low_bytes', 'bytes', 'exact', 'Least of the window'),
  ('reading_series', 'growth_bytes', 'bytes', 'exact', 'low_bytes beyond the least of the windows that count; NULL: it does not count'),
  ('reading_series', 'node_name', 'text', 'label', 'Name of the node; NULL: none of its readings names one'),
  ('reading_series', 'is_assumed', 'flag', 'label', '1: some of the readings have no name, or nonode@nohost: that they are of one node is assumed from what does not contradict it (version, settings of the allocators, counts of calls)');
