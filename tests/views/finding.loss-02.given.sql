-- SPDX-License-Identifier: MIT
-- Two dumps: the first breaks off at offset 300, before its allocators, the second at offset 99000,
-- behind them: of its allocators nothing is missing.
INSERT INTO given_source(id, kind) VALUES (1, 'crash_dump');
INSERT INTO snapshot VALUES (1, 1, NULL, NULL, 1, 'crash_dump'), (2, 1, NULL, NULL, 9, 'crash_dump');
INSERT INTO crash_dump(snapshot_id, cause, ended, end_offset_bytes, binaries, binary_bytes)
VALUES (1, 'other', 'cut', 300, 0, 0), (2, 'other', 'cut', 99000, 0, 0);
INSERT INTO process_sample(snapshot_id, line, pid) VALUES (2, 900, '<0.0.0>');
