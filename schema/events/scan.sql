-- SPDX-License-Identifier: MIT
--
-- Layer 15: what instrument:carriers() and instrument:allocations() found in the
-- carriers of a node at one moment.

-- One row for each carrier that was scanned.
CREATE TABLE carrier_scan (
  id              INTEGER PRIMARY KEY,
  snapshot_id     INTEGER NOT NULL REFERENCES snapshot(id),
  allocator       TEXT NOT NULL,
  in_pool         INTEGER NOT NULL, -- 1 or 0
  size            INTEGER NOT NULL, -- bytes
  unscanned_bytes INTEGER NOT NULL  -- of these, not looked at: the scan ends after 16,000 blocks
) STRICT;
CREATE INDEX carrier_scan_snapshot ON carrier_scan(snapshot_id);

-- One row for each allocator that has blocks in a scanned carrier.
CREATE TABLE carrier_scan_blocks (
  carrier_scan_id INTEGER NOT NULL REFERENCES carrier_scan(id),
  allocator       TEXT NOT NULL,
  blocks          INTEGER NOT NULL,
  blocks_bytes     INTEGER NOT NULL  -- bytes, headers included
) STRICT;
CREATE INDEX carrier_scan_blocks_carrier ON carrier_scan_blocks(carrier_scan_id);

-- One row for each scan of blocks.
CREATE TABLE block_scan (
  snapshot_id     INTEGER PRIMARY KEY REFERENCES snapshot(id),
  unscanned_bytes INTEGER        -- NULL: not recorded
) STRICT;

-- One row for each bucket of a histogram; of free blocks for those that are not empty.
CREATE TABLE histogram_bucket (
  snapshot_id     INTEGER NOT NULL REFERENCES snapshot(id),
  kind            TEXT NOT NULL,  -- 'free': free blocks of a carrier; 'blocks': tagged blocks
  carrier_scan_id INTEGER,        -- kind 'free'
  origin          TEXT,           -- kind 'blocks': driver, NIF, process, ... or 'system'
  type            TEXT,           -- kind 'blocks': type of the block
  bucket          INTEGER NOT NULL, -- from 0
  from_bytes      INTEGER NOT NULL, -- sizes at least
  to_bytes        INTEGER,        -- and less; NULL: any size
  blocks          INTEGER NOT NULL,
  rule            TEXT NOT NULL   -- 'otp21', 'otp28': how that release cuts; 'unknown': the outermost bounds of all
) STRICT;
CREATE INDEX histogram_bucket_snapshot ON histogram_bucket(snapshot_id);

INSERT INTO view_doc VALUES
  ('carrier_scan', '', 'row', 'fast', 'One row for each carrier that instrument:carriers() found'),
  ('carrier_scan', 'id', 'id', 'label', 'Number of the row'),
  ('carrier_scan', 'allocator', 'text', 'label', 'Allocator that the carrier is of'),
  ('carrier_scan', 'in_pool', 'flag', 'exact', '1: it lay in the pool; 0: an instance used it'),
  ('carrier_scan', 'size', 'bytes', 'exact', 'Size of the carrier'),
  ('carrier_scan', 'unscanned_bytes', 'bytes', 'exact', 'Of these, not looked at: the scan of a carrier ends after 16,000 blocks'),

  ('carrier_scan_blocks', '', 'row', 'fast', 'One row for each allocator that has blocks in a scanned carrier'),
  ('carrier_scan_blocks', 'carrier_scan_id', 'id', 'label', 'carrier_scan.id'),
  ('carrier_scan_blocks', 'allocator', 'text', 'label', 'Allocator whose blocks they are'),
  ('carrier_scan_blocks', 'blocks', 'count', 'bound', 'Blocks that were found: exact where the carrier''s unscanned_bytes is 0, else a lower bound'),
  ('carrier_scan_blocks', 'blocks_bytes', 'bytes', 'bound', 'Their bytes, headers included; of a single-block carrier the whole carrier'),

  ('block_scan', '', 'row', 'fast', 'One row for each scan by instrument:allocations()'),
  ('block_scan', 'unscanned_bytes', 'bytes', 'exact', 'Bytes of carriers that were not looked at; NULL: not recorded'),

  ('histogram_bucket', '', 'row', 'fast', 'One row for each bucket of a histogram by instrument; buckets of free blocks that are empty have none'),
  ('histogram_bucket', 'kind', 'text', 'label', 'free: free blocks of a carrier; blocks: tagged blocks'),
  ('histogram_bucket', 'carrier_scan_id', 'id', 'label', 'Of kind free: carrier_scan.id'),
  ('histogram_bucket', 'origin', 'text', 'label', 'Of kind blocks: whose they are, a driver, a NIF, a process or system'),
  ('histogram_bucket', 'type', 'text', 'label', 'Of kind blocks: type of the blocks'),
  ('histogram_bucket', 'bucket', 'count', 'label', 'Number of the bucket, from 0'),
  ('histogram_bucket', 'from_bytes', 'bytes', 'bound', 'Least size in the bucket; exact unless rule is unknown'),
  ('histogram_bucket', 'to_bytes', 'bytes', 'bound', 'Sizes in it are less; NULL: no limit; exact unless rule is unknown'),
  ('histogram_bucket', 'blocks', 'count', 'exact', 'Blocks in the bucket, of those that were scanned'),
  ('histogram_bucket', 'rule', 'text', 'label', 'How the buckets are cut: otp21 (OTP 21 to 25), otp28 (seen on 27 and 29), or unknown: the release is not known, or is 26, and the bounds are the outermost');
