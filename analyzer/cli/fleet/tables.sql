-- SPDX-License-Identifier: MIT
--
-- Tables of a fleet, in the SQL that ClickHouse 18.16 and later ones share.  Made by `carrierscope fleet init`,
-- which fills in:
--
--   $db             the database
--   $on             ON CLUSTER ..., or nothing
--   $name(T)        where rows of T lie: T, or T_local below a Distributed T
--   $whole(T)       T of all servers that this statement is sent to
--   $engine(T)      MergeTree(), or its replicated form
--   $ttl(COLUMN)    how long rows are kept, where the server knows it
--   $cluster ...    a statement for clusters only
--   $from(M, N) ...  a statement for tables that were of version M to N
--   $kept ...       a statement for tables that were there, where it was said how long rows are kept
--   $likely(FIGURE), $low(FIGURE), $high(FIGURE): of each minute of a row of alloc_minutes
--
-- `push` is the hash of what is pushed and, in its lowest 24 bits, a random number of the attempt to push it.  `recording` is
-- written last: rows without a recording of the same `push` are invisible, and of two attempts one counts.  Figures are
-- three columns: likely, at least (_low) and at most (_high); NULL: not known.

CREATE DATABASE IF NOT EXISTS $db$on;

-- Kept by when it came: by a clock that is behind it would be gone at once, and the node unknown.
CREATE TABLE IF NOT EXISTS $db.$name(recording)$on (
  push UInt64, recording UInt64, pushed_at DateTime DEFAULT now(),
  node String, host String, app String, release String, otp String, flags String, run UInt64,
  begin_ts DateTime, end_ts DateTime,
  verdict String, allocator String, sentence String, quality String,
  stake Nullable(UInt64),
  peak Nullable(UInt64), peak_low Nullable(UInt64), peak_high Nullable(UInt64),
  carriers Nullable(UInt64), carriers_low Nullable(UInt64), carriers_high Nullable(UInt64),
  blocks Nullable(UInt64), blocks_low Nullable(UInt64), blocks_high Nullable(UInt64),
  average Nullable(UInt64),
  lost_events UInt64, complete UInt8, schema UInt32, points UInt64, file String, page String
) ENGINE = $engine(recording) PARTITION BY toMonday(begin_ts) ORDER BY (recording, push)$ttl(pushed_at);
$kept ALTER TABLE $db.$name(recording)$on MODIFY$ttl(pushed_at);
$cluster CREATE TABLE IF NOT EXISTS $db.recording$on AS $db.recording_local
  ENGINE = Distributed($cluster_name, $db, recording_local, cityHash64(node));

-- Up to version 2 minutes were rows of alloc_point.  They are copied once, and from the beginning if that broke off: docs.sql
-- removes them when the new version is complete.
$from(1, 2) DROP TABLE IF EXISTS $db.alloc_minutes$on;
$from(1, 2) DROP TABLE IF EXISTS $db.alloc_minutes_local$on;

-- A row is an hour of an allocator (of a keeper: what it pushed of that hour), its minutes are arrays: as rows they were read,
-- sorted and merged 60 times as often.  Columns are few, as each is two or four files of each insertion.  View alloc_point has
-- a row for each minute.
--
--   minute         rises, 0 to 59
--   figures        carriers of these minutes, then blocks, then pool; -1: not known
--   bounds         of the same carriers at least and at most, then blocks, then pool; empty: each is exact
--
-- What answers about a week read is summed here, once: rows of one hour and push add up, those of hours make days.
CREATE TABLE IF NOT EXISTS $db.$name(alloc_minutes)$on (
  push UInt64, recording UInt64, node String, app String, release String, flags String, run UInt64,
  allocator String, hour DateTime, minute Array(UInt8), figures Array(Int64), bounds Array(Int64),
  minutes UInt64 DEFAULT length(minute),
  minutes_known UInt64 DEFAULT arrayCount((l, h) -> l >= 0 AND h >= 0, $low(carriers), $high(blocks)),
  minutes_empty UInt64 DEFAULT arrayCount((l, h) -> l >= 0 AND h >= 0 AND h <= 0.6 * l AND l >= h + 33554432, $low(carriers), $high(blocks)),
  carriers_minutes UInt64 DEFAULT arrayCount(c -> c >= 0, $likely(carriers)),
  carriers_sum Float64 DEFAULT arraySum(c -> greatest(c, 0), $likely(carriers)),
  carriers_least UInt64 DEFAULT arrayReduce('min', arrayFilter(c -> c >= 0, $likely(carriers))),
  carriers_most UInt64 DEFAULT arrayReduce('max', arrayFilter(c -> c >= 0, $likely(carriers))),
  used_minutes UInt64 DEFAULT arrayCount((c, b) -> c >= 0 AND b >= 0, $likely(carriers), $likely(blocks)),
  used_sum Float64 DEFAULT arraySum((c, b) -> if(c >= 0 AND b >= 0, b, 0), $likely(carriers), $likely(blocks)),
  used_carriers_sum Float64 DEFAULT arraySum((c, b) -> if(c >= 0 AND b >= 0, c, 0), $likely(carriers), $likely(blocks)),
  last_ts DateTime DEFAULT toDateTime(toUInt32(hour) + 60 * minute[-1]),
  last_carriers Int64 DEFAULT $likely(carriers)[-1],
  last_unused_low Int64 DEFAULT if($low(carriers)[-1] < 0 OR $high(blocks)[-1] < 0, -1, greatest($low(carriers)[-1] - $high(blocks)[-1], 0)),
  last_unused_high Int64 DEFAULT if($high(carriers)[-1] < 0 OR $low(blocks)[-1] < 0, -1, greatest($high(carriers)[-1] - $low(blocks)[-1], 0))
) ENGINE = $engine(alloc_minutes) PARTITION BY toMonday(hour)
  ORDER BY (allocator, app, release, flags, node, hour, recording, push)$ttl(hour);
$kept ALTER TABLE $db.$name(alloc_minutes)$on MODIFY$ttl(hour);
$cluster CREATE TABLE IF NOT EXISTS $db.alloc_minutes$on AS $db.alloc_minutes_local
  ENGINE = Distributed($cluster_name, $db, alloc_minutes_local, cityHash64(node));

CREATE TABLE IF NOT EXISTS $db.$name(finding)$on (
  push UInt64, recording UInt64, node String, app String, release String, ts DateTime,
  number UInt32, rule String, severity String, allocator String, sentence String, flag String, stake Nullable(UInt64)
) ENGINE = $engine(finding) PARTITION BY toMonday(ts) ORDER BY (app, node, recording, push, number)$ttl(ts);
$kept ALTER TABLE $db.$name(finding)$on MODIFY$ttl(ts);
$cluster CREATE TABLE IF NOT EXISTS $db.finding$on AS $db.finding_local
  ENGINE = Distributed($cluster_name, $db, finding_local, cityHash64(node));

CREATE TABLE IF NOT EXISTS $db.$name(holder_point)$on (
  push UInt64, recording UInt64, node String, app String, release String, ts DateTime,
  number UInt32, allocator String, type String, kind String, holder String, bytes UInt64, quality String
) ENGINE = $engine(holder_point) PARTITION BY toMonday(ts) ORDER BY (app, node, recording, push, number)$ttl(ts);
$kept ALTER TABLE $db.$name(holder_point)$on MODIFY$ttl(ts);
$cluster CREATE TABLE IF NOT EXISTS $db.holder_point$on AS $db.holder_point_local
  ENGINE = Distributed($cluster_name, $db, holder_point_local, cityHash64(node));

CREATE TABLE IF NOT EXISTS $db.$name(sweep_result)$on (
  push UInt64, recording UInt64, node String, app String, release String, ts DateTime,
  tried String, allocator String, schedules UInt32, coverage Nullable(Float64),
  plain_peak_low UInt64, plain_peak_high UInt64, peak_low UInt64, peak_high UInt64,
  plain_end_low UInt64, plain_end_high UInt64, end_low UInt64, end_high UInt64
) ENGINE = $engine(sweep_result) PARTITION BY toMonday(ts) ORDER BY (app, tried, allocator, recording, push)$ttl(ts);
$kept ALTER TABLE $db.$name(sweep_result)$on MODIFY$ttl(ts);
$cluster CREATE TABLE IF NOT EXISTS $db.sweep_result$on AS $db.sweep_result_local
  ENGINE = Distributed($cluster_name, $db, sweep_result_local, cityHash64(node));

$from(1, 2) INSERT INTO $db.$whole(alloc_minutes) (push, recording, node, app, release, flags, run, allocator, hour, minute,
  figures, bounds)
SELECT push, recording, node, app, release, flags, run, allocator, hour, arraySort(m),
  arrayConcat(arraySort((x, y) -> y, c, m), arraySort((x, y) -> y, b, m), arraySort((x, y) -> y, p, m)),
  if(is_exact, emptyArrayInt64(), arrayConcat(arraySort((x, y) -> y, cl, m), arraySort((x, y) -> y, ch, m),
    arraySort((x, y) -> y, bl, m), arraySort((x, y) -> y, bh, m), arraySort((x, y) -> y, pl, m), arraySort((x, y) -> y, ph, m)))
FROM (
  SELECT push, recording, any(node) AS node, any(app) AS app, any(release) AS release, any(flags) AS flags, any(run) AS run,
    allocator, toStartOfHour(ts) AS hour, groupArray(toUInt8(toMinute(ts))) AS m,
    groupArray(ifNull(toInt64(carriers), toInt64(-1))) AS c, groupArray(ifNull(toInt64(carriers_low), toInt64(-1))) AS cl,
    groupArray(ifNull(toInt64(carriers_high), toInt64(-1))) AS ch, groupArray(ifNull(toInt64(blocks), toInt64(-1))) AS b,
    groupArray(ifNull(toInt64(blocks_low), toInt64(-1))) AS bl, groupArray(ifNull(toInt64(blocks_high), toInt64(-1))) AS bh,
    groupArray(ifNull(toInt64(pool), toInt64(-1))) AS p, groupArray(ifNull(toInt64(pool_low), toInt64(-1))) AS pl,
    groupArray(ifNull(toInt64(pool_high), toInt64(-1))) AS ph,
    cl = c AND ch = c AND bl = b AND bh = b AND pl = p AND ph = p AS is_exact
  FROM $db.$whole(alloc_point)
  GROUP BY push, recording, allocator, hour
)
SETTINGS max_bytes_before_external_group_by = 500000000;
