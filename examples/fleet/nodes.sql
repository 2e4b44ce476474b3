-- SPDX-License-Identifier: MIT
--
-- A week of nodes of known truth, made of recordings of the twin: database `seeds` has what `carrierscope push` sent of
-- each, by app, release and flags, and here its carriers and blocks at the end become those of $NODES nodes, a point
-- every $STEP seconds, until $END (seconds since the Unix epoch).  truth.awk has the same rules.
--
--   node i     app i % 5, release i / 5 % 3, flags '+MBsbct 16' where i % 20 = 7; binary_alloc has 1 + i % 7 / 100 times the
--              carriers and blocks of the recording, and 10 % more or less by the time of day
--   leaks      app 2 with release 2: instead its binary_alloc grows from 30 to 100 % of the recording; every second one of
--              these was restarted in the middle
--   unknown    i % 10 = 9: its blocks are not known
--   silent     i % 100 = 13: nothing came for three days
--
-- Replays are those of three recordings of r0, each at one node; holders are those of a dump of each app, at every node.

INSERT INTO recording (push, recording, pushed_at, node, host, app, release, flags, run, begin_ts, end_ts, verdict,
  carriers, carriers_low, carriers_high, blocks, blocks_low, blocks_high, complete, points, sentence, file, page)
SELECT
  1, i * 10 + 1, toDateTime(if(i % 100 = 13, $END - 259200, $END)), concat('node', toString(i), '@host', toString(i)),
  concat('host', toString(i)), app, release, flags, i * 2,
  toDateTime($END - 590400), toDateTime(if(i % 100 = 13, $END - 259200, $END)), verdict,
  carriers, carriers, carriers, if(i % 10 = 9, NULL, blocks), if(i % 10 = 9, NULL, blocks), if(i % 10 = 9, NULL, blocks), 1, 1,
  sentence, file, page
FROM (
  SELECT toUInt64(number) AS i, concat('app', toString(i % 5)) AS app, concat('r', toString(intDiv(i, 5) % 3)) AS release,
    if(i % 20 = 7, '+MBsbct 16', '') AS flags
  FROM system.numbers LIMIT $NODES
)
ANY INNER JOIN (SELECT app, release, flags, verdict, carriers, blocks, sentence, file, page FROM seeds.visible) USING (app, release, flags);

-- Of each node and hour: the times of its points, $STEP seconds apart.
INSERT INTO alloc_minutes (push, recording, node, app, release, flags, run, allocator, hour, minute, figures)
SELECT
  1 AS push, i * 10 + 1 AS recording, concat('node', toString(i), '@host', toString(i)) AS node, app, release, flags,
  i * 2 + (is_leaking AND i % 2 AND times[1] >= $END - 295200) AS run,
  arrayJoin(['binary_alloc', 'all']) AS allocator, toDateTime(start) AS hour,
  arrayMap(t -> toUInt8(intDiv(t - start, 60)), times) AS minute,
  arrayConcat(arrayMap(f -> toInt64(binary * f + if(allocator = 'all', other, 0)), factors),
    arrayMap(f -> toInt64(if(i % 10 = 9, -1, binary_blocks * f + if(allocator = 'all', other_blocks, 0))), factors),
    arrayMap(f -> toInt64(0), factors)) AS figures
FROM (
  SELECT i, start, times, factors, is_leaking, app, release, flags, binary, other, binary_blocks, other_blocks FROM (
  SELECT i, start, times, concat('app', toString(i % 5)) AS app, concat('r', toString(intDiv(i, 5) % 3)) AS release,
    if(i % 20 = 7, '+MBsbct 16', '') AS flags, i % 5 = 2 AND intDiv(i, 5) % 3 = 2 AS is_leaking,
    arrayMap(t -> (1 + 0.01 * (i % 7)) * if(is_leaking,
      0.3 + 0.7 * ((t - ($END - 590400)) / 3600 - if(i % 2 AND t >= $END - 295200, 82, 0)) / 164,
      1 + 0.1 * sin(t / 86400 * 6.283185307179586)), times) AS factors
  FROM (
    SELECT toUInt64(intDiv(number, 165)) AS i, toUInt32((intDiv($END - 590400, 3600) + number % 165) * 3600) AS start,
      toUInt32(intDiv(590400, $STEP)) AS points,
      least(points, if(start < $END - 590400, 0, toUInt32(intDiv(start - ($END - 590400) + $STEP - 1, $STEP)))) AS first,
      least(points, toUInt32(intDiv(start + 3600 - ($END - 590400) + $STEP - 1, $STEP))) AS end,
      arrayFilter(t -> i % 100 <> 13 OR t < $END - 259200,
        arrayMap(k -> toUInt32($END - 590400 + (first + k) * $STEP), range(toUInt32(end - first)))) AS times
    FROM (SELECT number FROM system.numbers LIMIT $HOURS)
  )
  WHERE notEmpty(times)
)
ANY INNER JOIN (
  SELECT app, release, flags,
    sumIf(assumeNotNull(carriers), allocator = 'binary_alloc') AS binary,
    sumIf(assumeNotNull(carriers), allocator = 'all') - binary AS other,
    sumIf(assumeNotNull(blocks), allocator = 'binary_alloc') AS binary_blocks,
    sumIf(assumeNotNull(blocks), allocator = 'all') - binary_blocks AS other_blocks
  FROM seeds.alloc_point
  WHERE (app, release, flags, ts) IN (SELECT app, release, flags, max(ts) FROM seeds.alloc_point GROUP BY app, release, flags)
  GROUP BY app, release, flags
) USING (app, release, flags)
)
-- 18.16 finds no column that only a lambda names.
WHERE binary + other + binary_blocks + other_blocks >= 0;

INSERT INTO sweep_result
SELECT 1, i * 10 + 1, concat('node', toString(i), '@host', toString(i)), app, 'r0', toDateTime($END), tried, allocator, schedules,
  coverage, plain_peak_low, plain_peak_high, peak_low, peak_high, plain_end_low, plain_end_high, end_low, end_high
FROM (
  SELECT toUInt64(substring(app, 4)) AS i, app, tried, allocator, schedules, coverage, plain_peak_low, plain_peak_high, peak_low,
    peak_high, plain_end_low, plain_end_high, end_low, end_high
  FROM seeds.sweep_result
);

INSERT INTO holder_point
SELECT 1, i * 10 + 1, concat('node', toString(i), '@host', toString(i)), app, concat('r', toString(intDiv(i, 5) % 3)),
  toDateTime($END), number, allocator, type, kind, holder, bytes, quality
FROM (SELECT toUInt64(number) AS i, concat('app', toString(i % 5)) AS app FROM system.numbers LIMIT $NODES)
ALL INNER JOIN (SELECT app, number, allocator, type, kind, holder, bytes, quality FROM seeds.holder_point) USING app;
