-- SPDX-License-Identifier: MIT
--
-- Layer:   advice that fits
-- Serves:  finding, ending
--
-- A flag that is in force already is no advice: what a rule says to try is compared with the
-- settings of the node, where these are known.

-- _force: one row for each allocator of a place whose settings are known, those of an instance of
-- a scheduler where there is one: the global instance has no pool.
CREATE TEMP VIEW _force AS
WITH known_setting AS (
  SELECT o.runtime_id AS subject_id, n.name AS allocator, 0 AS instance, o.name, o.value
  FROM "option" AS o
  JOIN allocator_name AS n ON n.runtime_id = o.runtime_id AND n.allocator_id = o.allocator_id
  UNION ALL
  SELECT -snapshot_id, allocator, ifnull(instance, 0), name, value FROM allocator_option
),
reporter AS (
  SELECT subject_id, allocator, max(instance > 0) AS instance FROM known_setting GROUP BY subject_id, allocator
)
SELECT
  t.subject_id, t.allocator,
  max(t.value) FILTER (WHERE t.name = 'as') AS strategy,
  CAST(max(t.value) FILTER (WHERE t.name = 'acul') AS INTEGER) AS acul,
  CAST(max(t.value) FILTER (WHERE t.name = 'lmbcs') AS INTEGER) / 1024 AS lmbcs_kib,
  CAST(max(t.value) FILTER (WHERE t.name = 'smbcs') AS INTEGER) / 1024 AS smbcs_kib,
  CAST(max(t.value) FILTER (WHERE t.name = 'sbct') AS INTEGER) / 1024 AS sbct_kib,
  CAST(max(t.value) FILTER (WHERE t.name = 'mmsbc') AS INTEGER) AS mmsbc
FROM known_setting AS t
JOIN reporter AS s ON s.subject_id = t.subject_id AND s.allocator = t.allocator
  AND (t.instance > 0) = s.instance
-- The first scheduler represents all.
WHERE t.instance <= 1
GROUP BY t.subject_id, t.allocator;

-- _smaller: one row for each allocator of a place whose settings are known, with what measured best
-- (ARCHITECTURE.md, Advice is measured) and is not in force; '': it is.  Carriers of 1 MiB, then of
-- 512 KiB, sbct an eighth of them, and as many single-block carriers as that may need: beyond
-- mmsbc each is rounded up to 1 MiB.  A pool that is off stays off: turned on it cost more often than
-- it saved.  Where there is no segment allocator there is no mmsbc.
-- Settings in KiB; $S and $M as in finding_rule.
CREATE TEMP VIEW _smaller AS
SELECT
  subject_id, allocator, strategy, acul,
  CASE WHEN ifnull(lmbcs_kib, 5120) <= step_kib THEN ''
    ELSE format('+M$Slmbcs %d', step_kib)
      || iif(ifnull(smbcs_kib, 0) > step_kib, format(' +M$Ssmbcs %d', step_kib), '')
      || CASE WHEN ifnull(sbct_kib, 512) <= step_kib / 8 THEN ''
        ELSE format(' +M$Ssbct %d', step_kib / 8)
          || iif(mmsbc IS NULL AND lmbcs_kib IS NOT NULL, '', ' +M$Smmsbc $M') END
    END AS size_flags
FROM (SELECT *, iif(ifnull(lmbcs_kib, 5120) > 1024, 1024, 512) AS step_kib FROM _force)
WHERE strategy IS NOT NULL;

-- _remedy: what helps where no flag does: fewer blocks that stay.
CREATE TEMP VIEW _remedy AS
SELECT column1 AS allocator, column2 AS remedy FROM (VALUES
  ('binary_alloc', 'binary:copy/1 of parts that are kept, hibernate or fullsweep_after where processes keep the rest'),
  ('eheap_alloc', 'hibernate or fullsweep_after where processes idle after the peak'),
  ('ets_alloc', 'fewer rows that outlive the peak'));

-- _advice: what takes the place of a rule's flags, where settings in force say more; '': they are in
-- force already.  Only flags that saved memory where they were measured (ARCHITECTURE.md, Advice is
-- measured).  $S and $M as in finding_rule.
CREATE TEMP VIEW _advice AS
SELECT s.subject_id, s.allocator, r.rule, s.size_flags AS flag
FROM _smaller AS s
JOIN (SELECT 'FRAG-01' AS rule UNION ALL SELECT 'FRAG-02' UNION ALL SELECT 'RET-01' UNION ALL SELECT 'POOL-01') AS r
UNION ALL
SELECT subject_id, allocator, 'SBC-02', format('+M$Smmsbc %d', 4 * max(256, mmsbc))
FROM _force WHERE mmsbc IS NOT NULL;

-- _small_carrier: one row for each allocator of a runtime of which `carrierscope advise` makes lmbcs less than eight times sbct, given
-- or in force (512 KiB where it is not known), as finding FRAG-04.
--
-- Worked example, tests/views/_small_carrier: +MBlmbcs 512 alone; with +MBsbct 64 it is none.
CREATE TEMP VIEW _small_carrier AS
WITH given AS (
  SELECT a.runtime_id, l.allocator,
    CAST(nullif(substr(a.flags || ' ', nullif(instr(a.flags, '+M' || l.letter || 'lmbcs '), 0) + 9), '') AS INTEGER) AS lmbcs_kib,
    CAST(nullif(substr(a.flags || ' ', nullif(instr(a.flags, '+M' || l.letter || 'sbct '), 0) + 8), '') AS INTEGER) AS sbct_kib
  FROM sweep_advice AS a
  JOIN (SELECT column1 AS allocator, column2 AS letter FROM (VALUES ('binary_alloc', 'B'), ('std_alloc', 'D'), ('ets_alloc', 'E'), ('fix_alloc', 'F'),
    ('eheap_alloc', 'H'), ('ll_alloc', 'L'), ('driver_alloc', 'R'), ('sl_alloc', 'S'))) AS l
  WHERE a.flags IS NOT NULL
)
SELECT g.runtime_id, g.allocator
FROM given AS g
JOIN finding_threshold AS t ON t.name = 'lmbcs_by_sbct_ratio'
LEFT JOIN _force AS f ON f.subject_id = g.runtime_id AND f.allocator = g.allocator
WHERE g.lmbcs_kib < t.value * coalesce(g.sbct_kib, f.sbct_kib, 512);

-- _searched: one row for each runtime whose recording `carrierscope advise` has searched: the flags that it
-- advises, or why none.
CREATE TEMP VIEW _searched AS
SELECT a.runtime_id, a.flags IS NOT NULL AS is_advised,
  -- What is saved of it, where flags were found.
  CASE WHEN a.flags IS NULL THEN NULL
    WHEN a.objective = 'end' THEN format(' What carrierscope advise found saves %.1f MiB at the end.', max(0, p.end_bytes - w.end_bytes) / 1048576.0)
    WHEN a.objective = 'peak' THEN format(' What carrierscope advise found saves %.1f MiB of the peak.', max(0, p.peak_bytes - w.peak_bytes) / 1048576.0) END AS saved,
  CASE
    WHEN a.flags IS NOT NULL THEN a.flags || CASE a.objective
      WHEN 'peak' THEN format('; replays predict at most %.1f to %.1f MiB of carriers with all of it, instead of %.1f to %.1f',
        w.peak_low_bytes / 1048576.0, w.peak_high_bytes / 1048576.0, p.peak_low_bytes / 1048576.0, p.peak_high_bytes / 1048576.0)
      WHEN 'end' THEN format('; replays predict %.1f to %.1f MiB of carriers at the end with all of it, instead of %.1f to %.1f',
        w.end_low_bytes / 1048576.0, w.end_high_bytes / 1048576.0, p.end_low_bytes / 1048576.0, p.end_high_bytes / 1048576.0)
      WHEN 'rss' THEN format('; replays predict less resident memory with all of it; at most %.1f to %.1f MiB of carriers, instead of %.1f to %.1f',
        w.peak_low_bytes / 1048576.0, w.peak_high_bytes / 1048576.0, p.peak_low_bytes / 1048576.0, p.peak_high_bytes / 1048576.0)
      ELSE format('; replays predict %.1f to %.1f MiB of carriers on average with all of it, instead of %.1f to %.1f',
        w.average_low_bytes / 1048576.0, w.average_high_bytes / 1048576.0, p.average_low_bytes / 1048576.0,
        p.average_high_bytes / 1048576.0) END
      || ifnull('; ' || (SELECT group_concat(c.allocator, ', ') FROM _small_carrier AS c WHERE c.runtime_id = a.runtime_id)
        || ': lmbcs is small beside sbct, and memory may grow where blocks just below sbct outlive others more than here (erlang/otp#9521)', '')
    WHEN a.is_cut_short THEN 'none yet: the search was cut short; carrierscope advise FILE goes on with it'
    ELSE format('none: of %d sets of flags replayed on this recording none is advised, since %s%s; what helps is code: ', a.settings,
      a.refusal,
      -- Twice what predicted changes were off by (advise).
      iif(a.objective <> 'end' AND (SELECT min(r.end_bytes) FROM sweep_result AS r
          WHERE r.runtime_id = a.runtime_id AND r.is_part = 0 AND r.allocator = 'all') < 0.82 * p.end_bytes,
        '; less is left at the end: carrierscope advise FILE --objective end', ''))
  END AS flag
FROM sweep_advice AS a
LEFT JOIN sweep_result AS w ON w.runtime_id = a.runtime_id AND w.flags = a.flags AND w.is_part = 0 AND w.allocator = 'all'
LEFT JOIN sweep_result AS p ON p.runtime_id = a.runtime_id AND p.flags = '' AND p.is_part = 0 AND p.allocator = 'all';
