-- SPDX-License-Identifier: MIT
--
-- Compares a database (main) of the events up to one moment with what the node
-- itself said at that moment: one snapshot of gt-compare.json, which stands in
-- temp.expected(document).  Makes temp.difference and temp.compared.
--
-- What the views state is checked as they state it: exact where they say exact,
-- within the bounds where they say bound.  Rows of instances that spoke while
-- the snapshot was taken are passed over, and so are those whose beginning the
-- recording did not see.

CREATE TEMP TABLE difference (figure TEXT, expected ANY, got ANY);
CREATE TEMP TABLE compared (figures INTEGER);

CREATE TEMP TABLE node AS
SELECT
  r.value ->> 'type' AS allocator,
  r.value ->> 'instance' AS number,
  r.value ->> 'events_since_snapshot_start' AS events_since,
  r.value ->> '$.gt_mbc[0]' AS mbc_carriers,
  r.value ->> '$.gt_mbc[1]' AS mbc_bytes,
  r.value ->> '$.gt_sbc[1]' AS sbc_bytes,
  r.value ->> '$.gt_pool[0]' AS pool_carriers,
  r.value ->> '$.gt_pool[1]' AS pool_bytes
FROM temp.expected, json_each(document, '$.rows') AS r;

CREATE TEMP TABLE loaded AS
SELECT a.name AS allocator, i.number, i.base_known, i.puts_since_stat, i.fetched_since_stat,
  i.gets_unresolved, t.*
FROM instance AS i
JOIN runtime AS r ON r.id = i.runtime_id
JOIN allocator AS a ON a.id = i.allocator_id
JOIN scope_total AS t ON t.scope = 'instance' AND t.scope_id = i.id
WHERE r.vpid = (SELECT document ->> 'vpid' FROM temp.expected);

CREATE TEMP TABLE both AS
SELECT n.allocator || ' ' || n.number || ' ' AS who, n.*, l.base_known,
  l.last_mbc_carriers - l.puts_since_stat + l.fetched_since_stat + l.gets_unresolved AS owned,
  l.puts_since_stat + l.fetched_since_stat + l.gets_unresolved AS pool_traffic,
  l.last_mbc_carriers_bytes, l.last_sbc_carriers_bytes
FROM node AS n
JOIN loaded AS l USING (allocator, number)
WHERE n.events_since = 0 AND l.base_known = 1;

-- Exact: how many multi-block carriers an instance owns.
INSERT INTO difference
SELECT who || 'owned carriers', mbc_carriers, owned FROM both WHERE owned <> mbc_carriers;

-- Exact when nothing went to or came from the pool since.
INSERT INTO difference
SELECT who || 'multi-block bytes', mbc_bytes, last_mbc_carriers_bytes FROM both
WHERE pool_traffic = 0 AND last_mbc_carriers_bytes <> mbc_bytes;

-- An upper bound.
INSERT INTO difference
SELECT who || 'single-block bytes at most', sbc_bytes, last_sbc_carriers_bytes FROM both
WHERE last_sbc_carriers_bytes < sbc_bytes;

-- The pool, when the node was quiet and seen from the start.
CREATE TEMP TABLE pool_truth AS
SELECT
  (SELECT sum(pool_carriers) FROM node) AS carriers,
  (SELECT sum(pool_bytes) FROM node) AS bytes,
  t.pooled_bytes_min AS least,
  t.pooled_bytes_max AS most
FROM scope_total AS t
JOIN runtime AS r ON t.scope = 'runtime' AND t.scope_id = r.id
WHERE r.vpid = (SELECT document ->> 'vpid' FROM temp.expected)
  AND NOT EXISTS (SELECT * FROM node WHERE events_since > 0)
  AND NOT EXISTS (SELECT * FROM instance AS i WHERE i.runtime_id = r.id AND NOT i.base_known);

INSERT INTO difference
SELECT 'pool bytes at least', bytes, least FROM pool_truth WHERE least > bytes;
INSERT INTO difference
SELECT 'pool bytes at most', bytes, most FROM pool_truth WHERE most < bytes;

-- Events plus ledger give the counters, instance by instance.
INSERT INTO difference
SELECT side || ' ledger of instance ' || instance_id, 0, carriers || ' carriers, ' || bytes || ' bytes'
FROM (
  SELECT t.scope_id AS instance_id, s.value AS side,
    iif(s.value = 'mbc', t.mbc_creates - t.owned_destroys - t.puts + i.puts_since_stat - t.last_mbc_carriers,
        t.sbc_creates - t.last_sbc_carriers)
      + coalesce(sum(l.carriers_max) FILTER (WHERE k.side = s.value), 0) AS carriers,
    iif(s.value = 'mbc', t.mbc_create_bytes - t.owned_destroy_bytes - t.put_bytes + i.put_bytes_since_stat
        - t.last_mbc_carriers_bytes, t.sbc_create_bytes - t.last_sbc_carriers_bytes)
      + coalesce(sum(l.bytes_max) FILTER (WHERE k.side = s.value), 0) AS bytes
  FROM scope_total AS t
  JOIN instance AS i ON t.scope = 'instance' AND t.scope_id = i.id
  JOIN json_each('["mbc", "sbc"]') AS s
  LEFT JOIN ledger_total AS l ON l.instance_id = i.id
  LEFT JOIN ledger_kind AS k ON k.id = l.kind
  WHERE t.last_stat_ts_ns IS NOT NULL
  GROUP BY i.id, s.value
)
WHERE carriers <> 0 OR bytes <> 0;

INSERT INTO compared SELECT
  (SELECT 3 * count(*) FROM both) + (SELECT 2 * count(*) FROM pool_truth) + (SELECT count(*) FROM loaded);
