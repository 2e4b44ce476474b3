-- SPDX-License-Identifier: MIT
-- What lies before the next multiple of the alignment, of what sys_alloc gave.
--   runtime 1: 640 KiB at multiples of 256 KiB: 768 - 640 = 128 KiB (131072 bytes), 20 %: fires
--   runtime 2: 2 + 2 + 36 KiB at multiples of 4 KiB: 2 + 2 + 0 of 40 KiB are 10 %: does not;
--              what was refused and what the segment allocator gave does not count
INSERT INTO given_source(id) VALUES (1);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp'), (2, 1, 'host', 200, 'beam.smp');
INSERT INTO os_request(runtime_id, call, size_bytes, alignment_bytes, result, result_bytes) VALUES
  (1, 3, 655360, 262144, 8388608, 655360),
  (2, 3, 2048, 4096, 8388608, 2048), (2, 3, 2048, 4096, 8392704, 2048),
  (2, 3, 36864, 4096, 8396800, 36864),
  (2, 3, 2048, 4096, 0, 0), (2, 0, 2048, 4096, 8437760, 2048);
