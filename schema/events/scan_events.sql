-- SPDX-License-Identifier: MIT
--
-- Layer 16: what module instrument answered a hooked node, a table for each event, named like it
-- and with its fields as columns (tp/carrierscope_scan_events.inc).  node/scans.sql joins them with
-- the answers that were printed (events/scan.sql).
-- Empty unless a snapshot with option `instrument` was recorded.

-- An answer of module instrument that a node records of itself.
CREATE TABLE "scan_begin" (
  id INTEGER PRIMARY KEY,
  ts_ns INTEGER,
  runtime_id INTEGER,
  thread_id INTEGER,
  snapshot_id INTEGER,
  kind TEXT,
  rule TEXT,
  histogram_start INTEGER,
  unscanned_bytes INTEGER,
  follow INTEGER
) STRICT;

-- One row for each carrier that a node found by instrument:carriers.
CREATE TABLE "scan_carrier" (
  id INTEGER PRIMARY KEY,
  ts_ns INTEGER,
  runtime_id INTEGER,
  thread_id INTEGER,
  snapshot_id INTEGER,
  carrier INTEGER,
  allocator TEXT,
  in_pool INTEGER,
  size_bytes INTEGER,
  unscanned_bytes INTEGER
) STRICT;

-- One row for each allocator that has blocks in such a carrier.
CREATE TABLE "scan_blocks" (
  id INTEGER PRIMARY KEY,
  ts_ns INTEGER,
  runtime_id INTEGER,
  thread_id INTEGER,
  snapshot_id INTEGER,
  carrier INTEGER,
  allocator TEXT,
  blocks INTEGER,
  blocks_bytes INTEGER
) STRICT;

-- One row for each bucket of a histogram; buckets of free blocks that are empty have none.
CREATE TABLE "scan_bucket" (
  id INTEGER PRIMARY KEY,
  ts_ns INTEGER,
  runtime_id INTEGER,
  thread_id INTEGER,
  snapshot_id INTEGER,
  carrier INTEGER,
  origin TEXT,
  type TEXT,
  bucket INTEGER,
  from_bytes INTEGER,
  to_bytes INTEGER,
  blocks INTEGER
) STRICT;

INSERT INTO view_doc VALUES
  ('scan_begin', '', 'row', 'full scan', 'An answer of module instrument that a node records of itself'),
  ('scan_begin', 'id', 'id', 'label', 'A larger one of the same source is never earlier'),
  ('scan_begin', 'ts_ns', 'ns', 'exact', 'When it was recorded, since the Unix epoch'),
  ('scan_begin', 'runtime_id', 'id', 'label', 'runtime.id'),
  ('scan_begin', 'thread_id', 'id', 'label', 'thread.id'),
  ('scan_begin', 'snapshot_id', 'id', 'label', 'Which reading of this node'),
  ('scan_begin', 'kind', 'text', 'label', 'carriers: of instrument:carriers; allocations: of instrument:allocations'),
  ('scan_begin', 'rule', 'text', 'label', 'How its buckets are cut, as histogram_bucket.rule says'),
  ('scan_begin', 'histogram_start', 'bytes', 'exact', 'Where the second bucket begins, roughly: the option histogram_start'),
  ('scan_begin', 'unscanned_bytes', 'bytes', 'exact', 'Of kind allocations: bytes of carriers that were not looked at'),
  ('scan_begin', 'follow', 'count', 'exact', 'Rows of scan_carrier, scan_blocks and scan_bucket told for it: a number to check it by'),
  ('scan_carrier', '', 'row', 'full scan', 'One row for each carrier that a node found by instrument:carriers'),
  ('scan_carrier', 'id', 'id', 'label', 'A larger one of the same source is never earlier'),
  ('scan_carrier', 'ts_ns', 'ns', 'exact', 'When it was recorded, since the Unix epoch'),
  ('scan_carrier', 'runtime_id', 'id', 'label', 'runtime.id'),
  ('scan_carrier', 'thread_id', 'id', 'label', 'thread.id'),
  ('scan_carrier', 'snapshot_id', 'id', 'label', 'Which reading of this node'),
  ('scan_carrier', 'carrier', 'id', 'label', 'Number of the carrier in the answer, from 1'),
  ('scan_carrier', 'allocator', 'text', 'label', 'Allocator that the carrier is of'),
  ('scan_carrier', 'in_pool', 'flag', 'exact', '1: it lay in the pool; 0: an instance used it'),
  ('scan_carrier', 'size_bytes', 'bytes', 'exact', 'Size of the carrier'),
  ('scan_carrier', 'unscanned_bytes', 'bytes', 'exact', 'Of these, not looked at'),
  ('scan_blocks', '', 'row', 'full scan', 'One row for each allocator that has blocks in such a carrier'),
  ('scan_blocks', 'id', 'id', 'label', 'A larger one of the same source is never earlier'),
  ('scan_blocks', 'ts_ns', 'ns', 'exact', 'When it was recorded, since the Unix epoch'),
  ('scan_blocks', 'runtime_id', 'id', 'label', 'runtime.id'),
  ('scan_blocks', 'thread_id', 'id', 'label', 'thread.id'),
  ('scan_blocks', 'snapshot_id', 'id', 'label', 'Which reading of this node'),
  ('scan_blocks', 'carrier', 'id', 'label', 'scan_carrier.carrier'),
  ('scan_blocks', 'allocator', 'text', 'label', 'Allocator whose blocks they are'),
  ('scan_blocks', 'blocks', 'count', 'bound', 'Blocks that were found: exact where the carriers unscanned_bytes is 0, else a lower bound'),
  ('scan_blocks', 'blocks_bytes', 'bytes', 'bound', 'Their bytes, headers included; of a single-block carrier the whole carrier'),
  ('scan_bucket', '', 'row', 'full scan', 'One row for each bucket of a histogram; buckets of free blocks that are empty have none'),
  ('scan_bucket', 'id', 'id', 'label', 'A larger one of the same source is never earlier'),
  ('scan_bucket', 'ts_ns', 'ns', 'exact', 'When it was recorded, since the Unix epoch'),
  ('scan_bucket', 'runtime_id', 'id', 'label', 'runtime.id'),
  ('scan_bucket', 'thread_id', 'id', 'label', 'thread.id'),
  ('scan_bucket', 'snapshot_id', 'id', 'label', 'Which reading of this node'),
  ('scan_bucket', 'carrier', 'id', 'label', 'scan_carrier.carrier; 0: tagged blocks of all carriers'),
  ('scan_bucket', 'origin', 'text', 'label', 'Of tagged blocks: whose they are, a driver, a NIF, a process or system'),
  ('scan_bucket', 'type', 'text', 'label', 'Of tagged blocks: type of the blocks'),
  ('scan_bucket', 'bucket', 'count', 'label', 'Number of the bucket, from 0'),
  ('scan_bucket', 'from_bytes', 'bytes', 'bound', 'Least size in the bucket; exact unless the rule is unknown'),
  ('scan_bucket', 'to_bytes', 'bytes', 'bound', 'Sizes in it are less; 0: no limit; exact unless the rule is unknown'),
  ('scan_bucket', 'blocks', 'count', 'exact', 'Blocks in the bucket, of those that were scanned');
