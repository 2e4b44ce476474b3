-- SPDX-License-Identifier: MIT
-- Three sources, each with a node whose one carrier of 1 MiB is full: the first lost 3 events, the
-- second 2 packets, the third nothing.
INSERT INTO given_source(id, lost_events, lost_packets) VALUES (1, 3, 0), (2, 0, 2), (3, 0, 0);
INSERT INTO snapshot SELECT id, id, NULL, NULL, 1, 'recon' FROM source;
INSERT INTO instance_stat(snapshot_id, allocator, instance, section, key, current, max_ever)
SELECT s.id, 'ets_alloc', 1, 'mbcs', k.value, 1048576, 1048576
FROM snapshot AS s JOIN json_each('["carriers_size", "blocks_size"]') AS k;
-- Of a part of the allocators nothing follows for the node: its figures have a lower bound only.
-- stage: figure
