-- SPDX-License-Identifier: MIT
-- Coverage and tightness, from the rows of results.sql.
CREATE TEMP VIEW figure AS
SELECT *,
  -- Percent of the truth; NULL: open on a side, or of nothing.
  CASE WHEN low IS NULL OR high IS NULL THEN NULL
    WHEN low = high THEN 0.0
    WHEN truth_high > 0 THEN 100.0 * (high - low) / truth_high END AS width,
  CASE WHEN quantity IN ('carriers_bytes', 'multi_block_carriers_bytes', 'single_block_carriers_bytes',
      'pool_bytes') THEN 'carriers'
    WHEN quantity IN ('blocks', 'blocks_bytes') THEN 'blocks'
    ELSE 'others' END AS subject
FROM checked;

CREATE TEMP TABLE spread AS
SELECT way, subject, count(*) AS widths,
  max(iif(place <= (total + 1) / 2, width, 0)) AS median,
  max(iif(place <= (9 * total + 9) / 10, width, 0)) AS ninety
FROM (SELECT way, subject, width,
    row_number() OVER (PARTITION BY way, subject ORDER BY width) AS place,
    count(*) OVER (PARTITION BY way, subject) AS total
  FROM figure WHERE width IS NOT NULL AND quality <> 'missing')
GROUP BY way, subject;

.mode markdown
SELECT
  f.way AS "recorded",
  count(DISTINCT f.workload) AS "runs",
  f.subject AS "figures of",
  count(*) AS "compared",
  sum(f.wrong IS NOT NULL) AS "outside",
  format('%.1f', 100.0 * sum(f.quality = 'exact') / count(*)) AS "exact %",
  format('%.1f', 100.0 * sum(f.low IS NULL OR f.high IS NULL) / count(*)) AS "open %",
  ifnull(format('%.1f', s.median), '-') AS "width: median %",
  ifnull(format('%.1f', s.ninety), '-') AS "90 % of them %"
FROM figure AS f LEFT JOIN spread AS s USING (way, subject)
GROUP BY f.way, f.subject ORDER BY f.way, f.subject;

.print
SELECT
  way AS "recorded",
  count(*) AS "verdicts",
  sum(verdict = truth) AS "right",
  sum(verdict = 'unknown') AS "unknown",
  sum(verdict NOT IN (truth, 'unknown')) AS "wrong"
FROM judged GROUP BY way ORDER BY way;
