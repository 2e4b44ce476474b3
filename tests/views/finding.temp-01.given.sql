-- SPDX-License-Identifier: MIT
-- Growth of temp_alloc counts from 1048576 bytes on: 8 times 128 KiB.  Runtime 1 grows by just
-- that, runtime 2 by a byte less, runtime 3 not in each window.
INSERT INTO given_growth VALUES (1, 'temp_alloc', 131072);
