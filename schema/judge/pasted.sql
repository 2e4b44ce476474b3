-- SPDX-License-Identifier: MIT
--
-- Layer:   verdicts
-- Serves:  verdict, report pasted
--
-- What is to be said of figures that are of no allocator instance: results of erlang:memory(), of recon and of instrument,
-- classes of other programs, flags.  Figures are exact, as they were printed; what they do not show is said, and what to run.

-- _memory_key: one row for each snapshot and class of erlang:memory(), with its amount in words.  is_part: one of those
-- that `total` consists of.
CREATE TEMP VIEW _memory_key AS
SELECT m.snapshot_id, s.source_id, s.id, m.key, m.bytes,
  max(iif(m.key = 'total', m.bytes, NULL)) OVER (PARTITION BY m.snapshot_id) AS total_bytes,
  format('%,d bytes', m.bytes) || CASE WHEN m.bytes >= 1000000000 THEN format(' (%.1f GB)', m.bytes / 1e9)
    WHEN m.bytes >= 1048576 THEN format(' (%.1f MiB)', m.bytes / 1048576.0) ELSE '' END AS amount,
  m.key IN ('processes', 'binary', 'ets', 'code', 'atom') AS is_part
FROM memory_sample AS m
JOIN snapshot AS s ON s.id = m.snapshot_id
WHERE m.key IN ('total', 'processes', 'system', 'binary', 'ets', 'code', 'atom');

-- _memory_advice: one row for each class of erlang:memory(): what shows who holds it.
CREATE TEMP VIEW _memory_advice AS
SELECT column1 AS key, column2 AS advice
FROM (VALUES ('ets', 'Look at tables: erl> lists:sublist(lists:reverse(lists:sort([{ets:info(T, memory), ets:info(T, name), ets:info(T, owner)} || T <- ets:all(), is_integer(ets:info(T, memory))])), 10).'),
  ('processes', 'Look at processes: erl> recon:proc_count(memory, 10).'),
  ('binary', 'Look at who refers to binaries: erl> recon:proc_count(binary_memory, 10), and recon:bin_leak(10).'),
  ('code', 'Count modules: erl> length(code:all_loaded()).'),
  ('atom', 'Count atoms: erl> erlang:system_info(atom_count).'));

-- _memory_reading: one row for each snapshot with results of erlang:memory() or =memory: what is largest, in words.
--
-- Worked example, tests/views/_memory_reading: of 1000 bytes 870 are in tables.
CREATE TEMP VIEW _memory_reading AS
WITH part AS (
  SELECT *, row_number() OVER (PARTITION BY snapshot_id ORDER BY is_part DESC, bytes DESC, key) AS rank,
    CASE key WHEN 'ets' THEN 'ETS' WHEN 'binary' THEN 'binaries' WHEN 'atom' THEN 'atoms' ELSE key END AS name
  FROM _memory_key
)
SELECT snapshot_id, source_id, max(total_bytes) AS total_bytes,
  max(iif(rank = 1 AND is_part, key, NULL)) AS key,
  max(iif(rank = 1 AND is_part, name, NULL)) AS name,
  max(iif(rank = 1 AND is_part, 1.0 * bytes / nullif(total_bytes, 0), NULL)) AS share,
  max(iif(key = 'total', amount, NULL)) AS total_text,
  group_concat(iif(is_part, name || ' ' || amount || iif(total_bytes > 0, format(', %.0f %%', 100.0 * bytes / total_bytes), ''), NULL), '; ') AS parts
FROM (SELECT * FROM part ORDER BY snapshot_id, rank)
GROUP BY snapshot_id, source_id;

-- _memory_growth: one row for each source with two and more results of erlang:memory(): the class that rose most, and
-- whether it rose each time.
--
-- Worked example, tests/views/_memory_growth: binaries rise twice by 100 bytes, all else stays.
CREATE TEMP VIEW _memory_growth AS
WITH step AS (
  SELECT source_id, key, id, bytes, total_bytes, bytes - lag(bytes) OVER reading AS more
  FROM _memory_key
  WHERE is_part
  WINDOW reading AS (PARTITION BY source_id, key ORDER BY id)
),
change AS (
  SELECT source_id, key, count(*) AS readings, ifnull(max(total_bytes), max(bytes)) AS total_bytes, sum(more) AS grown, sum(more > 0) AS rises,
    min(more) AS least, max(more) AS most, sum(abs(more)) AS moved
  FROM step
  GROUP BY source_id, key
  HAVING count(*) > 1
)
SELECT c.source_id, c.key, c.readings, c.grown, c.rises = c.readings - 1 AS is_steady, c.least, c.most,
  c.grown >= 0.01 * c.total_bytes AS is_much,
  (SELECT count(*) FROM change AS o WHERE o.source_id = c.source_id) AS classes,
  (SELECT group_concat(format('%s %s%,d bytes', o.key, iif(o.grown > 0, '+', ''), o.grown), ', ') FROM change AS o
    WHERE o.source_id = c.source_id AND o.key <> c.key AND o.moved > 0.01 * c.grown) AS others
FROM (SELECT *, row_number() OVER (PARTITION BY source_id ORDER BY grown DESC, key) AS rank FROM change) AS c
WHERE c.rank = 1;

-- _instrument_text: one row for each snapshot of instrument:allocations(): what has most, in words.  The bounds of a histogram
-- follow from the end of its first bucket, which is the same by both rules; the last bucket has no end.
--
-- Worked example, tests/views/_instrument_text: three blocks, of at most 256 bytes each by the rule since OTP 27.
CREATE TEMP VIEW _instrument_text AS
WITH bucket AS (
  SELECT h.snapshot_id, h.origin, h.type, h.bucket, h.blocks, h.rule,
    max(iif(h.bucket = 0, h.to_bytes, NULL)) OVER histogram AS start_bytes,
    max(h.bucket) OVER histogram AS last_bucket
  FROM histogram_bucket AS h
  WHERE h.kind = 'blocks'
  WINDOW histogram AS (PARTITION BY h.snapshot_id, h.origin, h.type)
),
part AS (
  SELECT snapshot_id, origin, type, sum(blocks) AS blocks, max(rule) AS rule, max(start_bytes) AS start_bytes,
    sum(iif(bucket = 0, blocks, 0)) AS small,
    sum(CAST(blocks AS REAL) * start_bytes * (1 << bucket)) AS new_bytes,
    sum(CAST(blocks AS REAL) * start_bytes * ((2 << bucket) - 1)) AS old_bytes,
    max(iif(bucket = last_bucket AND blocks > 0, 1, 0)) AS is_open
  FROM bucket
  GROUP BY snapshot_id, origin, type
),
ranked AS (
  SELECT *, row_number() OVER (PARTITION BY snapshot_id ORDER BY new_bytes DESC, origin, type) AS by_bytes,
    row_number() OVER (PARTITION BY snapshot_id ORDER BY small DESC, origin, type) AS by_small,
    CASE WHEN new_bytes >= 1e9 THEN format('%.1f GB', new_bytes / 1e9) WHEN new_bytes >= 1e6 THEN format('%.1f MB', new_bytes / 1e6)
      ELSE format('%,d bytes', CAST(new_bytes AS INTEGER)) END AS new_text,
    CASE WHEN old_bytes >= 1e9 THEN format('%.1f GB', old_bytes / 1e9) WHEN old_bytes >= 1e6 THEN format('%.1f MB', old_bytes / 1e6)
      ELSE format('%,d bytes', CAST(old_bytes AS INTEGER)) END AS old_text
  FROM part
)
SELECT r.snapshot_id,
  format('%s''s %s may hold up to %s', r.origin, r.type, iif(r.rule = 'otp21', r.old_text, r.new_text))
    || iif(r.rule = 'unknown', format(' where OTP is 27 and later (up to 25: %s)', r.old_text), '')
    || iif(r.is_open, ', and more: its last bucket has no end', '') || '. '
    || ifnull((SELECT format('Most small blocks: %s''s %s has %,d below %,d bytes. ', s.origin, s.type, s.small, s.start_bytes)
      FROM ranked AS s WHERE s.snapshot_id = r.snapshot_id AND s.by_small = 1 AND s.small > 0), '')
    || 'Blocks: ' || (SELECT group_concat(p.text, ', ') FROM (
        SELECT format('%s %s %,d', origin, type, blocks) AS text FROM ranked
        WHERE snapshot_id = r.snapshot_id ORDER BY by_bytes LIMIT 6) AS p) || '. '
    || ifnull((SELECT format('%,d bytes were not scanned. ', b.unscanned_bytes) FROM block_scan AS b
      WHERE b.snapshot_id = r.snapshot_id AND b.unscanned_bytes > 0), '')
    || 'Only blocks with tags are counted. The histograms: carrierscope report histograms FILE.' AS sentence
FROM ranked AS r
WHERE r.by_bytes = 1;

-- _carriers_text: one row for each snapshot of instrument:carriers(), in words.
CREATE TEMP VIEW _carriers_text AS
SELECT c.snapshot_id,
  format('instrument:carriers() lists %,d carriers with %,d bytes (%.1f MiB); what %,d bytes of them hold was not looked at.',
    count(*), sum(c.size), sum(c.size) / 1048576.0, sum(c.unscanned_bytes)) AS sentence
FROM carrier_scan AS c
GROUP BY c.snapshot_id;

-- _pasted_amount: one row for each figure of a paste, with its amount in words.
CREATE TEMP VIEW _pasted_amount AS
SELECT f.*, CASE
    WHEN f.value IS NULL THEN ifnull(f.words, 'infinity')
    WHEN f.unit = 'ratio' THEN format('%.4f', f.value)
    WHEN f.unit = '?' THEN format('%.2f', f.value)
    WHEN f.unit = 'words' THEN format('%,d words', CAST(f.value AS INTEGER)) || iif(f.value >= 131072, format(' (%.1f MiB of 8 bytes each)', f.value / 131072), '')
    WHEN f.unit <> 'bytes' THEN format('%,d', CAST(f.value AS INTEGER))
    ELSE format('%,d bytes', CAST(f.value AS INTEGER)) || CASE WHEN f.value >= 1e9 THEN format(' (%.1f GB)', f.value / 1e9)
      WHEN f.value >= 1048576 THEN format(' (%.1f MiB)', f.value / 1048576.0) ELSE '' END END AS amount
FROM pasted_figure AS f;

-- _pasted_sum: one row for each result with parts that have a sum: the largest four, in words.
CREATE TEMP VIEW _pasted_sum AS
WITH part AS (
  SELECT f.*, sum(f.value) OVER (PARTITION BY f.snapshot_id) AS sum_value,
    row_number() OVER (PARTITION BY f.snapshot_id ORDER BY f.value DESC, f.subject) AS rank
  FROM _pasted_amount AS f
  WHERE f.key IN ('allocated', 'class') AND f.value IS NOT NULL AND ifnull(f.subject, '') <> 'total'
)
SELECT snapshot_id, max(sum_value) AS sum_value, max(unit) AS unit,
  max(iif(rank = 1, subject, NULL)) AS subject, max(iif(rank = 1, value, NULL)) AS value, max(iif(rank = 1, amount, NULL)) AS amount,
  group_concat(iif(rank <= 4, format('%s %s, %.1f %%', subject, amount, 100.0 * value / nullif(sum_value, 0)), NULL), '; ') AS parts
FROM (SELECT * FROM part ORDER BY snapshot_id, rank)
GROUP BY snapshot_id;

-- _pasted_list: one row for each result and key: the largest three, in words.
CREATE TEMP VIEW _pasted_list AS
WITH part AS (
  SELECT f.*, row_number() OVER (PARTITION BY f.snapshot_id, f.key ORDER BY f.value IS NULL DESC, abs(f.value) DESC, f.subject) AS rank
  FROM _pasted_amount AS f
)
SELECT snapshot_id, key, group_concat(subject || ' ' || amount, ', ') AS rows
FROM (SELECT * FROM part WHERE rank <= 3 ORDER BY snapshot_id, key, rank)
GROUP BY snapshot_id, key;

-- _pasted_text: one row for each result: what it says, what it does not show, and what to run.
--
-- Worked example, tests/views/_pasted_text: binary_alloc has 70 of 100 bytes of carriers; a heap was refused.
CREATE TEMP VIEW _pasted_text AS
WITH one AS (
  SELECT f.snapshot_id, s.source_id, f.function
  FROM pasted_figure AS f
  JOIN snapshot AS s ON s.id = f.snapshot_id
  GROUP BY f.snapshot_id, s.source_id, f.function
),
figure_text AS MATERIALIZED (SELECT * FROM _pasted_amount)
SELECT o.source_id, o.snapshot_id, 'unknown' AS class, 0 AS at_stake_bytes, NULL AS refused_bytes, NULL AS headline,
  CASE WHEN p.unit = '?' THEN format('%s: %s has most, %.0f %%; the unit is not known, since recon_alloc:set_unit() was used.', o.function,
      p.subject, 100.0 * p.value / nullif(p.sum_value, 0))
    WHEN o.function LIKE '%, shortened' THEN format('%s: %s has %s, the most of what was pasted; the list is shortened, so that its sum is not known.', o.function, p.subject, p.amount)
    WHEN o.function LIKE '%, max' THEN format('%s: %s. These are maxima of different moments: their sum is of no moment.', o.function, p.parts)
    ELSE format('%s%s has %s of %,d bytes (%.1f GB) of carriers: %s. How much of it is in use is not in this: erl> recon_alloc:fragmentation(current).',
      iif(o.function LIKE '%instances%', 'Instance ', ''), p.subject, p.amount, CAST(p.sum_value AS INTEGER), p.sum_value / 1e9, p.parts) END AS sentence,
  'exact' AS quality
FROM one AS o
JOIN _pasted_sum AS p ON p.snapshot_id = o.snapshot_id
WHERE o.function LIKE 'recon_alloc:memory(allocated\_%' ESCAPE '\'
UNION ALL
SELECT o.source_id, o.snapshot_id, 'unknown', 0, NULL, NULL,
  iif(f.key = 'usage', format('%s(usage) is %.4f: %s%.0f %% of the carriers that recon counts %s in blocks.', o.function, f.value, iif(o.function LIKE '%max', 'by maxima of different moments ', ''),
      100 * f.value, iif(o.function LIKE '%max', 'were', 'are')),
    format('%s(%s) is %s%s.', o.function, f.key, f.amount, iif(f.unit = '?', ', in a unit that is not known', '')))
    || ' Which allocator it is: erl> recon_alloc:fragmentation(current).', 'exact'
FROM one AS o
JOIN figure_text AS f ON f.snapshot_id = o.snapshot_id
WHERE o.function IN ('recon_alloc:memory', 'recon_alloc:memory, max')
UNION ALL
SELECT o.source_id, o.snapshot_id, 'unknown', 0, NULL, NULL,
  'Of the segments that allocators asked for, so many came from the cache: '
    || (SELECT group_concat(format('instance %s %.1f %% of %s calls', r.subject, 100 * r.value,
        (SELECT c.amount FROM figure_text AS c WHERE c.snapshot_id = r.snapshot_id AND c.subject = r.subject AND c.key = 'calls')), ', ')
      FROM figure_text AS r WHERE r.snapshot_id = o.snapshot_id AND r.key = 'hit_rate')
    || '. recon takes 80 % for normal; +MMmcs 30 keeps more segments (untested here). How much memory is held is not in this: erl> recon_alloc:fragmentation(current).', 'exact'
FROM one AS o
WHERE o.function = 'recon_alloc:cache_hit_rates'
UNION ALL
SELECT o.source_id, o.snapshot_id, 'unknown', 0, NULL, NULL,
  format('%s%s: %s.', o.function, iif(o.function IN ('recon:info', 'process_info'), '', ', the most first'),
    (SELECT group_concat(iif(l.key = 'value', '', l.key || ': ') || l.rows, '; ') FROM _pasted_list AS l WHERE l.snapshot_id = o.snapshot_id))
  || CASE WHEN o.function LIKE '%, max' THEN ' These are maxima of different moments. How it is now: erl> recon_alloc:fragmentation(current).'
    WHEN EXISTS (SELECT 1 FROM figure_text AS f WHERE f.snapshot_id = o.snapshot_id AND f.unit = '?')
      THEN ' Sizes are in a unit that is not known, since recon_alloc:set_unit() was used: erl> recon_alloc:set_unit(byte), and again.'
    WHEN o.function = 'recon:bin_leak' THEN ' So many references to binaries a collection let go (or added); how large they are is not in this: erl> recon:proc_count(binary_memory, 10).'
    WHEN EXISTS (SELECT 1 FROM figure_text AS f WHERE f.snapshot_id = o.snapshot_id AND f.key = 'message_queue_len' AND f.value >= 1000)
      THEN ' So many messages are not read. What it waits in: erl> process_info(PID, current_stacktrace).'
    WHEN o.function LIKE 'recon:%' OR o.function IN ('process_info', 'ets:info(memory)') THEN ' How much of the node that is: erl> erlang:memory().'
    WHEN o.function LIKE '%sbcs_to_mbcs%' THEN ' These are ratios of numbers of blocks, not of bytes: erl> recon_alloc:fragmentation(current).'
    ELSE ' How much memory is held is not in this: erl> recon_alloc:fragmentation(current).' END, 'exact'
FROM one AS o
WHERE o.function LIKE 'recon_alloc:average%' OR o.function LIKE 'recon_alloc:sbcs%' OR o.function LIKE 'recon_alloc:frag%' OR o.function LIKE 'recon:%' OR o.function IN ('process_info', 'ets:info(memory)')
UNION ALL
SELECT o.source_id, o.snapshot_id, iif(u.value >= 0.5 * p.sum_value, 'fragmentation', 'unknown'),
  iif(u.value >= 0.5 * p.sum_value, CAST(u.value AS INTEGER), 0), NULL, NULL,
  format('%s: %s.', iif(o.function = 'etop', 'etop, rounded to KiB', o.function), p.parts)
    || iif(u.value IS NOT NULL, format(' %.1f %% is allocated but unused', 100 * u.value / p.sum_value)
      || iif(u.value >= 0.5 * p.sum_value, ': empty space in carriers, fragmentation. Which allocator: rabbitmqctl eval ''rp([{A,erlang:system_info({allocator,A})} || A <- erlang:system_info(alloc_util_allocators)]).''', '.'), '')
    || ifnull(' Total: ' || (SELECT group_concat(t.subject || ' ' || t.amount, ', ') FROM figure_text AS t
      WHERE t.snapshot_id = o.snapshot_id AND t.key = 'total'
        OR (t.snapshot_id = o.snapshot_id AND t.key = 'class' AND t.subject = 'total')) || '.', '')
    || ifnull((SELECT format(' %,d bytes of that are in no class that was pasted.', CAST(t.value - p.sum_value AS INTEGER)) FROM figure_text AS t
      WHERE t.snapshot_id = o.snapshot_id AND t.subject IN ('total', 'used') AND t.value > 1.02 * p.sum_value), '')
    || ifnull((SELECT format(' The parts are %,d bytes more than what is resident: carriers have pages that were never touched.', CAST(p.sum_value - t.value AS INTEGER))
      FROM figure_text AS t WHERE t.snapshot_id = o.snapshot_id AND t.key = 'total' AND t.subject = 'rss' AND p.sum_value > 1.01 * t.value), '')
    || iif(o.function = 'etop', '', ' The classes are RabbitMQ''s, not those of erlang:memory()'
      || iif(u.value IS NULL, '; left out are empty space in carriers and what is outside the allocators: rabbitmq-diagnostics memory_breakdown', '') || '.'),
  iif(o.function = 'etop', 'estimate', 'exact')
FROM one AS o
JOIN _pasted_sum AS p ON p.snapshot_id = o.snapshot_id
LEFT JOIN figure_text AS u ON u.snapshot_id = o.snapshot_id AND u.subject = 'allocated_unused' AND u.key = 'class'
WHERE o.function LIKE 'rabbit%' OR o.function = 'etop'
UNION ALL
SELECT o.source_id, o.snapshot_id, 'unknown', 0, CAST(f.value AS INTEGER), NULL,
  format('Out of memory: %s could not get %s%s. This is the log of a server: load its crash dump next (erl_crash.dump, or what ERL_CRASH_DUMP names).',
    f.subject, f.amount, ifnull((SELECT CASE t.words WHEN 'old_heap' THEN ' of old heap for a process' WHEN 'heap' THEN ' of heap for a process'
      ELSE ' for a block of type ' || t.words END FROM figure_text AS t WHERE t.snapshot_id = o.snapshot_id AND t.key = 'type'), '')), 'exact'
FROM one AS o
JOIN figure_text AS f ON f.snapshot_id = o.snapshot_id AND f.key = 'bytes'
WHERE o.function = 'failed allocation'
UNION ALL
SELECT o.source_id, o.snapshot_id, 'unknown', 0, NULL, 'killed by the kernel',
  format('The kernel killed %s (%s), which had %s in memory. A killed node writes no crash dump; when it runs again: erl> erlang:memory().',
    f.subject, substr(o.function, 9), f.amount), 'exact'
FROM one AS o
JOIN figure_text AS f ON f.snapshot_id = o.snapshot_id AND f.key = 'resident'
WHERE o.function LIKE 'kernel, %';

-- _flags_text: one row for each snapshot with flags: how many erl refuses, in words.
CREATE TEMP VIEW _flags_text AS
SELECT c.snapshot_id, sum(c.is_refused) AS refused,
  format('%d +M flag%s%s. ', count(*), iif(count(*) = 1, '', 's'), ifnull(', among them ' || (SELECT max(k.name) FROM _flag_set AS k WHERE k.snapshot_id = c.snapshot_id), ''))
    || iif(sum(c.is_refused) > 0, format('erl does not start with %d of them: %s. ', sum(c.is_refused),
        group_concat(iif(c.is_refused, format('line %d, column %d: %s%s (%s)', c.line, c."column", c.flag, ifnull(' ' || c.value, ''), c.problem), NULL), '; ')),
      iif(count(*) = 1, 'erl takes it. ', 'erl takes each of them. '))
    || 'What each does, and its default: carrierscope report flags FILE.' AS sentence
FROM flag_check AS c
GROUP BY c.snapshot_id;

-- _pasted_verdict: one row for each source with such results: class and sentence.
--
-- Worked example, tests/views/verdict.pasted: a result of erlang:memory() that is mostly tables.
CREATE TEMP TABLE _pasted_verdict AS
WITH growth AS MATERIALIZED (SELECT * FROM _memory_growth WHERE is_steady AND is_much),
reading AS MATERIALIZED (SELECT * FROM _memory_reading),
said AS (
  SELECT source_id, 1 AS place, snapshot_id, class, at_stake_bytes, refused_bytes, headline, sentence, quality FROM _pasted_text
  UNION ALL
  SELECT g.source_id, 0, 0, 'unknown', 0, NULL,
    CASE g.key WHEN 'binary' THEN 'binaries grow' WHEN 'ets' THEN 'tables grow' WHEN 'processes' THEN 'processes grow' WHEN 'atom' THEN 'atoms grow' ELSE 'code grows' END,
    format('%s by %,d%s bytes%s from reading to reading (%d readings without their times, %,d bytes in all)%s.',
      CASE g.key WHEN 'binary' THEN 'Binaries rise' WHEN 'ets' THEN 'Tables rise' WHEN 'processes' THEN 'Processes rise' WHEN 'atom' THEN 'Atoms rise' ELSE 'Code rises' END,
      g.least, iif(g.least = g.most, '', format(' to %,d', g.most)),
      iif(g.least = g.most AND g.least >= 100000000, format(' (%.1f GB)', g.least / 1e9), ''), g.readings, g.grown,
      iif(g.classes = 1, '', '; ' || iif(g.others IS NULL, 'everything else is constant', 'others: ' || g.others))), 'exact'
  FROM growth AS g
  UNION ALL
  SELECT r.source_id, 2, r.snapshot_id,
    iif(r.total_bytes < 1073741824 AND r.source_id NOT IN (SELECT source_id FROM growth), 'normal', 'unknown'), 0, NULL,
    iif(r.total_bytes >= 1073741824 AND r.share >= 0.5, format('%.0f %% is %s', 100 * r.share, r.name), NULL),
    iif(r.total_bytes IS NULL, 'erlang:memory(): ' || r.parts || '. The total was not asked for.',
      format('erlang:memory() is %s%s. ', r.total_text, ifnull(': ' || r.parts, ''))
      || iif(r.total_bytes < 1073741824,
        'That is not large; if the OS shows more, it is outside erlang:memory(): empty space in carriers, or native memory.',
        CASE WHEN r.share >= 0.5 THEN ifnull((SELECT a.advice FROM _memory_advice AS a WHERE a.key = r.key), '')
          WHEN r.share IS NULL THEN 'Its classes were not asked for: erl> erlang:memory().' ELSE 'No class has most of it.' END
        || ' It counts blocks: what carriers waste is not in it.')), 'exact'
  FROM reading AS r
  WHERE r.snapshot_id = (SELECT max(o.snapshot_id) FROM reading AS o WHERE o.source_id = r.source_id)
  UNION ALL
  SELECT s.source_id, 3, s.id, 'unknown', 0, NULL, NULL, t.sentence, 'exact'
  FROM _instrument_text AS t JOIN snapshot AS s ON s.id = t.snapshot_id
  UNION ALL
  SELECT s.source_id, 4, s.id, 'unknown', 0, NULL, NULL, t.sentence, 'exact'
  FROM _carriers_text AS t JOIN snapshot AS s ON s.id = t.snapshot_id
  UNION ALL
  SELECT s.source_id, 5, s.id, 'unknown', 0, NULL, iif(t.refused > 0, 'flags that erl refuses', 'flags'), t.sentence, 'exact'
  FROM _flags_text AS t JOIN snapshot AS s ON s.id = t.snapshot_id
),
ranked AS (
  SELECT *,
    row_number() OVER (PARTITION BY source_id ORDER BY class = 'fragmentation' DESC, class = 'unknown' DESC, place, snapshot_id) AS rank,
    row_number() OVER (PARTITION BY source_id ORDER BY headline IS NULL, place, snapshot_id) AS headline_rank
  FROM said
)
SELECT source_id, max(iif(rank = 1, class, NULL)) AS class, max(at_stake_bytes) AS at_stake_bytes, max(refused_bytes) AS refused_bytes,
  max(iif(headline_rank = 1, headline, NULL)) AS headline, max(iif(rank = 1, quality, NULL)) AS quality, group_concat(sentence, ' ') AS sentence
FROM (SELECT * FROM ranked ORDER BY source_id, place, snapshot_id)
GROUP BY source_id;

-- report_pasted: one row for each figure that a shell or a program printed.
CREATE VIEW report_pasted AS
SELECT s.source_id AS source, f.snapshot_id AS snapshot, f.line, f.function, f.subject, f.key AS figure,
  iif(f.words IS NULL AND f.value IS NULL, 'infinity', f.value) AS value, f.words, f.unit, o.lost_events AS lost_events
FROM pasted_figure AS f
JOIN snapshot AS s ON s.id = f.snapshot_id
JOIN source AS o ON o.id = s.source_id
ORDER BY s.source_id, f.snapshot_id, f.line, f.subject, f.key;

-- report_histograms: one row for each bucket of instrument:allocations() that has blocks.
CREATE VIEW report_histograms AS
SELECT s.source_id AS source, h.snapshot_id AS snapshot, h.origin, h.type,
  sum(h.blocks) OVER (PARTITION BY h.snapshot_id, h.origin, h.type) AS blocks_of_type,
  h.from_bytes, h.to_bytes, h.blocks, h.rule, o.lost_events AS lost_events
FROM histogram_bucket AS h
JOIN snapshot AS s ON s.id = h.snapshot_id
JOIN source AS o ON o.id = s.source_id
WHERE h.kind = 'blocks' AND h.blocks > 0
ORDER BY s.source_id, h.snapshot_id, blocks_of_type DESC, h.origin, h.type, h.bucket;

INSERT INTO view_doc VALUES
  ('report_histograms', '', 'row', 'fast', 'One row for each bucket with blocks of instrument:allocations()'),
  ('report_histograms', 'snapshot', 'id', 'label', 'snapshot.id'),
  ('report_histograms', 'origin', 'text', 'label', 'Driver or library that made the blocks; system: the runtime itself'),
  ('report_histograms', 'type', 'text', 'label', 'Type of the blocks'),
  ('report_histograms', 'blocks_of_type', 'count', 'exact', 'All blocks of that origin and type'),
  ('report_histograms', 'from_bytes', 'bytes', 'bound', 'Blocks of this size'),
  ('report_histograms', 'to_bytes', 'bytes', 'bound', 'and smaller than this; empty: no end'),
  ('report_histograms', 'blocks', 'count', 'exact', 'Blocks in the bucket'),
  ('report_histograms', 'rule', 'text', 'label', 'Whose bounds: otp21 (21 to 25), otp28 (27 and later), or unknown: the outermost of both'),
  ('report_pasted', '', 'row', 'fast', 'One row for each figure that a shell or a program printed: results of recon, classes of RabbitMQ, requests that failed'),
  ('report_pasted', 'snapshot', 'id', 'label', 'snapshot.id'),
  ('report_pasted', 'line', 'count', 'label', 'Line of the input, from 1'),
  ('report_pasted', 'function', 'text', 'label', 'What printed it'),
  ('report_pasted', 'subject', 'text', 'label', 'Allocator, instance, class or process; empty: of all'),
  ('report_pasted', 'figure', 'text', 'label', 'Name of the figure'),
  ('report_pasted', 'value', 'number', 'exact', 'The figure, or infinity; empty: a text'),
  ('report_pasted', 'words', 'text', 'label', 'A text instead of a number'),
  ('report_pasted', 'unit', 'text', 'label', 'bytes, count, ratio or words; ?: not known; empty: none');
