-- SPDX-License-Identifier: MIT
--
-- Layer:   the judgement
-- Serves:  every command that reads figures, holders, verdicts, findings
--
-- CREATE TEMP VIEW and CREATE TEMP TABLE of these files are the steps by which a database is judged, in the order of the
-- files; what a step named without '_' computes is stored in the table of its name (analyzer/judge/).

-- judgement: one row while the stored results hold: those of the steps, thresholds and replays that the hash is of.  It
-- goes when somebody changes a result (csc_schema_split makes those triggers).
CREATE TABLE judgement (
  id    INTEGER PRIMARY KEY CHECK (id = 1),
  rules TEXT NOT NULL
) STRICT;

INSERT INTO view_doc VALUES
  ('judgement', '', 'row', 'fast', 'One row: what a load judged holds (figure, holder, verdict, finding, waterfall, metric and the like); none: carrierscope report judges anew. Who changes other tables deletes it'),
  ('judgement', 'id', 'id', 'label', '1'),
  ('judgement', 'rules', 'text', 'label', 'Hash of the rules, of finding_threshold, and of what replays found with other flags');
