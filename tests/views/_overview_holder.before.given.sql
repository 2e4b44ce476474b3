-- as: holder
-- SPDX-License-Identifier: MIT
--
-- The same with a runtime before it that has no reading: its blocks may come first.
INSERT INTO runtime(id, source_id, vpid) VALUES (0, 1, 50);
