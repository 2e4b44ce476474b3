-- SPDX-License-Identifier: MIT
--
-- Layer:   snapshots
-- Serves:  SQL clients
--
-- Answers of module instrument, printed or recorded by a traced node, as one.  Numbers of what a node
-- recorded are negative, as in the other views named _all: no table has them.

-- carrier_scan_all: carriers of a node, each with the blocks in it.
-- Example: how full is each allocator's pool, and how many carriers could not be read to the end?
--   SELECT allocator, count(*) AS carriers, sum(size) AS bytes, sum(blocks_bytes) AS used,
--     count(*) FILTER (WHERE unscanned_bytes > 0) AS unread
--   FROM carrier_scan_all WHERE in_pool GROUP BY allocator;
CREATE VIEW carrier_scan_all AS
SELECT
  s.source_id, c.snapshot_id, c.id AS carrier_scan_id, c.allocator, c.in_pool, c.size,
  c.unscanned_bytes,
  (SELECT ifnull(sum(b.blocks), 0) FROM carrier_scan_blocks AS b WHERE b.carrier_scan_id = c.id) AS blocks,
  (SELECT ifnull(sum(b.blocks_bytes), 0) FROM carrier_scan_blocks AS b WHERE b.carrier_scan_id = c.id) AS blocks_bytes,
  src.lost_events AS source_lost_events
FROM carrier_scan AS c
JOIN snapshot AS s ON s.id = c.snapshot_id
JOIN source AS src ON src.id = s.source_id
UNION ALL
SELECT
  s.source_id, s.id, -c.id, c.allocator, c.in_pool, c.size_bytes, c.unscanned_bytes,
  ifnull(sum(b.blocks), 0), ifnull(sum(b.blocks_bytes), 0), src.lost_events
FROM scan_carrier AS c
JOIN _recorded_snapshot AS s ON s.runtime_id = c.runtime_id AND s.recorded_id = c.snapshot_id
JOIN source AS src ON src.id = s.source_id
LEFT JOIN scan_blocks AS b ON b.runtime_id = c.runtime_id AND b.snapshot_id = c.snapshot_id
  AND b.carrier = c.carrier
GROUP BY c.id;

-- carrier_scan_blocks_all: whose blocks they are.
-- Example: carriers that hold blocks of an allocator other than their own:
--   SELECT c.allocator, b.allocator AS of, sum(b.blocks) AS blocks
--   FROM carrier_scan_all AS c JOIN carrier_scan_blocks_all AS b USING (carrier_scan_id)
--   WHERE b.allocator <> c.allocator GROUP BY 1, 2;
CREATE VIEW carrier_scan_blocks_all AS
SELECT
  s.source_id, c.snapshot_id, b.carrier_scan_id, b.allocator, b.blocks, b.blocks_bytes,
  src.lost_events AS source_lost_events
FROM carrier_scan_blocks AS b
JOIN carrier_scan AS c ON c.id = b.carrier_scan_id
JOIN snapshot AS s ON s.id = c.snapshot_id
JOIN source AS src ON src.id = s.source_id
UNION ALL
SELECT s.source_id, s.id, -c.id, b.allocator, b.blocks, b.blocks_bytes, src.lost_events
FROM scan_blocks AS b
JOIN scan_carrier AS c ON c.runtime_id = b.runtime_id AND c.snapshot_id = b.snapshot_id
  AND c.carrier = b.carrier
JOIN _recorded_snapshot AS s ON s.runtime_id = b.runtime_id AND s.recorded_id = b.snapshot_id
JOIN source AS src ON src.id = s.source_id;

-- histogram_bucket_all: the buckets of all histograms, with the sizes that lie in them.
-- Example: which driver or NIF holds the most blocks of 4 KiB and more?
--   SELECT origin, type, sum(blocks) AS blocks FROM histogram_bucket_all
--   WHERE kind = 'blocks' AND from_bytes >= 4096 GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 1;
CREATE VIEW histogram_bucket_all AS
SELECT
  s.source_id, h.snapshot_id, h.kind, h.carrier_scan_id, h.origin, h.type, h.bucket,
  h.from_bytes, h.to_bytes, h.blocks, h.rule, src.lost_events AS source_lost_events
FROM histogram_bucket AS h
JOIN snapshot AS s ON s.id = h.snapshot_id
JOIN source AS src ON src.id = s.source_id
UNION ALL
SELECT
  s.source_id, s.id, iif(h.carrier > 0, 'free', 'blocks'), -c.id, iif(h.carrier > 0, NULL, h.origin),
  iif(h.carrier > 0, NULL, h.type), h.bucket, h.from_bytes, nullif(h.to_bytes, 0), h.blocks, g.rule,
  src.lost_events
FROM scan_bucket AS h
JOIN scan_begin AS g ON g.runtime_id = h.runtime_id AND g.snapshot_id = h.snapshot_id
  AND g.kind = iif(h.carrier > 0, 'carriers', 'allocations')
JOIN _recorded_snapshot AS s ON s.runtime_id = h.runtime_id AND s.recorded_id = h.snapshot_id
JOIN source AS src ON src.id = s.source_id
LEFT JOIN scan_carrier AS c ON c.runtime_id = h.runtime_id AND c.snapshot_id = h.snapshot_id
  AND c.carrier = h.carrier;

-- block_scan_all: what scans of blocks left out.
CREATE VIEW block_scan_all AS
SELECT
  s.source_id, b.snapshot_id, b.unscanned_bytes, src.lost_events AS source_lost_events
FROM block_scan AS b
JOIN snapshot AS s ON s.id = b.snapshot_id
JOIN source AS src ON src.id = s.source_id
UNION ALL
SELECT s.source_id, s.id, g.unscanned_bytes, src.lost_events
FROM scan_begin AS g
JOIN _recorded_snapshot AS s ON s.runtime_id = g.runtime_id AND s.recorded_id = g.snapshot_id
JOIN source AS src ON src.id = s.source_id
WHERE g.kind = 'allocations';

INSERT INTO view_doc VALUES
  ('*_scan_all carrier_scan_blocks_all histogram_bucket_all', 'source_id', 'id', 'label', 'source.id'),
  ('*_scan_all carrier_scan_blocks_all histogram_bucket_all', 'snapshot_id', 'id', 'label', 'snapshot.id; negative: a reading that a traced node recorded'),
  ('carrier_scan_all', '', 'row', 'full scan', 'One row for each carrier that instrument:carriers found, printed or recorded by a traced node'),
  ('carrier_scan_all', 'carrier_scan_id', 'id', 'label', 'carrier_scan.id; negative: scan_carrier.id'),
  ('carrier_scan_all', 'allocator', 'text', 'label', 'Allocator that the carrier is of'),
  ('carrier_scan_all', 'in_pool', 'flag', 'exact', '1: it lay in the pool; 0: an instance used it'),
  ('carrier_scan_all', 'size', 'bytes', 'exact', 'Size of the carrier'),
  ('carrier_scan_all', 'unscanned_bytes', 'bytes', 'exact', 'Of these, not looked at'),
  ('carrier_scan_all', 'blocks', 'count', 'bound', 'Blocks in it: exact where unscanned_bytes is 0, else a lower bound'),
  ('carrier_scan_all', 'blocks_bytes', 'bytes', 'bound', 'Their bytes, headers included; of a single-block carrier the whole carrier'),

  ('carrier_scan_blocks_all', '', 'row', 'full scan', 'One row for each allocator that has blocks in such a carrier'),
  ('carrier_scan_blocks_all', 'carrier_scan_id', 'id', 'label', 'carrier_scan_all.carrier_scan_id'),
  ('carrier_scan_blocks_all', 'allocator', 'text', 'label', 'Allocator whose blocks they are'),
  ('carrier_scan_blocks_all', 'blocks', 'count', 'bound', 'Blocks that were found: exact where the carrier''s unscanned_bytes is 0, else a lower bound'),
  ('carrier_scan_blocks_all', 'blocks_bytes', 'bytes', 'bound', 'Their bytes, headers included; of a single-block carrier the whole carrier'),

  ('histogram_bucket_all', '', 'row', 'full scan', 'One row for each bucket of a histogram by instrument, printed or recorded by a traced node'),
  ('histogram_bucket_all', 'kind', 'text', 'label', 'free: free blocks of a carrier, empty buckets left out; blocks: tagged blocks'),
  ('histogram_bucket_all', 'carrier_scan_id', 'id', 'label', 'Of kind free: carrier_scan_all.carrier_scan_id'),
  ('histogram_bucket_all', 'origin', 'text', 'label', 'Of kind blocks: whose they are, a driver, a NIF, a process or system'),
  ('histogram_bucket_all', 'type', 'text', 'label', 'Of kind blocks: type of the blocks'),
  ('histogram_bucket_all', 'bucket', 'count', 'label', 'Number of the bucket, from 0'),
  ('histogram_bucket_all', 'from_bytes', 'bytes', 'bound', 'Least size in the bucket; exact unless rule is unknown'),
  ('histogram_bucket_all', 'to_bytes', 'bytes', 'bound', 'Sizes in it are less; NULL: no limit; exact unless rule is unknown'),
  ('histogram_bucket_all', 'blocks', 'count', 'exact', 'Blocks in the bucket, of those that were scanned'),
  ('histogram_bucket_all', 'rule', 'text', 'label', 'How the buckets are cut, as in histogram_bucket.rule'),

  ('block_scan_all', '', 'row', 'full scan', 'One row for each scan by instrument:allocations, printed or recorded by a traced node'),
  ('block_scan_all', 'unscanned_bytes', 'bytes', 'exact', 'Bytes of carriers that were not looked at; NULL: not recorded');
