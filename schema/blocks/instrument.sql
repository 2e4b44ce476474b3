-- SPDX-License-Identifier: MIT
--
-- Layer:   instrument
-- Serves:  people who knew instrument(3) of OTP 20 and earlier, which +Mim and +Mis fed
--
-- Its functions as views, named after them, about the moment of `question` (NULL: the
-- end).  Sizes are what was asked for, as they were there.  A database is a stored map:
--
--   store_memory_data(File)    carrierscope report instrument_memory_data run.db -o File --format csv
--   read_memory_data(File)     open the database; or .import the CSV into a table
--   store_memory_status(File)  carrierscope report instrument_memory_status run.db -o File --format csv
--   memory_data() -> false     no row: source_capability 'blocks' says why
--
-- A process is printed as Erlang does, "<0.12.3>", which stands for {0,12,3}.

-- memory_data(): {TypeNo, Address, Size, PidDesc} of each live block.
CREATE VIEW instrument_memory_data AS
SELECT runtime_id, type_id AS type_no, address, size, pid, source_lost_events
FROM block_at;

-- sort(MemoryData): in the order of addresses.
CREATE VIEW instrument_sort AS
SELECT * FROM instrument_memory_data ORDER BY runtime_id, address;

-- descr(MemoryData): types by their names.
CREATE VIEW instrument_descr AS
SELECT runtime_id, type, address, size, pid, source_lost_events FROM block_at;

-- type_descr/2, class_descr/2 and allocator_descr/2 for each type number.  A number
-- that is not here is `invalid_type`.
CREATE VIEW instrument_type AS
SELECT
  t.runtime_id,
  t.type_id AS type_no,
  t.name AS type_descr,
  coalesce(c.name, 'unknown') AS class_descr,
  coalesce(a.name, 'unknown') AS allocator_descr,
  s.lost_events AS source_lost_events
FROM _type_name AS t
JOIN runtime AS r ON r.id = t.runtime_id
JOIN source AS s ON s.id = r.source_id
LEFT JOIN _class_name AS c ON c.runtime_id = t.runtime_id AND c.class_id = t.class_id
LEFT JOIN allocator_name AS a
  ON a.runtime_id = t.runtime_id AND a.allocator_id = t.allocator_id;

CREATE VIEW instrument_type_descr AS
SELECT runtime_id, type_no, type_descr, source_lost_events FROM instrument_type;

CREATE VIEW instrument_class_descr AS
SELECT runtime_id, type_no, class_descr, source_lost_events FROM instrument_type;

CREATE VIEW instrument_allocator_descr AS
SELECT runtime_id, type_no, allocator_descr, source_lost_events FROM instrument_type;

-- type_no_range(MemoryData): {Min, Max}.
CREATE VIEW instrument_type_no_range AS
SELECT runtime_id, min(type_no) AS min_type_no, max(type_no) AS max_type_no,
  max(source_lost_events) AS source_lost_events
FROM instrument_type
GROUP BY runtime_id;

-- block_header_size(MemoryData): what lies in front of a block.  No header for
-- instrumentation: a word, as the allocator writes it.
CREATE VIEW instrument_block_header_size AS
SELECT b.runtime_id, max(b.word_bytes) AS block_header_bytes,
  max(s.lost_events) AS source_lost_events
FROM state_begin AS b
JOIN runtime AS r ON r.id = b.runtime_id
JOIN source AS s ON s.id = r.source_id
GROUP BY b.runtime_id;

-- mem_limits(MemoryData): {Low, High}; High is behind the last byte that was asked for.
CREATE VIEW instrument_mem_limits AS
SELECT runtime_id, min(address) AS low, max(address + size) AS high,
  max(source_lost_events) AS source_lost_events
FROM instrument_memory_data
GROUP BY runtime_id;

-- sum_blocks(MemoryData).
CREATE VIEW instrument_sum_blocks AS
SELECT c.runtime_id, sum(c.bytes) AS sum_bytes, sum(c.blocks) AS blocks,
  max(s.lost_events) AS source_lost_events
FROM _block_cell AS c
JOIN source AS s ON s.id = c.source_id
WHERE c.moment = 'question'
GROUP BY c.runtime_id
HAVING sum(c.blocks) <> 0;

-- holes(MemoryData): the space between blocks that follow each other; headers are in it.
-- Really large ones lie between carriers.
--
-- Worked example (the test of instrument_holes): blocks of 100 bytes at 4096 and of 8 at
-- 4208 have a hole of 12 bytes at 4196.
CREATE VIEW instrument_holes AS
WITH next AS (
  SELECT runtime_id, address + size AS address, source_lost_events,
    lead(address) OVER (PARTITION BY runtime_id ORDER BY address) - address - size AS size
  FROM instrument_memory_data
)
SELECT runtime_id, address, size, source_lost_events FROM next WHERE size > 0;

-- memory_status(total | allocators | classes | types): sizes and blocks, current, most
-- since last asked (question.since_ns; NULL: since the beginning) and most ever.  At the
-- end, and at keyframes, the maxima are exact, else lower bounds: what lies between the
-- last keyframe and the moment counts as it is at the moment.
CREATE TEMP VIEW _instrument_level AS
WITH now AS (
  SELECT runtime_id, allocator_id, type_id, sum(blocks) AS blocks, sum(bytes) AS bytes
  FROM _block_cell
  WHERE moment = 'question'
  GROUP BY runtime_id, allocator_id, type_id
)
SELECT a.id AS account_id, sum(n.blocks) AS blocks, sum(n.bytes) AS bytes
FROM _block_account AS a
JOIN now AS n ON n.runtime_id IS a.runtime_id
LEFT JOIN _type_name AS t ON t.runtime_id = n.runtime_id AND t.type_id = n.type_id
WHERE CASE a.scope
  WHEN 'type' THEN n.type_id IS a.type_id AND n.allocator_id IS a.allocator_id
  WHEN 'allocator' THEN n.allocator_id IS a.allocator_id
  WHEN 'class' THEN coalesce(t.class_id, 0) = a.class_id
  ELSE 1 END
GROUP BY a.id;

CREATE TEMP VIEW _instrument_most AS
SELECT k.account_id,
  max(k.most_blocks) AS ever_blocks,
  max(k.most_bytes) AS ever_bytes,
  max(iif(q.since_ns IS NULL OR f.ts_ns > q.since_ns, k.most_blocks, 0)) AS last_blocks,
  max(iif(q.since_ns IS NULL OR f.ts_ns > q.since_ns, k.most_bytes, 0)) AS last_bytes
FROM _block_moment AS m
JOIN question AS q
CROSS JOIN block_keyframe AS f ON f.source_id = m.source_id AND f.at_id <= m.at_id
CROSS JOIN block_keyframe_account AS k ON k.at_id = f.at_id
WHERE m.moment = 'question'
GROUP BY k.account_id;

CREATE VIEW instrument_memory_status AS
WITH status AS (
  SELECT
    a.runtime_id,
    CASE a.scope WHEN 'runtime' THEN 'total' WHEN 'allocator' THEN 'allocators'
      WHEN 'class' THEN 'classes' ELSE 'types' END AS status_type,
    CASE a.scope WHEN 'runtime' THEN 'total' WHEN 'allocator' THEN a.allocator
      WHEN 'class' THEN a.class ELSE a.type END AS about,
    coalesce(n.blocks, 0) AS blocks, coalesce(n.bytes, 0) AS bytes,
    m.last_blocks, m.ever_blocks, m.last_bytes, m.ever_bytes, a.source_lost_events
  FROM _block_account AS a
  LEFT JOIN _instrument_level AS n ON n.account_id = a.id
  LEFT JOIN _instrument_most AS m ON m.account_id = a.id
)
SELECT runtime_id, status_type, about, 'sizes' AS info, bytes AS current,
  max(coalesce(last_bytes, 0), bytes) AS max_since_last,
  max(coalesce(ever_bytes, 0), bytes) AS max_ever, source_lost_events
FROM status
UNION ALL
SELECT runtime_id, status_type, about, 'blocks', blocks,
  max(coalesce(last_blocks, 0), blocks), max(coalesce(ever_blocks, 0), blocks),
  source_lost_events
FROM status;

INSERT INTO view_doc VALUES
  ('instrument_memory_data', '', 'row', 'full scan', 'memory_data/0: one row for each live block'),
  ('instrument_memory_data', 'pid', 'text', 'label', 'Erlang process or port that the thread ran when it made the block; NULL: none, or not recorded'),
  ('instrument_sort', '', 'row', 'full scan', 'sort/1: the same in the order of addresses'),
  ('instrument_sort', 'pid', 'text', 'label', 'Erlang process or port that the thread ran when it made the block; NULL: none, or not recorded'),
  ('instrument_descr', '', 'row', 'full scan', 'descr/1: the same with the names of types'),
  ('instrument_descr', 'type', 'text', 'label', 'Name of the block type; NULL: not recorded'),
  ('instrument_descr', 'pid', 'text', 'label', 'Erlang process or port that the thread ran when it made the block; NULL: none, or not recorded'),
  ('instrument_type', '', 'row', 'fast', 'One row for each block type: what describes it'),
  ('instrument_type', 'type_descr', 'text', 'label', 'Name of the type'),
  ('instrument_type', 'class_descr', 'text', 'label', 'Name of its class'),
  ('instrument_type', 'allocator_descr', 'text', 'label', 'Name of its allocator'),
  ('instrument_type_descr', '', 'row', 'fast', 'type_descr/2'),
  ('instrument_type_descr', 'type_descr', 'text', 'label', 'Name of the type'),
  ('instrument_class_descr', '', 'row', 'fast', 'class_descr/2'),
  ('instrument_class_descr', 'class_descr', 'text', 'label', 'Name of its class'),
  ('instrument_allocator_descr', '', 'row', 'fast', 'allocator_descr/2'),
  ('instrument_allocator_descr', 'allocator_descr', 'text', 'label', 'Name of its allocator'),
  ('instrument_type_no_range', '', 'row', 'fast', 'type_no_range/1'),
  ('instrument_type_no_range', 'min_type_no', 'id', 'exact', 'Least number of a type'),
  ('instrument_type_no_range', 'max_type_no', 'id', 'exact', 'Greatest number of a type'),
  ('instrument_block_header_size', '', 'row', 'fast', 'block_header_size/1: what lies in front of a block'),
  ('instrument_block_header_size', 'block_header_bytes', 'bytes', 'exact', 'The allocator''s header; there is none for instrumentation'),
  ('instrument_mem_limits', '', 'row', 'full scan', 'mem_limits/1'),
  ('instrument_mem_limits', 'low', 'address', 'exact', 'Lowest address of a block'),
  ('instrument_mem_limits', 'high', 'address', 'exact', 'Behind the last byte of the highest block'),
  ('instrument_sum_blocks', '', 'row', 'full scan', 'sum_blocks/1'),
  ('instrument_sum_blocks', 'sum_bytes', 'bytes', 'exact', 'Bytes asked for in live blocks'),
  ('instrument_sum_blocks', 'blocks', 'count', 'exact', 'Live blocks'),
  ('instrument_holes', '', 'row', 'full scan', 'holes/1: one row for each space between two blocks'),
  ('instrument_holes', 'address', 'address', 'exact', 'Where the space begins'),
  ('instrument_holes', 'size', 'bytes', 'exact', 'Its size; headers of blocks are in it'),
  ('instrument_memory_status', '', 'row', 'full scan', 'memory_status/1: one row for each StatusType, About and InfoName'),
  ('instrument_memory_status', 'status_type', 'text', 'label', 'total, allocators, classes or types'),
  ('instrument_memory_status', 'about', 'text', 'label', 'What it is about'),
  ('instrument_memory_status', 'info', 'text', 'label', 'sizes (bytes) or blocks (count)'),
  ('instrument_memory_status', 'current', 'any', 'exact', 'At the moment of question'),
  ('instrument_memory_status', 'max_since_last', 'any', 'bound', 'Most since question.since_ns: exact at the end of the source and at keyframes, else a lower bound; a keyframe interval that since_ns falls into counts as a whole'),
  ('instrument_memory_status', 'max_ever', 'any', 'bound', 'Most since the source began: exact at the end and at keyframes, else a lower bound');
