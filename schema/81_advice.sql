-- SPDX-License-Identifier: MIT
--
-- Layer:   advice that fits
-- Reads:   option, allocator_option, _allocator_name, snapshot, runtime, alloc_failure, crash_dump, board_failure,
--          process_sample, instance_stat, _type_name
-- Serves:  finding, ending
--
-- A flag that is in force already is no advice: what a rule says to try is compared with the
-- settings of the node, where these are known.

-- _force: one row for each allocator of a place whose settings are known, those of an instance of
-- a scheduler where there is one: the global instance has no pool.
CREATE VIEW _force AS
WITH told AS (
  SELECT o.runtime_id AS place_id, n.name AS allocator, 0 AS instance, o.name, o.value
  FROM "option" AS o
  JOIN _allocator_name AS n ON n.runtime_id = o.runtime_id AND n.allocator_id = o.allocator_id
  UNION ALL
  SELECT -snapshot_id, allocator, ifnull(instance, 0), name, value FROM allocator_option
),
speaker AS (
  SELECT place_id, allocator, max(instance > 0) AS instance FROM told GROUP BY place_id, allocator
)
SELECT
  t.place_id, t.allocator,
  max(t.value) FILTER (WHERE t.name = 'as') AS strategy,
  CAST(max(t.value) FILTER (WHERE t.name = 'acul') AS INTEGER) AS acul,
  CAST(max(t.value) FILTER (WHERE t.name = 'acful') AS INTEGER) AS acful,
  CAST(max(t.value) FILTER (WHERE t.name = 'lmbcs') AS INTEGER) / 1024 AS lmbcs_kib,
  CAST(max(t.value) FILTER (WHERE t.name = 'smbcs') AS INTEGER) / 1024 AS smbcs_kib,
  CAST(max(t.value) FILTER (WHERE t.name = 'sbct') AS INTEGER) / 1024 AS sbct_kib,
  CAST(max(t.value) FILTER (WHERE t.name = 'mmsbc') AS INTEGER) AS mmsbc
FROM told AS t
JOIN speaker AS s ON s.place_id = t.place_id AND s.allocator = t.allocator
  AND (t.instance > 0) = s.instance
-- The first scheduler speaks for all.
WHERE t.instance <= 1
GROUP BY t.place_id, t.allocator;

-- _advice: what takes the place of a rule's flag, where settings in force say more; '': nothing
-- is left to try.  $S, $K, $2K and $8K as in finding_rule.
CREATE VIEW _advice AS
SELECT place_id, allocator, 'RET-01' AS rule, NULL AS least_kib, NULL AS below_kib,
  iif(strategy IN ('aoffcbf', 'aoffcaobf', 'ageffcbf', 'ageffcaobf'), '',
    '+M$Sas aoffcbf, if memory is needed elsewhere between peaks') AS flag
FROM _force WHERE strategy IS NOT NULL
UNION ALL
SELECT place_id, allocator, 'FRAG-01', NULL, NULL,
  iif(strategy = 'aobf', '', '+M$Sas aobf, or ')
    || CASE WHEN lmbcs_kib IS NULL THEN 'a smaller +M$Slmbcs'
      -- lmbcs must stay eight times sbct.
      WHEN lmbcs_kib / 2 >= 8 * ifnull(sbct_kib, 0) THEN format('+M$Slmbcs %d', lmbcs_kib / 2)
      ELSE format('+M$Slmbcs %d +M$Ssbct %d', lmbcs_kib / 2, lmbcs_kib / 16) END
FROM _force WHERE strategy IS NOT NULL
UNION ALL
SELECT place_id, allocator, 'POOL-01', NULL, NULL,
  format('+M$Sacul below %d (0: no pool)', acul)
    || CASE WHEN acful = 0 AND acul > 20 THEN format(', or +M$Sacful %d', max(1, acul - 20)) ELSE '' END
FROM _force WHERE acul > 0
UNION ALL
SELECT place_id, allocator, 'INST-01', NULL, NULL,
  CASE WHEN acul > 0 THEN '' ELSE '+M$Sacul de' END
FROM _force WHERE acul IS NOT NULL
UNION ALL
SELECT place_id, allocator, 'SBC-02', NULL, NULL,
  format('+M$Smmsbc %d, or +M$Ssbct $K', 4 * max(256, mmsbc))
FROM _force WHERE mmsbc IS NOT NULL
UNION ALL
-- Parts of it that are there already are left out, from the size of blocks on that needs more.
SELECT f.place_id, f.allocator, 'SBC-01', k.least_kib, k.below_kib,
  '+M$Ssbct $K' || iif(ifnull(f.lmbcs_kib, 0) >= 8 * k.least_kib, '', ' +M$Slmbcs $8K')
    || iif(ifnull(f.smbcs_kib, 0) >= 2 * k.least_kib, '', ' +M$Ssmbcs $2K')
FROM _force AS f
JOIN (SELECT 1 << value AS least_kib, 2 << value AS below_kib
  FROM json_each('[0,1,2,3,4,5,6,7,8,9,10,11,12,13]')) AS k;

-- _ending: one row for each place that asked for memory and did not get it, or that ended.
CREATE VIEW _ending AS
SELECT -d.snapshot_id AS place_id,
  CASE d.cause WHEN 'out_of_memory' THEN 'out of memory' WHEN 'user_signal' THEN NULL
    WHEN 'other' THEN iif(d.slogan IS NULL, NULL, 'halted') ELSE 'died' END AS word,
  CASE d.cause
    WHEN 'out_of_memory' THEN d.failed_allocator || ' could not '
      || d.failed_operation || ifnull(' ' || d.failed_bytes || ' bytes (' || format('%.2f', d.failed_bytes / 1048576.0) || ' MiB)', ' more bytes than there are')
      || ifnull(' for a block of type ' || d.failed_type, '')
    WHEN 'atom_table_full' THEN 'the table of atoms was full'
    WHEN 'thread_creation' THEN 'the system gave no more threads'
    WHEN 'kernel_process' THEN 'a process that the node cannot live without ended'
    WHEN 'boot' THEN 'the node could not start'
    WHEN 'user_signal' THEN 'nothing: someone asked for this dump by SIGUSR1'
    WHEN 'beam_code' THEN 'code that the node could not run'
    WHEN 'too_large' THEN 'a heap would have become larger than the node can make one'
    WHEN 'system_limit' THEN 'a limit of the system'
    ELSE iif(d.slogan IS NULL, 'not told: the dump has no slogan', 'it was halted with a text of its own')
  END AS cause
FROM crash_dump AS d
UNION ALL
SELECT f.runtime_id, 'out of memory',
  format('%s could not get %d bytes (%.2f MiB) for a block of type %s', a.name, f.size_bytes,
    f.size_bytes / 1048576.0, ifnull(t.name, '?'))
FROM (SELECT *, max(id) FROM alloc_failure GROUP BY runtime_id) AS f
JOIN _allocator_name AS a ON a.runtime_id = f.runtime_id AND a.allocator_id = f.allocator_id
LEFT JOIN _type_name AS t ON t.runtime_id = f.runtime_id AND t.type_id = f.type_id;

-- _whole_dump: one row for each dump: whether all of its allocators are in it.  Processes come behind
-- them, and every node has some.
CREATE VIEW _whole_dump AS
SELECT
  d.snapshot_id,
  d.ended = 'end' OR EXISTS (SELECT 1 FROM process_sample AS p WHERE p.snapshot_id = d.snapshot_id)
    AS has_all_allocators,
  EXISTS (SELECT 1 FROM instance_stat AS i WHERE i.snapshot_id = d.snapshot_id) AS has_allocators,
  CASE d.ended
    WHEN 'cut' THEN format('the dump breaks off at offset %d', d.end_offset_bytes)
    WHEN 'size_limit' THEN format('the dump ends at offset %d, at the size limit that the node was given',
      d.end_offset_bytes)
    ELSE 'the dump is whole'
  END AS end_text
FROM crash_dump AS d;

INSERT INTO view_doc VALUES
  ('_whole_dump', '', 'row', 'fast', 'Private. One row for each crash dump: whether it has all sections =allocator'),
  ('_force', '', 'row', 'fast', 'Private. One row for each allocator of a place whose settings are known'),
  ('_advice', '', 'row', 'fast', 'Private. One row for each allocator of a place and rule whose flag depends on settings in force'),
  ('_ending', '', 'row', 'fast', 'Private. One row for each place that asked for memory in vain, or that ended');
