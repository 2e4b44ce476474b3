-- SPDX-License-Identifier: MIT
INSERT INTO given_block_story VALUES (1);
UPDATE question SET at_ns = 4;
