-- SPDX-License-Identifier: MIT
--
-- Layer:   what the page shows besides
-- Serves:  the HTML report, reports growers, settings, glossary

-- live_over_time: one row for each allocator and moment: bytes in blocks from then on.
CREATE VIEW live_over_time AS
SELECT
  r.source_id, r.runtime_id, r.vpid, l.allocator,
  l.ts_ns AS begin_ns,
  lead(l.ts_ns, 1, max(l.ts_ns, r.source_last_ts_ns))
    OVER (PARTITION BY l.subject_id, l.allocator ORDER BY l.ts_ns) AS end_ns,
  l.bytes AS live_bytes,
  EXISTS (SELECT 1 FROM _live_total AS t WHERE t.runtime_id = r.runtime_id) AS by_blocks,
  r.source_lost_events, r.source_lost_packets
FROM _level AS l
JOIN _runtime AS r ON r.runtime_id = l.subject_id;

-- size_over_time: one row for each allocator, power of two of sizes and moment at which
-- their live blocks changed.
CREATE VIEW size_over_time AS
WITH kind AS MATERIALIZED (
  SELECT DISTINCT a.source_id, a.runtime_id, a.allocator_id,
    CASE WHEN m.size_from <= 1 THEN 0 ELSE CAST(log2(m.size_from) AS INTEGER) END AS size_log2
  FROM block_account AS a
  JOIN block_made_size AS m ON m.account_id = a.id
  WHERE a.scope = 'type' AND a.allocator_id IS NOT NULL
),
-- Of all types together: each has thousands of rows.
cell AS MATERIALIZED (
  SELECT a.runtime_id, a.allocator_id, CASE WHEN s.size_from <= 1 THEN 0 ELSE CAST(log2(s.size_from) AS INTEGER) END AS size_log2,
    s.at_id, sum(s.live_blocks) AS live_blocks, sum(s.live_bytes) AS live_bytes
  FROM block_keyframe_size AS s
  CROSS JOIN block_account AS a ON a.id = s.account_id
  WHERE a.scope = 'type' AND a.allocator_id IS NOT NULL
  GROUP BY s.at_id, a.runtime_id, a.allocator_id, size_log2
),
level AS (
  SELECT k.runtime_id, k.allocator_id, k.size_log2, f.at_id, f.ts_ns AS begin_ns,
    ifnull(c.live_blocks, 0) AS live_blocks, ifnull(c.live_bytes, 0) AS live_bytes
  FROM kind AS k
  CROSS JOIN block_keyframe AS f ON f.source_id = k.source_id
  LEFT JOIN cell AS c ON c.at_id = f.at_id AND c.runtime_id = k.runtime_id AND c.allocator_id = k.allocator_id
    AND c.size_log2 = k.size_log2
),
step AS (
  SELECT
    runtime_id, allocator_id, size_log2, begin_ns,
    live_blocks - lag(live_blocks, 1, 0) OVER level_history AS blocks,
    live_bytes - lag(live_bytes, 1, 0) OVER level_history AS bytes
  FROM level
  WINDOW level_history AS (PARTITION BY runtime_id, allocator_id, size_log2 ORDER BY begin_ns)
),
summed AS (
  SELECT runtime_id, allocator_id, size_log2, begin_ns, sum(blocks) AS blocks, sum(bytes) AS bytes
  FROM step
  GROUP BY runtime_id, allocator_id, size_log2, begin_ns
  HAVING sum(blocks) <> 0 OR sum(bytes) <> 0
)
SELECT
  r.source_id, r.id AS runtime_id, r.vpid, n.name AS allocator,
  iif(t.size_log2 = 0, 0, 1 << t.size_log2) AS size_from,
  2 << t.size_log2 AS size_to,
  t.begin_ns,
  lead(t.begin_ns, 1, max(t.begin_ns, s.last_ts_ns)) OVER level_history AS end_ns,
  sum(t.blocks) OVER level_history AS live_blocks,
  sum(t.bytes) OVER level_history AS live_bytes,
  s.lost_events AS source_lost_events,
  s.lost_packets AS source_lost_packets
FROM summed AS t
JOIN runtime AS r ON r.id = t.runtime_id
JOIN source AS s ON s.id = r.source_id
JOIN allocator_name AS n ON n.runtime_id = t.runtime_id AND n.allocator_id = t.allocator_id
WINDOW level_history AS (PARTITION BY t.runtime_id, t.allocator_id, t.size_log2 ORDER BY t.begin_ns);

-- growth_top: one row for each block type (with block events) or allocator (without) of a
-- runtime: what was live a quarter into the recording, and at its end.
CREATE TABLE growth_top (
  source_id INTEGER,
  runtime_id INTEGER,
  vpid INTEGER,
  allocator TEXT,
  type TEXT,
  from_bytes INTEGER,
  to_bytes INTEGER,
  growth_bytes INTEGER,
  blocks INTEGER,
  source_lost_events INTEGER,
  source_lost_packets INTEGER
) STRICT;

CREATE TEMP TABLE growth_top AS
WITH moment AS (
  SELECT r.id AS runtime_id, s.first_ts_ns + (s.last_ts_ns - s.first_ts_ns) / 4 AS ts_ns
  FROM runtime AS r
  JOIN source AS s ON s.id = r.source_id
),
early AS (
  SELECT b.runtime_id, b.allocator_id, b.type_id, b.live_bytes, max(b.begin_ns)
  FROM _type_level AS b
  JOIN moment AS m ON m.runtime_id = b.runtime_id
  WHERE b.begin_ns <= m.ts_ns
  GROUP BY b.runtime_id, b.allocator_id, b.type_id
),
growth AS (
  SELECT
    t.runtime_id, n.name AS allocator, k.name AS type,
    ifnull(sum(e.live_bytes), 0) AS from_bytes, sum(t.live_bytes) AS to_bytes,
    sum(t.live_blocks) AS blocks
  FROM _live_total AS t
  JOIN allocator_name AS n ON n.runtime_id = t.runtime_id AND n.allocator_id = t.allocator_id
  LEFT JOIN _type_name AS k ON k.runtime_id = t.runtime_id AND k.type_id = t.type_id
  LEFT JOIN early AS e ON e.runtime_id = t.runtime_id AND e.allocator_id = t.allocator_id
    AND e.type_id = t.type_id
  GROUP BY t.runtime_id, t.allocator_id, t.type_id
  UNION ALL
  SELECT
    w.runtime_id, w.allocator, NULL,
    max(w.low_bytes) FILTER (WHERE w.window = t.growth_first_window),
    max(w.low_bytes) FILTER (WHERE w.window = t.growth_windows),
    NULL
  FROM low_water AS w
  JOIN _threshold AS t
  WHERE NOT EXISTS (SELECT 1 FROM _live_total AS b WHERE b.runtime_id = w.runtime_id)
  GROUP BY w.runtime_id, w.allocator
)
SELECT
  r.source_id, t.runtime_id, r.vpid, t.allocator, t.type,
  t.from_bytes, t.to_bytes, t.to_bytes - t.from_bytes AS growth_bytes, t.blocks,
  r.source_lost_events, r.source_lost_packets
FROM growth AS t
JOIN _runtime AS r ON r.runtime_id = t.runtime_id;

CREATE VIEW report_growth_top AS
SELECT
  source_id AS source, vpid, allocator, type,
  round(from_bytes / 1048576.0, 2) AS from_mib,
  round(to_bytes / 1048576.0, 2) AS to_mib,
  round(growth_bytes / 1048576.0, 2) AS growth_mib,
  source_lost_events AS lost_events
FROM growth_top
ORDER BY source_id, growth_bytes DESC NULLS LAST, vpid, runtime_id, allocator, type;

-- setting: one row for each setting of an allocator that was in force.
CREATE VIEW setting AS
WITH setting_row AS (
  SELECT r.source_id, r.id AS runtime_id, NULL AS snapshot_id, r.vpid,
    n.name AS allocator, NULL AS instance, o.name, o.value
  FROM "option" AS o
  JOIN runtime AS r ON r.id = o.runtime_id
  LEFT JOIN allocator_name AS n ON n.runtime_id = o.runtime_id AND n.allocator_id = o.allocator_id
  GROUP BY r.id, n.name, o.name
  UNION ALL
  SELECT s.source_id, s.runtime_id, s.id, NULL, o.allocator, o.instance, o.name, o.value
  FROM allocator_option AS o
  JOIN snapshot AS s ON s.id = o.snapshot_id
)
SELECT t.*, s.lost_events AS source_lost_events
FROM setting_row AS t
JOIN source AS s ON s.id = t.source_id;

CREATE VIEW report_settings AS
SELECT source_id AS source, vpid, allocator, instance, name, value, source_lost_events AS lost_events
FROM setting
ORDER BY source_id, vpid, runtime_id, snapshot_id, allocator, instance, name;

CREATE TABLE glossary (
  term    TEXT PRIMARY KEY,
  meaning TEXT NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO glossary VALUES
  ('block', 'Memory handed to a user of an allocator: a term, a heap, a binary, a table row.'),
  ('carrier', 'Memory that an allocator took from the operating system to cut blocks from. It is returned only when its last block is freed.'),
  ('multi-block carrier (mbc)', 'A carrier for many blocks.'),
  ('single-block carrier (sbc)', 'A carrier for one block of at least sbct bytes (512 KiB unless set). OTP reports when one is made, not when it ends.'),
  ('allocator', 'eheap_alloc: process heaps. binary_alloc: binaries of more than 64 bytes. ets_alloc: tables. ll_alloc: code and long-lived memory. fix_alloc: structures of fixed size. driver_alloc: ports. sl_alloc, std_alloc: short- and medium-lived memory. temp_alloc: memory for one call. literal_alloc: constants of code.'),
  ('instance', 'One of an allocator''s copies: 0 is the global one, n that of scheduler n. Instances do not share carriers, save through the pool.'),
  ('pool', 'Where an instance abandons a carrier that is badly used (below acul per cent), for others to fetch.'),
  ('utilisation', 'Bytes in blocks by bytes of carriers.'),
  ('fragmentation', 'Free memory between blocks that cannot be returned, because each carrier still has a live block.'),
  ('leak', 'Blocks that grow and never reach a plateau.'),
  ('peak retention', 'Carriers of a past peak that stay and wait for the next.'),
  ('low-water mark', 'The least that was in blocks during a window of time. Noise goes up and down; a leak lifts the least.'),
  ('footprint', 'Bytes of the carriers of all instances, each as last recorded; the pool left out.'),
  ('ledger', 'Changes that the counters show and no event recorded.'),
  ('exact, bound, estimate', 'exact: as it was. bound: the truth is not beyond it. estimate: the likely value. All of them only where no events were lost.'),
  ('mseg', 'The segment allocator below the carriers; it keeps some freed segments for reuse (+MMmcs).'),
  ('sys_alloc', 'malloc of the C library.'),
  ('sbct, lmbcs, smbcs', 'Settings: from which size a block has a carrier of its own; largest and smallest size of multi-block carriers that are made as needed.'),
  ('acul', 'Setting: below which utilisation, in per cent, a carrier is abandoned to the pool.'),
  ('as', 'Setting: the strategy by which a hole is chosen. bf best fit, aobf best fit by address, aoff first fit by address; aoffcbf and others choose the carrier by address first, and know the pool.'),
  ('hole', 'Free memory between two blocks of a carrier.'),
  ('foreign block', 'A block of one allocator in a carrier of another: carriers of the pool are shared.'),
  ('resident', 'Memory of the process that is in RAM, as the operating system counts it.'),
  ('slack', 'Bytes of a block behind what was asked for: rounding, or a rest too small for a block of its own.');

CREATE VIEW report_glossary AS
SELECT term, meaning, (SELECT sum(lost_events) FROM source) AS lost_events
FROM glossary
ORDER BY term;

INSERT INTO view_doc VALUES
  ('live_over_time', '', 'row', 'fast', 'One row for each allocator of a runtime and moment at which its bytes in blocks were recorded'),
  ('live_over_time', 'live_bytes', 'bytes', 'estimate', 'Bytes in blocks from begin_ns on: asked for by live blocks when by_blocks = 1, else as counters recorded'),
  ('live_over_time', 'begin_ns', 'ns', 'label', 'When the level was recorded'),
  ('live_over_time', 'end_ns', 'ns', 'label', 'Begin of the allocator''s next row, or end of the source'),
  ('live_over_time', 'by_blocks', 'flag', 'exact', '1: from block events; 0: from counters of carrier events'),
  ('size_over_time', '', 'row', 'fast', 'One row for each allocator of a runtime, power of two of sizes and bucket of time in which its live blocks changed; empty without block events'),
  ('size_over_time', 'size_from', 'bytes', 'label', 'Sizes from this on'),
  ('size_over_time', 'size_to', 'bytes', 'label', 'and below this'),
  ('size_over_time', 'begin_ns', 'ns', 'label', 'When the level was recorded'),
  ('size_over_time', 'end_ns', 'ns', 'label', 'Begin of the next row of these sizes, or end of the source'),
  ('size_over_time', 'live_blocks', 'count', 'bound', 'Blocks live from then on; blocks from before the recording left out'),
  ('size_over_time', 'live_bytes', 'bytes', 'bound', 'Bytes asked for by these; blocks from before the recording left out'),
  ('growth_top', '', 'row', 'fast', 'One row for each block type of a runtime (with block events) or each allocator (without): what was live early and late'),
  ('growth_top', 'type', 'text', 'label', 'Name of the block type; NULL: the row is about the allocator'),
  ('growth_top', 'from_bytes', 'bytes', 'estimate', 'Live a quarter into the recording; without block events the low-water mark of the first window that counts'),
  ('growth_top', 'to_bytes', 'bytes', 'estimate', 'Live at the end; without block events the low-water mark of the last window'),
  ('growth_top', 'growth_bytes', 'bytes', 'estimate', 'to_bytes - from_bytes'),
  ('growth_top', 'blocks', 'count', 'bound', 'Blocks live at the end; NULL: not recorded'),
  ('report_growth_top', '', 'row', 'fast', 'What grew most: block types, or allocators where no block was recorded; from growth_top'),
  ('report_growth_top', 'type', 'text', 'label', 'Name of the block type; empty: the row is about the allocator'),
  ('report_growth_top', 'from_mib', 'MiB', 'estimate', 'from_bytes'),
  ('report_growth_top', 'to_mib', 'MiB', 'estimate', 'to_bytes'),
  ('report_growth_top', 'growth_mib', 'MiB', 'estimate', 'growth_bytes'),
  ('setting', '', 'row', 'fast', 'One row for each setting of an allocator that was in force'),
  ('setting', 'snapshot_id', 'id', 'label', 'snapshot.id of a node that was read at one moment; NULL: traced'),
  ('setting', 'name', 'text', 'label', 'Name of the setting as in +M flags, without the letter'),
  ('setting', 'value', 'text', 'exact', 'Its value; sizes are bytes, other than on the command line'),
  ('report_settings', '', 'row', 'fast', 'Settings of allocators in force; from setting'),
  ('report_settings', 'name', 'text', 'label', 'Name of the setting'),
  ('report_settings', 'value', 'text', 'exact', 'Its value; sizes are bytes'),
  ('glossary', '', 'row', 'fast', 'One row for each word of reports that a newcomer may not know'),
  ('glossary', 'term', 'text', 'label', 'The word'),
  ('glossary', 'meaning', 'text', 'label', 'What it means'),
  ('report_glossary', '', 'row', 'fast', 'The words of the reports; from glossary'),
  ('report_glossary', 'term', 'text', 'label', 'The word'),
  ('report_glossary', 'meaning', 'text', 'label', 'What it means');
