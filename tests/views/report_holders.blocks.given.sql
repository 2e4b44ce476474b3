-- as: _made_most
-- SPDX-License-Identifier: MIT
-- What a process made of an allocator whose holders no snapshot lists stands between the holders of the snapshot.
INSERT INTO thread(id, runtime_id, carrier_events, events) VALUES (1, 1, 0, 7);
UPDATE block_event SET thread_id = 1;
