-- SPDX-License-Identifier: MIT
INSERT INTO given_block_story VALUES (1);
UPDATE block_account SET temporary = 1, temporary_bytes = 100;
