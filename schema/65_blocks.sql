-- SPDX-License-Identifier: MIT
--
-- Layer:   65, blocks
-- Reads:   block_event, thread, name_type, name_allocator
-- Serves:  report block_sizes
--
-- Sizes of blocks, when block events were recorded.  All of these read every
-- block event.
--
-- Worked example (the test of block_size): three allocations of 100, 120 and 300
-- bytes, the first freed again:
--
--   size_from  size_to  allocations  live_blocks  live_bytes
--   64         128      2            1            120
--   256        512      1            1            300

-- Names are told again to each late session: once is enough.
CREATE VIEW _type_name AS
SELECT type_id, max(name) AS name, max(allocator_id) AS allocator_id FROM name_type GROUP BY type_id;

CREATE VIEW _allocator_name AS
SELECT allocator_id, max(name) AS name FROM name_allocator GROUP BY allocator_id;

-- One row for each block that was live when the source ended: the last that was
-- said of its address is not that it was freed.
CREATE VIEW block_live AS
WITH latest AS (
  SELECT t.runtime_id, b.address, max(b.id) AS id, b.op, b.size, b.type_id, b.allocator_id,
    b.instance, b.ts_ns
  FROM block_event AS b
  LEFT JOIN thread AS t ON t.id = b.thread_id
  GROUP BY t.runtime_id, b.address
)
SELECT
  l.runtime_id,
  l.address,
  coalesce(a.name, 'libc') AS allocator,
  l.instance,
  n.name AS type,
  l.size,
  l.ts_ns AS since_ns,
  (SELECT sum(lost_events) FROM source) AS source_lost_events
FROM latest AS l
LEFT JOIN _allocator_name AS a ON a.allocator_id = l.allocator_id
LEFT JOIN _type_name AS n ON n.type_id = l.type_id
WHERE l.op <> 1 AND l.address <> 0;

-- One row for each allocator, type and power of two of sizes.
CREATE VIEW block_size AS
WITH made AS (
  SELECT allocator_id, type_id,
    -- The power of two at or below the size; sizes are not negative.
    CASE WHEN size = 0 THEN 0 ELSE 1 << CAST(log2(size) AS INTEGER) END AS size_from,
    count(*) AS allocations,
    sum(size) AS allocated_bytes
  FROM block_event
  WHERE op <> 1 AND address <> 0
  GROUP BY 1, 2, 3
),
live AS (
  SELECT allocator, type,
    CASE WHEN size = 0 THEN 0 ELSE 1 << CAST(log2(size) AS INTEGER) END AS size_from,
    count(*) AS live_blocks,
    sum(size) AS live_bytes
  FROM block_live
  GROUP BY 1, 2, 3
)
SELECT
  coalesce(a.name, 'libc') AS allocator,
  n.name AS type,
  m.size_from,
  max(2 * m.size_from, 1) AS size_to,
  m.allocations,
  m.allocated_bytes,
  coalesce(l.live_blocks, 0) AS live_blocks,
  coalesce(l.live_bytes, 0) AS live_bytes,
  (SELECT sum(lost_events) FROM source) AS source_lost_events
FROM made AS m
LEFT JOIN _allocator_name AS a ON a.allocator_id = m.allocator_id
LEFT JOIN _type_name AS n ON n.type_id = m.type_id
LEFT JOIN live AS l ON l.allocator = coalesce(a.name, 'libc') AND l.type IS n.name
  AND l.size_from = m.size_from;

-- Sizes by allocator, for people.
CREATE VIEW report_block_sizes AS
SELECT
  allocator,
  size_from AS from_bytes,
  size_to AS to_bytes,
  sum(allocations) AS allocations,
  sum(live_blocks) AS live_blocks,
  round(sum(live_bytes) / 1048576.0, 2) AS live_mib,
  max(source_lost_events) AS lost_events
FROM block_size
GROUP BY allocator, size_from, size_to
ORDER BY allocator, size_from;

-- What carrier events last told of an allocator beside what block events say is
-- live: a utilisation that fell since no carrier came or went shows here only.
CREATE VIEW report_live AS
WITH live AS (
  SELECT allocator, sum(live_blocks) AS live_blocks, sum(live_bytes) AS live_bytes
  FROM block_size
  GROUP BY allocator
)
SELECT
  l.allocator,
  round(sum(u.carriers_size) / 1048576.0, 2) AS carriers_mib,
  round(sum(u.blocks_size) / 1048576.0, 2) AS told_mib,
  round(l.live_bytes / 1048576.0, 2) AS live_mib,
  l.live_blocks,
  round(100.0 * l.live_bytes / nullif(sum(u.carriers_size), 0), 1) AS live_percent,
  (SELECT sum(lost_events) FROM source) AS lost_events
FROM live AS l
LEFT JOIN utilisation_now_allocator AS u ON u.allocator = l.allocator
GROUP BY l.allocator
ORDER BY l.live_bytes DESC, l.allocator;

INSERT INTO view_doc VALUES
  ('report_live', '', 'row', 'full scan', 'What block events say is live, beside what carrier events last told; blocks from before the recording are not in it'),
  ('report_live', 'allocator', 'text', 'label', 'Name of the allocator'),
  ('report_live', 'carriers_mib', 'MiB', 'estimate', 'Its carriers as last told, MiB; carriers in the pool left out'),
  ('report_live', 'told_mib', 'MiB', 'estimate', 'Its blocks as carrier events last told, MiB'),
  ('report_live', 'live_mib', 'MiB', 'exact', 'Bytes asked for by the blocks live when the recording ended, MiB'),
  ('report_live', 'live_blocks', 'count', 'exact', 'Blocks live when the recording ended'),
  ('report_live', 'live_percent', 'percent', 'estimate', 'Live bytes in per cent of its carriers, headers of blocks left out'),
  ('report_live', 'lost_events', 'count', 'exact', 'Events that the sources are known to lack; above 0, exact may not hold'),
  ('block_live', '', 'row', 'full scan', 'One row for each block that was live when the recording ended; blocks that were there before it began are not in it'),
  ('block_live', 'runtime_id', 'id', 'label', 'runtime.id; NULL: the trace does not tell threads'),
  ('block_live', 'address', 'address', 'exact', 'Where the block is: a name, never to be followed'),
  ('block_live', 'allocator', 'text', 'label', 'Name of the allocator; libc: the C library''s'),
  ('block_live', 'instance', 'count', 'label', 'Number of the allocator instance; NULL: libc'),
  ('block_live', 'type', 'text', 'label', 'Name of the block type; NULL: not told'),
  ('block_live', 'size', 'bytes', 'exact', 'Bytes asked for'),
  ('block_live', 'since_ns', 'ns', 'exact', 'When it was allocated, since the Unix epoch'),
  ('block_live', 'source_lost_events', 'count', 'exact', 'Events that the sources of this database are known to lack; above 0, exact may not hold'),
  ('block_size', 'source_lost_events', 'count', 'exact', 'Events that the sources of this database are known to lack; above 0, exact may not hold'),
  ('report_block_sizes', 'lost_events', 'count', 'exact', 'Events that the sources are known to lack; above 0, exact may not hold'),
  ('_type_name', '', 'row', 'fast', 'Private. One row for each block type: its name'),
  ('_allocator_name', '', 'row', 'fast', 'Private. One row for each allocator of block events: its name'),
  ('block_size', '', 'row', 'full scan', 'One row for each allocator, block type and power of two of sizes asked for'),
  ('block_size', 'allocator', 'text', 'label', 'Name of the allocator; libc: the C library''s'),
  ('block_size', 'type', 'text', 'label', 'Name of the block type; NULL: not told'),
  ('block_size', 'size_from', 'bytes', 'label', 'Sizes from this on'),
  ('block_size', 'size_to', 'bytes', 'label', 'and below this'),
  ('block_size', 'allocations', 'count', 'exact', 'Allocations of this size over the whole recording, reallocations included'),
  ('block_size', 'allocated_bytes', 'bytes', 'exact', 'Bytes asked for by them'),
  ('block_size', 'live_blocks', 'count', 'exact', 'Of them, live when the recording ended'),
  ('block_size', 'live_bytes', 'bytes', 'exact', 'Bytes asked for by the live ones'),
  ('report_block_sizes', '', 'row', 'full scan', 'Sizes of blocks by allocator: how many were allocated, how many are live'),
  ('report_block_sizes', 'allocator', 'text', 'label', 'Name of the allocator'),
  ('report_block_sizes', 'from_bytes', 'bytes', 'label', 'Sizes from this on'),
  ('report_block_sizes', 'to_bytes', 'bytes', 'label', 'and below this'),
  ('report_block_sizes', 'allocations', 'count', 'exact', 'Allocations over the whole recording'),
  ('report_block_sizes', 'live_blocks', 'count', 'exact', 'Live when the recording ended'),
  ('report_block_sizes', 'live_mib', 'MiB', 'exact', 'Bytes asked for by the live ones, MiB');
