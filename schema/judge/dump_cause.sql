-- SPDX-License-Identifier: MIT
--
-- Layer:   what ended a dead node
-- Serves:  verdict, findings, report dump
--
-- The cause that a crash dump names by itself leads its verdict.

-- _dump_held: one row for each crash dump: bytes that its node held, by =memory or its carriers.
CREATE TEMP TABLE _dump_held AS
SELECT d.snapshot_id, max(
    ifnull((SELECT max(m.bytes) FROM memory_sample AS m WHERE m.snapshot_id = d.snapshot_id AND m.key = 'total'), 0),
    ifnull((SELECT sum(t.current) FROM instance_stat AS t WHERE t.snapshot_id = d.snapshot_id AND t.key = 'carriers_size'
      AND t.section IN ('mbcs', 'sbcs', 'mbcs_pool')), 0)) AS bytes
FROM crash_dump AS d;

-- _absurd: one row for each crash dump whose node asked for far more than it held: a defect or damaged memory, for which no
-- process is to blame.  A binary or table may be made of any size at once: by code, up to what no machine has (2^47).
--
-- Worked example, tests/views/_absurd: 32 GiB for a stack of a node of 128 MB.
CREATE TEMP TABLE _absurd AS
SELECT d.snapshot_id, h.bytes AS held_bytes, d.failed_bytes,
  iif(d.failed_bytes & (d.failed_bytes - 1) = 0, format(', 2^%d', CAST(round(log2(d.failed_bytes)) AS INTEGER)), '') AS power
FROM crash_dump AS d
JOIN _dump_held AS h ON h.snapshot_id = d.snapshot_id
JOIN finding_threshold AS s ON s.name = 'absurd_ratio'
JOIN finding_threshold AS b ON b.name = 'absurd_bytes'
WHERE d.cause = 'out_of_memory' AND (d.failed_bytes IS NULL OR d.failed_bytes >= 1 << 47
  OR (h.bytes > 0 AND d.failed_bytes >= b.value AND d.failed_bytes >= s.value * h.bytes
    AND ifnull(d.failed_type, '') NOT IN ('binary', 'drv_binary', 'db_tab', 'db_term')));

-- _slogan_cause: one row for each crash dump whose slogan names a cause that is not memory.
--
-- Worked example, tests/views/_slogan_cause: a port that is in use.
CREATE TEMP TABLE _slogan_cause AS
SELECT snapshot_id, CASE
    WHEN slogan LIKE '%eaddrinuse%' THEN 'a port that it should listen on is in use (eaddrinuse)'
    WHEN slogan LIKE '%duplicate\_name%' ESCAPE '\' THEN 'another node has its name (duplicate_name)'
    WHEN slogan LIKE '%cookie%' THEN 'the file of its cookie cannot be read'
    WHEN slogan LIKE '%load\_failed%' ESCAPE '\' THEN 'modules could not be loaded (load_failed)'
    WHEN slogan LIKE '%bootfile%' THEN 'its boot file cannot be read'
    WHEN slogan LIKE '%undef,[{%' THEN 'a module or function is not there (undef ' ||
      trim(substr(substr(slogan, instr(slogan, 'undef,[{') + 8), 1, instr(substr(slogan, instr(slogan, 'undef,[{') + 8) || ',', ',') - 1), '''') || ')'
    WHEN slogan LIKE '%module%not found%' OR slogan LIKE '%nofile%' THEN 'a module is not there'
    WHEN slogan LIKE '%enospc%' THEN 'the disk is full (enospc)'
    WHEN slogan LIKE '%emfile%' THEN 'it has too many open files (emfile)'
    WHEN slogan LIKE '%eacces%' THEN 'it may not read or write a file (eacces)'
    WHEN slogan LIKE '%epmd%' OR slogan LIKE '%nodistribution%' THEN 'it could not take part in distribution'
    WHEN slogan LIKE '%application\_start\_failure,%' ESCAPE '\' THEN 'application ' ||
      substr(substr(slogan, instr(slogan, 'application_start_failure,') + 26), 1, instr(substr(slogan, instr(slogan, 'application_start_failure,') + 26) || ',', ',') - 1)
      || ' did not start'
    WHEN slogan LIKE '%shutdown%' AND cause = 'kernel_process' THEN 'an application that it needs ended' END AS text
FROM crash_dump
WHERE cause IN ('kernel_process', 'boot', 'other') AND slogan IS NOT NULL;

-- _ending: one row for each place that asked for memory and did not get it, or that ended.
CREATE TEMP TABLE _ending AS
SELECT -d.snapshot_id AS subject_id,
  CASE d.cause WHEN 'out_of_memory' THEN iif(a.snapshot_id IS NULL, 'out of memory', 'died') WHEN 'user_signal' THEN NULL WHEN 'user_request' THEN NULL
    WHEN 'other' THEN iif(d.slogan IS NULL, NULL, 'halted') ELSE 'died' END AS word,
  CASE d.cause
    WHEN 'out_of_memory' THEN iif(a.snapshot_id IS NULL, '', 'an absurd request: ') || iif(d.failed_type IN ('heap', 'old_heap'), 'a process heap', d.failed_allocator) || ' needed '
      || iif(d.failed_bytes IS NULL, 'more bytes than there are', CASE WHEN d.failed_bytes < 10737418240 THEN format('%.2f MiB', d.failed_bytes / 1048576.0) WHEN d.failed_bytes < 10995116277760 THEN format('%.1f GiB', d.failed_bytes / 1073741824.0)
        ELSE format('%.1f TiB', d.failed_bytes / 1099511627776.0) END
        || format(' (%d bytes)', d.failed_bytes))
      || iif(d.failed_type IN ('heap', 'old_heap'), '', ifnull(' for a block of type ' || d.failed_type, ''))
    WHEN 'atom_table_full' THEN 'the table of atoms was full'
    WHEN 'thread_creation' THEN 'the system gave no more threads'
    WHEN 'kernel_process' THEN 'a process that the node needs ended' || ifnull(': ' || c.text, '')
    WHEN 'boot' THEN 'the node could not start' || ifnull(': ' || c.text, '')
    WHEN 'user_request' THEN 'nothing: someone asked for this dump (A in the break handler)'
    WHEN 'user_signal' THEN 'nothing: someone asked for this dump by SIGUSR1'
    WHEN 'beam_code' THEN 'code that the node could not run'
    WHEN 'too_large' THEN 'a heap became too large for the node'
    WHEN 'system_limit' THEN 'a limit of the system'
    ELSE iif(d.slogan IS NULL, 'unknown: the dump has no slogan', 'someone called halt: "' || d.slogan || '"')
  END AS cause
FROM crash_dump AS d
LEFT JOIN _absurd AS a ON a.snapshot_id = d.snapshot_id
LEFT JOIN _slogan_cause AS c ON c.snapshot_id = d.snapshot_id
UNION ALL
SELECT f.runtime_id, 'out of memory',
  format('%s needed %.2f MiB (%d bytes) for a block of type %s', a.name, f.size_bytes / 1048576.0, f.size_bytes,
    ifnull(t.name, '?'))
FROM (SELECT *, max(id) FROM alloc_failure GROUP BY runtime_id) AS f
JOIN allocator_name AS a ON a.runtime_id = f.runtime_id AND a.allocator_id = f.allocator_id
LEFT JOIN _type_name AS t ON t.runtime_id = f.runtime_id AND t.type_id = f.type_id;

-- _dump_lead: one row for each crash dump of whose cause something is to be said first; mailbox_of: whose messages took the memory.
--
-- Worked example, tests/views/_dump_lead: a mailbox of 5,010,932 messages.
CREATE TEMP TABLE _dump_lead AS
WITH queue AS (
  SELECT p.snapshot_id, p.pid, p.name, p.messages,
    (ifnull(p.heap_words, 0) + ifnull(p.old_heap_words, 0)) * w.word_bytes AS heap_bytes,
    -- Besides its heaps: messages that were not copied into them yet.
    ifnull(p.memory_bytes - (ifnull(p.heap_words, 0) + ifnull(p.old_heap_words, 0)) * w.word_bytes, 0) AS waiting_bytes, row_number() OVER (PARTITION BY p.snapshot_id ORDER BY p.messages DESC, p.id) AS rank
  FROM process_sample AS p
  JOIN _dump_word AS w ON w.snapshot_id = p.snapshot_id
)
SELECT d.snapshot_id, CASE
    WHEN a.snapshot_id IS NOT NULL THEN format('Not lack of memory: %s was asked for %s, type %s, in a node that held %s. That is a defect of the runtime or native code, or damaged memory%s: no process is to blame, and max_heap_size does not help.',
      ifnull(d.failed_allocator, 'an allocator'), ifnull(format('%,d bytes (%.0f GiB%s)', d.failed_bytes, d.failed_bytes / 1073741824.0, a.power), '2^63 bytes and more'),
      ifnull(d.failed_type, '?'), iif(a.held_bytes > 0, format('%,d bytes (%.1f MiB)', a.held_bytes, a.held_bytes / 1048576.0), 'far less'),
      ifnull((SELECT ' (OTP ' || max(f.value) || ')' FROM node_fact AS f WHERE f.snapshot_id = d.snapshot_id AND f.key = 'otp_release'), ''))
    WHEN d.cause IN ('user_request', 'user_signal') THEN 'Someone asked for this dump; the node did not die of it.'
    WHEN q.messages >= t.value OR d.cause = 'out_of_memory' AND q.messages >= t.value / 100 AND q.waiting_bytes >= 0.2 * h.bytes THEN format('%s%s has %,d messages in its queue%s.', q.pid, ifnull(' ' || q.name, ''), q.messages,
      iif(d.cause = 'out_of_memory' AND (q.heap_bytes >= 0.1 * h.bytes OR q.waiting_bytes >= 0.2 * h.bytes), ': it got more than it handled, and memory went there', ''))
    WHEN s.text IS NOT NULL THEN format('Not memory: %s.', s.text) END AS lead,
  iif(a.snapshot_id IS NULL AND d.cause = 'out_of_memory'
    AND (q.messages >= t.value AND q.heap_bytes >= 0.1 * h.bytes OR q.messages >= t.value / 100 AND q.waiting_bytes >= 0.2 * h.bytes),
    q.pid || ifnull(' ' || q.name, ''), NULL) AS mailbox_of
FROM crash_dump AS d
JOIN finding_threshold AS t ON t.name = 'mailbox_messages'
LEFT JOIN _absurd AS a ON a.snapshot_id = d.snapshot_id
LEFT JOIN _dump_held AS h ON h.snapshot_id = d.snapshot_id
LEFT JOIN queue AS q ON q.snapshot_id = d.snapshot_id AND q.rank = 1
LEFT JOIN _slogan_cause AS s ON s.snapshot_id = d.snapshot_id;

-- _reading_text: one row for each snapshot: its node, allocators and classes in words, for one that lists some of them alone.
CREATE TEMP VIEW _reading_text AS
SELECT s.id AS snapshot_id,
  ifnull((SELECT format(' The node: OTP %s', max(f.value)) FROM node_fact AS f WHERE f.snapshot_id = s.id AND f.key = 'otp_release' HAVING count(*) > 0)
    || ifnull((SELECT format(', %s schedulers', max(f.value)) FROM node_fact AS f WHERE f.snapshot_id = s.id AND f.key = 'schedulers' HAVING count(*) > 0), '') || '.', '')
  || ifnull((SELECT ' Read: ' || group_concat(format('%s %,d bytes in carriers, %.0f %% used', a.allocator, a.allocated, 100 * a.utilisation), '; ') || '.'
    FROM (SELECT * FROM allocator_reading WHERE allocated > 0 ORDER BY allocated DESC LIMIT 4) AS a WHERE a.snapshot_id = s.id), '')
  || ifnull((SELECT format(' Its memory is %s: %s.', r.total_text, r.parts) FROM _memory_reading AS r WHERE r.snapshot_id = s.id AND r.parts IS NOT NULL), '') AS text
FROM snapshot AS s
WHERE s.runtime_id IS NULL;
