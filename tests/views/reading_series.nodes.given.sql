-- SPDX-License-Identifier: MIT
-- Readings of several nodes in one database.  Eight allocators have N MiB each in the Nth reading of
-- a group, so that each group, and all together, would look like a leak:
--    1 to 5   dumps of a@host: one series
--    6 to 10  dumps of b1@host to b5@host, of the same version: no series
--   11 to 15  of the same version without a name, where others name several nodes: no series
--   21 to 25  dumps of nodes without a name, of another version, with one setting: one series, assumed
--   26 to 30  the same with another setting each: no series
--   31        a dump of c@host, of a third version
--   32 to 36  of that version without a name: a series with 31, assumed
--   41 to 45  live readings without a version whose calls rise: one series, assumed
--   46 to 50  live readings of a fourth version; calls fall at 49: runs of three and two, no series
INSERT INTO given_source(id, kind) VALUES (1, 'crash_dump');
CREATE TEMP TABLE reading(id, n, kind, version, name, setting, calls);
INSERT INTO reading SELECT value, value, 'crash_dump', 'V1', 'a@host', 'x', 9 - value FROM json_each('[1,2,3,4,5]');
INSERT INTO reading SELECT 5 + value, value, 'crash_dump', 'V1', 'b' || value || '@host', 'x', 1 FROM json_each('[1,2,3,4,5]');
INSERT INTO reading SELECT 10 + value, value, 'crash_dump', 'V1', NULL, 'x', 1 FROM json_each('[1,2,3,4,5]');
INSERT INTO reading SELECT 20 + value, value, 'crash_dump', 'V2', 'nonode@nohost', 'x', 1 FROM json_each('[1,2,3,4,5]');
INSERT INTO reading SELECT 25 + value, value, 'crash_dump', 'V2', 'nonode@nohost', value, 1 FROM json_each('[1,2,3,4,5]');
INSERT INTO reading VALUES (31, 1, 'crash_dump', 'V3', 'c@host', 'x', 1);
INSERT INTO reading SELECT 31 + value, value, 'crash_dump', 'V3', NULL, 'x', 1 FROM json_each('[1,2,3,4,5]');
INSERT INTO reading SELECT 40 + value, value, 'recon', NULL, NULL, 'x', value FROM json_each('[1,2,3,4,5]');
INSERT INTO reading SELECT 45 + value, value, 'recon', 'V4', NULL, 'x', value % 4 FROM json_each('[1,2,3,4,5]');
INSERT INTO snapshot SELECT id, 1, NULL, id, 1, kind FROM reading;
INSERT INTO crash_dump(snapshot_id, cause, ended, end_offset_bytes, binaries, binary_bytes)
SELECT id, 'other', 'end', 1, 0, 0 FROM reading WHERE kind = 'crash_dump';
INSERT INTO node_fact SELECT id, 'system_version', version FROM reading WHERE version IS NOT NULL;
INSERT INTO node_fact SELECT id, 'node_name', name FROM reading WHERE name IS NOT NULL;
INSERT INTO allocator_option SELECT id, 'ets_alloc', 1, 'as', setting FROM reading;
INSERT INTO instance_stat(snapshot_id, allocator, instance, section, "key", "current", max_ever)
SELECT r.id, a.value, 1, 'mbcs', k.value, r.n * 1048576, r.n * 1048576
FROM reading AS r
JOIN json_each('["eheap_alloc", "binary_alloc", "ets_alloc", "sl_alloc", "std_alloc", "ll_alloc",
  "fix_alloc", "driver_alloc"]') AS a
JOIN json_each('["carriers_size", "blocks_size"]') AS k
UNION ALL
SELECT id, 'ets_alloc', 1, 'calls', 'ets_alloc', calls, NULL FROM reading;
