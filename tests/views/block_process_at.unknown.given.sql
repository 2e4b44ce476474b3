-- SPDX-License-Identifier: MIT
-- Neither the events nor dyntrace events have a process, but of one block: <0.0.0>.
INSERT INTO given_block_story VALUES (1);
DELETE FROM block_process;
UPDATE block_event SET process = 1 WHERE id = 3;
