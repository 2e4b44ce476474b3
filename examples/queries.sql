-- SPDX-License-Identifier: MIT
--
-- Thirteen questions of people who run Erlang nodes, answered from a recording:
--
--     sqlite3 run.db < examples/queries.sql
--
-- Sizes are bytes unless a column says MiB, times ns since the Unix epoch.  What a
-- column means, and whether it is exact, a bound or an estimate:
--
--     SELECT column, unit, quality, meaning FROM view_doc WHERE view = 'pool';

.headers on
.mode column

.print
.print 1. Who holds the memory?
-- Carriers are what the runtime took, blocks what is in use; the difference is
-- waste.  Carriers in the pool belong to nobody: see question 3.
SELECT
  vpid,
  allocator,
  round(carriers_bytes / 1048576.0, 2) AS carriers_mib,
  round(blocks_bytes / 1048576.0, 2) AS blocks_mib,
  round(100.0 * carriers_bytes / nullif(sum(carriers_bytes) OVER (PARTITION BY runtime_id), 0), 1)
    AS percent_of_runtime
FROM utilisation_now_allocator
ORDER BY source_id, vpid, carriers_bytes DESC, allocator;

.print
.print 2. How well is it used, now and on the whole?
-- "Now" is the last recorded event, age_s ago at most.  The mean is over time; a good mean and
-- a bad now is fragmentation that came late, both bad are settings that do not fit.
SELECT
  u.vpid,
  u.allocator,
  round(u.mbc_utilisation, 3) AS now,
  round(m.mean_utilisation, 3) AS mean,
  round(u.oldest_age_ns / 1e9, 1) AS age_s,
  u.source_lost_events AS lost_events
FROM utilisation_now_allocator AS u
JOIN mean_utilisation AS m USING (source_id, runtime_id, allocator)
WHERE u.mbc_carriers_bytes > 0
ORDER BY u.source_id, u.vpid, u.mbc_carriers_bytes DESC, u.allocator;

.print
.print 3. Is it in the pool?
-- pooled_carriers is the estimate to use; in MiB only bounds are known.  A low
-- hit rate with many carriers in it: they do not fit what is asked for.
SELECT
  vpid,
  pooled_carriers,
  round(pooled_bytes_min / 1048576.0, 2) AS mib_min,
  round(pooled_bytes_max / 1048576.0, 2) AS mib_max,
  puts,
  attempts,
  round(hit_rate, 3) AS hit_rate
FROM pool
WHERE level = 'runtime'
ORDER BY source_id, vpid, runtime_id;

.print
.print 4. When was the peak, and what was it made of?
-- The row of each allocator that was in force when the source as a whole had most;
-- its counters are those at the end of the bucket of that moment.
WITH top AS (
  SELECT source_id, max_carriers_ts_ns AS ts_ns
  FROM peak
  WHERE scope = 'source'
)
SELECT
  datetime(top.ts_ns / 1000000000, 'unixepoch') AS peak_utc,
  u.vpid,
  u.allocator,
  round(u.carriers_bytes / 1048576.0, 2) AS carriers_mib,
  round(u.sbc_carriers_bytes / 1048576.0, 2) AS of_it_single_block_mib,
  round(u.utilisation, 3) AS utilisation,
  u.touches_loss
FROM top
JOIN utilisation_allocator AS u
  ON u.source_id = top.source_id AND u.begin_ns <= top.ts_ns AND u.end_ns > top.ts_ns
ORDER BY top.source_id, u.carriers_bytes DESC, u.vpid, u.allocator
LIMIT 20;

.print
.print 5. What went silently?
-- Single-block carriers end without an event, and fetches from the pool succeed
-- without one; the counters show it later.
SELECT vpid, allocator, kind, carriers_min, carriers_max, mib_min, mib_max
FROM report_ledger
ORDER BY source, vpid, allocator, kind;

.print
.print 6. Is the recording to be trusted?
-- One line for each reason to doubt.  No line at all: exact means exact.
SELECT id AS source, 'not read to its end' AS doubt, 1 AS times FROM source WHERE NOT complete
UNION ALL
SELECT source_id, 'lost: ' || cause, intervals FROM loss_total
UNION ALL
SELECT source_id, severity || ': ' || sentence, times FROM problem WHERE rank <= 1
UNION ALL
SELECT source_id, 'unexplained change of counters: ' || allocator, sum(ledger_rows)
FROM silent_change
WHERE kind LIKE 'unexplained%'
GROUP BY source_id, allocator
UNION ALL
SELECT source_id, 'books do not balance: ' || allocator, count(*)
FROM ledger_check
WHERE mbc_carriers_off <> 0 OR mbc_bytes_off <> 0 OR sbc_carriers_off <> 0 OR sbc_bytes_off <> 0
GROUP BY source_id, allocator
UNION ALL
SELECT source_id, 'recording began after ' || allocator, count(*)
FROM utilisation_now_instance
WHERE NOT base_known
GROUP BY source_id, allocator
ORDER BY 1, 2;

.print
.print 7. Which instance is out of balance?
-- Its memory against the mean of its allocator's schedulers.  Instance 0 serves
-- dirty schedulers and foreign threads, so it is not compared.
WITH share AS (
  SELECT
    source_id, vpid, allocator, instance, carriers_bytes, utilisation,
    avg(carriers_bytes) OVER (PARTITION BY runtime_id, allocator) AS mean_bytes
  FROM utilisation_now_instance
  WHERE instance > 0
)
SELECT
  vpid,
  allocator,
  instance,
  round(carriers_bytes / 1048576.0, 2) AS carriers_mib,
  round(carriers_bytes / nullif(mean_bytes, 0), 2) AS times_the_mean,
  round(utilisation, 3) AS utilisation
FROM share
WHERE carriers_bytes > 2 * mean_bytes
ORDER BY source_id, carriers_bytes - mean_bytes DESC, vpid, allocator, instance
LIMIT 20;

.print
.print 8. How long do carriers live?
-- Carriers have no name, so a life is known within bounds: the median lies
-- between the two.  Short lives of large carriers cost the most.
SELECT
  vpid,
  allocator,
  kind,
  sum(ends_if_longest) AS ends,
  min(from_ns) FILTER (WHERE shorter_max >= 0.5) / 1e9 AS median_s_at_least,
  min(to_ns) FILTER (WHERE shorter_min >= 0.5) / 1e9 AS median_s_below
FROM carrier_lifetime
GROUP BY source_id, runtime_id, allocator, kind
ORDER BY source_id, vpid, allocator, kind;

.print
.print 9. Which sizes do single-block carriers have? (reads all events)
-- Many of one size just above the threshold: a larger sbct, with an lmbcs well
-- above it, would put them into multi-block carriers.
SELECT
  vpid,
  allocator,
  size,
  count(*) AS creates,
  round(count(*) * size / 1048576.0, 2) AS mib
FROM event_named
WHERE class = 'single_block'
GROUP BY source_id, runtime_id, allocator, size
ORDER BY source_id, creates DESC, vpid, allocator, size
LIMIT 20;

.print
.print 10. What happened around a moment T?
-- Here T is the peak of question 4; write any number of ns in its place.  There is
-- no index on time: keyframe shows which rows to read.
WITH moment AS (
  SELECT source_id, max_carriers_ts_ns AS t_ns, 100000000 AS around_ns
  FROM peak
  WHERE scope = 'source'
),
part AS (
  SELECT
    m.*,
    ifnull(
      (SELECT max(k.carrier_event_id) FROM keyframe AS k
       WHERE k.source_id = m.source_id AND k.ts_ns < m.t_ns - m.around_ns),
      s.first_carrier_event_id) AS first_id,
    ifnull(
      (SELECT min(k.carrier_event_id) FROM keyframe AS k
       WHERE k.source_id = m.source_id AND k.ts_ns > m.t_ns + m.around_ns),
      s.last_carrier_event_id) AS last_id
  FROM moment AS m
  JOIN source AS s ON s.id = m.source_id
)
SELECT
  iif(e.ts_ns <= p.t_ns, 'before', 'after') AS side,
  e.vpid,
  e.allocator,
  e.event,
  ifnull(e.class, '') AS class,
  count(*) AS events,
  iif(e.event = 'carrier_pool_get', NULL, round(sum(e.size) / 1048576.0, 2)) AS mib
FROM part AS p
JOIN event_named AS e ON e.event_id BETWEEN p.first_id AND p.last_id
WHERE e.ts_ns BETWEEN p.t_ns - p.around_ns AND p.t_ns + p.around_ns
GROUP BY e.source_id, 1, e.runtime_id, e.allocator, e.event, e.class
ORDER BY e.source_id, side DESC, events DESC, e.vpid, e.allocator, e.event, e.class;

-- Blocks.  The views of the rest are about the moment in table `question`; NULL, as it
-- comes, is the end.  With the command: carrierscope report NAME run.db --at +1.5
-- With sqlite3, in a copy of the file that may be written:
--
--     UPDATE question SET at_ns = (SELECT first_ts_ns + 1500000000 FROM source);
--
-- The old instrument(3) is there by the names of its functions: instrument_memory_data,
-- instrument_sort, instrument_holes, instrument_memory_status and so on.  A database is
-- a stored map; two of them are compared with ATTACH.

.print
.print 11. Which types of blocks grow?
SELECT vpid, allocator, class, type, live_blocks, live_bytes, grown_blocks, grown_bytes
FROM block_growth
WHERE grown_bytes > 0
ORDER BY grown_bytes DESC, vpid, allocator, type
LIMIT 20;

.print
.print 12. Who holds the blocks? (needs the events org_erlang_dyntrace:process_scheduled)
SELECT vpid, coalesce(pid, 'no process') AS process, live_blocks, live_bytes, late_bytes
FROM block_process_at
ORDER BY live_bytes DESC, vpid, process
LIMIT 20;

.print
.print 13. memory_status, as reported by instrument(3)
SELECT status_type, about,
  max(current) FILTER (WHERE info = 'sizes') AS bytes,
  max(max_ever) FILTER (WHERE info = 'sizes') AS max_bytes_ever,
  max(current) FILTER (WHERE info = 'blocks') AS blocks,
  max(max_ever) FILTER (WHERE info = 'blocks') AS max_blocks_ever
FROM instrument_memory_status
GROUP BY runtime_id, status_type, about
ORDER BY runtime_id, status_type, bytes DESC, about;
