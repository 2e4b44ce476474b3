-- SPDX-License-Identifier: MIT
--
-- Layer:   the judgement
-- Serves:  every command that reads figures, holders, verdicts, findings
--
-- CREATE TEMP VIEW and CREATE TEMP TABLE of these files are the steps by which a database is judged, in the order of the
-- files; what a step named without '_' computes is stored in the table of its name (analyzer/judge/).

-- judgement: one row while the stored results hold: those of the steps and thresholds that the hash is of.  It
-- goes when somebody changes a result (csc_schema_split makes those triggers), or what findings read of replays.
CREATE TABLE judgement (
  id    INTEGER PRIMARY KEY CHECK (id = 1),
  rules TEXT NOT NULL
) STRICT;

CREATE TRIGGER judgement_sweep_result_insert AFTER INSERT ON sweep_result BEGIN DELETE FROM judgement; END;
CREATE TRIGGER judgement_sweep_result_update AFTER UPDATE ON sweep_result BEGIN DELETE FROM judgement; END;
CREATE TRIGGER judgement_sweep_result_delete AFTER DELETE ON sweep_result BEGIN DELETE FROM judgement; END;
CREATE TRIGGER judgement_sweep_advice_insert AFTER INSERT ON sweep_advice BEGIN DELETE FROM judgement; END;
CREATE TRIGGER judgement_sweep_advice_update AFTER UPDATE ON sweep_advice BEGIN DELETE FROM judgement; END;
CREATE TRIGGER judgement_sweep_advice_delete AFTER DELETE ON sweep_advice BEGIN DELETE FROM judgement; END;

INSERT INTO view_doc VALUES
  ('judgement', '', 'row', 'fast', 'One row: what a load judged holds (figure, holder, verdict, finding, waterfall, metric and the like); none: carrierscope report judges anew. Who changes other tables deletes it'),
  ('judgement', 'id', 'id', 'label', '1'),
  ('judgement', 'rules', 'text', 'label', 'Hash of the rules and of finding_threshold');
