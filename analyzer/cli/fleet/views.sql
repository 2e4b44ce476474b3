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

-- Known: ever seen.  Seen: with a recording of the last 7 days.  A leak shows only in a life of 6 hours.
CREATE VIEW $db.fleet_coverage$on AS
SELECT
  uniqExact(node) AS nodes_known,
  uniqExactIf(node, last_week > 0) AS nodes_seen,
  uniqExactIf(node, last_week_blocks > 0) AS nodes_with_blocks,
  sum(pushes) AS recordings,
  uniqExactIf(node, hours >= 6) AS nodes_with_hours
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

-- A minute counts when at least 40 % of the carriers, and 32 MiB, are empty for sure.
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
WHERE minutes_known > 0 AND minutes_empty * 2 >= minutes_known
ORDER BY unused_low_bytes DESC, node, allocator;

-- Least squares over the least of each hour: bursts do not count.  A run is one life of a node: a restart begins
-- another.  A line explains half of what varies, its slope is 3 errors above 0, and it adds a tenth, and 16 MiB.
CREATE VIEW $db.fleet_leak$on AS
SELECT
  app, release, node, allocator, hours,
  slope AS bytes_per_hour, error AS bytes_per_hour_error,
  slope - 3 * error AS bytes_per_hour_low, slope + 3 * error AS bytes_per_hour_high,
  rises, mean AS mean_bytes, last AS last_bytes, runs
FROM (
  SELECT
    app, release, node, allocator, hours, n, mean, last, runs, slope * hours AS rises, slope,
    sqrt(greatest(0, syy - slope * sxy) / (n - 2) / sxx) AS error,
    sxy * sxy / greatest(sxx * syy, 1) AS explained
  FROM (
    SELECT
      app, release, node, allocator, run, count() AS n, max(x) - min(x) AS hours, avg(y) AS mean, max(y) AS last,
      sum(x * x) - sum(x) * sum(x) / count() AS sxx,
      sum(y * y) - sum(y) * sum(y) / count() AS syy,
      sum(x * y) - sum(x) * sum(y) / count() AS sxy,
      sxy / sxx AS slope
    FROM (
      SELECT app, release, node, allocator, run,
        (toUInt32(hour) - toUInt32(toStartOfHour(now() - 604800))) / 3600 AS x,
        toFloat64(min(carriers_least)) AS y
      FROM $db.alloc_minutes
      WHERE hour >= now() - 604800 AND allocator <> 'all' AND carriers_minutes > 0
        AND (recording, push) GLOBAL IN (SELECT recording, push FROM $db.visible_push)
      GROUP BY app, release, node, allocator, run, x
    )
    GROUP BY app, release, node, allocator, run
    HAVING n >= 6 AND sxx > 0
  ) AS fitted
  ANY LEFT JOIN (SELECT node, uniqExact(run) AS runs FROM $db.visible WHERE end_ts >= now() - 604800 AND pushed_at >= now() - 604800 GROUP BY node) AS lives USING (node)
)
WHERE hours >= 6 AND slope > 3 * error AND explained >= 0.5 AND rises >= 0.1 * mean AND rises >= 16777216
ORDER BY rises DESC, node, allocator;

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

-- By the clock of the server, which is one: those of the nodes may differ.
CREATE VIEW $db.fleet_silent$on AS
SELECT
  app, release, node, last_push, round((toUInt32(now()) - toUInt32(last_push)) / 3600, 1) AS hours_ago, last_verdict
FROM (
  SELECT node, toDateTime(max(pushed_at), 'UTC') AS last_push, argMax(app, pushed_at) AS app, argMax(release, pushed_at) AS release,
    argMax(verdict, pushed_at) AS last_verdict
  FROM $db.visible
  GROUP BY node
)
WHERE last_push < now() - 86400
ORDER BY last_push, node;
