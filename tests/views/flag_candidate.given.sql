-- as: finding.pool-02
-- SPDX-License-Identifier: MIT
-- Blocks were recorded of runtime 1 alone: only there can a replay try what the finding names.
INSERT INTO given_account(id, source_id, runtime_id, scope, allocator_id, type_id, live_blocks) VALUES (1, 1, 1, 'type', 4, 5, 10);
