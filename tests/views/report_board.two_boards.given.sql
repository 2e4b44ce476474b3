-- SPDX-License-Identifier: MIT
-- Two boards in one recording, whose readings come in turns; the first starts anew.
INSERT INTO given_source(id, first_ts_ns) VALUES (1, 0);
INSERT INTO runtime(id, source_id, vpid) VALUES (1, 1, 7), (2, 1, 8);
CREATE TEMP VIEW reading AS
SELECT value AS id, 2 - value % 2 AS runtime_id, (value - 1) / 2 AS number FROM json_each('[1,2,3,4,5,6]');
-- The third reading of the first board has fewer frees than the second: it was restarted.
INSERT INTO heap_state
SELECT id, 1000 * id, runtime_id, NULL, 0, 0, 10, 100000 * runtime_id, 200000 * runtime_id, 20,
  50000, 800000, 800000 + 200000 * runtime_id, 1000, 10, 5, 900000, 100000, 50,
  iif(runtime_id = 1 AND number = 2, 1, 100 + number), 0,
  iif(runtime_id = 1 AND number = 2, 0, 80 + number), 3, 90000, 80000, 700
FROM reading;
