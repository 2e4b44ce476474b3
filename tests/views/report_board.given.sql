-- as: board_failure
-- SPDX-License-Identifier: MIT
-- The seed's two crashes, and a flag without effect.
INSERT INTO boot_flag VALUES (6, '+MHas', 'aobf', 1);
