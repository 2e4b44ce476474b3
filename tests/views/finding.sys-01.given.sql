-- SPDX-License-Identifier: MIT
-- More calls of sys_alloc than of the segment allocator, and at least 1000.
--   snapshot 1: 600 + 400 = 1000 of sys_alloc, 999 of mseg_alloc: fires
--   snapshot 2: 1000 and 1000: does not
--   snapshot 3: 999 and 0: too few to say
--   runtime 1:  1000 mallocs (call 3), one segment (call 0), one refused: fires
INSERT INTO given_source(id, kind) VALUES (1, 'terms'), (2, 'ctf');
INSERT INTO snapshot SELECT value, 1, NULL, NULL, value, 'recon' FROM json_each('[1, 2, 3]');
INSERT INTO instance_stat(snapshot_id, allocator, instance, section, key, current) VALUES
  (1, 'ets_alloc', 1, 'calls', 'sys_alloc', 600), (1, 'binary_alloc', 1, 'calls', 'sys_alloc', 400),
  (1, 'binary_alloc', 1, 'calls', 'mseg_alloc', 999),
  -- The segment allocator's own count of the same calls is not added.
  (1, 'mseg_alloc', 1, 'calls', 'mseg_alloc', 999),
  (2, 'binary_alloc', 1, 'calls', 'sys_alloc', 1000),
  (2, 'binary_alloc', 1, 'calls', 'mseg_alloc', 1000),
  (3, 'binary_alloc', 1, 'calls', 'sys_alloc', 999);
INSERT INTO runtime VALUES (1, 2, 'host', 100, 'beam.smp');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
INSERT INTO os_request(runtime_id, call, size_bytes, alignment_bytes, result, result_bytes)
SELECT 1, 3, 4096, 4096, 4096 * i, 4096 FROM n
UNION ALL SELECT 1, 0, 262144, 262144, 8388608, 262144
UNION ALL SELECT 1, 0, 262144, 262144, 0, 0;
