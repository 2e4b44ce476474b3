-- as: recon_memory
-- SPDX-License-Identifier: MIT
-- Figures that were printed, as they are.
INSERT INTO memory_sample VALUES (1, 'total', 3000), (1, 'binary', 1000);
