-- SPDX-License-Identifier: MIT
--
-- Layer:   what is known since when
-- Serves:  judge/bound, figures, series, verdicts, finding
--
-- A figure is exact only from a moment on at which the state was known, and only as long as nothing
-- is missing.  The state is known
--
--   at a whole statedump    the carriers between its begin and its end are as many as the end says
--   at a whole snapshot     the same of the figures
--   from boot               the dump that begins the recording is empty, or every instance was
--                           followed from its first carrier on
--
-- and nothing is missing after the last loss, the first packet of a flight recorder's stream
-- included.  Times are ns since the Unix epoch; 2^63 - 1 is never.

-- _span: one row for each runtime: when its own recording begins and ends, and since when nothing is missing (0: nothing is).
-- That of a node which was killed while it took a snapshot ends with the snapshot before, where nothing but snapshots was recorded.
CREATE TEMP TABLE _span AS
WITH gap AS (
  SELECT l.source_id, max(ifnull(l.end_ns, 9223372036854775807)) AS complete_ns
  FROM lost_interval AS l
  JOIN source AS s ON s.id = l.source_id
  -- The process ends where it begins; so does a source of which nothing is known later.
  WHERE l.cause <> 'not_emitted' AND (l.cause <> 'not_delivered' OR ifnull(l.begin_ns, 0) < s.last_ts_ns)
  GROUP BY l.source_id
),
trouble AS (
  SELECT source_id FROM load_problem
  WHERE severity IN ('data_loss', 'error')
    AND name NOT IN ('discarded_events', 'discarded_packets', 'dropped_records', 'missing_batches', 'batch_damaged',
      'not_delivered', 'not_recorded_before', 'metadata_remade')
  GROUP BY source_id
),
mixed AS (
  SELECT runtime_id FROM instance WHERE inconsistent > 0 GROUP BY runtime_id
),
killed AS (
  SELECT e.runtime_id, max(e.ts_ns) AS ts_ns
  FROM snapshot_end AS e
  JOIN runtime AS r ON r.id = e.runtime_id
  WHERE r.source_id NOT IN (SELECT source_id FROM event_count
    WHERE events > 0 AND (event GLOB 'carrier_*' OR event GLOB 'block_*' OR event GLOB 'sample_*'))
  GROUP BY e.runtime_id
  HAVING max(e.ts_ns) < (SELECT max(b.ts_ns) FROM snapshot_begin AS b WHERE b.runtime_id = e.runtime_id)
)
SELECT
  r.id AS runtime_id, r.source_id, ifnull(e.first_ts_ns, s.first_ts_ns) AS begin_ns,
  coalesce(k.ts_ns, e.last_ts_ns, s.last_ts_ns) AS end_ns,
  r.vpid IS NULL AND m.runtime_id IS NOT NULL AS is_mixed,
  CASE WHEN t.source_id IS NOT NULL THEN 9223372036854775807 ELSE ifnull(g.complete_ns, 0) END AS complete_ns
FROM runtime AS r
JOIN source AS s ON s.id = r.source_id
LEFT JOIN gap AS g ON g.source_id = r.source_id
LEFT JOIN trouble AS t ON t.source_id = r.source_id
LEFT JOIN mixed AS m ON m.runtime_id = r.id
LEFT JOIN runtime_span AS e ON e.runtime_id = r.id
LEFT JOIN killed AS k ON k.runtime_id = r.id
WHERE s.last_ts_ns IS NOT NULL;

-- node_name: one row for each runtime: the name of its node as it last recorded it, else of its program.
CREATE TABLE node_name (
  runtime_id INTEGER,
  source_id  INTEGER,
  vpid       INTEGER,
  name       TEXT
) STRICT;

CREATE TEMP TABLE node_name AS
WITH named AS (
  SELECT runtime_id, value AS name, max(id) FROM runtime_fact WHERE key = 'node_name' GROUP BY runtime_id
)
SELECT r.id AS runtime_id, r.source_id, r.vpid, ifnull(n.name, r.procname) AS name
FROM runtime AS r
LEFT JOIN named AS n ON n.runtime_id = r.id;

-- _moment: the moments that figures are of.  The peak is a matter of each kind of evidence.
CREATE TEMP TABLE _moment AS
SELECT runtime_id, 'end' AS moment, end_ns AS at_ns FROM _span
UNION ALL
SELECT s.runtime_id, 'at', min(q.at_ns, s.end_ns)
FROM _span AS s
JOIN question AS q
WHERE q.at_ns IS NOT NULL;

-- _recorded: one row for each runtime: which kinds of evidence its session recorded.
CREATE TEMP TABLE _recorded AS
WITH kind AS (
  SELECT
    source_id,
    total(provider = 'carrierscope' AND event IN ('carrier_alloc', 'carrier_free', 'carrier_realloc')) = 3 AS has_addresses,
    total(provider = 'carrierscope' AND event = 'carrier_moved') = 1 AS has_moves,
    max(provider = 'carrierscope' AND event IN ('block_alloc', 'block_alloc_by_process'))
      + max(provider = 'carrierscope' AND event IN ('block_realloc', 'block_realloc_by_process'))
      + max(provider = 'carrierscope' AND event = 'block_free') = 3 AS has_blocks,
    max(provider = 'carrierscope' AND event IN ('sample_alloc', 'sample_alloc_by_process'))
      + max(provider = 'carrierscope' AND event = 'sample_free') = 2 AS has_samples,
    max(total(event IN ('carrier_create', 'carrier_destroy', 'carrier_pool_put', 'carrier_pool_get')
      AND provider = 'org_erlang_otp') = 4,
      total(event IN ('carrier_create', 'carrier_destroy', 'carrier_pool_put', 'carrier_pool_get')
      AND provider = 'com_ericsson_otp') = 4) AS has_counters
  FROM event_count
  -- What a guessed metadata declares need not have been recorded.
  WHERE events > 0 OR source_id NOT IN (SELECT source_id FROM load_problem WHERE name = 'metadata_remade')
  GROUP BY source_id
)
SELECT r.id AS runtime_id, r.source_id, k.has_addresses, k.has_moves, k.has_blocks, k.has_samples, k.has_counters
FROM runtime AS r
JOIN kind AS k ON k.source_id = r.source_id;

-- _dump: one row for each runtime: its first whole statedump after which nothing is missing.  A hooked
-- node dumps names and options, no carriers.
CREATE TEMP TABLE _dump AS
WITH statedump AS MATERIALIZED (
  SELECT b.runtime_id, b.dump_id, b.ts_ns, e.ts_ns AS until_ns, e.carrier_count AS carriers,
    e.block_count AS blocks
  FROM state_begin AS b
  JOIN state_end AS e ON e.runtime_id = b.runtime_id AND e.dump_id = b.dump_id
  WHERE b.runtime_id NOT IN (SELECT runtime_id FROM hook_begin)
),
carrier AS MATERIALIZED (
  SELECT t.runtime_id, t.dump_id, count(*) AS carriers
  FROM statedump AS t
  JOIN state_carrier AS c ON c.runtime_id = t.runtime_id AND c.ts_ns BETWEEN t.ts_ns AND t.until_ns
  GROUP BY t.runtime_id, t.dump_id
),
block AS MATERIALIZED (
  SELECT t.runtime_id, t.dump_id, count(*) AS blocks
  -- In this order: no index over all blocks is made.
  FROM state_block AS c
  CROSS JOIN statedump AS t ON t.runtime_id = c.runtime_id AND c.ts_ns BETWEEN t.ts_ns AND t.until_ns
  GROUP BY t.runtime_id, t.dump_id
)
SELECT t.runtime_id, min(t.ts_ns) AS ts_ns, t.until_ns, t.carriers, t.blocks
FROM statedump AS t
JOIN _span AS s ON s.runtime_id = t.runtime_id
LEFT JOIN carrier AS c ON c.runtime_id = t.runtime_id AND c.dump_id = t.dump_id
LEFT JOIN block AS b ON b.runtime_id = t.runtime_id AND b.dump_id = t.dump_id
WHERE ifnull(c.carriers, 0) = t.carriers AND ifnull(b.blocks, 0) = t.blocks
  AND t.ts_ns >= s.complete_ns
GROUP BY t.runtime_id;

-- _boot: one row for each runtime that was recorded from its first carrier on, with nothing missing.
CREATE TEMP TABLE _boot AS
SELECT d.runtime_id
FROM _dump AS d
JOIN _span AS s ON s.runtime_id = d.runtime_id
WHERE d.carriers = 0 AND d.blocks = 0 AND s.complete_ns = 0
UNION
SELECT i.runtime_id
FROM instance AS i
JOIN _span AS s ON s.runtime_id = i.runtime_id
WHERE s.complete_ns = 0 AND NOT s.is_mixed
GROUP BY i.runtime_id
HAVING min(i.base_known) = 1;

-- _place_step: one row for each change of a carrier that has an address: what it was before and what
-- it is from then on.  place: mbc (employed), pool, sbc, pending (in no statistics); NULL: not there.
CREATE TEMP TABLE _place_step AS
WITH step(runtime_id, address, ts_ns, rank, allocator_id, size, place) AS (
  SELECT runtime_id, address, ts_ns, 2, allocator_id, size_bytes, iif(kind = 2, 'sbc', 'mbc')
  FROM carrier_alloc
  UNION ALL
  SELECT runtime_id, address, ts_ns, 3, allocator_id, size_bytes, NULL FROM carrier_free
  UNION ALL
  SELECT runtime_id, address, ts_ns, 2, allocator_id, size_bytes,
    CASE place WHEN 0 THEN 'mbc' WHEN 1 THEN 'pool' ELSE 'pending' END
  FROM carrier_moved
  UNION ALL
  SELECT runtime_id, old_address, ts_ns, 1, allocator_id, 0, NULL
  FROM carrier_realloc WHERE old_address <> address
  UNION ALL
  SELECT runtime_id, address, ts_ns, 2, allocator_id, size_bytes, 'sbc' FROM carrier_realloc
  UNION ALL
  SELECT c.runtime_id, c.address, c.ts_ns, 2, c.allocator_id, c.size_bytes,
    iif(c.kind = 2, 'sbc', CASE c.place WHEN 0 THEN 'mbc' WHEN 1 THEN 'pool' ELSE 'pending' END)
  FROM state_carrier AS c
  JOIN _dump AS d ON d.runtime_id = c.runtime_id AND c.ts_ns BETWEEN d.ts_ns AND d.until_ns
)
SELECT
  t.runtime_id, t.address, t.ts_ns, t.rank, t.allocator_id, t.size, t.place,
  lag(t.allocator_id) OVER carrier_history AS old_allocator_id,
  lag(t.size) OVER carrier_history AS old_size,
  lag(t.place) OVER carrier_history AS old_place,
  d.runtime_id IS NOT NULL AS is_known
FROM step AS t
JOIN _span AS s ON s.runtime_id = t.runtime_id
LEFT JOIN _dump AS d ON d.runtime_id = t.runtime_id
WHERE t.ts_ns >= ifnull(d.ts_ns, s.complete_ns)
WINDOW carrier_history AS (PARTITION BY t.runtime_id, t.address ORDER BY t.ts_ns, t.rank);

-- _place_change: the same as changes of an allocator's sums.
CREATE TEMP TABLE _place_change AS
SELECT runtime_id, ts_ns, rank, is_known, allocator_id, place, size AS bytes, 1 AS carriers
FROM _place_step
WHERE place IS NOT NULL
UNION ALL
SELECT runtime_id, ts_ns, rank, is_known, old_allocator_id, old_place, -old_size, -1
FROM _place_step
WHERE old_place IS NOT NULL;

-- _place_split: runtimes whose carriers are known to be in the pool or not.
CREATE TEMP TABLE _place_split AS
SELECT runtime_id FROM _recorded WHERE has_addresses AND has_moves
UNION
SELECT r.runtime_id
FROM _recorded AS r
JOIN scope_total AS t
  ON t.source_id = r.source_id AND t.scope = 'runtime' AND t.scope_id = r.runtime_id
WHERE r.has_addresses AND r.has_counters AND t.puts + t.gets = 0;

-- _read_count: one row for each snapshot of a traced node: how many figures arrived, and the first.  The command computes this,
-- _read_sum and _read_calls in one pass over the figures.
CREATE TEMP VIEW _read_count AS
SELECT runtime_id, snapshot_id, min(id) AS first_id, count(*) AS figures
FROM snapshot_figure
GROUP BY runtime_id, snapshot_id;

-- _whole_reading: one row for each whole snapshot of a traced node: all of its figures arrived.
-- What it says is of a moment between begin_ns and read_ns, its first figure.
CREATE TEMP TABLE _whole_reading AS
WITH memory AS (
  SELECT runtime_id, snapshot_id, min(ts_ns) AS read_ns, count(*) AS figures
  FROM snapshot_memory
  GROUP BY runtime_id, snapshot_id
)
SELECT b.runtime_id, b.snapshot_id, b.ts_ns AS begin_ns,
  min(t.ts_ns, ifnull(m.read_ns, t.ts_ns)) AS read_ns, e.ts_ns AS end_ns
FROM snapshot_begin AS b
JOIN snapshot_end AS e ON e.runtime_id = b.runtime_id AND e.snapshot_id = b.snapshot_id
JOIN _read_count AS f ON f.runtime_id = b.runtime_id AND f.snapshot_id = b.snapshot_id
JOIN snapshot_figure AS t ON t.id = f.first_id
LEFT JOIN memory AS m ON m.runtime_id = b.runtime_id AND m.snapshot_id = b.snapshot_id
WHERE f.figures + ifnull(m.figures, 0) = e.figures;

-- _reading_sum: one row for each allocator of each whole snapshot.
CREATE TEMP TABLE _reading_sum AS
SELECT
  w.runtime_id, w.snapshot_id, w.begin_ns, w.read_ns, w.end_ns, f.allocator_id,
  count(DISTINCT f.instance) AS instances,
  total(f.current) FILTER (WHERE f.section = 'mbcs' AND f.key = 'carriers_size') AS mbc,
  total(f.current) FILTER (WHERE f.section = 'sbcs' AND f.key = 'carriers_size') AS sbc,
  total(f.current) FILTER (WHERE f.section = 'mbcs_pool' AND f.key = 'carriers_size') AS pool,
  total(f.current) FILTER (WHERE f.section = 'mbcs' AND f.key = 'carriers') AS mbcs,
  total(f.current) FILTER (WHERE f.section = 'sbcs' AND f.key = 'carriers') AS sbcs,
  total(f.current) FILTER (WHERE f.key = 'blocks' OR f.key LIKE 'blocks/%') AS blocks,
  total(f.current) FILTER (WHERE f.key = 'blocks_size' OR f.key LIKE 'blocks\_size/%' ESCAPE '\') AS bytes,
  total(f.current) FILTER (WHERE f.section = 'mbcs_pool' AND (f.key = 'blocks_size' OR f.key LIKE 'blocks\_size/%' ESCAPE '\')) AS pool_bytes,
  total(f.current) FILTER (WHERE f.section = 'sbcs' AND (f.key = 'blocks_size' OR f.key LIKE 'blocks\_size/%' ESCAPE '\')) AS sbc_bytes
FROM _whole_reading AS w
JOIN snapshot_figure AS f ON f.runtime_id = w.runtime_id AND f.snapshot_id = w.snapshot_id
WHERE f.allocator_id > 0 AND f.section IN ('mbcs', 'sbcs', 'mbcs_pool')
GROUP BY w.runtime_id, w.snapshot_id, f.allocator_id;

-- _moving: one row for each snapshot and allocator of which carriers moved between instances while they were read, in each of
-- the module's tries (fact snapshot_moving, "SNAPSHOT CARRIERS ALLOCATOR"): each of so many may be missing in the sums, or
-- there twice, with as much as carriers have at most in the mean of an instance.
CREATE TEMP VIEW _moving AS
WITH said AS (
  SELECT f.runtime_id, CAST(f.value AS INTEGER) AS snapshot_id, substr(f.value, instr(f.value, ' ') + 1) AS rest
  FROM runtime_fact AS f
  WHERE f.key = 'snapshot_moving'
),
named AS (
  SELECT DISTINCT s.runtime_id, s.snapshot_id, n.allocator_id, CAST(s.rest AS INTEGER) AS carriers
  FROM said AS s
  JOIN allocator_name AS n ON n.runtime_id = s.runtime_id AND n.name = substr(s.rest, instr(s.rest, ' ') + 1)
),
mean AS (
  SELECT n.runtime_id, n.snapshot_id, n.allocator_id, n.carriers,
    total(f.current) FILTER (WHERE f.key = 'carriers_size') / nullif(total(f.current) FILTER (WHERE f.key = 'carriers'), 0) AS bytes,
    total(f.current) FILTER (WHERE f.key = 'blocks' OR f.key LIKE 'blocks/%')
      / nullif(total(f.current) FILTER (WHERE f.key = 'carriers'), 0) AS blocks
  FROM named AS n
  JOIN snapshot_figure AS f ON f.runtime_id = n.runtime_id AND f.snapshot_id = n.snapshot_id AND f.allocator_id = n.allocator_id
    AND f.section IN ('mbcs', 'mbcs_pool')
  GROUP BY n.runtime_id, n.snapshot_id, n.allocator_id, f.instance, f.section
)
SELECT runtime_id, snapshot_id, allocator_id, carriers, CAST(carriers * ifnull(max(bytes), 0) AS INTEGER) AS moved_bytes,
  CAST(carriers * ifnull(max(blocks), 0) + 0.999 AS INTEGER) AS moved_blocks
FROM mean
GROUP BY runtime_id, snapshot_id, allocator_id;

-- _last_reading: one row for each moment of a runtime: its last whole snapshot then.
CREATE TEMP TABLE _last_reading AS
SELECT m.runtime_id, m.moment, m.at_ns, w.snapshot_id, w.begin_ns, max(w.read_ns) AS read_ns, w.end_ns
FROM _moment AS m
JOIN _whole_reading AS w ON w.runtime_id = m.runtime_id AND w.read_ns <= m.at_ns
GROUP BY m.runtime_id, m.moment;

-- _full_hook: one row for each stretch in which all blocks of a runtime are recorded: by a hook without a
-- filter, or by a core, which has none.
CREATE TEMP TABLE _full_hook AS
SELECT
  h.runtime_id, min(h.ts_ns) AS from_ns, h.allocators,
  ifnull((SELECT min(e.ts_ns) FROM hook_end AS e
    WHERE e.runtime_id = h.runtime_id AND e.hook_id = h.hook_id), 9223372036854775807) AS until_ns
FROM hook_begin AS h
WHERE h.types = 0 AND h.min_bytes = 0 AND h.sample_by = 0
GROUP BY h.runtime_id, h.hook_id
UNION ALL
SELECT a.runtime_id, 0, -1, 9223372036854775807
FROM block_account AS a
WHERE a.scope = 'runtime' AND NOT EXISTS (SELECT 1 FROM hook_begin AS h WHERE h.runtime_id = a.runtime_id)
GROUP BY a.runtime_id;

-- _by_malloc: one row for each allocator of a place that the node's flags switch off (as +Mea min): malloc serves for it.  An emulator
-- has test_alloc switched off, and takes nothing of it.
CREATE TEMP TABLE _by_malloc AS
SELECT DISTINCT subject_id, allocator
FROM (
  SELECT o.runtime_id AS subject_id, n.name AS allocator, o.name, o.value
  FROM "option" AS o
  JOIN name_allocator AS n ON n.runtime_id = o.runtime_id AND n.allocator_id = o.allocator_id
  UNION ALL
  SELECT -snapshot_id, allocator, name, value FROM allocator_option
)
WHERE name = 'e' AND value = 'false' AND allocator GLOB '*_alloc' AND allocator NOT IN ('sys_alloc', 'mseg_alloc', 'test_alloc');

-- _whole_dump: one row for each dump: whether all of its allocators are in it.  Processes come behind
-- them, and every node has some.
CREATE TEMP VIEW _whole_dump AS
SELECT
  d.snapshot_id,
  d.ended = 'end' OR EXISTS (SELECT 1 FROM process_sample AS p WHERE p.snapshot_id = d.snapshot_id)
    AS has_all_allocators,
  EXISTS (SELECT 1 FROM instance_stat AS i WHERE i.snapshot_id = d.snapshot_id) AS has_allocators,
  CASE d.ended
    WHEN 'cut' THEN format('the dump breaks off at offset %d', d.end_offset_bytes)
    WHEN 'size_limit' THEN format('the dump ends at offset %d, at the size limit that the node was given',
      d.end_offset_bytes)
    ELSE 'the dump is whole'
  END AS end_text
FROM crash_dump AS d;

INSERT INTO view_doc VALUES
  ('node_name', '', 'row', 'fast', 'One row for each runtime: the name of its node'),
  ('node_name', 'runtime_id', 'id', 'label', 'runtime.id'),
  ('node_name', 'source_id', 'id', 'label', 'source.id'),
  ('node_name', 'vpid', 'id', 'label', 'OS process id'),
  ('node_name', 'name', 'text', 'exact', 'Name of the node as it last recorded it, else of its program; NULL: not known');
