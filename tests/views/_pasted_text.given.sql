-- SPDX-License-Identifier: MIT
-- Results of recon, of RabbitMQ, of a log and of the kernel.
INSERT INTO given_source(id, kind) VALUES (1, 'pasted');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12)
INSERT INTO snapshot SELECT i, 1, NULL, NULL, i, 'pasted' FROM n;
INSERT INTO pasted_figure VALUES
  (1, 1, 'recon_alloc:memory(allocated_types)', 'binary_alloc', 'allocated', 70, NULL, 'bytes'),
  (1, 2, 'recon_alloc:memory(allocated_types)', 'ets_alloc', 'allocated', 30, NULL, 'bytes'),
  (2, 2, 'recon_alloc:memory(allocated_types), max', 'ets_alloc', 'allocated', 30, NULL, 'bytes'),
  (3, 2, 'recon_alloc:memory(allocated_types)', 'ets_alloc', 'allocated', 30.5, NULL, '?'),
  (4, 1, 'recon_alloc:memory', NULL, 'usage', 0.25, NULL, 'ratio'),
  (5, 1, 'recon_alloc:cache_hit_rates', '0', 'hit_rate', 0.5, NULL, 'ratio'),
  (5, 1, 'recon_alloc:cache_hit_rates', '0', 'hits', 500, NULL, 'count'),
  (5, 1, 'recon_alloc:cache_hit_rates', '0', 'calls', 1000, NULL, 'count'),
  (6, 1, 'recon_alloc:sbcs_to_mbcs', 'binary_alloc 1', 'ratio', NULL, NULL, 'ratio'),
  (6, 1, 'recon_alloc:sbcs_to_mbcs', 'ets_alloc 1', 'ratio', 0.5, NULL, 'ratio'),
  (7, 1, 'recon:bin_leak', '<0.1.0> shell', 'binaries', -300, NULL, 'count'),
  (8, 1, 'rabbitmq-diagnostics memory_breakdown', 'allocated_unused', 'class', 75, NULL, 'bytes'),
  (8, 1, 'rabbitmq-diagnostics memory_breakdown', 'binary', 'class', 25, NULL, 'bytes'),
  (9, 1, 'rabbitmqctl status', 'queue_procs', 'class', 25, NULL, 'bytes'),
  (9, 1, 'rabbitmqctl status', 'rss', 'total', 20, NULL, 'bytes'),
  (10, 1, 'failed allocation', 'eheap_alloc', 'bytes', 4000, NULL, 'bytes'),
  (10, 1, 'failed allocation', 'eheap_alloc', 'type', NULL, 'heap', NULL),
  (11, 1, 'kernel, out of memory', 'beam.smp', 'resident', 4000, NULL, 'bytes'),
  (12, 1, 'etop', 'binary', 'class', 1024, NULL, 'bytes');
