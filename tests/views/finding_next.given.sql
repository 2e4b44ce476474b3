-- as: finding.frag-01
-- SPDX-License-Identifier: MIT
-- The first is a node of RabbitMQ.
INSERT INTO process_sample(snapshot_id, pid, name, line) VALUES (1, '<0.1.0>', 'rabbit', 1);
