-- SPDX-License-Identifier: MIT
--
-- Layer 11: what the allocator core tells beyond OTP's vocabulary, a table for each event,
-- named like it and with its fields as columns (tp/carrierscope_events.inc).
-- Empty unless provider `carrierscope` was recorded.

-- One row for each carrier that got its memory: identity is the address.
CREATE TABLE "carrier_born" (
  id INTEGER PRIMARY KEY,
  ts_ns INTEGER,
  runtime_id INTEGER,
  thread_id INTEGER,
  address INTEGER,
  size_bytes INTEGER,
  allocator_id INTEGER,
  instance INTEGER,
  kind INTEGER,
  source INTEGER,
  reason INTEGER
) STRICT;

-- One row for each carrier whose memory went back.
CREATE TABLE "carrier_gone" (
  id INTEGER PRIMARY KEY,
  ts_ns INTEGER,
  runtime_id INTEGER,
  thread_id INTEGER,
  address INTEGER,
  size_bytes INTEGER,
  allocator_id INTEGER,
  instance INTEGER,
  kind INTEGER,
  source INTEGER,
  reason INTEGER
) STRICT;

-- One row for each single-block carrier that was resized, or moved.
CREATE TABLE "carrier_resized" (
  id INTEGER PRIMARY KEY,
  ts_ns INTEGER,
  runtime_id INTEGER,
  thread_id INTEGER,
  address INTEGER,
  old_address INTEGER,
  size_bytes INTEGER,
  allocator_id INTEGER,
  instance INTEGER,
  kind INTEGER,
  source INTEGER,
  reason INTEGER
) STRICT;

-- One row for each request to the memory below: segment allocator or malloc.
CREATE TABLE "os_request" (
  id INTEGER PRIMARY KEY,
  ts_ns INTEGER,
  runtime_id INTEGER,
  thread_id INTEGER,
  allocator_id INTEGER,
  instance INTEGER,
  call INTEGER,
  size_bytes INTEGER,
  alignment_bytes INTEGER,
  result INTEGER,
  result_bytes INTEGER,
  old_address INTEGER,
  old_bytes INTEGER,
  retry INTEGER
) STRICT;

-- One row for each request for a block that failed.
CREATE TABLE "alloc_failure" (
  id INTEGER PRIMARY KEY,
  ts_ns INTEGER,
  runtime_id INTEGER,
  thread_id INTEGER,
  size_bytes INTEGER,
  old_address INTEGER,
  type_id INTEGER,
  allocator_id INTEGER,
  instance INTEGER
) STRICT;

-- Names of allocators; told again to late sessions.
CREATE TABLE "name_allocator" (
  id INTEGER PRIMARY KEY,
  ts_ns INTEGER,
  runtime_id INTEGER,
  thread_id INTEGER,
  allocator_id INTEGER,
  name TEXT
) STRICT;

-- Names of classes of block types.
CREATE TABLE "name_class" (
  id INTEGER PRIMARY KEY,
  ts_ns INTEGER,
  runtime_id INTEGER,
  thread_id INTEGER,
  class_id INTEGER,
  name TEXT
) STRICT;

-- Names of block types.
CREATE TABLE "name_type" (
  id INTEGER PRIMARY KEY,
  ts_ns INTEGER,
  runtime_id INTEGER,
  thread_id INTEGER,
  type_id INTEGER,
  class_id INTEGER,
  allocator_id INTEGER,
  name TEXT
) STRICT;

-- Settings in force, as the +M flags name them.
CREATE TABLE "option" (
  id INTEGER PRIMARY KEY,
  ts_ns INTEGER,
  runtime_id INTEGER,
  thread_id INTEGER,
  allocator_id INTEGER,
  name TEXT,
  value TEXT
) STRICT;

-- A state dump begins.
CREATE TABLE "state_begin" (
  id INTEGER PRIMARY KEY,
  ts_ns INTEGER,
  runtime_id INTEGER,
  thread_id INTEGER,
  dump_id INTEGER,
  release TEXT,
  word_bytes INTEGER,
  unit_bytes INTEGER,
  schedulers INTEGER,
  instances INTEGER
) STRICT;

-- One row for each carrier that was there when it was recorded.
CREATE TABLE "state_carrier" (
  id INTEGER PRIMARY KEY,
  ts_ns INTEGER,
  runtime_id INTEGER,
  thread_id INTEGER,
  address INTEGER,
  size_bytes INTEGER,
  allocator_id INTEGER,
  instance INTEGER,
  origin INTEGER,
  kind INTEGER,
  source INTEGER,
  place INTEGER,
  block_count INTEGER,
  block_bytes INTEGER
) STRICT;

-- One row for each block that was there when it was recorded.
CREATE TABLE "state_block" (
  id INTEGER PRIMARY KEY,
  ts_ns INTEGER,
  runtime_id INTEGER,
  thread_id INTEGER,
  address INTEGER,
  carrier INTEGER,
  block_bytes INTEGER,
  allocator_id INTEGER,
  instance INTEGER
) STRICT;

-- A state dump ends: counts to check it by.
CREATE TABLE "state_end" (
  id INTEGER PRIMARY KEY,
  ts_ns INTEGER,
  runtime_id INTEGER,
  thread_id INTEGER,
  dump_id INTEGER,
  carrier_count INTEGER,
  block_count INTEGER
) STRICT;

-- One row for each time the heap of a board was told: when it refused something, or was looked at.
CREATE TABLE "heap_state" (
  id INTEGER PRIMARY KEY,
  ts_ns INTEGER,
  runtime_id INTEGER,
  thread_id INTEGER,
  asked_bytes INTEGER,
  alignment_bytes INTEGER,
  free_blocks INTEGER,
  free_largest INTEGER,
  free_bytes INTEGER,
  used_blocks INTEGER,
  used_largest INTEGER,
  used_bytes INTEGER,
  size_bytes INTEGER,
  min_free_bytes INTEGER,
  max_free_blocks INTEGER,
  max_searched INTEGER,
  allocated_bytes INTEGER,
  freed_bytes INTEGER,
  searches INTEGER,
  allocs INTEGER,
  failed_allocs INTEGER,
  frees INTEGER,
  resizes INTEGER,
  largest_plain INTEGER,
  largest_carrier INTEGER,
  hole_bytes INTEGER
) STRICT;

-- One row for each time the runtime worked between calls: what a replay needs.
CREATE TABLE "runtime_work" (
  id INTEGER PRIMARY KEY,
  ts_ns INTEGER,
  runtime_id INTEGER,
  thread_id INTEGER,
  kind INTEGER,
  scheduler INTEGER
) STRICT;

-- One row for each multi-block carrier that went into the pool, came out of it, or left the statistics.
CREATE TABLE "carrier_moved" (
  id INTEGER PRIMARY KEY,
  ts_ns INTEGER,
  runtime_id INTEGER,
  thread_id INTEGER,
  address INTEGER,
  size_bytes INTEGER,
  allocator_id INTEGER,
  instance INTEGER,
  origin INTEGER,
  place INTEGER
) STRICT;

INSERT INTO view_doc VALUES
  ('carrier_moved', '', 'row', 'full scan', 'One row for each multi-block carrier that went into the pool, came out of it, or left the statistics'),
  ('carrier_moved', 'id', 'id', 'label', 'A larger one of the same source is never earlier'),
  ('carrier_moved', 'ts_ns', 'ns', 'exact', 'When it was recorded, since the Unix epoch'),
  ('carrier_moved', 'runtime_id', 'id', 'label', 'runtime.id'),
  ('carrier_moved', 'thread_id', 'id', 'label', 'thread.id'),
  ('carrier_moved', 'address', 'address', 'exact', 'Where it is: a name, never to be followed'),
  ('carrier_moved', 'size_bytes', 'bytes', 'exact', 'Size'),
  ('carrier_moved', 'allocator_id', 'id', 'label', 'name_allocator.allocator_id of who holds it, or created it when nobody does'),
  ('carrier_moved', 'instance', 'count', 'exact', 'Number of the instance that holds it, or created it when nobody does'),
  ('carrier_moved', 'origin', 'count', 'exact', 'Instance that created the carrier'),
  ('carrier_moved', 'place', 'id', 'label', '0 employed, 1 in the pool, 2 waiting for its end, in no statistics'),
  ('carrier_born', '', 'row', 'full scan', 'One row for each carrier that got its memory: identity is the address'),
  ('carrier_born', 'id', 'id', 'label', 'A larger one of the same source is never earlier'),
  ('carrier_born', 'ts_ns', 'ns', 'exact', 'When it was recorded, since the Unix epoch'),
  ('carrier_born', 'runtime_id', 'id', 'label', 'runtime.id'),
  ('carrier_born', 'thread_id', 'id', 'label', 'thread.id'),
  ('carrier_born', 'address', 'address', 'exact', 'Where it is: a name, never to be followed'),
  ('carrier_born', 'size_bytes', 'bytes', 'exact', 'Size'),
  ('carrier_born', 'allocator_id', 'id', 'label', 'name_allocator.allocator_id; 0: all'),
  ('carrier_born', 'instance', 'count', 'exact', 'Number of the allocator instance'),
  ('carrier_born', 'kind', 'id', 'label', '0 main, 1 multi-block, 2 single-block carrier'),
  ('carrier_born', 'source', 'id', 'label', '0 segment allocator (mseg), 1 malloc'),
  ('carrier_born', 'reason', 'id', 'label', '0 main carrier, 1 no free block fits, 2 too large, 3 emergency, 4 resize, 5 empty'),
  ('carrier_gone', '', 'row', 'full scan', 'One row for each carrier whose memory went back'),
  ('carrier_gone', 'id', 'id', 'label', 'A larger one of the same source is never earlier'),
  ('carrier_gone', 'ts_ns', 'ns', 'exact', 'When it was recorded, since the Unix epoch'),
  ('carrier_gone', 'runtime_id', 'id', 'label', 'runtime.id'),
  ('carrier_gone', 'thread_id', 'id', 'label', 'thread.id'),
  ('carrier_gone', 'address', 'address', 'exact', 'Where it is: a name, never to be followed'),
  ('carrier_gone', 'size_bytes', 'bytes', 'exact', 'Size'),
  ('carrier_gone', 'allocator_id', 'id', 'label', 'name_allocator.allocator_id; 0: all'),
  ('carrier_gone', 'instance', 'count', 'exact', 'Number of the allocator instance'),
  ('carrier_gone', 'kind', 'id', 'label', '0 main, 1 multi-block, 2 single-block carrier'),
  ('carrier_gone', 'source', 'id', 'label', '0 segment allocator (mseg), 1 malloc'),
  ('carrier_gone', 'reason', 'id', 'label', '0 main carrier, 1 no free block fits, 2 too large, 3 emergency, 4 resize, 5 empty'),
  ('carrier_resized', '', 'row', 'full scan', 'One row for each single-block carrier that was resized, or moved'),
  ('carrier_resized', 'id', 'id', 'label', 'A larger one of the same source is never earlier'),
  ('carrier_resized', 'ts_ns', 'ns', 'exact', 'When it was recorded, since the Unix epoch'),
  ('carrier_resized', 'runtime_id', 'id', 'label', 'runtime.id'),
  ('carrier_resized', 'thread_id', 'id', 'label', 'thread.id'),
  ('carrier_resized', 'address', 'address', 'exact', 'Where it is: a name, never to be followed'),
  ('carrier_resized', 'old_address', 'address', 'exact', 'Where it was before; 0: nowhere'),
  ('carrier_resized', 'size_bytes', 'bytes', 'exact', 'Size'),
  ('carrier_resized', 'allocator_id', 'id', 'label', 'name_allocator.allocator_id; 0: all'),
  ('carrier_resized', 'instance', 'count', 'exact', 'Number of the allocator instance'),
  ('carrier_resized', 'kind', 'id', 'label', '0 main, 1 multi-block, 2 single-block carrier'),
  ('carrier_resized', 'source', 'id', 'label', '0 segment allocator (mseg), 1 malloc'),
  ('carrier_resized', 'reason', 'id', 'label', '0 main carrier, 1 no free block fits, 2 too large, 3 emergency, 4 resize, 5 empty'),
  ('os_request', '', 'row', 'full scan', 'One row for each request to the memory below: segment allocator or malloc'),
  ('os_request', 'id', 'id', 'label', 'A larger one of the same source is never earlier'),
  ('os_request', 'ts_ns', 'ns', 'exact', 'When it was recorded, since the Unix epoch'),
  ('os_request', 'runtime_id', 'id', 'label', 'runtime.id'),
  ('os_request', 'thread_id', 'id', 'label', 'thread.id'),
  ('os_request', 'allocator_id', 'id', 'label', 'name_allocator.allocator_id; 0: all'),
  ('os_request', 'instance', 'count', 'exact', 'Number of the allocator instance'),
  ('os_request', 'call', 'id', 'label', '0 to 2: segment alloc, dealloc, realloc; 3 to 5: malloc, free, realloc'),
  ('os_request', 'size_bytes', 'bytes', 'exact', 'Size'),
  ('os_request', 'alignment_bytes', 'bytes', 'exact', 'Alignment asked for'),
  ('os_request', 'result', 'address', 'exact', 'What was given; 0: refused, or given back'),
  ('os_request', 'result_bytes', 'bytes', 'exact', 'Bytes given'),
  ('os_request', 'old_address', 'address', 'exact', 'Where it was before; 0: nowhere'),
  ('os_request', 'old_bytes', 'bytes', 'exact', 'Bytes before'),
  ('os_request', 'retry', 'flag', 'label', '1: the same request in another size was just refused'),
  ('alloc_failure', '', 'row', 'full scan', 'One row for each request for a block that failed'),
  ('alloc_failure', 'id', 'id', 'label', 'A larger one of the same source is never earlier'),
  ('alloc_failure', 'ts_ns', 'ns', 'exact', 'When it was recorded, since the Unix epoch'),
  ('alloc_failure', 'runtime_id', 'id', 'label', 'runtime.id'),
  ('alloc_failure', 'thread_id', 'id', 'label', 'thread.id'),
  ('alloc_failure', 'size_bytes', 'bytes', 'exact', 'Size'),
  ('alloc_failure', 'old_address', 'address', 'exact', 'Where it was before; 0: nowhere'),
  ('alloc_failure', 'type_id', 'id', 'label', 'name_type.type_id'),
  ('alloc_failure', 'allocator_id', 'id', 'label', 'name_allocator.allocator_id; 0: all'),
  ('alloc_failure', 'instance', 'count', 'exact', 'Number of the allocator instance'),
  ('name_allocator', '', 'row', 'full scan', 'Names of allocators; told again to late sessions'),
  ('name_allocator', 'id', 'id', 'label', 'A larger one of the same source is never earlier'),
  ('name_allocator', 'ts_ns', 'ns', 'exact', 'When it was recorded, since the Unix epoch'),
  ('name_allocator', 'runtime_id', 'id', 'label', 'runtime.id'),
  ('name_allocator', 'thread_id', 'id', 'label', 'thread.id'),
  ('name_allocator', 'allocator_id', 'id', 'label', 'name_allocator.allocator_id; 0: all'),
  ('name_allocator', 'name', 'text', 'label', 'Name, as the runtime spells it'),
  ('name_class', '', 'row', 'full scan', 'Names of classes of block types'),
  ('name_class', 'id', 'id', 'label', 'A larger one of the same source is never earlier'),
  ('name_class', 'ts_ns', 'ns', 'exact', 'When it was recorded, since the Unix epoch'),
  ('name_class', 'runtime_id', 'id', 'label', 'runtime.id'),
  ('name_class', 'thread_id', 'id', 'label', 'thread.id'),
  ('name_class', 'class_id', 'id', 'label', 'name_class.class_id'),
  ('name_class', 'name', 'text', 'label', 'Name, as the runtime spells it'),
  ('name_type', '', 'row', 'full scan', 'Names of block types'),
  ('name_type', 'id', 'id', 'label', 'A larger one of the same source is never earlier'),
  ('name_type', 'ts_ns', 'ns', 'exact', 'When it was recorded, since the Unix epoch'),
  ('name_type', 'runtime_id', 'id', 'label', 'runtime.id'),
  ('name_type', 'thread_id', 'id', 'label', 'thread.id'),
  ('name_type', 'type_id', 'id', 'label', 'name_type.type_id'),
  ('name_type', 'class_id', 'id', 'label', 'name_class.class_id'),
  ('name_type', 'allocator_id', 'id', 'label', 'name_allocator.allocator_id; 0: all'),
  ('name_type', 'name', 'text', 'label', 'Name, as the runtime spells it'),
  ('option', '', 'row', 'full scan', 'Settings in force, as the +M flags name them'),
  ('option', 'id', 'id', 'label', 'A larger one of the same source is never earlier'),
  ('option', 'ts_ns', 'ns', 'exact', 'When it was recorded, since the Unix epoch'),
  ('option', 'runtime_id', 'id', 'label', 'runtime.id'),
  ('option', 'thread_id', 'id', 'label', 'thread.id'),
  ('option', 'allocator_id', 'id', 'label', 'name_allocator.allocator_id; 0: all'),
  ('option', 'name', 'text', 'label', 'Name, as the runtime spells it'),
  ('option', 'value', 'text', 'label', 'Value'),
  ('state_begin', '', 'row', 'full scan', 'A state dump begins'),
  ('state_begin', 'id', 'id', 'label', 'A larger one of the same source is never earlier'),
  ('state_begin', 'ts_ns', 'ns', 'exact', 'When it was recorded, since the Unix epoch'),
  ('state_begin', 'runtime_id', 'id', 'label', 'runtime.id'),
  ('state_begin', 'thread_id', 'id', 'label', 'thread.id'),
  ('state_begin', 'dump_id', 'id', 'label', 'Which telling'),
  ('state_begin', 'release', 'text', 'label', 'Generation of the core'),
  ('state_begin', 'word_bytes', 'bytes', 'exact', 'Word size of the target'),
  ('state_begin', 'unit_bytes', 'bytes', 'exact', 'Carrier unit'),
  ('state_begin', 'schedulers', 'count', 'exact', 'Schedulers'),
  ('state_begin', 'instances', 'count', 'exact', 'Instances'),
  ('state_carrier', '', 'row', 'full scan', 'One row for each carrier that was there when it was recorded'),
  ('state_carrier', 'id', 'id', 'label', 'A larger one of the same source is never earlier'),
  ('state_carrier', 'ts_ns', 'ns', 'exact', 'When it was recorded, since the Unix epoch'),
  ('state_carrier', 'runtime_id', 'id', 'label', 'runtime.id'),
  ('state_carrier', 'thread_id', 'id', 'label', 'thread.id'),
  ('state_carrier', 'address', 'address', 'exact', 'Where it is: a name, never to be followed'),
  ('state_carrier', 'size_bytes', 'bytes', 'exact', 'Size'),
  ('state_carrier', 'allocator_id', 'id', 'label', 'name_allocator.allocator_id; 0: all'),
  ('state_carrier', 'instance', 'count', 'exact', 'Number of the allocator instance'),
  ('state_carrier', 'origin', 'count', 'exact', 'Instance that created the carrier'),
  ('state_carrier', 'kind', 'id', 'label', '0 main, 1 multi-block, 2 single-block carrier'),
  ('state_carrier', 'source', 'id', 'label', '0 segment allocator (mseg), 1 malloc'),
  ('state_carrier', 'place', 'id', 'label', '0 employed, 1 in the pool, 2 waiting for its end'),
  ('state_carrier', 'block_count', 'count', 'exact', 'Blocks in it'),
  ('state_carrier', 'block_bytes', 'bytes', 'exact', 'Bytes of blocks, headers included'),
  ('state_block', '', 'row', 'full scan', 'One row for each block that was there when it was recorded'),
  ('state_block', 'id', 'id', 'label', 'A larger one of the same source is never earlier'),
  ('state_block', 'ts_ns', 'ns', 'exact', 'When it was recorded, since the Unix epoch'),
  ('state_block', 'runtime_id', 'id', 'label', 'runtime.id'),
  ('state_block', 'thread_id', 'id', 'label', 'thread.id'),
  ('state_block', 'address', 'address', 'exact', 'Where it is: a name, never to be followed'),
  ('state_block', 'carrier', 'address', 'exact', 'Carrier the block lies in'),
  ('state_block', 'block_bytes', 'bytes', 'exact', 'Bytes of blocks, headers included'),
  ('state_block', 'allocator_id', 'id', 'label', 'name_allocator.allocator_id; 0: all'),
  ('state_block', 'instance', 'count', 'exact', 'Number of the allocator instance'),
  ('state_end', '', 'row', 'full scan', 'A state dump ends: counts to check it by'),
  ('state_end', 'id', 'id', 'label', 'A larger one of the same source is never earlier'),
  ('state_end', 'ts_ns', 'ns', 'exact', 'When it was recorded, since the Unix epoch'),
  ('state_end', 'runtime_id', 'id', 'label', 'runtime.id'),
  ('state_end', 'thread_id', 'id', 'label', 'thread.id'),
  ('state_end', 'dump_id', 'id', 'label', 'Which telling'),
  ('state_end', 'carrier_count', 'count', 'exact', 'Carriers told'),
  ('state_end', 'block_count', 'count', 'exact', 'Blocks in it'),
  ('heap_state', '', 'row', 'full scan', 'One row for each time the heap of a board was told: when it refused something, or was looked at'),
  ('heap_state', 'id', 'id', 'label', 'A larger one of the same source is never earlier'),
  ('heap_state', 'ts_ns', 'ns', 'exact', 'When it was recorded, since the Unix epoch'),
  ('heap_state', 'runtime_id', 'id', 'label', 'runtime.id'),
  ('heap_state', 'thread_id', 'id', 'label', 'thread.id'),
  ('heap_state', 'asked_bytes', 'bytes', 'exact', 'What was refused; 0: nothing, it was looked at'),
  ('heap_state', 'alignment_bytes', 'bytes', 'exact', 'Alignment asked for'),
  ('heap_state', 'free_blocks', 'count', 'exact', 'Free blocks'),
  ('heap_state', 'free_largest', 'bytes', 'exact', 'Largest free block, header included'),
  ('heap_state', 'free_bytes', 'bytes', 'exact', 'Sum of free blocks, headers included'),
  ('heap_state', 'used_blocks', 'count', 'exact', 'Used blocks'),
  ('heap_state', 'used_largest', 'bytes', 'exact', 'Largest used block, header included'),
  ('heap_state', 'used_bytes', 'bytes', 'exact', 'Sum of used blocks, headers included'),
  ('heap_state', 'size_bytes', 'bytes', 'exact', 'Size of the allocatable area'),
  ('heap_state', 'min_free_bytes', 'bytes', 'exact', 'Least that was ever free'),
  ('heap_state', 'max_free_blocks', 'count', 'exact', 'Most free blocks ever, as RTEMS counts it: may be below the number of now'),
  ('heap_state', 'max_searched', 'count', 'exact', 'Most blocks looked at for one request'),
  ('heap_state', 'allocated_bytes', 'bytes', 'exact', 'Bytes of blocks when they were allocated, sum'),
  ('heap_state', 'freed_bytes', 'bytes', 'exact', 'Bytes of blocks when they were freed, sum'),
  ('heap_state', 'searches', 'count', 'exact', 'Blocks looked at for requests that were granted'),
  ('heap_state', 'allocs', 'count', 'exact', 'Successful allocations'),
  ('heap_state', 'failed_allocs', 'count', 'exact', 'Failed allocations'),
  ('heap_state', 'frees', 'count', 'exact', 'Successful frees'),
  ('heap_state', 'resizes', 'count', 'exact', 'Resizes in place'),
  ('heap_state', 'largest_plain', 'bytes', 'exact', 'Largest request without alignment that would be granted'),
  ('heap_state', 'largest_carrier', 'bytes', 'exact', 'Largest request aligned to the carrier unit that would be granted'),
  ('heap_state', 'hole_bytes', 'bytes', 'exact', 'Bytes of free blocks smaller than a carrier unit before an aligned block'),
  ('runtime_work', '', 'row', 'full scan', 'One row for each time the runtime worked between calls: what a replay needs'),
  ('runtime_work', 'id', 'id', 'label', 'A larger one of the same source is never earlier'),
  ('runtime_work', 'ts_ns', 'ns', 'exact', 'When it was recorded, since the Unix epoch'),
  ('runtime_work', 'runtime_id', 'id', 'label', 'runtime.id'),
  ('runtime_work', 'thread_id', 'id', 'label', 'thread.id'),
  ('runtime_work', 'kind', 'id', 'label', '0 all threads passed a point and did their aux work, 1 the aux work of the scheduler found something, 2 a second has passed for it'),
  ('runtime_work', 'scheduler', 'id', 'label', 'Scheduler; kind 0: 0');
