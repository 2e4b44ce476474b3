-- SPDX-License-Identifier: MIT
--
-- Layer:   samples
-- Serves:  report samples
--
-- Blocks of a node that recorded a sample of them (carrierscope:start(#{sample => ...})).  Each recorded block
-- stands for its weight: the sum of weights is an unbiased estimate of the number of blocks, and
-- the sum of weight * (weight - 1) of its variance (Horvitz and Thompson).  Apart from the views of
-- layer 65, whose figures are exact.
--
-- Worked example (the test of sample_size): three blocks of 1000 bytes were drawn with weight 4;
-- one of them was freed.  Estimates: 12 blocks, give or take sqrt(3 * 4 * 3) = 6; 8 of them live.
--
--   type     samples  blocks  blocks_error  bytes  live_blocks  live_bytes
--   db_term  3        12      6             12000  8            8000

-- Samples with and without the process that allocated.
CREATE TEMP VIEW _sample_alloc AS
SELECT ts_ns, runtime_id, address, size_bytes, type_id, allocator_id, instance, weight_micro,
  NULL AS process, NULL AS stack
FROM sample_alloc
UNION ALL
SELECT ts_ns, runtime_id, address, size_bytes, type_id, allocator_id, instance, weight_micro, process, stack
FROM sample_alloc_by_process;

-- One row for each sampled block, and whether it was freed before its address was drawn again.
CREATE VIEW sample_block AS
SELECT
  a.runtime_id,
  a.address,
  n.name AS allocator,
  a.instance,
  t.name AS type,
  a.size_bytes AS size,
  a.weight_micro / 1e6 AS weight,
  a.ts_ns AS since_ns,
  iif(a.next_is_free, a.next_ns, NULL) AS freed_ns,
  (SELECT sum(lost_events) FROM source) AS source_lost_events,
  CASE
    WHEN a.process > 4611686018427387904 THEN '#Port<0.' || (a.process - 4611686018427387905) || '>'
    WHEN a.process > 0 THEN '<0.' || ((a.process - 1) & 268435455) || '.' || ((a.process - 1) >> 28) || '>'
  END AS pid,
  a.process IS NOT NULL AS is_pid_known,
  a.stack
FROM (
  SELECT runtime_id, address, ts_ns, is_free, allocator_id, instance, type_id, size_bytes,
    weight_micro, process, stack,
    lead(ts_ns) OVER life AS next_ns,
    lead(is_free) OVER life AS next_is_free
  FROM (
    SELECT runtime_id, address, ts_ns, 0 AS is_free, allocator_id, instance, type_id, size_bytes,
      weight_micro, process, stack
    FROM _sample_alloc
    UNION ALL
    SELECT runtime_id, address, ts_ns, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM sample_free
  )
  WINDOW life AS (PARTITION BY runtime_id, address ORDER BY ts_ns)
) AS a
LEFT JOIN allocator_name AS n ON n.runtime_id = a.runtime_id AND n.allocator_id = a.allocator_id
LEFT JOIN _type_name AS t ON t.runtime_id = a.runtime_id AND t.type_id = a.type_id
WHERE NOT a.is_free;

-- _sample: the rows of sample_block: the steps of the judge read them from here, since each reading of the view sorts all samples.
CREATE TEMP TABLE _sample AS SELECT * FROM sample_block;

-- One row for each allocator, type and power of two of sizes: what the samples stand for.
CREATE VIEW sample_size AS
SELECT
  allocator,
  type,
  CASE WHEN size = 0 THEN 0 ELSE 1 << CAST(log2(size) AS INTEGER) END AS size_from,
  count(*) AS samples,
  sum(weight) AS blocks,
  sqrt(sum(weight * (weight - 1))) AS blocks_error,
  sum(weight * size) AS bytes,
  sqrt(sum(weight * (weight - 1) * size * size)) AS bytes_error,
  total(iif(freed_ns IS NULL, weight, 0)) AS live_blocks,
  total(iif(freed_ns IS NULL, weight * size, 0)) AS live_bytes,
  sqrt(total(iif(freed_ns IS NULL, weight * (weight - 1) * size * size, 0))) AS live_bytes_error,
  max(source_lost_events) AS source_lost_events
FROM sample_block
GROUP BY 1, 2, 3;

-- By type, for people.
CREATE VIEW report_samples AS
SELECT
  allocator,
  type,
  sum(samples) AS samples,
  round(sum(blocks)) AS blocks,
  round(sum(bytes) / 1048576.0, 2) AS mib,
  round(sqrt(sum(bytes_error * bytes_error)) / 1048576.0, 2) AS mib_error,
  round(sum(live_bytes) / 1048576.0, 2) AS live_mib,
  round(sqrt(sum(live_bytes_error * live_bytes_error)) / 1048576.0, 2) AS live_mib_error,
  max(source_lost_events) AS lost_events
FROM sample_size
GROUP BY allocator, type
ORDER BY sum(live_bytes) DESC, sum(bytes) DESC, allocator, type;

INSERT INTO view_doc VALUES
  ('sample_block', '', 'row', 'full scan', 'One row for each block that was drawn as a sample'),
  ('sample_block', 'runtime_id', 'id', 'label', 'runtime.id'),
  ('sample_block', 'address', 'address', 'exact', 'Where the block is: a name, never to be followed'),
  ('sample_block', 'allocator', 'text', 'label', 'Name of the allocator'),
  ('sample_block', 'instance', 'count', 'label', 'Number of the allocator instance'),
  ('sample_block', 'type', 'text', 'label', 'Name of the block type'),
  ('sample_block', 'size', 'bytes', 'exact', 'Bytes asked for'),
  ('sample_block', 'weight', 'count', 'estimate', 'Blocks of this size that it stands for'),
  ('sample_block', 'since_ns', 'ns', 'exact', 'When it was allocated, since the Unix epoch'),
  ('sample_block', 'freed_ns', 'ns', 'exact', 'When it was freed; NULL: live when the recording or the hook ended'),
  ('sample_block', 'source_lost_events', 'count', 'exact', 'Events that the sources are known to lack; above 0, estimates are off by more'),
  ('sample_block', 'pid', 'text', 'exact', 'Erlang process or port that allocated it; NULL: none ran, or not recorded'),
  ('sample_block', 'is_pid_known', 'flag', 'label', '1: pid is right, NULL means that no process ran; 0: it was not recorded'),
  ('sample_block', 'stack', 'id', 'label', 'stack_frame.stack: Erlang functions that allocated it; 0 or NULL: not read'),
  ('sample_size', '', 'row', 'full scan', 'One row for each allocator, type and power of two of sizes: what sampled blocks stand for'),
  ('sample_size', 'allocator', 'text', 'label', 'Name of the allocator'),
  ('sample_size', 'type', 'text', 'label', 'Name of the block type'),
  ('sample_size', 'size_from', 'bytes', 'label', 'Sizes from this on, and below its double'),
  ('sample_size', 'samples', 'count', 'exact', 'Blocks that were drawn'),
  ('sample_size', 'blocks', 'count', 'estimate', 'Allocations while the sample was recorded'),
  ('sample_size', 'blocks_error', 'count', 'estimate', 'Standard deviation of blocks'),
  ('sample_size', 'bytes', 'bytes', 'estimate', 'Bytes asked for by them'),
  ('sample_size', 'bytes_error', 'bytes', 'estimate', 'Standard deviation of bytes'),
  ('sample_size', 'live_blocks', 'count', 'estimate', 'Of them, live when the recording or the hook ended'),
  ('sample_size', 'live_bytes', 'bytes', 'estimate', 'Bytes asked for by the live ones'),
  ('sample_size', 'live_bytes_error', 'bytes', 'estimate', 'Standard deviation of live_bytes'),
  ('sample_size', 'source_lost_events', 'count', 'exact', 'Events that the sources are known to lack; above 0, estimates are off by more'),
  ('report_samples', '', 'row', 'full scan', 'What a sample of blocks stands for, by type: allocated while it was recorded, and live at its end'),
  ('report_samples', 'allocator', 'text', 'label', 'Name of the allocator'),
  ('report_samples', 'type', 'text', 'label', 'Name of the block type'),
  ('report_samples', 'samples', 'count', 'exact', 'Blocks that were drawn'),
  ('report_samples', 'blocks', 'count', 'estimate', 'Allocations'),
  ('report_samples', 'mib', 'MiB', 'estimate', 'Bytes asked for by them, MiB'),
  ('report_samples', 'mib_error', 'MiB', 'estimate', 'Standard deviation of that, MiB'),
  ('report_samples', 'live_mib', 'MiB', 'estimate', 'Bytes asked for by live ones, MiB; blocks from before the hook are not in it'),
  ('report_samples', 'live_mib_error', 'MiB', 'estimate', 'Standard deviation of that, MiB'),
  ('report_samples', 'lost_events', 'count', 'exact', 'Events that the sources are known to lack; above 0, estimates are off by more');
