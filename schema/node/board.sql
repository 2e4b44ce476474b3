-- SPDX-License-Identifier: MIT
--
-- Layer:   boards: the heap under the allocators
-- Serves:  reports board, board_readings
--
-- A reading of the heap is a report of RTEMS' shell command `malloc` in a log, or an event
-- heap_state of a recorded board.  A log does not record the target's word size, the carrier
-- unit and the settings of the runtime: words of 4 bytes, 256 KiB, and the defaults are
-- assumed (ycs 1 MiB, sbct 512 KiB).  A recording has them.
--
-- Of a block of S bytes (header of two words included) malloc can hand out S - W bytes:
-- the first word of the block behind it is lent.  A request aligned to the unit U in it
-- gets at most that, and surely no less than S - U - 4 W, wherever the block lies.

-- _board_setting: one row for each runtime of a recording with readings of a heap.
CREATE VIEW _board_setting AS
SELECT
  r.source_id, r.id AS runtime_id,
  ifnull((SELECT b.word_bytes FROM state_begin AS b WHERE b.runtime_id = r.id
          ORDER BY b.id LIMIT 1), 4) AS word_bytes,
  ifnull((SELECT b.unit_bytes FROM state_begin AS b WHERE b.runtime_id = r.id
          ORDER BY b.id LIMIT 1), 262144) AS unit_bytes,
  ifnull((SELECT CAST(o.value AS INTEGER) FROM "option" AS o
          WHERE o.runtime_id = r.id AND o.allocator_id = 0 AND o.name = 'ycs'
          ORDER BY o.id LIMIT 1), 1048576) AS ycs
FROM runtime AS r
WHERE r.id IN (SELECT runtime_id FROM heap_state);

-- _heap_reading: one row for each reading, of both origins, in their order.
CREATE VIEW _heap_reading AS
SELECT
  s.source_id, NULL AS runtime_id, 'log' AS origin, h.snapshot_id AS id, s.line AS at,
  s.line, s.ts_ns, 0 AS asked_bytes, 4 AS word_bytes, 262144 AS unit_bytes,
  h.free_blocks, h.free_largest, h.free_bytes, h.used_blocks, h.used_largest, h.used_bytes,
  h.size_bytes, h.min_free_bytes, h.max_free_blocks, h.max_searched, h.allocated_bytes,
  h.freed_bytes, h.searches, h.allocs, h.failed_allocs, h.frees, h.resizes,
  NULL AS largest_carrier, NULL AS hole_bytes
FROM heap_sample AS h
JOIN snapshot AS s ON s.id = h.snapshot_id
UNION ALL
SELECT
  b.source_id, b.runtime_id, 'trace', e.id, e.id, NULL, e.ts_ns, e.asked_bytes,
  b.word_bytes, b.unit_bytes,
  e.free_blocks, e.free_largest, e.free_bytes, e.used_blocks, e.used_largest, e.used_bytes,
  e.size_bytes, e.min_free_bytes, e.max_free_blocks, e.max_searched, e.allocated_bytes,
  e.freed_bytes, e.searches, e.allocs, e.failed_allocs, e.frees, e.resizes,
  e.largest_carrier, e.hole_bytes
FROM heap_state AS e
JOIN _board_setting AS b ON b.runtime_id = e.runtime_id;

-- _heap_start: the reading is the first of a run: a counter is smaller than before, or a
-- low-water mark higher.
CREATE VIEW _heap_start AS
SELECT
  *,
  ifnull(
    allocs < lag(allocs) OVER w OR frees < lag(frees) OVER w
    OR allocated_bytes < lag(allocated_bytes) OVER w OR freed_bytes < lag(freed_bytes) OVER w
    OR searches < lag(searches) OVER w OR resizes < lag(resizes) OVER w
    OR failed_allocs < lag(failed_allocs) OVER w
    OR max_free_blocks < lag(max_free_blocks) OVER w
    OR max_searched < lag(max_searched) OVER w
    OR min_free_bytes > lag(min_free_bytes) OVER w
    OR size_bytes <> lag(size_bytes) OVER w, 1) AS is_first
FROM _heap_reading
WINDOW w AS (PARTITION BY source_id, runtime_id ORDER BY at);

-- heap_reading: one row for each reading of a board's heap.
--
-- Worked example, tests/views/heap_reading: the seed's two reports around its first crash.
-- 1,572,856 is 6 units less a header: what lies between two carriers, one of which had been
-- freed: 262,136 + 1,048,584 + 262,136.  So gap_units is 6 and gap_carriers 1.
--
--   free_largest  gap_units  gap_carriers  largest_plain  largest_carrier_min  .._max
--        1572856          6             1        1572852              1310696  1572852
CREATE VIEW heap_reading AS
SELECT
  source_id, runtime_id, origin, id, line, ts_ns,
  sum(is_first) OVER (PARTITION BY source_id, runtime_id ORDER BY at) AS run,
  asked_bytes, word_bytes, unit_bytes,
  free_blocks, free_largest, free_bytes, used_blocks, used_largest, used_bytes,
  size_bytes, min_free_bytes, max_free_blocks, max_searched, allocated_bytes, freed_bytes,
  searches, allocs, failed_allocs, frees, resizes,
  free_bytes + used_bytes = size_bytes AS sizes_agree,
  allocs - frees = used_blocks AS blocks_agree,
  used_bytes - (allocated_bytes - freed_bytes) AS resize_growth_bytes,
  iif(free_bytes > 0, 1.0 - 1.0 * free_largest / free_bytes, NULL) AS fragmentation,
  iif(free_blocks > 0, free_bytes / free_blocks, NULL) AS mean_free_block,
  free_bytes - free_largest AS free_elsewhere_bytes,
  max(0, free_largest - word_bytes) AS largest_plain,
  max(0, ifnull(largest_carrier, free_largest - unit_bytes - 4 * word_bytes))
    AS largest_carrier_min,
  max(0, ifnull(largest_carrier, free_largest - word_bytes)) AS largest_carrier_max,
  max(0, (free_largest - word_bytes) / 8 * 8 - iif(word_bytes = 4, 24, 40))
    AS largest_single_block,
  iif((free_largest + 2 * word_bytes) % unit_bytes = 0,
      (free_largest + 2 * word_bytes) / unit_bytes, NULL) AS gap_units,
  iif((free_largest + 2 * word_bytes) % unit_bytes = 0
        AND ((free_largest + 2 * word_bytes) / unit_bytes - 1) % 5 = 0,
      ((free_largest + 2 * word_bytes) / unit_bytes - 1) / 5, NULL) AS gap_carriers,
  ifnull(hole_bytes, 0) AS hole_bytes_min,
  ifnull(hole_bytes, free_bytes - iif(free_largest >= unit_bytes, free_largest, 0))
    AS hole_bytes_max,
  free_bytes - min_free_bytes AS above_low_water_bytes,
  (SELECT lost_events FROM source AS s WHERE s.id = source_id) AS source_lost_events
FROM _heap_start;

-- _board_failure: failures of both origins, with what the carrier would have had.
CREATE VIEW _board_failure AS
WITH failure AS (
  SELECT
    s.source_id, NULL AS runtime_id, 'log' AS origin, f.snapshot_id AS id, s.line, s.ts_ns,
    f.allocator, f.operation, f.type, f.size_bytes,
    4 AS word_bytes, 262144 AS unit_bytes, 1048576 AS ycs, 524288 AS sbct, 1048576 AS smbcs
  FROM logged_failure AS f
  JOIN snapshot AS s ON s.id = f.snapshot_id
  UNION ALL
  SELECT
    b.source_id, b.runtime_id, 'trace', e.id, NULL, e.ts_ns,
    (SELECT n.name FROM name_allocator AS n
     WHERE n.runtime_id = e.runtime_id AND n.allocator_id = e.allocator_id LIMIT 1),
    iif(e.old_address = 0, 'allocate', 'reallocate'),
    (SELECT n.name FROM name_type AS n
     WHERE n.runtime_id = e.runtime_id AND n.type_id = e.type_id LIMIT 1),
    e.size_bytes, b.word_bytes, b.unit_bytes, b.ycs,
    ifnull((SELECT CAST(o.value AS INTEGER) FROM "option" AS o
            WHERE o.runtime_id = e.runtime_id AND o.allocator_id = e.allocator_id
              AND o.name = 'sbct' ORDER BY o.id LIMIT 1), 524288),
    ifnull((SELECT CAST(o.value AS INTEGER) FROM "option" AS o
            WHERE o.runtime_id = e.runtime_id AND o.allocator_id = e.allocator_id
              AND o.name = 'smbcs' ORDER BY o.id LIMIT 1), 1048576)
  FROM alloc_failure AS e
  JOIN _board_setting AS b ON b.runtime_id = e.runtime_id
), need AS (
  SELECT
    *,
    size_bytes >= sbct AS is_single,
    (size_bytes + word_bytes + 7) / 8 * 8 + iif(word_bytes = 4, 20, 32) AS bare_bytes,
    (ycs + unit_bytes - 1) / unit_bytes * unit_bytes AS granule
  FROM failure
)
SELECT
  source_id, runtime_id, origin, id, line, ts_ns, allocator, operation, type, size_bytes,
  word_bytes, unit_bytes, is_single,
  iif(is_single, (bare_bytes + granule - 1) / granule * granule,
      (max(smbcs, bare_bytes) + granule - 1) / granule * granule) AS first_try_bytes,
  (bare_bytes + 7) / 8 * 8 AS second_try_bytes
FROM need;

-- _failure_reading: the reading that shows how the heap was at a failure.  Of a recording it
-- is the refusal just before.  Of a log it is the next report, unless the next failure or
-- another run comes first; else the one before.  Found by one pass over all in their order:
-- there may be thousands.
CREATE VIEW _failure_reading AS
WITH mark AS MATERIALIZED (
  SELECT source_id, runtime_id, origin, id, iif(origin = 'log', line, ts_ns) AS place,
    'reading' AS kind, failed_allocs > 0 AS has_failed, asked_bytes > 0 AS is_refusal
  FROM _heap_reading
  UNION ALL
  SELECT source_id, runtime_id, origin, id, iif(origin = 'log', line, ts_ns), 'failure', 0, 0
  FROM _board_failure
  UNION ALL
  SELECT source_id, NULL, 'log', id, line, 'boot', 0, 0 FROM snapshot WHERE kind = 'boot'
), around AS (
  SELECT
    source_id, origin, id, kind,
    max(iif(is_refusal, id, NULL)) OVER (
      PARTITION BY source_id, runtime_id, origin ORDER BY place) AS refusal_id,
    max(iif(kind = 'reading', place, NULL)) OVER earlier AS reading_before,
    max(iif(kind = 'failure', place, NULL)) OVER earlier AS failure_before,
    min(iif(kind = 'reading', place, NULL)) OVER later AS reading_after,
    min(iif(kind IN ('failure', 'boot'), place, NULL)) OVER later AS other_after
  FROM mark
  WINDOW earlier AS (PARTITION BY source_id, runtime_id, origin ORDER BY place
      GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
    later AS (PARTITION BY source_id, runtime_id, origin ORDER BY place DESC
      GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
)
SELECT f.origin, f.id, iif(f.origin = 'trace', f.refusal_id, ifnull(n.id, b.id)) AS reading_id
FROM around AS f
LEFT JOIN mark AS n ON n.source_id = f.source_id AND n.place = f.reading_after
  AND n.origin = 'log' AND n.kind = 'reading' AND n.has_failed
  AND ifnull(f.other_after >= f.reading_after, 1)
LEFT JOIN mark AS b ON b.source_id = f.source_id AND b.place = f.reading_before
  AND b.origin = 'log' AND b.kind = 'reading'
  AND ifnull(f.failure_before <= f.reading_before, 1)
WHERE f.kind = 'failure';

-- board_failure: one row for each request that ended a runtime on a board.
--
-- Worked example, tests/views/board_failure: the seed's first crash.
--
--   size_bytes  first_try_bytes  second_try_bytes  free_largest  shortfall_bytes  heap_step
--      2059352          2097152           2059384       1572856           486496         21
CREATE VIEW board_failure AS
SELECT
  f.source_id, f.runtime_id, f.origin, f.id, f.line, f.ts_ns,
  f.allocator, f.operation, f.type, f.size_bytes, f.is_single,
  f.first_try_bytes, f.second_try_bytes,
  h.id AS reading_id, h.line AS reading_line, h.run,
  iif(f.origin = 'log', h.line > f.line, 0) AS is_read_after,
  h.free_bytes, h.free_blocks, h.free_largest, h.mean_free_block, h.failed_allocs,
  f.size_bytes - h.free_largest AS shortfall_bytes,
  h.largest_plain, h.largest_carrier_min, h.largest_carrier_max,
  h.hole_bytes_min, h.hole_bytes_max, h.gap_units, h.gap_carriers,
  s.step AS heap_step,
  n.words * f.word_bytes AS next_heap_bytes,
  (SELECT o.lost_events FROM source AS o WHERE o.id = f.source_id) AS source_lost_events
FROM _board_failure AS f
JOIN _failure_reading AS r ON r.origin = f.origin AND r.id = f.id
LEFT JOIN heap_reading AS h
  ON h.origin = f.origin AND h.id = r.reading_id
LEFT JOIN heap_size_step AS s ON s.words * f.word_bytes = f.size_bytes
LEFT JOIN heap_size_step AS n ON n.step = s.step + 1;

-- _memory_near: for each run of a log, the list of erlang:memory() that stands nearest to
-- one of its readings, and that reading.
CREATE VIEW _memory_near AS
WITH reading AS MATERIALIZED (
  SELECT source_id, run, id, line FROM heap_reading WHERE origin = 'log'
), mark AS (
  SELECT source_id, line, NULL AS snapshot_id FROM reading
  UNION ALL
  SELECT source_id, line, id FROM snapshot WHERE kind = 'memory'
), around AS (
  SELECT source_id, line, snapshot_id,
    max(iif(snapshot_id IS NULL, line, NULL)) OVER (
      PARTITION BY source_id ORDER BY line) AS line_before,
    min(iif(snapshot_id IS NULL, line, NULL)) OVER (
      PARTITION BY source_id ORDER BY line DESC) AS line_after
  FROM mark
), best AS (
  SELECT r.source_id, r.run, r.id AS reading_id, r.line AS reading_line, a.snapshot_id,
    a.line AS memory_line,
    row_number() OVER (PARTITION BY r.source_id, r.run
      ORDER BY abs(r.line - a.line), a.line) AS rank
  FROM around AS a
  JOIN reading AS r ON r.source_id = a.source_id
    AND r.line = iif(ifnull(a.line - a.line_before <= a.line_after - a.line,
      a.line_after IS NULL), a.line_before, a.line_after)
  WHERE a.snapshot_id IS NOT NULL
)
SELECT source_id, run, reading_id, reading_line, snapshot_id, memory_line
FROM best WHERE rank = 1;

-- _board_taken: what carriers have taken from the heap when a recording last looked.
CREATE VIEW _board_taken AS
SELECT
  h.source_id, h.runtime_id, max(h.id) AS reading_id,
  (SELECT sum(CASE q.call WHEN 3 THEN q.result_bytes WHEN 4 THEN -q.old_bytes
                          ELSE iif(q.result = 0, 0, q.result_bytes - q.old_bytes) END)
   FROM os_request AS q
   WHERE q.runtime_id = h.runtime_id AND q.call BETWEEN 3 AND 5) AS carrier_bytes,
  (SELECT sum(CASE q.call WHEN 3 THEN q.result <> 0 WHEN 4 THEN -1 ELSE 0 END)
   FROM os_request AS q
   WHERE q.runtime_id = h.runtime_id AND q.call BETWEEN 3 AND 5) AS carriers
FROM heap_reading AS h
WHERE h.origin = 'trace'
GROUP BY h.source_id, h.runtime_id;

-- board_bridge: from the bytes that the board has in use to those that Erlang reports, one row
-- for each line of the sum; those of one run add up to the first.
--
-- Worked example, tests/views/board_bridge: 49,098,904 bytes in use, 22,627,896 recorded, of the
-- rest 8,388,616 in the largest block and 4 MiB of stacks.
CREATE VIEW board_bridge AS
WITH stack AS (
  -- The nearest table of tasks, by the rule for a bare column beside min().
  SELECT m.source_id, m.run, c.stack_bytes, min(abs(s.line - m.reading_line)) AS distance
  FROM _memory_near AS m
  JOIN snapshot AS s ON s.source_id = m.source_id AND s.kind = 'cpu'
  JOIN cpu_sample AS c ON c.snapshot_id = s.id
  GROUP BY m.source_id, m.run
), log AS (
  SELECT
    m.source_id, m.run, m.reading_line AS line, h.used_bytes, h.used_largest,
    (SELECT bytes FROM memory_sample WHERE snapshot_id = m.snapshot_id AND key = 'total')
      AS counted_bytes,
    k.stack_bytes,
    m.memory_line
  FROM _memory_near AS m
  JOIN heap_reading AS h ON h.origin = 'log' AND h.id = m.reading_id
  LEFT JOIN stack AS k ON k.source_id = m.source_id AND k.run = m.run
), trace AS (
  SELECT
    t.source_id, t.runtime_id, h.run, h.ts_ns, h.used_bytes,
    t.carrier_bytes, t.carriers * 2 * h.word_bytes AS header_bytes,
    min(t.carrier_bytes, ifnull(u.blocks_bytes, 0)) AS blocks_bytes
  FROM _board_taken AS t
  JOIN heap_reading AS h ON h.origin = 'trace' AND h.id = t.reading_id
  LEFT JOIN utilisation_now_runtime AS u ON u.runtime_id = t.runtime_id
  WHERE t.carrier_bytes IS NOT NULL
), item AS (
SELECT source_id, NULL AS runtime_id, run, line, 1 AS position, 'in use on the board' AS item,
  used_bytes AS bytes, 'exact' AS certainty, 'Total bytes used' AS note FROM log
UNION ALL
SELECT source_id, NULL, run, line, 2, 'Erlang: blocks', counted_bytes, 'exact',
  format('erlang:memory(total), line %d', memory_line) FROM log
UNION ALL
SELECT source_id, NULL, run, line, 3, 'largest block', used_largest, 'exact',
  iif(used_largest = 8388616, 'the 8 MiB arena of the network, with its header',
      'not of Erlang, if it is the arena of the network') FROM log
UNION ALL
SELECT source_id, NULL, run, line, 4, 'stacks of tasks', stack_bytes, 'estimate',
  'as top reports, in whole MiB' FROM log WHERE stack_bytes IS NOT NULL
UNION ALL
SELECT source_id, NULL, run, line, 5, 'the rest',
  used_bytes - counted_bytes - used_largest - ifnull(stack_bytes, 0),
  iif(stack_bytes IS NULL, 'exact', 'estimate'),
  'free space in carriers (main carriers, whole MiB), disk cache, blocks of the system' FROM log
UNION ALL
SELECT source_id, runtime_id, run, NULL, 1, 'in use on the board', used_bytes, 'exact',
  'when the heap was last looked at' FROM trace
UNION ALL
SELECT source_id, runtime_id, run, NULL, 2, 'Erlang: blocks', blocks_bytes, 'estimate',
  'as the instances last recorded, headers included' FROM trace
UNION ALL
SELECT source_id, runtime_id, run, NULL, 3, 'free space in carriers', carrier_bytes - blocks_bytes, 'estimate',
  'what Erlang has taken and does not use' FROM trace
UNION ALL
SELECT source_id, runtime_id, run, NULL, 4, 'headers of carriers in the heap', header_bytes, 'exact',
  'two words for each' FROM trace
UNION ALL
SELECT source_id, runtime_id, run, NULL, 5, 'the system', used_bytes - carrier_bytes - header_bytes, 'exact',
  'taken before Erlang started, and beside it' FROM trace
)
SELECT source_id, run, line, position, item, bytes, certainty, note,
  (SELECT s.lost_events FROM source AS s WHERE s.id = source_id) AS source_lost_events,
  runtime_id
FROM item;

-- board_lint: one row for each flag of an allocator that the board's runtime never saw, and
-- one for each start without a flag that has an effect.
CREATE VIEW board_lint AS
WITH lint AS (
SELECT s.source_id, s.line, f.flag, f.value,
  iif(f.is_behind,
      'has no effect: it stands behind ''--'', where the emulator does not look',
      'has no effect: without erlexec the emulator knows it as -' || substr(f.flag, 2)) AS finding
FROM boot_flag AS f
JOIN snapshot AS s ON s.id = f.snapshot_id
WHERE f.is_behind OR substr(f.flag, 1, 1) = '+'
UNION ALL
SELECT s.source_id, s.line, NULL, NULL,
  'no flag of an allocator is in force: plain defaults'
FROM snapshot AS s
WHERE s.kind = 'boot' AND NOT EXISTS (
  SELECT 1 FROM boot_flag AS f
  WHERE f.snapshot_id = s.id AND NOT f.is_behind AND substr(f.flag, 1, 1) = '-')
)
SELECT source_id, line, flag, value, finding,
  (SELECT o.lost_events FROM source AS o WHERE o.id = source_id) AS source_lost_events
FROM lint;

INSERT INTO view_doc VALUES
  ('heap_reading', '', 'row', 'full scan', 'One row for each reading of the heap of a board: reports in a log, heap_state of a recording'),
  ('heap_reading', 'source_id', 'id', 'label', 'source.id'),
  ('heap_reading', 'runtime_id', 'id', 'label', 'runtime.id; NULL: of a log'),
  ('heap_reading', 'origin', 'text', 'label', 'log or trace'),
  ('heap_reading', 'id', 'id', 'label', 'heap_sample.snapshot_id or heap_state.id'),
  ('heap_reading', 'line', 'count', 'label', 'Line of the log; NULL: of a recording'),
  ('heap_reading', 'ts_ns', 'ns', 'exact', 'When it was recorded; NULL: of a log'),
  ('heap_reading', 'run', 'count', 'estimate', 'Number of the run of the board, from 1: a counter that went back begins another'),
  ('heap_reading', 'asked_bytes', 'bytes', 'exact', 'What was just refused; 0: nothing, or of a log'),
  ('heap_reading', 'word_bytes', 'bytes', 'label', 'Word of the target; of a log assumed: 4'),
  ('heap_reading', 'unit_bytes', 'bytes', 'label', 'Alignment of carriers; of a log assumed: 256 KiB'),
  ('heap_reading', 'free_blocks', 'count', 'exact', 'Free blocks'),
  ('heap_reading', 'free_largest', 'bytes', 'exact', 'Largest free block, header included'),
  ('heap_reading', 'free_bytes', 'bytes', 'exact', 'Sum of free blocks'),
  ('heap_reading', 'used_blocks', 'count', 'exact', 'Used blocks'),
  ('heap_reading', 'used_largest', 'bytes', 'exact', 'Largest used block'),
  ('heap_reading', 'used_bytes', 'bytes', 'exact', 'Sum of used blocks'),
  ('heap_reading', 'size_bytes', 'bytes', 'exact', 'Size of the allocatable area'),
  ('heap_reading', 'min_free_bytes', 'bytes', 'exact', 'Least that was ever free'),
  ('heap_reading', 'max_free_blocks', 'count', 'exact', 'Most free blocks ever, as RTEMS counts it'),
  ('heap_reading', 'max_searched', 'count', 'exact', 'Most blocks looked at for one request'),
  ('heap_reading', 'allocated_bytes', 'bytes', 'exact', 'Bytes of blocks when they were allocated, sum'),
  ('heap_reading', 'freed_bytes', 'bytes', 'exact', 'Bytes of blocks when they were freed, sum'),
  ('heap_reading', 'searches', 'count', 'exact', 'Blocks looked at for requests that were granted'),
  ('heap_reading', 'allocs', 'count', 'exact', 'Successful allocations'),
  ('heap_reading', 'failed_allocs', 'count', 'exact', 'Failed allocations'),
  ('heap_reading', 'frees', 'count', 'exact', 'Successful frees'),
  ('heap_reading', 'resizes', 'count', 'exact', 'Resizes in place'),
  ('heap_reading', 'sizes_agree', 'flag', 'exact', '1: free + used = size'),
  ('heap_reading', 'blocks_agree', 'flag', 'exact', '1: allocations - frees = used blocks'),
  ('heap_reading', 'resize_growth_bytes', 'bytes', 'exact', 'used - (allocated - freed): net growth by resizing in place'),
  ('heap_reading', 'fragmentation', 'ratio', 'exact', 'Share of the free bytes that is not in the largest free block'),
  ('heap_reading', 'mean_free_block', 'bytes', 'exact', 'Mean size of a free block, rounded down'),
  ('heap_reading', 'free_elsewhere_bytes', 'bytes', 'exact', 'Free bytes outside of the largest free block'),
  ('heap_reading', 'largest_plain', 'bytes', 'exact', 'Largest request without alignment that is granted, for the word size given'),
  ('heap_reading', 'largest_carrier_min', 'bytes', 'bound', 'A carrier of this size fits wherever the largest block lies; exact of a recording'),
  ('heap_reading', 'largest_carrier_max', 'bytes', 'bound', 'No larger carrier fits; exact of a recording'),
  ('heap_reading', 'largest_single_block', 'bytes', 'exact', 'Largest block that gets a carrier of its own, at its second try'),
  ('heap_reading', 'gap_units', 'count', 'estimate', 'The largest free block is so many carrier units less a header: a gap between aligned carriers; NULL: it is not'),
  ('heap_reading', 'gap_carriers', 'count', 'estimate', 'Freed carriers of 1 MiB that such a gap is the place of; NULL: no whole number'),
  ('heap_reading', 'hole_bytes_min', 'bytes', 'bound', 'Bytes in holes too small for an aligned carrier, at least; exact of a recording'),
  ('heap_reading', 'hole_bytes_max', 'bytes', 'bound', 'The same, at most; exact of a recording'),
  ('heap_reading', 'above_low_water_bytes', 'bytes', 'exact', 'Free bytes above the least that was ever free'),
  ('board_failure', '', 'row', 'full scan', 'One row for each request that could not be granted to a runtime on a board'),
  ('board_failure', 'source_id', 'id', 'label', 'source.id'),
  ('board_failure', 'runtime_id', 'id', 'label', 'runtime.id; NULL: of a log'),
  ('board_failure', 'origin', 'text', 'label', 'log or trace'),
  ('board_failure', 'id', 'id', 'label', 'logged_failure.snapshot_id or alloc_failure.id'),
  ('board_failure', 'line', 'count', 'label', 'Line of the log; NULL: of a recording'),
  ('board_failure', 'ts_ns', 'ns', 'exact', 'When it was recorded; NULL: of a log'),
  ('board_failure', 'allocator', 'text', 'label', 'Allocator that was asked'),
  ('board_failure', 'operation', 'text', 'label', 'allocate or reallocate'),
  ('board_failure', 'type', 'text', 'label', 'Type of the block'),
  ('board_failure', 'size_bytes', 'bytes', 'exact', 'What was asked for'),
  ('board_failure', 'is_single', 'flag', 'estimate', '1: the block is so large that it gets a carrier of its own; of a log with default settings'),
  ('board_failure', 'first_try_bytes', 'bytes', 'estimate', 'What the heap was asked for first; of a log with default settings'),
  ('board_failure', 'second_try_bytes', 'bytes', 'estimate', 'What it was asked for then'),
  ('board_failure', 'reading_id', 'id', 'label', 'heap_reading.id that shows how the heap was; NULL: none does'),
  ('board_failure', 'reading_line', 'count', 'label', 'Line of that reading'),
  ('board_failure', 'run', 'count', 'estimate', 'Run of the board'),
  ('board_failure', 'is_read_after', 'flag', 'exact', '1: the reading stands behind the failure'),
  ('board_failure', 'free_bytes', 'bytes', 'exact', 'Free then'),
  ('board_failure', 'free_blocks', 'count', 'exact', 'Free blocks then'),
  ('board_failure', 'free_largest', 'bytes', 'exact', 'Largest of them'),
  ('board_failure', 'mean_free_block', 'bytes', 'exact', 'Their mean size, rounded down'),
  ('board_failure', 'failed_allocs', 'count', 'exact', 'Failed allocations so far'),
  ('board_failure', 'shortfall_bytes', 'bytes', 'exact', 'What was asked for less the largest free block'),
  ('board_failure', 'largest_plain', 'bytes', 'exact', 'Largest request without alignment that was possible'),
  ('board_failure', 'largest_carrier_min', 'bytes', 'bound', 'Largest carrier that was possible, at least'),
  ('board_failure', 'largest_carrier_max', 'bytes', 'bound', 'Largest carrier that was possible, at most'),
  ('board_failure', 'hole_bytes_min', 'bytes', 'bound', 'Bytes in alignment holes, at least; exact of a recording'),
  ('board_failure', 'hole_bytes_max', 'bytes', 'bound', 'Bytes in alignment holes, at most; exact of a recording'),
  ('board_failure', 'gap_units', 'count', 'estimate', 'heap_reading.gap_units'),
  ('board_failure', 'gap_carriers', 'count', 'estimate', 'heap_reading.gap_carriers'),
  ('board_failure', 'heap_step', 'count', 'exact', 'Step of the heap sizes that was asked for; NULL: it is none'),
  ('board_failure', 'next_heap_bytes', 'bytes', 'exact', 'Size of the next step; NULL: it is none'),
  ('board_bridge', '', 'row', 'full scan', 'One row for each line of the sum from the bytes in use on a board to those that Erlang reports'),
  ('board_bridge', 'source_id', 'id', 'label', 'source.id'),
  ('board_bridge', 'run', 'count', 'estimate', 'Run of the board'),
  ('board_bridge', 'line', 'count', 'label', 'Line of the reading; NULL: of a recording'),
  ('board_bridge', 'position', 'count', 'label', 'Place in the sum; the first is that of the others'),
  ('board_bridge', 'item', 'text', 'label', 'What it is'),
  ('board_bridge', 'bytes', 'bytes', 'estimate', 'How much; certainty says how sure'),
  ('board_bridge', 'certainty', 'text', 'label', 'exact or estimate'),
  ('board_bridge', 'note', 'text', 'label', 'Where it comes from'),
  ('board_lint', '', 'row', 'full scan', 'One row for each flag of an allocator that has no effect on a board'),
  ('board_lint', 'source_id', 'id', 'label', 'source.id'),
  ('board_lint', 'line', 'count', 'label', 'Line of the log'),
  ('board_lint', 'flag', 'text', 'exact', 'The flag; NULL: the finding is about all of them'),
  ('board_lint', 'value', 'text', 'exact', 'Its value; NULL: none'),
  ('board_lint', 'finding', 'text', 'label', 'What is wrong with it'),
  ('heap_reading', 'source_lost_events', 'count', 'exact', 'Events that the recording lost; a log loses none'),
  ('board_failure', 'source_lost_events', 'count', 'exact', 'Events that the recording lost; a log loses none'),
  ('board_bridge', 'runtime_id', 'id', 'label', 'runtime.id; NULL: of a log'),
  ('board_bridge', 'source_lost_events', 'count', 'exact', 'Events that the recording lost; a log loses none'),
  ('board_lint', 'source_lost_events', 'count', 'exact', 'Events that the recording lost; a log loses none'),
  ('_board_setting', '', 'row', 'full scan', 'One row for each runtime of a recording with readings of a heap'),
  ('_heap_reading', '', 'row', 'full scan', 'One row for each reading of a heap, of both origins'),
  ('_heap_start', '', 'row', 'full scan', 'The same with whether it is the first of a run'),
  ('_board_failure', '', 'row', 'full scan', 'One row for each failure, of both origins'),
  ('_failure_reading', '', 'row', 'full scan', 'One row for each failure: which reading shows how the heap was'),
  ('_memory_near', '', 'row', 'full scan', 'One row for each run of a log: the list of erlang:memory() nearest to one of its readings'),
  ('_board_taken', '', 'row', 'full scan', 'One row for each runtime of a recording: what its carriers have taken from the heap');
