-- SPDX-License-Identifier: MIT
--
-- Compares a database (main) with the expected.json of its case, which stands in
-- temp.expected(document).  Makes temp.difference: one row for each figure that is
-- not as expected, and temp.compared: how many figures were looked at.

CREATE TEMP TABLE difference (figure TEXT, expected ANY, got ANY);
CREATE TEMP TABLE compared (figures INTEGER);

CREATE TEMP VIEW e AS SELECT document FROM temp.expected;

-- Every figure of the case and of the database, by a name that both agree on.
CREATE TEMP TABLE want (figure TEXT PRIMARY KEY, value ANY);
CREATE TEMP TABLE have (figure TEXT PRIMARY KEY, value ANY);

-- Totals.
INSERT INTO want SELECT k.value, json_extract(document, '$.' || k.value)
FROM e, json_each('["first_ts_ns", "last_ts_ns", "discarded_events", "discarded_packets"]') AS k
WHERE json_type(document, '$.' || k.value) IS NOT NULL;
INSERT INTO want SELECT 'events.total', json_extract(document, '$.events.total') FROM e;
INSERT INTO want SELECT 'events.' || b.key, b.value FROM e, json_each(document, '$.events.by_name') AS b;
INSERT INTO want SELECT k.value || '_messages', json_extract(document, '$.' || k.value || '_messages')
FROM e, json_each('["discarded_event", "discarded_packet"]') AS k
WHERE json_type(document, '$.' || k.value || '_messages') IS NOT NULL;

INSERT INTO have SELECT 'first_ts_ns', first_ts_ns FROM source;
INSERT INTO have SELECT 'last_ts_ns', last_ts_ns FROM source;
INSERT INTO have SELECT 'discarded_events', lost_events FROM source;
INSERT INTO have SELECT 'discarded_packets', lost_packets FROM source;
INSERT INTO have SELECT 'events.total', events FROM source;
INSERT INTO have SELECT 'events.' || provider || ':' || event, events FROM event_count WHERE events > 0;
INSERT INTO have SELECT 'discarded_event_messages', count(*) FROM lost_interval WHERE cause = 'discarded_events';
INSERT INTO have SELECT 'discarded_packet_messages', count(*) FROM lost_interval WHERE cause = 'discarded_packets';

-- Processes and their threads.
INSERT INTO want
SELECT 'process ' || coalesce(p.value ->> 'vpid', 'null') || ' ' || n.key, n.value
FROM e, json_each(document, '$.processes') AS p, json_each(p.value, '$.procnames') AS n;
INSERT INTO have
SELECT 'process ' || coalesce(r.vpid, 'null') || ' ' || coalesce(t.procname, 'None'),
  sum(iif(l.runtime_id IS NULL, t.carrier_events, t.events))
FROM runtime AS r
JOIN thread AS t ON t.runtime_id = r.id
LEFT JOIN libc_total AS l ON l.runtime_id = r.id
GROUP BY r.id, t.procname
HAVING sum(t.carrier_events) > 0 OR l.runtime_id IS NOT NULL;
INSERT OR IGNORE INTO have
SELECT 'process ' || coalesce(r.vpid, 'null') || ' None', count(*)
FROM carrier_event AS c
JOIN instance AS i ON i.id = c.instance_id
JOIN runtime AS r ON r.id = i.runtime_id
WHERE c.thread_id IS NULL
GROUP BY r.id;

-- Instances.
INSERT INTO want
SELECT 'instance ' || coalesce(i.value ->> 'vpid', 'null') || ' ' || (i.value ->> 'type') || ' '
  || (i.value ->> 'instance') || ' ' || f.key || iif(s.key IS NULL, '', '.' || s.key),
  iif(s.key IS NULL, f.atom, s.atom)
FROM e, json_each(document, '$.instances') AS i, json_each(i.value) AS f
LEFT JOIN json_each(iif(f.type = 'object', f.value, '{}')) AS s
WHERE f.key NOT IN ('vpid', 'type', 'instance') AND NOT (f.type = 'object' AND s.key IS NULL);

CREATE TEMP VIEW own AS
SELECT 'instance ' || coalesce(r.vpid, 'null') || ' ' || a.name || ' ' || i.number || ' ' AS who,
  i.id AS instance_id, t.*
FROM instance AS i
JOIN runtime AS r ON r.id = i.runtime_id
JOIN allocator AS a ON a.id = i.allocator_id
JOIN scope_total AS t ON t.scope = 'instance' AND t.scope_id = i.id;

INSERT INTO have
SELECT who || f.key, f.value
FROM own, json_each(json_object(
  'creates', mbc_creates + sbc_creates,
  'create_bytes', mbc_create_bytes + sbc_create_bytes,
  'destroys', owned_destroys + pooled_destroys,
  'destroy_bytes', owned_destroy_bytes + pooled_destroy_bytes,
  'pool_puts', puts,
  'pool_put_bytes', put_bytes,
  'pool_gets', gets,
  'pool_get_bytes', get_bytes,
  'last_stat_ts_ns', last_stat_ts_ns)) AS f;
INSERT INTO have
SELECT who || f.key, f.value
FROM own, json_each(json_object(
  'last.mbc_carriers', last_mbc_carriers,
  'last.mbc_carriers_size', last_mbc_carriers_bytes,
  'last.mbc_blocks', last_mbc_blocks,
  'last.mbc_blocks_size', last_mbc_blocks_bytes,
  'last.sbc_carriers', last_sbc_carriers,
  'last.sbc_carriers_size', last_sbc_carriers_bytes,
  'last.sbc_blocks', last_sbc_blocks,
  'last.sbc_blocks_size', last_sbc_blocks_bytes)) AS f
WHERE last_stat_ts_ns IS NOT NULL;
INSERT INTO have SELECT who || 'last', NULL FROM own WHERE last_stat_ts_ns IS NULL;
INSERT INTO have SELECT who || 'max_carriers_size.value', max_carriers_bytes FROM own WHERE max_carriers_bytes IS NOT NULL;
INSERT INTO have SELECT who || 'max_carriers_size.ts_ns', max_carriers_ts_ns FROM own WHERE max_carriers_bytes IS NOT NULL;
INSERT INTO have SELECT who || 'max_carriers_size', NULL FROM own WHERE max_carriers_bytes IS NULL;
INSERT INTO have SELECT who || 'min_utilisation.blocks_size', min_util_blocks_bytes FROM own WHERE min_util_ts_ns IS NOT NULL;
INSERT INTO have SELECT who || 'min_utilisation.carriers_size', min_util_carriers_bytes FROM own WHERE min_util_ts_ns IS NOT NULL;
INSERT INTO have SELECT who || 'min_utilisation.value', 1.0 * min_util_blocks_bytes / min_util_carriers_bytes FROM own WHERE min_util_ts_ns IS NOT NULL;
INSERT INTO have SELECT who || 'min_utilisation.ts_ns', min_util_ts_ns FROM own WHERE min_util_ts_ns IS NOT NULL;
INSERT INTO have SELECT who || 'min_utilisation', NULL FROM own WHERE min_util_ts_ns IS NULL;
INSERT INTO have SELECT who || 'min_utilisation_2carriers.blocks_size', min_util2_blocks_bytes FROM own WHERE min_util2_ts_ns IS NOT NULL;
INSERT INTO have SELECT who || 'min_utilisation_2carriers.carriers_size', min_util2_carriers_bytes FROM own WHERE min_util2_ts_ns IS NOT NULL;
INSERT INTO have SELECT who || 'min_utilisation_2carriers.value', 1.0 * min_util2_blocks_bytes / min_util2_carriers_bytes FROM own WHERE min_util2_ts_ns IS NOT NULL;
INSERT INTO have SELECT who || 'min_utilisation_2carriers.ts_ns', min_util2_ts_ns FROM own WHERE min_util2_ts_ns IS NOT NULL;
INSERT INTO have SELECT who || 'min_utilisation_2carriers', NULL FROM own WHERE min_util2_ts_ns IS NULL;

-- Types: an allocator of a process.
INSERT INTO want
SELECT 'type ' || coalesce(t.value ->> 'vpid', 'null') || ' ' || (t.value ->> 'type') || ' ' || f.key, f.atom
FROM e, json_each(document, '$.types') AS t, json_each(t.value) AS f
WHERE f.key NOT IN ('vpid', 'type');

CREATE TEMP VIEW typed AS
SELECT 'type ' || coalesce(r.vpid, 'null') || ' ' || a.name || ' ' AS who, u.instances, t.*
FROM allocator_use AS u
JOIN runtime AS r ON r.id = u.runtime_id
JOIN allocator AS a ON a.id = u.allocator_id
JOIN scope_total AS t ON t.scope = 'allocator' AND t.scope_id = u.id
WHERE t.last_stat_ts_ns IS NOT NULL;

INSERT INTO have SELECT who || 'instances', instances FROM typed;
INSERT INTO have SELECT who || 'creates', mbc_creates + sbc_creates FROM typed;
INSERT INTO have SELECT who || 'destroys', owned_destroys + pooled_destroys FROM typed;
INSERT INTO have SELECT who || 'last_mbc_carriers_size', last_mbc_carriers_bytes FROM typed;
INSERT INTO have SELECT who || 'last_mbc_blocks_size', last_mbc_blocks_bytes FROM typed;
INSERT INTO have SELECT who || 'last_sbc_carriers_size', last_sbc_carriers_bytes FROM typed;
INSERT INTO have SELECT who || 'weighted_time_ns', weighted_time_ns FROM typed;
INSERT INTO have SELECT who || 'mean_utilisation', mean_utilisation FROM typed;
INSERT INTO have SELECT who || 'ratio_of_integrals', ratio_of_integrals FROM typed;

-- The whole.
INSERT INTO want SELECT 'peak.' || p.key, p.value FROM e, json_each(document, '$.peak_total_carriers_size') AS p
WHERE json_type(document, '$.peak_total_carriers_size') = 'object';
INSERT INTO have SELECT 'peak.value', max_carriers_bytes FROM scope_total WHERE scope = 'source';
INSERT INTO have SELECT 'peak.ts_ns', max_carriers_ts_ns FROM scope_total WHERE scope = 'source';
INSERT INTO want SELECT 'sample ' || s.key, s.value FROM e, json_each(document, '$.samples.total_carriers_size') AS s;
INSERT INTO have SELECT 'sample ' || i, footprint_bytes FROM footprint_sample;

-- What is derived.
INSERT INTO want
SELECT 'derived ' || coalesce(d.value ->> 'vpid', 'null') || ' ' || f.key, f.atom
FROM e, json_each(document, '$.derived') AS d, json_each(d.value) AS f WHERE f.key <> 'vpid';

CREATE TEMP VIEW process AS
SELECT 'derived ' || coalesce(r.vpid, 'null') || ' ' AS who, t.*,
  (SELECT sum(ambiguous_creates) FROM instance WHERE runtime_id = r.id) AS ambiguous,
  (SELECT sum(inconsistent) FROM instance WHERE runtime_id = r.id) AS inconsistent,
  (SELECT sum(gets_unresolved) FROM instance WHERE runtime_id = r.id) AS unresolved,
  (SELECT sum(sbc_silent_frees) FROM instance WHERE runtime_id = r.id) AS sbc_lost,
  (SELECT sum(NOT base_known) FROM instance WHERE runtime_id = r.id) AS unbased,
  last_mbc_carriers + (SELECT sum(gets_unresolved + fetched_since_stat - puts_since_stat)
    FROM instance WHERE runtime_id = r.id) AS owned
FROM runtime AS r
JOIN scope_total AS t ON t.scope = 'runtime' AND t.scope_id = r.id;

INSERT INTO have SELECT who || 'mbc_creates', mbc_creates FROM process;
INSERT INTO have SELECT who || 'mbc_create_bytes', mbc_create_bytes FROM process;
INSERT INTO have SELECT who || 'sbc_creates', sbc_creates FROM process;
INSERT INTO have SELECT who || 'sbc_create_bytes', sbc_create_bytes FROM process;
INSERT INTO have SELECT who || 'ambiguous_creates', ambiguous FROM process;
INSERT INTO have SELECT who || 'inconsistent', inconsistent FROM process;
INSERT INTO have SELECT who || 'destroys_of_owned', owned_destroys FROM process;
INSERT INTO have SELECT who || 'destroys_of_pooled', pooled_destroys FROM process;
INSERT INTO have SELECT who || 'pool_gets_fetched', fetches FROM process;
INSERT INTO have SELECT who || 'pool_gets_not_fetched', misses FROM process;
INSERT INTO have SELECT who || 'pool_gets_unresolved', unresolved FROM process;
INSERT INTO have SELECT who || 'fetched_bytes_known', fetch_bytes FROM process;
INSERT INTO have SELECT who || 'sbc_destroys_without_event_at_least', sbc_lost FROM process;
INSERT INTO have SELECT who || 'mbc_live_carriers', mbc_creates - owned_destroys - pooled_destroys FROM process;
INSERT INTO have SELECT who || 'mbc_live_bytes', mbc_create_bytes - owned_destroy_bytes - pooled_destroy_bytes FROM process;
INSERT INTO have SELECT who || 'mbc_owned_carriers', owned FROM process;
INSERT INTO have SELECT who || 'mbc_owned_bytes_last_stat', last_mbc_carriers_bytes FROM process;
INSERT INTO have SELECT who || 'pooled_carriers_derived', mbc_creates - owned_destroys - pooled_destroys - owned FROM process;
INSERT INTO have SELECT who || 'pooled_carriers_clamped', pooled_carriers_clamped FROM process;
INSERT INTO have SELECT who || 'instances_with_unknown_base', unbased FROM process;

-- The C library's allocator.
INSERT INTO want
SELECT 'libc ' || (p.value ->> 'vpid') || ' ' || f.key, f.atom
FROM e, json_each(document, '$.processes') AS p, json_each(p.value) AS f
WHERE json_type(p.value, '$.allocations') IS NOT NULL AND f.key NOT IN ('vpid', 'procnames', 'size_histogram_log2');
INSERT INTO want
SELECT 'libc ' || (p.value ->> 'vpid') || ' size ' || h.key, h.value
FROM e, json_each(document, '$.processes') AS p, json_each(p.value, '$.size_histogram_log2') AS h;
CREATE TEMP VIEW libc AS
SELECT 'libc ' || r.vpid || ' ' AS who, l.* FROM libc_total AS l JOIN runtime AS r ON r.id = l.runtime_id;
INSERT INTO have SELECT who || 'events', events FROM libc;
INSERT INTO have SELECT who || 'threads', threads FROM libc;
INSERT INTO have SELECT who || 'allocations', allocations FROM libc;
INSERT INTO have SELECT who || 'allocated_bytes', allocated_bytes FROM libc;
INSERT INTO have SELECT who || 'frees_known', frees_known FROM libc;
INSERT INTO have SELECT who || 'frees_unknown', frees_unknown FROM libc;
INSERT INTO have SELECT who || 'frees_null', frees_null FROM libc;
INSERT INTO have SELECT who || 'released_bytes', released_bytes FROM libc;
INSERT INTO have SELECT who || 'reallocs', reallocs FROM libc;
INSERT INTO have SELECT who || 'reallocs_of_unknown', reallocs_of_unknown FROM libc;
INSERT INTO have SELECT who || 'reallocs_moved', reallocs_moved FROM libc;
INSERT INTO have SELECT who || 'failed', failed FROM libc;
INSERT INTO have SELECT who || 'address_reused_without_free', address_reused_without_free FROM libc;
INSERT INTO have SELECT who || 'live_blocks', live_blocks FROM libc;
INSERT INTO have SELECT who || 'live_bytes', live_bytes FROM libc;
INSERT INTO have SELECT who || 'peak_live_bytes', peak_live_bytes FROM libc;
INSERT INTO have SELECT who || 'peak_ts_ns', peak_ts_ns FROM libc;
INSERT INTO have
SELECT 'libc ' || r.vpid || ' size ' || s.log2_size, s.allocations
FROM libc_size AS s JOIN runtime AS r ON r.id = s.runtime_id;

-- Floating-point numbers within 1e-9, all else equal; and nothing beyond what is expected.
INSERT INTO difference
SELECT w.figure, w.value, h.value
FROM want AS w LEFT JOIN have AS h USING (figure)
WHERE h.figure IS NULL
  OR iif(typeof(w.value) = 'real',
    h.value IS NULL OR abs(w.value - h.value) > 1e-9 * max(abs(w.value), 1e-300),
    w.value IS NOT h.value);
INSERT INTO difference
SELECT h.figure, 'nothing', h.value
FROM have AS h LEFT JOIN want AS w USING (figure)
WHERE w.figure IS NULL AND h.value IS NOT NULL AND h.value <> 0
  AND h.figure NOT LIKE 'peak.%' AND h.figure NOT LIKE 'sample %'
  AND h.figure NOT GLOB 'libc * threads';
INSERT INTO compared SELECT count(*) FROM want;
