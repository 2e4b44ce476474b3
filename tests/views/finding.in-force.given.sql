-- SPDX-License-Identifier: MIT
-- Nodes that say what is in force; what is there already is no advice.  1 to 4 are those of
-- finding.ret-01, 40 MiB in 5 carriers, 60 % used after a peak that filled them; 5 to 9 use 2 MiB of
-- them: 38 MiB less a carrier of 8 MiB are waste, FRAG-01.
--   1: has the strategy that others recommend, and default sizes (not recorded)
--   2: another strategy
--   3: 1 MiB already, with sbct: 512 KiB is next;  4: that too: no flag is left
--   5: best fit, no pool, the defaults of 2 schedulers
--   6: a pool, and all that measured best is in force: no flag is left
--   7: no segment allocator, so no mmsbc
--   8: 9 GiB at the peak: 9 GiB / 64 KiB = 147456 blocks, 262144 is the next power of two
--   9: literal_alloc takes no acul
INSERT INTO given_source(id, kind) VALUES (1, 'terms');
INSERT INTO snapshot SELECT value, 1, NULL, NULL, value, 'recon' FROM json_each('[1, 2, 3, 4, 5, 6, 7, 8, 9]');
INSERT INTO instance_stat(snapshot_id, allocator, instance, section, key, current, max_ever)
SELECT s.id, iif(s.id = 9, 'literal_alloc', 'ets_alloc'), s.id < 9, 'mbcs', json_extract(k.value, '$[0]'),
  CASE WHEN json_extract(k.value, '$[0]') = 'blocks_size' AND s.id >= 5 THEN 2097152 ELSE json_extract(k.value, '$[1]') END,
  iif(s.id = 8 AND json_extract(k.value, '$[0]') <> 'carriers', 9 << 30, json_extract(k.value, '$[2]'))
FROM snapshot AS s
JOIN json_each('[["carriers", 5, 5], ["carriers_size", 41943040, 41943040],
  ["blocks_size", 25165824, 41943040]]') AS k;
INSERT INTO allocator_option VALUES
  (1, 'ets_alloc', 0, 'as', 'bf'), (1, 'ets_alloc', 1, 'as', 'aoffcbf'),
  (2, 'ets_alloc', 1, 'as', 'bf'),
  (3, 'ets_alloc', 1, 'as', 'aoffcbf'), (3, 'ets_alloc', 1, 'lmbcs', '1048576'), (3, 'ets_alloc', 1, 'smbcs', '1048576'),
  (3, 'ets_alloc', 1, 'sbct', '131072'), (3, 'ets_alloc', 1, 'mmsbc', '4096'),
  (4, 'ets_alloc', 1, 'as', 'aoffcbf'), (4, 'ets_alloc', 1, 'lmbcs', '524288');
INSERT INTO allocator_option
SELECT s.id, iif(s.id = 9, 'literal_alloc', 'ets_alloc'), s.id < 9, o.name, o.value
FROM (SELECT 5 AS id UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) AS s
JOIN (SELECT 'as' AS name, 'bf' AS value UNION ALL VALUES ('acul', '0'), ('lmbcs', '5242880'),
  ('smbcs', '524288'), ('sbct', '524288'), ('mmsbc', '256')) AS o
WHERE s.id <> 7 OR o.name <> 'mmsbc';
INSERT INTO allocator_option VALUES
  (6, 'ets_alloc', 1, 'as', 'aoffcbf'), (6, 'ets_alloc', 1, 'acul', '60'), (6, 'ets_alloc', 1, 'lmbcs', '524288'),
  (6, 'ets_alloc', 1, 'sbct', '65536');
-- stage: figure
