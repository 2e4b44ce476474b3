-- as: export_stack
-- SPDX-License-Identifier: MIT
-- At 3 ns: what was made later is not there, and what was freed later lives.
INSERT INTO question VALUES (1, 3, NULL) ON CONFLICT DO UPDATE SET at_ns = 3;
