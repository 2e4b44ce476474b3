-- SPDX-License-Identifier: MIT
--
-- Layer:   why a report is empty
-- Serves:  `carrierscope report`, the HTML report

-- empty_report: one row for each report that is empty without something: what to record, if that is missing.
--
-- Worked example, tests/views/empty_report: without blocks and carrier events.
CREATE VIEW empty_report AS
WITH need(kind, is_missing, reason) AS (
  VALUES
    ('blocks', NOT EXISTS (SELECT 1 FROM block_span),
      'no block was recorded. Record them: carrierscope record --every-block, or carrierscope:start() in the node'),
    ('grown', NOT EXISTS (SELECT 1 FROM block_span),
      'no block was recorded. Who grew: carrierscope report growth_holders; to record blocks: carrierscope record --every-block'),
    ('events', NOT EXISTS (SELECT 1 FROM carrier_event),
      'no carrier event was recorded. An OTP built with LTTng, or the twin, has them; a stock node has snapshots instead: carrierscope report utilisation'),
    ('samples', NOT EXISTS (SELECT 1 FROM sample_alloc) AND NOT EXISTS (SELECT 1 FROM sample_alloc_by_process),
      'no sample was recorded. Record them: carrierscope record --sample 64KiB, or carrierscope:start(#{sample => {bytes, 65536}})'),
    ('stacks', NOT EXISTS (SELECT 1 FROM stack_frame),
      'no stack was recorded. Record samples of a node: carrierscope record NAME --sample 64KiB; carrierscope:info() says whether its stacks can be read'),
    ('snapshots', NOT EXISTS (SELECT 1 FROM snapshot) AND NOT EXISTS (SELECT 1 FROM snapshot_begin),
      'no snapshot was recorded, and no dump loaded. Take one in the node: carrierscope:snapshot()'),
    ('two', (SELECT count(*) FROM snapshot_holders) < 2,
      'it compares two snapshots with holders. Take them while the load runs: carrierscope:snapshot(#{every => 1000})'),
    ('dump', NOT EXISTS (SELECT 1 FROM crash_dump),
      'no crash dump was loaded. Load one: carrierscope load erl_crash.dump -o dump.db'),
    ('recon', NOT EXISTS (SELECT 1 FROM snapshot) AND NOT EXISTS (SELECT 1 FROM snapshot_begin),
      'no dump, no printed terms and no snapshot were loaded. Load one of them, or take a snapshot: carrierscope:snapshot()'),
    ('board', NOT EXISTS (SELECT 1 FROM heap_reading),
      'no log or trace of a board was loaded. Load one: carrierscope load board.log -o board.db'),
    ('libc', NOT EXISTS (SELECT 1 FROM event_count WHERE provider = 'lttng_ust_libc' AND events > 0),
      'no call of malloc was recorded. Record them: the C library''s wrapper, event lttng_ust_libc:*'),
    ('alarms', NOT EXISTS (SELECT 1 FROM alarm),
      'no alarm was recorded. Watch a node: carrierscope keep NAME -o DIR; its rules: --alarm'),
    ('nodes', NOT EXISTS (SELECT 1 FROM runtime_fact),
      'no node recorded facts of itself. Hook it, or take a snapshot: carrierscope:start(), carrierscope:snapshot()'),
    ('verdict', 1,
      'the sources have no figures of allocators'),
    ('none', 1,
      'there is nothing of this kind; that is good'),
    ('known', 1,
      'the sources have too little to judge: record carrierscope:*, or a snapshot of the node')
),
asks(report, kind) AS (
  VALUES
    ('block_lifetimes', 'blocks'), ('block_rate', 'blocks'), ('block_sizes', 'blocks'), ('block_sizes_at', 'blocks'),
    ('block_waste', 'blocks'), ('growth', 'grown'), ('growth_processes', 'grown'), ('live', 'blocks'),
    ('map', 'blocks'), ('temporary', 'blocks'), ('blocks', 'blocks'), ('instrument_memory_status', 'blocks'), ('allocators', 'blocks'),
    ('churn', 'events'), ('ledger', 'events'), ('lifetimes', 'events'), ('footprint', 'events'), ('events', 'events'),
    ('kinds', 'events'), ('ratio', 'events'), ('pool', 'events'), ('instances', 'events'),
    ('samples', 'samples'), ('code', 'stacks'), ('holders', 'snapshots'), ('settings', 'snapshots'), ('growth_holders', 'two'),
    ('dump', 'dump'), ('recon', 'recon'), ('pasted', 'recon'), ('histograms', 'recon'), ('flags', 'recon'), ('board', 'board'), ('board_readings', 'board'), ('libc', 'libc'), ('node', 'nodes'), ('alarms', 'alarms'),
    ('loss', 'none'), ('problems', 'none'), ('findings', 'known'), ('verdict', 'known'), ('utilisation', 'known'),
    ('peaks', 'known'), ('metrics', 'known'), ('figures', 'known'), ('waterfall', 'known'), ('growth_top', 'known')
)
SELECT 'report_' || a.report AS view,
  CASE WHEN n.is_missing THEN n.reason
    WHEN EXISTS (SELECT 1 FROM runtime) THEN 'nothing of this kind happened while it was recorded'
    ELSE 'what was loaded has nothing of this kind' END AS reason,
  (SELECT sum(lost_events) FROM source) AS source_lost_events
FROM asks AS a
JOIN need AS n ON n.kind = a.kind
UNION ALL
-- Tables of the page.
SELECT a.view, n.reason, (SELECT sum(lost_events) FROM source)
FROM (SELECT 'verdict' AS view, 'verdict' AS kind UNION ALL SELECT 'waterfall', 'known' UNION ALL SELECT 'setting', 'snapshots') AS a
JOIN need AS n ON n.kind = a.kind;

INSERT INTO view_doc VALUES
  ('empty_report', '', 'row', 'fast', 'One row for each report that may be empty: why, and what to record'),
  ('empty_report', 'view', 'text', 'label', 'Name of the report''s view'),
  ('empty_report', 'reason', 'text', 'label', 'Why it has no rows');
