-- SPDX-License-Identifier: MIT
--
-- Layer:   reports of boards
-- Serves:  reports board, board_readings
--
-- Small tables for people, in a total order; sizes are bytes, as a board's shell prints them.

-- report_board_readings: one row for each reading of a board's heap.
CREATE VIEW report_board_readings AS
SELECT
  source_id AS source, run, line,
  round((ts_ns - (SELECT first_ts_ns FROM source AS s WHERE s.id = source_id)) / 1e9, 3) AS at_s,
  free_bytes, free_blocks, free_largest, round(100 * fragmentation, 1) AS fragmentation_percent,
  largest_carrier_min, largest_carrier_max, largest_single_block, used_bytes, used_blocks,
  min_free_bytes, failed_allocs,
  iif(sizes_agree AND blocks_agree, 'yes', 'no') AS sums_agree,
  source_lost_events AS lost_events,
  runtime_id AS runtime
FROM heap_reading
ORDER BY source_id, runtime_id, origin, id;

-- report_board: how much can still be allocated on a board, and why something could not.
-- Boards of one recording come one after the other in each part.
CREATE VIEW report_board AS
WITH ranked AS (
  SELECT *,
    row_number() OVER (PARTITION BY source_id, runtime_id, run ORDER BY id) AS from_first,
    row_number() OVER (PARTITION BY source_id, runtime_id, run ORDER BY id DESC) AS from_last
  FROM heap_reading
), first AS (
  SELECT * FROM ranked WHERE from_first = 1
), last AS (
  SELECT * FROM ranked WHERE from_last = 1
), step AS (
  SELECT h.origin, h.id, max(s.step) AS step, max(s.words) * h.word_bytes AS bytes
  FROM last AS h JOIN heap_size_step AS s ON s.words * h.word_bytes <= h.largest_single_block
  GROUP BY h.origin, h.id
), failure AS (
  SELECT *, 2000000 + dense_rank() OVER (ORDER BY source_id, origin, id) AS place
  FROM board_failure
), board AS (
  -- Names for the boards of a source, if it has several.
  SELECT source_id, runtime_id,
    'board ' || row_number() OVER (PARTITION BY source_id ORDER BY runtime_id) AS name
  FROM _board_setting
  WHERE source_id IN (SELECT source_id FROM _board_setting GROUP BY source_id HAVING count(*) > 1)
), fact AS (
  SELECT source_id, NULL AS runtime_id, 0 AS place, 1 AS row, 'all readings' AS part, NULL AS line,
    'readings of the heap' AS fact, count(*) AS value, 'exact' AS certainty, '' AS note
  FROM heap_reading GROUP BY source_id
  UNION ALL
  SELECT source_id, NULL, 0, 2, 'all readings', NULL, 'of them free + used = size', sum(sizes_agree),
    'exact', iif(min(sizes_agree), 'all of them', 'not all of them') FROM heap_reading GROUP BY source_id
  UNION ALL
  SELECT source_id, NULL, 0, 3, 'all readings', NULL, 'of them allocations - frees = used blocks',
    sum(blocks_agree), 'exact', iif(min(blocks_agree), 'all of them', 'not all of them')
    FROM heap_reading GROUP BY source_id

  UNION ALL
  SELECT source_id, runtime_id, 1000 + run, 1, 'run ' || run || ', at its end', line, 'bytes free', free_bytes,
    'exact', format('%,d of %,d', free_bytes, size_bytes) FROM last
  UNION ALL
  SELECT source_id, runtime_id, 1000 + run, 2, 'run ' || run || ', at its end', line, 'free blocks', free_blocks,
    'exact', format('%,d bytes each in the mean', mean_free_block) FROM last
  UNION ALL
  SELECT source_id, runtime_id, 1000 + run, 3, 'run ' || run || ', at its end', line, 'fragmentation, percent',
    round(100 * fragmentation, 1), 'exact', 'of the free bytes are not in the largest block' FROM last
  UNION ALL
  SELECT source_id, runtime_id, 1000 + run, 4, 'run ' || run || ', at its end', line, 'largest free block',
    free_largest, 'exact', CASE WHEN gap_units IS NULL THEN ''
      WHEN gap_carriers IS NULL THEN
        format('%d units less a header: a gap between aligned carriers (estimate)', gap_units)
      ELSE format('%d units less a header: the place of %d carrier(s) of 1 MiB and its holes'
        || ' (estimate)', gap_units, gap_carriers) END
    FROM last
  UNION ALL
  SELECT source_id, runtime_id, 1000 + run, 5, 'run ' || run || ', at its end', line, 'largest plain request',
    largest_plain, 'exact', iif(origin = 'log', 'if words have 4 bytes', '') FROM last
  UNION ALL
  SELECT source_id, runtime_id, 1000 + run, 6, 'run ' || run || ', at its end', line, 'largest carrier, at least',
    largest_carrier_min, iif(origin = 'log', 'bound', 'exact'),
    format('aligned to %,d', unit_bytes) FROM last
  UNION ALL
  SELECT source_id, runtime_id, 1000 + run, 7, 'run ' || run || ', at its end', line, 'largest carrier, at most',
    largest_carrier_max, iif(origin = 'log', 'bound', 'exact'),
    format('aligned to %,d', unit_bytes) FROM last
  UNION ALL
  SELECT source_id, runtime_id, 1000 + run, 8, 'run ' || run || ', at its end', line, 'largest single block',
    largest_single_block, 'exact', 'in a carrier of its own, at its second try' FROM last
  UNION ALL
  SELECT l.source_id, l.runtime_id, 1000 + l.run, 9, 'run ' || l.run || ', at its end', l.line,
    'largest process heap', s.bytes, 'exact', format('step %d of the heap sizes', s.step)
    FROM last AS l JOIN step AS s ON s.origin = l.origin AND s.id = l.id
  UNION ALL
  SELECT source_id, runtime_id, 1000 + run, 10, 'run ' || run || ', at its end', line, 'least that was ever free',
    min_free_bytes, 'exact', format('%,d less than at the end', above_low_water_bytes) FROM last
  UNION ALL
  SELECT source_id, runtime_id, 1000 + run, 11, 'run ' || run || ', at its end', line, 'failed allocations',
    failed_allocs, 'exact', '' FROM last
  UNION ALL
  SELECT source_id, runtime_id, 1000 + run, 12, 'run ' || run || ', at its end', line, 'growth by resizing in place',
    resize_growth_bytes, 'exact', 'used - (allocated - freed)' FROM last

  UNION ALL
  SELECT source_id, runtime_id, 1000000 + run, position, 'run ' || run || ', OS to Erlang', line, item, bytes,
    certainty, note FROM board_bridge

  UNION ALL
  SELECT source_id, runtime_id, place, 1, 'failure', line, allocator || ' could not ' || operation, size_bytes,
    'exact', 'type ' || type FROM failure
  UNION ALL
  SELECT source_id, runtime_id, place, 2, 'failure', line, 'step of the heap sizes', heap_step, 'exact',
    iif(next_heap_bytes IS NULL, 'the last', format('the next one is %,d bytes', next_heap_bytes))
    FROM failure WHERE heap_step IS NOT NULL
  UNION ALL
  SELECT source_id, runtime_id, place, 2, 'failure', line, 'step of the heap sizes', NULL, 'exact',
    'it is none' FROM failure WHERE heap_step IS NULL
  UNION ALL
  SELECT source_id, runtime_id, place, 3, 'failure', line, 'first try', first_try_bytes,
    iif(origin = 'log', 'estimate', 'exact'),
    iif(is_single, 'carrier of one block', 'carrier of many blocks, aligned')
      || iif(origin = 'log', ', with default settings', '') FROM failure
  UNION ALL
  SELECT source_id, runtime_id, place, 4, 'failure', line, 'second try', second_try_bytes,
    iif(origin = 'log', 'estimate', 'exact'), 'carrier of one block, not rounded' FROM failure
  UNION ALL
  SELECT source_id, runtime_id, place, 5, 'failure', line, 'failed allocations', failed_allocs, 'exact',
    iif(origin = 'log', format('report on line %d, %s', reading_line,
      iif(is_read_after, 'after it', 'before it')), 'each try is made twice')
    FROM failure WHERE reading_id IS NOT NULL
  UNION ALL
  SELECT source_id, runtime_id, place, 6, 'failure', line, 'bytes free', free_bytes, 'exact', ''
    FROM failure WHERE reading_id IS NOT NULL
  UNION ALL
  SELECT source_id, runtime_id, place, 7, 'failure', line, 'free blocks', free_blocks, 'exact',
    format('%,d bytes each in the mean', mean_free_block) FROM failure WHERE reading_id IS NOT NULL
  UNION ALL
  SELECT source_id, runtime_id, place, 8, 'failure', line, 'largest free block', free_largest, 'exact',
    iif(gap_units IS NULL, '', format('%d units less a header', gap_units)) FROM failure WHERE reading_id IS NOT NULL
  UNION ALL
  SELECT source_id, runtime_id, place, 9, 'failure', line, 'shortfall', shortfall_bytes, 'exact',
    'what was asked for less the largest free block' FROM failure WHERE reading_id IS NOT NULL
  UNION ALL
  SELECT source_id, runtime_id, place, 10, 'failure', line, 'in alignment holes, at least', hole_bytes_min,
    iif(origin = 'log', 'bound', 'exact'), 'no carrier ever fits there'
    FROM failure WHERE reading_id IS NOT NULL
  UNION ALL
  SELECT source_id, runtime_id, place, 11, 'failure', line, 'in alignment holes, at most', hole_bytes_max,
    iif(origin = 'log', 'bound', 'exact'),
    iif(origin = 'log', 'a log does not show where blocks lie', '')
    FROM failure WHERE reading_id IS NOT NULL

  UNION ALL
  SELECT f.source_id, f.runtime_id, f.place, 12, 'failure', f.line, 'free in other blocks, grown in the run',
    f.free_bytes - f.free_largest - h.free_elsewhere_bytes, 'exact',
    format('room for %d such holes at most (estimate)', max(0,
      f.free_bytes - f.free_largest - h.free_elsewhere_bytes)
      / (h.unit_bytes - 2 * h.word_bytes))
    FROM failure AS f JOIN first AS h
      ON h.source_id = f.source_id AND h.runtime_id IS f.runtime_id AND h.run = f.run

  UNION ALL
  SELECT source_id, NULL, 3000000, row_number() OVER (PARTITION BY source_id ORDER BY line, flag), 'flags',
    line, ifnull(flag || ifnull(' ' || value, ''), 'settings'), NULL, 'exact', finding FROM board_lint
)
SELECT f.source_id AS source, f.line, ifnull(b.name || ', ', '') || f.part AS part, f.fact, f.value,
  f.certainty, f.note,
  (SELECT s.lost_events FROM source AS s WHERE s.id = f.source_id) AS lost_events
FROM fact AS f
LEFT JOIN board AS b ON b.source_id = f.source_id AND b.runtime_id = f.runtime_id
ORDER BY f.source_id, f.place > 0, f.place / 1000000, f.runtime_id, f.place, f.row;

INSERT INTO view_doc VALUES
  ('report_board_readings', '', 'row', 'full scan', 'One row for each reading of the heap of a board'),
  ('report_board_readings', 'source', 'id', 'label', 'source.id'),
  ('report_board_readings', 'run', 'count', 'estimate', 'Run of the board'),
  ('report_board_readings', 'line', 'count', 'label', 'Line of the log'),
  ('report_board_readings', 'at_s', 's', 'exact', 'Seconds since the first event of a recording'),
  ('report_board_readings', 'free_bytes', 'bytes', 'exact', 'Free'),
  ('report_board_readings', 'free_blocks', 'count', 'exact', 'Free blocks'),
  ('report_board_readings', 'free_largest', 'bytes', 'exact', 'Largest of them'),
  ('report_board_readings', 'fragmentation_percent', 'percent', 'exact', 'Share of free bytes outside of it'),
  ('report_board_readings', 'largest_carrier_min', 'bytes', 'bound', 'Largest carrier that is possible, at least'),
  ('report_board_readings', 'largest_carrier_max', 'bytes', 'bound', 'Largest carrier that is possible, at most'),
  ('report_board_readings', 'largest_single_block', 'bytes', 'exact', 'Largest block in a carrier of its own'),
  ('report_board_readings', 'used_bytes', 'bytes', 'exact', 'Used'),
  ('report_board_readings', 'used_blocks', 'count', 'exact', 'Used blocks'),
  ('report_board_readings', 'min_free_bytes', 'bytes', 'exact', 'Least that was ever free'),
  ('report_board_readings', 'failed_allocs', 'count', 'exact', 'Failed allocations'),
  ('report_board_readings', 'sums_agree', 'text', 'exact', 'yes: sizes and numbers of blocks add up'),
  ('report_board', '', 'row', 'full scan', 'How much can still be allocated on a board, and why something could not: one row for each fact'),
  ('report_board', 'source', 'id', 'label', 'source.id'),
  ('report_board', 'line', 'count', 'label', 'Line of the log'),
  ('report_board', 'part', 'text', 'label', 'What the fact is about'),
  ('report_board', 'fact', 'text', 'label', 'Which fact'),
  ('report_board', 'value', 'count', 'estimate', 'Its value, in bytes where nothing else is said; certainty says how sure'),
  ('report_board', 'certainty', 'text', 'label', 'exact, bound or estimate'),
  ('report_board', 'note', 'text', 'label', 'What else is to be said'),
  ('report_board_readings', 'runtime', 'id', 'label', 'runtime.id of a recorded board; NULL: of a log'),
  ('report_board_readings', 'lost_events', 'count', 'exact', 'Events that the recording lost; a log loses none'),
  ('report_board', 'lost_events', 'count', 'exact', 'Events that the recording lost; a log loses none');
