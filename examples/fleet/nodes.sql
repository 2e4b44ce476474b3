-- SPDX-License-Identifier: MIT
--
-- A week of synthetic nodes of known truth, for tables that `carrierscope fleet init` made; truth.awk has the same
-- rules.  $NODES nodes, a point every $STEP seconds, until $END (seconds since the Unix epoch).
--
--   node i     app i % 5, release i / 5 % 3, flags '+MBlmbcs 512' where i % 20 = 7
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
  c, c, c, if(i % 10 = 9, NULL, b), if(i % 10 = 9, NULL, b), if(i % 10 = 9, NULL, b), 1, 0
FROM (
  SELECT toUInt64(number) AS i, toUInt64((100 + 50 * (i % 5)) * (1 + 0.1 * (intDiv(i, 5) % 3)) * (1 + 0.01 * (i % 7)) * 1048576) + 52428800 AS c,
    toUInt64(c * if(i % 20 = 7, 0.35, 0.8)) AS b
  FROM system.numbers LIMIT $NODES
);

INSERT INTO alloc_point
SELECT
  1 AS push, i * 10 + 1 AS recording, concat('node', toString(i), '@host', toString(i)) AS node,
  concat('app', toString(i % 5)) AS app, concat('r', toString(intDiv(i, 5) % 3)) AS release,
  if(i % 20 = 7, '+MBlmbcs 512', '') AS flags, i * 2 + (is_leaking AND i % 2 AND hour >= 82) AS run,
  arrayJoin(['binary_alloc', 'eheap_alloc', 'all']) AS allocator, toDateTime(ts) AS ts,
  toUInt64(if(allocator = 'eheap_alloc', 52428800, binary + if(allocator = 'all', 52428800, 0))) AS carriers,
  carriers AS carriers_low, carriers AS carriers_high,
  if(i % 10 = 9, NULL, toUInt64(carriers * if(i % 20 = 7, 0.35, 0.8))) AS blocks, blocks AS blocks_low, blocks AS blocks_high,
  0 AS pool, 0 AS pool_low, 0 AS pool_high
FROM (
  SELECT toUInt64(intDiv(number, intDiv(590400, $STEP))) AS i,
    $END - 590400 + toUInt32(number % intDiv(590400, $STEP)) * $STEP AS ts,
    (ts - ($END - 590400)) / 3600 AS hour,
    i % 5 = 2 AND intDiv(i, 5) % 3 = 2 AS is_leaking,
    (100 + 50 * (i % 5)) * (1 + 0.1 * (intDiv(i, 5) % 3)) * (1 + 0.01 * (i % 7)) * 1048576
      * (1 + 0.1 * sin(ts / 86400 * 6.283185307179586))
      + if(is_leaking, 1048576 * (hour - if(i % 2 AND hour >= 82, 82, 0)), 0) AS binary
  FROM (SELECT number FROM system.numbers LIMIT $ROWS)
)
WHERE i % 100 <> 13 OR ts < $END - 259200;

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
