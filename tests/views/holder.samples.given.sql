-- as: sample_block.by_process
-- SPDX-License-Identifier: MIT
-- Live samples by the process that allocated them, times their weights.
INSERT INTO given_source(id, kind, last_ts_ns) SELECT 1, 'ctf', 9 WHERE NOT EXISTS (SELECT 1 FROM source);
INSERT INTO runtime(id, source_id, vpid) SELECT 1, 1, 100 WHERE NOT EXISTS (SELECT 1 FROM runtime);
INSERT INTO otp_event(id, ts_ns, event, runtime_id, pid, entry) VALUES (1, 1, 'process_spawn', 1, '<0.77.0>', 'worker:run/2');
