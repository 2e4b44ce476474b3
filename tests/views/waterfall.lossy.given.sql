-- as: waterfall.walked
-- SPDX-License-Identifier: MIT
-- stage: figure
-- The same, but events were lost at 3: what the system gave is not known, as requests may be missing, and of carriers only the least.
INSERT INTO lost_interval(id, source_id, cause, begin_ns, end_ns, events) VALUES (1, 1, 'discarded_events', 3, 3, 2);
UPDATE source SET lost_events = 2;
