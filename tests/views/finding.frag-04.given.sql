-- SPDX-License-Identifier: MIT
-- lmbcs should be at least 8 times sbct.
--   1, binary_alloc: 1 MiB by 512 KiB is 2.0 times: fires; an eighth of lmbcs is 128 KiB
--   1, ets_alloc:    4 MiB by 512 KiB is 8 times: does not
--   1, ll_alloc:     sbct is the greatest number of 64 bits: never a single-block carrier
--   2, ll_alloc:     the same with 32 bits: does not
--   runtime 1, eheap_alloc: 2 MiB by 1 MiB is 2.0 times: fires, 256 KiB
INSERT INTO given_source(id, kind) VALUES (1, 'terms'), (2, 'ctf');
INSERT INTO snapshot VALUES
  (1, 1, NULL, NULL, 1, 'system_info'), (2, 1, NULL, NULL, 2, 'system_info');
INSERT INTO allocator_option VALUES
  (1, 'binary_alloc', 1, 'lmbcs', '1048576'), (1, 'binary_alloc', 1, 'sbct', '524288'),
  (1, 'ets_alloc', 1, 'lmbcs', '4194304'), (1, 'ets_alloc', 1, 'sbct', '524288'),
  (1, 'll_alloc', 1, 'lmbcs', '5242880'), (1, 'll_alloc', 1, 'sbct', '18446744073709551615'),
  (2, 'll_alloc', 1, 'lmbcs', '5242880'), (2, 'll_alloc', 1, 'sbct', '4294967295');
INSERT INTO runtime VALUES (1, 2, 'host', 100, 'beam.smp');
INSERT INTO name_allocator(runtime_id, allocator_id, name) VALUES (1, 5, 'eheap_alloc');
INSERT INTO "option"(runtime_id, allocator_id, name, value) VALUES
  (1, 5, 'lmbcs', '2097152'), (1, 5, 'sbct', '1048576');
