-- SPDX-License-Identifier: MIT
--
-- Layer:   snapshots
-- Serves:  node/recon, reports, findings
--
-- Readings of a node from all sources that have them, as one.

-- _recorded_snapshot: what a traced node says of itself, as snapshots: their ids are negative.
CREATE TEMP VIEW _recorded_snapshot AS
SELECT
  -(b.runtime_id * 4294967296 + b.snapshot_id) AS id,
  r.source_id, b.runtime_id, b.snapshot_id AS recorded_id, min(b.ts_ns) AS ts_ns
FROM snapshot_begin AS b
JOIN runtime AS r ON r.id = b.runtime_id
GROUP BY b.runtime_id, b.snapshot_id;

-- _recorded_stat: its figures, with the words that dumps and terms have.  Keys are paths: blocks of
-- another allocator are 'blocks/ets_alloc', what lies below the allocators is
-- 'default_mmap/os/sizes/used', fixed types are 'proc/allocated' and 'proc/used'.
CREATE TEMP VIEW _recorded_stat AS
WITH part AS (
  SELECT
    t.*, ifnull(a.name, t.section) AS owner,
    substr(t.key, 1, instr(t.key || '/', '/') - 1) AS first,
    substr(t.key, instr(t.key || '/', '/') + 1) AS rest
  FROM snapshot_figure AS t
  LEFT JOIN allocator_name AS a ON a.runtime_id = t.runtime_id
    AND a.allocator_id = t.allocator_id AND t.allocator_id > 0
)
SELECT
  s.source_id, s.id AS snapshot_id,
  iif(owner = 'erts_mmap', first, owner) AS allocator,
  iif(owner = 'erts_mmap', NULL, instance) AS instance,
  CASE
    WHEN owner = 'mseg_alloc' THEN iif(key LIKE 'mseg\_%' ESCAPE '\', 'calls', 'status')
    WHEN owner = 'erts_mmap' THEN iif(rest LIKE '%/free\_segs/%' ESCAPE '\', 'free_segs',
      substr(rest, 1, instr(rest || '/', '/') - 1))
    WHEN section = 'fix_types' THEN iif(rest = 'used', 'fix_types_used', 'fix_types')
    ELSE section END AS section,
  CASE
    WHEN owner = 'erts_mmap' THEN replace(replace(replace(replace(rest, 'os/', ''), 'supercarrier/', ''), 'sizes/', ''), 'free_segs/', '')
    ELSE first END AS key,
  current,
  iif(section IN ('mbcs', 'sbcs') OR key LIKE 'segments%', max_since_last, NULL) AS max_since_last,
  iif(section IN ('mbcs', 'sbcs') OR key LIKE 'segments%', max_ever, NULL) AS max_ever,
  iif(first IN ('blocks', 'blocks_size'), ifnull(nullif(rest, ''), owner), NULL) AS of
FROM part
JOIN _recorded_snapshot AS s ON s.runtime_id = part.runtime_id AND s.recorded_id = part.snapshot_id
WHERE owner <> 'node' AND (owner <> 'erts_mmap' OR rest NOT LIKE 'options/%');

-- instance_stat_all, memory_sample_all: the rows of every kind of source.  What a traced
-- node reports of itself joins here, as another part of each UNION ALL.
CREATE VIEW instance_stat_all AS
SELECT
  s.source_id,
  st.snapshot_id,
  st.allocator,
  st.instance,
  st.section,
  st.key,
  st.current,
  st.max_since_last,
  st.max_ever,
  st.of,
  src.lost_events AS source_lost_events
FROM instance_stat AS st
JOIN snapshot AS s ON s.id = st.snapshot_id
JOIN source AS src ON src.id = s.source_id
UNION ALL
SELECT t.source_id, t.snapshot_id, t.allocator, t.instance, t.section, t.key, t.current,
  t.max_since_last, t.max_ever, t.of, src.lost_events
FROM _recorded_stat AS t
JOIN source AS src ON src.id = t.source_id;

CREATE VIEW memory_sample_all AS
SELECT
  s.source_id,
  m.snapshot_id,
  m.key,
  m.bytes,
  src.lost_events AS source_lost_events
FROM memory_sample AS m
JOIN snapshot AS s ON s.id = m.snapshot_id
JOIN source AS src ON src.id = s.source_id
UNION ALL
SELECT s.source_id, s.id, m.key, m.bytes, src.lost_events
FROM snapshot_memory AS m
JOIN _recorded_snapshot AS s ON s.runtime_id = m.runtime_id AND s.recorded_id = m.snapshot_id
JOIN source AS src ON src.id = s.source_id;

-- _instance_side: one row for each snapshot, instance and side (mbcs, sbcs, mbcs_pool).
-- Since OTP 23 blocks are recorded for each allocator that has some in the carriers of the
-- instance; those of others are foreign.  An allocator without instances is number 0.
CREATE TEMP VIEW _instance_side AS
SELECT
  source_id,
  snapshot_id,
  allocator,
  ifnull(instance, 0) AS instance,
  section AS side,
  total(current) FILTER (WHERE key = 'blocks' AND ifnull(of, allocator) = allocator) AS blocks,
  total(max_ever) FILTER (WHERE key = 'blocks' AND ifnull(of, allocator) = allocator) AS max_blocks,
  total(current) FILTER (WHERE key = 'blocks_size' AND ifnull(of, allocator) = allocator) AS blocks_bytes,
  total(max_ever) FILTER (WHERE key = 'blocks_size' AND ifnull(of, allocator) = allocator) AS max_blocks_bytes,
  total(current) FILTER (WHERE key = 'foreign_blocks' OR (key = 'blocks' AND of <> allocator)) AS foreign_blocks,
  total(current) FILTER (WHERE key = 'foreign_blocks_size' OR (key = 'blocks_size' AND of <> allocator)) AS foreign_blocks_bytes,
  total(current) FILTER (WHERE key = 'carriers') AS carriers,
  total(max_ever) FILTER (WHERE key = 'carriers') AS max_carriers,
  total(current) FILTER (WHERE key = 'carriers_size') AS carriers_bytes,
  total(max_ever) FILTER (WHERE key = 'carriers_size') AS max_carriers_bytes,
  max(source_lost_events) AS source_lost_events
FROM instance_stat_all
WHERE section IN ('mbcs', 'sbcs', 'mbcs_pool')
GROUP BY source_id, snapshot_id, allocator, ifnull(instance, 0), section;

-- instance_reading: one row for each snapshot and allocator instance.
--
-- Worked example, tests/views/instance_reading: instance 1 of binary_alloc has 4 blocks of
-- 1000 bytes in a carrier of 8000, 1 of another allocator of 500 bytes in the same, 1 of
-- 6000 in a single-block carrier of 6144, and 1 of 100 in a pooled carrier of 4096.
--
--   used 1000 + 6000 + 100, foreign 500, allocated 8000 + 6144 + 4096
CREATE VIEW instance_reading AS
SELECT
  source_id,
  snapshot_id,
  allocator,
  instance,
  CAST(total(blocks) FILTER (WHERE side = 'mbcs') AS INTEGER) AS mbc_blocks,
  CAST(total(blocks_bytes) FILTER (WHERE side = 'mbcs') AS INTEGER) AS mbc_blocks_bytes,
  CAST(total(carriers) FILTER (WHERE side = 'mbcs') AS INTEGER) AS mbc_carriers,
  CAST(total(carriers_bytes) FILTER (WHERE side = 'mbcs') AS INTEGER) AS mbc_carriers_bytes,
  CAST(total(blocks) FILTER (WHERE side = 'sbcs') AS INTEGER) AS sbc_blocks,
  CAST(total(blocks_bytes) FILTER (WHERE side = 'sbcs') AS INTEGER) AS sbc_blocks_bytes,
  CAST(total(carriers) FILTER (WHERE side = 'sbcs') AS INTEGER) AS sbc_carriers,
  CAST(total(carriers_bytes) FILTER (WHERE side = 'sbcs') AS INTEGER) AS sbc_carriers_bytes,
  CAST(total(blocks) FILTER (WHERE side = 'mbcs_pool') AS INTEGER) AS pool_blocks,
  CAST(total(blocks_bytes) FILTER (WHERE side = 'mbcs_pool') AS INTEGER) AS pool_blocks_bytes,
  CAST(total(carriers) FILTER (WHERE side = 'mbcs_pool') AS INTEGER) AS pool_carriers,
  CAST(total(carriers_bytes) FILTER (WHERE side = 'mbcs_pool') AS INTEGER) AS pool_carriers_bytes,
  CAST(total(foreign_blocks) AS INTEGER) AS foreign_blocks,
  CAST(total(foreign_blocks_bytes) AS INTEGER) AS foreign_blocks_bytes,
  CAST(total(max_blocks) FILTER (WHERE side = 'mbcs') AS INTEGER) AS max_mbc_blocks,
  CAST(total(max_blocks_bytes) FILTER (WHERE side = 'mbcs') AS INTEGER) AS max_mbc_blocks_bytes,
  CAST(total(max_carriers_bytes) FILTER (WHERE side = 'mbcs') AS INTEGER) AS max_mbc_carriers_bytes,
  CAST(total(max_blocks) FILTER (WHERE side = 'sbcs') AS INTEGER) AS max_sbc_blocks,
  CAST(total(max_blocks_bytes) FILTER (WHERE side = 'sbcs') AS INTEGER) AS max_sbc_blocks_bytes,
  CAST(total(max_carriers_bytes) FILTER (WHERE side = 'sbcs') AS INTEGER) AS max_sbc_carriers_bytes,
  CAST(total(blocks_bytes) AS INTEGER) AS used,
  CAST(total(carriers_bytes) AS INTEGER) AS allocated,
  max(source_lost_events) AS source_lost_events
FROM _instance_side
GROUP BY source_id, snapshot_id, allocator, instance;

-- allocator_reading: the same for each allocator; the figures the reports are made of.
CREATE VIEW allocator_reading AS
SELECT
  source_id,
  snapshot_id,
  allocator,
  count(*) AS instances,
  sum(used) AS used,
  sum(allocated) AS allocated,
  CASE WHEN sum(allocated) > 0
    THEN 1.0 * (sum(used) + sum(foreign_blocks_bytes)) / sum(allocated) END AS utilisation,
  sum(mbc_carriers_bytes) AS mbc_carriers_bytes,
  sum(sbc_carriers_bytes) AS sbc_carriers_bytes,
  sum(pool_carriers_bytes) AS pool_carriers_bytes,
  sum(foreign_blocks_bytes) AS foreign_blocks_bytes,
  max(source_lost_events) AS source_lost_events
FROM instance_reading
GROUP BY source_id, snapshot_id, allocator;

INSERT INTO view_doc VALUES
  ('instance_stat_all', '', 'row', 'fast', 'One row for each figure of an allocator instance in a snapshot, from every kind of source'),
  ('instance_stat_all', 'allocator', 'text', 'label', 'Name of the allocator as the runtime spells it'),
  ('instance_stat_all', 'instance', 'count', 'label', 'Number of the instance; NULL: the allocator has no instances'),
  ('instance_stat_all', 'section', 'text', 'label', 'Part of the instance: mbcs, sbcs, mbcs_pool, calls, ...'),
  ('instance_stat_all', 'key', 'text', 'label', 'Name of the figure'),
  ('instance_stat_all', 'current', 'count', 'exact', 'At that moment; sizes are bytes; NULL: not recorded, or 2^63 and more'),
  ('instance_stat_all', 'max_since_last', 'count', 'exact', 'Greatest since anyone read it last; NULL: not recorded'),
  ('instance_stat_all', 'max_ever', 'count', 'exact', 'Greatest ever; NULL: not recorded'),
  ('instance_stat_all', 'of', 'text', 'label', 'Allocator whose blocks are counted; NULL: not split'),
  ('memory_sample_all', '', 'row', 'fast', 'One row for each key of erlang:memory() in a snapshot, from every kind of source'),
  ('memory_sample_all', 'key', 'text', 'label', 'Name of the amount'),
  ('memory_sample_all', 'bytes', 'bytes', 'exact', 'The amount, in blocks, not in carriers; os_resident: of the process in memory; jit_debug: kept by the JIT for debuggers; own_...: taken by recording, see snapshot_memory'),
  ('instance_reading', '', 'row', 'fast', 'One row for each snapshot and allocator instance'),
  ('instance_reading', 'mbc_blocks', 'count', 'exact', 'Own blocks in multi-block carriers that the instance uses'),
  ('instance_reading', 'mbc_blocks_bytes', 'bytes', 'exact', 'Their size'),
  ('instance_reading', 'mbc_carriers', 'count', 'exact', 'Multi-block carriers that the instance uses, those in the pool left out'),
  ('instance_reading', 'mbc_carriers_bytes', 'bytes', 'exact', 'Their size'),
  ('instance_reading', 'sbc_blocks', 'count', 'exact', 'Blocks in single-block carriers'),
  ('instance_reading', 'sbc_blocks_bytes', 'bytes', 'exact', 'Their size'),
  ('instance_reading', 'sbc_carriers', 'count', 'exact', 'Single-block carriers'),
  ('instance_reading', 'sbc_carriers_bytes', 'bytes', 'exact', 'Their size'),
  ('instance_reading', 'pool_blocks', 'count', 'exact', 'Own blocks in carriers that the instance has put into the pool'),
  ('instance_reading', 'pool_blocks_bytes', 'bytes', 'exact', 'Their size'),
  ('instance_reading', 'pool_carriers', 'count', 'exact', 'Carriers that the instance has put into the pool'),
  ('instance_reading', 'pool_carriers_bytes', 'bytes', 'exact', 'Their size'),
  ('instance_reading', 'foreign_blocks', 'count', 'exact', 'Blocks of other allocators in its carriers; recorded since OTP 22'),
  ('instance_reading', 'foreign_blocks_bytes', 'bytes', 'exact', 'Their size'),
  ('instance_reading', 'max_mbc_blocks', 'count', 'exact', 'Most own blocks ever in multi-block carriers'),
  ('instance_reading', 'max_mbc_blocks_bytes', 'bytes', 'exact', 'Their greatest size ever, which may have been at another time than the others'),
  ('instance_reading', 'max_mbc_carriers_bytes', 'bytes', 'exact', 'Greatest size ever of the multi-block carriers'),
  ('instance_reading', 'max_sbc_blocks', 'count', 'exact', 'Most blocks ever in single-block carriers'),
  ('instance_reading', 'max_sbc_blocks_bytes', 'bytes', 'exact', 'Their greatest size ever'),
  ('instance_reading', 'max_sbc_carriers_bytes', 'bytes', 'exact', 'Greatest size ever of the single-block carriers'),
  ('instance_reading', 'used', 'bytes', 'exact', 'Own blocks in all its carriers, the pool included'),
  ('instance_reading', 'allocated', 'bytes', 'exact', 'All its carriers, the pool included'),
  ('allocator_reading', '', 'row', 'fast', 'One row for each snapshot and allocator: sums over its instances'),
  ('allocator_reading', 'instances', 'count', 'exact', 'Instances'),
  ('allocator_reading', 'used', 'bytes', 'exact', 'Own blocks, the pool included'),
  ('allocator_reading', 'allocated', 'bytes', 'exact', 'Carriers, the pool included'),
  ('allocator_reading', 'utilisation', 'ratio', 'exact', 'Bytes in blocks, foreign ones included, over bytes in carriers; NULL: no carrier'),
  ('allocator_reading', 'mbc_carriers_bytes', 'bytes', 'exact', 'Multi-block carriers in use'),
  ('allocator_reading', 'sbc_carriers_bytes', 'bytes', 'exact', 'Single-block carriers'),
  ('allocator_reading', 'pool_carriers_bytes', 'bytes', 'exact', 'Carriers in the pool'),
  ('allocator_reading', 'foreign_blocks_bytes', 'bytes', 'exact', 'Blocks of other allocators in its carriers');
