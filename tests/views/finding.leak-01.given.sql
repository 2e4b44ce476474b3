-- SPDX-License-Identifier: MIT
-- Growth counts from 8388608 bytes on: 8 times 1 MiB.  Runtime 1 grows by just that, runtime 2
-- by a byte less, runtime 3 not in each window, which leaves it open (no verdict).  Its carriers have 8 MiB and are full: nothing
-- to save but the byte.
INSERT INTO given_growth VALUES (1, 'binary_alloc', 1048576);
