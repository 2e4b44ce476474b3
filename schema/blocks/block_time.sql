-- SPDX-License-Identifier: MIT
--
-- Layer:   blocks over time
-- Serves:  instrument, report/block_reports; `carrierscope report NAME FILE --at T` for views ending in _at
--
-- Views ending in _at are about the moment in table `question`, the end of each source
-- if that is NULL.  They read sums at the keyframe before it and the events between,
-- or the list of live blocks before it and the events between: never all events.

-- Worked example (the test of block_size_at): of three blocks of 100, 120 and 300
-- bytes made at 1, 2 and 3 ns the first is freed at 4 ns.  At 3 ns:
--
--   size_from  size_to  live_blocks  live_bytes
--   64         128      2            220
--   256        512      1            300
CREATE VIEW block_size_at AS
SELECT source_id, runtime_id, vpid, allocator, class, type, size_from, size_to, live_blocks,
  live_bytes, source_lost_events
FROM _block_size
WHERE moment = 'question';

-- The same when most bytes were live in each process.
CREATE VIEW block_size_at_peak AS
SELECT source_id, runtime_id, vpid, allocator, class, type, size_from, size_to, live_blocks,
  live_bytes, source_lost_events
FROM _block_size
WHERE moment = 'peak';

-- _block_owned: the live blocks of a moment with the process or port that made each.
CREATE TEMP VIEW _block_owned AS
SELECT
  l.moment, l.source_id, l.runtime_id, l.vpid, l.address, l.allocator, l.instance, l.class, l.type,
  l.type_id, l.size, l.since_ns, l.block_event_id,
  CASE
    WHEN l.process > 4611686018427387904 THEN '#Port<0.' || (l.process - 4611686018427387905) || '>'
    WHEN l.process > 0 THEN
      '<0.' || ((l.process - 1) & 268435455) || '.' || ((l.process - 1) >> 28) || '>'
    -- No process ran, and no port that the event could name: the tracer may show one.
    ELSE
      (SELECT iif(l.process IS NULL OR p.pid LIKE '#Port%', p.pid, NULL) FROM block_process AS p
        WHERE p.thread_id = l.thread_id AND p.from_id <= l.block_event_id
        ORDER BY p.from_id DESC LIMIT 1)
  END AS pid,
  l.source_lost_events,
  l.process IS NOT NULL OR EXISTS (
    SELECT 1 FROM block_process AS p
    WHERE p.thread_id = l.thread_id AND p.from_id <= l.block_event_id) AS is_pid_known
FROM _block_live AS l;

-- _live_sum: the live blocks at the moment of `question` by what their events say of their maker, in parts that are to be
-- summed.  since_id: where no process ran, the row of block_process that may show one.  Of the end the loader has summed
-- them (live_block_maker).
CREATE TEMP VIEW _live_sum AS
SELECT source_id, thread_id, allocator_id, type_id, process, NULL AS since_id, blocks, bytes
FROM live_block_maker
WHERE (SELECT at_ns FROM question) IS NULL
UNION ALL
SELECT i.source_id, b.thread_id, b.allocator_id, b.type_id, b.process,
  iif(b.process > 0, NULL, (SELECT max(p.from_id) FROM block_process AS p
    WHERE p.thread_id = b.thread_id AND p.from_id <= b.id)),
  count(*), sum(b.size)
FROM _block_live_id AS i
CROSS JOIN _block_event AS b ON b.id = i.id
WHERE i.moment = 'unsummed'
GROUP BY 1, 2, 3, 4, 5, 6;

-- _block_maker: the same with words, by the process or port that made them: as _block_owned, in parts that are to be summed.
CREATE TEMP VIEW _block_maker AS
SELECT
  l.source_id, coalesce(h.runtime_id, o.runtime_id) AS runtime_id,
  iif(l.allocator_id IS NULL, 'libc', coalesce(n.name, 'allocator ' || l.allocator_id)) AS allocator,
  coalesce(t.name, 'type ' || l.type_id) AS type,
  CASE
    WHEN l.process > 4611686018427387904 THEN '#Port<0.' || (l.process - 4611686018427387905) || '>'
    WHEN l.process > 0 THEN
      '<0.' || ((l.process - 1) & 268435455) || '.' || ((l.process - 1) >> 28) || '>'
    ELSE iif(l.process IS NULL OR p.pid LIKE '#Port%', p.pid, NULL)
  END AS pid,
  l.blocks, l.bytes
FROM _live_sum AS l
LEFT JOIN thread AS h ON h.id = l.thread_id
LEFT JOIN _block_runtime AS o ON o.source_id = l.source_id
LEFT JOIN allocator_name AS n
  ON n.runtime_id = coalesce(h.runtime_id, o.runtime_id) AND n.allocator_id = l.allocator_id
LEFT JOIN _type_name AS t
  ON t.runtime_id = coalesce(h.runtime_id, o.runtime_id) AND t.type_id = l.type_id
LEFT JOIN block_process AS p ON p.thread_id = l.thread_id AND p.from_id = l.since_id;

-- _live_peak_sum, _peak_maker: the same of blocks that were live at the peak of a source of one process.  The command sums
-- them in one pass over the events (maker_sums.c).
CREATE TEMP VIEW _live_peak_sum AS
SELECT i.source_id, b.thread_id, b.allocator_id, b.type_id, b.process,
  iif(b.process > 0, NULL, (SELECT max(p.from_id) FROM block_process AS p
    WHERE p.thread_id = b.thread_id AND p.from_id <= b.id)) AS since_id,
  count(*) AS blocks, sum(b.size) AS bytes
FROM _block_live_id AS i
CROSS JOIN _block_event AS b ON b.id = i.id
WHERE i.moment = 'peak'
GROUP BY 1, 2, 3, 4, 5, 6;

CREATE TEMP VIEW _peak_maker AS
SELECT
  l.source_id, coalesce(h.runtime_id, o.runtime_id) AS runtime_id,
  iif(l.allocator_id IS NULL, 'libc', coalesce(n.name, 'allocator ' || l.allocator_id)) AS allocator,
  coalesce(t.name, 'type ' || l.type_id) AS type,
  CASE
    WHEN l.process > 4611686018427387904 THEN '#Port<0.' || (l.process - 4611686018427387905) || '>'
    WHEN l.process > 0 THEN
      '<0.' || ((l.process - 1) & 268435455) || '.' || ((l.process - 1) >> 28) || '>'
    ELSE iif(l.process IS NULL OR p.pid LIKE '#Port%', p.pid, NULL)
  END AS pid,
  l.blocks, l.bytes
FROM _live_peak_sum AS l
LEFT JOIN thread AS h ON h.id = l.thread_id
LEFT JOIN _block_runtime AS o ON o.source_id = l.source_id
LEFT JOIN allocator_name AS n
  ON n.runtime_id = coalesce(h.runtime_id, o.runtime_id) AND n.allocator_id = l.allocator_id
LEFT JOIN _type_name AS t
  ON t.runtime_id = coalesce(h.runtime_id, o.runtime_id) AND t.type_id = l.type_id
LEFT JOIN block_process AS p ON p.thread_id = l.thread_id AND p.from_id = l.since_id;

-- Each live block, and who made it: the process or port that its thread ran then, as the event itself has it,
-- or else as far as process_scheduled of the dyntrace events says.
CREATE VIEW block_at AS
SELECT source_id, runtime_id, vpid, address, allocator, instance, class, type, type_id, size,
  since_ns, block_event_id, pid, source_lost_events, is_pid_known
FROM _block_owned
WHERE moment = 'question';

-- Sizes in steps of 64 bytes.
CREATE VIEW block_size_linear_at AS
SELECT source_id, runtime_id, vpid, allocator, size / 64 * 64 AS size_from,
  size / 64 * 64 + 64 AS size_to, count(*) AS live_blocks, sum(size) AS live_bytes,
  max(source_lost_events) AS source_lost_events
FROM _block_live
WHERE moment = 'question'
GROUP BY source_id, runtime_id, vpid, allocator, size / 64;

-- Live blocks by the process that made them, and of these those made in the second
-- half of the time up to the moment: what still grows.
CREATE VIEW block_process_at AS
WITH middle AS (
  SELECT s.source_id, s.first_ts_ns +
    (min(coalesce(q.at_ns, s.last_ts_ns), s.last_ts_ns) - s.first_ts_ns) / 2 AS ts_ns
  FROM block_span AS s
  JOIN question AS q
)
SELECT
  b.source_id, b.runtime_id, b.vpid, b.pid, count(*) AS live_blocks, sum(b.size) AS live_bytes,
  count(*) FILTER (WHERE b.since_ns > m.ts_ns) AS late_blocks,
  coalesce(sum(b.size) FILTER (WHERE b.since_ns > m.ts_ns), 0) AS late_bytes,
  max(b.source_lost_events) AS source_lost_events, b.is_pid_known
FROM block_at AS b
JOIN middle AS m ON m.source_id = b.source_id
GROUP BY b.source_id, b.runtime_id, b.vpid, b.pid, b.is_pid_known;

-- Sizes of live blocks by the process that made them.
CREATE VIEW block_size_process_at AS
SELECT source_id, runtime_id, vpid, pid,
  CASE WHEN size = 0 THEN 0 ELSE 1 << CAST(log2(size) AS INTEGER) END AS size_from,
  CASE WHEN size = 0 THEN 1 ELSE 2 << CAST(log2(size) AS INTEGER) END AS size_to,
  count(*) AS live_blocks, sum(size) AS live_bytes,
  max(source_lost_events) AS source_lost_events, is_pid_known
FROM block_at
GROUP BY source_id, runtime_id, vpid, pid, is_pid_known, size_from, size_to;

-- What blocks take beyond what was asked for: the header of a word, the tag where the
-- allocator has them (+M<S>atags), and rounding, by the core's rules: blk(n) = the
-- least block if header + tag + n fit it, else header + tag + n rounded up to 8.
--
-- Worked example (the test of block_waste_at): aoffcbf on 64 bit without tags has blocks
-- of 64 bytes at least.  Blocks of 1, 56, 57 and 100 bytes take 64, 64, 72 and 112.
CREATE TEMP VIEW _block_rule AS
WITH word AS (
  SELECT runtime_id, max(word_bytes) AS word, max(release) AS release
  FROM state_begin
  GROUP BY runtime_id
),
option_value AS (
  SELECT runtime_id, allocator_id,
    max(value) FILTER (WHERE name = 'as') AS strategy,
    max(value) FILTER (WHERE name = 'atags') AS tags
  FROM option
  GROUP BY runtime_id, allocator_id
)
SELECT
  n.runtime_id,
  n.allocator_id,
  coalesce(w.word, 8) AS header,
  CASE WHEN coalesce(t.tags, iif(n.name IN ('binary_alloc', 'driver_alloc'), 'true', 'false'))
    = 'true' THEN coalesce(w.word, 8) * iif(w.release = '28', 2, 1) ELSE 0 END AS tag,
  CASE
    WHEN coalesce(w.word, 8) = 8 THEN CASE coalesce(t.strategy, 'aoffcbf')
      WHEN 'aobf' THEN 56 WHEN 'gf' THEN 40 WHEN 'af' THEN 40 ELSE 64 END
    ELSE CASE coalesce(t.strategy, 'aoffcbf')
      WHEN 'bf' THEN 32 WHEN 'aobf' THEN 32 WHEN 'gf' THEN 24 WHEN 'af' THEN 24 ELSE 40 END
  END AS least
FROM allocator_name AS n
LEFT JOIN word AS w ON w.runtime_id = n.runtime_id
LEFT JOIN option_value AS t ON t.runtime_id = n.runtime_id AND t.allocator_id = n.allocator_id;

CREATE VIEW block_waste_at AS
SELECT
  l.source_id, l.runtime_id, l.vpid, l.allocator, l.class, l.type,
  count(*) AS live_blocks,
  sum(l.size) AS asked_bytes,
  sum(max(r.least, (l.size + r.header + r.tag + 7) / 8 * 8)) AS block_bytes,
  sum(max(r.least, (l.size + r.header + r.tag + 7) / 8 * 8) - l.size) AS waste_bytes,
  max(l.source_lost_events) AS source_lost_events
FROM _block_live AS l
CROSS JOIN _block_rule AS r ON r.runtime_id = l.runtime_id AND r.allocator_id = l.allocator_id
WHERE l.moment = 'question'
GROUP BY l.source_id, l.runtime_id, l.vpid, l.allocator, l.class, l.type;

-- Totals of block events, over the whole source: by allocator, type, class, process.
CREATE VIEW block_use AS
SELECT source_id, runtime_id, vpid, scope, allocator, class, type, made, made_bytes, ended,
  ended_bytes, resized, live_blocks, live_bytes, most_blocks, most_bytes, most_bytes_ts_ns,
  temporary, temporary_bytes, unknown_frees, lost_frees, source_lost_events
FROM _block_account;

-- Lives that ended, by power of two of their length.  A reallocation goes on with a life.
CREATE VIEW block_lifetime AS
SELECT a.source_id, a.runtime_id, a.vpid, a.allocator, a.class, a.type, l.life_from_ns,
  max(2 * l.life_from_ns, 1) AS life_to_ns, l.ends, l.end_bytes, a.source_lost_events
FROM block_life AS l
JOIN _block_account AS a ON a.id = l.account_id;

-- What was given and ended between keyframes: rates over time.
CREATE VIEW block_rate AS
WITH step AS (
  SELECT k.source_id, k.at_id, k.ts_ns,
    lag(k.ts_ns, 1, s.first_ts_ns) OVER (PARTITION BY k.source_id ORDER BY k.at_id) AS from_ns,
    lag(k.at_id) OVER (PARTITION BY k.source_id ORDER BY k.at_id) AS before_id
  FROM block_keyframe AS k
  JOIN block_span AS s ON s.source_id = k.source_id
)
SELECT
  a.source_id, a.runtime_id, a.vpid, a.scope, a.allocator, a.class, a.type, t.from_ns,
  t.ts_ns AS to_ns,
  n.made - coalesce(b.made, 0) AS made,
  n.made_bytes - coalesce(b.made_bytes, 0) AS made_bytes,
  n.ended - coalesce(b.ended, 0) AS ended,
  n.ended_bytes - coalesce(b.ended_bytes, 0) AS ended_bytes,
  n.live_blocks, n.live_bytes, n.most_blocks, n.most_bytes, a.source_lost_events
FROM step AS t
JOIN block_keyframe_account AS n ON n.at_id = t.at_id
JOIN _block_account AS a ON a.id = n.account_id
LEFT JOIN block_keyframe_account AS b ON b.at_id = t.before_id AND b.account_id = n.account_id;

-- What grows: live bytes at the end beside those at the last keyframe of the first half
-- of the time.
--
-- Worked example (the test of block_growth): a type that had 520 bytes in 3 blocks then
-- and has 500 in 2 now has grown by -20.
CREATE VIEW block_growth AS
WITH middle AS (
  SELECT s.source_id, max(k.at_id) AS at_id, max(k.ts_ns) AS ts_ns
  FROM block_span AS s
  JOIN block_keyframe AS k ON k.source_id = s.source_id
    AND k.ts_ns <= s.first_ts_ns + (s.last_ts_ns - s.first_ts_ns) / 2
  GROUP BY s.source_id
)
SELECT
  a.source_id, a.runtime_id, a.vpid, a.allocator, a.class, a.type, a.live_blocks, a.live_bytes,
  a.live_blocks - coalesce(k.live_blocks, 0) AS grown_blocks,
  a.live_bytes - coalesce(k.live_bytes, 0) AS grown_bytes,
  m.ts_ns AS since_ns,
  a.most_bytes, a.source_lost_events
FROM _block_account AS a
LEFT JOIN middle AS m ON m.source_id = a.source_id
LEFT JOIN block_keyframe_account AS k ON k.at_id = m.at_id AND k.account_id = a.id
WHERE a.scope = 'type';

INSERT INTO view_doc VALUES
  ('block_size_at', '', 'row', 'full scan', 'One row for each process, type and power of two of sizes: live at the moment of question; reads the events since a keyframe'),
  ('block_size_at_peak', '', 'row', 'full scan', 'The same when most bytes were live in the process'),
  ('block_at', '', 'row', 'full scan', 'One row for each block that is live at the moment of question'),
  ('block_at', 'instance', 'count', 'label', 'Number of the allocator instance; NULL: libc'),
  ('block_at', 'type_id', 'id', 'label', 'name_type.type_id; NULL: libc'),
  ('block_at', 'since_ns', 'ns', 'exact', 'When it was allocated or last reallocated'),
  ('block_at', 'block_event_id', 'id', 'label', 'The row that made it'),
  ('block_at', 'pid', 'text', 'label', 'Erlang process or port that the thread ran when it made the block; NULL: none, or not recorded'),
  ('block_at', 'is_pid_known', 'flag', 'label', '1: pid is right, NULL means that no process ran; 0: it was not recorded'),
  ('block_size_linear_at', '', 'row', 'full scan', 'One row for each process, allocator and step of 64 bytes of sizes: live at the moment of question'),
  ('block_process_at', '', 'row', 'full scan', 'One row for each Erlang process that made blocks which are live at the moment of question'),
  ('block_process_at', 'pid', 'text', 'label', 'Erlang process or port that the thread ran when it made the block; NULL: none, or not recorded'),
  ('block_process_at', 'late_blocks', 'count', 'exact', 'Of them, those made in the second half of the time'),
  ('block_process_at', 'late_bytes', 'bytes', 'exact', 'Bytes asked for in these'),
  ('block_process_at', 'is_pid_known', 'flag', 'label', '1: pid is right, NULL means that no process ran; 0: it was not recorded'),
  ('block_size_process_at', '', 'row', 'full scan', 'One row for each Erlang process and power of two of sizes: live at the moment of question'),
  ('block_size_process_at', 'pid', 'text', 'label', 'Erlang process or port that the thread ran when it made the block; NULL: none, or not recorded'),
  ('block_size_process_at', 'is_pid_known', 'flag', 'label', '1: pid is right, NULL means that no process ran; 0: it was not recorded'),
  ('block_waste_at', '', 'row', 'full scan', 'One row for each type of block that is live at the moment of question: what its blocks take beyond what was asked for; libc left out'),
  ('block_waste_at', 'asked_bytes', 'bytes', 'exact', 'Bytes asked for in them'),
  ('block_waste_at', 'block_bytes', 'bytes', 'estimate', 'What the blocks take by the rules of the allocator; remainders that are too small to be split off are not known'),
  ('block_waste_at', 'waste_bytes', 'bytes', 'estimate', 'The difference'),
  ('block_use', '', 'row', 'fast', 'One row for each type, allocator and class of blocks, and for each process, over the whole source'),
  ('block_use', 'scope', 'text', 'label', 'type, allocator, class or runtime'),
  ('block_use', 'made', 'count', 'exact', 'Blocks that were given, reallocations included'),
  ('block_use', 'made_bytes', 'bytes', 'exact', 'Bytes asked for in them'),
  ('block_use', 'ended', 'count', 'exact', 'Blocks that are no more, reallocated ones included'),
  ('block_use', 'ended_bytes', 'bytes', 'exact', 'Bytes asked for in them'),
  ('block_use', 'resized', 'count', 'exact', 'Reallocations'),
  ('block_use', 'most_blocks', 'count', 'exact', 'Most live blocks'),
  ('block_use', 'most_bytes', 'bytes', 'exact', 'Most bytes asked for in live blocks'),
  ('block_use', 'most_bytes_ts_ns', 'ns', 'exact', 'When that was first; NULL: never'),
  ('block_use', 'temporary', 'count', 'exact', 'Blocks freed by the thread that made them before it made another'),
  ('block_use', 'temporary_bytes', 'bytes', 'exact', 'Bytes asked for in them'),
  ('block_use', 'unknown_frees', 'count', 'exact', 'Frees of blocks that existed before the recording'),
  ('block_use', 'lost_frees', 'count', 'exact', 'Blocks whose free was not seen before another was made there'),
  ('block_lifetime', '', 'row', 'fast', 'One row for each type of block and power of two of lives that ended'),
  ('block_lifetime', 'life_from_ns', 'ns', 'label', 'Lives from this on'),
  ('block_lifetime', 'life_to_ns', 'ns', 'label', 'and below this'),
  ('block_lifetime', 'ends', 'count', 'exact', 'Frees; a reallocation does not end a life'),
  ('block_lifetime', 'end_bytes', 'bytes', 'exact', 'Bytes asked for in them'),
  ('block_rate', '', 'row', 'fast', 'One row for each keyframe and account: what happened since the keyframe before'),
  ('block_rate', 'scope', 'text', 'label', 'type, allocator, class or runtime'),
  ('block_rate', 'from_ns', 'ns', 'exact', 'Keyframe before'),
  ('block_rate', 'to_ns', 'ns', 'exact', 'This keyframe'),
  ('block_rate', 'made', 'count', 'exact', 'Blocks that were given, reallocations included'),
  ('block_rate', 'made_bytes', 'bytes', 'exact', 'Bytes asked for in them'),
  ('block_rate', 'ended', 'count', 'exact', 'Blocks that are no more, reallocated ones included'),
  ('block_rate', 'ended_bytes', 'bytes', 'exact', 'Bytes asked for in them'),
  ('block_rate', 'live_blocks', 'count', 'exact', 'Live blocks at this keyframe'),
  ('block_rate', 'most_blocks', 'count', 'exact', 'Most live blocks'),
  ('block_rate', 'most_bytes', 'bytes', 'exact', 'Most bytes asked for in live blocks'),
  ('block_growth', '', 'row', 'fast', 'One row for each type of block: what grew in the second half of the time'),
  ('block_growth', 'grown_blocks', 'count', 'exact', 'Live blocks more than at since_ns'),
  ('block_growth', 'grown_bytes', 'bytes', 'exact', 'Bytes more than at since_ns'),
  ('block_growth', 'since_ns', 'ns', 'exact', 'Last keyframe of the first half of the time; NULL: none, everything counts as grown'),
  ('block_growth', 'most_bytes', 'bytes', 'exact', 'Most bytes asked for in live blocks');
