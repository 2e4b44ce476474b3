-- SPDX-License-Identifier: MIT
INSERT INTO given_block_story VALUES (1);
-- With tags and blocks of at least 40 bytes: 300 + 16 and 200 + 16 bytes, rounded up to 8.
UPDATE option SET value = 'true' WHERE name = 'atags';
UPDATE option SET value = 'gf' WHERE name = 'as';
