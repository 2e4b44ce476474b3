-- SPDX-License-Identifier: MIT
-- Without the context vtid: the only process of the source is meant, no thread and no pid.
INSERT INTO given_block_story VALUES (1);
UPDATE block_event SET thread_id = NULL;
