-- SPDX-License-Identifier: MIT
--
-- Gives every other sample of a recording the stack shop:put/1 called by shop:serve/1.
INSERT INTO sample_alloc_by_process (ts_ns, runtime_id, thread_id, address, size_bytes, type_id, allocator_id, instance, weight_micro, process, stack)
SELECT ts_ns, runtime_id, thread_id, address, size_bytes, type_id, allocator_id, instance, weight_micro, 78, id % 2 * 5 FROM sample_alloc;
DELETE FROM sample_alloc;
INSERT INTO stack_frame (ts_ns, runtime_id, stack, place, frames, address, module, function, arity, application, source_line)
SELECT s.first_ts_ns, r.id, 5, p.column1, 2, 65536 + p.column1, 'shop', p.column2, 1, 'shop', p.column3
FROM runtime AS r JOIN source AS s ON s.id = r.source_id, (VALUES (0, 'put', 'shop.erl:41'), (1, 'serve', NULL)) AS p;
