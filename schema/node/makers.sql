-- SPDX-License-Identifier: MIT
--
-- Layer:   makers of binaries
-- Serves:  holder, verdict
--
-- Who allocated the binaries that a process refers to, where they were recorded as blocks or samples: a queue holds
-- what a port received.

-- _held_maker: one row for each process of the last reading and each process or port that allocated binaries to which it
-- refers, with the bytes of these; of samples what they stand for, less twice the standard deviation.
CREATE TEMP VIEW _held_maker AS
WITH refers AS MATERIALIZED (
  SELECT r.source_id, r.runtime_id, r.ts_ns, b.address, b.pid AS holder, max(b.size_bytes) AS bytes
  FROM snapshot_binary AS b
  CROSS JOIN _holder_reading AS r ON b.runtime_id = r.runtime_id AND b.snapshot_id = r.recorded_id
  GROUP BY r.runtime_id, b.address, b.pid
),
-- In steps: joined at once, the lists of live blocks would be read again for each binary.
live AS NOT MATERIALIZED (
  SELECT id, source_id FROM _block_live_id WHERE moment = 'question' AND source_id IN (SELECT source_id FROM refers)
),
block AS MATERIALIZED (
  SELECT i.source_id, h.runtime_id, b.address, b.ts_ns, b.allocator_id, b.process
  FROM live AS i
  CROSS JOIN _block_event AS b ON b.id = i.id AND b.allocator_id IN (SELECT allocator_id FROM name_allocator WHERE name = 'binary_alloc')
  LEFT JOIN thread AS h ON h.id = b.thread_id
  WHERE b.process > 0
),
made AS (
  SELECT f.runtime_id, f.holder, CASE
      WHEN b.process > 4611686018427387904 THEN '#Port<0.' || (b.process - 4611686018427387905) || '>'
      WHEN b.process > 0 THEN '<0.' || ((b.process - 1) & 268435455) || '.' || ((b.process - 1) >> 28) || '>' END AS maker,
    f.bytes, 0.0 AS variance
  FROM refers AS f
  CROSS JOIN block AS b ON b.source_id = f.source_id AND b.address = f.address
  CROSS JOIN allocator_name AS n ON n.runtime_id = f.runtime_id AND n.allocator_id = b.allocator_id
  -- One that was made after the reading has the address of another.
  WHERE b.ts_ns <= f.ts_ns AND n.name = 'binary_alloc' AND ifnull(b.runtime_id, f.runtime_id) = f.runtime_id
  UNION ALL
  SELECT f.runtime_id, f.holder, s.pid, s.weight * f.bytes, s.weight * (s.weight - 1) * f.bytes * f.bytes
  FROM _sample AS s
  CROSS JOIN refers AS f ON f.runtime_id = s.runtime_id AND f.address = s.address
  WHERE s.allocator = 'binary_alloc' AND s.since_ns <= f.ts_ns AND (s.freed_ns IS NULL OR s.freed_ns > f.ts_ns)
)
SELECT runtime_id, holder, maker, CAST(sum(bytes) - 2 * sqrt(sum(variance)) AS INTEGER) AS bytes
FROM made
WHERE maker <> holder
GROUP BY runtime_id, holder, maker;

-- _held_through: one row for each process of which another process or a port allocated at least half of the binaries,
-- in words.  Only where all of its binaries were listed.
--
-- Worked example, tests/views/_held_through: a queue of 1000 bytes, 600 of which a socket received.
CREATE TEMP VIEW _held_through AS
WITH maker AS MATERIALIZED (SELECT * FROM _held_maker),
label AS MATERIALIZED (SELECT runtime_id, pid, text FROM _process_label WHERE runtime_id IS NOT NULL)
SELECT r.runtime_id, p.pid AS holder, m.maker, m.bytes,
  iif(m.maker LIKE '#Port%', 'received through ', 'allocated by ') || ifnull(l.text, m.maker) AS text, max(m.bytes) AS most_bytes
FROM snapshot_process AS p
CROSS JOIN _holder_reading AS r ON p.runtime_id = r.runtime_id AND p.snapshot_id = r.recorded_id
JOIN maker AS m ON m.runtime_id = r.runtime_id AND m.holder = p.pid
LEFT JOIN label AS l ON l.runtime_id = m.runtime_id AND l.pid = m.maker
WHERE p.binaries_by = 1 AND p.binary_bytes > 0 AND m.bytes >= 0.5 * p.binary_bytes
GROUP BY r.runtime_id, p.pid;
