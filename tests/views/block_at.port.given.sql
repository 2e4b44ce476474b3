-- SPDX-License-Identifier: MIT
-- No process ran, as the events have it: the tracer shows that one of the blocks is of a port.
INSERT INTO given_block_story VALUES (1);
UPDATE block_event SET process = 0;
UPDATE block_process SET pid = '#Port<0.5>' WHERE from_id = 6;
