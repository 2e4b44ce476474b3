-- SPDX-License-Identifier: MIT
--
-- Layer:   findings
-- Serves:  finding (judge/finding.sql)
--
-- Named rules.  Each is a row of finding_rule (what it means, what to try, how to
-- falsify it) and part of a view _rule_* that yields a row for each time it holds.

CREATE TABLE finding_rule (
  rule     TEXT PRIMARY KEY,
  severity TEXT NOT NULL CHECK (severity IN ('critical', 'warning', 'advice', 'info')),
  title    TEXT NOT NULL,
  flag     TEXT,             -- to try; $S is the allocator's letter in +M flags, $M a number of single-block carriers that is enough; NULL: none saved memory where it was measured
  falsify  TEXT NOT NULL,    -- how to falsify it; '': nothing can
  evidence TEXT NOT NULL,    -- query; $R is the runtime's id, $N the snapshot's, $S the source's, $A the allocator
  basis    TEXT NOT NULL     -- source of the rule
) STRICT, WITHOUT ROWID;

INSERT INTO finding_rule VALUES
  ('OOM-01', 'critical', 'Out of memory', NULL,
    'The largest free piece (of the machine, a super carrier, the heap of a board) was larger than the request',
    'SELECT size_bytes, type_id FROM alloc_failure WHERE runtime_id = $R UNION ALL '
      || 'SELECT failed_bytes, failed_type FROM crash_dump WHERE snapshot_id = $N UNION ALL '
      || 'SELECT size_bytes, type FROM logged_failure WHERE snapshot_id = $N', 'erlang/otp #3489: what was asked, what was free'),
  ('BUG-01', 'critical', 'A request beyond all that the node held: a defect or damaged memory, not lack of memory', NULL,
    'Code of the node asked for so much at once, as for one binary or one list',
    'SELECT d.slogan, d.taints, (SELECT m.bytes FROM memory_sample AS m WHERE m.snapshot_id = d.snapshot_id AND m.key = ''total'') AS memory_bytes, '
      || '(SELECT sum(t.current) FROM instance_stat AS t WHERE t.snapshot_id = d.snapshot_id AND t.key = ''carriers_size'' '
      || 'AND t.section IN (''mbcs'', ''sbcs'', ''mbcs_pool'')) AS carriers_bytes FROM crash_dump AS d WHERE d.snapshot_id = $N',
    'a dump of OTP 24.0: 2^35 bytes of type estack in a node of 128 MB'),
  ('LEAK-01', 'critical', 'Growth without a plateau', NULL,
    'Record longer: it stops rising, or the load rose over the same time',
    'SELECT rank, who, kind, allocator, mechanism, seconds, first_bytes, last_bytes, grown_low_bytes, grown_bytes, grown_high_bytes, bytes_per_s_low, bytes_per_s, bytes_per_s_high, to_the_end '
      || 'FROM growth WHERE runtime_id = $R ORDER BY rank',
    'FujiNet #1609: what rises and never falls is a leak'),
  ('LEAK-02', 'critical', 'll_alloc or fix_alloc grows: long-lived or fixed-size objects of the runtime itself', NULL,
    'Code was loaded, or ports and monitors were made, over the same time',
    'SELECT rank, who, kind, allocator, mechanism, seconds, first_bytes, last_bytes, grown_low_bytes, grown_bytes, grown_high_bytes, bytes_per_s_low, bytes_per_s, bytes_per_s_high, to_the_end '
      || 'FROM growth WHERE runtime_id = $R ORDER BY rank',
    'erlang/otp #6947: 35 GB of fix_alloc, found by hand'),
  ('TEMP-01', 'warning', 'temp_alloc grows: temporary memory is kept', NULL,
    'Long calls (sorting, matching, drivers) ran while it was looked at',
    'SELECT rank, who, kind, allocator, mechanism, seconds, first_bytes, last_bytes, grown_low_bytes, grown_bytes, grown_high_bytes, bytes_per_s_low, bytes_per_s, bytes_per_s_high, to_the_end '
      || 'FROM growth WHERE runtime_id = $R ORDER BY rank',
    'temp_alloc is for memory that lives shorter than one call'),
  ('FRAG-01', 'warning', 'After a peak, a few leftovers pin almost-empty carriers',
    '+M$Slmbcs 1024 +M$Ssbct 128 +M$Smmsbc $M',
    'The peak returns soon and fills the empty space',
    'SELECT v.carriers_bytes, v.blocks_bytes, v.utilisation, v.utilisation_at_peak, v.at_stake_bytes, p.max_carriers_bytes, p.blocks_bytes_at_max, p.max_carriers_ts_ns FROM verdict AS v LEFT JOIN peak AS p ON p.runtime_id = v.runtime_id AND p.allocator = v.allocator AND p.scope = ''allocator'' '
      || 'WHERE v.level = ''allocator'' AND v.runtime_id = $R AND v.allocator = ''$A''',
    'Larsson''s second case: 93 % at the peak, 22 % afterwards'),
  ('FRAG-02', 'warning', 'Low utilisation now, and no good one known of the peak: settings do not fit the load',
    '+M$Slmbcs 1024 +M$Ssbct 128 +M$Smmsbc $M',
    'Utilisation rises by itself when the load does',
    'SELECT v.carriers_bytes, v.blocks_bytes, v.utilisation, v.utilisation_at_peak, v.at_stake_bytes, p.mbc_blocks, p.mbc_average_block_bytes, p.sbc_blocks, p.sbc_average_block_bytes FROM verdict AS v LEFT JOIN average_block_size AS p ON p.runtime_id = v.runtime_id AND p.allocator = v.allocator '
      || 'WHERE v.level = ''allocator'' AND v.runtime_id = $R AND v.allocator = ''$A''',
    'recon: low at both current and max means the settings do not match'),
  ('FRAG-03', 'warning', 'The largest free piece shrinks faster than free memory: the heap is fragmented', NULL,
    'The largest hole grows again when what lies around it is freed',
    'SELECT line, run, free_bytes, free_largest, fragmentation FROM heap_reading', 'FujiNet #1609, AtomVM #235'),
  ('FRAG-04', 'advice', 'lmbcs is small beside sbct: a few blocks fill a carrier and pin it', NULL,
    'Blocks just below sbct are rare in this load',
    'SELECT allocator, name, value FROM allocator_option WHERE snapshot_id = $N AND name IN (''lmbcs'', ''sbct'') UNION '
      || 'SELECT n.name, o.name, o.value FROM "option" AS o JOIN name_allocator AS n USING (runtime_id, allocator_id) '
      || 'WHERE o.runtime_id = $R AND o.name IN (''lmbcs'', ''sbct'')',
    'erlang/otp #9521'),
  ('FRAG-05', 'advice', 'Alignment strands memory: the system gives more than carriers use', NULL,
    'The sizes of carriers are multiples of the alignment already',
    'SELECT alignment_bytes, result_bytes, count(*) FROM os_request WHERE runtime_id = $R AND call = 3 AND result <> 0 GROUP BY 1, 2',
    'carriers lie at multiples of their alignment; what is between is lost'),
  ('RET-01', 'info', 'Carriers of a past peak stay, moderately used',
    '+M$Slmbcs 1024 +M$Ssbct 128 +M$Smmsbc $M',
    'The next peak needs more carriers although these are half empty',
    'SELECT v.carriers_bytes, v.blocks_bytes, v.utilisation, v.utilisation_at_peak, v.at_stake_bytes, p.max_carriers_bytes, p.blocks_bytes_at_max, p.max_carriers_ts_ns, p.max_blocks_bytes FROM verdict AS v LEFT JOIN peak AS p ON p.runtime_id = v.runtime_id AND p.allocator = v.allocator AND p.scope = ''allocator'' '
      || 'WHERE v.level = ''allocator'' AND v.runtime_id = $R AND v.allocator = ''$A''',
    'recon: low now but high at max was needed once'),
  ('POOL-01', 'info', 'Carriers wait in the pool',
    '+M$Slmbcs 1024 +M$Ssbct 128 +M$Smmsbc $M',
    'Fetches rise with the next load and the pool empties',
    'SELECT v.pooled_bytes, v.at_stake_bytes, p.instance, p.puts, p.put_bytes, p.fetches, p.pooled_destroys FROM verdict AS v LEFT JOIN pool_instance AS p ON p.runtime_id = v.runtime_id AND p.allocator = v.allocator '
      || 'WHERE v.level = ''allocator'' AND v.runtime_id = $R AND v.allocator = ''$A''',
    'Larsson: badly used carriers are pooled for other schedulers'),
  ('POOL-02', 'advice', 'Pooled carriers do not fit what is asked for', NULL,
    'Misses come from a pool that was empty at that time',
    'SELECT * FROM pool_instance WHERE runtime_id = $R ORDER BY misses DESC',
    'attempts that fail although carriers wait: holes are too small'),
  ('INST-01', 'advice', 'One instance keeps unused carriers and the pool is not used', NULL,
    'Other instances make no carriers meanwhile',
    'SELECT * FROM utilisation_now_instance WHERE runtime_id = $R AND allocator = ''$A''',
    'the pool was made for this (OTP 17): schedulers that are idle keep carriers'),
  ('SBC-01', 'advice', 'Most memory of this allocator is in single-block carriers',
    NULL,
    'Multi-block carriers of that size get badly used: blocks of this size die at very different times',
    'SELECT * FROM carriers_by_kind_now WHERE runtime_id = $R AND allocator = ''$A''',
    'Larsson''s first case: 11 GB in single-block, 2.4 GB in multi-block carriers'),
  ('SBC-02', 'advice', 'More single-block carriers than mmsbc: the next came from sys_alloc', '+M$Smmsbc 1024',
    'os_request or the counters of calls show no sys_alloc',
    'SELECT * FROM utilisation_instance WHERE runtime_id = $R AND allocator = ''$A'' ORDER BY sbc_carriers DESC LIMIT 10',
    'gist maxlapshin/6231659: 256 from mseg, 1628 from sys_alloc'),
  ('SYS-01', 'advice', 'Carriers come from sys_alloc instead of the segment allocator', NULL,
    'The calls are main carriers of instances, made once',
    'SELECT call, count(*) FROM os_request WHERE runtime_id = $R AND result <> 0 GROUP BY call UNION ALL '
      || 'SELECT key, sum(current) FROM instance_stat WHERE snapshot_id = $N AND section = ''calls'' '
      || 'AND key IN (''mseg_alloc'', ''sys_alloc'') AND allocator <> ''mseg_alloc'' GROUP BY key',
    'Larsson: many sys_alloc calls, each a malloc'),
  ('MSEG-01', 'advice', 'The segment cache misses often', NULL,
    'Creates per second are few: the calls are old',
    'SELECT NULL AS instance, key, sum(current) AS current FROM instance_stat WHERE snapshot_id = $N AND allocator = ''mseg_alloc'' AND key IN (''cache_hits'', ''mseg_alloc'') GROUP BY key '
      || 'UNION ALL SELECT instance, key, current FROM instance_stat WHERE snapshot_id = $N AND allocator = ''mseg_alloc'' AND key IN (''cache_hits'', ''mseg_alloc'')',
    'recon: hit rate should be above 0.8'),
  ('MSEG-02', 'info', 'Much of the memory is in the segment cache: allocators gave it back, and the node keeps it for their next segments', NULL,
    'A reading some 10 s later, in which no large block came or went, has as much of it',
    'SELECT name, abs(bytes) AS bytes, quality FROM waterfall WHERE allocator IS NULL AND name IN (''from the system'', ''segment cache'') AND (runtime_id = $R OR snapshot_id = $N)',
    'measured on OTP 25.2.3: beside a heap that grows by 30 MB a second 526 MiB and 212 in segments; 10 s after it stopped nothing was cached, nor with +MMmcs 0'),
  ('JIT-01', 'warning', 'Code is loaded again and again, and what the JIT keeps of each load for debuggers stays: in no allocator, and no flag frees it', NULL,
    'From reading to reading it grows no more: code was loaded once, at the start',
    'SELECT snapshot_id, ts_ns, key, bytes FROM snapshot_memory WHERE runtime_id = $R AND key IN (''jit_debug'', ''code'', ''os_resident'') ORDER BY ts_ns, id',
    'measured on OTP 25.2.3: 9.4 KiB of resident memory more for each load of a module of 12 KiB, though it was purged'),
  ('JIT-02', 'info', 'What the JIT keeps of loaded code for debuggers cannot be seen on this emulator, so JIT-01 cannot fire', NULL,
    'Code is loaded once, at the start',
    'SELECT DISTINCT key, value FROM runtime_fact WHERE runtime_id = $R AND key IN (''emu_flavor'', ''otp_release'', ''erts_version'') '
      || 'UNION ALL SELECT ''readings'', count(*) FROM snapshot_end WHERE runtime_id = $R',
    'OTP 29 hides its symbols, and with them the list for debuggers; a file that is not stripped has them'),
  ('HEAP-01', 'info', 'One heap is a large part of the memory; its next size is a fifth larger, and both exist while it is collected', NULL,
    'The process has a max_heap_size, or is known to shrink',
    'SELECT * FROM sbc_mbc_ratio WHERE runtime_id = $R AND allocator = ''eheap_alloc''',
    'heap sizes grow by a fifth beyond 833,026 words'),
  ('HEAP-02', 'info', 'What the collection of one process freed, which the user asked for: what it did not collect, or what it keeps', NULL,
    'It was collected just before, or works with much that lives only for a moment',
    'SELECT DISTINCT key, value FROM runtime_fact WHERE runtime_id = $R AND key LIKE ''collected%''',
    'erlang:garbage_collect/2'),
  ('TEMP-02', 'advice', 'Very many large blocks of one type are made and freed at once', NULL,
    'They are few in a longer recording: it was a start, or a single large job',
    'SELECT (SELECT max(t.name) FROM name_type AS t WHERE t.runtime_id = a.runtime_id AND t.type_id = a.type_id) AS type, '
      || '(SELECT sum(m.made) FROM block_made_size AS m WHERE m.account_id = a.id AND m.size_from >= 524288) AS blocks, '
      || '(SELECT sum(m.made_bytes) FROM block_made_size AS m WHERE m.account_id = a.id AND m.size_from >= 524288) AS bytes, '
      || '(SELECT sum(l.ends) FROM block_life AS l WHERE l.account_id = a.id) AS ends, '
      || '(SELECT sum(l.ends) FROM block_life AS l WHERE l.account_id = a.id AND l.life_from_ns < 16777216) AS short_ends '
      || 'FROM block_account AS a LEFT JOIN allocator_name AS n ON n.runtime_id = a.runtime_id AND n.allocator_id = a.allocator_id '
      || 'WHERE a.runtime_id = $R AND ifnull(n.name, ''allocator '' || a.allocator_id) = ''$A'' AND a.scope = ''type'' ORDER BY bytes DESC LIMIT 20',
    'RabbitMQ 3.10 read its sockets into 53,066 binaries of 2 to 4 MiB in 50 s'),
  ('SUPER-01', 'warning', 'The super carrier is nearly full', NULL,
    '+MMsco true was not set: the rest comes from the system',
    'SELECT snapshot_id, allocator, key, current FROM instance_stat_all WHERE snapshot_id = $N AND allocator = ''default_mmap'' AND section = ''supercarrier''',
    'a node with +MMscs that is full asks the system, or with +MMsco true dies'),
  ('REC-01', 'info', 'The buffers of the recorder are large beside the node', NULL,
    'They are gone when the session is destroyed, and resident memory falls by as much',
    'SELECT allocator, moment, quantity, low, likely, high FROM figure WHERE runtime_id = $R AND quantity IN (''own_buffers_bytes'', ''resident_bytes'', ''carriers_bytes'') AND allocator = ''all''',
    'LTTng has buffers for each CPU: eight of 8 MiB on 64 of them are 4 GiB'),
  ('LOSS-01', 'info', 'Events were lost: counters are right where they are recorded, sums and the pool are not', NULL,
    'With larger sub-buffers nothing is lost, and the figures are the same',
    'SELECT s.lost_events, s.lost_packets, i.cause, i.begin_ns, i.end_ns, i.events, i.packets FROM source AS s LEFT JOIN lost_interval AS i ON i.source_id = s.id WHERE s.id = $S', 'a gap bends every curve'),
  ('LOSS-02', 'info', 'Allocators of the dump are missing: its figures are incomplete', NULL,
    'A complete dump of the node shows the same: look for one, and let ERL_CRASH_DUMP_SECONDS, ERL_CRASH_DUMP_BYTES and the disk allow it',
    'SELECT ended, end_offset_bytes, slogan, cause FROM crash_dump WHERE snapshot_id = $N', 'a dump is written while the node dies: heart, a full disk or a limit may end it'),
  ('BOUND-01', 'info', 'Upper limit of what flags can save', NULL,
    '',
    'SELECT * FROM verdict WHERE runtime_id = $R OR snapshot_id = $N', 'every allocator must at least hold the live blocks'),
  ('OK-01', 'info', 'Nothing wrong', NULL,
    'Memory is short all the same: then it is outside the allocators (NIFs, malloc, the page cache), or blocks really are many',
    'SELECT * FROM verdict WHERE runtime_id = $R OR snapshot_id = $N', 'the verdict is normal');

-- Letters of allocators in +M flags.
CREATE TEMP VIEW _flag_letter AS
SELECT column1 AS allocator, column2 AS letter FROM (VALUES ('binary_alloc', 'B'), ('std_alloc', 'D'), ('ets_alloc', 'E'), ('fix_alloc', 'F'),
  ('eheap_alloc', 'H'), ('literal_alloc', 'I'), ('ll_alloc', 'L'), ('driver_alloc', 'R'),
  ('sl_alloc', 'S'), ('temp_alloc', 'T'));

-- _setting: numbers in force, of the instances of schedulers where these differ.
CREATE TEMP VIEW _setting AS
SELECT o.runtime_id AS subject_id, n.name AS allocator, o.name, max(CAST(o.value AS INTEGER)) AS value
FROM "option" AS o
JOIN allocator_name AS n ON n.runtime_id = o.runtime_id AND n.allocator_id = o.allocator_id
GROUP BY 1, 2, 3
UNION ALL
SELECT -snapshot_id, allocator, name, max(CAST(value AS INTEGER))
FROM allocator_option
GROUP BY 1, 2, 3;

-- Larsson's first case, and its way to sys_alloc.
CREATE TEMP VIEW _rule_sbc AS
WITH figure AS (
  SELECT *,
    1.0 * sbc_blocks_bytes / nullif(sbc_blocks, 0) AS mean,
    -- A block of sbct bytes has a carrier of its own still: the next power of two above.
    2 << CAST(log2(max(1, sbc_blocks_bytes / max(1, sbc_blocks) / 1024.0)) AS INTEGER) AS kib
  FROM _memory_by_allocator
)
SELECT 'SBC-01' AS rule, h.subject_id, h.allocator, NULL AS instance,
  h.sbc_bytes AS bytes, h.kib,
  format('%.1f MiB of %s, %.0f %%, are in %d single-block carriers; a block there has %.0f KiB on average.',
    h.sbc_bytes / 1048576.0, h.allocator, 100.0 * h.sbc_bytes / (h.sbc_bytes + h.mbc_bytes),
    h.sbc_carriers, h.mean / 1024) AS sentence,
  format('{"single_block_bytes": %s, "multi_block_bytes": %s, "single_block_carriers": %s, "mean_block_bytes": %s}',
    ifnull(h.sbc_bytes, 'null'), ifnull(h.mbc_bytes, 'null'), ifnull(h.sbc_carriers, 'null'), ifnull(h.mean, 'null')) AS figures,
  iif(h.snapshot_id IS NULL, 'bound', 'exact') AS confidence
FROM figure AS h
JOIN finding_threshold AS s ON s.name = 'sbc_share'
JOIN finding_threshold AS b ON b.name = 'sbc_bytes'
JOIN finding_threshold AS n ON n.name = 'sbc_blocks'
WHERE h.sbc_bytes > s.value * (h.sbc_bytes + h.mbc_bytes)
  AND h.sbc_bytes >= b.value AND h.sbc_carriers >= n.value
  AND h.allocator <> 'eheap_alloc'
UNION ALL
SELECT 'SBC-02', h.subject_id, h.allocator, NULL, h.sbc_bytes, h.kib,
  format('An instance of %s had %d single-block carriers at once: those beyond %d came from sys_alloc.',
    h.allocator, m.most, ifnull(o.value, l.value)),
  format('{"most_single_block_carriers": %s, "limit": %s}',
    ifnull(m.most, 'null'), ifnull(ifnull(o.value, l.value), 'null')),
  iif(h.snapshot_id IS NULL, 'bound', 'exact')
FROM figure AS h
JOIN finding_threshold AS l ON l.name = 'sbc_limit_carriers'
JOIN (
  SELECT i.runtime_id AS subject_id, i.allocator, max(b.last_sbc_carriers) AS most
  FROM scope_bucket AS b
  JOIN _instance AS i ON i.instance_id = b.scope_id
  WHERE b.scope = 'instance'
  GROUP BY i.runtime_id, i.allocator
  UNION ALL
  SELECT -snapshot_id, allocator, max(max_ever)
  FROM instance_stat WHERE section = 'sbcs' AND key = 'carriers'
  GROUP BY snapshot_id, allocator
) AS m ON m.subject_id = h.subject_id AND m.allocator = h.allocator
LEFT JOIN _setting AS o
  ON o.subject_id = h.subject_id AND o.allocator = h.allocator AND o.name = 'mmsbc'
WHERE m.most > ifnull(o.value, l.value)
  -- Its own "wrong if": where requests were recorded, some went to sys_alloc.
  AND NOT (h.subject_id IN (SELECT runtime_id FROM os_request)
    AND h.subject_id NOT IN (SELECT runtime_id FROM os_request WHERE call = 3 AND result <> 0));

-- Instances, pool, settings.
CREATE TEMP VIEW _rule_instance AS
SELECT 'INST-01' AS rule, u.runtime_id AS subject_id, u.allocator, u.instance,
  u.mbc_carriers_bytes - u.mbc_blocks_bytes AS bytes, NULL AS kib,
  format('Instance %d of %s keeps %.1f MiB unused; %d other instances made carriers, and nothing went through the pool.',
    u.instance, u.allocator, (u.mbc_carriers_bytes - u.mbc_blocks_bytes) / 1048576.0,
    (SELECT count(*) FROM _instance AS i
     JOIN scope_total AS m
       ON m.source_id = i.source_id AND m.scope = 'instance' AND m.scope_id = i.instance_id
     WHERE i.runtime_id = u.runtime_id AND i.allocator = u.allocator
       AND i.instance <> u.instance AND m.mbc_creates > 0)) AS sentence,
  format('{"unused_bytes": %s, "carriers": %s}',
    ifnull(u.mbc_carriers_bytes - u.mbc_blocks_bytes, 'null'), ifnull(u.mbc_carriers, 'null')) AS figures,
  'estimate' AS confidence
FROM utilisation_now_instance AS u
JOIN pool AS p ON p.level = 'runtime' AND p.runtime_id = u.runtime_id AND p.puts = 0
JOIN _memory_by_allocator AS s ON s.subject_id = u.runtime_id AND s.allocator = u.allocator AND s.instances >= 3
JOIN finding_threshold AS b ON b.name = 'matter_bytes'
JOIN finding_threshold AS t ON t.name = 'low_utilisation_ratio'
WHERE u.mbc_carriers >= 2
  AND u.instance > 0 AND u.allocator <> 'temp_alloc' -- these never take part in the pool
  AND s.mbc_blocks_bytes < t.value * s.mbc_bytes
  AND u.mbc_utilisation < t.value
  AND u.mbc_carriers_bytes - u.mbc_blocks_bytes >= b.value + u.mbc_carriers_bytes / u.mbc_carriers
  AND u.mbc_carriers_bytes - u.mbc_blocks_bytes > 0.5 * (s.mbc_bytes - s.mbc_blocks_bytes)
UNION ALL
SELECT 'POOL-02', p.runtime_id, NULL, NULL, q.pool_min_bytes, NULL,
  format('%d of %d attempts to fetch from the pool failed, although %.1f MiB waited there at the end.',
    p.misses, p.attempts, q.pool_min_bytes / 1048576.0),
  format('{"attempts": %s, "fetches": %s, "misses": %s, "hit_rate": %s}',
    ifnull(p.attempts, 'null'), ifnull(p.fetches, 'null'), ifnull(p.misses, 'null'), ifnull(p.hit_rate, 'null')),
  'estimate'
FROM pool AS p
JOIN _subject AS q ON q.subject_id = p.runtime_id
JOIN finding_threshold AS a ON a.name = 'pool_attempts'
JOIN finding_threshold AS h ON h.name = 'pool_hit_rate'
JOIN finding_threshold AS b ON b.name = 'matter_bytes'
WHERE p.level = 'runtime' AND p.attempts >= a.value AND p.hit_rate < h.value
  AND q.pool_min_bytes >= b.value
UNION ALL
SELECT 'FRAG-04', l.subject_id, iif(count(*) = 1, l.allocator, NULL), NULL, sum(h.mbc_bytes - h.mbc_blocks_bytes), l.value / CAST(t.value AS INTEGER) / 1024,
  format('%s: lmbcs is %d KiB, only %.1f times sbct (%d KiB).', group_concat(l.allocator, ', '), l.value / 1024,
    1.0 * l.value / s.value, s.value / 1024),
  format('{"lmbcs_bytes": %s, "sbct_bytes": %s}',
    ifnull(l.value, 'null'), ifnull(s.value, 'null')), 'exact'
FROM (SELECT * FROM _setting WHERE name = 'lmbcs' ORDER BY allocator) AS l
JOIN _setting AS s ON s.subject_id = l.subject_id AND s.allocator = l.allocator AND s.name = 'sbct'
JOIN finding_threshold AS t ON t.name = 'lmbcs_by_sbct_ratio'
JOIN finding_threshold AS b ON b.name = 'matter_bytes'
LEFT JOIN _memory_by_allocator AS h ON h.subject_id = l.subject_id AND h.allocator = l.allocator
WHERE s.value > 0 AND l.value < t.value * s.value
  -- It matters where carriers are, or were, empty in part.
  AND ifnull(max(h.mbc_bytes + h.pool_bytes - h.mbc_blocks_bytes, h.peak_bytes - h.peak_blocks_bytes) >= b.value, h.subject_id IS NULL)
  AND s.value < 1 << 31 -- above, also the greatest of 32 bits: never a single-block carrier
GROUP BY l.subject_id, l.value, s.value;

-- What the system below was asked for.
CREATE TEMP VIEW _rule_system AS
WITH request AS (
  SELECT runtime_id, call,
    count(*) AS calls, sum(result_bytes) AS given_bytes,
    sum((alignment_bytes - result_bytes % max(1, alignment_bytes)) % max(1, alignment_bytes))
      AS stranded_bytes
  FROM os_request
  WHERE result <> 0
  GROUP BY runtime_id, call
),
node_calls AS (
  SELECT snapshot_id,
    sum(current) FILTER (WHERE section = 'calls' AND key = 'mseg_alloc' AND allocator <> 'mseg_alloc') AS mseg,
    sum(current) FILTER (WHERE section = 'calls' AND key = 'sys_alloc') AS sys,
    sum(current) FILTER (WHERE allocator = 'mseg_alloc' AND key = 'cache_hits') AS hits,
    sum(current) FILTER (WHERE allocator = 'mseg_alloc' AND section = 'calls' AND key = 'mseg_alloc') AS mseg_calls
  FROM instance_stat
  GROUP BY snapshot_id
),
calls AS (
  SELECT runtime_id AS subject_id,
    sum(calls) FILTER (WHERE call = 0) AS mseg, sum(calls) FILTER (WHERE call = 3) AS sys,
    'exact' AS confidence
  FROM request GROUP BY runtime_id
  UNION ALL
  SELECT -snapshot_id, mseg, sys, 'exact' FROM node_calls
)
SELECT 'SYS-01' AS rule, c.subject_id, NULL AS allocator, NULL AS instance, NULL AS bytes, NULL AS kib,
  format('%d carriers were asked of sys_alloc, %d of the segment allocator.', c.sys, ifnull(c.mseg, 0)) AS sentence,
  format('{"sys_alloc_calls": %s, "mseg_alloc_calls": %s}',
    ifnull(c.sys, 'null'), ifnull(ifnull(c.mseg, 0), 'null')) AS figures, c.confidence
FROM calls AS c
JOIN finding_threshold AS t ON t.name = 'mseg_calls'
WHERE c.sys > ifnull(c.mseg, 0) AND c.sys >= t.value
  -- Its own "wrong if": main carriers are made once for each instance.
  AND c.sys > ifnull((SELECT sum(h.instances) FROM _memory_by_allocator AS h WHERE h.subject_id = c.subject_id), 0)
  -- Where there is no segment allocator (boards, some systems) there is nothing to prefer.
  AND (c.mseg IS NOT NULL OR EXISTS (
    SELECT 1 FROM "option" AS o WHERE o.runtime_id = c.subject_id AND o.name = 'Mmcs'))
UNION ALL
SELECT 'MSEG-01', -c.snapshot_id, 'mseg_alloc', NULL, NULL, NULL,
  format('%d of %d segments came from the cache: %.1f %%.', c.hits, c.mseg_calls, 100.0 * c.hits / c.mseg_calls),
  format('{"hits": %s, "calls": %s, "hit_rate": %s}',
    ifnull(c.hits, 'null'), ifnull(c.mseg_calls, 'null'), ifnull(1.0 * c.hits / c.mseg_calls, 'null')), 'exact'
FROM node_calls AS c
JOIN finding_threshold AS t ON t.name = 'mseg_calls'
JOIN finding_threshold AS h ON h.name = 'mseg_hit_rate'
WHERE c.mseg_calls >= t.value AND c.hits < h.value * c.mseg_calls
  AND NOT EXISTS (
    SELECT 1 FROM _setting AS o -- 30 is the most that the runtime takes
    WHERE o.subject_id = -c.snapshot_id AND o.allocator = 'mseg_alloc' AND o.name = 'mcs'
      AND o.value >= 30)
UNION ALL
SELECT 'FRAG-05', r.runtime_id, NULL, NULL, sum(r.stranded_bytes), NULL,
  format('Up to %.1f MiB beside the %.1f MiB from sys_alloc are stranded: what lies before the next multiple of the alignment fits nothing else of this kind.',
    sum(r.stranded_bytes) / 1048576.0, sum(r.given_bytes) / 1048576.0),
  format('{"given_bytes": %s, "stranded_max_bytes": %s}',
    ifnull(sum(r.given_bytes), 'null'), ifnull(sum(r.stranded_bytes), 'null')), 'bound'
FROM request AS r
JOIN finding_threshold AS t ON t.name = 'stranded_share'
WHERE r.call = 3
GROUP BY r.runtime_id
HAVING sum(r.stranded_bytes) > max(t.value) * sum(r.given_bytes)
UNION ALL
SELECT 'JIT-01', d.runtime_id, NULL, NULL, d.last_bytes - d.first_bytes, NULL,
  format('Loading code added %.1f MiB outside of all allocators in %d readings: %.1f MiB are kept for debuggers.',
    (d.last_bytes - d.first_bytes) / 1048576.0, d.readings, d.last_bytes / 1048576.0),
  format('{"first_bytes": %d, "last_bytes": %d, "readings": %d}', d.first_bytes, d.last_bytes, d.readings), 'exact'
FROM (
  SELECT DISTINCT runtime_id,
    first_value(bytes) OVER process_curve AS first_bytes, last_value(bytes) OVER process_curve AS last_bytes, count(*) OVER process_curve AS readings
  FROM snapshot_memory
  WHERE "key" = 'jit_debug'
  WINDOW process_curve AS (PARTITION BY runtime_id ORDER BY ts_ns, id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
) AS d
JOIN finding_threshold AS t ON t.name = 'matter_bytes'
WHERE d.last_bytes - d.first_bytes >= t.value
UNION ALL
SELECT 'HEAP-02', c.runtime_id, NULL, NULL, (c.heap_before - c.heap_after) + (c.binaries_before - c.binaries_after), NULL,
  CASE WHEN c.heap_after IS NULL THEN c.who || ' was not collected: it had ended, or did not come to it within 5 s.'
    ELSE format('Collecting %s freed %.1f of %.1f MiB of heap and %.1f of at most %.1f MiB of binaries: %s.', c.who,
      (c.heap_before - c.heap_after) / 1048576.0, c.heap_before / 1048576.0,
      (c.binaries_before - c.binaries_after) / 1048576.0, c.binaries_before / 1048576.0,
      iif(2 * (c.heap_after + c.binaries_after) <= c.heap_before + c.binaries_before, 'it had not collected what it no longer uses', 'it keeps what is left')) END,
  format('{"heap_before_bytes": %s, "heap_after_bytes": %s, "binaries_before_bytes": %s, "binaries_after_bytes": %s}', ifnull(c.heap_before, 'null'),
    ifnull(c.heap_after, 'null'), ifnull(c.binaries_before, 'null'), ifnull(c.binaries_after, 'null')), 'exact'
FROM (
  SELECT t.*, ifnull((SELECT max(l.text) FROM _process_label AS l WHERE l.runtime_id = t.runtime_id AND l.pid = t.pid), t.pid) AS who
  FROM _tried_collection AS t
) AS c
UNION ALL
SELECT 'JIT-02', f.runtime_id, NULL, NULL, NULL, NULL,
  format('Release %s hides what its JIT keeps for debuggers: %d readings have no figure for it. It would be a part of what grows outside of all allocators.',
    ifnull((SELECT r.value FROM runtime_fact AS r WHERE r.runtime_id = f.runtime_id AND r."key" = 'otp_release' LIMIT 1), '?'), count(*)),
  format('{"readings": %d}', count(*)), 'exact'
FROM (SELECT DISTINCT runtime_id FROM runtime_fact WHERE "key" = 'emu_flavor' AND value = 'jit') AS f
JOIN snapshot_end AS e ON e.runtime_id = f.runtime_id
WHERE NOT EXISTS (SELECT 1 FROM snapshot_memory AS m WHERE m.runtime_id = f.runtime_id AND m."key" = 'jit_debug')
GROUP BY f.runtime_id;

-- What a program does too often, what is nearly full, and what we are ourselves.
CREATE TEMP VIEW _rule_habit AS
WITH life AS (
  SELECT l.account_id, sum(l.ends) AS ends, sum(iif(l.life_from_ns < 16777216, l.ends, 0)) AS short_ends
  FROM block_life AS l
  GROUP BY l.account_id
),
large AS (
  SELECT m.account_id, sum(m.made) AS made, sum(m.made_bytes) AS made_bytes
  FROM block_made_size AS m
  WHERE m.size_from >= 524288
  GROUP BY m.account_id
)
SELECT 'TEMP-02' AS rule, a.runtime_id AS subject_id, a.allocator, NULL AS instance, g.made_bytes AS bytes, NULL AS kib,
  format('%d blocks of type %s with %.1f MiB on average were made in %.0f s; most lived less than 17 ms.',
    g.made, ifnull(a.type, '?'), g.made_bytes / 1048576.0 / g.made, (s.last_ts_ns - s.first_ts_ns) / 1e9) AS sentence,
  format('{"blocks": %d, "bytes": %d, "ends": %d, "short_ends": %d}', g.made, g.made_bytes, l.ends, l.short_ends) AS figures,
  'exact' AS confidence
FROM large AS g
JOIN _block_account AS a ON a.id = g.account_id AND a.scope = 'type' AND a.allocator_id IS NOT NULL
JOIN source AS s ON s.id = a.source_id
JOIN life AS l ON l.account_id = g.account_id
JOIN finding_threshold AS t ON t.name = 'temporary_blocks'
WHERE g.made >= t.value AND l.short_ends >= 0.9 * l.ends AND l.ends >= 0.9 * g.made
UNION ALL
SELECT 'SUPER-01', ifnull(n.runtime_id, -u.snapshot_id), NULL, NULL, u.total - u.used, NULL,
  format('%.1f MiB of the super carrier''s %.1f MiB are in use: %.0f %%.', u.used / 1048576.0, u.total / 1048576.0, 100.0 * u.used / u.total),
  format('{"used_bytes": %d, "total_bytes": %d}', u.used, u.total), 'exact'
FROM (
  SELECT snapshot_id, max(current) FILTER (WHERE key = 'total') AS total, max(current) FILTER (WHERE key = 'used') AS used
  FROM _stat_at_end
  WHERE allocator = 'default_mmap' AND section = 'supercarrier' AND key IN ('total', 'used')
  GROUP BY snapshot_id
) AS u
LEFT JOIN _snapshot_at_end AS n ON n.snapshot_id = u.snapshot_id
JOIN finding_threshold AS t ON t.name = 'super_share'
WHERE u.total > 0 AND u.used >= t.value * u.total
UNION ALL
SELECT 'MSEG-02', ifnull(n.runtime_id, -w.snapshot_id), NULL, NULL, w.cached_bytes, NULL,
  format('The segment cache keeps %.1f MiB of %.1f MiB that the node has from the system: allocators gave it back, and it is in no carrier.',
    w.cached_bytes / 1048576.0, w.mapped_bytes / 1048576.0),
  format('{"cached_bytes": %d, "mapped_bytes": %d}', w.cached_bytes, w.mapped_bytes), 'exact'
FROM _below AS w
LEFT JOIN _snapshot_at_end AS n ON n.snapshot_id = w.snapshot_id
JOIN finding_threshold AS t ON t.name = 'cache_share'
JOIN finding_threshold AS b ON b.name = 'matter_bytes'
WHERE w.cached_bytes >= b.value AND w.cached_bytes >= t.value * w.mapped_bytes
UNION ALL
SELECT 'REC-01', o.subject_id, NULL, NULL, o.likely, NULL,
  format('The buffers of LTTng inside the process have %.1f MiB in memory%s: no allocator of the node holds them.',
    o.likely / 1048576.0, ifnull(format(', of %.1f MiB that are resident in all', m.likely / 1048576.0), '')),
  format('{"own_buffers_bytes": %d, "resident_bytes": %s}', o.likely, ifnull(m.likely, 'null')),
  o.quality
FROM figure AS o
LEFT JOIN figure AS m ON m.subject_id = o.subject_id AND m.allocator = 'all' AND m.moment = 'end' AND m.quantity = 'resident_bytes'
LEFT JOIN figure AS c ON c.subject_id = o.subject_id AND c.allocator = 'all' AND c.moment = 'end' AND c.quantity = 'carriers_bytes'
JOIN finding_threshold AS t ON t.name = 'recorder_share'
JOIN finding_threshold AS b ON b.name = 'matter_bytes'
WHERE o.allocator = 'all' AND o.moment = 'end' AND o.quantity = 'own_buffers_bytes'
  AND o.likely >= b.value AND o.likely >= t.value * coalesce(m.likely, c.likely, 0);

INSERT INTO view_doc VALUES
  ('finding_rule', '', 'row', 'fast', 'One row for each named rule of findings'),
  ('finding_rule', 'rule', 'text', 'label', 'Name of the rule'),
  ('finding_rule', 'severity', 'text', 'label', 'critical, warning, advice or info'),
  ('finding_rule', 'title', 'text', 'label', 'Its title'),
  ('finding_rule', 'flag', 'text', 'label', 'Flags that saved memory where they were measured: $S stands for the letter of the allocator, $M for as many single-block carriers of 64 KiB as the peak had room for; NULL: none did'),
  ('finding_rule', 'falsify', 'text', 'label', 'How to falsify it'),
  ('finding_rule', 'evidence', 'text', 'label', 'Query that shows it: $R stands for runtime_id, $N for snapshot_id, $S for source_id, $A for the allocator; of a node that was read another query takes its place where it needs $R alone'),
  ('finding_rule', 'basis', 'text', 'label', 'Where the rule comes from');
