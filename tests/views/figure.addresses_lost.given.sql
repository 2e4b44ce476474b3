-- as: figure.addresses
-- SPDX-License-Identifier: MIT
-- stage: figure
-- Events were lost after the last: carriers may have come and gone.
INSERT INTO lost_interval(id, source_id, cause, begin_ns, end_ns, events) VALUES (1, 1, 'discarded_events', 85, 90, 3);
UPDATE source SET lost_events = 3;
