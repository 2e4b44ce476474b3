-- SPDX-License-Identifier: MIT
INSERT INTO given_block_story VALUES (1);
UPDATE block_event SET size = 1048500 WHERE id = 3;
