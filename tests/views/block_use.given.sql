-- SPDX-License-Identifier: MIT
INSERT INTO given_block_story VALUES (1);
