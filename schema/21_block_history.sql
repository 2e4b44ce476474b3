-- SPDX-License-Identifier: MIT
--
-- Layer 21: what was live over time, summed by the loader from block events of the
-- provider `carrierscope`.  Empty unless they were recorded.  Sizes are bytes asked for.
--
-- Blocks from before the recording are not in the sums until they are freed, which
-- then takes them out of sums that they were never in: levels may be below 0.  What
-- there was before stands in state_block when the provider told it.

-- One row for each block type of a runtime and power of two of its sizes.
CREATE TABLE block_total (
  runtime_id      INTEGER NOT NULL REFERENCES runtime(id),
  allocator_id    INTEGER NOT NULL, -- number as told by the provider, see name_allocator
  type_id         INTEGER NOT NULL, -- number as told by the provider, see name_type
  size_log2       INTEGER NOT NULL, -- sizes from 2^size_log2 on; 0: sizes 0 and 1
  allocations     INTEGER NOT NULL, -- reallocations included
  allocated_bytes INTEGER NOT NULL,
  unknown_frees   INTEGER NOT NULL, -- frees of blocks whose allocation was not seen
  live_blocks     INTEGER NOT NULL, -- when the source ended
  live_bytes      INTEGER NOT NULL,
  peak_live_bytes INTEGER NOT NULL, -- most at any moment
  peak_ts_ns      INTEGER,          -- first moment of it; NULL: never above 0
  PRIMARY KEY (runtime_id, allocator_id, type_id, size_log2)
) STRICT, WITHOUT ROWID;

-- One row for each of these and bucket of time in which its sum changed.  The level
-- is that after the bucket's last event and holds until the type's next row.  At
-- most 128 buckets between the first block event and the last.
CREATE TABLE block_level (
  runtime_id   INTEGER NOT NULL REFERENCES runtime(id),
  allocator_id INTEGER NOT NULL,
  type_id      INTEGER NOT NULL,
  size_log2    INTEGER NOT NULL,
  begin_ns     INTEGER NOT NULL, -- begin of the bucket
  live_blocks  INTEGER NOT NULL,
  live_bytes   INTEGER NOT NULL,
  PRIMARY KEY (runtime_id, allocator_id, type_id, size_log2, begin_ns)
) STRICT, WITHOUT ROWID;

INSERT INTO view_doc VALUES
  ('block_total', '', 'row', 'fast', 'One row for each block type of a runtime and power of two of its sizes; empty without block events'),
  ('block_total', 'runtime_id', 'id', 'label', 'runtime.id'),
  ('block_total', 'allocator_id', 'id', 'label', 'name_allocator.allocator_id'),
  ('block_total', 'type_id', 'id', 'label', 'name_type.type_id'),
  ('block_total', 'size_log2', 'count', 'label', 'Sizes from 2^size_log2 on, and below twice that; 0: sizes 0 and 1'),
  ('block_total', 'allocations', 'count', 'exact', 'Allocations over the whole source, reallocations included'),
  ('block_total', 'allocated_bytes', 'bytes', 'exact', 'Bytes asked for by them'),
  ('block_total', 'unknown_frees', 'count', 'exact', 'Frees of blocks whose allocation was not seen: older than the recording, or lost'),
  ('block_total', 'live_blocks', 'count', 'bound', 'Allocations less frees when the source ended: exact without unknown_frees, else a lower bound; below 0 when older blocks were freed'),
  ('block_total', 'live_bytes', 'bytes', 'bound', 'Bytes asked for by these: exact without unknown_frees, else a lower bound'),
  ('block_total', 'peak_live_bytes', 'bytes', 'bound', 'Most of it at any moment: exact without unknown_frees, else a lower bound'),
  ('block_total', 'peak_ts_ns', 'ns', 'exact', 'First moment of the peak, since the Unix epoch; NULL: never above 0'),
  ('block_level', '', 'row', 'fast', 'One row for each block type, power of two of its sizes and bucket of time in which its live bytes changed; empty without block events'),
  ('block_level', 'runtime_id', 'id', 'label', 'runtime.id'),
  ('block_level', 'allocator_id', 'id', 'label', 'name_allocator.allocator_id'),
  ('block_level', 'type_id', 'id', 'label', 'name_type.type_id'),
  ('block_level', 'size_log2', 'count', 'label', 'Sizes from 2^size_log2 on, and below twice that; 0: sizes 0 and 1'),
  ('block_level', 'begin_ns', 'ns', 'label', 'Begin of the bucket, since the Unix epoch'),
  ('block_level', 'live_blocks', 'count', 'bound', 'Allocations less frees up to the end of the bucket; see block_total'),
  ('block_level', 'live_bytes', 'bytes', 'bound', 'Bytes asked for by these; see block_total');
