-- SPDX-License-Identifier: MIT
--
-- Layer:   verdicts
-- Serves:  report verdict; finding
--
-- Is it a leak, fragmentation, the pool, retention after a peak, or normal?
--
--   leak            blocks grow and no plateau is seen
--   fragmentation   carriers stay, although few of their bytes are in blocks
--   pooled          instances gave carriers up that wait in the pool
--   peak retention  carriers of a past peak stay, moderately used: the next peak fills them
--   normal          none of these, of a size that matters
--
-- The numbers that decide stand in threshold.sql, what grows in curve.sql and grower.sql.

-- _switched_off: one row for each allocator of a place that the node's flags switch off (as +Mea min): malloc serves for it.
-- Without temporary blocks and literals.
--
-- Worked example, tests/views/_switched_off: +MHe false of a traced node, +MBe false in the options that a dump prints.
--
--   subject_id     allocator
--           -1  binary_alloc
--            1   eheap_alloc
CREATE TEMP VIEW _switched_off AS
SELECT subject_id, allocator
FROM _by_malloc
WHERE allocator IN ('eheap_alloc', 'binary_alloc', 'ets_alloc', 'll_alloc', 'driver_alloc', 'fix_alloc', 'std_alloc')
ORDER BY 1, 2;

-- _pool_fetched: one row for each allocator of a place of which it is recorded how many carriers its instances fetched from
-- the pool: by events, or as the node counts them.
--
-- Worked example, tests/views/_pool_fetched: 13 by the last of two readings of a traced node, 548 of a node that was read.
CREATE TEMP VIEW _pool_fetched AS
SELECT subject_id, allocator, max(fetches) AS fetches
FROM (
  SELECT u.runtime_id AS subject_id, n.name AS allocator, iif(t.fetches > 0 OR k.has_counters, t.fetches, NULL) AS fetches
  FROM allocator_use AS u
  JOIN allocator AS n ON n.id = u.allocator_id
  JOIN runtime AS r ON r.id = u.runtime_id
  JOIN scope_total AS t ON t.source_id = r.source_id AND t.scope = 'allocator' AND t.scope_id = u.id
  LEFT JOIN _recorded AS k ON k.runtime_id = u.runtime_id
  UNION ALL
  SELECT m.runtime_id, n.name, count(*)
  FROM carrier_moved AS m
  JOIN allocator_name AS n ON n.runtime_id = m.runtime_id AND n.allocator_id = m.allocator_id
  WHERE m.place = 0
  GROUP BY m.runtime_id, m.allocator_id
  UNION ALL
  SELECT l.runtime_id, n.name, CAST(total(f.current) AS INTEGER)
  FROM _last_reading AS l
  JOIN snapshot_figure AS f ON f.runtime_id = l.runtime_id AND f.snapshot_id = l.snapshot_id AND f.section = 'mbcs_pool' AND f.key = 'fetch'
  JOIN allocator_name AS n ON n.runtime_id = f.runtime_id AND n.allocator_id = f.allocator_id
  WHERE l.moment = 'end'
  GROUP BY l.runtime_id, f.allocator_id
  UNION ALL
  SELECT -snapshot_id, allocator, CAST(total(current) AS INTEGER)
  FROM instance_stat
  WHERE section = 'mbcs_pool' AND key = 'fetch'
  GROUP BY snapshot_id, allocator
)
GROUP BY subject_id, allocator;

-- verdict: one row for each place (level 'runtime'), one for each allocator of it, and
-- one for each source that has no place to judge (level 'source').  A dump without allocators is a
-- place all the same: it ended of something.
--
-- Worked example, tests/views/verdict: 20 carriers of 100 MiB in all, 40 MiB of them used, 96 MiB
-- at the peak.
--
--   level      verdict        at_stake_bytes  utilisation  saving_bytes
--   runtime    fragmentation        57671680          0.4      62914560
--   allocator  fragmentation        57671680          0.4      62914560
CREATE TABLE verdict (
  source_id INTEGER,
  runtime_id INTEGER,
  snapshot_id INTEGER,
  vpid INTEGER,
  level TEXT,
  allocator TEXT,
  verdict TEXT,
  sentence TEXT,
  at_stake_bytes INTEGER,
  carriers_bytes INTEGER,
  blocks_bytes INTEGER,
  utilisation REAL,
  utilisation_at_peak REAL,
  pooled_min_bytes INTEGER,
  pooled_bytes INTEGER,
  peak_bytes INTEGER,
  saving_bytes INTEGER,
  saving_max_bytes INTEGER,
  saving_at_peak_bytes INTEGER,
  confidence TEXT,
  doubt TEXT,
  source_lost_events INTEGER,
  source_lost_packets INTEGER,
  refused_bytes INTEGER,
  headline TEXT,
  ending TEXT,
  node TEXT,
  as_of_ns INTEGER,
  carriers_low_bytes INTEGER,
  carriers_high_bytes INTEGER,
  blocks_low_bytes INTEGER,
  blocks_high_bytes INTEGER,
  may_be TEXT,
  scope TEXT,
  saving_sentence TEXT
) STRICT;

CREATE TEMP TABLE verdict AS
WITH stake AS MATERIALIZED (SELECT * FROM _class_bytes),
place AS MATERIALIZED (SELECT * FROM _subject),
pasted AS MATERIALIZED (SELECT * FROM _pasted_verdict),
-- In a short run that is whole a second may be hours: its rate says nothing.
growth_row AS MATERIALIZED (
  SELECT *,
    -- A name of an allocator has no capital.
    iif(substr(who, 1, instr(who || ' ', ' ') - 1) LIKE '%!_alloc' ESCAPE '!', words, upper(substr(words, 1, 1)) || substr(words, 2)) AS text
  FROM (
    SELECT g.*, iif(g.to_the_end = 1 AND y.is_boot AND y.recorded_s < t.growth_full_s,
      format('%s grew by %.1f MiB in %.1f s, to the end', g.who, g.grown_bytes / 1048576.0, (g.end_ns - g.begin_ns) / 1e9), g.sentence) AS words
    FROM growth AS g
    JOIN _threshold AS t
    LEFT JOIN _history AS y ON y.subject_id = g.runtime_id
  )
),
-- Of an allocator the first of those who grew in it.
grower AS MATERIALIZED (
  SELECT p.subject_id, p.allocator, min(g.rank) AS rank
  FROM _grown_part AS p
  JOIN growth_row AS g ON g.runtime_id = p.subject_id AND g.holder = p.holder AND g.kind = p.kind
  GROUP BY p.subject_id, p.allocator
),
ranked AS (
  SELECT
    s.subject_id, s.allocator, s.class, s.at_stake_bytes,
    row_number() OVER (PARTITION BY s.subject_id
      ORDER BY s.class = 'leak' DESC, iif(s.class = 'leak', g.rank, NULL) NULLS LAST, s.at_stake_bytes DESC, s.allocator) AS rank
  FROM stake AS s
  JOIN place AS p ON p.subject_id = s.subject_id
  JOIN _threshold AS t
  LEFT JOIN grower AS g ON g.subject_id = s.subject_id AND g.allocator = s.allocator
  WHERE s.at_stake_bytes > 0
    AND (s.at_stake_bytes >= t.matter_share * p.total_low_bytes OR s.class = 'leak')
    -- Of one reading of a small node the pool is not what matters about it.
    AND NOT (s.class = 'pooled' AND p.snapshot_id IS NOT NULL AND ifnull(p.total_high_bytes, p.total_bytes) < t.pool_waste_bytes)
),
doubtful AS (
  SELECT s.subject_id, s.allocator, s.may_leak, s.may_be, s.doubt_bytes,
    row_number() OVER (PARTITION BY s.subject_id
      -- Where nothing bounds it, one that held nothing when it was last seen comes last.
      ORDER BY s.may_leak AND (s.total_bytes > 0 OR s.blocks_bytes > 0) DESC, s.doubt_bytes IS NULL DESC, s.doubt_bytes DESC,
        iif(s.may_leak, s.blocks_bytes, s.unused_bytes) DESC, s.blocks_bytes DESC, s.allocator) AS rank
  FROM stake AS s
  JOIN place AS p ON p.subject_id = s.subject_id
  JOIN _threshold AS t
  LEFT JOIN ranked AS r ON r.subject_id = s.subject_id AND r.rank = 1
  WHERE s.class = 'unknown' AND ifnull(r.class, '') <> 'leak'
    AND CASE
      -- What of a ring, or beside lost events, may have grown hides nothing that the last snapshot shows.
      WHEN s.is_traced AND NOT s.is_complete AND ifnull(s.state, 'flat') <> 'open' THEN r.class IS NULL
      -- Growth that may be over does not hide a problem that is known, and larger than it would be in growth_full_s.
      WHEN s.is_open THEN s.seen_bytes / s.time_share >= ifnull(r.at_stake_bytes, 0)
      ELSE s.may_leak OR s.doubt_bytes IS NULL
        OR (s.doubt_bytes >= t.matter_share * p.total_low_bytes AND s.doubt_bytes >= ifnull(r.at_stake_bytes, 0)) END
    -- What may be nothing but what the place is anyhow changes nothing.
    AND (s.may_leak OR s.may_be <> ifnull(r.class, ''))
),
-- One row for each place: the class that is the place's, and whose it is.  Where an allocator whose
-- class is not known could outdo it, it is not known either.
main AS MATERIALIZED (
  SELECT
    p.*,
    CASE WHEN p.is_mixed THEN 'unknown'
      -- What is missing of a dump may be the problem.
      WHEN r.class IS NULL AND NOT ifnull(d.has_all_allocators, 1) THEN 'unknown'
      WHEN g.runtime_id IS NOT NULL AND ifnull(r.class, '') <> 'leak' THEN 'outside'
      WHEN u.subject_id IS NOT NULL THEN 'unknown'
      -- A reading of some allocators does not show what the others hold.
      WHEN p.snapshot_id IS NOT NULL AND r.class IS NULL AND p.total_high_bytes IS NULL THEN 'unknown'
      -- Of a runtime of which nothing is known nothing is normal.
      WHEN p.snapshot_id IS NULL AND r.class IS NULL AND p.total_high_bytes IS NULL AND p.total_low_bytes = 0 THEN 'unknown'
      WHEN p.snapshot_id IS NULL AND r.class IS NULL AND p.total_high_bytes IS NULL
        AND NOT ifnull(y.has_counters AND y.is_boot, 0) THEN 'unknown'
      -- What malloc holds for allocators that are switched off is in no figure.
      WHEN r.class IS NULL AND o.names IS NOT NULL THEN 'unknown'
      WHEN r.class IS NULL AND (few.subject_id IS NOT NULL OR q.runtime_id IS NOT NULL) THEN 'unknown'
      ELSE ifnull(r.class, 'normal') END AS class,
    o.names AS switched_off,
    iif(g.runtime_id IS NOT NULL AND ifnull(r.class, '') <> 'leak', NULL, ifnull(u.allocator, r.allocator)) AS allocator,
    u.may_be,
    u.may_leak,
    iif(g.runtime_id IS NOT NULL AND ifnull(r.class, '') <> 'leak', g.grown_bytes, ifnull(r.at_stake_bytes, 0)) AS at_stake_bytes
  FROM place AS p
  LEFT JOIN growth AS g ON g.runtime_id = p.subject_id AND g.kind = 'outside' AND g.is_leak
  LEFT JOIN growth AS q ON q.runtime_id = p.subject_id AND q.kind = 'outside' AND q.to_the_end IS NULL AND p.snapshot_id IS NULL
  LEFT JOIN _whole_dump AS d ON d.snapshot_id = p.snapshot_id
  LEFT JOIN _history AS y ON y.subject_id = p.subject_id
  LEFT JOIN ranked AS r ON r.subject_id = p.subject_id AND r.rank = 1
  LEFT JOIN doubtful AS u ON u.subject_id = p.subject_id AND u.rank = 1
  LEFT JOIN _too_seldom AS few ON few.subject_id = p.subject_id
  LEFT JOIN (SELECT subject_id, group_concat(allocator, ', ') AS names FROM _switched_off GROUP BY subject_id) AS o
    ON o.subject_id = p.subject_id
),
judged AS (
  SELECT
    m.subject_id, m.source_id, m.runtime_id, m.snapshot_id, m.vpid, 'runtime' AS level,
    m.allocator, m.class, m.may_be, m.may_leak,
    iif(m.class IN ('unknown', 'normal'), 0,
      iif(m.class = 'pooled', max(m.at_stake_bytes, ifnull(m.pool_likely_bytes, 0)), m.at_stake_bytes)) AS at_stake_bytes,
    m.total_bytes, m.total_low_bytes, m.total_high_bytes,
    m.blocks_bytes, m.blocks_low_bytes, m.blocks_high_bytes,
    m.pool_min_bytes, m.pool_likely_bytes AS pool_bytes, m.pool_max_bytes,
    m.unused_bytes, m.unused_high_bytes,
    m.peak_bytes, m.peak_blocks_bytes,
    s.utilisation AS own_utilisation,
    s.peak_utilisation, s.mbc_carriers AS own_carriers, s.mbc_bytes AS own_bytes,
    s.pool_bytes AS own_pool_bytes,
    max(0, s.mbc_bytes + s.pool_bytes - s.blocks_bytes + s.sbc_blocks_bytes) AS own_unused_bytes,
    -- Of a reading of some allocators the statement is about the one that it names.
    iif(m.snapshot_id IS NOT NULL AND m.class NOT IN ('unknown', 'normal'), s.carriers_quality, m.carriers_quality) AS carriers_quality,
    iif(m.snapshot_id IS NOT NULL AND m.class NOT IN ('unknown', 'normal'), s.blocks_quality, m.blocks_quality) AS blocks_quality, m.basis, m.ts_ns,
    NULL AS board_sentence, m.source_lost_events, m.source_lost_packets,
    m.class = 'leak' AND s.is_assumed AS is_assumed, s.is_frag, m.switched_off, s.late_bytes
  FROM main AS m
  LEFT JOIN stake AS s ON s.subject_id = m.subject_id AND s.allocator = m.allocator
  UNION ALL
  SELECT
    s.subject_id, s.source_id, s.runtime_id, s.snapshot_id, s.vpid, 'allocator',
    s.allocator, iif(f.allocator IS NOT NULL AND s.class = 'normal', 'unknown', s.class), s.may_be, s.may_leak, s.at_stake_bytes,
    s.total_bytes, s.total_low_bytes, s.total_high_bytes, s.blocks_bytes, s.blocks_low_bytes, s.blocks_high_bytes,
    s.pool_low_bytes, s.pool_bytes, s.pool_high_bytes, s.unused_bytes, s.unused_high_bytes,
    s.peak_bytes, s.peak_blocks_bytes,
    s.utilisation, s.peak_utilisation, s.mbc_carriers, s.mbc_bytes, s.pool_bytes,
    max(0, s.mbc_bytes + s.pool_bytes - s.blocks_bytes + s.sbc_blocks_bytes),
    s.carriers_quality, s.blocks_quality, s.basis, s.ts_ns, NULL, s.source_lost_events, s.source_lost_packets,
    s.class = 'leak' AND s.is_assumed, s.is_frag, f.allocator, s.late_bytes
  FROM stake AS s
  LEFT JOIN _switched_off AS f ON f.subject_id = s.subject_id AND f.allocator = s.allocator
  UNION ALL
  SELECT
    NULL, o.id, NULL, NULL, NULL, 'source', NULL, coalesce(b.class, w.class, 'unknown'), NULL, 0, coalesce(b.at_stake_bytes, w.at_stake_bytes, 0),
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    coalesce(b.quality, w.quality, 'unknown'), coalesce(b.quality, w.quality, 'unknown'), NULL, NULL,
    coalesce(b.sentence, w.sentence),
    o.lost_events, o.lost_packets, 0, 0, NULL, NULL
  FROM source AS o
  LEFT JOIN _board_verdict AS b ON b.source_id = o.id
  LEFT JOIN pasted AS w ON w.source_id = o.id
  WHERE o.id NOT IN (SELECT source_id FROM place)
    AND o.id NOT IN (SELECT n.source_id FROM snapshot AS n JOIN crash_dump AS d ON d.snapshot_id = n.id)
  UNION ALL
  SELECT
    -n.id, n.source_id, n.runtime_id, n.id, NULL, 'runtime', NULL, 'unknown', NULL, 0, 0,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    'unknown', 'unknown', NULL, n.ts_ns, NULL, o.lost_events, o.lost_packets, 0, 0, NULL, NULL
  FROM crash_dump AS d
  JOIN snapshot AS n ON n.id = d.snapshot_id
  JOIN source AS o ON o.id = n.source_id
  WHERE n.id NOT IN (SELECT snapshot_id FROM place WHERE snapshot_id IS NOT NULL)
),
last AS MATERIALIZED (
  SELECT runtime_id, max(read_ns) AS read_ns FROM _whole_reading GROUP BY runtime_id
),
history AS MATERIALIZED (SELECT * FROM _history),
aside AS MATERIALIZED (SELECT * FROM _aside),
refused AS MATERIALIZED (SELECT runtime_id, max(size_bytes) AS size FROM alloc_failure GROUP BY runtime_id),
-- What grew by less was not seen.
power AS MATERIALIZED (
  SELECT subject_id, text, format(' What grows by less than %s is not seen.', text) AS unseen
  FROM (
    SELECT subject_id, CASE WHEN bytes_per_s >= 1048576 THEN format('%.1f MiB/s', bytes_per_s / 1048576)
      WHEN bytes_per_s >= 104858 THEN format('%.2f MiB/s', bytes_per_s / 1048576) ELSE format('%.1f KiB/s', bytes_per_s / 1024) END AS text
    FROM _power
  )
),
worded AS (
  SELECT
    judged.*,
    iif(judged.level = 'runtime', coalesce(
      (SELECT d.failed_bytes FROM crash_dump AS d WHERE d.snapshot_id = judged.snapshot_id
        AND d.snapshot_id NOT IN (SELECT snapshot_id FROM _absurd)), q.size),
      iif(judged.level = 'source',
        coalesce((SELECT b.refused_bytes FROM _board_verdict AS b WHERE b.source_id = judged.source_id),
          (SELECT w.refused_bytes FROM pasted AS w WHERE w.source_id = judged.source_id)), NULL))
      AS refused_bytes,
    -- What a dump lacks, as the end of a sentence; NULL: nothing.
    (SELECT CASE
        WHEN judged.total_bytes IS NOT NULL THEN iif(d.has_all_allocators, NULL,
          d.end_text || ', among its sections =allocator: the rest of them is missing')
        WHEN d.has_all_allocators THEN d.end_text || iif(d.has_allocators,
          ', but its sections =allocator list no carriers', ', but has no section =allocator')
        WHEN d.has_allocators THEN d.end_text || ', where its sections =allocator begin'
        ELSE d.end_text || ', before its sections =allocator, which list carriers and blocks'
      END FROM _whole_dump AS d WHERE d.snapshot_id = judged.snapshot_id) AS lack,
    ifnull(
      (SELECT max(n.value) FROM node_fact AS n WHERE n.snapshot_id = judged.snapshot_id AND n.key = 'node_name'),
      (SELECT n.name FROM node_name AS n WHERE n.runtime_id = judged.runtime_id)) AS node,
    CASE WHEN judged.class IN ('pooled', 'fragmentation') THEN (SELECT sum(f.fetches) FROM _pool_fetched AS f
      WHERE f.subject_id = judged.subject_id AND (judged.level = 'runtime' AND judged.class = 'pooled' OR f.allocator = judged.allocator)) END AS pool_fetches,
    e.likely AS resident_bytes, b.is_frag AS is_fragmented, b.known, b.open,
    h.is_mixed, h.is_complete, h.recorded_s, h.complete_ns, h.has_blocks, h.has_counters, h.has_samples, h.is_boot,
    few.readings AS few_readings, few.record_s AS few_s, l.read_ns, g.text AS growth_sentence, g.to_the_end, w.text AS power_text, w.unseen,
    format('record for at least %.0f s', max(t.growth_full_s, 2 * ifnull(h.recorded_s, 0))) AS advice,
    iif(h.is_hooked AND NOT h.is_boot, h.recorded_s, NULL) AS part_s, t.growth_full_s AS full_s, t.growth_least_s AS least_s,
    judged.snapshot_id IS NOT NULL AND judged.snapshot_id NOT IN (SELECT snapshot_id FROM crash_dump)
      AND judged.snapshot_id NOT IN (SELECT snapshot_id FROM reading_series) AS is_alone, t.absurd_ratio, t.absurd_bytes,
    -- How much there is in carriers, in words.
    CASE
      WHEN judged.total_low_bytes = judged.total_high_bytes THEN format('%.1f MiB', judged.total_low_bytes / 1048576.0)
      WHEN judged.total_high_bytes IS NOT NULL
        THEN format('between %.1f and %.1f MiB', judged.total_low_bytes / 1048576.0, judged.total_high_bytes / 1048576.0)
      WHEN judged.total_low_bytes < 0.5 * judged.total_bytes AND judged.basis LIKE 'earlier snapshot%'
        THEN format('at least %.1f MiB (%.1f when it was last read)', judged.total_low_bytes / 1048576.0, judged.total_bytes / 1048576.0)
      ELSE format('at least %.1f MiB', judged.total_low_bytes / 1048576.0)
        || iif(judged.basis = 'counters' AND judged.total_bytes >= judged.total_low_bytes + 1048576,
          format(' (%.1f by the counters last recorded)', judged.total_bytes / 1048576.0), '') END AS amount,
    CASE
      WHEN judged.blocks_low_bytes = judged.blocks_high_bytes AND judged.total_low_bytes = judged.total_high_bytes
        THEN format('%.0f %%', 100.0 * judged.blocks_bytes / nullif(judged.total_bytes, 0))
      WHEN judged.blocks_high_bytes IS NOT NULL AND judged.total_high_bytes IS NOT NULL
        THEN format('%.0f to %.0f %%', 100.0 * judged.blocks_low_bytes / nullif(judged.total_high_bytes, 0),
          min(100.0, 100.0 * judged.blocks_high_bytes / nullif(judged.total_low_bytes, 0)))
      ELSE 'an unknown part' END AS used
  FROM judged
  JOIN _threshold AS t
  LEFT JOIN history AS h ON h.subject_id = judged.runtime_id AND judged.snapshot_id IS NULL
  LEFT JOIN _too_seldom AS few ON few.subject_id = judged.runtime_id AND judged.snapshot_id IS NULL AND judged.level = 'runtime'
  LEFT JOIN last AS l ON l.runtime_id = judged.runtime_id AND judged.snapshot_id IS NULL
  LEFT JOIN growth_row AS g ON judged.snapshot_id IS NULL AND g.runtime_id = judged.runtime_id
    AND g.rank = CASE
      WHEN judged.class = 'outside' THEN (SELECT min(f.rank) FROM growth_row AS f WHERE f.runtime_id = judged.runtime_id AND f.kind = 'outside')
      WHEN judged.allocator IS NOT NULL THEN (SELECT f.rank FROM grower AS f WHERE f.subject_id = judged.runtime_id AND f.allocator = judged.allocator)
      ELSE 1 END
  LEFT JOIN power AS w ON judged.snapshot_id IS NULL AND w.subject_id = judged.runtime_id
  LEFT JOIN refused AS q ON q.runtime_id = judged.runtime_id AND judged.snapshot_id IS NULL
  LEFT JOIN aside AS b ON b.subject_id = judged.subject_id
  LEFT JOIN figure AS e ON e.subject_id = judged.subject_id AND judged.level = 'runtime' AND e.allocator = 'all'
    AND e.moment = 'end' AND e.quantity = 'resident_bytes'
)
SELECT
  source_id, runtime_id, snapshot_id, vpid, level, allocator,
  class AS verdict,
  -- The cause that a dump names leads.
  iif(level = 'runtime' AND snapshot_id IS NOT NULL, ifnull((SELECT d.lead || ' ' FROM _dump_lead AS d WHERE d.snapshot_id = worded.snapshot_id), ''), '')
  || CASE iif(board_sentence IS NULL, class, 'board')
    WHEN 'board' THEN board_sentence
    WHEN 'outside' THEN growth_sentence || '.'
    WHEN 'leak' THEN ifnull(growth_sentence || '.',
      format('%s keeps growing: its minimum rose by %.1f MiB, snapshot by snapshot. A leak, or a load that still rises.%s',
        allocator, at_stake_bytes / 1048576.0, iif(is_assumed, ' The snapshots are assumed to be of one node: not all of them name it.', '')))
      || iif(is_frag AND own_unused_bytes >= at_stake_bytes, format(' Besides, %s uses only %.0f %% of its multi-block carriers: %.1f MiB is empty space.',
        allocator, 100.0 - 100.0 * own_unused_bytes / nullif(own_bytes + own_pool_bytes, 0), own_unused_bytes / 1048576.0), '')
      -- What a library takes for what is referred to here is in no allocator.
      || iif(level = 'runtime', ifnull((SELECT ' Besides, ' || f.sentence || '.' FROM growth AS f WHERE f.runtime_id = worded.runtime_id AND f.kind = 'outside' AND f.is_leak), ''), '')
    WHEN 'fragmentation' THEN format('%s keeps %.1f MiB in multi-block carriers%s and uses %.0f %% of them%s: %.1f MiB is empty space the node cannot return to the OS.',
      allocator, (own_bytes + own_pool_bytes) / 1048576.0,
      iif(own_pool_bytes > 0, format(' (%.1f MiB of it in the pool%s)', own_pool_bytes / 1048576.0, iif(pool_fetches = 0, ', where nobody fetches it', '')), ''),
      100.0 - 100.0 * own_unused_bytes / nullif(own_bytes + own_pool_bytes, 0),
      -- One that was as badly used says nothing, and there may have been another before.
      iif(peak_utilisation >= 1.05 - 1.0 * own_unused_bytes / nullif(own_bytes + own_pool_bytes, 0), format(' (%.0f %% at its peak)', 100 * peak_utilisation), ''),
      own_unused_bytes / 1048576.0)
    WHEN 'pooled' THEN format('%.1f MiB is in half-empty carriers that schedulers handed back, %s of them from %s: other schedulers may reuse them%s.',
      at_stake_bytes / 1048576.0, iif(level = 'runtime' AND ifnull(own_pool_bytes, 0) < at_stake_bytes, 'most', 'all'), allocator,
      CASE WHEN pool_fetches = 0 THEN ', none has yet' WHEN pool_fetches = 1 THEN ', which happened once' WHEN pool_fetches > 1 THEN format(', which happened %,d times', pool_fetches) ELSE '' END)
    WHEN 'peak retention' THEN format('%s keeps carriers of a past peak: %.0f %% used now, %.0f %% then. The next peak fills them; %.1f MiB is free for it.',
      allocator, 100 * own_utilisation, 100 * peak_utilisation, at_stake_bytes / 1048576.0)
    WHEN 'unknown' THEN CASE
      WHEN level = 'source' THEN 'Nothing of an allocator was recorded. A running node is recorded by carrierscope record --seconds 30 --node NAME or --via COMMAND; --pid takes only what a process writes by itself.'
      WHEN lack IS NOT NULL THEN format('Cannot be judged: %s.%s', lack,
        iif(total_bytes IS NULL, '', format(' The %.1f MiB it still reports show no problem.', total_low_bytes / 1048576.0)))
      WHEN is_mixed THEN 'Cannot be judged: events of several processes are mixed, and none is marked. Record with the context vpid.'
      ELSE format('Not known%s. %s in carriers, %s of it in blocks. %s',
        iif(may_be IS NULL OR may_be = '', '', format(': %s may be %s', allocator, replace(may_be, 'leak', 'a leak'))),
        upper(substr(amount, 1, 1)) || substr(amount, 2), used,
        CASE
          WHEN switched_off IS NOT NULL AND ifnull(may_be, '') = ''
            THEN format('Flags switch off %s: what malloc holds instead has no figures. Boot without these flags, and read it once, to decide it.', switched_off)
          WHEN snapshot_id IS NOT NULL AND total_high_bytes IS NULL
            THEN 'The snapshot has only some of the node''s allocators: take one of all of them to decide it.'
          WHEN few_readings IS NOT NULL AND ifnull(may_be, '') = ''
            THEN format('Only %d readings came in %.1f s, too few to show growth: record for at least %.0f s.', few_readings, recorded_s, few_s)
          WHEN NOT is_complete AND complete_ns < 9223372036854775807 THEN format('%s. %s',
            iif(complete_ns >= ts_ns, 'Events were lost up to the end',
              format('What was before %.1f s before the end is missing: events were lost, or a flight recorder overwrote them', (ts_ns - complete_ns) / 1e9)),
            format(iif(source_id IN (SELECT source_id FROM lost_interval WHERE cause = 'not_delivered'),
              'A recording of at least %.0f s that ends before the node does would decide it.',
              'Larger buffers, and at least %.0f s without a loss, would decide it; one snapshot of the node at the end (carrierscope:stop()) decides all but growth.'), full_s))
          WHEN NOT is_complete THEN format('A part of the recording cannot be read (report problems): %s again to decide it.', advice)
          WHEN (may_leak OR may_be IS NULL) AND growth_sentence IS NOT NULL AND to_the_end IS NULL AND NOT (has_counters AND NOT has_blocks) THEN
            format('%s; the recording does not show whether that goes on: record for at least %.0f s.', growth_sentence,
              max(full_s, 2 * recorded_s))
          WHEN may_leak AND late_bytes > 0 THEN format('At its end it held %.1f MiB more than before, too late to show whether that goes on: record for at least %.0f s.',
            late_bytes / 1048576.0, max(full_s, 2 * recorded_s))
          WHEN read_ns IS NOT NULL AND read_ns < ts_ns - 1000000000 AND NOT has_counters THEN format('The last whole snapshot is from %.1f s before the end. %s',
            (ts_ns - read_ns) / 1e9, 'End the recording with carrierscope:stop() or carrierscope:snapshot(), and take some on the way: snapshot(#{every => 1000}).')
          WHEN may_leak AND has_counters AND NOT has_blocks THEN 'The carrier events of OTP do not report what is freed inside carriers, so that the growth may be over: ' || advice || ' with blocks (carrierscope:*) from the start, or with a snapshot every second.'
          WHEN may_leak AND recorded_s < least_s
            THEN format('The recording covers %.1f s, which is too short to show whether it goes on growing: %s.', recorded_s, advice)
          WHEN may_leak THEN format('The recording is too short or began too late to see whether it grows on: %s, from the start, or with a snapshot every second.', advice)
          WHEN has_counters AND NOT has_blocks THEN 'The carrier events of OTP do not report what is freed inside carriers: record blocks (carrierscope:*), or one snapshot of the node at the end, to decide it.'
          WHEN has_blocks AND read_ns < ts_ns THEN format('The last whole snapshot is from %.1f s before the end, and blocks alone do not show carriers: let the recording, or the node, end in order, or take snapshots more often.',
            (ts_ns - read_ns) / 1e9)
          WHEN has_blocks THEN 'What was there before the recording began is not known: record carrierscope:* from the start, or with carrierscope:start(), which takes snapshots: one decides it.'
          ELSE 'Record carrierscope:*, or one snapshot of the node, to decide it.'
        END)
      END
    ELSE CASE
      WHEN refused_bytes IS NOT NULL THEN
        format(iif(refused_bytes >= absurd_bytes AND refused_bytes >= absurd_ratio * total_bytes,
            'A request beyond all that the node held: %s in carriers, %s of it in blocks, when %s more were asked for and refused.',
            'Out of memory, and the memory is in use: %s in carriers, %s of it in blocks, when %s more were asked for and refused.'), amount, used,
          CASE WHEN refused_bytes < 1048576 THEN format('%,d bytes', refused_bytes) WHEN refused_bytes < 10737418240 THEN format('%.1f MiB', refused_bytes / 1048576.0)
            WHEN refused_bytes < 10995116277760 THEN format('%.1f GiB', refused_bytes / 1073741824.0) ELSE format('%.1f TiB', refused_bytes / 1099511627776.0) END)
      -- Of a node that ran before a short time shows little: heaps grow in steps, and others slowly.
      WHEN level = 'runtime' THEN format('Nothing wrong%s%s: the allocators hold %s, %s in use.%s',
        -- It ended of something else.
        iif(EXISTS (SELECT 1 FROM _ending AS e WHERE e.subject_id = worded.subject_id AND e.word IS NOT NULL), ' with its memory', ''),
        iif(part_s < full_s, iif(part_s < 0.05, ' at that moment', format(' in the %.1f s that were recorded', part_s)), ''), amount, used,
        CASE
          WHEN part_s < least_s THEN format(' That is too short to show growth: record for at least %.0f s.', full_s)
          ELSE ifnull(' ' || growth_sentence || '.', '')
            || ifnull(iif(growth_sentence IS NULL, ' Nothing grew by more than ' || power_text || '.', unseen), '') END)
      ELSE format('Nothing wrong: %s in carriers.', amount)
    END
  END
    || iif(level = 'runtime' AND class IN ('normal', 'pooled', 'fragmentation', 'peak retention') AND is_alone, format(' One reading shows no growth: read it five times, or record for at least %.0f s.', full_s), '')
    || iif(level = 'runtime' AND lack IS NULL, CASE class WHEN 'unknown' THEN ifnull(' ' || known, '') WHEN 'leak' THEN ''
      ELSE ifnull(' ' || open || ' ' || upper(substr(advice, 1, 1)) || substr(advice, 2) || ' to decide it.', '') END, '')
    -- Growth that may be there is said, or may be beside: what is too slow for it is not.
    || iif(level = 'runtime' AND class IN ('pooled', 'fragmentation', 'peak retention') AND open IS NULL AND ifnull(part_s >= least_s, 1), ifnull(unseen, ''), '')
    -- Who holds it, of what it is about; of a moment that may be earlier.
    || coalesce((SELECT ' ' || h.sentence || iif(worded.ts_ns - h.ts_ns >= 1000000000, format(' (read %.1f s earlier)',
      (worded.ts_ns - h.ts_ns) / 1e9), '') || '.'
      FROM _first_holder AS h WHERE level = 'runtime' AND h.subject_id = worded.subject_id
        -- Of growth who grew is named, and of nothing wrong nobody.
        AND (worded.snapshot_id IS NOT NULL OR class NOT IN ('leak', 'outside', 'normal') AND NOT (class = 'unknown' AND growth_sentence IS NOT NULL))
        AND NOT EXISTS (SELECT 1 FROM _absurd AS a WHERE a.snapshot_id = worded.snapshot_id)
        AND h.allocator = ifnull(worded.allocator, 'all')),
      (SELECT ' ' || n.sentence || '.' FROM _no_holder AS n
      WHERE level = 'runtime' AND n.runtime_id = worded.subject_id AND n.allocator = worded.allocator
        AND class NOT IN ('leak', 'outside', 'normal') AND NOT (class = 'unknown' AND growth_sentence IS NOT NULL)), '')
    || iif(level = 'runtime' AND snapshot_id IS NOT NULL AND class = 'unknown' AND (total_high_bytes IS NULL OR lack IS NOT NULL),
      ifnull((SELECT r.text FROM _reading_text AS r WHERE r.snapshot_id = worded.snapshot_id), ''), '')
    AS sentence,
  at_stake_bytes,
  total_bytes AS carriers_bytes,
  blocks_bytes,
  1.0 * blocks_bytes / nullif(total_bytes, 0) AS utilisation,
  peak_utilisation AS utilisation_at_peak,
  pool_min_bytes AS pooled_min_bytes,
  pool_bytes AS pooled_bytes,
  peak_bytes,
  -- Of a part of the allocators no upper limit follows.
  iif(lack IS NULL, unused_bytes, NULL) AS saving_bytes,
  iif(lack IS NULL, unused_high_bytes, NULL) AS saving_max_bytes,
  iif(lack IS NULL, max(0, peak_bytes - peak_blocks_bytes), NULL) AS saving_at_peak_bytes,
  CASE
    -- What was shortened, breaks off or is not understood may lack some of it.
    WHEN (snapshot_id IS NOT NULL OR carriers_quality <> 'unknown') AND class <> 'unknown' AND runtime_id IS NULL AND EXISTS (SELECT 1 FROM source AS o
      WHERE o.id = worded.source_id AND NOT o.complete AND o.kind IN ('terms', 'pasted')) THEN 'bound'
    WHEN snapshot_id IS NOT NULL AND class <> 'unknown' AND EXISTS (SELECT 1 FROM load_problem AS p
      WHERE p.source_id = worded.source_id AND p.name = 'dump_line_unreadable') THEN 'estimate'
    WHEN level = 'source' AND carriers_quality <> 'unknown' THEN carriers_quality
    WHEN class = 'unknown' THEN 'estimate'
    WHEN is_assumed OR (class = 'leak' AND has_samples) THEN 'estimate'
    WHEN lack IS NOT NULL THEN 'bound'
    WHEN carriers_quality = 'exact' AND blocks_quality = 'exact' THEN 'exact'
    WHEN level = 'source' AND class <> 'unknown' THEN 'exact'
    WHEN total_high_bytes IS NOT NULL THEN 'bound'
    ELSE 'estimate'
  END AS confidence,
  nullif(ltrim(
    iif(source_lost_events <> 0, format('; %d events were lost', source_lost_events), '')
    || iif(source_lost_packets <> 0, format('; %d packets were lost', source_lost_packets), '')
    || iif(is_assumed, '; the snapshots are assumed to be of one node', '')
    || iif(lack IS NULL OR class = 'unknown', '', '; ' || lack),
    '; '), '') AS doubt,
  source_lost_events, source_lost_packets,
  refused_bytes,
  -- What ended it stands before what was found.
  iif(level = 'source', iif(refused_bytes IS NULL,
      ifnull((SELECT w.headline FROM pasted AS w WHERE w.source_id = worded.source_id AND class IN ('unknown', 'normal')), class),
      'out of memory' || iif(class = 'unknown' AND board_sentence IS NOT NULL, '', ', ' || class)),
    ifnull((SELECT e.word FROM _ending AS e WHERE e.subject_id = worded.subject_id AND level = 'runtime'
      AND e.word IS NOT NULL) || iif(class = 'normal', '', ', ' || class),
      iif(class = 'unknown' AND level = 'runtime' AND may_leak AND lack IS NULL AND is_fragmented,
        'fragmentation, perhaps a leak', class))) AS headline,
  iif(level = 'runtime', (SELECT e.cause FROM _ending AS e WHERE e.subject_id = worded.subject_id), NULL)
    AS ending,
  node,
  ts_ns AS as_of_ns,
  total_low_bytes AS carriers_low_bytes,
  total_high_bytes AS carriers_high_bytes,
  blocks_low_bytes,
  blocks_high_bytes,
  iif(class = 'unknown', nullif(may_be, ''), NULL) AS may_be,
  -- Of which moment, and how much of the node's memory it is about.
  iif(level <> 'runtime' OR total_low_bytes IS NULL, NULL,
    iif(ts_ns IS NULL, 'Of a moment that is not known',
      format('Of %s UTC%s', strftime('%Y-%m-%d %H:%M:%S', ts_ns / 1000000000, 'unixepoch'),
        iif(snapshot_id IS NULL, ', the end of its recording', '')))
    || iif(resident_bytes IS NULL, '; it covers the carriers of the allocators, not what else is in memory',
      -- Carriers may have pages that were never touched.
      format(iif(total_low_bytes > resident_bytes, '; it covers carriers, %s; %.1f MiB of the process are resident',
        '; it covers carriers, %s of the %.1f MiB resident'), amount, resident_bytes / 1048576.0)) || '.') AS scope,
  iif(level <> 'runtime' OR lack IS NOT NULL OR unused_high_bytes IS NULL, NULL,
    format('Flags save at most %.1f MiB now, of %.1f MiB in carriers%s.',
      unused_high_bytes / 1048576.0, ifnull(total_bytes, total_low_bytes) / 1048576.0,
      -- As finding BOUND-01: of readings the peak is between them, and no limit follows.
      iif(peak_bytes > peak_blocks_bytes AND peak_high = peak_low,
        format('; at the peak %.1f of %.1f MiB', (peak_bytes - peak_blocks_bytes) / 1048576.0, peak_bytes / 1048576.0), '')))
    AS saving_sentence
FROM worded
LEFT JOIN (SELECT subject_id AS peak_id, low AS peak_low, high AS peak_high FROM figure
  WHERE allocator = 'all' AND moment = 'peak' AND quantity = 'carriers_bytes') ON peak_id = subject_id;

-- report_verdict: the places first, then allocators that are not normal.
CREATE VIEW report_verdict AS
SELECT
  source_id AS source,
  node,
  vpid,
  iif(level = 'allocator', allocator, 'all') AS of,
  verdict,
  confidence,
  round(at_stake_bytes / 1048576.0, 2) AS at_stake_mib,
  round(saving_bytes / 1048576.0, 2) AS saving_mib,
  sentence,
  doubt,
  source_lost_events AS lost_events,
  ending
FROM verdict
WHERE level <> 'allocator' OR verdict NOT IN ('normal', 'unknown')
ORDER BY source_id, vpid, runtime_id, snapshot_id, level = 'allocator', at_stake_bytes DESC,
  allocator;

INSERT INTO view_doc VALUES
  ('verdict', '', 'row', 'fast', 'One row for each runtime or read node (level runtime), for each of its allocators, and for each source with nothing to judge (level source): leak, fragmentation, pooled, peak retention, normal or unknown'),
  ('verdict', 'level', 'text', 'label', 'What the row is about: runtime (also a node read at one moment), allocator or source'),
  ('verdict', 'snapshot_id', 'id', 'label', 'snapshot.id of a node that was read at one moment; NULL: traced'),
  ('verdict', 'allocator', 'text', 'label', 'The allocator; on level runtime the one that the verdict is about; NULL: none'),
  ('verdict', 'verdict', 'text', 'estimate', 'leak, outside (memory outside the allocators grows), fragmentation, pooled, peak retention, normal, or unknown when it cannot be decided'),
  ('verdict', 'sentence', 'text', 'estimate', 'The verdict in words'),
  ('verdict', 'at_stake_bytes', 'bytes', 'estimate', 'What the verdict is about: growth of a leak, waste beyond one carrier for each instance, or pooled bytes; 0: normal'),
  ('verdict', 'carriers_bytes', 'bytes', 'estimate', 'What is likely in carriers at the end, the pool included: figure carriers_bytes; NULL: not known'),
  ('verdict', 'blocks_bytes', 'bytes', 'estimate', 'What is likely in blocks, headers included: figure blocks_bytes; NULL: not known'),
  ('verdict', 'node', 'text', 'label', 'Name of the node, or of its program; NULL: not known'),
  ('verdict', 'as_of_ns', 'ns', 'exact', 'The moment that it is of, since the Unix epoch: the last event of the runtime, or the reading; NULL: not known'),
  ('verdict', 'carriers_low_bytes', 'bytes', 'bound', 'At least so much is in carriers'),
  ('verdict', 'carriers_high_bytes', 'bytes', 'bound', 'At most so much is in carriers; NULL: nothing bounds it'),
  ('verdict', 'blocks_low_bytes', 'bytes', 'bound', 'At least so much is in blocks'),
  ('verdict', 'blocks_high_bytes', 'bytes', 'bound', 'At most so much is in blocks; NULL: nothing bounds it'),
  ('verdict', 'scope', 'text', 'label', 'Of which moment the verdict is, and how much of the memory of the node it is about; NULL: not on this level'),
  ('verdict', 'may_be', 'text', 'label', 'Classes that an unknown verdict may be, within the bounds of its figures; NULL: it is known'),
  ('verdict', 'utilisation', 'ratio', 'estimate', 'blocks_bytes / carriers_bytes; NULL without carriers'),
  ('verdict', 'utilisation_at_peak', 'ratio', 'estimate', 'The most that was in blocks by the most in carriers, at most 1: where every block was recorded of the whole recording, else at the peak of the carriers; of a read node the ratio of two maxima; NULL: not known, or no allocator is named'),
  ('verdict', 'pooled_min_bytes', 'bytes', 'bound', 'Lower bound of what is in the pool; of an allocator an estimate; NULL: not known'),
  ('verdict', 'pooled_bytes', 'bytes', 'estimate', 'What is likely to be in the pool; NULL: not known'),
  ('verdict', 'peak_bytes', 'bytes', 'estimate', 'Most bytes of carriers while it was recorded, the pool included; of a read node the sum of maxima of different times'),
  ('verdict', 'saving_bytes', 'bytes', 'estimate', 'What any change of flags can save at the end, likely: unused bytes, since every allocator must hold the blocks; NULL: not known, also of a dump that breaks off before or among its allocators'),
  ('verdict', 'saving_max_bytes', 'bytes', 'bound', 'The same at most: the upper bound of unused bytes; NULL: it has none'),
  ('verdict', 'saving_at_peak_bytes', 'bytes', 'estimate', 'What any change of flags can save at most of the peak: most carriers less most blocks'),
  ('verdict', 'saving_sentence', 'text', 'bound', 'What any change of flags can save at most, in words; NULL: not on this level, or nothing bounds it'),
  ('verdict', 'refused_bytes', 'bytes', 'exact', 'Largest request for memory that was refused; NULL: none, or not on this level'),
  ('verdict', 'headline', 'text', 'label', 'The verdict behind what ended the node, when that is known: out of memory, died or halted; of a normal one only that; of an unknown one that may be a leak, and is fragmented whatever comes, both'),
  ('verdict', 'ending', 'text', 'exact', 'What ended the node, or the last request that it was refused; NULL: not recorded, or not on this level'),
  ('verdict', 'confidence', 'text', 'label', 'Of the figures: exact where low and high are the same; bound where both are known, or of a dump that breaks off; else estimate, also of readings without the name of their node'),
  ('verdict', 'doubt', 'text', 'label', 'What makes the figures doubtful: lost events, readings that are assumed to be of one node, a dump that breaks off; NULL: nothing'),
  ('report_verdict', '', 'row', 'fast', 'The verdict on each runtime, then on each allocator that is not normal; from verdict'),
  ('report_verdict', 'node', 'text', 'label', 'Name of the node, or of its program'),
  ('report_verdict', 'of', 'text', 'label', 'The allocator, or all'),
  ('report_verdict', 'verdict', 'text', 'estimate', 'leak, outside, fragmentation, pooled, peak retention, normal or unknown'),
  ('report_verdict', 'confidence', 'text', 'label', 'Of the figures: exact, bound or estimate'),
  ('report_verdict', 'at_stake_mib', 'MiB', 'estimate', 'at_stake_bytes'),
  ('report_verdict', 'saving_mib', 'MiB', 'estimate', 'saving_bytes: no flag can save more'),
  ('report_verdict', 'sentence', 'text', 'estimate', 'The verdict in words'),
  ('report_verdict', 'doubt', 'text', 'label', 'Age of counters, lost events, what is assumed, what is missing'),
  ('report_verdict', 'ending', 'text', 'exact', 'What ended the node; empty: not recorded');
