-- as: figure
-- stage: figure
-- SPDX-License-Identifier: MIT
-- The same figures, with the node that the reading is of.
INSERT INTO runtime_fact(ts_ns, runtime_id, "key", value) VALUES (900, 1, 'node_name', 'bank@host');
