-- SPDX-License-Identifier: MIT
--
-- Layer:   what was live at keyframes
-- Serves:  verdicts, findings and the page
--
-- Blocks from before the recording are in no sum until they are freed, which then takes
-- them out of sums that they were never in: levels may be below 0.  What there was before
-- stands in state_block when the provider recorded it.

-- _gone_before: bytes of blocks from before the recording that were freed, by account and
-- keyframe; where the provider does not know sizes of what is freed, blocks of the mean size.
CREATE TEMP VIEW _gone_before AS
SELECT
  n.at_id, n.account_id, n.unknown_frees AS blocks,
  CASE
    WHEN n.unknown_frees = 0 OR n.unknown_bytes > 0 THEN n.unknown_bytes
    ELSE CAST(1.0 * n.unknown_frees * n.made_bytes / max(n.made, 1) AS INTEGER)
  END AS bytes
FROM block_keyframe_account AS n;

-- _account_level: one row for each account and keyframe.
CREATE TEMP VIEW _account_level AS
SELECT
  a.scope, a.runtime_id, a.allocator_id, a.type_id, k.ts_ns AS begin_ns,
  n.live_blocks - g.blocks AS live_blocks,
  n.live_bytes - g.bytes AS live_bytes
FROM block_account AS a
JOIN block_keyframe AS k ON k.source_id = a.source_id
JOIN block_keyframe_account AS n ON n.at_id = k.at_id AND n.account_id = a.id
JOIN _gone_before AS g ON g.at_id = n.at_id AND g.account_id = n.account_id;

-- _allocator_level: one row for each allocator of a process and keyframe.
CREATE TEMP VIEW _allocator_level AS
SELECT runtime_id, allocator_id, begin_ns, live_blocks, live_bytes
FROM _account_level
WHERE scope = 'allocator' AND allocator_id IS NOT NULL;

-- _type_level: one row for each block type of a process and keyframe.
CREATE TEMP VIEW _type_level AS
SELECT runtime_id, allocator_id, type_id, begin_ns, live_blocks, live_bytes
FROM _account_level
WHERE scope = 'type' AND allocator_id IS NOT NULL;

-- _live_total: one row for each block type of a process, when the source ended.
CREATE TEMP TABLE _live_total AS
SELECT
  a.runtime_id, a.allocator_id, a.type_id, a.unknown_frees,
  a.live_blocks - a.unknown_frees AS live_blocks,
  a.live_bytes - a.unknown_bytes AS live_bytes
FROM block_account AS a
WHERE a.scope = 'type' AND a.allocator_id IS NOT NULL;
