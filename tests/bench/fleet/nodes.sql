-- SPDX-License-Identifier: MIT
--
-- A week of synthetic nodes, for tables that `carrierscope fleet init` made
--
-- $NODES nodes, a point every $STEP seconds, until $END (seconds since the Unix epoch).
--
--   node i     app i % 5, release i / 5 % 3, flags '+MBlmbcs 512' where i % 20 = 7
--   all        a tenth more and less each day, the same at each time it is made: 7 hundredths more at the end
--   leaks      app 2 with release 2: 1 MiB an hour in binary_alloc; every second one of these restarted in the middle
--   fragments  with those flags: blocks are 35 % of carriers, elsewhere 80 %
--   unknown    i % 10 = 9: its blocks are not known
--   silent     i % 100 = 13: nothing came for three days

INSERT INTO recording (push, recording, pushed_at, node, host, app, release, flags, run, begin_ts, end_ts, verdict,
  carriers, carriers_low, carriers_high, blocks, blocks_low, blocks_high, complete, points)
SELECT
  1, i * 10 + 1, toDateTime(if(i % 100 = 13, $END - 259200, $END)), concat('node', toString(i), '@host', toString(i)),
  concat('host', toString(i)), concat('app', toString(i % 5)), concat('r', toString(intDiv(i, 5) % 3)),
  if(i % 20 = 7, '+MBlmbcs 512', ''), i * 2,
  toDateTime($END - 590400), toDateTime(if(i % 100 = 13, $END - 259200, $END)), 'normal',
  c, c, c, if(i % 10 = 9, NULL, b), if(i % 10 = 9, NULL, b), if(i % 10 = 9, NULL, b), 1, 1
FROM (
  SELECT toUInt64(number) AS i, toUInt64((100 + 50 * (i % 5)) * (1 + 0.1 * (intDiv(i, 5) % 3)) * (1 + 0.01 * (i % 7)) * 1048576) + 52428800 AS c,
    toUInt64(c * if(i % 20 = 7, 0.35, 0.8)) AS b
  FROM system.numbers LIMIT $NODES
);

-- Of each node and hour: the times of its points, $STEP seconds apart.
INSERT INTO alloc_minutes (push, recording, node, app, release, flags, run, allocator, hour, minute, figures)
SELECT push, recording, node, app, release, flags, run, allocator, hour, minute, f
FROM (SELECT
  1 AS push, i * 10 + 1 AS recording, concat('node', toString(i), '@host', toString(i)) AS node,
  concat('app', toString(i % 5)) AS app, concat('r', toString(intDiv(i, 5) % 3)) AS release,
  if(i % 20 = 7, '+MBlmbcs 512', '') AS flags, i * 2 + (is_leaking AND i % 2 AND times[1] >= $END - 295200) AS run,
  arrayJoin(['binary_alloc', 'eheap_alloc', 'all']) AS allocator, toDateTime(start) AS hour,
  arrayMap(t -> toUInt8(intDiv(t - start, 60)), times) AS minute,
  arrayMap(t -> toInt64(if(allocator = 'eheap_alloc', 0, (100 + 50 * (i % 5)) * (1 + 0.1 * (intDiv(i, 5) % 3)) * (1 + 0.01 * (i % 7)) * 1048576
      * (1 + 0.1 * sin((t - $END + 10800) / 86400 * 6.283185307179586))
      + if(is_leaking, 1048576 * ((t - ($END - 590400)) / 3600 - if(i % 2 AND t >= $END - 295200, 82, 0)), 0))
    + if(allocator = 'binary_alloc', 0, 52428800)), times) AS c,
  arrayConcat(c, arrayMap(x -> toInt64(if(i % 10 = 9, -1, x * if(i % 20 = 7, 0.35, 0.8))), c), arrayMap(t -> toInt64(0), times)) AS f
FROM (
  SELECT toUInt64(intDiv(number, 165)) AS i, i % 5 = 2 AND intDiv(i, 5) % 3 = 2 AS is_leaking,
    toUInt32((intDiv($END - 590400, 3600) + number % 165) * 3600) AS start,
    toUInt32(intDiv(590400, $STEP)) AS points,
    least(points, if(start < $END - 590400, 0, toUInt32(intDiv(start - ($END - 590400) + $STEP - 1, $STEP)))) AS first,
    least(points, toUInt32(intDiv(start + 3600 - ($END - 590400) + $STEP - 1, $STEP))) AS end,
    arrayFilter(t -> i % 100 <> 13 OR t < $END - 259200,
      arrayMap(k -> toUInt32($END - 590400 + (first + k) * $STEP), range(toUInt32(end - first)))) AS times
  FROM (SELECT number FROM system.numbers LIMIT $HOURS)
)
WHERE notEmpty(times));

INSERT INTO sweep_result
SELECT 1, i * 10 + 1, concat('node', toString(i), '@host', toString(i)), concat('app', toString(i % 5)),
  concat('r', toString(intDiv(i, 5) % 3)), toDateTime($END), '+MBlmbcs 1024', 'all', 8, 1,
  1000000, 1000000, 900000, 950000, 1000000, 1000000, 880000 + 10000 * (intDiv(i, 5) % 3), 900000 + 10000 * (intDiv(i, 5) % 3)
FROM (SELECT toUInt64(number) AS i FROM system.numbers LIMIT 15);

INSERT INTO holder_point
SELECT 1, i * 10 + 1, concat('node', toString(i), '@host', toString(i)), concat('app', toString(i % 5)),
  concat('r', toString(intDiv(i, 5) % 3)), toDateTime($END), 1, 'binary_alloc', 'binary', 'process',
  concat('<0.', toString(100 + i), '.0> session_cache'), 1048576, 'exact'
FROM (SELECT toUInt64(number) AS i FROM system.numbers LIMIT $NODES);
