-- SPDX-License-Identifier: MIT
--
-- Layer:   the answer as data
-- Serves:  carrierscope report --format json
--
-- What the judge found of a place, as one JSON object (answer.schema.json says what is in it).  It only reads what others decided.

-- _answer_mapping: one row for each runtime outside of whose allocators something grew, and what has at least half of that by the
-- system's own list of mappings: a file, or [heap], what malloc has.
--
-- Worked example, tests/views/_answer_mapping: of 100 MiB that grew a library has 80 MiB.
--
--   name           grown_bytes
--   /lib/leaky.so     83886080
CREATE TEMP VIEW _answer_mapping AS
WITH mapped AS (
  SELECT DISTINCT m.runtime_id, m.name,
    last_value(m.resident_bytes) OVER readings - first_value(m.resident_bytes) OVER readings AS grown_bytes
  FROM snapshot_mapping AS m
  WHERE m.name NOT IN ('', 'others', '[stack]', '[LTTng]')
  WINDOW readings AS (PARTITION BY m.runtime_id, m.name ORDER BY m.ts_ns, m.id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
)
SELECT m.runtime_id, m.name, max(m.grown_bytes) AS grown_bytes
FROM mapped AS m
JOIN growth AS g ON g.runtime_id = m.runtime_id AND g.kind = 'outside' AND m.grown_bytes >= 0.5 * g.grown_bytes
WHERE m.grown_bytes > 0
GROUP BY m.runtime_id;

-- _answer_curve: one row for each of 40 stretches of the time of a traced node: bytes in blocks of all allocators at its end.
--
-- Worked example, tests/views/_answer_curve: eheap_alloc has 1 MiB at first and 3 MiB after 40 s, binary_alloc 1 MiB from 20.5 s on.
--
--   subject_id  stretch    bytes
--            1        0  1048576
--            1       20  2097152
--            1       39  4194304
CREATE TEMP VIEW _answer_curve AS
WITH RECURSIVE stretch(number) AS (SELECT 0 UNION ALL SELECT number + 1 FROM stretch WHERE number < 39),
span AS MATERIALIZED (SELECT subject_id, min(ts_ns) AS begin_ns, max(ts_ns) AS end_ns FROM _level GROUP BY subject_id HAVING max(ts_ns) > min(ts_ns)),
step AS (
  SELECT l.subject_id, (l.ts_ns - s.begin_ns) / ((s.end_ns - s.begin_ns) / 40 + 1) AS stretch,
    l.bytes - lag(l.bytes, 1, 0) OVER (PARTITION BY l.subject_id, l.allocator ORDER BY l.ts_ns) AS bytes
  FROM _level AS l
  JOIN span AS s ON s.subject_id = l.subject_id
),
change AS MATERIALIZED (SELECT subject_id, stretch, sum(bytes) AS bytes FROM step GROUP BY subject_id, stretch)
SELECT s.subject_id, t.number AS stretch, (s.end_ns - s.begin_ns) / 1e9 AS seconds,
  -- It ends where the figure is.
  CAST(ifnull(f.likely, total(c.bytes) OVER (PARTITION BY s.subject_id ORDER BY t.number)) AS INTEGER) AS bytes
FROM span AS s
CROSS JOIN stretch AS t
LEFT JOIN change AS c ON c.subject_id = s.subject_id AND c.stretch = t.number
LEFT JOIN figure AS f ON t.number = 39 AND f.subject_id = s.subject_id AND f.allocator = 'all' AND f.moment = 'end' AND f.quantity = 'blocks_bytes';

-- _answer_place: one row for each place, the worst one first as `report` prints them, with its mechanism, and how long it would have
-- to be recorded.  One row where nothing was loaded.
CREATE TEMP TABLE _answer_place AS
WITH power AS MATERIALIZED (SELECT * FROM _power),
history AS MATERIALIZED (SELECT * FROM _history),
-- Findings that are the matter where nothing else is, and are about an amount.
found AS MATERIALIZED (
  SELECT source_id, runtime_id, snapshot_id, iif(rule = 'MSEG-02', 'segment_cache', 'recorder') AS mechanism, max(at_stake_bytes)
  FROM finding
  WHERE rule IN ('MSEG-02', 'REC-01')
  GROUP BY source_id, runtime_id, snapshot_id
),
habit AS MATERIALIZED (SELECT DISTINCT source_id, runtime_id, snapshot_id FROM finding WHERE rule = 'TEMP-02'),
-- Nodes that were read so often that growth from reading to reading would have been seen.
series AS MATERIALIZED (
  SELECT DISTINCT last_snapshot_id AS snapshot_id FROM reading_series WHERE counts AND runtime_id IS NULL AND windows >= 4
),
place AS (
  SELECT v.source_id, v.runtime_id, v.snapshot_id, v.vpid, v.allocator, replace(v.verdict, ' ', '_') AS verdict, v.sentence, v.node, v.may_be, v.headline, v.ending, v.as_of_ns,
    coalesce(iif(v.snapshot_id IS NULL, NULL, ifnull(v.node || ', reading ', 'Reading ') || v.snapshot_id), v.node || ' (OS pid ' || v.vpid || ')',
      'OS process ' || v.vpid, v.node, 'Source ' || v.source_id) AS place,
    nullif(ltrim(iif(v.verdict = 'unknown', '', 'Figures: ' || v.confidence || ifnull('; ' || v.doubt, '') || '.')
      || iif(instr(v.scope, '; it covers') > 0, ' It' || substr(v.scope, instr(v.scope, '; it covers') + 4), '')), '') AS evidence,
    row_number() OVER (ORDER BY v.ending IS NULL, v.verdict IN ('normal', 'unknown'), v.at_stake_bytes DESC,
      -- What nothing is known of comes last.
      v.sentence LIKE 'Nothing of an allocator was recorded%', v.source_id, v.runtime_id,
      v.snapshot_id) AS rank,
    coalesce(-v.snapshot_id, v.runtime_id) AS subject_id, iif(v.snapshot_id IS NULL, v.runtime_id, NULL) AS traced_id,
    v.source_lost_events, v.source_lost_packets
  FROM verdict AS v
  WHERE v.level <> 'allocator'
),
known AS (
  SELECT p.*, t.growth_full_s AS full_s, t.growth_day_bytes / 86400 AS least_rate, y.recorded_s, few.record_s AS few_s,
    w.bytes_per_s AS power, o.kind = 'board_log' AS is_board, ifnull(o.kind = 'ctf' AND NOT y.is_hooked, 0) AS is_run,
    p.snapshot_id IN (SELECT snapshot_id FROM series) AS is_series,
    CASE
      WHEN p.verdict IN ('leak', 'outside') THEN g.mechanism
      WHEN p.verdict = 'fragmentation' THEN 'fragmentation'
      WHEN p.verdict = 'pooled' THEN 'pool'
      WHEN d.mailbox_of IS NOT NULL THEN 'mailbox'
      WHEN (SELECT e.cause FROM crash_dump AS e WHERE e.snapshot_id = p.snapshot_id) = 'atom_table_full' THEN 'atoms'
      WHEN p.verdict = 'normal' THEN ifnull(f.mechanism, iif(h.source_id IS NULL, NULL, 'temporary'))
    END AS mechanism,
    ifnull(d.mailbox_of, g.who) AS who
  FROM place AS p
  JOIN _threshold AS t
  JOIN source AS o ON o.id = p.source_id
  LEFT JOIN history AS y ON y.subject_id = p.traced_id
  LEFT JOIN _too_seldom AS few ON few.subject_id = p.traced_id
  LEFT JOIN power AS w ON w.subject_id = p.traced_id
  LEFT JOIN growth AS g ON g.runtime_id = p.traced_id AND g.rank = 1
  LEFT JOIN _dump_lead AS d ON d.snapshot_id = p.snapshot_id
  LEFT JOIN found AS f ON f.source_id = p.source_id AND f.runtime_id IS p.runtime_id AND f.snapshot_id IS p.snapshot_id
  LEFT JOIN habit AS h ON h.source_id = p.source_id AND h.runtime_id IS p.runtime_id AND h.snapshot_id IS p.snapshot_id
)
SELECT *,
  CASE
    -- A board is not recorded, and a program that has ended has no more.
    WHEN is_board THEN NULL
    WHEN verdict = 'unknown' AND may_be IS NULL AND few_s IS NOT NULL THEN few_s
    WHEN verdict = 'unknown' THEN ceil(max(full_s, iif(may_be LIKE '%leak%', 2 * ifnull(recorded_s, 0), 0)))
    WHEN verdict <> 'normal' OR is_run OR is_series THEN NULL
    WHEN power IS NULL THEN full_s
    -- What is not seen falls at least as the time rises.
    WHEN power > least_rate THEN ceil(max(full_s, recorded_s * power / least_rate))
  END AS record_seconds
FROM known
UNION ALL
SELECT NULL, NULL, NULL, NULL, NULL, 'unknown', 'Nothing was loaded.', NULL, NULL, 'unknown', NULL, NULL, 'Empty', NULL, 1, NULL, NULL, 0, 0, growth_full_s,
  NULL, NULL, NULL, NULL, 0, 0, 0, NULL, NULL, growth_full_s
FROM _threshold
WHERE NOT EXISTS (SELECT 1 FROM verdict WHERE level <> 'allocator');

-- _answer_text: one row for each text of an answer: what to do (list: do), what is not known and what would decide it (unknown).
CREATE TEMP TABLE _answer_text AS
-- Materialized, and joined by one number: one after the other for each place they take as long as its square.
WITH next AS MATERIALIZED (
  SELECT source_id, coalesce(-snapshot_id, runtime_id) AS subject_id, rank, at_stake_bytes, rule, allocator, instance, next_step
  FROM finding_next
  WHERE next_step NOT LIKE 'Nothing%'
    -- Flags only where a replay of this recording proved them.
    AND (flag IS NULL OR flag NOT LIKE '+M%' OR flag LIKE '%; replays predict%')
),
step AS (
  SELECT p.rank AS answer_id, f.* FROM _answer_place AS p JOIN next AS f ON f.source_id = p.source_id AND f.subject_id = p.subject_id
  UNION ALL
  -- Readings of a board's log are no places of their own.
  SELECT p.rank, f.* FROM _answer_place AS p JOIN next AS f ON f.source_id = p.source_id WHERE p.subject_id IS NULL
),
said AS (
  SELECT p.rank, 'do' AS list, 1 AS place, 0 AS number,
    iif(m.mechanism = 'outside' AND a.name IS NOT NULL,
      format(iif(a.name = '[heap]', 'Find the native library (a NIF or driver) that keeps what it takes from malloc: by /proc/PID/smaps %s has grown by %.1f MiB',
        'Look into %s: by /proc/PID/smaps its mapping has grown by %.1f MiB'), a.name, a.grown_bytes / 1048576.0),
      replace(m.remedy, '$W', ifnull(p.who, 'it'))) AS text
  FROM _answer_place AS p
  JOIN _mechanism AS m ON m.mechanism = p.mechanism
  LEFT JOIN _answer_mapping AS a ON a.runtime_id = p.traced_id
  -- A board has no carriers; of what is not wrong nothing has to be said that needs nothing.
  WHERE NOT p.is_board AND (p.verdict <> 'normal' OR m.remedy NOT LIKE 'Nothing%')
  UNION ALL
  SELECT answer_id, 'do', 2, row_number() OVER (PARTITION BY answer_id ORDER BY rank, at_stake_bytes DESC, rule, allocator, instance), next_step
  FROM step
  UNION ALL
  SELECT rank, 'unknown', 1, 0, sentence FROM _answer_place WHERE verdict = 'unknown'
  UNION ALL
  SELECT p.rank, 'unknown', 2, 0, a.open FROM _answer_place AS p JOIN _aside AS a ON a.subject_id = p.subject_id
  WHERE p.verdict NOT IN ('unknown', 'leak') AND a.open IS NOT NULL
  UNION ALL
  SELECT p.rank, 'unknown', 3, g.rank, format('Whether %s goes on growing: record for at least %.0f s.', g.who, max(p.full_s, 2 * ifnull(p.recorded_s, 0)))
  FROM _answer_place AS p
  JOIN growth AS g ON g.runtime_id = p.traced_id AND g.rank <= 3 AND g.to_the_end IS NULL
  WHERE p.verdict <> 'unknown' AND NOT p.is_run
  UNION ALL
  SELECT rank, 'unknown', 4, 0,
    CASE
      WHEN is_board THEN 'Whether anything grows: the last run in the log of the board has too few readings, 8 show it.'
      WHEN traced_id IS NULL THEN 'Whether anything grows: one reading does not show it. Read the node several times, or record it: carrierscope record.'
      WHEN is_run THEN 'Whether anything grows: too little was recorded, or only carriers. Record blocks (carrierscope:*).'
      ELSE format('Whether anything grows: too little was recorded. Record for at least %.0f s, with a snapshot every second.', record_seconds) END
  FROM _answer_place
  WHERE verdict NOT IN ('unknown', 'leak', 'outside') AND power IS NULL AND NOT is_series
    AND NOT (is_board AND source_id IN (SELECT source_id FROM _board_outlook WHERE class <> 'unknown'))
  UNION ALL
  SELECT rank, 'unknown', 5, 0, format('Whether anything grows by less than %.2f MiB/s: record for at least %.0f s.', power / 1048576.0, record_seconds)
  FROM _answer_place
  WHERE verdict = 'normal' AND power IS NOT NULL AND record_seconds IS NOT NULL
  UNION ALL
  SELECT p.rank, 'unknown', 6, 0, 'Who holds the memory is ' || h.name || '.'
  FROM _answer_place AS p
  JOIN holder AS h ON h.source_id = p.source_id AND h.runtime_id = p.traced_id AND h.kind = 'nobody' AND h.bytes IS NULL
)
SELECT rank AS answer_id, list, row_number() OVER (PARTITION BY rank, list ORDER BY place, number) AS number, text
FROM (SELECT rank, list, min(place) AS place, number, text FROM said WHERE text IS NOT NULL GROUP BY rank, list, text);

-- answer: one row for each place, the worst one first: what `carrierscope report --format json` prints of it.
--
-- Worked example, tests/views/answer: a process gains 1 MiB/s.
CREATE TABLE answer (
  source_id INTEGER,
  runtime_id INTEGER,
  snapshot_id INTEGER,
  vpid INTEGER,
  rank INTEGER,
  json TEXT,
  source_lost_events INTEGER,
  source_lost_packets INTEGER
) STRICT;

CREATE TEMP TABLE answer AS
WITH held AS MATERIALIZED (
  -- A holder is one, of whatever types it has some.  At least: what is not bounded is 0 or more.
  SELECT p.rank AS answer_id, h.name, h.who_kind, max(h.bytes) AS most, sum(h.bytes) AS likely,
    sum(CASE h.quality WHEN 'exact' THEN h.bytes WHEN 'bound' THEN 0
      -- What ended without an event is still counted.
      ELSE iif(h.basis = 'blocks it made' AND h.source_lost_events > 0, 0, NULL) END) AS low,
    iif(total(h.quality NOT IN ('exact', 'bound')) = 0, sum(h.bytes), NULL) AS high
  FROM _answer_place AS p
  JOIN holder AS h ON h.source_id = p.source_id AND iif(p.snapshot_id IS NULL, h.runtime_id = p.runtime_id, h.snapshot_id = p.snapshot_id)
  WHERE h.bytes > 0
  GROUP BY p.rank, h.who_kind, h.holder, iif(h.holder = '', h.name, '')
),
largest AS MATERIALIZED (
  SELECT *, row_number() OVER (PARTITION BY answer_id ORDER BY likely DESC, name) AS number FROM held
),
amount AS MATERIALIZED (
  SELECT p.rank AS answer_id, f.quantity, json_object('low', f.low, 'likely', f.likely, 'high', f.high) AS part
  FROM _answer_place AS p
  JOIN figure AS f ON f.subject_id = p.subject_id AND f.allocator = 'all' AND f.moment = 'end'
    AND f.quantity IN ('resident_bytes', 'carriers_bytes', 'blocks_bytes', 'unused_bytes', 'own_buffers_bytes')
),
curve AS MATERIALIZED (SELECT * FROM _answer_curve),
least AS MATERIALIZED (
  SELECT runtime_id, name, bytes FROM _memory_limit WHERE is_least GROUP BY runtime_id
)
SELECT p.source_id, p.runtime_id, p.snapshot_id, p.vpid, p.rank,
  json_object(
    'schema', 'carrierscope-answer-1',
    'node', p.node,
    'place', p.place,
    'time', strftime('%Y-%m-%dT%H:%M:%SZ', p.as_of_ns / 1000000000, 'unixepoch'),
    'verdict', p.verdict,
    'headline', p.headline,
    'sentence', p.sentence,
    'ending', p.ending,
    'evidence', p.evidence,
    'wrong_if', (SELECT m.disproof FROM _mechanism AS m WHERE m.mechanism = p.mechanism AND p.verdict <> 'normal'),
    'mechanism', p.mechanism,
    'allocator', p.allocator,
    'growth', (
      SELECT json_group_array(json(o.part)) FROM (
        SELECT json_object('who', g.who, 'kind', g.kind, 'allocator', g.allocator,
          'grown_bytes', json_object('low', g.grown_low_bytes, 'likely', g.grown_bytes, 'high', g.grown_high_bytes),
          'bytes_per_s', json_object('low', round(g.bytes_per_s_low, 1), 'likely', round(g.bytes_per_s, 1), 'high', round(g.bytes_per_s_high, 1)),
          'to_the_end', json(CASE g.to_the_end WHEN 1 THEN 'true' WHEN 0 THEN 'false' ELSE 'null' END),
          'seconds_to_limit', round(g.seconds_to_limit, 1)) AS part
        FROM growth AS g
        WHERE g.source_id = p.source_id AND g.runtime_id = p.traced_id
        ORDER BY g.rank
        LIMIT 20) AS o),
    'power_bytes_per_s', round(p.power, 1),
    'holders', (
      SELECT json_group_array(json(o.part)) FROM (
        SELECT json_object('who', l.name, 'kind', l.who_kind, 'bytes', json_object('low', l.low, 'likely', l.likely, 'high', l.high)) AS part
        FROM largest AS l
        WHERE l.answer_id = p.rank AND l.number <= 10
        ORDER BY l.number) AS o),
    'memory', json_object(
      'resident', json(ifnull((SELECT a.part FROM amount AS a WHERE a.answer_id = p.rank AND a.quantity = 'resident_bytes'), n.part)),
      'carriers', json(ifnull((SELECT a.part FROM amount AS a WHERE a.answer_id = p.rank AND a.quantity = 'carriers_bytes'), n.part)),
      'used', json(ifnull((SELECT a.part FROM amount AS a WHERE a.answer_id = p.rank AND a.quantity = 'blocks_bytes'), n.part)),
      'empty', json(ifnull((SELECT a.part FROM amount AS a WHERE a.answer_id = p.rank AND a.quantity = 'unused_bytes'), n.part)),
      'recorder', json(ifnull((SELECT a.part FROM amount AS a WHERE a.answer_id = p.rank AND a.quantity = 'own_buffers_bytes'), n.part))),
    'curve', (
      SELECT json_object('seconds', round(min(c.seconds), 3), 'used_bytes', json_group_array(c.bytes))
      FROM (SELECT * FROM curve WHERE subject_id = p.traced_id ORDER BY stretch) AS c
      HAVING count(*) > 0),
    'limit', json_object('name', m.name, 'bytes', m.bytes),
    'do', (
      SELECT json_group_array(o.text) FROM (
        SELECT t.text FROM _answer_text AS t WHERE t.answer_id = p.rank AND t.list = 'do' AND t.number <= 3 ORDER BY t.number) AS o),
    'unknown', (
      SELECT json_group_array(o.text) FROM (
        SELECT t.text FROM _answer_text AS t WHERE t.answer_id = p.rank AND t.list = 'unknown' ORDER BY t.number) AS o),
    'record_seconds', p.record_seconds) AS json,
  p.source_lost_events, p.source_lost_packets
FROM _answer_place AS p
JOIN (SELECT json_object('low', NULL, 'likely', NULL, 'high', NULL) AS part) AS n
LEFT JOIN least AS m ON m.runtime_id = p.traced_id;

INSERT INTO view_doc VALUES
  ('answer', '', 'row', 'fast', 'One row for each place that was judged, the worst one first: the answer as one JSON object, which carrierscope report --format json prints of the first; answer.schema.json says what is in it'),
  ('answer', 'snapshot_id', 'id', 'label', 'snapshot.id of a node that was read at one moment; NULL: traced'),
  ('answer', 'rank', 'count', 'label', 'From 1, as carrierscope report prints them'),
  ('answer', 'json', 'json', 'estimate', 'The object: verdict, what grew, who holds it, how much memory there is, what to do, what is not known'),
  ('growth', '', 'row', 'fast', 'One row for each process, group or table of a traced node that grew, by a trend beyond the scatter of its own curve'),
  ('growth', 'snapshot_id', 'id', 'label', 'NULL: growth is judged of traced nodes'),
  ('growth', 'rank', 'count', 'label', 'From 1, which a verdict of growth names: what grows to the end first, then by its rate'),
  ('growth', 'who', 'text', 'label', 'Who grew, as verdicts name it'),
  ('growth', 'kind', 'text', 'label', 'process, group (processes that began with one call), table, tables, queue, port, ports, nobody (no process looked at has it), code, atoms, outside (the allocators), recorder, or allocator: nothing more is known'),
  ('growth', 'holder', 'text', 'label', 'The pid, the initial call, the table or the port; empty: kind says it'),
  ('growth', 'allocator', 'text', 'label', 'The allocator in which it grew most; NULL: none of them'),
  ('growth', 'mechanism', 'text', 'estimate', 'Why: pieces, uncollected, mailbox, state, queue (of RabbitMQ), table, table_of_binaries, timers, monitors, processes, tables, ports, port, atoms, modules, outside and the like; NULL: not known'),
  ('growth', 'begin_ns', 'ns', 'estimate', 'When it began to grow, since the Unix epoch'),
  ('growth', 'end_ns', 'ns', 'exact', 'The last level of its curve, since the Unix epoch'),
  ('growth', 'seconds', 's', 'exact', 'Seconds that its curve covers'),
  ('growth', 'first_bytes', 'bytes', 'estimate', 'Bytes at the begin of its curve'),
  ('growth', 'last_bytes', 'bytes', 'estimate', 'Bytes at its end'),
  ('growth', 'grown_low_bytes', 'bytes', 'estimate', 'It grew at least by this, by the scatter of the curve'),
  ('growth', 'grown_bytes', 'bytes', 'estimate', 'It grew by this, likely'),
  ('growth', 'grown_high_bytes', 'bytes', 'estimate', 'It grew at most by this, by the scatter of the curve'),
  ('growth', 'bytes_per_s_low', 'bytes/s', 'estimate', 'Its rate while it grew, at least; NULL: it is over, or not known whether'),
  ('growth', 'bytes_per_s', 'bytes/s', 'estimate', 'Its rate, likely'),
  ('growth', 'bytes_per_s_high', 'bytes/s', 'estimate', 'Its rate, at most'),
  ('growth', 'monotone_share', 'ratio', 'estimate', 'Part of the steps of its curve that rise'),
  ('growth', 'to_the_end', 'flag', 'estimate', '1: it grew to the end of the recording; 0: it was over before; NULL: the recording does not show it'),
  ('growth', 'seconds_to_limit', 's', 'estimate', 'Seconds until limit_bytes, or before it the limit of a table of the node (atoms, exports), is reached at that rate; NULL: no limit is known, or it does not grow on'),
  ('growth', 'limit_name', 'text', 'label', 'What is reached first: the control group, the machine or the high watermark of RabbitMQ, or the limit of a table of the node; NULL: not known'),
  ('growth', 'limit_bytes', 'bytes', 'exact', 'That limit; NULL: not known, or of entries'),
  ('growth', 'is_leak', 'flag', 'estimate', '1: it goes on, and matters by its rate or by when the limit is reached: a leak'),
  ('growth', 'evidence', 'text', 'label', 'What it was judged from'),
  ('growth', 'remedy', 'text', 'label', 'What to do about it; NULL: its mechanism is not known'),
  ('growth', 'disproof', 'text', 'label', 'What would prove it wrong; NULL: not said'),
  ('growth', 'sentence', 'text', 'estimate', 'All of it in words');
