-- SPDX-License-Identifier: MIT
--
-- Layer 21: what the loader keeps while block events pass, so that what was live
-- at any time is found without reading them all.
--
-- Two kinds of keyframes, both at a row of block_event, `at_id`: "after that row".
--   * block_keyframe: sums by type, allocator, class and process, and sizes by power
--     of two.  At most 256 of a source, at equal distances in rows.
--   * live_block_keyframe: the list of the live blocks, every 2^18 rows and 6 rows for
--     each block in the list, whichever is more; and at the end.
-- Sums between two keyframes: those of the earlier, plus the rows that made a block since
-- (op <> 1, address <> 0), less those that ended since (ended_id).  Blocks that were live
-- between two lists: of the later list those that were made by then, and those that ended
-- in between (ended_id) and were made by then.

-- The moment that views ending in _at, and those of 67, are about; one row.  at_ns
-- NULL: the end of each source.  since_ns: when memory_status was last asked for.
-- `carrierscope report NAME FILE --at T` asks without writing to the file.
CREATE TABLE question (
  id       INTEGER PRIMARY KEY CHECK (id = 1),
  at_ns    INTEGER,
  since_ns INTEGER
) STRICT;

INSERT INTO question VALUES (1, NULL, NULL);

-- One row for each source with block events: which rows of block_event are its own.
CREATE TABLE block_span (
  source_id     INTEGER PRIMARY KEY REFERENCES source(id),
  first_id      INTEGER NOT NULL,
  last_id       INTEGER NOT NULL,
  first_ts_ns   INTEGER NOT NULL,
  last_ts_ns    INTEGER NOT NULL,
  late_reallocs INTEGER NOT NULL  -- recorded after their old address was in use again
) STRICT;

-- One row for each type of block of a process, for each allocator and class of types,
-- and for the process; over the whole source.
CREATE TABLE block_account (
  id           INTEGER PRIMARY KEY,
  source_id    INTEGER NOT NULL REFERENCES source(id),
  runtime_id   INTEGER NOT NULL REFERENCES runtime(id),
  scope        TEXT NOT NULL CHECK (scope IN ('type', 'allocator', 'class', 'runtime')),
  allocator_id INTEGER,           -- name_allocator.allocator_id; NULL: libc, or not of one
  type_id      INTEGER,           -- name_type.type_id; NULL: libc, or not of one
  class_id     INTEGER,           -- name_class.class_id, 0: not recorded; NULL: not of one
  made         INTEGER NOT NULL, made_bytes  INTEGER NOT NULL, -- reallocations included
  ended        INTEGER NOT NULL, ended_bytes INTEGER NOT NULL, -- the same
  resized      INTEGER NOT NULL,
  live_blocks  INTEGER NOT NULL, live_bytes  INTEGER NOT NULL, -- at the end
  most_blocks  INTEGER NOT NULL, most_blocks_ts_ns INTEGER, most_blocks_id INTEGER,
  most_bytes   INTEGER NOT NULL, most_bytes_ts_ns  INTEGER, most_bytes_id  INTEGER,
  unknown_frees INTEGER NOT NULL, unknown_bytes INTEGER NOT NULL, -- of blocks from before
  lost_frees   INTEGER NOT NULL, lost_bytes  INTEGER NOT NULL,
  temporary    INTEGER NOT NULL, temporary_bytes INTEGER NOT NULL
) STRICT;

-- Allocations by power of two of their size, over the whole source; accounts of types.
CREATE TABLE block_made_size (
  account_id INTEGER NOT NULL REFERENCES block_account(id),
  size_from  INTEGER NOT NULL,    -- 0, 1, 2, 4 ...: sizes up to, not including, the next
  made       INTEGER NOT NULL,
  made_bytes INTEGER NOT NULL,
  PRIMARY KEY (account_id, size_from)
) STRICT, WITHOUT ROWID;

-- Frees by power of two of the life that ended, reallocations not counted as ends.
CREATE TABLE block_life (
  account_id   INTEGER NOT NULL REFERENCES block_account(id),
  life_from_ns INTEGER NOT NULL,  -- 0, 1, 2, 4 ...: lives up to, not including, the next
  ends         INTEGER NOT NULL,
  end_bytes    INTEGER NOT NULL,
  PRIMARY KEY (account_id, life_from_ns)
) STRICT, WITHOUT ROWID;

-- The keyframes of a source; the last is at its last row.
CREATE TABLE block_keyframe (
  source_id INTEGER NOT NULL REFERENCES source(id),
  at_id     INTEGER NOT NULL,
  ts_ns     INTEGER NOT NULL,
  PRIMARY KEY (source_id, at_id)
) STRICT, WITHOUT ROWID;

-- All accounts at a keyframe.
CREATE TABLE block_keyframe_account (
  at_id       INTEGER NOT NULL,
  account_id  INTEGER NOT NULL REFERENCES block_account(id),
  made        INTEGER NOT NULL, made_bytes  INTEGER NOT NULL, -- since the source began
  ended       INTEGER NOT NULL, ended_bytes INTEGER NOT NULL,
  live_blocks INTEGER NOT NULL, live_bytes  INTEGER NOT NULL,
  most_blocks INTEGER NOT NULL, most_bytes  INTEGER NOT NULL, -- since the keyframe before
  unknown_frees INTEGER NOT NULL, unknown_bytes INTEGER NOT NULL, -- since the source began
  PRIMARY KEY (at_id, account_id)
) STRICT, WITHOUT ROWID;

-- Live blocks at a keyframe by power of two of their size; accounts of types.
CREATE TABLE block_keyframe_size (
  at_id       INTEGER NOT NULL,
  account_id  INTEGER NOT NULL REFERENCES block_account(id),
  size_from   INTEGER NOT NULL,
  live_blocks INTEGER NOT NULL,
  live_bytes  INTEGER NOT NULL,
  PRIMARY KEY (at_id, account_id, size_from)
) STRICT, WITHOUT ROWID;

-- One row for each list of live blocks.
CREATE TABLE live_block_keyframe (
  at_id  INTEGER PRIMARY KEY,
  blocks INTEGER NOT NULL
) STRICT;

-- The list, in parts: rows of block_event that made the blocks, as a JSON
-- array, rising (in older files in no order).
CREATE TABLE live_block_list (
  at_id INTEGER NOT NULL REFERENCES live_block_keyframe(at_id),
  part  INTEGER NOT NULL,
  ids   TEXT NOT NULL,
  PRIMARY KEY (at_id, part)
) STRICT;

-- What is live at the end of a source, by what its events say of who made it.  No rows where table
-- block_process says it.
CREATE TABLE live_block_maker (
  source_id    INTEGER NOT NULL REFERENCES source(id),
  thread_id    INTEGER,
  allocator_id INTEGER,
  type_id      INTEGER,           -- NULL: libc, or one type of very many
  process      INTEGER,           -- block_event.process
  blocks       INTEGER NOT NULL,
  bytes        INTEGER NOT NULL
) STRICT;

-- Which Erlang process ran on a thread when it made blocks: from that row of
-- block_event on, until the thread's next row here.  From the dyntrace events.
CREATE TABLE block_process (
  thread_id INTEGER NOT NULL REFERENCES thread(id),
  from_id   INTEGER NOT NULL,
  pid       TEXT,                 -- as Erlang prints it; NULL: no process
  PRIMARY KEY (thread_id, from_id)
) STRICT, WITHOUT ROWID;

INSERT INTO view_doc VALUES
  ('question', '', 'row', 'fast', 'One row: the moment that views ending in _at and instrument_ views are about'),
  ('question', 'id', 'id', 'label', '1'),
  ('question', 'at_ns', 'ns', 'label', 'The moment; NULL: the end of each source'),
  ('question', 'since_ns', 'ns', 'label', 'When instrument_memory_status was last asked for; NULL: never'),
  ('block_span', '', 'row', 'fast', 'One row for each source with block events'),
  ('block_span', 'first_id', 'id', 'label', 'Its first row of block_event'),
  ('block_span', 'last_id', 'id', 'label', 'Its last row of block_event'),
  ('block_span', 'first_ts_ns', 'ns', 'exact', 'Time of the first'),
  ('block_span', 'last_ts_ns', 'ns', 'exact', 'Time of the last'),
  ('block_span', 'late_reallocs', 'count', 'exact', 'Reallocations that were recorded after another thread had got the old address'),
  ('block_account', '', 'row', 'fast', 'One row for each type of block of a process, each allocator, each class, and the process'),
  ('block_account', 'id', 'id', 'label', 'Number of the account'),
  ('block_account', 'runtime_id', 'id', 'label', 'runtime.id'),
  ('block_account', 'scope', 'text', 'label', 'What is summed over: type, allocator, class or runtime'),
  ('block_account', 'allocator_id', 'id', 'label', 'name_allocator.allocator_id; NULL: libc, or a sum over allocators'),
  ('block_account', 'type_id', 'id', 'label', 'name_type.type_id; NULL: libc, a sum over types, or one type of very many'),
  ('block_account', 'class_id', 'id', 'label', 'name_class.class_id, 0: not recorded; NULL: a sum over classes'),
  ('block_account', 'made', 'count', 'exact', 'Blocks that were given, reallocations included'),
  ('block_account', 'made_bytes', 'bytes', 'exact', 'Bytes asked for in them'),
  ('block_account', 'ended', 'count', 'exact', 'Of them, those that are no more, reallocated ones included'),
  ('block_account', 'ended_bytes', 'bytes', 'exact', 'Bytes asked for in them'),
  ('block_account', 'resized', 'count', 'exact', 'Reallocations'),
  ('block_account', 'live_blocks', 'count', 'exact', 'Blocks live at the end'),
  ('block_account', 'most_blocks', 'count', 'exact', 'Most live blocks; of a class whose types were recorded late an estimate'),
  ('block_account', 'most_blocks_ts_ns', 'ns', 'exact', 'When that was first; NULL: never, or when a class was recorded'),
  ('block_account', 'most_blocks_id', 'id', 'label', 'block_event.id then'),
  ('block_account', 'most_bytes', 'bytes', 'exact', 'Most bytes asked for in live blocks; of a class as above'),
  ('block_account', 'most_bytes_ts_ns', 'ns', 'exact', 'When that was first; NULL as above'),
  ('block_account', 'most_bytes_id', 'id', 'label', 'block_event.id then'),
  ('block_account', 'unknown_frees', 'count', 'exact', 'Frees of blocks whose allocation was not seen: they existed before the recording'),
  ('block_account', 'unknown_bytes', 'bytes', 'bound', 'Bytes asked for in them, as far as the frees say: a lower bound; what there was room for, an upper one, of a hooked node'),
  ('block_account', 'lost_frees', 'count', 'exact', 'Blocks at whose address another was made before a free was seen'),
  ('block_account', 'lost_bytes', 'bytes', 'exact', 'Bytes asked for in them'),
  ('block_account', 'temporary', 'count', 'exact', 'Blocks freed by the thread that made them before it made another; 0 where threads are not recorded'),
  ('block_account', 'temporary_bytes', 'bytes', 'exact', 'Bytes asked for in them'),
  ('block_made_size', '', 'row', 'fast', 'One row for each type of block and power of two of sizes'),
  ('block_made_size', 'account_id', 'id', 'label', 'block_account.id of a type'),
  ('block_made_size', 'size_from', 'bytes', 'label', 'Sizes from this on, below the double of it; 0: 0'),
  ('block_made_size', 'made', 'count', 'exact', 'Blocks of this size that were given, reallocations included'),
  ('block_made_size', 'made_bytes', 'bytes', 'exact', 'Bytes asked for in them'),
  ('block_life', '', 'row', 'fast', 'One row for each type of block and power of two of lengths of lives that ended'),
  ('block_life', 'account_id', 'id', 'label', 'block_account.id of a type'),
  ('block_life', 'life_from_ns', 'ns', 'label', 'Lives from this on, below the double of it; 0: 0'),
  ('block_life', 'ends', 'count', 'exact', 'Frees that were seen; a reallocation does not end a life'),
  ('block_life', 'end_bytes', 'bytes', 'exact', 'Bytes asked for in them'),
  ('block_keyframe', '', 'row', 'fast', 'One row for each keyframe of the sums over blocks'),
  ('block_keyframe', 'at_id', 'id', 'label', 'block_event.id of the row after which it is'),
  ('block_keyframe', 'ts_ns', 'ns', 'exact', 'Time of that row'),
  ('block_keyframe_account', '', 'row', 'fast', 'One row for each keyframe and account'),
  ('block_keyframe_account', 'at_id', 'id', 'label', 'block_keyframe.at_id'),
  ('block_keyframe_account', 'account_id', 'id', 'label', 'block_account.id'),
  ('block_keyframe_account', 'made', 'count', 'exact', 'Blocks that were given since the source began'),
  ('block_keyframe_account', 'made_bytes', 'bytes', 'exact', 'Bytes asked for in them'),
  ('block_keyframe_account', 'ended', 'count', 'exact', 'Of them, those that are no more'),
  ('block_keyframe_account', 'ended_bytes', 'bytes', 'exact', 'Bytes asked for in them'),
  ('block_keyframe_account', 'most_blocks', 'count', 'exact', 'Most live blocks since the keyframe before'),
  ('block_keyframe_account', 'most_bytes', 'bytes', 'exact', 'Most bytes asked for in live blocks since the keyframe before'),
  ('block_keyframe_account', 'unknown_frees', 'count', 'exact', 'Frees since the source began of blocks from before it'),
  ('block_keyframe_account', 'unknown_bytes', 'bytes', 'bound', 'Bytes asked for in them, at least: a provider may not know; what there was room for, of a hooked node'),
  ('block_keyframe_size', '', 'row', 'fast', 'One row for each keyframe, type of block and power of two of sizes'),
  ('block_keyframe_size', 'at_id', 'id', 'label', 'block_keyframe.at_id'),
  ('block_keyframe_size', 'account_id', 'id', 'label', 'block_account.id of a type'),
  ('block_keyframe_size', 'size_from', 'bytes', 'label', 'Sizes from this on, below the double of it; 0: 0'),
  ('block_keyframe_size', 'live_blocks', 'count', 'exact', 'Live blocks of this size'),
  ('live_block_keyframe', '', 'row', 'fast', 'One row for each list of live blocks'),
  ('live_block_keyframe', 'at_id', 'id', 'label', 'block_event.id of the row after which they were live'),
  ('live_block_keyframe', 'blocks', 'count', 'exact', 'How many'),
  ('live_block_list', '', 'row', 'fast', 'One row for each part of a list'),
  ('live_block_list', 'at_id', 'id', 'label', 'live_block_keyframe.at_id'),
  ('live_block_list', 'part', 'count', 'label', 'Number of the part'),
  ('live_block_list', 'ids', 'text', 'label', 'block_event.id of the rows that made the blocks: a JSON array, rising (older files: in no order)'),
  ('live_block_maker', '', 'row', 'fast', 'One row for each kind of blocks that are live at the end of a source, and who made them'),
  ('live_block_maker', 'source_id', 'id', 'label', 'source.id'),
  ('live_block_maker', 'thread_id', 'id', 'label', 'thread.id of who made them; NULL: not recorded'),
  ('live_block_maker', 'allocator_id', 'id', 'label', 'name_allocator.allocator_id; NULL: libc'),
  ('live_block_maker', 'type_id', 'id', 'label', 'name_type.type_id; NULL: libc, or one type of very many'),
  ('live_block_maker', 'process', 'id', 'label', 'Who made them, as block_event.process'),
  ('live_block_maker', 'blocks', 'count', 'exact', 'How many'),
  ('live_block_maker', 'bytes', 'bytes', 'exact', 'Bytes asked for in them'),
  ('block_process', '', 'row', 'fast', 'One row for each change of the Erlang process that makes blocks on a thread'),
  ('block_process', 'thread_id', 'id', 'label', 'thread.id'),
  ('block_process', 'from_id', 'id', 'label', 'From this row of block_event on'),
  ('block_process', 'pid', 'text', 'label', 'The process, as Erlang prints it; NULL: none');
