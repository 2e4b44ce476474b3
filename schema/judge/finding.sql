-- SPDX-License-Identifier: MIT
--
-- Layer:   findings, continued
-- Serves:  report findings

-- What a process would need next, and what was refused.
CREATE TEMP VIEW _rule_request AS
SELECT 'HEAP-01' AS rule, h.subject_id, h.allocator, NULL AS instance,
  h.sbc_blocks_bytes / h.sbc_blocks AS bytes, NULL AS kib,
  format('%s %.1f MiB%s; growing such a heap needs %.1f MiB more for a moment.',
    iif(h.sbc_blocks = 1, 'A heap has a large block of', format('Heaps have %d large blocks of', h.sbc_blocks)), h.sbc_blocks_bytes / h.sbc_blocks / 1048576.0,
    iif(h.sbc_blocks = 1, '', ' on average'), 1.2 * h.sbc_blocks_bytes / h.sbc_blocks / 1048576.0) AS sentence,
  format('{"heaps": %s, "mean_bytes": %s, "next_bytes": %s}',
    ifnull(h.sbc_blocks, 'null'), ifnull(h.sbc_blocks_bytes / h.sbc_blocks, 'null'), ifnull(CAST(1.2 * h.sbc_blocks_bytes / h.sbc_blocks AS INTEGER), 'null')) AS figures,
  'estimate' AS confidence
FROM _memory_by_allocator AS h
JOIN _subject AS p ON p.subject_id = h.subject_id
JOIN finding_threshold AS t ON t.name = 'heap_share'
JOIN finding_threshold AS b ON b.name = 'matter_bytes'
WHERE h.allocator = 'eheap_alloc' AND h.sbc_blocks > 0
  AND h.sbc_blocks_bytes / h.sbc_blocks >= b.value
  AND h.sbc_blocks_bytes / h.sbc_blocks >= t.value * (p.mbc_bytes + p.sbc_bytes)
UNION ALL
SELECT 'OOM-01', f.runtime_id, a.name, max(f.instance), max(f.size_bytes), NULL,
  format('%s could not get %d bytes (type %s)%s.', a.name, max(f.size_bytes), ifnull(t.name, '?'),
    iif(count(*) > 1, format(', the largest of %d requests that failed', count(*)), '')),
  format('{"requests": %s, "largest_bytes": %s, "type": %s}',
    ifnull(count(*), 'null'), ifnull(max(f.size_bytes), 'null'), ifnull('"' || replace(replace(t.name, '\', '\\'), '"', '\"') || '"', 'null')), 'exact'
FROM alloc_failure AS f
JOIN allocator_name AS a ON a.runtime_id = f.runtime_id AND a.allocator_id = f.allocator_id
LEFT JOIN _type_name AS t ON t.runtime_id = f.runtime_id AND t.type_id = f.type_id
GROUP BY f.runtime_id, f.allocator_id
UNION ALL
SELECT 'OOM-01', -d.snapshot_id, d.failed_allocator, NULL, d.failed_bytes, NULL,
  format('The node died when %s could not get %s (type %s).', d.failed_allocator,
    iif(d.failed_bytes IS NULL, 'what was asked for',
      CASE WHEN d.failed_bytes < 10737418240 THEN format('%.1f MiB', d.failed_bytes / 1048576.0) WHEN d.failed_bytes < 10995116277760 THEN format('%.1f GiB', d.failed_bytes / 1073741824.0)
        ELSE format('%.1f TiB', d.failed_bytes / 1099511627776.0) END), ifnull(d.failed_type, '?')),
  format('{"requests": 1, "largest_bytes": %s}', ifnull(d.failed_bytes, 'null')), 'exact'
FROM crash_dump AS d
WHERE d.failed_allocator IS NOT NULL AND d.snapshot_id NOT IN (SELECT snapshot_id FROM _absurd)
UNION ALL
SELECT 'BUG-01', -d.snapshot_id, d.failed_allocator, NULL, d.failed_bytes, NULL,
  format('%s was asked for %s (type %s) in a node %s.', d.failed_allocator,
    iif(d.failed_bytes IS NULL, '2^63 bytes and more', format('%,d bytes', d.failed_bytes)), ifnull(d.failed_type, '?'),
    iif(a.held_bytes > 0, format('that held %.1f MiB', a.held_bytes / 1048576.0), 'of unknown size')),
  format('{"requested_bytes": %s, "held_bytes": %d}', ifnull(d.failed_bytes, 'null'), a.held_bytes), 'exact'
FROM crash_dump AS d
JOIN _absurd AS a ON a.snapshot_id = d.snapshot_id
WHERE d.failed_allocator IS NOT NULL;

-- The heap below the allocators, of a board.
CREATE TEMP VIEW _rule_board AS
WITH ends AS (
  SELECT source_id, runtime_id, run, origin, id, free_bytes, free_largest,
    first_value(free_bytes) OVER board_run AS first_free,
    first_value(free_largest) OVER board_run AS first_largest,
    row_number() OVER (PARTITION BY source_id, runtime_id, run ORDER BY id DESC) AS from_last
  FROM heap_reading
  WINDOW board_run AS (PARTITION BY source_id, runtime_id, run ORDER BY id)
)
SELECT 'FRAG-03' AS rule, ifnull(e.runtime_id, -e.id) AS subject_id, NULL AS allocator, NULL AS instance,
  e.free_bytes - e.free_largest AS bytes, NULL AS kib,
  format('Run %d: the largest free piece fell from %,d to %,d bytes, free memory %s.', e.run, e.first_largest, e.free_largest,
    iif(e.first_free = e.free_bytes, format('stayed at %,d', e.free_bytes), format('from %,d to %,d', e.first_free, e.free_bytes))) AS sentence,
  format('{"free_bytes": %d, "free_largest_bytes": %d, "first_free_bytes": %d, "first_largest_bytes": %d}',
    e.free_bytes, e.free_largest, e.first_free, e.first_largest) AS figures,
  'exact' AS confidence
FROM ends AS e
JOIN finding_threshold AS t ON t.name = 'hole_share'
WHERE e.from_last = 1 AND e.free_bytes > 0 AND e.first_free > 0
  AND e.free_largest < e.first_largest
  AND 1.0 * e.free_largest / e.free_bytes <= t.value * e.first_largest / e.first_free
UNION ALL
SELECT 'OOM-01', ifnull(f.runtime_id, -f.id), f.allocator, NULL, f.size_bytes, NULL,
  format('%s could not get %,d bytes (type %s)%s.', f.allocator, f.size_bytes, f.type,
    iif(f.free_bytes IS NULL, '', format('; %,d bytes were free, the largest piece had %,d',
      f.free_bytes, f.free_largest))),
  format('{"requests": 1, "largest_bytes": %d}', f.size_bytes),
  iif(f.is_read_after, 'estimate', 'exact')
FROM board_failure AS f
-- Its own "wrong if": what was free in one piece would have done.
WHERE f.origin = 'log' AND NOT ifnull(f.free_largest >= f.size_bytes, 0);

-- What is said of the recording.
CREATE TEMP VIEW _rule_general AS
SELECT 'LOSS-01' AS rule, p.subject_id, NULL AS allocator, NULL AS instance, NULL AS bytes, NULL AS kib,
  format('%d events and %d packets were lost.', p.source_lost_events, p.source_lost_packets) AS sentence,
  format('{"events": %s, "packets": %s}',
    ifnull(p.source_lost_events, 'null'), ifnull(p.source_lost_packets, 'null')) AS figures,
  'exact' AS confidence
FROM _subject AS p
WHERE p.source_lost_events <> 0 OR p.source_lost_packets <> 0
UNION ALL
-- Nobody has counted them.
SELECT 'LOSS-01', p.subject_id, NULL, NULL, NULL, NULL,
  format('An unknown number of events is missing%s.',
    iif(u.begin_ns IS NULL, '', format(', from %.3f s of the recording on', (u.begin_ns - u.first_ts_ns) / 1e9))),
  format('{"from_ns": %s}', ifnull(u.begin_ns, 'null')),
  'bound'
FROM _subject AS p
JOIN (
  SELECT l.source_id, s.first_ts_ns,
    iif(count(l.begin_ns) = count(*), min(l.begin_ns), NULL) AS begin_ns
  FROM lost_interval AS l
  JOIN source AS s ON s.id = l.source_id
  WHERE l.cause IN ('not_delivered', 'missing_batches') AND l.events IS NULL
  GROUP BY l.source_id
) AS u ON u.source_id = p.source_id
WHERE p.source_lost_events = 0 AND p.source_lost_packets = 0
UNION ALL
SELECT 'LOSS-02', -d.snapshot_id, NULL, NULL, NULL, NULL,
  format('%s: %s.', upper(substr(w.end_text, 1, 1)) || substr(w.end_text, 2),
    iif(w.has_allocators, 'some of its sections =allocator are missing', 'it has no section =allocator')),
  format('{"end_offset_bytes": %d}', d.end_offset_bytes), 'exact'
FROM crash_dump AS d
JOIN _whole_dump AS w ON w.snapshot_id = d.snapshot_id
WHERE NOT w.has_all_allocators;

-- _found: one row for each time a rule holds, with the flags that saved memory where they were measured
-- and are not in force ('': all of them are; NULL: none did).
CREATE TEMP TABLE _found AS
WITH judged AS MATERIALIZED (
  SELECT *, ifnull(-snapshot_id, runtime_id) AS subject_id FROM verdict
),
occurrence AS (
  -- What a verdict says, and for whole places the upper bound.
  SELECT
    CASE
      WHEN k.kind = 'bound' THEN 'BOUND-01'
      WHEN v.verdict = 'normal' THEN 'OK-01'
      WHEN v.verdict = 'leak' AND v.allocator = 'temp_alloc' THEN 'TEMP-01'
      WHEN v.verdict = 'leak' AND v.allocator IN ('ll_alloc', 'fix_alloc') THEN 'LEAK-02'
      WHEN v.verdict = 'leak' THEN 'LEAK-01'
      WHEN v.verdict = 'fragmentation' AND v.utilisation_at_peak >= t.value THEN 'FRAG-01'
      WHEN v.verdict = 'fragmentation' THEN 'FRAG-02'
      WHEN v.verdict = 'pooled' THEN 'POOL-01'
      ELSE 'RET-01'
    END AS rule,
    v.subject_id, iif(v.level = 'runtime', NULL, v.allocator) AS allocator, NULL AS instance,
    CASE WHEN k.kind = 'bound' THEN v.saving_max_bytes
      WHEN v.level = 'runtime' THEN v.carriers_bytes ELSE v.at_stake_bytes END AS bytes,
    NULL AS kib,
    iif(k.kind = 'bound',
      format('Best case from tuning: %.1f MiB now%s.%s%s',
        v.saving_max_bytes / 1048576.0,
        -- A reading has the maximum of each allocator, of which no sum is of one moment.
        iif(p.high IS NULL OR p.high <> p.low, '',
          format(', and %.1f MiB of the peak of %.1f MiB', v.saving_at_peak_bytes / 1048576.0, v.peak_bytes / 1048576.0)),
        ifnull((SELECT x.saved FROM _searched AS x WHERE x.runtime_id = v.subject_id AND v.runtime_id = v.subject_id), ''),
        -- As FRAG-01 has it.
        iif(v.verdict = 'fragmentation' AND v.utilisation_at_peak >= t.value,
          format(' Blocks that outlived the peak pin the carriers of %s: flags seldom free these, what helps is code: %s.', v.allocator,
            ifnull((SELECT m.remedy FROM _remedy AS m WHERE m.allocator = v.allocator), 'fewer blocks that outlive the peak')), '')),
      v.sentence) AS sentence,
    format('{"carriers_bytes": %s, "blocks_bytes": %s, "utilisation": %s, "utilisation_at_peak": %s, '
        || '"pooled_bytes": %s, "at_stake_bytes": %s, "saving_bytes": %s, "saving_max_bytes": %s, '
        || '"saving_at_peak_bytes": %s, "peak_bytes": %s}',
      ifnull(v.carriers_bytes, 'null'), ifnull(v.blocks_bytes, 'null'), ifnull(v.utilisation, 'null'),
      ifnull(v.utilisation_at_peak, 'null'), ifnull(v.pooled_bytes, 'null'),
      ifnull(v.at_stake_bytes, 'null'), ifnull(v.saving_bytes, 'null'),
      ifnull(v.saving_max_bytes, 'null'), ifnull(v.saving_at_peak_bytes, 'null'),
      ifnull(v.peak_bytes, 'null')) AS figures,
    v.confidence
  FROM judged AS v
  JOIN (SELECT 'class' AS kind UNION ALL SELECT 'bound') AS k
  JOIN finding_threshold AS t ON t.name = 'good_utilisation_ratio'
  LEFT JOIN figure AS p ON p.subject_id = v.subject_id AND p.allocator = 'all' AND p.moment = 'peak' AND p.quantity = 'carriers_bytes'
  WHERE (v.verdict <> 'unknown' OR k.kind = 'bound')
    AND iif(v.level = 'runtime',
      (k.kind = 'bound' AND v.saving_max_bytes IS NOT NULL)
        OR (k.kind = 'class' AND v.verdict = 'normal' AND v.refused_bytes IS NULL),
      k.kind = 'class' AND v.verdict <> 'normal')
  UNION ALL SELECT * FROM _rule_request
  UNION ALL SELECT * FROM _rule_sbc
  UNION ALL SELECT * FROM _rule_instance
  UNION ALL SELECT * FROM _rule_system
  UNION ALL SELECT * FROM _rule_habit
  UNION ALL SELECT * FROM _rule_board
  UNION ALL SELECT * FROM _rule_general
)
SELECT
  t.*, r.severity, r.title, r.falsify, r.evidence, r.basis,
  iif(r.flag IS NULL, NULL, replace(replace(ifnull(a.flag, r.flag), '$S', ifnull(l.letter, 'u')),
    -- No more blocks of 64 KiB than that fit into what there was at the peak.
    '$M', max(4096, 2 << CAST(log2(max(1, ifnull(j.peak_bytes, 0) / 65536)) AS INTEGER)))) AS flags
FROM occurrence AS t
JOIN finding_rule AS r ON r.rule = t.rule
LEFT JOIN _flag_letter AS l ON l.allocator = t.allocator
LEFT JOIN judged AS j ON j.subject_id = t.subject_id AND j.level = 'allocator' AND j.allocator = t.allocator
LEFT JOIN _advice AS a ON a.subject_id = t.subject_id AND a.allocator = t.allocator AND a.rule = t.rule;

-- finding: one row for each time a rule holds, worst first.
--
-- A flag is advised only where `carrierscope advise` found that it saves memory in this very recording.
--
-- Worked example, tests/views/finding: 100 MiB of binaries in 60 single-block carriers.
--
--   rule    allocator     flag
--   SBC-01  binary_alloc  NULL
CREATE TABLE finding (
  source_id INTEGER,
  runtime_id INTEGER,
  snapshot_id INTEGER,
  vpid INTEGER,
  rule TEXT,
  severity TEXT,
  allocator TEXT,
  instance INTEGER,
  sentence TEXT,
  title TEXT,
  at_stake_bytes INTEGER,
  figures TEXT,
  confidence TEXT,
  flag TEXT,
  falsify TEXT,
  evidence TEXT,
  basis TEXT,
  rank INTEGER,
  source_lost_events INTEGER,
  source_lost_packets INTEGER
) STRICT;

CREATE TEMP TABLE finding AS
WITH found AS MATERIALIZED (SELECT * FROM _found),
place AS (
  SELECT id AS subject_id, source_id, id AS runtime_id, NULL AS snapshot_id, vpid FROM runtime
  UNION ALL
  SELECT -s.id, s.source_id, s.runtime_id, s.id, NULL FROM snapshot AS s
),
blocks AS MATERIALIZED (SELECT DISTINCT runtime_id FROM _live_total)
SELECT
  p.source_id, p.runtime_id, p.snapshot_id, p.vpid,
  t.rule,
  t.severity,
  t.allocator,
  t.instance,
  t.sentence,
  t.title,
  t.bytes AS at_stake_bytes,
  t.figures,
  t.confidence,
  CASE
    WHEN t.flags IS NULL THEN NULL
    -- Searched: the answer is for all allocators together.
    WHEN x.flag LIKE 'none: %' THEN x.flag || ifnull(m.remedy, 'fewer blocks that outlive the peak')
    WHEN x.flag IS NOT NULL THEN x.flag
    WHEN t.flags = '' THEN 'we know no flag that helps; what helps is code: ' || ifnull(m.remedy, 'fewer blocks that outlive the peak')
    -- Measured, they saved little.
    WHEN t.rule = 'RET-01' AND (b.runtime_id IS NULL OR p.snapshot_id IS NOT NULL) THEN NULL
    -- Without blocks nothing shows what flags do here.
    WHEN b.runtime_id IS NULL OR p.snapshot_id IS NOT NULL THEN
      'none yet: carrierscope record NAME --every-block records blocks, by which carrierscope advise FILE counts what flags save'
    ELSE format('none yet: carrierscope advise FILE searches for flags and counts what %s would have saved here', t.flags)
  END AS flag,
  nullif(t.falsify, '') AS falsify,
  replace(replace(replace(replace(
    CASE
      -- Growth from reading to reading.
      WHEN t.evidence LIKE '%FROM growth%' AND p.snapshot_id IS NOT NULL THEN
        'SELECT reading, ts_ns, window, blocks_bytes, low_bytes, growth_bytes FROM reading_series '
        || 'WHERE last_snapshot_id = $N AND allocator = ''$A'' ORDER BY reading'
      WHEN t.evidence NOT LIKE '%$R%' OR t.evidence LIKE '%$N%' OR t.evidence LIKE '%FROM growth%'
        OR t.evidence LIKE '%snapshot_memory%' OR t.evidence LIKE '%figure%' THEN t.evidence
      WHEN p.snapshot_id IS NULL AND k.snapshot_id IS NULL THEN t.evidence
      -- Of a node that was read there is nothing but what it said: all instances, then each.
      ELSE 'SELECT NULL AS instance, section, key, sum(current) AS current, sum(max_ever) AS max_ever FROM instance_stat_all '
        || 'WHERE snapshot_id = $N AND allocator = ''$A'' AND section IN (''mbcs'', ''sbcs'', ''mbcs_pool'') GROUP BY section, key '
        || 'UNION ALL SELECT instance, section, key, sum(current), sum(max_ever) FROM instance_stat_all '
        || 'WHERE snapshot_id = $N AND allocator = ''$A'' AND section IN (''mbcs'', ''sbcs'', ''mbcs_pool'') GROUP BY instance, section, key'
    END,
    '$R', ifnull(p.runtime_id, 'NULL')), '$N', coalesce(p.snapshot_id, k.snapshot_id, 'NULL')),
    '$S', p.source_id), '$A', ifnull(t.allocator, '')) AS evidence,
  t.basis,
  CASE t.severity WHEN 'critical' THEN 0 WHEN 'warning' THEN 1 WHEN 'advice' THEN 2 ELSE 3 END AS rank,
  s.lost_events AS source_lost_events,
  s.lost_packets AS source_lost_packets
FROM found AS t
JOIN place AS p ON p.subject_id = t.subject_id
JOIN source AS s ON s.id = p.source_id
LEFT JOIN _snapshot_at_end AS k ON k.runtime_id = t.subject_id
LEFT JOIN blocks AS b ON b.runtime_id = t.subject_id
LEFT JOIN _remedy AS m ON m.allocator = t.allocator
LEFT JOIN _searched AS x ON x.runtime_id = t.subject_id;

INSERT INTO view_doc VALUES
  ('finding', '', 'row', 'fast', 'One row for each time a rule of finding_rule holds'),
  ('finding finding_next', 'snapshot_id', 'id', 'label', 'snapshot.id of a node that was read at one moment; NULL: traced'),
  ('finding finding_next', 'rule', 'text', 'label', 'Name of the rule'),
  ('finding finding_next', 'severity', 'text', 'label', 'critical, warning, advice or info'),
  ('finding finding_next', 'sentence', 'text', 'estimate', 'What was found, with its figures'),
  ('finding finding_next', 'title', 'text', 'label', 'Its title'),
  ('finding finding_next', 'at_stake_bytes', 'bytes', 'estimate', 'How much it is about; NULL: it is not about an amount'),
  ('finding finding_next', 'figures', 'json', 'estimate', 'The figures as a JSON object; bytes and ratios'),
  ('finding finding_next', 'confidence', 'text', 'label', 'Of the figures: exact, bound or estimate'),
  ('finding finding_next', 'flag', 'text', 'label', 'Flags that save memory, before the first comma or semicolon, and how that is known; a sentence that does not begin with +M: none is advised; NULL: no flag is about it'),
  ('finding finding_next', 'falsify', 'text', 'label', 'What would prove the finding wrong'),
  ('finding finding_next', 'evidence', 'text', 'label', 'Query that shows it'),
  ('finding finding_next', 'basis', 'text', 'label', 'Where the rule comes from'),
  ('finding finding_next', 'rank', 'count', 'label', 'For ordering: 0 critical, 1 warning, 2 advice, 3 info');
