-- SPDX-License-Identifier: MIT
--
-- Layer 14: what only a crash dump has.  Its memory, allocators and options are in
-- the tables of layer 12.

-- One row for each crash dump.
CREATE TABLE crash_dump (
  snapshot_id      INTEGER PRIMARY KEY REFERENCES snapshot(id),
  format           TEXT,         -- '0.5'
  time_text        TEXT,         -- as written: local time
  slogan           TEXT,         -- NULL: the dump has none
  cause            TEXT NOT NULL, -- 'out_of_memory', 'kernel_process', 'boot', ...: what the slogan names
  failed_allocator TEXT,         -- of cause 'out_of_memory', as the four below; NULL: not recorded
  failed_operation TEXT,         -- 'allocate' or 'reallocate'
  failed_bytes     INTEGER,      -- asked for; NULL: also 2^63 and more
  failed_type      TEXT,         -- type of the block: 'heap', 'old_heap', 'binary', ...
  calling_thread   TEXT,         -- 'scheduler:1'; number 0: none of the normal schedulers
  atoms            INTEGER,
  taints           TEXT,         -- names of native libraries; empty: none
  ended            TEXT NOT NULL, -- 'end', 'size_limit', 'cut'
  end_offset_bytes INTEGER NOT NULL, -- where the dump ends, in its uncompressed text
  binaries         INTEGER NOT NULL, -- off-heap binaries that are written out
  binary_bytes     INTEGER NOT NULL  -- their bytes
) STRICT;

-- One row for each line of =allocated_areas.
CREATE TABLE allocated_area (
  snapshot_id     INTEGER NOT NULL REFERENCES snapshot(id),
  name            TEXT NOT NULL,
  allocated_bytes INTEGER NOT NULL,
  used_bytes      INTEGER        -- NULL: not separated
) STRICT;
CREATE INDEX allocated_area_snapshot ON allocated_area(snapshot_id);

-- One row for each process of a dump.
CREATE TABLE process_sample (
  id                     INTEGER PRIMARY KEY,
  snapshot_id            INTEGER NOT NULL REFERENCES snapshot(id),
  line                   INTEGER NOT NULL,
  pid                    TEXT NOT NULL,
  name                   TEXT,   -- NULL: not registered
  initial_call           TEXT,
  current_call           TEXT,   -- last scheduled in for, or current call; NULL: not recorded
  parent                 TEXT,
  state                  TEXT,
  messages               INTEGER,
  reductions             INTEGER,
  heap_fragments         INTEGER,
  heap_fragment_words    INTEGER,
  heap_words             INTEGER, -- stack and young heap
  heap_unused_words      INTEGER,
  old_heap_words         INTEGER,
  old_heap_unused_words  INTEGER,
  binary_heap_words      INTEGER, -- off-heap binaries that the young heap refers to, in words
  old_binary_heap_words  INTEGER,
  memory_bytes           INTEGER  -- NULL: not recorded (OTP 20 and before)
) STRICT;
CREATE INDEX process_sample_snapshot ON process_sample(snapshot_id);

-- One row for each process of a dump whose heap refers to binaries outside it.
CREATE TABLE process_binaries (
  snapshot_id       INTEGER NOT NULL REFERENCES snapshot(id),
  pid               TEXT NOT NULL,
  binaries          INTEGER NOT NULL, -- each once
  binary_bytes      INTEGER NOT NULL, -- of these, as far as their sizes are in the dump
  binary_references INTEGER NOT NULL,
  view_words        INTEGER NOT NULL, -- of the parts that references are to, each reference counted
  whole_words       INTEGER NOT NULL, -- the same of whole binaries
  is_complete       INTEGER NOT NULL  -- 1; 0: there were too many, or sizes are missing
) STRICT;
CREATE INDEX process_binaries_pid ON process_binaries(snapshot_id, pid);

-- One row for each ETS table of a dump.
CREATE TABLE ets_sample (
  snapshot_id INTEGER NOT NULL REFERENCES snapshot(id),
  line        INTEGER NOT NULL,
  owner       TEXT NOT NULL,     -- pid
  name        TEXT,
  objects     INTEGER,
  words       INTEGER
) STRICT;
CREATE INDEX ets_sample_snapshot ON ets_sample(snapshot_id);

INSERT INTO view_doc VALUES
  ('crash_dump', '', 'row', 'fast', 'One row for each crash dump'),
  ('crash_dump', 'format', 'text', 'exact', 'Version of the format'),
  ('crash_dump', 'time_text', 'text', 'exact', 'When it was begun, as written: local time of the node'),
  ('crash_dump', 'slogan', 'text', 'exact', 'Why the node ended, in its words; NULL: not recorded'),
  ('crash_dump', 'cause', 'text', 'exact', 'What the slogan names: out_of_memory, atom_table_full, thread_creation, kernel_process, boot, user_signal, beam_code, too_large, system_limit, or other (also a halt with a text)'),
  ('crash_dump', 'failed_allocator', 'text', 'exact', 'Allocator that could not give memory; NULL: cause is not out_of_memory'),
  ('crash_dump', 'failed_operation', 'text', 'exact', 'allocate or reallocate'),
  ('crash_dump', 'failed_bytes', 'bytes', 'exact', 'Bytes asked for'),
  ('crash_dump', 'failed_type', 'text', 'exact', 'Type of the block asked for: heap, old_heap, binary, ...'),
  ('crash_dump', 'calling_thread', 'text', 'exact', 'Thread that ended the node; number 0: none of the normal schedulers'),
  ('crash_dump', 'atoms', 'count', 'exact', 'Atoms in the table'),
  ('crash_dump', 'taints', 'text', 'exact', 'Native libraries that were loaded; empty: none'),
  ('crash_dump', 'ended', 'text', 'exact', 'How the dump ends: end (whole), size_limit (the node stopped where it was recorded to) or cut (the rest is missing)'),
  ('crash_dump', 'end_offset_bytes', 'bytes', 'exact', 'Offset in the uncompressed text where it ends'),
  ('crash_dump', 'binaries', 'count', 'bound', 'Off-heap binaries that are written out: a lower bound unless ended is end'),
  ('crash_dump', 'binary_bytes', 'bytes', 'bound', 'Their bytes: a lower bound unless ended is end'),

  ('allocated_area', '', 'row', 'fast', 'One row for each area of memory that =allocated_areas or system_info(allocated_areas) names'),
  ('allocated_area', 'name', 'text', 'label', 'Name of the area'),
  ('allocated_area', 'allocated_bytes', 'bytes', 'exact', 'Bytes allocated'),
  ('allocated_area', 'used_bytes', 'bytes', 'exact', 'Of these, bytes used; NULL: not separated'),

  ('process_sample', '', 'row', 'fast', 'One row for each process of a crash dump'),
  ('process_sample', 'id', 'id', 'label', 'Number of the row'),
  ('process_sample', 'line', 'count', 'label', 'Line of the dump where it begins, from 1'),
  ('process_sample', 'pid', 'text', 'exact', 'Process identifier as printed'),
  ('process_sample', 'name', 'text', 'exact', 'Registered name; NULL: none'),
  ('process_sample', 'initial_call', 'text', 'exact', 'Function it was spawned with; NULL: not recorded'),
  ('process_sample', 'current_call', 'text', 'exact', 'Function it was last scheduled in for, or was in; NULL: not recorded'),
  ('process_sample', 'parent', 'text', 'exact', 'Who spawned it'),
  ('process_sample', 'state', 'text', 'exact', 'State in the words of the dump; Garbing: in a garbage collection'),
  ('process_sample', 'messages', 'count', 'exact', 'Messages in its queue'),
  ('process_sample', 'reductions', 'count', 'exact', 'Reductions executed'),
  ('process_sample', 'heap_fragments', 'count', 'exact', 'Heap fragments beside the heap'),
  ('process_sample', 'heap_fragment_words', 'words', 'exact', 'Words in them'),
  ('process_sample', 'heap_words', 'words', 'exact', 'Size of stack and young heap, in words'),
  ('process_sample', 'heap_unused_words', 'words', 'exact', 'Of these, unused'),
  ('process_sample', 'old_heap_words', 'words', 'exact', 'Size of the old heap, in words'),
  ('process_sample', 'old_heap_unused_words', 'words', 'exact', 'Of these, unused'),
  ('process_sample', 'binary_heap_words', 'words', 'exact', 'Off-heap binaries that the young heap refers to, in words; one shared by several processes counts in each'),
  ('process_sample', 'old_binary_heap_words', 'words', 'exact', 'The same of the old heap'),
  ('process_sample', 'memory_bytes', 'bytes', 'exact', 'All memory of the process, binaries left out; NULL: not recorded'),

  ('process_binaries', '', 'row', 'fast', 'One row for each process of a crash dump that refers to binaries outside its heap, by what its heap lists: terms that it can reach, without what funs have in them'),
  ('process_binaries', 'pid', 'text', 'exact', 'Process identifier as printed'),
  ('process_binaries', 'binaries', 'count', 'bound', 'Binaries, each once: a lower bound where fewer words are listed than process_sample has'),
  ('process_binaries', 'binary_bytes', 'bytes', 'bound', 'Their bytes, as far as their sizes are in the dump'),
  ('process_binaries', 'binary_references', 'count', 'bound', 'References to them'),
  ('process_binaries', 'view_words', 'words', 'bound', 'Of the parts that references are to, each reference counted; what process_sample has as binary heaps before OTP 27'),
  ('process_binaries', 'whole_words', 'words', 'bound', 'The same of whole binaries; from OTP 27 on'),
  ('process_binaries', 'is_complete', 'flag', 'exact', '1; 0: there were more than a million references in the dump, or sizes are missing'),

  ('ets_sample', '', 'row', 'fast', 'One row for each ETS table of a crash dump'),
  ('ets_sample', 'line', 'count', 'label', 'Line of the dump where it begins, from 1'),
  ('ets_sample', 'owner', 'text', 'exact', 'Process that owns it'),
  ('ets_sample', 'name', 'text', 'exact', 'Its name'),
  ('ets_sample', 'objects', 'count', 'exact', 'Objects in it'),
  ('ets_sample', 'words', 'words', 'exact', 'Its size in words, off-heap binaries left out');
