-- SPDX-License-Identifier: MIT
--
-- Layer:   the map of carriers
-- Serves:  `carrierscope report map`, the page
--
-- Where carriers are, how full, and what keeps them.

-- _map_cell: one row for each carrier at the moment of `question`, of runtimes that recorded their addresses; of others with
-- recorded blocks for each 256 KiB of addresses, and each block of 512 KiB and more, with blocks in it.
CREATE TEMP VIEW _map_cell AS
WITH step(runtime_id, address, ts_ns, rank, allocator_id, instance, size, place) AS (
  SELECT runtime_id, address, ts_ns, 2, allocator_id, instance, size_bytes, iif(kind = 2, 'single', 'multi') FROM carrier_alloc
  UNION ALL
  SELECT runtime_id, address, ts_ns, 3, allocator_id, instance, size_bytes, NULL FROM carrier_free
  UNION ALL
  SELECT runtime_id, address, ts_ns, 2, allocator_id, instance, size_bytes, iif(place = 0, 'multi', 'pool') FROM carrier_moved
  UNION ALL
  SELECT runtime_id, old_address, ts_ns, 1, allocator_id, instance, 0, NULL FROM carrier_realloc WHERE old_address NOT IN (0, address)
  UNION ALL
  SELECT runtime_id, address, ts_ns, 2, allocator_id, instance, size_bytes, 'single' FROM carrier_realloc
  UNION ALL
  SELECT runtime_id, address, ts_ns, 2, allocator_id, instance, size_bytes, iif(kind = 2, 'single', iif(place = 0, 'multi', 'pool')) FROM state_carrier
),
last AS MATERIALIZED (
  SELECT s.runtime_id, s.address, s.allocator_id, s.instance, s.size, s.place,
    row_number() OVER (PARTITION BY s.runtime_id, s.address ORDER BY s.ts_ns DESC, s.rank DESC) AS number
  FROM step AS s
  JOIN question AS q
  WHERE s.ts_ns <= ifnull(q.at_ns, s.ts_ns)
),
carrier AS MATERIALIZED (
  SELECT l.runtime_id, l.address, l.instance, l.size, l.place, ifnull(n.name, 'allocator ' || l.allocator_id) AS allocator
  FROM last AS l
  LEFT JOIN allocator_name AS n ON n.runtime_id = l.runtime_id AND n.allocator_id = l.allocator_id
  WHERE l.number = 1 AND l.place IS NOT NULL
)
SELECT runtime_id, address, instance, size, place, allocator, 'carrier' AS basis FROM carrier
UNION ALL
SELECT runtime_id, iif(size >= 524288, address, address / 262144 * 262144), min(instance), iif(size >= 524288, size, 262144),
  iif(size >= 524288, 'single', 'multi'), NULL, 'addresses'
FROM block_at
WHERE runtime_id NOT IN (SELECT runtime_id FROM carrier) AND allocator <> 'libc'
GROUP BY runtime_id, 2;

-- report_map: one row for each of these, in the order of addresses, with what is live in it, who made most of that and since when
-- the oldest is there: that pins the carrier.
--
-- Worked example, tests/views/report_map: two blocks of two processes in a carrier of 32 KiB, and one outside.
CREATE VIEW report_map AS
WITH cell AS MATERIALIZED (SELECT * FROM _map_cell),
item AS (
  SELECT runtime_id, address, 0 AS rank, NULL AS size, NULL AS allocator, NULL AS type, NULL AS pid, NULL AS since_ns FROM cell
  UNION ALL
  SELECT runtime_id, address, 1, size, allocator, type, pid, since_ns FROM block_at WHERE runtime_id IN (SELECT runtime_id FROM cell)
),
placed AS (
  SELECT *, max(iif(rank = 0, address, NULL)) OVER (PARTITION BY runtime_id ORDER BY address, rank ROWS UNBOUNDED PRECEDING) AS at
  FROM item
),
part AS MATERIALIZED (
  SELECT runtime_id, at, allocator, type, pid, count(*) AS blocks, sum(size) AS bytes, min(since_ns) AS since_ns, max(address + size) AS until
  FROM placed
  WHERE rank = 1 AND at IS NOT NULL
  GROUP BY runtime_id, at, allocator, type, pid
),
ranked AS (
  SELECT *, row_number() OVER (PARTITION BY runtime_id, at ORDER BY bytes DESC, allocator, type, pid) AS number,
    sum(blocks) OVER cell AS all_blocks, sum(bytes) OVER cell AS all_bytes, min(since_ns) OVER cell AS oldest_ns
  FROM part
  WINDOW cell AS (PARTITION BY runtime_id, at)
),
-- Runtimes of which every live block was recorded: a list of all blocks began the recording, and nothing is missing since.
whole AS MATERIALIZED (
  SELECT DISTINCT e.runtime_id
  FROM state_end AS e
  JOIN state_begin AS b ON b.runtime_id = e.runtime_id AND b.dump_id = e.dump_id
  JOIN runtime AS r ON r.id = e.runtime_id
  WHERE e.runtime_id NOT IN (SELECT runtime_id FROM hook_begin)
    AND r.source_id NOT IN (SELECT source_id FROM lost_interval)
    AND r.source_id NOT IN (SELECT source_id FROM load_problem WHERE severity IN ('data_loss', 'error'))
    AND r.source_id IN (SELECT source_id FROM event_count WHERE event GLOB 'block_*' AND events > 0)
    AND e.carrier_count = (SELECT count(*) FROM state_carrier AS c WHERE c.runtime_id = e.runtime_id AND c.ts_ns BETWEEN b.ts_ns AND e.ts_ns)
    AND e.block_count = (SELECT count(*) FROM state_block AS c WHERE c.runtime_id = e.runtime_id AND c.ts_ns BETWEEN b.ts_ns AND e.ts_ns)
),
label AS MATERIALIZED (SELECT runtime_id, pid, text FROM _process_label WHERE runtime_id IS NOT NULL)
SELECT r.source_id, c.runtime_id, c.address, c.size AS size_bytes, c.place, ifnull(c.allocator, m.allocator) AS allocator, c.instance,
  ifnull(m.all_blocks, 0) AS blocks, min(ifnull(m.all_bytes, 0), c.size) AS used_bytes,
  iif(w.runtime_id IS NULL, c.size, min(ifnull(m.all_bytes, 0), c.size)) AS used_max_bytes, m.type, coalesce(l.text, m.pid) AS process, m.bytes AS process_bytes,
  m.oldest_ns AS oldest_ts_ns, c.basis, s.lost_events AS source_lost_events
FROM cell AS c
JOIN runtime AS r ON r.id = c.runtime_id
JOIN source AS s ON s.id = r.source_id
LEFT JOIN ranked AS m ON m.runtime_id = c.runtime_id AND m.at = c.address AND m.number = 1
LEFT JOIN label AS l ON l.runtime_id = m.runtime_id AND l.pid = m.pid
LEFT JOIN whole AS w ON w.runtime_id = c.runtime_id
ORDER BY c.runtime_id, c.address;

INSERT INTO view_doc VALUES
  ('report_map', '', 'row', 'full scan', 'One row for each carrier with an address at the moment of question, with what is live in it; without recorded carriers each 256 KiB of addresses with blocks'),
  ('report_map', 'address', 'id', 'label', 'Where it begins: a name, never to be followed'),
  ('report_map', 'size_bytes', 'bytes', 'exact', 'Size'),
  ('report_map', 'place', 'text', 'label', 'multi, single (one block) or pool'),
  ('report_map', 'instance', 'count', 'label', 'Number of the allocator instance; NULL: not known'),
  ('report_map', 'blocks', 'count', 'bound', 'Live blocks in it by the events recorded: at least, if none was lost'),
  ('report_map', 'used_bytes', 'bytes', 'bound', 'Their bytes, as asked for: at least, if no event was lost'),
  ('report_map', 'used_max_bytes', 'bytes', 'bound', 'The same at most: the size, unless the recording has every block'),
  ('report_map', 'type', 'text', 'label', 'Type of the blocks of which most bytes are; NULL: none'),
  ('report_map', 'process', 'text', 'label', 'Who made these; NULL: not known'),
  ('report_map', 'process_bytes', 'bytes', 'bound', 'Bytes of these: at least'),
  ('report_map', 'oldest_ts_ns', 'ns', 'exact', 'When the oldest live block in it was made, since the Unix epoch'),
  ('report_map', 'basis', 'text', 'label', 'carrier (recorded with its address), or addresses (256 KiB of them, or a large block)');
