-- SPDX-License-Identifier: MIT
-- Behind the dump of the schema: without the views that no load reads, and without what is said of views.  Tests that
-- load some thousand times under a sanitizer then spend their time on what they test.
CREATE TEMP TABLE needed AS WITH RECURSIVE needed(name) AS (
  SELECT view FROM stage WHERE "set" = 'figure'
  UNION SELECT '_figure'
  UNION SELECT v.name FROM needed AS n
    JOIN main.sqlite_schema AS s ON s.name = n.name
    JOIN main.sqlite_schema AS v ON v.type = 'view' AND instr(s.sql, v.name) > 0)
SELECT name FROM needed;
DELETE FROM view_doc;
PRAGMA writable_schema = ON;
DELETE FROM sqlite_schema WHERE type = 'view' AND name NOT IN (SELECT name FROM needed);
PRAGMA writable_schema = OFF;
DROP TABLE needed;
