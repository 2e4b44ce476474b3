-- SPDX-License-Identifier: MIT
-- Only a crash dump was loaded.
INSERT INTO given_source(id, kind) VALUES (1, 'crash_dump');
INSERT INTO snapshot SELECT 1, 1, NULL, NULL, 1, 'crash_dump';
