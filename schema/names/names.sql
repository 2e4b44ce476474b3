-- SPDX-License-Identifier: MIT
--
-- Layer:   names
-- Serves:  every view above; event_named is for readers
--
-- The words for the numbers.  Views that start with `_` are private: they may
-- change with any version.

-- _runtime: one row for each runtime, with what its source is known to lack.
CREATE TEMP VIEW _runtime AS
SELECT
  r.source_id, r.id AS runtime_id, r.vpid,
  s.last_ts_ns AS source_last_ts_ns,
  s.lost_events AS source_lost_events,
  s.lost_packets AS source_lost_packets
FROM runtime AS r
JOIN source AS s ON s.id = r.source_id;

-- _instance: one row for each allocator instance, with the words of its owner.
CREATE TEMP VIEW _instance AS
SELECT
  r.source_id, r.runtime_id, r.vpid, a.name AS allocator,
  i.number AS instance, i.id AS instance_id, i.allocator_id,
  r.source_last_ts_ns, r.source_lost_events, r.source_lost_packets
FROM instance AS i
JOIN _runtime AS r ON r.runtime_id = i.runtime_id
JOIN allocator AS a ON a.id = i.allocator_id;

-- _allocator: one row for each allocator of a runtime, with the words of its owner.
CREATE TEMP VIEW _allocator AS
SELECT
  r.source_id, r.runtime_id, r.vpid, a.name AS allocator,
  u.id AS allocator_use_id, u.instances,
  r.source_lost_events, r.source_lost_packets
FROM allocator_use AS u
JOIN _runtime AS r ON r.runtime_id = u.runtime_id
JOIN allocator AS a ON a.id = u.allocator_id;

-- _scope: one row for each scope of scope_total, with the words for it.
CREATE TEMP VIEW _scope AS
SELECT
  source_id, 'instance' AS scope, instance_id AS scope_id,
  runtime_id, vpid, allocator, instance
FROM _instance
UNION ALL
SELECT source_id, 'allocator', allocator_use_id, runtime_id, vpid, allocator, NULL
FROM _allocator
UNION ALL
SELECT source_id, 'runtime', id, id, vpid, NULL, NULL
FROM runtime
UNION ALL
SELECT id, 'source', id, NULL, NULL, NULL, NULL
FROM source;

-- _bucket_loss: one row for each bucket of a source that has lost intervals, from
-- its first to its last; the row behind the last bucket stands for all time after.
--
--   next_lossy  INTEGER  the first bucket at or after this one that a lost
--                        interval touches; NULL: none.  A row of scope_bucket
--                        that holds until bucket n touches a loss when
--                        next_lossy < n.
--
-- There may be 100,000 lost intervals, so none is unfolded into its buckets: the
-- two indexes count how many begin (end) in each bucket, and a bucket is lossy
-- when intervals are open at its begin or begin within it.  An interval without a
-- begin (end) reaches back (on) without limit.
--
-- Worked example, tests/views/utilisation_runtime: buckets of 1024 ns from 0 on, recorded up
-- to bucket 7; one interval lost from 2100 to 3100 ns, which is buckets 2 and 3.
--
--   bucket   0  1  2  3     4     5     6     7     8
--   begun    0  0  1  0     0     0     0     0     0
--   ended    0  0  0  1     0     0     0     0     0
--   lossy    0  0  1  1     0     0     0     0     0
--   next     2  2  2  3  NULL  NULL  NULL  NULL  NULL
CREATE INDEX lost_interval_begin ON lost_interval(source_id, begin_ns);
CREATE INDEX lost_interval_end ON lost_interval(source_id, end_ns);
CREATE INDEX lost_interval_cause ON lost_interval(source_id, cause); -- for loss_total

CREATE TEMP VIEW _bucket_loss AS
WITH RECURSIVE lossy_source AS (
  SELECT
    id AS source_id, bucket_origin_ns AS origin_ns, bucket_ns,
    (SELECT max(b.bucket) FROM scope_bucket AS b
     WHERE b.source_id = source.id AND b.scope = 'source' AND b.scope_id = source.id)
      AS last_bucket
  FROM source
  WHERE EXISTS (SELECT 1 FROM lost_interval AS l WHERE l.source_id = source.id)
),
slot(source_id, bucket, begin_ns, end_ns, bucket_ns, last_bucket) AS (
  SELECT source_id, 0, origin_ns, origin_ns + bucket_ns, bucket_ns, last_bucket
  FROM lossy_source
  WHERE last_bucket IS NOT NULL
  UNION ALL
  SELECT
    source_id, bucket + 1, end_ns,
    iif(bucket = last_bucket, 0x7fffffffffffffff, end_ns + bucket_ns),
    bucket_ns, last_bucket
  FROM slot
  WHERE bucket <= last_bucket
),
change AS (
  SELECT
    source_id,
    bucket,
    (SELECT count(*) FROM lost_interval AS l
     WHERE l.source_id = slot.source_id
       AND l.begin_ns >= slot.begin_ns AND l.begin_ns < slot.end_ns)
      + iif(bucket > 0, 0,
        (SELECT count(*) FROM lost_interval AS l
         WHERE l.source_id = slot.source_id AND l.begin_ns < slot.begin_ns)
        + (SELECT count(*) FROM lost_interval AS l
           WHERE l.source_id = slot.source_id AND l.begin_ns IS NULL)
        - (SELECT count(*) FROM lost_interval AS l
           WHERE l.source_id = slot.source_id AND l.end_ns < slot.begin_ns)) AS begun,
    (SELECT count(*) FROM lost_interval AS l
     WHERE l.source_id = slot.source_id
       AND l.end_ns >= slot.begin_ns AND l.end_ns < slot.end_ns) AS ended
  FROM slot
),
touched AS (
  SELECT
    source_id,
    bucket,
    sum(begun - ended) OVER (PARTITION BY source_id ORDER BY bucket) + ended > 0 AS lossy
  FROM change
)
SELECT
  source_id,
  CAST(bucket AS INTEGER) AS bucket, -- else it has no affinity, and joins read every row
  min(iif(lossy, bucket, NULL))
    OVER (PARTITION BY source_id ORDER BY bucket DESC) AS next_lossy
FROM touched;

-- event_named: one row for each carrier event, as an operator would read it.
CREATE VIEW event_named AS
SELECT
  r.source_id,
  r.id AS runtime_id,
  r.vpid,
  a.name AS allocator,
  i.number AS instance,
  e.instance_id,
  e.id AS event_id,
  e.ts_ns,
  k.name AS event,
  c.name AS class,
  e.class_exact,
  t.vtid,
  t.procname AS thread,
  e.size,
  e.mbc_carriers, e.mbc_carriers_size AS mbc_carriers_bytes, e.mbc_blocks, e.mbc_blocks_size AS mbc_blocks_bytes,
  e.sbc_carriers, e.sbc_carriers_size AS sbc_carriers_bytes, e.sbc_blocks, e.sbc_blocks_size AS sbc_blocks_bytes,
  e.footprint_bytes
FROM carrier_event AS e
LEFT JOIN carrier_event_kind AS k ON k.id = e.kind
LEFT JOIN carrier_event_class AS c ON c.id = e.class
LEFT JOIN thread AS t ON t.id = e.thread_id
LEFT JOIN instance AS i ON i.id = e.instance_id
LEFT JOIN runtime AS r ON r.id = i.runtime_id
LEFT JOIN allocator AS a ON a.id = i.allocator_id;

INSERT INTO view_doc VALUES
  ('event_named', '', 'row', 'full scan', 'One row for each carrier event, with words for its numbers. Restrict event_id (see keyframe), not ts_ns: there is no index on time'),
  ('event_named', 'event_id', 'id', 'label', 'carrier_event.id; a larger one of the same source is never earlier'),
  ('event_named', 'ts_ns', 'ns', 'exact', 'When the event was recorded, since the Unix epoch'),
  ('event_named', 'event', 'text', 'exact', 'Name of the event; carrier_pool_get is an attempt that may have failed'),
  ('event_named', 'class', 'text', 'estimate', 'What the event does not say: multi_block or single_block of a create, owned or pooled of a destroy; exact where class_exact = 1; NULL: put or get'),
  ('event_named', 'class_exact', 'flag', 'exact', '1: the counters prove the class; 0: it is the likelier of two; NULL: put or get'),
  ('event_named', 'vtid', 'id', 'exact', 'Thread in its own pid name space; NULL: context not recorded'),
  ('event_named', 'thread', 'text', 'exact', 'Name of the thread, cut at 15 characters by the kernel; NULL: context not recorded'),
  ('event_named', 'size', 'bytes', 'exact', 'create, destroy, put: of the carrier; get: of the block that was asked for, which is no amount of memory'),
  ('event_named', 'mbc_carriers', 'count', 'exact', 'Multi-block carriers the instance owns after the event, those in the pool left out; NULL: put or get, also in the seven columns that follow'),
  ('event_named', 'mbc_carriers_bytes', 'bytes', 'exact', 'Their size'),
  ('event_named', 'mbc_blocks', 'count', 'exact', 'Blocks in them, those of other allocators in adopted carriers included; a create reports them before its first block'),
  ('event_named', 'mbc_blocks_bytes', 'bytes', 'exact', 'Size of these blocks'),
  ('event_named', 'sbc_carriers', 'count', 'exact', 'Single-block carriers the instance has after the event'),
  ('event_named', 'sbc_carriers_bytes', 'bytes', 'exact', 'Their size'),
  ('event_named', 'sbc_blocks', 'count', 'exact', 'Blocks in them'),
  ('event_named', 'sbc_blocks_bytes', 'bytes', 'exact', 'Size of these blocks'),
  ('event_named', 'footprint_bytes', 'bytes', 'estimate', 'Carriers of all instances of the source after the event, each as last recorded: single-block carriers may have gone since, pooled carriers are not in it');
