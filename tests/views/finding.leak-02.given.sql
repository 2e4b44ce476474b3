-- SPDX-License-Identifier: MIT
-- As finding.leak-01, of the two allocators whose objects are the runtime's own: runtimes 1 and 4
-- grow by 8 MiB, 2 and 5 by a byte less, 3 and 6 not in each window.
INSERT INTO given_growth VALUES (1, 'll_alloc', 1048576);
INSERT INTO given_growth VALUES (2, 'fix_alloc', 1048576);
