-- SPDX-License-Identifier: MIT
-- Three blocks of a driver and two of the runtime; the release is not known.
INSERT INTO given_source(id, kind) VALUES (1, 'terms');
INSERT INTO snapshot VALUES (1, 1, NULL, NULL, 1, 'allocations');
INSERT INTO block_scan VALUES (1, 5000);
INSERT INTO histogram_bucket VALUES
  (1, 'blocks', NULL, 'tcp_inet', 'drv_binary', 0, 0, 128, 0, 'unknown'), (1, 'blocks', NULL, 'tcp_inet', 'drv_binary', 1, 128, 384, 3, 'unknown'),
  (1, 'blocks', NULL, 'tcp_inet', 'drv_binary', 2, 256, NULL, 0, 'unknown'),
  (1, 'blocks', NULL, 'system', 'heap', 0, 0, 128, 2, 'unknown'), (1, 'blocks', NULL, 'system', 'heap', 1, 128, 384, 0, 'unknown'),
  (1, 'blocks', NULL, 'system', 'heap', 2, 256, NULL, 0, 'unknown');
