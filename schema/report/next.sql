-- SPDX-License-Identifier: MIT
--
-- Layer:   what to do next
-- Serves:  carrierscope report, the HTML report
--
-- For each finding one step, in the user's own file or as a command; FILE is the database.

-- _flag_place: one row for each runtime and reading: the file that flags of such a node go into, and the line; $F: the
-- flags.  Files of RabbitMQ and ejabberd as of their packages in Debian.
CREATE TEMP VIEW _flag_place AS
WITH place AS (
  SELECT r.id AS runtime_id, NULL AS snapshot_id,
    EXISTS (SELECT 1 FROM process_name AS p WHERE p.runtime_id = r.id AND p.application = 'rabbit') AS is_rabbit,
    EXISTS (SELECT 1 FROM process_name AS p WHERE p.runtime_id = r.id AND p.application = 'ejabberd') AS is_ejabberd,
    r.procname LIKE 'carrierscope-tw%' AS is_twin
  FROM runtime AS r
  UNION ALL
  SELECT NULL, s.id,
    EXISTS (SELECT 1 FROM process_sample AS p WHERE p.snapshot_id = s.id AND p.name = 'rabbit'),
    EXISTS (SELECT 1 FROM process_sample AS p WHERE p.snapshot_id = s.id AND p.name = 'ejabberd_sup'), 0
  FROM snapshot AS s
)
SELECT runtime_id, snapshot_id, CASE
  WHEN is_rabbit THEN '/etc/rabbitmq/rabbitmq-env.conf: SERVER_ADDITIONAL_ERL_ARGS="$F"'
  WHEN is_ejabberd THEN '/etc/ejabberd/ejabberdctl.cfg: ERL_OPTIONS="$F"'
  WHEN is_twin THEN 'the command line of carrierscope-twin, after --: $F'
  ELSE 'vm.args (mix: rel/vm.args.eex; systemd: Environment="ERL_AFLAGS=$F"): $F' END AS line
FROM place;

-- finding_next: one row for each finding: what to do about it.
--
-- Worked example, tests/views/finding_next.advised: a flag that helps goes into the file of RabbitMQ; tests/views/finding_next: each
-- reading is named.
CREATE VIEW finding_next AS
SELECT f.*, CASE
  WHEN f.flag LIKE '+M%' THEN 'Put this into ' || replace(ifnull(p.line, 'vm.args: $F'), '$F', substr(f.flag, 1, instr(replace(f.flag, ',', ';') || ';', ';') - 1))
    || '. Restart the node, record again, and compare: '
    || iif(EXISTS (SELECT 1 FROM sweep_advice AS a WHERE a.runtime_id = f.runtime_id AND a.flags IS NOT NULL), 'carrierscope advise FILE --verify NEW.db', 'carrierscope diff FILE NEW.db')
  WHEN f.flag LIKE 'none yet: carrierscope record %' THEN 'Record blocks: carrierscope record NAME --every-block -o NEW.db. Then search for flags that save memory: carrierscope advise NEW.db'
  WHEN f.flag LIKE 'none yet: %' THEN iif(f.rule = 'FRAG-01', 'See whose blocks stayed: carrierscope report holders FILE. Whether flags save memory here: carrierscope advise FILE',
    'Search for flags that save memory here: carrierscope advise FILE')
  WHEN f.flag LIKE 'none: of %' THEN 'See whose memory it is: carrierscope report holders FILE'
  ELSE CASE f.rule
    WHEN 'LEAK-01' THEN CASE f.allocator
      WHEN 'literal_alloc' THEN 'Count what is kept for good on the node: persistent_term:info(), length(code:all_loaded())'
      WHEN 'std_alloc' THEN 'See which type grew: carrierscope report growth FILE'
      WHEN 'sl_alloc' THEN 'See which type grew: carrierscope report growth FILE'
      -- Of what samples show in the allocators that this is said of, also where no function is known.  Who made it need not hold it.
      ELSE ifnull((SELECT 'Look at ' || iif(is_otp, 'what ', '') || own || ifnull(' (' || source_line || ')', '') || iif(is_otp, ' calls', '') || ', which made ' || CAST(round(100 * bytes / every) AS INTEGER) || ' % of what grew in ' || allocators
            || ': carrierscope report code --grown FILE'
          -- Of its lines the one that made most.  A function of OTP is innermost where what it called is not on the stack.
          FROM (SELECT own, is_otp, source_line, max(line_bytes), sum(line_bytes) AS bytes, sum(line_samples) AS samples, sum(sum(line_bytes)) OVER () AS every, allocators
                FROM (SELECT own, application IN ('kernel', 'stdlib') AS is_otp, source_line, sum(grown_bytes) AS line_bytes, sum(grown_samples) AS line_samples, g.allocators
                FROM (SELECT group_concat(allocator, ', ') AS allocators FROM (SELECT DISTINCT allocator FROM finding
                      WHERE runtime_id = f.runtime_id AND rule = f.rule AND sentence = f.sentence ORDER BY allocator)) AS g
                JOIN code_memory AS c ON c.runtime_id = f.runtime_id AND instr(', ' || g.allocators || ',', ', ' || c.allocator || ',') > 0
                GROUP BY own, source_line) GROUP BY own)
          WHERE own <> 'this recorder' AND bytes >= 0.3 * every AND samples >= 10
          ORDER BY bytes DESC LIMIT 1),
        'See whose memory grew: carrierscope report growth_holders FILE. Then look at the queue, table or state of that process on the node') END
    WHEN 'LEAK-02' THEN 'See which type grew: carrierscope report growth FILE. Count timers, ports, monitors, atoms and modules on the node: erlang:system_info(port_count), (atom_count), length(code:all_loaded())'
    WHEN 'OOM-01' THEN iif(EXISTS (SELECT 1 FROM crash_dump AS d WHERE d.snapshot_id = f.snapshot_id AND d.failed_type IN ('binary', 'drv_binary') AND d.failed_bytes >= 4294967296),
      'Find the code that makes one binary of so many bytes, such as by a size in its input: no flag of a process limits that', iif((SELECT s.kind FROM source AS s WHERE s.id = f.source_id) = 'board_log',
      'See its heap: carrierscope report board FILE. Which settings or lines of the port would have kept it alive: carrierscope advise LOG --board BOARD', iif(EXISTS (SELECT 1 FROM holder AS h WHERE h.source_id = f.source_id AND h.bytes > 0),
        'See who was largest: carrierscope report holders FILE. Limit it, by the process flag max_heap_size or a shorter queue, or give the node more memory',
        'Limit the process that asked for it, by its flag max_heap_size, or give the node more memory')))
    WHEN 'BUG-01' THEN 'Update OTP to the last patch of its release; if the dump names native libraries (Taints), suspect these first'
    WHEN 'HEAP-01' THEN 'See whose heap it is: carrierscope report holders FILE. If it keeps garbage: hibernate, or fullsweep_after, in that process; if it needs the data: split the work, or keep it in a table. '
      || 'To hear when it grows: process_flag(max_heap_size, #{size => WORDS, kill => false, error_logger => true}) in that process'
    WHEN 'HEAP-02' THEN iif(f.sentence LIKE '%no longer uses.', 'Let such processes hibernate when they are idle, start them with option fullsweep_after, or collect them after bursts: erlang:garbage_collect/0',
      iif(f.sentence LIKE '%keeps what is left.', 'Look at their state, and whether it keeps pieces of larger binaries: binary:copy/1 of what is kept', 'Record again with a process that lives'))
    WHEN 'TEMP-01' THEN 'See which type grew: carrierscope report growth FILE'
    WHEN 'TEMP-02' THEN 'See who makes them: carrierscope report temporary FILE. Of sockets: a smaller read buffer (inet option buffer; RabbitMQ: tcp_listen_options.buffer in rabbitmq.conf), then record again'
    WHEN 'FRAG-04' THEN iif(f.runtime_id IN (SELECT runtime_id FROM block_account), 'See whether many blocks are just below sbct: carrierscope report block_sizes FILE. Whether other sizes save memory: carrierscope advise FILE',
      'Record blocks: carrierscope record NAME --every-block -o NEW.db. Whether other sizes save memory: carrierscope advise NEW.db')
    WHEN 'JIT-01' THEN 'Find what loads code again and again (hot upgrades, compiled modules), and load it once'
    WHEN 'SUPER-01' THEN 'Make it larger, in ' || replace(ifnull(p.line, 'vm.args: $F'), '$F', '+MMscs MEGABYTES')
    WHEN 'MSEG-02' THEN 'Nothing, if there is room for it: it goes by itself when no large block comes or goes for some 10 s. Whether +MMmcs 0, which keeps none, saves memory at the peak: carrierscope advise --objective rss FILE'
    WHEN 'REC-01' THEN 'Nothing: they go when the recording ends. Smaller ones: carrierscope record --memory 8MiB'
    WHEN 'LOSS-01' THEN iif(f.source_id IN (SELECT source_id FROM lost_interval WHERE cause = 'not_delivered'),
      'Record again, and let the recording end before the node does', 'Record again with larger buffers: carrierscope record --memory 256MiB')
    WHEN 'LOSS-02' THEN 'Find a complete dump, or raise ERL_CRASH_DUMP_SECONDS and ERL_CRASH_DUMP_BYTES for the next one'
    WHEN 'BOUND-01' THEN NULL
    WHEN 'OK-01' THEN NULL
    WHEN 'POOL-01' THEN 'See how much each allocator has there: carrierscope report pool FILE'
    ELSE 'See the figures of each allocator: carrierscope report utilisation FILE' END
  END AS next_step,
  coalesce(iif(v.snapshot_id IS NULL, NULL, ifnull(v.node || ', reading ', 'reading ') || v.snapshot_id),
    v.node || ' (OS pid ' || v.vpid || ')', 'OS process ' || v.vpid, v.node) AS place
FROM finding AS f
LEFT JOIN _flag_place AS p ON p.runtime_id IS iif(f.snapshot_id IS NULL, f.runtime_id, NULL) AND p.snapshot_id IS f.snapshot_id
-- Where one place only was judged, nobody asks which it is.
LEFT JOIN verdict AS v ON v.source_id = f.source_id AND v.level = 'runtime' AND v.runtime_id IS f.runtime_id AND v.snapshot_id IS f.snapshot_id
  AND (SELECT count(*) > 1 FROM verdict WHERE level <> 'allocator');

-- report_findings: the worst first.
CREATE VIEW report_findings AS
SELECT
  source_id AS source,
  vpid,
  rule,
  severity,
  confidence,
  sentence,
  flag,
  next_step,
  falsify,
  source_lost_events AS lost_events
FROM finding_next
ORDER BY source_id, vpid, runtime_id, snapshot_id, rank, at_stake_bytes DESC, rule, allocator,
  instance;

INSERT INTO view_doc VALUES
  ('finding_next', '', 'row', 'full scan', 'One row for each finding, with what to do about it'),
  ('finding_next', 'next_step', 'text', 'label', 'A file and its line, or a command; NULL: nothing, or flag says it'),
  ('finding_next', 'place', 'text', 'label', 'The node that it is about, with its OS process or reading; NULL: one place only was judged, or it has no name'),
  ('report_findings', '', 'row', 'fast', 'What the rules found, worst first, with the flag to try, what to do and how to falsify it; from finding_next'),
  ('report_findings', 'rule', 'text', 'label', 'Name of the rule, see finding_rule'),
  ('report_findings', 'severity', 'text', 'label', 'critical, warning, advice or info'),
  ('report_findings', 'confidence', 'text', 'label', 'Of the figures: exact, bound or estimate'),
  ('report_findings', 'sentence', 'text', 'estimate', 'What was found'),
  ('report_findings', 'flag', 'text', 'label', 'Flags that save memory, and how that is known; empty: no flag is about it'),
  ('report_findings', 'next_step', 'text', 'label', 'What to do; empty: nothing, or flag says it'),
  ('report_findings', 'falsify', 'text', 'label', 'How to falsify it');
