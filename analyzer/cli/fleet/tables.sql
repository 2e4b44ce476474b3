-- SPDX-License-Identifier: MIT
--
-- Tables of a fleet, in the SQL that ClickHouse 18.16 and later ones share.  Made by `carrierscope fleet init`,
-- which fills in:
--
--   $db             the database
--   $on             ON CLUSTER ..., or nothing
--   $name(T)        where rows of T lie: T, or T_local below a Distributed T
--   $engine(T)      MergeTree(), or its replicated form
--   $ttl(COLUMN)    how long rows are kept, where the server knows it
--   $cluster ...    a statement for clusters only
--
-- `push` is the hash of what is pushed and, in its lowest 24 bits, a random number of the attempt to push it.  `recording` is
-- written last: rows without a recording of the same `push` are invisible, and of two attempts one counts.  Figures are
-- three columns: likely, at least (_low) and at most (_high); NULL: not known.

CREATE DATABASE IF NOT EXISTS $db$on;

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
) ENGINE = $engine(recording) PARTITION BY toMonday(begin_ts) ORDER BY (recording, push)$ttl(end_ts);
$cluster CREATE TABLE IF NOT EXISTS $db.recording$on AS $db.recording_local
  ENGINE = Distributed($cluster_name, $db, recording_local, cityHash64(node));

CREATE TABLE IF NOT EXISTS $db.$name(alloc_point)$on (
  push UInt64, recording UInt64, node String, app String, release String, flags String, run UInt64,
  allocator String, ts DateTime,
  carriers Nullable(UInt64), carriers_low Nullable(UInt64), carriers_high Nullable(UInt64),
  blocks Nullable(UInt64), blocks_low Nullable(UInt64), blocks_high Nullable(UInt64),
  pool Nullable(UInt64), pool_low Nullable(UInt64), pool_high Nullable(UInt64)
) ENGINE = $engine(alloc_point) PARTITION BY toMonday(ts)
  ORDER BY (allocator, app, release, flags, node, ts, recording, push)$ttl(ts);
$cluster CREATE TABLE IF NOT EXISTS $db.alloc_point$on AS $db.alloc_point_local
  ENGINE = Distributed($cluster_name, $db, alloc_point_local, cityHash64(node));

CREATE TABLE IF NOT EXISTS $db.$name(finding)$on (
  push UInt64, recording UInt64, node String, app String, release String, ts DateTime,
  number UInt32, rule String, severity String, allocator String, sentence String, flag String, stake Nullable(UInt64)
) ENGINE = $engine(finding) PARTITION BY toMonday(ts) ORDER BY (app, node, recording, push, number)$ttl(ts);
$cluster CREATE TABLE IF NOT EXISTS $db.finding$on AS $db.finding_local
  ENGINE = Distributed($cluster_name, $db, finding_local, cityHash64(node));

CREATE TABLE IF NOT EXISTS $db.$name(holder_point)$on (
  push UInt64, recording UInt64, node String, app String, release String, ts DateTime,
  number UInt32, allocator String, type String, kind String, holder String, bytes UInt64, quality String
) ENGINE = $engine(holder_point) PARTITION BY toMonday(ts) ORDER BY (app, node, recording, push, number)$ttl(ts);
$cluster CREATE TABLE IF NOT EXISTS $db.holder_point$on AS $db.holder_point_local
  ENGINE = Distributed($cluster_name, $db, holder_point_local, cityHash64(node));

CREATE TABLE IF NOT EXISTS $db.$name(sweep_result)$on (
  push UInt64, recording UInt64, node String, app String, release String, ts DateTime,
  tried String, allocator String, schedules UInt32, coverage Nullable(Float64),
  plain_peak_low UInt64, plain_peak_high UInt64, peak_low UInt64, peak_high UInt64,
  plain_end_low UInt64, plain_end_high UInt64, end_low UInt64, end_high UInt64
) ENGINE = $engine(sweep_result) PARTITION BY toMonday(ts) ORDER BY (app, tried, allocator, recording, push)$ttl(ts);
$cluster CREATE TABLE IF NOT EXISTS $db.sweep_result$on AS $db.sweep_result_local
  ENGINE = Distributed($cluster_name, $db, sweep_result_local, cityHash64(node));
