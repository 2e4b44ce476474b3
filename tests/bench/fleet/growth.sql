-- SPDX-License-Identifier: MIT
--
-- $NODES nodes over $DAYS days of known growth, by $SEED, until $END (seconds since the Unix epoch): table `life` has the truth,
-- alloc_minutes a minute of each of its hours, in tables that `carrierscope fleet init` made.  Bytes of allocator `binary_alloc`; in
-- `eheap_alloc` the same life with neither growth nor step.
--
-- Ten kinds of applications, node i is of kind i % 10; each has a curve of the day, noise of hours and of days.  Days and weekends are
-- counted from the begin, so that a fleet is the same at any time:
--
--   steady     nothing grows
--   slow       half of the nodes gain 10 to 40 % a week
--   release    release 2 comes to each node at some time and gains 15 to 80 % a week; release 1 gains nothing
--   daily      all nodes begin anew at 4 to 6 o'clock, and warm up
--   pods       pods of 12 hours, a name for each, begin at all times and warm up
--   podleak    the same; in the second half of the days release 2 gains 20 to 60 % in its 12 hours
--   step       one step of 10 to 50 %, and flat since; of each third node a cache that fills in days and levels off
--   week       a third less at weekends; each fourth node gains 20 to 60 % a week
--   killed     nodes double within 8 to 20 hours and are killed, again and again
--   mixed      carriers of 8 MiB, bursts; a fifth gains 50 to 300 % a week from some day on, the others restart each 2 to 5 days

DROP TABLE IF EXISTS life;
CREATE TABLE life (i UInt64, kind String, app String, release String, node String, run UInt64, b Int32, e Int32, base Float64, amp Float64,
  weekend Float64, noise Float64, day_noise Float64, warm Float64, warm_h Float64, step Float64, step_at Int32,
  rate Float64, rate_from Int32, grain Float64, burst Float64) ENGINE = MergeTree() PARTITION BY tuple() ORDER BY (app, node, b);

INSERT INTO life
SELECT i, kind, kind AS app, release, node, cityHash64(node, b, $SEED) AS run, greatest(first, toInt32(0)) AS b, least(last, toInt32(hours)) AS e,
  base, amp, weekend, noise, day_noise, warm, warm_h, step, step_at, rate * base, rate_from, grain, burst
FROM (
  SELECT i, kind, base, amp, noise, day_noise, u, v, w, first, last, hours, days,
    multiIf(kind = 'release' AND j = 1, '2', kind = 'podleak' AND first >= hours / 2, '2', '1') AS release,
    if(kind IN ('pods', 'podleak'), concat(kind, '-', toString(i), '-', toString(j)), concat(kind, '@host', toString(i))) AS node,
    if(kind = 'week', 0.3, 0.0) AS weekend,
    multiIf(kind IN ('daily', 'pods', 'podleak'), 0.1, kind = 'step' AND i % 30 = 6, 0.5, 0.0) AS warm,
    if(kind = 'step', 12 + 60 * w, 2.0) AS warm_h,
    if(kind = 'step' AND i % 30 <> 6, 0.1 + 0.4 * u, 0.0) AS step, toInt32(20 + v * (hours - 40)) AS step_at,
    multiIf(kind = 'slow' AND i % 20 = 1, (0.1 + 0.3 * v) / 7, kind = 'release' AND j = 1, (0.15 + 0.65 * v) / 7,
      kind = 'podleak' AND release = '2', 0.4 + 0.8 * v, kind = 'week' AND i % 40 = 7, (0.2 + 0.4 * v) / 7,
      kind = 'killed', 24.0 / (last - first), kind = 'mixed' AND i % 50 = 9, (0.5 + 2.5 * v) / 7, 0.0) AS rate,
    if(kind = 'mixed', toInt32(w * 0.6 * hours), toInt32(0)) AS rate_from,
    if(kind = 'mixed', 8388608.0, 65536.0) AS grain, if(kind = 'mixed', 0.3, 0.0) AS burst
  FROM (
    SELECT i, kind, base, amp, noise, day_noise, u, v, w, hours, days, j,
      toInt32(multiIf(kind = 'release', if(j = 0, 0.0, floor((0.2 + 0.35 * w) * hours)), kind = 'daily', toFloat64(24 * j - 20 + floor(3 * u)),
        kind IN ('pods', 'podleak'), toFloat64(12 * j - 12 + floor(12 * u)), kind = 'killed', j * floor(8 + 13 * u),
        kind = 'mixed' AND i % 50 <> 9, j * floor(48 + 72 * u), kind = 'step' AND i % 30 = 6, floor(60 * w), 0.0)) AS first,
      toInt32(multiIf(kind = 'release', if(j = 0, floor((0.2 + 0.35 * w) * hours), hours), kind = 'daily', toFloat64(first + 24),
        kind IN ('pods', 'podleak'), toFloat64(first + 12), kind = 'killed', toFloat64(first + floor(8 + 13 * u)),
        kind = 'mixed' AND i % 50 <> 9, toFloat64(first + floor(48 + 72 * u)), hours)) AS last
    FROM (
      SELECT toUInt64(number) AS i, toFloat64(24 * $DAYS) AS hours, $DAYS AS days,
        arrayElement(['steady', 'slow', 'release', 'daily', 'pods', 'podleak', 'step', 'week', 'killed', 'mixed'], 1 + i % 10) AS kind,
        cityHash64($SEED, i, 1) % 1000003 / 1000003 AS u, cityHash64($SEED, i, 2) % 1000003 / 1000003 AS v,
        cityHash64($SEED, i, 3) % 1000003 / 1000003 AS w,
        (128 + 1920 * pow(cityHash64($SEED, i, 4) % 1000003 / 1000003, 2)) * 1048576 AS base,
        0.05 + 0.2 * (cityHash64($SEED, i, 5) % 1000003 / 1000003) AS amp,
        0.02 * (cityHash64($SEED, i, 6) % 1000003 / 1000003) AS noise, 0.006 * (cityHash64($SEED, i, 7) % 1000003 / 1000003) AS day_noise
      FROM system.numbers LIMIT $NODES
    )
    ARRAY JOIN arrayMap(x -> toFloat64(x), range(toUInt64(multiIf(kind = 'release', 2, kind = 'daily', days + 1, kind IN ('pods', 'podleak'), 2 * days + 1,
      kind = 'killed', 3 * days, kind = 'mixed' AND i % 50 <> 9, intDiv(days, 2) + 1, 1)))) AS j
  )
)
WHERE first < hours AND last > 0 AND least(last, hours) > greatest(first, 0);

INSERT INTO recording (push, recording, pushed_at, node, app, release, run, begin_ts, end_ts, verdict, points)
SELECT 1, run, now() - 3600 * ($DAYS * 24 - e), node, app, release, run, toDateTime($END - 3600 * ($DAYS * 24 - b)),
  toDateTime($END - 3600 * ($DAYS * 24 - e)), 'normal', 1
FROM life;

-- The noise of an hour and of a day is a sum of four uniform numbers, of a variance of 1.
INSERT INTO alloc_minutes (push, recording, node, app, release, flags, run, allocator, hour, minute, figures)
SELECT 1, run, node, app, release, '', run, allocator, toDateTime(hour), [toUInt8(0)],
  [toInt64(ceil(y / grain) * grain), toInt64(-1), toInt64(0)]
FROM (
  SELECT run, node, app, release, allocator, hour, grain,
    base * (1 + amp * sin(((t + 6) % 24 - 10 + 7 * $SEED) / 24 * 6.283185307179586)) * if((intDiv(t, 24) + 4 + $SEED) % 7 < 2, 1 - weekend, 1)
      * (1 + noise * 1.732 * (n1 + n2 + n3 + n4 - 2)) * (1 + day_noise * 1.732 * (d1 + d2 + d3 + d4 - 2))
      * if(n1 < 0.01, 1 + burst, 1)
    + base * warm * (1 - exp(-age / warm_h))
    + if(allocator = 'binary_alloc', if(t >= step_at, step * base, 0) + rate / 24 * greatest(0, t - greatest(rate_from, b)), 0) AS y
  FROM (
    SELECT run, node, app, release, base, amp, weekend, noise, day_noise, warm, warm_h, step, step_at, rate, rate_from, grain, burst, b, t, allocator,
      t - b AS age, toUInt32(intDiv($END, 3600) * 3600 - 3600 * ($DAYS * 24 - 1 - t)) AS hour,
      cityHash64($SEED, run, allocator, t, 1) % 1000003 / 1000003 AS n1, cityHash64($SEED, run, allocator, t, 2) % 1000003 / 1000003 AS n2,
      cityHash64($SEED, run, allocator, t, 3) % 1000003 / 1000003 AS n3, cityHash64($SEED, run, allocator, t, 4) % 1000003 / 1000003 AS n4,
      cityHash64($SEED, i, allocator, intDiv(t, 24), 5) % 1000003 / 1000003 AS d1, cityHash64($SEED, i, allocator, intDiv(t, 24), 6) % 1000003 / 1000003 AS d2,
      cityHash64($SEED, i, allocator, intDiv(t, 24), 7) % 1000003 / 1000003 AS d3, cityHash64($SEED, i, allocator, intDiv(t, 24), 8) % 1000003 / 1000003 AS d4
    FROM (
      SELECT i, run, node, app, release, base, amp, weekend, noise, day_noise, warm, warm_h, step, step_at, rate, rate_from, grain, burst, b, t
      FROM life ARRAY JOIN range(toUInt64(e - b)) AS k, arrayMap(x -> toInt32(x + b), range(toUInt64(e - b))) AS t
    )
    ARRAY JOIN ['binary_alloc', 'eheap_alloc'] AS allocator
  )
);
