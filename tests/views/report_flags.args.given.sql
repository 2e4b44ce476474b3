-- SPDX-License-Identifier: MIT
-- Flags of a file: one that is taken, one that erl refuses.
INSERT INTO given_source(id, kind) VALUES (1, 'args');
INSERT INTO snapshot VALUES (1, 1, NULL, NULL, 1, 'args');
INSERT INTO emulator_flag VALUES (1, 3, '+MPas', 'aobf', 2), (1, 1, '+MBlmbcs', '10240', 1);
