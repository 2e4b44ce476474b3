-- SPDX-License-Identifier: MIT
--
-- Layer:   the carrier pool
-- Serves:  report pool
--
-- All first-fit allocators of a runtime share one pool of abandoned carriers.  A
-- put records the carrier's size.  A get is an attempt; that it succeeded is
-- inferred from the instance's next event, which reproduces the runtime's own
-- count of fetches save where a create is ambiguous.  What lies in the pool is
-- never recorded, so there are three answers:
--
--   pooled_carriers          puts - fetches - pooled destroys, counted as they come
--                            and never below 0: the estimate to use
--   pooled_carriers_derived  multi-block creates - destroys - owned: exact without
--                            resurrection and with a known base, else too small, below
--                            0 even (a destroyed carrier can come back without a create)
--   pooled_bytes_min, _max   bounds of its bytes, as the loader could follow them
--
-- The formula creates - destroys - carriers over all carriers is wrong: single-block
-- carriers end in silence (6.5 GB where 18.9 MB was true).

-- _pool_scope: one row for each runtime and one for each source.
CREATE TEMP VIEW _pool_scope AS
SELECT
  'runtime' AS level, r.source_id, r.id AS runtime_id, r.vpid, r.id AS scope_id
FROM runtime AS r
UNION ALL
SELECT 'source', s.id, NULL, NULL, s.id
FROM source AS s;

-- _owned: one row for each runtime that has instances and one for each of their
-- sources.
CREATE TEMP VIEW _owned AS
WITH base AS (
  SELECT instance_id, sum(carriers_min) AS carriers_min, sum(carriers_max) AS carriers_max
  FROM ledger_total
  WHERE kind = (SELECT id FROM ledger_kind WHERE name = 'base_mbc')
  GROUP BY instance_id
)
SELECT
  'runtime' AS level,
  runtime_id AS scope_id,
  sum(owned_carriers) AS owned_carriers,
  sum(gets_unresolved) AS unresolved,
  sum(1 - base_known) AS instances_with_unknown_base,
  ifnull(sum(base.carriers_min), 0) AS base_carriers
FROM _now_instance
LEFT JOIN base USING (instance_id)
GROUP BY runtime_id
UNION ALL
SELECT
  'source',
  source_id,
  sum(owned_carriers),
  sum(gets_unresolved),
  sum(1 - base_known),
  ifnull(sum(base.carriers_min), 0)
FROM _now_instance
LEFT JOIN base USING (instance_id)
GROUP BY source_id;

-- pool: one row for each runtime and one for each source.
--
-- Worked example, tests/views/pool:
--
--   mbc_creates  owned + pooled destroys  owned now  ->  pooled_carriers_derived
--            10                    2 + 1          4                            3
--   fetches  misses  ->  hit_rate
--         3       1          0.75
CREATE TABLE pool (
  level TEXT,
  source_id INTEGER,
  runtime_id INTEGER,
  vpid INTEGER,
  puts INTEGER,
  put_bytes INTEGER,
  attempts INTEGER,
  fetches INTEGER,
  misses INTEGER,
  unresolved INTEGER,
  hit_rate REAL,
  fetched_bytes_known INTEGER,
  pooled_destroys INTEGER,
  pooled_destroy_bytes INTEGER,
  pooled_carriers INTEGER,
  pooled_carriers_derived INTEGER,
  pooled_bytes_min INTEGER,
  pooled_bytes_max INTEGER,
  owned_carriers INTEGER,
  base_carriers INTEGER,
  instances_with_unknown_base INTEGER,
  source_lost_events INTEGER,
  source_lost_packets INTEGER
) STRICT;

CREATE TEMP TABLE pool AS
SELECT
  p.level, p.source_id, p.runtime_id, p.vpid,
  t.puts,
  t.put_bytes,
  t.gets AS attempts,
  t.fetches,
  t.misses,
  o.unresolved,
  1.0 * t.fetches / nullif(t.fetches + t.misses, 0) AS hit_rate,
  t.fetch_bytes AS fetched_bytes_known,
  t.pooled_destroys,
  t.pooled_destroy_bytes,
  t.pooled_carriers_clamped AS pooled_carriers,
  t.mbc_creates - t.owned_destroys - t.pooled_destroys - o.owned_carriers
    AS pooled_carriers_derived,
  -- Carriers from before the recording may come and go unseen: then nothing must be there.
  iif(o.instances_with_unknown_base > 0, 0, t.pooled_bytes_min) AS pooled_bytes_min,
  t.pooled_bytes_max,
  o.owned_carriers,
  o.base_carriers,
  o.instances_with_unknown_base,
  s.lost_events AS source_lost_events,
  s.lost_packets AS source_lost_packets
FROM _pool_scope AS p
JOIN source AS s ON s.id = p.source_id
JOIN scope_total AS t
  ON t.source_id = p.source_id AND t.scope = p.level AND t.scope_id = p.scope_id
LEFT JOIN _owned AS o ON o.level = p.level AND o.scope_id = p.scope_id;

-- pool_instance: one row for each allocator instance.
CREATE VIEW pool_instance AS
SELECT
  n.source_id, n.runtime_id, n.vpid, n.allocator, n.instance, n.instance_id,
  t.puts,
  t.put_bytes,
  t.gets AS attempts,
  t.fetches,
  t.misses,
  i.gets_unresolved AS unresolved,
  1.0 * t.fetches / nullif(t.fetches + t.misses, 0) AS hit_rate,
  t.fetch_bytes AS fetched_bytes_known,
  t.pooled_destroys,
  t.pooled_destroy_bytes,
  n.source_lost_events,
  n.source_lost_packets
FROM _instance AS n
JOIN instance AS i ON i.id = n.instance_id
JOIN scope_total AS t
  ON t.source_id = n.source_id AND t.scope = 'instance' AND t.scope_id = n.instance_id;

INSERT INTO view_doc VALUES
  ('pool', '', 'row', 'fast', 'One row for each runtime and one for each source: traffic of the pool over the whole recording, and what is in it at the end. Qualities hold for sources without loss whose processes are recorded apart'),
  ('pool_instance', '', 'row', 'fast', 'One row for each allocator instance: its traffic with the pool. One instance''s puts are another one''s fetches: they need not balance'),
  ('pool', 'pooled_carriers', 'count', 'estimate', 'Carriers in the pool at the end: puts - fetches - pooled destroys, counted as they come and never below 0'),
  ('pool', 'pooled_carriers_derived', 'count', 'bound', 'mbc creates - destroys - owned_carriers: a lower bound, too small by resurrected carriers (it may be negative), and by those of before the recording when instances_with_unknown_base > 0'),
  ('pool', 'pooled_bytes_min', 'bytes', 'bound', 'Lower bound of the bytes in the pool at the end; 0 when instances_with_unknown_base > 0'),
  ('pool', 'pooled_bytes_max', 'bytes', 'bound', 'Upper bound of the bytes in the pool at the end; NULL: none is known'),
  ('pool', 'owned_carriers', 'count', 'exact', 'Multi-block carriers that instances own at the end; an instance that never recorded its counters counts from 0'),
  ('pool', 'base_carriers', 'count', 'bound', 'Multi-block carriers that instances owned before the recording, as far as their counters show: a lower bound of those that were there'),
  ('pool', 'instances_with_unknown_base', 'count', 'exact', 'Instances that the recording does not follow from their first carrier on'),
  ('pool pool_instance', 'puts', 'count', 'exact', 'Carriers that instances put into the pool'),
  ('pool pool_instance', 'put_bytes', 'bytes', 'exact', 'Their bytes'),
  ('pool pool_instance', 'attempts', 'count', 'exact', 'Events carrier_pool_get: attempts to fetch a carrier'),
  ('pool pool_instance', 'fetches', 'count', 'estimate', 'Attempts that succeeded, as inferred from the next event of the instance; wrong at most where a create is ambiguous (instance.ambiguous_creates)'),
  ('pool pool_instance', 'misses', 'count', 'estimate', 'Attempts that failed, as inferred; attempts = fetches + misses + unresolved'),
  ('pool pool_instance', 'unresolved', 'count', 'exact', 'Attempts still open when the source ends'),
  ('pool pool_instance', 'hit_rate', 'ratio', 'estimate', 'fetches / (fetches + misses); NULL without any'),
  ('pool pool_instance', 'fetched_bytes_known', 'bytes', 'bound', 'Bytes of fetched carriers as far as counters recorded them since: a lower bound while fetches wait for a create or destroy'),
  ('pool pool_instance', 'pooled_destroys', 'count', 'estimate', 'Destroys of carriers that lay in the pool, as inferred from the counters'),
  ('pool pool_instance', 'pooled_destroy_bytes', 'bytes', 'estimate', 'Their bytes');
