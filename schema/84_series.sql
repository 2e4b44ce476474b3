-- SPDX-License-Identifier: MIT
--
-- Layer:   readings of one node, one after the other
-- Reads:   _held_read, _told_sum, _told_reader, _live_total, snapshot, node_fact, runtime, source
-- Serves:  verdict (growth from reading to reading), finding
--
-- One reading shows no growth; several of one node do: dumps, recon's snapshots and other readings
-- of whole nodes, loaded together or appended.  They are of one node when they tell the same
-- version of the same emulator; the order is that of their times, where not told that of loading.

-- _series: one row for each allocator of each reading that is one of several.
CREATE VIEW _series AS
WITH whole AS MATERIALIZED (
  SELECT h.snapshot_id, h.source_id, n.ts_ns,
    ifnull((SELECT max(f.value) FROM node_fact AS f
      WHERE f.snapshot_id = h.snapshot_id AND f.key = 'system_version'), '') AS node
  FROM _held_read AS h
  JOIN snapshot AS n ON n.id = h.snapshot_id
  GROUP BY h.snapshot_id
  -- Terms of some allocators alone are no reading of a node.
  HAVING count(*) >= 8
),
told AS (
  SELECT 'n' || w.node AS series, h.snapshot_id, w.source_id, NULL AS runtime_id, w.ts_ns, h.allocator,
    h.mbc_blocks_size + h.sbc_blocks_size + h.pool_blocks_size AS blocks_size
  FROM _held_read AS h
  JOIN whole AS w ON w.snapshot_id = h.snapshot_id
  UNION ALL
  -- A node that read itself; from 32 readings on its curve is judged like any other.
  SELECT 'r' || t.runtime_id, t.snapshot_id, r.source_id, t.runtime_id, t.ts_ns, t.allocator,
    ifnull(t.mbc_blocks_size, 0) + ifnull(t.sbc_blocks_size, 0) + ifnull(t.pool_blocks_size, 0)
  FROM _told_sum AS t
  JOIN _told_reader AS k ON k.runtime_id = t.runtime_id AND k.readings < 32
  JOIN runtime AS r ON r.id = t.runtime_id
  WHERE NOT EXISTS (SELECT 1 FROM _live_total AS l WHERE l.runtime_id = t.runtime_id)
)
SELECT
  series, source_id, runtime_id, snapshot_id, ts_ns, allocator, blocks_size,
  -- Ids of what a node told itself fall.
  row_number() OVER (each ORDER BY ts_ns, abs(snapshot_id)) AS reading,
  count(*) OVER each AS readings,
  first_value(snapshot_id) OVER (each ORDER BY ts_ns DESC, abs(snapshot_id) DESC) AS last_snapshot_id
FROM told
WINDOW each AS (PARTITION BY series, allocator);

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
CREATE VIEW reading_series AS
WITH cut AS (
  SELECT *, min(8, readings) AS windows, (reading - 1) * min(8, readings) / readings + 1 AS window
  FROM _series
  WHERE readings >= 5
),
low AS (
  SELECT *, window > windows / 4 AS counts,
    min(blocks_size) OVER (PARTITION BY series, allocator, window) AS low_bytes
  FROM cut
)
SELECT
  l.source_id, l.runtime_id, l.snapshot_id, l.last_snapshot_id, l.allocator,
  l.reading, l.readings, l.ts_ns, l.window, l.windows, l.counts,
  l.blocks_size AS blocks_bytes,
  l.low_bytes,
  iif(l.counts, l.low_bytes
    - min(iif(l.counts, l.low_bytes, NULL)) OVER (PARTITION BY l.series, l.allocator), NULL)
    AS growth_bytes,
  s.lost_events AS source_lost_events,
  s.lost_packets AS source_lost_packets
FROM low AS l
JOIN source AS s ON s.id = l.source_id;

INSERT INTO view_doc VALUES
  ('_series', '', 'row', 'full scan', 'Private. One row for each allocator of each reading, with its place among the readings of its node'),
  ('reading_series', '', 'row', 'full scan', 'One row for each allocator of each reading that is one of at least five of a node: whether it grows from reading to reading. Readings are of one node when they tell the same version of the emulator'),
  ('reading_series', 'snapshot_id', 'id', 'label', 'The reading: snapshot.id; below 0 what a traced node told of itself'),
  ('reading_series', 'last_snapshot_id', 'id', 'label', 'The last reading of the node, whose verdict tells of the growth'),
  ('reading_series', 'reading', 'count', 'label', 'Number of the reading, from 1, in the order of time, or of loading where no time was told'),
  ('reading_series', 'readings', 'count', 'exact', 'Readings of the node'),
  ('reading_series', 'ts_ns', 'ns', 'estimate', 'When it was taken; NULL: not told'),
  ('reading_series', 'window', 'count', 'label', 'Number of the window of readings it is in'),
  ('reading_series', 'windows', 'count', 'label', 'Windows: as many as readings, at most 8'),
  ('reading_series', 'counts', 'flag', 'label', '0: in the first quarter of the windows, when a node boots'),
  ('reading_series', 'blocks_bytes', 'bytes', 'exact', 'Bytes in blocks, the pool included'),
  ('reading_series', 'low_bytes', 'bytes', 'exact', 'Least of the window'),
  ('reading_series', 'growth_bytes', 'bytes', 'exact', 'low_bytes beyond the least of the windows that count; NULL: it does not count');
