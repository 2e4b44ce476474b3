-- as: holder
-- SPDX-License-Identifier: MIT
-- What waits in a port grew by 800 bytes; another has no owner any more, and was not in the first list.
INSERT INTO snapshot_port(id, ts_ns, runtime_id, thread_id, snapshot_id, port, name, owner, peer, memory_bytes, queue_bytes) VALUES
  (2, 10, 1, NULL, 1, '#Port<0.5>', 'tcp_inet', '<0.9.0>', '127.0.0.1:5672', 64, 100),
  (3, 21, 1, NULL, 2, '#Port<0.6>', 'tcp_inet', '', '', 64, 60);
UPDATE snapshot_port SET queue_bytes = 900 WHERE id = 1;
