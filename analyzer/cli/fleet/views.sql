-- SPDX-License-Identifier: MIT
--
-- Answers, over the last 7 days.  Each view is dropped and made again by `carrierscope fleet upgrade`.
-- A statement ends where a line ends with a semicolon.

-- Of each recording the last push counts, and that is the same for all who ask.  Views name the columns that they
-- read: through another view all would be read.  A clock that is ahead dates rows into the last 7 days for as long as it
-- is ahead, so they must have come in the last 7 days, too, by the clock of the server.
CREATE VIEW $db.visible$on AS
SELECT * FROM (SELECT * FROM $db.recording ORDER BY pushed_at DESC, push DESC) LIMIT 1 BY recording;

CREATE VIEW $db.visible_push$on AS
SELECT recording, push FROM (
  SELECT recording, push, pushed_at FROM $db.recording
  WHERE end_ts >= now() - 604800 AND pushed_at >= now() - 604800 ORDER BY pushed_at DESC, push DESC
) LIMIT 1 BY recording;

-- Known: ever seen.  Seen: with a recording of the last 7 days.  A leak shows in a life of 30 hours, or in many shorter ones of a release.
CREATE VIEW $db.fleet_coverage$on AS
SELECT
  uniqExact(node) AS nodes_known,
  uniqExactIf(node, last_week > 0) AS nodes_seen,
  uniqExactIf(node, last_week_blocks > 0) AS nodes_with_blocks,
  sum(pushes) AS recordings,
  uniqExactIf(node, hours >= 30) AS nodes_with_hours
FROM (
  SELECT node, run, count() AS pushes, countIf(is_late) AS last_week, countIf(is_late AND isNotNull(blocks)) AS last_week_blocks,
    if(countIf(is_late AND points > 0) = 0, 0,
      (toUInt32(maxIf(end_ts, is_late AND points > 0)) - toUInt32(minIf(begin_ts, is_late AND points > 0))) / 3600) AS hours
  FROM (
    SELECT node, run, points, blocks, begin_ts, end_ts, end_ts >= now() - 604800 AND pushed_at >= now() - 604800 AS is_late
    FROM $db.visible
  )
  GROUP BY node, run
);

-- A minute counts when at least 40 % of the carriers, and 32 MiB, are empty for sure; a quarter of the minutes is 6 hours of each day.
CREATE VIEW $db.fleet_fragmenting$on AS
SELECT
  app, release, node, allocator, minutes, minutes_known, minutes_empty,
  minutes_empty / minutes_known AS share_empty,
  carriers AS carriers_bytes, unused_low AS unused_low_bytes, unused_high AS unused_high_bytes
FROM (
  SELECT app, release, node, allocator, sum(minutes) AS minutes, sum(minutes_known) AS minutes_known,
    sum(minutes_empty) AS minutes_empty,
    if(max(last_carriers) < 0, NULL, argMaxIf(toUInt64(last_carriers), last_ts, last_carriers >= 0)) AS carriers,
    if(max(last_unused_low) < 0, NULL, argMaxIf(toUInt64(last_unused_low), last_ts, last_unused_low >= 0)) AS unused_low,
    if(max(last_unused_high) < 0, NULL, argMaxIf(toUInt64(last_unused_high), last_ts, last_unused_high >= 0)) AS unused_high
  FROM $db.alloc_minutes
  WHERE hour >= now() - 604800 AND allocator <> 'all'
    AND (recording, push) GLOBAL IN (SELECT recording, push FROM $db.visible_push)
  GROUP BY app, release, node, allocator
)
WHERE minutes_known > 0 AND minutes_empty * 4 >= minutes_known
ORDER BY unused_low_bytes DESC, node, allocator;

-- Growth, of the last 14 days.  A life is a run of a node: a restart begins another.  Of each hour of it the least carriers count, as
-- bursts do not: levels[1 + i] is 1 more than those of its hour i, 0: not known.
CREATE VIEW $db.life_level$on AS
SELECT app, release, allocator, node, run, min(x) AS first, avg(y) AS level, argMax(y, x) AS last,
  arraySlice(groupArrayInsertAt(0)(toFloat32(1 + y), x), 1 + first) AS levels
FROM (
  SELECT app, release, allocator, node, run,
    toUInt32(intDiv(toUInt32(hour) - toUInt32(toStartOfHour(now() - 1209600)), 3600)) AS x, toFloat64(min(carriers_least)) AS y
  FROM $db.alloc_minutes
  WHERE hour >= toStartOfHour(now() - 1209600) AND hour <= now() AND allocator <> 'all' AND carriers_minutes > 0
    AND (recording, push) GLOBAL IN (
      SELECT recording, push FROM (
        SELECT recording, push, pushed_at FROM $db.recording
        WHERE end_ts >= now() - 1209600 AND pushed_at >= now() - 1209600 ORDER BY pushed_at DESC, push DESC
      ) LIMIT 1 BY recording)
  GROUP BY app, release, allocator, node, run, x
)
GROUP BY app, release, allocator, node, run;

-- What a life gained, and when.  A life of 5 days or more: on each day, the last first, the mean of the middle half of the differences to the
-- same hour of the day before, if 12 of these are known.  A shorter one: in each hour, without the last, in which it may end, and its first 6, or its first
-- half, in which it warms up; `half` says which of these hours belong to an earlier part of it and which to a later one as long, of whole days where it has them.
CREATE VIEW $db.life_gain$on AS
SELECT app, release, allocator, node, run, hours, level, last, is_long, begin, gain, place, half,
  arraySum(gain) * if(is_long, 1, 24) / length(gain) AS rate, if(is_long, rate, arraySum(gain)) AS most
FROM (
  SELECT app, release, allocator, node, run, first, level, last, length(levels) AS hours, hours >= 120 AS is_long,
    if(is_long, 24, 1) AS lag,
    arrayMap((a, b) -> a > 0 AND b > 0, arraySlice(levels, 1 + lag), arraySlice(levels, 1, hours - lag)) AS known,
    arrayMap((a, b) -> toFloat64(a) - b, arraySlice(levels, 1 + lag), arraySlice(levels, 1, hours - lag)) AS gains,
    -- Of whole days, the last hour first; what is not known is put at both ends of its day when this is sorted.
    if(is_long, 24 * intDiv(length(gains), 24), 0) AS whole,
    arraySlice(arrayReverse(known), 1, whole) AS known_back,
    arrayMap((g, is_known, i) -> if(is_known, g, if(i % 2 = 1, -1e30, 1e30)), arraySlice(arrayReverse(gains), 1, whole), known_back,
      arrayEnumerate(known_back)) AS back,
    arraySort((g, i) -> (intDiv(i - 1, 24), g), back, arrayEnumerate(back)) AS sorted,
    arrayCumSum(arrayMap(g -> if(abs(g) > 1e29, 0., g),
      arrayFilter((g, i) -> (i - 1) % 24 >= 6 AND (i - 1) % 24 < 18, sorted, arrayEnumerate(sorted)))) AS sums,
    arrayFilter((c, i) -> i % 12 = 0, sums, arrayEnumerate(sums)) AS day_sums,
    arrayFilter((c, i) -> i % 24 = 0, arrayCumSum(known_back) AS counts, arrayEnumerate(counts)) AS day_counts,
    arrayMap((b, a) -> (b - a) / 12, day_sums, arraySlice(arrayPushFront(day_sums, 0.), 1, length(day_sums))) AS day_gains,
    arrayMap((b, a) -> b - a >= 12, day_counts, arraySlice(arrayPushFront(day_counts, 0), 1, length(day_counts))) AS day_known,
    if(is_long, day_known, arrayMap((is_known, i) -> is_known AND i >= least(6, intDiv(hours, 2)) AND i < hours - 1, known, arrayEnumerate(known))) AS taken,
    arrayFilter((g, t) -> t, if(is_long, day_gains, gains), taken) AS gain,
    if(is_long, 0, first) AS begin, arrayFilter((i, t) -> t, arrayEnumerate(taken), taken) AS place,
    if(length(place) < 48, intDiv(length(place), 2), 24 * intDiv(length(place), 48)) AS part,
    arrayMap(i -> multiIf(is_long, 0, i <= part, 1, i > length(place) - part, 2, 0), arrayEnumerate(place)) AS half
  FROM $db.life_level
)
WHERE notEmpty(gain);

-- What each life of 5 days or more gained on each day, the last first, and what the shorter ones of a release did, linked to one: the mean of
-- those that there are in an hour, and a day is known where all its 24 hours are, so that the curve of the day is over.  `jump`: the
-- most of an hour; `lasting`: below 0 where the hours of later parts of these lives gain less than three quarters of those of earlier ones.
CREATE VIEW $db.growth_day$on AS
SELECT app, release, allocator, node, run, lives, hours, level, last, gains, jump, lasting, spread, most FROM (
  SELECT app, release, allocator, node, run, sum(begun) AS lives, sum(lived) / lives AS hours, avg(levels) AS level, avg(lasts) AS last, max(are_long) AS is_long,
    arraySort((g, i) -> i, groupArray(g), groupArray(at)) AS days, min(at) AS first,
    arrayReverse(groupArrayInsertAt(0.)(if(are_long, 0., g), at)) AS hours_back, arrayReverse(groupArrayInsertAt(0)(1, at)) AS known_back,
    if(is_long, 0, 24 * intDiv(length(hours_back) - first, 24)) AS whole,
    arrayFilter((c, i) -> i % 24 = 0, arrayCumSum(arraySlice(hours_back, 1, whole)) AS sums, arrayEnumerate(sums)) AS day_sums,
    arrayFilter((c, i) -> i % 24 = 0, arrayCumSum(arraySlice(known_back, 1, whole)) AS counts, arrayEnumerate(counts)) AS day_counts,
    if(is_long, days, arrayFilter((g, n) -> n = 24,
      arrayMap((b, a) -> b - a, day_sums, arraySlice(arrayPushFront(day_sums, 0.), 1, length(day_sums))),
      arrayMap((b, a) -> b - a, day_counts, arraySlice(arrayPushFront(day_counts, 0), 1, length(day_counts))))) AS gains,
    if(is_long, 0., max(g)) AS jump,
    if(sum(old_count) = 0, 1., sum(old) / sum(old_count) - 0.75 * sum(young) / greatest(sum(young_count), 1)) AS lasting,
    sqrt(greatest(0, sum(squares) / lives - pow(sum(rates) / lives, 2)) / lives) AS spread,
    arraySlice(arrayReverseSort(x -> x.1, groupArrayArray(mosts)), 1, 20) AS most
  FROM (
    SELECT app, release, allocator, if(is_long, node, '') AS node, if(is_long, run, 0) AS run, at, avg(b) AS g, avg(level) AS levels, avg(last) AS lasts,
      max(is_long) AS are_long, countIf(is_first) AS begun, sumIf(hours, is_first) AS lived, sumIf(rate, is_first) AS rates,
      sumIf(rate * rate, is_first) AS squares, sumIf(b, h = 1) AS young, countIf(h = 1) AS young_count, sumIf(b, h = 2) AS old,
      countIf(h = 2) AS old_count, groupArrayIf((most, name), is_first) AS mosts
    FROM (
      SELECT app, release, allocator, node, node AS name, run, hours, level, last, is_long, rate, most, begin + p AS at, b, h, is_first FROM $db.life_gain
      ARRAY JOIN place AS p, gain AS b, half AS h, arrayMap(i -> i = 1, arrayEnumerate(place)) AS is_first
    )
    GROUP BY app, release, allocator, node, run, at
  )
  GROUP BY app, release, allocator, node, run
)
WHERE notEmpty(gains) AND level > 0;

-- Of each life of growth_day, or of all short ones of a release, whether it grows: over all its days, the last 6 or the last 3, whichever says so
-- and has one rate, the longest of these.  `scatter` is that of its days, or of its last 6 if that is less (it may have begun to grow),
-- at least the usual one of the app.  Short lives count by their hours, so their mean is sure to a tenth only.
CREATE VIEW $db.life_growth$on AS
SELECT app, release, allocator, node, lives, hours, level AS mean_bytes, last AS last_bytes, days, of_days, is_growing,
  rate - error AS bytes_per_day_low, rate AS bytes_per_day, rate + error AS bytes_per_day_high,
  needed AS seen_from_bytes_per_day, most
FROM (
  SELECT app, release, allocator, node, run, lives, hours, level, last, days, of_days, rate, most,
    greatest(greatest(2 * scatter / sqrt(days), 2 * spread), if(node = '', 0.1 * rate, 0)) AS error,
    greatest(greatest(3.5 * scatter / sqrt(days), if(days = 1, 0.5, 0.3 / days / days) * level), greatest(0.07 * level, 8388608) / term) AS needed,
    rate >= needed AND rate > error AND arrayCount(g -> g > 0, those) >= days - intDiv(days, 6) AND recent >= 0.6 * older
      AND rate >= 0.75 * before AND (lasting >= 0 OR days = 1)
      AND (days > 3 OR (jump <= 0.3 * rate AND lowest >= 0.3 * highest)) AS is_growing
  FROM (
    SELECT app, release, allocator, node, run, lives, hours, level, last, days, of_days, those, before, scatter, jump, lasting, spread, most,
      least(7, hours / 24) AS term, arrayReduce('quantileExact(0.5)', those) AS middle,
      arrayMap(g -> if(days > 3 AND abs(g - middle) > 3 * scatter, middle, g), those) AS kept,
      arraySum(kept) / days AS rate, intDiv(days + 1, 2) AS part,
      arrayReduce('quantileExact(0.5)', arraySlice(those, 1, part)) AS recent,
      arrayReduce('quantileExact(0.5)', arraySlice(those, 1 + days - part)) AS older,
      arrayReduce('min', those) AS lowest, arrayReduce('max', those) AS highest
    FROM (
      SELECT app, release, allocator, node, run, lives, hours, level, last, length(gains) AS of_days, days, arraySlice(gains, 1, days) AS those,
        if(days = of_days, 0., arrayReduce('quantileExact(0.5)', arraySlice(gains, 1 + days))) AS before,
        greatest(own, usual) * level AS scatter, jump, lasting, spread, most
      FROM (
        SELECT app, allocator, l.1 AS release, l.2 AS node, l.3 AS run, l.4 AS lives, l.5 AS hours, l.6 AS level, l.7 AS last, l.8 AS gains,
          l.9 AS jump, l.10 AS lasting, l.11 AS spread, l.12 AS most, l.13 AS own, usual,
          arrayDistinct([length(gains), least(length(gains), 6), least(length(gains), 3)]) AS windows
        FROM (
          SELECT app, allocator, groupArray((release, node, run, lives, hours, level, last, gains, jump, lasting, spread, most, own)) AS all_lives,
            if(countIf(own >= 0) = 0, 0., quantileExactIf(0.5)(own, own >= 0)) AS usual
          FROM (
            SELECT app, release, allocator, node, run, lives, hours, level, last, gains, jump, lasting, spread, most, arraySlice(gains, 1, 6) AS late,
              arrayReduce('quantileExact(0.5)', gains) AS middle, arrayReduce('quantileExact(0.5)', late) AS late_middle,
              if(length(gains) < 4, -1., 1.4826 / level * least(arrayReduce('quantileExact(0.5)', arrayMap(g -> abs(g - middle), gains)),
                arrayReduce('quantileExact(0.5)', arrayMap(g -> abs(g - late_middle), late)))) AS own
            FROM $db.growth_day
          )
          GROUP BY app, allocator
        )
        ARRAY JOIN all_lives AS l
      )
      ARRAY JOIN windows AS days
    )
  )
  ORDER BY is_growing DESC, abs(recent - older) <= 2 * error DESC, if(abs(recent - older) <= 2 * error, toInt64(days), -toInt64(days)) DESC
)
LIMIT 1 BY app, release, allocator, node, run;

-- A row for each release of an app and allocator with lives that grow: the usual one of these, and the three that gain most.
CREATE VIEW $db.fleet_leak$on AS
SELECT app, release, allocator, growing AS lives, lives_judged, low AS bytes_per_day_low, rate AS bytes_per_day, high AS bytes_per_day_high,
  last AS last_bytes, worst,
  concat('LEAK: ', if(app = '', 'nodes without label app', concat('application ', app)), if(release = '', '', concat(' ', release)),
    ' (', toString(lives), if(lives = lives_judged, '', concat(' of ', toString(lives_judged))), if(lives_judged = 1, ' life', ' lives'),
    ') gains ', if(low_text = high_text, '', concat(low_text, ' to ')), high_text, if(unit > 1048576, ' GiB', ' MiB'), ' a day in ', allocator,
    '; at that rate the ', toString(round(last / 1048576)), ' MiB of a node double in ',
    if(last < 3 * rate, concat(toString(round(24 * last / rate)), ' hours'), concat(toString(round(last / rate)), ' days')),
    if(lives = 1, '; node ', '; most in '), worst) AS sentence
FROM (
  SELECT app, release, allocator, sumIf(lives, is_growing) AS growing, sum(lives) AS lives_judged,
    quantileExactIf(0.1)(bytes_per_day_low, is_growing) AS low, quantileExactIf(0.5)(bytes_per_day, is_growing) AS rate,
    quantileExactIf(0.9)(bytes_per_day_high, is_growing) AS high, quantileExactIf(0.5)(last_bytes, is_growing) AS last,
    if(high < 10737418240, 1048576, 1073741824) AS unit,
    toString(if(low / unit < 9.95, round(low / unit, 1), round(low / unit))) AS low_text,
    toString(if(high / unit < 9.95, round(high / unit, 1), round(high / unit))) AS high_text,
    arrayStringConcat(arraySlice(arrayDistinct(arrayMap(x -> x.2, arrayReverseSort(x -> x.1, groupArrayArrayIf(most, is_growing)))), 1, 3), ', ') AS worst
  FROM $db.life_growth
  GROUP BY app, release, allocator
  HAVING growing > 0
)
ORDER BY lives * rate DESC, app, release, allocator;

CREATE VIEW $db.node_day$on AS
SELECT
  app, release, flags, node, toDate(hour) AS day,
  sum(carriers_sum) / sum(carriers_minutes) AS carriers_bytes, max(carriers_most) AS peak_bytes,
  sum(used_sum) / greatest(sum(used_carriers_sum), 1) AS utilisation,
  sum(used_minutes) AS minutes_known, sum(carriers_minutes) AS minutes
FROM $db.alloc_minutes
WHERE hour >= now() - 604800 AND allocator = 'all' AND carriers_minutes > 0
  AND (recording, push) GLOBAL IN (SELECT recording, push FROM $db.visible_push)
GROUP BY app, release, flags, node, day;

CREATE VIEW $db.fleet_use$on AS
SELECT
  app, release, flags, uniqExact(node) AS nodes, count() AS node_days,
  quantileExact(0.5)(carriers_bytes) AS carriers_p50_bytes, quantileExact(0.9)(carriers_bytes) AS carriers_p90_bytes,
  quantileExact(0.99)(carriers_bytes) AS carriers_p99_bytes, max(peak_bytes) AS most_bytes,
  if(countIf(minutes_known > 0) = 0, NULL, quantileExactIf(0.5)(utilisation, minutes_known > 0)) AS utilisation_p50,
  if(countIf(minutes_known > 0) = 0, NULL, quantileExactIf(0.1)(utilisation, minutes_known > 0)) AS utilisation_p10
FROM $db.node_day
GROUP BY app, release, flags
ORDER BY app, release, flags;

-- A release against the one before it, which is the one first seen before it in that app, also before the last 7 days; of two that
-- came at once, the lower number.  A clock that is far off counts as the time of the push.
CREATE VIEW $db.fleet_release$on AS
SELECT
  app, old_release, new_release, old_nodes, new_nodes, old_bytes, new_bytes,
  if(old_bytes = 0, NULL, new_bytes / old_bytes - 1) AS change,
  old_p10_bytes, old_p90_bytes, new_p10_bytes, new_p90_bytes
FROM (
  SELECT app, groupArray(release) AS r, groupArray(nodes) AS n, groupArray(p50) AS m, groupArray(p10) AS l, groupArray(p90) AS h
  FROM (
    SELECT app, release, nodes, p50, p10, p90 FROM (
      SELECT app, release, uniqExact(node) AS nodes, quantileExact(0.5)(carriers_bytes) AS p50,
        quantileExact(0.1)(carriers_bytes) AS p10, quantileExact(0.9)(carriers_bytes) AS p90
      FROM $db.node_day
      GROUP BY app, release
    ) AS days
    ANY LEFT JOIN (
      SELECT app, release,
        min(if(toUInt32(begin_ts) + 2592000 < toUInt32(pushed_at), pushed_at, least(begin_ts, pushed_at))) AS first_seen
      FROM $db.visible GROUP BY app, release
    ) AS seen USING (app, release)
    ORDER BY app, first_seen, arrayMap(x -> toUInt64OrZero(x), extractAll(release, '[0-9]+')), release
  )
  GROUP BY app
)
ARRAY JOIN
  arraySlice(r, 1, length(r) - 1) AS old_release, arraySlice(r, 2) AS new_release,
  arraySlice(n, 1, length(r) - 1) AS old_nodes, arraySlice(n, 2) AS new_nodes,
  arraySlice(m, 1, length(r) - 1) AS old_bytes, arraySlice(m, 2) AS new_bytes,
  arraySlice(l, 1, length(r) - 1) AS old_p10_bytes, arraySlice(l, 2) AS new_p10_bytes,
  arraySlice(h, 1, length(r) - 1) AS old_p90_bytes, arraySlice(h, 2) AS new_p90_bytes
ORDER BY app, old_release;

-- Replays of recordings of an app, scaled to its nodes that run with the flags of these recordings: the least and the most of
-- all replays; the 20 flags that save most.  What the flags would do to nodes with other ones, which may have them already, no replay says.
CREATE VIEW $db.fleet_saving$on AS
SELECT
  app, tried, recordings, nodes, carriers_bytes,
  carriers_bytes * (1 - most) AS saving_low_bytes, carriers_bytes * (1 - middle) AS saving_bytes,
  carriers_bytes * (1 - least) AS saving_high_bytes,
  flags, nodes_of_app - nodes AS nodes_other
FROM (
  SELECT app, flags, tried, recordings, least, most, middle, nodes, carriers_bytes, nodes_of_app FROM (
    SELECT app, flags, tried, uniqExact(recording) AS recordings,
      min(end_low / greatest(plain_end_high, 1)) AS least, max(end_high / greatest(plain_end_low, 1)) AS most,
      quantileExact(0.5)((end_low + end_high) / greatest(plain_end_low + plain_end_high, 1)) AS middle
    FROM (
      SELECT app, recording, push, tried, plain_end_low, plain_end_high, end_low, end_high FROM $db.sweep_result
      WHERE allocator = 'all' AND (recording, push) GLOBAL IN (SELECT recording, push FROM $db.visible_push)
    ) AS swept
    ANY INNER JOIN (
      SELECT recording, push, flags FROM $db.recording
      WHERE (recording, push) GLOBAL IN (SELECT recording, push FROM $db.sweep_result)
    ) AS of_flags USING (recording, push)
    GROUP BY app, flags, tried
  ) AS replayed
  ANY INNER JOIN (
    SELECT app, flags, nodes, carriers_bytes, nodes_of_app FROM (
      SELECT app, sum(n) AS nodes_of_app, groupArray(flags) AS f, groupArray(n) AS ns, groupArray(b) AS bs
      FROM (
        SELECT app, flags, count() AS n, sum(bytes) AS b
        FROM (
          SELECT app, node, argMax(flags, end_ts) AS flags, argMax(assumeNotNull(carriers), end_ts) AS bytes FROM $db.visible
          WHERE end_ts >= now() - 604800 AND pushed_at >= now() - 604800 AND isNotNull(carriers) GROUP BY app, node
        )
        GROUP BY app, flags
      )
      GROUP BY app
    )
    ARRAY JOIN f AS flags, ns AS nodes, bs AS carriers_bytes
  ) AS used USING (app, flags)
) AS paired
ORDER BY saving_bytes DESC, app, tried, flags
LIMIT 20 BY app, flags;

-- At the last reading of each node that has holders.  Processes of one name add up.
CREATE VIEW $db.fleet_holder$on AS
SELECT
  app, allocator, type, kind, name AS holder, uniqExact(node) AS nodes,
  sum(bytes) AS sum_bytes, max(bytes) AS most_bytes, quantileExact(0.5)(bytes) AS p50_bytes,
  if(min(is_exact) = 1, 'exact', 'bound') AS quality
FROM (
  SELECT app, node, allocator, type, kind, replaceRegexpOne(holder, '^<[0-9.]+> ', '') AS name,
    sum(bytes) AS bytes, min(quality = 'exact') AS is_exact
  FROM $db.holder_point
  WHERE ts >= now() - 604800 AND (recording, push) GLOBAL IN (
    SELECT recording, push FROM (
      SELECT node, recording, push FROM $db.holder_point
      WHERE ts >= now() - 604800 AND (recording, push) GLOBAL IN (SELECT recording, push FROM $db.visible_push)
      ORDER BY ts DESC, push DESC
    ) LIMIT 1 BY node)
  GROUP BY app, node, allocator, type, kind, name
)
GROUP BY app, allocator, type, kind, name
ORDER BY app, sum_bytes DESC, holder
LIMIT 20 BY app;

-- By the clock of the server, which is one: those of the nodes may differ.  The life of a node has ended, and it is not silent, where another of
-- its app took its place, as a pod does: of its app, as many nodes began since then as stopped.  One that began up to two hours before counts,
-- as it may begin first.
CREATE VIEW $db.fleet_silent$on AS
SELECT
  app, s.2 AS release, s.3 AS node, toDateTime(s.1, 'UTC') AS last_push, round((toUInt32(now()) - s.1) / 3600, 1) AS hours_ago, s.4 AS last_verdict
FROM (
  SELECT app, arrayReverseSort(x -> (x.1, 1 - x.5), groupArray((ts, release, node, verdict, is_begin))) AS changes,
    arrayCumSum(arrayMap(x -> x.5, changes)) AS began, arrayCumSum(arrayMap(x -> 1 - x.5, changes)) AS stopped
  FROM (
    SELECT node, app, release, verdict, last, toUInt32(if(is_begin = 1, first + least(7200, intDiv(last - first, 2)), last)) AS ts, is_begin
    FROM (
      SELECT node, argMax(app, pushed_at) AS app, argMax(release, pushed_at) AS release, argMax(verdict, pushed_at) AS verdict,
        toInt64(toUInt32(max(pushed_at))) AS last, toInt64(toUInt32(min(least(begin_ts, pushed_at)))) AS first
      FROM $db.visible
      GROUP BY node
    )
    ARRAY JOIN [1, 0] AS is_begin
    WHERE is_begin = 1 OR last < toUInt32(now()) - 86400
  )
  GROUP BY app
)
ARRAY JOIN changes AS s, began AS b, stopped AS e
WHERE s.5 = 0 AND b < e
ORDER BY last_push, node;
