-- SPDX-License-Identifier: MIT
--
-- Layer:   how far to trust it
-- Serves:  reports ledger, loss, problems
--
-- What happened without an event, what is missing, and whether events and
-- counters agree.

-- silent_change: one row for each instance and kind of ledger row.
CREATE VIEW silent_change AS
SELECT
  n.source_id, n.runtime_id, n.vpid, n.allocator, n.instance, n.instance_id,
  k.name AS kind,
  k.side,
  t.rows AS ledger_rows,
  t.carriers_min, t.carriers_max, t.bytes_min, t.bytes_max,
  k.meaning,
  n.source_lost_events, n.source_lost_packets
FROM ledger_total AS t
JOIN _instance AS n ON n.instance_id = t.instance_id
JOIN ledger_kind AS k ON k.id = t.kind;

-- silent_change_allocator: one row for each allocator of a runtime and kind.
CREATE VIEW silent_change_allocator AS
SELECT
  source_id, runtime_id, vpid, allocator,
  kind, side,
  sum(ledger_rows) AS ledger_rows,
  sum(carriers_min) AS carriers_min, sum(carriers_max) AS carriers_max,
  sum(bytes_min) AS bytes_min, sum(bytes_max) AS bytes_max,
  meaning,
  source_lost_events, source_lost_packets
FROM silent_change
GROUP BY source_id, runtime_id, allocator, kind;

-- ledger_named: one row for each row of the ledger, with words for its numbers.
CREATE VIEW ledger_named AS
SELECT
  n.source_id, n.runtime_id, n.vpid, n.allocator, n.instance, n.instance_id,
  l.event_id,
  e.ts_ns,
  k.name AS kind,
  k.side,
  l.carriers_min, l.carriers_max, l.bytes_min, l.bytes_max,
  k.meaning
FROM ledger AS l
LEFT JOIN carrier_event AS e ON e.id = l.event_id
LEFT JOIN ledger_kind AS k ON k.id = l.kind
LEFT JOIN _instance AS n ON n.instance_id = l.instance_id;

-- ledger_check: one row for each instance that recorded its counters: the law of
-- conservation of events/events.sql.  What the events say and what the ledger adds
-- must give the counters; puts and what came after the last counters is left out.
--
-- Worked example, tests/views/ledger_check:
--
--   creates  owned destroys  puts  of these since  ledger(mbc)  counter  ->  mbc_carriers_off
--         5               1     2               1        +1..1        4                     0
--         5               1     2               1        -1..0        4                    -1
CREATE VIEW ledger_check AS
WITH inferred AS (
  SELECT
    t.instance_id,
    sum(iif(k.side = 'mbc', t.carriers_min, 0)) AS mbc_carriers_min,
    sum(iif(k.side = 'mbc', t.carriers_max, 0)) AS mbc_carriers_max,
    sum(iif(k.side = 'mbc', t.bytes_min, 0)) AS mbc_bytes_min,
    sum(iif(k.side = 'mbc', t.bytes_max, 0)) AS mbc_bytes_max,
    sum(iif(k.side = 'sbc', t.carriers_min, 0)) AS sbc_carriers_min,
    sum(iif(k.side = 'sbc', t.carriers_max, 0)) AS sbc_carriers_max,
    sum(iif(k.side = 'sbc', t.bytes_min, 0)) AS sbc_bytes_min,
    sum(iif(k.side = 'sbc', t.bytes_max, 0)) AS sbc_bytes_max
  FROM ledger_total AS t
  JOIN ledger_kind AS k ON k.id = t.kind
  GROUP BY t.instance_id
),
gap AS (
  SELECT
    n.*,
    t.mbc_creates - t.owned_destroys - (t.puts - i.puts_since_stat)
      - t.last_mbc_carriers AS mbc_carriers,
    t.mbc_create_bytes - t.owned_destroy_bytes - (t.put_bytes - i.put_bytes_since_stat)
      - t.last_mbc_carriers_bytes AS mbc_bytes,
    t.sbc_creates - t.last_sbc_carriers AS sbc_carriers,
    t.sbc_create_bytes - t.last_sbc_carriers_bytes AS sbc_bytes
  FROM _instance AS n
  JOIN instance AS i ON i.id = n.instance_id
  JOIN scope_total AS t
    ON t.source_id = n.source_id AND t.scope = 'instance' AND t.scope_id = n.instance_id
  WHERE t.last_stat_ts_ns IS NOT NULL
)
SELECT
  g.source_id, g.runtime_id, g.vpid, g.allocator, g.instance, g.instance_id,
  max(0, g.mbc_carriers + ifnull(f.mbc_carriers_min, 0))
    + min(0, g.mbc_carriers + ifnull(f.mbc_carriers_max, 0)) AS mbc_carriers_off,
  max(0, g.mbc_bytes + ifnull(f.mbc_bytes_min, 0))
    + min(0, g.mbc_bytes + ifnull(f.mbc_bytes_max, 0)) AS mbc_bytes_off,
  max(0, g.sbc_carriers + ifnull(f.sbc_carriers_min, 0))
    + min(0, g.sbc_carriers + ifnull(f.sbc_carriers_max, 0)) AS sbc_carriers_off,
  max(0, g.sbc_bytes + ifnull(f.sbc_bytes_min, 0))
    + min(0, g.sbc_bytes + ifnull(f.sbc_bytes_max, 0)) AS sbc_bytes_off,
  g.source_lost_events, g.source_lost_packets
FROM gap AS g
LEFT JOIN inferred AS f ON f.instance_id = g.instance_id;

-- loss: one row for each stretch of a stream in which something is missing.
CREATE VIEW loss AS
SELECT
  l.source_id,
  l.id AS lost_interval_id,
  s.name AS stream,
  t.name AS trace,
  l.cause,
  l.begin_ns,
  l.end_ns,
  l.events,
  l.packets,
  l.file,
  l.offset_bytes,
  l.length_bytes
FROM lost_interval AS l
LEFT JOIN stream AS s ON s.id = l.stream_id
LEFT JOIN trace AS t ON t.id = s.trace_id;

-- loss_total: one row for each source and cause.
CREATE VIEW loss_total AS
SELECT
  source_id,
  cause,
  count(*) AS intervals,
  sum(events) AS events,
  sum(packets) AS packets,
  sum(events IS NULL AND packets IS NULL) AS intervals_of_unknown_size,
  min(begin_ns) AS first_begin_ns,
  max(end_ns) AS last_end_ns
FROM lost_interval
GROUP BY source_id, cause;

-- problem: one row for each kind of trouble met while loading.
CREATE VIEW problem AS
SELECT
  p.source_id,
  p.id AS problem_id,
  p.severity,
  p.name,
  p.count AS times,
  p.sentence,
  CASE p.severity WHEN 'error' THEN 0 WHEN 'data_loss' THEN 1 WHEN 'notice' THEN 2 ELSE 3 END
    AS rank
FROM load_problem AS p;

INSERT INTO view_doc VALUES
  ('silent_change', '', 'row', 'fast', 'One row for each allocator instance and kind of change that no event recorded: sums of the ledger'),
  ('silent_change_allocator', '', 'row', 'fast', 'One row for each allocator of a runtime and kind of change that no event recorded'),
  ('ledger_named', '', 'row', 'full scan', 'One row for each change that the counters imply and no event recorded'),
  ('silent_change', 'ledger_rows', 'count', 'exact', 'Rows of the ledger of this kind'),
  ('silent_change_allocator', 'ledger_rows', 'count', 'exact', 'Rows of the ledger of this kind'),
  ('ledger_named', 'event_id', 'id', 'label', 'carrier_event.id whose counters show it; it happened since the instance''s create or destroy before'),
  ('ledger_named', 'ts_ns', 'ns', 'bound', 'Time of that event: the change is not later'),
  ('silent_change* ledger_named', 'kind', 'text', 'label', 'Name of the kind of change, see ledger_kind'),
  ('silent_change* ledger_named', 'side', 'text', 'label', 'mbc or sbc: which counters it changes; pool: it is a part of a pool_fetch and must not be added to it'),
  ('silent_change* ledger_named', 'carriers_min', 'count', 'bound', 'Change of the number of carriers, signed: at least this'),
  ('silent_change* ledger_named', 'carriers_max', 'count', 'bound', 'Change of the number of carriers, signed: at most this; exact when equal to carriers_min'),
  ('silent_change* ledger_named', 'bytes_min', 'bytes', 'bound', 'Change of their bytes, signed: at least this'),
  ('silent_change* ledger_named', 'bytes_max', 'bytes', 'bound', 'Change of their bytes, signed: at most this; exact when equal to bytes_min'),
  ('silent_change* ledger_named', 'meaning', 'text', 'label', 'What the kind means'),
  ('ledger_check', '', 'row', 'fast', 'One row for each allocator instance that recorded its counters: events + ledger - counters, beyond the ledger''s bounds. All 0 in a sound database, with or without loss: what no rule explains stands in the ledger as unexplained'),
  ('ledger_check', 'mbc_carriers_off', 'count', 'exact', 'Multi-block carriers too many (above 0) or too few; 0: the books balance'),
  ('ledger_check', 'mbc_bytes_off', 'bytes', 'exact', 'Their bytes too many or too few; 0: the books balance'),
  ('ledger_check', 'sbc_carriers_off', 'count', 'exact', 'Single-block carriers too many or too few; 0: the books balance'),
  ('ledger_check', 'sbc_bytes_off', 'bytes', 'exact', 'Their bytes too many or too few; 0: the books balance'),
  ('loss', '', 'row', 'full scan', 'One row for each stretch of a stream in which something is missing; a bad recording has very many'),
  ('loss', 'lost_interval_id', 'id', 'label', 'lost_interval.id'),
  ('loss', 'stream', 'text', 'label', 'Stream that lost it; NULL: one that could not be opened'),
  ('loss', 'trace', 'text', 'label', 'Trace of that stream; NULL: not named'),
  ('loss', 'cause', 'text', 'label', 'discarded_events, discarded_packets; not_delivered: what a processor recorded at last; of batches of blocks dropped_records, missing_batches, batch_damaged, not_emitted; or what the salvage found'),
  ('loss', 'begin_ns', 'ns', 'bound', 'Nothing is missing before this; NULL: not known'),
  ('loss', 'end_ns', 'ns', 'bound', 'Nothing is missing after this; NULL: not known'),
  ('loss', 'events', 'count', 'exact', 'Lost events, as the tracer counted them; NULL: not known; negative: its counter ran back'),
  ('loss', 'packets', 'count', 'exact', 'Lost packets, as the tracer counted them; NULL: not known'),
  ('loss', 'file', 'text', 'label', 'Salvage: the damaged file'),
  ('loss', 'offset_bytes', 'bytes', 'exact', 'Salvage: where in the file'),
  ('loss', 'length_bytes', 'bytes', 'exact', 'Salvage: how much of it'),
  ('loss_total', '', 'row', 'fast', 'One row for each source and cause of loss'),
  ('loss_total', 'cause', 'text', 'label', 'discarded_events, discarded_packets; not_delivered: what a processor recorded at last; of batches of blocks dropped_records, missing_batches, batch_damaged, not_emitted; or what the salvage found'),
  ('loss_total', 'intervals', 'count', 'exact', 'Stretches with loss'),
  ('loss_total', 'events', 'count', 'bound', 'Lost events, as far as they were counted; NULL: not at all'),
  ('loss_total', 'packets', 'count', 'bound', 'Lost packets, as far as they were counted; NULL: not at all'),
  ('loss_total', 'intervals_of_unknown_size', 'count', 'exact', 'Stretches whose loss nobody counted'),
  ('loss_total', 'first_begin_ns', 'ns', 'bound', 'Begin of the first stretch that has one; NULL: none has'),
  ('loss_total', 'last_end_ns', 'ns', 'bound', 'End of the last stretch that has one; NULL: none has'),
  ('problem', '', 'row', 'fast', 'One row for each kind of trouble met while loading'),
  ('problem', 'problem_id', 'id', 'label', 'load_problem.id'),
  ('problem', 'severity', 'text', 'label', 'info, notice, data_loss or error'),
  ('problem', 'name', 'text', 'label', 'Name of the trouble'),
  ('problem', 'times', 'count', 'exact', 'How often it was met'),
  ('problem', 'sentence', 'text', 'label', 'What happened the first time'),
  ('problem', 'rank', 'count', 'label', 'For ordering: 0 error, 1 data_loss, 2 notice, 3 info');
