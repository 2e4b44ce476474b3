-- SPDX-License-Identifier: MIT
-- Literals grow: no process has them, so that whose memory grew would not show it.
INSERT INTO given_growth VALUES (1, 'literal_alloc', 1048576);
