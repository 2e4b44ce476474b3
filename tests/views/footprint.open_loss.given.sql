-- SPDX-License-Identifier: MIT
-- Source 1: a loss without an end.  2: without a begin.  3: neither is known.
-- 4: in a bucket without rows, covered by the row that holds through it.
-- 5: long, with a short one inside.  6: after the last bucket.  7: none.
INSERT INTO given_source(id, first_ts_ns, last_ts_ns, bucket_origin_ns, bucket_ns) VALUES
  (1, 0, 4000, 0, 1024), (2, 0, 4000, 0, 1024), (3, 0, 4000, 0, 1024), (4, 0, 4000, 0, 1024),
  (5, 0, 4000, 0, 1024), (6, 0, 9000, 0, 1024), (7, 0, 4000, 0, 1024);
INSERT INTO lost_interval VALUES
  (1, 1, NULL, 'discarded_packets', 1500, NULL, NULL, 1, NULL, NULL, NULL),
  (2, 2, NULL, 'discarded_packets', NULL, 1500, NULL, 1, NULL, NULL, NULL),
  (3, 3, NULL, 'stream_unreadable', NULL, NULL, NULL, NULL, 'channel0_0', NULL, NULL),
  (4, 4, NULL, 'discarded_events', 1100, 1200, 3, NULL, NULL, NULL, NULL),
  (5, 5, NULL, 'discarded_events', 0, 2500, 3, NULL, NULL, NULL, NULL),
  (6, 5, NULL, 'discarded_events', 100, 200, 3, NULL, NULL, NULL, NULL),
  (7, 6, NULL, 'discarded_events', 7000, 7100, 3, NULL, NULL, NULL, NULL);
INSERT INTO given_bucket(source_id, scope, scope_id, bucket)
SELECT s.id, 'source', s.id, b.column1
FROM source AS s, (VALUES (0), (2), (3)) AS b;
