-- SPDX-License-Identifier: MIT
-- Behind the dump of the schema: without its views but block_event: no load reads them, and without what is said of views.  Tests that
-- load some thousand times under a sanitizer then spend their time on what they test.
DELETE FROM view_doc;
PRAGMA writable_schema = ON;
DELETE FROM sqlite_schema WHERE type = 'view' AND name <> 'block_event';
PRAGMA writable_schema = OFF;
