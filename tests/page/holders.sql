-- SPDX-License-Identifier: MIT
--
-- Fills the database of a node that read itself twice with lists of 10,000 processes at these moments: each has a heap
-- and binaries, and grew; names are as long as RabbitMQ's.  Many blocks are temporary.
CREATE TEMP TABLE reading AS
SELECT runtime_id, snapshot_id, max(ts_ns) AS ts_ns, row_number() OVER (ORDER BY snapshot_id) AS n
FROM snapshot_begin GROUP BY runtime_id, snapshot_id;
CREATE TEMP TABLE process AS
WITH RECURSIVE p(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM p WHERE n < 10000)
SELECT n, format('<0.%d.0>', 1000 + n) AS pid FROM p;
INSERT INTO process_name (ts_ns, runtime_id, pid, name, label, initial_call, current_function, application, ancestors)
SELECT r.ts_ns, r.runtime_id, p.pid, '', format('queue %d in vhost /', p.n), 'rabbit_amqqueue_process:init/1', 'gen_server2:loop/3', 'rabbit', ''
FROM process AS p JOIN reading AS r ON r.n = 1;
UPDATE process_name SET label = '</script><img src=x onerror="document.title = ''broken''">' WHERE pid = '<0.1007.0>';
INSERT INTO snapshot_process (ts_ns, runtime_id, snapshot_id, pid, memory_bytes, heap_bytes, messages, binaries, binary_bytes, binaries_by)
SELECT r.ts_ns, r.runtime_id, r.snapshot_id, p.pid, 3000, 20000 + (p.n * 7919) % 65536, 0, 10, r.n * (1000 + (p.n * 104729) % 250000), 1
FROM reading AS r JOIN process AS p;
INSERT INTO snapshot_holders (ts_ns, runtime_id, snapshot_id, processes, processes_seen, tables, tables_seen, tables_bytes, ports, ports_seen, binaries, binary_bytes)
SELECT ts_ns, runtime_id, snapshot_id, 10000, 10000, 0, 0, 0, 0, 0, 0, 0 FROM reading;
-- Socket reads: blocks that are freed at once.
INSERT INTO block_life (account_id, life_from_ns, ends, end_bytes)
SELECT a.id, 8388608, 2000, 4194304000 FROM block_account AS a JOIN allocator_name AS n USING (runtime_id, allocator_id)
WHERE a.scope = 'type' AND n.name = 'binary_alloc' ORDER BY a.id LIMIT 1
ON CONFLICT DO UPDATE SET ends = 2000, end_bytes = 4194304000;
