-- SPDX-License-Identifier: MIT
-- What the events themselves have goes before what the dyntrace events say: <0.1234.2>, and a port.
INSERT INTO given_block_story VALUES (1);
UPDATE block_event SET process = 1 + 1234 + 2 * 268435456 WHERE id = 3;
UPDATE block_event SET process = 4611686018427387904 + 1 + 1234 WHERE id = 6;
