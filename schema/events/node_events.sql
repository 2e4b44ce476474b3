-- SPDX-License-Identifier: MIT
--
-- Layer 14: what a hooked Erlang node tells besides blocks, a table for each event, named like it
-- and with its fields as columns (tp/carrierscope_node_events.inc).
-- Empty unless provider `carrierscope` of such a node was recorded.

-- One row for each hook before the allocators of a running node, and one more for each session that came later.
CREATE TABLE "hook_begin" (
  id INTEGER PRIMARY KEY,
  ts_ns INTEGER,
  runtime_id INTEGER,
  thread_id INTEGER,
  hook_id INTEGER,
  is_again INTEGER,
  allocators INTEGER,
  types INTEGER,
  min_bytes INTEGER,
  sample_by INTEGER,
  sample_every INTEGER,
  hooked_uptime_ms INTEGER
) STRICT;

-- One row for each hook that was taken away again: numbers to check a recording by.
CREATE TABLE "hook_end" (
  id INTEGER PRIMARY KEY,
  ts_ns INTEGER,
  runtime_id INTEGER,
  thread_id INTEGER,
  hook_id INTEGER,
  allocs INTEGER,
  frees INTEGER,
  reallocs INTEGER,
  failures INTEGER,
  untracked INTEGER
) STRICT;

-- One row for each block that was drawn as a sample.
CREATE TABLE "sample_alloc" (
  id INTEGER PRIMARY KEY,
  ts_ns INTEGER,
  runtime_id INTEGER,
  thread_id INTEGER,
  address INTEGER,
  size_bytes INTEGER,
  type_id INTEGER,
  allocator_id INTEGER,
  instance INTEGER,
  weight_micro INTEGER
) STRICT;

-- One row for each sampled block that was given back; other blocks have none.
CREATE TABLE "sample_free" (
  id INTEGER PRIMARY KEY,
  ts_ns INTEGER,
  runtime_id INTEGER,
  thread_id INTEGER,
  address INTEGER,
  type_id INTEGER,
  allocator_id INTEGER,
  instance INTEGER
) STRICT;

-- One row for each fact about the node, each time it was recorded; the last one of a key holds.
CREATE TABLE "runtime_fact" (
  id INTEGER PRIMARY KEY,
  ts_ns INTEGER,
  runtime_id INTEGER,
  thread_id INTEGER,
  "key" TEXT,
  value TEXT
) STRICT;

-- A node begins to tell its own statistics.
CREATE TABLE "snapshot_begin" (
  id INTEGER PRIMARY KEY,
  ts_ns INTEGER,
  runtime_id INTEGER,
  thread_id INTEGER,
  snapshot_id INTEGER,
  uptime_ms INTEGER
) STRICT;

-- One row for each figure of an allocator instance, as the node read it itself.
CREATE TABLE "snapshot_figure" (
  id INTEGER PRIMARY KEY,
  ts_ns INTEGER,
  runtime_id INTEGER,
  thread_id INTEGER,
  snapshot_id INTEGER,
  allocator_id INTEGER,
  instance INTEGER,
  section TEXT,
  "key" TEXT,
  "current" INTEGER,
  max_since_last INTEGER,
  max_ever INTEGER
) STRICT;

-- One row for each figure of erlang:memory/0, as the node read it itself, and of the process:
-- os_resident, jit_debug, and what recording takes: own_buffers, own_buffers_mapped, own_tables.
CREATE TABLE "snapshot_memory" (
  id INTEGER PRIMARY KEY,
  ts_ns INTEGER,
  runtime_id INTEGER,
  thread_id INTEGER,
  snapshot_id INTEGER,
  "key" TEXT,
  bytes INTEGER
) STRICT;

-- A reading is complete: a number to check it by.
CREATE TABLE "snapshot_end" (
  id INTEGER PRIMARY KEY,
  ts_ns INTEGER,
  runtime_id INTEGER,
  thread_id INTEGER,
  snapshot_id INTEGER,
  figures INTEGER
) STRICT;

INSERT INTO view_doc VALUES
  ('hook_begin', '', 'row', 'full scan', 'One row for each hook before the allocators of a running node, and one more for each session that came later'),
  ('hook_begin', 'id', 'id', 'label', 'A larger one of the same source is never earlier'),
  ('hook_begin', 'ts_ns', 'ns', 'exact', 'When it was told, since the Unix epoch'),
  ('hook_begin', 'runtime_id', 'id', 'label', 'runtime.id'),
  ('hook_begin', 'thread_id', 'id', 'label', 'thread.id'),
  ('hook_begin', 'hook_id', 'id', 'label', 'Which hook'),
  ('hook_begin', 'is_again', 'flag', 'label', '1: told once more, to a session that came later'),
  ('hook_begin', 'allocators', 'id', 'label', 'Bit n: the allocator with allocator_id n is told'),
  ('hook_begin', 'types', 'count', 'exact', 'Block types that are told; 0: all'),
  ('hook_begin', 'min_bytes', 'bytes', 'exact', 'Smaller blocks are not told'),
  ('hook_begin', 'sample_by', 'id', 'label', '0 every block, 1 a sample by bytes, 2 a sample by count'),
  ('hook_begin', 'sample_every', 'count', 'exact', 'Mean distance of samples, in bytes or blocks; 0: every block is told'),
  ('hook_begin', 'hooked_uptime_ms', 'ms', 'exact', 'Age of the node when it was hooked; blocks from before are known by their free alone'),
  ('hook_end', '', 'row', 'full scan', 'One row for each hook that was taken away again: numbers to check a recording by'),
  ('hook_end', 'id', 'id', 'label', 'A larger one of the same source is never earlier'),
  ('hook_end', 'ts_ns', 'ns', 'exact', 'When it was told, since the Unix epoch'),
  ('hook_end', 'runtime_id', 'id', 'label', 'runtime.id'),
  ('hook_end', 'thread_id', 'id', 'label', 'thread.id'),
  ('hook_end', 'hook_id', 'id', 'label', 'Which hook'),
  ('hook_end', 'allocs', 'count', 'exact', 'Allocations told while some session listened'),
  ('hook_end', 'frees', 'count', 'exact', 'Frees told'),
  ('hook_end', 'reallocs', 'count', 'exact', 'Reallocations told'),
  ('hook_end', 'failures', 'count', 'exact', 'Failed requests told'),
  ('hook_end', 'untracked', 'count', 'exact', 'Blocks left out because the table of told blocks had no place'),
  ('sample_alloc', '', 'row', 'full scan', 'One row for each block that was drawn as a sample'),
  ('sample_alloc', 'id', 'id', 'label', 'A larger one of the same source is never earlier'),
  ('sample_alloc', 'ts_ns', 'ns', 'exact', 'When it was told, since the Unix epoch'),
  ('sample_alloc', 'runtime_id', 'id', 'label', 'runtime.id'),
  ('sample_alloc', 'thread_id', 'id', 'label', 'thread.id'),
  ('sample_alloc', 'address', 'address', 'exact', 'Where it is: a name, never to be followed'),
  ('sample_alloc', 'size_bytes', 'bytes', 'exact', 'Size asked for'),
  ('sample_alloc', 'type_id', 'id', 'label', 'name_type.type_id'),
  ('sample_alloc', 'allocator_id', 'id', 'label', 'name_allocator.allocator_id'),
  ('sample_alloc', 'instance', 'count', 'exact', 'Number of the allocator instance'),
  ('sample_alloc', 'weight_micro', 'count', 'estimate', 'Blocks of this size that it stands for, in millionths'),
  ('sample_free', '', 'row', 'full scan', 'One row for each sampled block that was given back; other blocks have none'),
  ('sample_free', 'id', 'id', 'label', 'A larger one of the same source is never earlier'),
  ('sample_free', 'ts_ns', 'ns', 'exact', 'When it was told, since the Unix epoch'),
  ('sample_free', 'runtime_id', 'id', 'label', 'runtime.id'),
  ('sample_free', 'thread_id', 'id', 'label', 'thread.id'),
  ('sample_free', 'address', 'address', 'exact', 'Where it was: a name, never to be followed'),
  ('sample_free', 'type_id', 'id', 'label', 'name_type.type_id'),
  ('sample_free', 'allocator_id', 'id', 'label', 'name_allocator.allocator_id'),
  ('sample_free', 'instance', 'count', 'exact', 'Number of the allocator instance of the thread that freed it'),
  ('runtime_fact', '', 'row', 'full scan', 'One row for each fact about a node, each time it was recorded: at the start of a hook, for each session that came later, and before each snapshot; the last one of a key holds'),
  ('runtime_fact', 'id', 'id', 'label', 'A larger one of the same source is never earlier'),
  ('runtime_fact', 'ts_ns', 'ns', 'exact', 'When it was recorded, since the Unix epoch'),
  ('runtime_fact', 'runtime_id', 'id', 'label', 'runtime.id'),
  ('runtime_fact', 'thread_id', 'id', 'label', 'thread.id'),
  ('runtime_fact', 'key', 'text', 'label', 'node_name, otp_release, erts_version, system_version, word_bits, kernel_release, cpus_online, cpus_possible (LTTng makes a ring buffer of each channel for each of these); emu_flavor: jit or emu; table_found_by, with each hook_begin: exported symbols, or searched, and what agrees: functions whose code was decoded, sets of instances, the symbols of the emulator''s file'),
  ('runtime_fact', 'value', 'text', 'exact', 'As the node or its system reported it; nonode@nohost: the node has no name'),
  ('snapshot_begin', '', 'row', 'full scan', 'A node begins to tell its own statistics'),
  ('snapshot_begin', 'id', 'id', 'label', 'A larger one of the same source is never earlier'),
  ('snapshot_begin', 'ts_ns', 'ns', 'exact', 'When it was told, since the Unix epoch'),
  ('snapshot_begin', 'runtime_id', 'id', 'label', 'runtime.id'),
  ('snapshot_begin', 'thread_id', 'id', 'label', 'thread.id'),
  ('snapshot_begin', 'snapshot_id', 'id', 'label', 'Which reading of this node'),
  ('snapshot_begin', 'uptime_ms', 'ms', 'exact', 'Age of the node'),
  ('snapshot_figure', '', 'row', 'full scan', 'One row for each figure of an allocator instance, as the node read it itself'),
  ('snapshot_figure', 'id', 'id', 'label', 'A larger one of the same source is never earlier'),
  ('snapshot_figure', 'ts_ns', 'ns', 'exact', 'When it was told, since the Unix epoch'),
  ('snapshot_figure', 'runtime_id', 'id', 'label', 'runtime.id'),
  ('snapshot_figure', 'thread_id', 'id', 'label', 'thread.id'),
  ('snapshot_figure', 'snapshot_id', 'id', 'label', 'Which reading of this node'),
  ('snapshot_figure', 'allocator_id', 'id', 'label', 'name_allocator.allocator_id; 0: below the allocators, section says what'),
  ('snapshot_figure', 'instance', 'count', 'exact', 'Number of the allocator instance'),
  ('snapshot_figure', 'section', 'text', 'label', 'mbcs, sbcs, mbcs_pool, calls, fix_types, mseg_alloc, erts_mmap'),
  ('snapshot_figure', 'key', 'text', 'label', 'Name of the figure, as the runtime spells it'),
  ('snapshot_figure', 'current', 'count', 'exact', 'Value; bytes where the name ends in size; some counters of a node may be below zero'),
  ('snapshot_figure', 'max_since_last', 'count', 'exact', 'Maximum since anybody last read it; current, if there is none'),
  ('snapshot_figure', 'max_ever', 'count', 'exact', 'Maximum since the node started; current, if there is none'),
  ('snapshot_memory', '', 'row', 'full scan', 'One row for each figure of erlang:memory/0, as the node read it itself, and for each of the process: in memory, kept for debuggers, taken by recording'),
  ('snapshot_memory', 'id', 'id', 'label', 'A larger one of the same source is never earlier'),
  ('snapshot_memory', 'ts_ns', 'ns', 'exact', 'When it was told, since the Unix epoch'),
  ('snapshot_memory', 'runtime_id', 'id', 'label', 'runtime.id'),
  ('snapshot_memory', 'thread_id', 'id', 'label', 'thread.id'),
  ('snapshot_memory', 'snapshot_id', 'id', 'label', 'Which reading of this node'),
  ('snapshot_memory', 'key', 'text', 'label', 'Name of the figure, as the runtime spells it; os_resident: the process in memory; jit_debug: kept by the JIT for debuggers; own_buffers_mapped: LTTng''s ring buffers in the address space of the process, of all sessions; own_buffers: of these, what is in memory, a part of os_resident; own_tables: in memory for variables and the set of sampled blocks of our library, a part of os_resident'),
  ('snapshot_memory', 'bytes', 'bytes', 'exact', 'Value'),
  ('snapshot_end', '', 'row', 'full scan', 'A reading is complete: a number to check it by'),
  ('snapshot_end', 'id', 'id', 'label', 'A larger one of the same source is never earlier'),
  ('snapshot_end', 'ts_ns', 'ns', 'exact', 'When it was told, since the Unix epoch'),
  ('snapshot_end', 'runtime_id', 'id', 'label', 'runtime.id'),
  ('snapshot_end', 'thread_id', 'id', 'label', 'thread.id'),
  ('snapshot_end', 'snapshot_id', 'id', 'label', 'Which reading of this node'),
  ('snapshot_end', 'figures', 'count', 'exact', 'Rows of snapshot_figure and snapshot_memory told');
