-- as: sample_block.by_process
-- SPDX-License-Identifier: MIT
-- Samples that stand for 4 blocks each: three without a process, of which one is freed, and one each of a process, of no
-- process and of a port.
INSERT INTO given_source(id) VALUES (1);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp');
