-- SPDX-License-Identifier: MIT
--
-- Layer 13: what the log of a board says beside the snapshots of layer 12.
--
-- Filled by analyzer/readers/board/board_log.c; each row belongs to a snapshot, which has the
-- line of the log.  Lists of erlang:memory() are rows of memory_sample.

-- One row for each whole report of the shell command `malloc` of RTEMS.
CREATE TABLE heap_sample (
  snapshot_id     INTEGER PRIMARY KEY REFERENCES snapshot(id),
  free_blocks INTEGER NOT NULL,
  free_largest INTEGER NOT NULL,
  free_bytes INTEGER NOT NULL,
  used_blocks INTEGER NOT NULL,
  used_largest INTEGER NOT NULL,
  used_bytes INTEGER NOT NULL,
  size_bytes INTEGER NOT NULL,
  min_free_bytes INTEGER NOT NULL,
  max_free_blocks INTEGER NOT NULL,
  max_searched INTEGER NOT NULL,
  allocated_bytes INTEGER NOT NULL,
  freed_bytes INTEGER NOT NULL,
  searches INTEGER NOT NULL,
  allocs INTEGER NOT NULL,
  failed_allocs INTEGER NOT NULL,
  frees INTEGER NOT NULL,
  resizes INTEGER NOT NULL
) STRICT;

-- One row for each whole table of tasks, as `top` prints it.
CREATE TABLE cpu_sample (
  snapshot_id          INTEGER PRIMARY KEY REFERENCES snapshot(id),
  uptime_ns            INTEGER NOT NULL,
  period_ns            INTEGER NOT NULL,
  tasks                INTEGER NOT NULL,
  load_average_percent REAL NOT NULL,
  load_percent         REAL NOT NULL,
  idle_percent         REAL NOT NULL,
  free_bytes           INTEGER,  -- NULL: not recorded; printed in whole KiB or MiB
  used_bytes           INTEGER,
  stack_bytes          INTEGER
) STRICT;

-- One row for each task in such a table.
CREATE TABLE cpu_task (
  snapshot_id      INTEGER NOT NULL REFERENCES cpu_sample(snapshot_id),
  task             INTEGER NOT NULL, -- id of RTEMS
  name             TEXT NOT NULL,
  real_priority    INTEGER NOT NULL,
  current_priority INTEGER NOT NULL,
  time_ns          INTEGER NOT NULL,
  total_percent    REAL NOT NULL,
  current_percent  REAL NOT NULL
) STRICT;
CREATE INDEX cpu_task_snapshot ON cpu_task(snapshot_id);

-- One row for each sentence of a runtime that has no memory left.
CREATE TABLE logged_failure (
  snapshot_id INTEGER PRIMARY KEY REFERENCES snapshot(id),
  allocator   TEXT NOT NULL,     -- 'eheap_alloc'
  operation   TEXT NOT NULL,     -- 'allocate', 'reallocate'
  size_bytes  INTEGER NOT NULL,
  type        TEXT NOT NULL      -- 'old_heap'
) STRICT;

-- One row for each flag of an allocator in a line that starts the runtime.
CREATE TABLE boot_flag (
  snapshot_id INTEGER NOT NULL REFERENCES snapshot(id),
  flag        TEXT NOT NULL,     -- '-Mea'
  value       TEXT,              -- NULL: none follows
  is_behind   INTEGER NOT NULL   -- 1: it stands behind '--'
) STRICT;

-- One row for each size that process heaps can have, in words of the target: 12 and 38, then
-- each is the sum of the two before it and 1, from step 23 on a fifth more than the one before.
-- Steps beyond 2^30 words are left out.
CREATE TABLE heap_size_step (
  step        INTEGER PRIMARY KEY,
  words       INTEGER NOT NULL,
  bytes_word4 INTEGER NOT NULL,
  bytes_word8 INTEGER NOT NULL
) STRICT;
INSERT INTO heap_size_step
WITH RECURSIVE size(step, words, before) AS (
  VALUES (0, 12, NULL), (1, 38, 12)
  UNION ALL
  SELECT step + 1, iif(step < 22, words + before + 1, words + words / 5), words
  FROM size
  WHERE before IS NOT NULL AND words < 1000000000
)
SELECT step, words, 4 * words, 8 * words FROM size;

INSERT INTO view_doc VALUES
  ('heap_sample', '', 'row', 'fast', 'One row for each whole report of the shell command malloc of RTEMS'),
  ('heap_sample', 'snapshot_id', 'id', 'label', 'snapshot.id'),
  ('heap_sample', 'free_blocks', 'count', 'exact', 'Free blocks'),
  ('heap_sample', 'free_largest', 'bytes', 'exact', 'Largest free block, header included'),
  ('heap_sample', 'free_bytes', 'bytes', 'exact', 'Sum of free blocks, headers included'),
  ('heap_sample', 'used_blocks', 'count', 'exact', 'Used blocks'),
  ('heap_sample', 'used_largest', 'bytes', 'exact', 'Largest used block, header included'),
  ('heap_sample', 'used_bytes', 'bytes', 'exact', 'Sum of used blocks, headers included'),
  ('heap_sample', 'size_bytes', 'bytes', 'exact', 'Size of the allocatable area'),
  ('heap_sample', 'min_free_bytes', 'bytes', 'exact', 'Least that was ever free'),
  ('heap_sample', 'max_free_blocks', 'count', 'exact', 'Most free blocks ever, as RTEMS counts it: may be below the number of now'),
  ('heap_sample', 'max_searched', 'count', 'exact', 'Most blocks looked at for one request'),
  ('heap_sample', 'allocated_bytes', 'bytes', 'exact', 'Bytes of blocks when they were allocated, sum'),
  ('heap_sample', 'freed_bytes', 'bytes', 'exact', 'Bytes of blocks when they were freed, sum'),
  ('heap_sample', 'searches', 'count', 'exact', 'Blocks looked at for requests that were granted'),
  ('heap_sample', 'allocs', 'count', 'exact', 'Successful allocations'),
  ('heap_sample', 'failed_allocs', 'count', 'exact', 'Failed allocations'),
  ('heap_sample', 'frees', 'count', 'exact', 'Successful frees'),
  ('heap_sample', 'resizes', 'count', 'exact', 'Resizes in place'),

  ('cpu_sample', '', 'row', 'fast', 'One row for each whole table of tasks, as top of RTEMS prints it'),
  ('cpu_sample', 'snapshot_id', 'id', 'label', 'snapshot.id'),
  ('cpu_sample', 'uptime_ns', 'ns', 'exact', 'Time since the board started'),
  ('cpu_sample', 'period_ns', 'ns', 'exact', 'Time since the table before'),
  ('cpu_sample', 'tasks', 'count', 'exact', 'Tasks'),
  ('cpu_sample', 'load_average_percent', 'percent', 'exact', 'Load since the start'),
  ('cpu_sample', 'load_percent', 'percent', 'exact', 'Load in the period'),
  ('cpu_sample', 'idle_percent', 'percent', 'exact', 'Idle time in the period'),
  ('cpu_sample', 'free_bytes', 'bytes', 'estimate', 'Free memory, printed in whole KiB or MiB; NULL: not recorded'),
  ('cpu_sample', 'used_bytes', 'bytes', 'estimate', 'Used memory, printed in whole KiB or MiB; NULL: not recorded'),
  ('cpu_sample', 'stack_bytes', 'bytes', 'estimate', 'Stacks of tasks, printed in whole KiB or MiB; NULL: not recorded'),

  ('cpu_task', '', 'row', 'fast', 'One row for each task of a table of tasks'),
  ('cpu_task', 'snapshot_id', 'id', 'label', 'cpu_sample.snapshot_id'),
  ('cpu_task', 'task', 'id', 'label', 'Id of the task in RTEMS'),
  ('cpu_task', 'name', 'text', 'label', 'Name as printed: four letters, or the address of a thread''s function'),
  ('cpu_task', 'real_priority', 'count', 'exact', 'Priority of its own; lower runs first'),
  ('cpu_task', 'current_priority', 'count', 'exact', 'Priority of now'),
  ('cpu_task', 'time_ns', 'ns', 'exact', 'Processor time since the start'),
  ('cpu_task', 'total_percent', 'percent', 'exact', 'Share of all processor time'),
  ('cpu_task', 'current_percent', 'percent', 'exact', 'Share of the period'),

  ('logged_failure', '', 'row', 'fast', 'One row for each sentence of a runtime that has no memory left'),
  ('logged_failure', 'snapshot_id', 'id', 'label', 'snapshot.id'),
  ('logged_failure', 'allocator', 'text', 'label', 'Allocator that was asked'),
  ('logged_failure', 'operation', 'text', 'label', 'allocate or reallocate'),
  ('logged_failure', 'size_bytes', 'bytes', 'exact', 'What was asked for'),
  ('logged_failure', 'type', 'text', 'label', 'Type of the block'),

  ('boot_flag', '', 'row', 'full scan', 'One row for each flag of an allocator in a line that starts the runtime'),
  ('boot_flag', 'snapshot_id', 'id', 'label', 'snapshot.id'),
  ('boot_flag', 'flag', 'text', 'exact', 'The flag with its sign'),
  ('boot_flag', 'value', 'text', 'exact', 'The word behind it; NULL: none'),
  ('boot_flag', 'is_behind', 'flag', 'exact', '1: it stands behind --, where flags of the emulator have no effect'),

  ('heap_size_step', '', 'row', 'fast', 'One row for each size that process heaps can have'),
  ('heap_size_step', 'step', 'count', 'exact', 'Number of the step, from 0'),
  ('heap_size_step', 'words', 'count', 'exact', 'Size in words of the target'),
  ('heap_size_step', 'bytes_word4', 'bytes', 'exact', 'Size with words of 4 bytes'),
  ('heap_size_step', 'bytes_word8', 'bytes', 'exact', 'Size with words of 8 bytes');
