-- SPDX-License-Identifier: MIT
-- The nodes of finding.ret-01 that say what is in force: 1 has the strategy that the rule would
-- propose, so there is nothing to try; 2 has another.
INSERT INTO given_source(id, kind) VALUES (1, 'terms');
INSERT INTO snapshot SELECT value, 1, NULL, NULL, value, 'recon' FROM json_each('[1, 2]');
INSERT INTO instance_stat(snapshot_id, allocator, instance, section, key, current, max_ever)
SELECT s.id, 'ets_alloc', 1, 'mbcs', json_extract(k.value, '$[0]'), json_extract(k.value, '$[1]'),
  json_extract(k.value, '$[2]')
FROM snapshot AS s
JOIN json_each('[["carriers", 5, 5], ["carriers_size", 41943040, 41943040],
  ["blocks_size", 25165824, 41943040]]') AS k;
INSERT INTO allocator_option VALUES
  (1, 'ets_alloc', 0, 'as', 'bf'), (1, 'ets_alloc', 1, 'as', 'aoffcbf'),
  (2, 'ets_alloc', 1, 'as', 'bf');
