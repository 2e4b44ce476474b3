-- SPDX-License-Identifier: MIT
--
-- Run before each given file: tables with many columns, to be filled by naming
-- only those that matter.  INSERT INTO given_total(source_id, scope, scope_id, puts)
-- makes a row of scope_total whose other columns are 0 where they must not be NULL.

CREATE TEMP VIEW given_source AS SELECT * FROM source;
CREATE TEMP TRIGGER given_source_insert INSTEAD OF INSERT ON given_source
BEGIN
  INSERT INTO source (
    id, kind, path, content_hash, loader, reader, complete, first_ts_ns, last_ts_ns,
    events, lost_events, lost_packets, first_carrier_event_id, last_carrier_event_id,
    bucket_origin_ns, bucket_ns
  ) VALUES (
    NEW.id, ifnull(NEW.kind, 'ctf'), NEW.path, NEW.content_hash,
    ifnull(NEW.loader, 'loader'), ifnull(NEW.reader, 'reader'), ifnull(NEW.complete, 1),
    NEW.first_ts_ns, NEW.last_ts_ns, ifnull(NEW.events, 0), ifnull(NEW.lost_events, 0),
    ifnull(NEW.lost_packets, 0), NEW.first_carrier_event_id, NEW.last_carrier_event_id,
    NEW.bucket_origin_ns, NEW.bucket_ns
  );
END;

CREATE TEMP VIEW given_instance AS SELECT * FROM instance;
CREATE TEMP TRIGGER given_instance_insert INSTEAD OF INSERT ON given_instance
BEGIN
  INSERT INTO instance (
    id, runtime_id, allocator_id, number, base_known, ambiguous_creates, inconsistent,
    gets_unresolved, puts_since_stat, put_bytes_since_stat, fetched_since_stat,
    sbc_silent_frees
  ) VALUES (
    NEW.id, NEW.runtime_id, NEW.allocator_id, NEW.number, ifnull(NEW.base_known, 1),
    ifnull(NEW.ambiguous_creates, 0), ifnull(NEW.inconsistent, 0),
    ifnull(NEW.gets_unresolved, 0), ifnull(NEW.puts_since_stat, 0),
    ifnull(NEW.put_bytes_since_stat, 0), ifnull(NEW.fetched_since_stat, 0),
    ifnull(NEW.sbc_silent_frees, 0)
  );
END;

CREATE TEMP VIEW given_total AS SELECT * FROM scope_total;
CREATE TEMP TRIGGER given_total_insert INSTEAD OF INSERT ON given_total
BEGIN
  INSERT INTO scope_total (
    source_id, scope, scope_id, mbc_creates, mbc_create_bytes, sbc_creates,
    sbc_create_bytes, owned_destroys, owned_destroy_bytes, pooled_destroys,
    pooled_destroy_bytes, puts, put_bytes, gets, get_bytes, fetches, fetch_bytes, misses,
    first_stat_ts_ns, last_stat_ts_ns, last_mbc_carriers, last_mbc_carriers_bytes,
    last_mbc_blocks, last_mbc_blocks_bytes, last_sbc_carriers, last_sbc_carriers_bytes,
    last_sbc_blocks, last_sbc_blocks_bytes, max_carriers_bytes, max_carriers_ts_ns,
    max_blocks_bytes, max_blocks_ts_ns, blocks_bytes_at_max, min_util_blocks_bytes,
    min_util_carriers_bytes, min_util_ts_ns, min_util2_blocks_bytes, min_util2_carriers_bytes,
    min_util2_ts_ns, weighted_time_ns, mean_utilisation, ratio_of_integrals,
    pooled_carriers_clamped, pooled_bytes_min, pooled_bytes_max
  ) VALUES (
    NEW.source_id, NEW.scope, NEW.scope_id, ifnull(NEW.mbc_creates, 0),
    ifnull(NEW.mbc_create_bytes, 0), ifnull(NEW.sbc_creates, 0),
    ifnull(NEW.sbc_create_bytes, 0), ifnull(NEW.owned_destroys, 0),
    ifnull(NEW.owned_destroy_bytes, 0), ifnull(NEW.pooled_destroys, 0),
    ifnull(NEW.pooled_destroy_bytes, 0), ifnull(NEW.puts, 0), ifnull(NEW.put_bytes, 0),
    ifnull(NEW.gets, 0), ifnull(NEW.get_bytes, 0), ifnull(NEW.fetches, 0),
    ifnull(NEW.fetch_bytes, 0), ifnull(NEW.misses, 0), NEW.first_stat_ts_ns,
    NEW.last_stat_ts_ns, ifnull(NEW.last_mbc_carriers, 0),
    ifnull(NEW.last_mbc_carriers_bytes, 0), ifnull(NEW.last_mbc_blocks, 0),
    ifnull(NEW.last_mbc_blocks_bytes, 0), ifnull(NEW.last_sbc_carriers, 0),
    ifnull(NEW.last_sbc_carriers_bytes, 0), ifnull(NEW.last_sbc_blocks, 0),
    ifnull(NEW.last_sbc_blocks_bytes, 0), NEW.max_carriers_bytes, NEW.max_carriers_ts_ns,
    NEW.max_blocks_bytes, NEW.max_blocks_ts_ns, NEW.blocks_bytes_at_max,
    NEW.min_util_blocks_bytes, NEW.min_util_carriers_bytes, NEW.min_util_ts_ns,
    NEW.min_util2_blocks_bytes, NEW.min_util2_carriers_bytes, NEW.min_util2_ts_ns,
    ifnull(NEW.weighted_time_ns, 0), NEW.mean_utilisation, NEW.ratio_of_integrals,
    NEW.pooled_carriers_clamped, NEW.pooled_bytes_min, NEW.pooled_bytes_max
  );
END;

CREATE TEMP VIEW given_bucket AS SELECT * FROM scope_bucket;
CREATE TEMP TRIGGER given_bucket_insert INSTEAD OF INSERT ON given_bucket
BEGIN
  INSERT INTO scope_bucket (
    source_id, scope, scope_id, bucket, mbc_creates, mbc_create_bytes, sbc_creates,
    sbc_create_bytes, owned_destroys, owned_destroy_bytes, pooled_destroys,
    pooled_destroy_bytes, puts, put_bytes, gets, get_bytes, fetches, fetch_bytes, misses,
    last_mbc_carriers, last_mbc_carriers_bytes, last_mbc_blocks, last_mbc_blocks_bytes,
    last_sbc_carriers, last_sbc_carriers_bytes, last_sbc_blocks, last_sbc_blocks_bytes,
    max_carriers_bytes, pooled_carriers_clamped, pooled_bytes_min
  ) VALUES (
    NEW.source_id, NEW.scope, NEW.scope_id, NEW.bucket, ifnull(NEW.mbc_creates, 0),
    ifnull(NEW.mbc_create_bytes, 0), ifnull(NEW.sbc_creates, 0),
    ifnull(NEW.sbc_create_bytes, 0), ifnull(NEW.owned_destroys, 0),
    ifnull(NEW.owned_destroy_bytes, 0), ifnull(NEW.pooled_destroys, 0),
    ifnull(NEW.pooled_destroy_bytes, 0), ifnull(NEW.puts, 0), ifnull(NEW.put_bytes, 0),
    ifnull(NEW.gets, 0), ifnull(NEW.get_bytes, 0), ifnull(NEW.fetches, 0),
    ifnull(NEW.fetch_bytes, 0), ifnull(NEW.misses, 0), ifnull(NEW.last_mbc_carriers, 0),
    ifnull(NEW.last_mbc_carriers_bytes, 0), ifnull(NEW.last_mbc_blocks, 0),
    ifnull(NEW.last_mbc_blocks_bytes, 0), ifnull(NEW.last_sbc_carriers, 0),
    ifnull(NEW.last_sbc_carriers_bytes, 0), ifnull(NEW.last_sbc_blocks, 0),
    ifnull(NEW.last_sbc_blocks_bytes, 0), ifnull(NEW.max_carriers_bytes, 0),
    NEW.pooled_carriers_clamped, NEW.pooled_bytes_min
  );
END;

CREATE TEMP VIEW given_account AS SELECT * FROM block_account;
CREATE TEMP TRIGGER given_account_insert INSTEAD OF INSERT ON given_account
BEGIN
  INSERT INTO block_account (
    id, source_id, runtime_id, scope, allocator_id, type_id, class_id, made, made_bytes,
    ended, ended_bytes, resized, live_blocks, live_bytes, most_blocks, most_blocks_ts_ns,
    most_blocks_id, most_bytes, most_bytes_ts_ns, most_bytes_id, unknown_frees,
    unknown_bytes, lost_frees, lost_bytes, temporary, temporary_bytes
  ) VALUES (
    NEW.id, NEW.source_id, NEW.runtime_id, NEW.scope, NEW.allocator_id, NEW.type_id,
    NEW.class_id, ifnull(NEW.made, 0), ifnull(NEW.made_bytes, 0), ifnull(NEW.ended, 0),
    ifnull(NEW.ended_bytes, 0), ifnull(NEW.resized, 0), ifnull(NEW.live_blocks, 0),
    ifnull(NEW.live_bytes, 0), ifnull(NEW.most_blocks, 0), NEW.most_blocks_ts_ns,
    NEW.most_blocks_id, ifnull(NEW.most_bytes, 0), NEW.most_bytes_ts_ns, NEW.most_bytes_id,
    ifnull(NEW.unknown_frees, 0), ifnull(NEW.unknown_bytes, 0), ifnull(NEW.lost_frees, 0),
    ifnull(NEW.lost_bytes, 0), ifnull(NEW.temporary, 0), ifnull(NEW.temporary_bytes, 0)
  );
END;

-- INSERT INTO given_block_story VALUES (1) makes one process with one thread: at
-- 1, 2 and 3 ns it makes db_terms of 100, 120 and 300 bytes, frees the first at 4 ns
-- and resizes the second to 200 bytes at 5 ns.  A keyframe is after the third.
CREATE TEMP VIEW given_block_story AS SELECT 1 AS story;
CREATE TEMP TRIGGER given_block_story_insert INSTEAD OF INSERT ON given_block_story
BEGIN
  INSERT INTO given_source(id, lost_events) VALUES (1, 0);
  INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp');
  INSERT INTO thread VALUES (1, 1, 101, '1_scheduler', 0, 6);
  INSERT INTO name_allocator(runtime_id, allocator_id, name) VALUES (1, 4, 'ets_alloc');
  INSERT INTO name_class(runtime_id, class_id, name) VALUES (1, 4, 'ets_data');
  INSERT INTO name_type(runtime_id, type_id, class_id, allocator_id, name) VALUES
    (1, 7, 4, 4, 'db_term'), (1, 8, 4, 4, 'db_table');
  INSERT INTO state_begin(runtime_id, word_bytes, release) VALUES (1, 8, '25');
  INSERT INTO option(runtime_id, allocator_id, name, value) VALUES
    (1, 4, 'as', 'aoffcbf'), (1, 4, 'atags', 'false');
  INSERT INTO block_event(ts_ns, op, thread_id, address, size, type_id, allocator_id,
    instance, ended_id) VALUES
    (1, 0, 1, 4096, 100, 7, 4, 1, NULL),
    (2, 0, 1, 4208, 120, 7, 4, 1, NULL),
    (3, 0, 1, 16384, 300, 7, 4, 1, NULL),
    (4, 1, 1, 4096, 100, 7, 4, 1, 1),
    (5, 1, 1, 4208, NULL, 7, 4, 1, 2),
    (5, 2, 1, 16688, 200, 7, 4, 1, NULL);
  INSERT INTO block_process VALUES (1, 1, '<0.5.0>'), (1, 3, '<0.6.0>'), (1, 6, NULL);
  INSERT INTO block_span VALUES (1, 1, 6, 1, 5, 0);
  INSERT INTO given_account(id, source_id, runtime_id, scope, allocator_id, type_id, class_id,
    made, made_bytes, ended, ended_bytes, resized, live_blocks, live_bytes, most_blocks,
    most_blocks_ts_ns, most_blocks_id, most_bytes, most_bytes_ts_ns, most_bytes_id,
    temporary, temporary_bytes, unknown_frees)
  SELECT id, 1, 1, scope, allocator_id, type_id, class_id, 4, 720, 2, 220, 1, 2, 500, 3, 3, 3,
    520, 3, 3, 0, 0, 0
  FROM (
    SELECT 1 AS id, 'type' AS scope, 4 AS allocator_id, 7 AS type_id, 4 AS class_id
    UNION ALL SELECT 2, 'allocator', 4, NULL, NULL
    UNION ALL SELECT 3, 'class', NULL, NULL, 4
    UNION ALL SELECT 4, 'runtime', NULL, NULL, NULL
  );
  INSERT INTO block_made_size VALUES (1, 64, 2, 220), (1, 128, 1, 200), (1, 256, 1, 300);
  INSERT INTO block_life VALUES (1, 2, 1, 100);
  INSERT INTO block_keyframe VALUES (1, 3, 3);
  INSERT INTO block_keyframe_account VALUES
    (3, 1, 3, 520, 0, 0, 3, 520, 3, 520, 0, 0), (3, 2, 3, 520, 0, 0, 3, 520, 3, 520, 0, 0),
    (3, 3, 3, 520, 0, 0, 3, 520, 3, 520, 0, 0), (3, 4, 3, 520, 0, 0, 3, 520, 3, 520, 0, 0);
  INSERT INTO block_keyframe_size VALUES (3, 1, 64, 2, 220), (3, 1, 256, 1, 300);
  INSERT INTO live_block_keyframe VALUES (3, 3);
  INSERT INTO live_block_list VALUES (3, 0, '[1,3]'), (3, 1, '[2]');
END;

-- INSERT INTO given_stat VALUES (7, 'ets_alloc', 'mbcs', '{"carriers": [2, 3]}') says what reading 7 has of a section of
-- an allocator's instance 1: of each key what it is, and the most it was (none: not recorded).
CREATE TEMP VIEW given_stat AS
SELECT 0 AS snapshot_id, '' AS allocator, '' AS section, '' AS figures;
CREATE TEMP TRIGGER given_stat_insert INSTEAD OF INSERT ON given_stat
BEGIN
  INSERT INTO instance_stat(snapshot_id, allocator, instance, section, "key", "current", max_ever)
  SELECT NEW.snapshot_id, NEW.allocator, 1, NEW.section, f."key", json_extract(f.value, '$[0]'), json_extract(f.value, '$[1]')
  FROM json_each(NEW.figures) AS f;
END;

-- INSERT INTO given_reading VALUES (3) is reading 4 of runtime 1, at 3 s: one instance of binary_alloc, number 4,
-- has 10 + 3 MiB of blocks in 20 + 3 MiB of carriers.
CREATE TEMP TABLE given_reading(i INTEGER);
CREATE TEMP TRIGGER given_reading_insert AFTER INSERT ON given_reading
BEGIN
  INSERT INTO snapshot_begin(ts_ns, runtime_id, snapshot_id, uptime_ms)
  VALUES (NEW.i * 1000000000, 1, NEW.i + 1, NEW.i * 1000);
  INSERT INTO snapshot_figure(ts_ns, runtime_id, snapshot_id, allocator_id, instance, section, "key", "current", max_since_last, max_ever)
  SELECT NEW.i * 1000000000, 1, NEW.i + 1, 4, 1, 'mbcs', f.key, f.base + f.slope * NEW.i, f.base + f.slope * NEW.i, f.base + f.slope * NEW.i
  FROM (SELECT 'blocks' AS key, 100 AS base, 1 AS slope
    UNION ALL SELECT 'blocks_size', 10485760, 1048576
    UNION ALL SELECT 'carriers', 20, 1
    UNION ALL SELECT 'carriers_size', 20971520, 1048576) AS f;
  INSERT INTO snapshot_end(ts_ns, runtime_id, snapshot_id, figures) VALUES (NEW.i * 1000000000, 1, NEW.i + 1, 4);
END;

-- INSERT INTO given_figure(subject_id, allocator, mbc, bytes) VALUES (1, 'ets_alloc', 100, 40) says what the
-- figures of an allocator of runtime 1 (below 0: of reading 1) are, exactly: 100 bytes in multi-block
-- carriers, 40 of them in blocks.  What is not named is 0, moment 'end', one carrier, one instance.
-- bytes are all blocks, sbc_bytes and pool_bytes those of them in single-block carriers and in the
-- pool.  Each row is added to the figures of 'all'.
CREATE TEMP VIEW given_figure AS
SELECT 0 AS subject_id, '' AS allocator, '' AS moment, 0 AS ts_ns, 0 AS mbc, 0 AS sbc, 0 AS pool, 0 AS bytes,
  0 AS sbc_bytes, 0 AS pool_bytes, 0 AS mbcs, 0 AS sbcs, 0 AS instances;
CREATE TEMP TRIGGER given_figure_insert INSTEAD OF INSERT ON given_figure
BEGIN
  INSERT INTO figure
  SELECT NEW.subject_id,
    ifnull((SELECT source_id FROM runtime WHERE id = NEW.subject_id), (SELECT source_id FROM snapshot WHERE id = -NEW.subject_id)),
    iif(NEW.subject_id > 0, NEW.subject_id, NULL), iif(NEW.subject_id < 0, -NEW.subject_id, NULL), o.value,
    ifnull(NEW.moment, 'end'), v.quantity, v.value, v.value, v.value, 'exact',
    ifnull(NEW.ts_ns, (SELECT s.last_ts_ns FROM runtime AS r JOIN source AS s ON s.id = r.source_id WHERE r.id = NEW.subject_id)),
    'given'
  FROM json_each(json_array(NEW.allocator, 'all')) AS o
  JOIN (
    SELECT 'carriers_bytes' AS quantity, ifnull(NEW.mbc, 0) + ifnull(NEW.sbc, 0) + ifnull(NEW.pool, 0) AS value
    UNION ALL SELECT 'multi_block_carriers_bytes', ifnull(NEW.mbc, 0)
    UNION ALL SELECT 'single_block_carriers_bytes', ifnull(NEW.sbc, 0)
    UNION ALL SELECT 'pool_bytes', ifnull(NEW.pool, 0)
    UNION ALL SELECT 'blocks_bytes', ifnull(NEW.bytes, 0)
    UNION ALL SELECT 'single_block_blocks_bytes', ifnull(NEW.sbc_bytes, 0)
    UNION ALL SELECT 'pool_blocks_bytes', ifnull(NEW.pool_bytes, 0)
    UNION ALL SELECT 'unused_bytes', ifnull(NEW.mbc, 0) + ifnull(NEW.sbc, 0) + ifnull(NEW.pool, 0) - ifnull(NEW.bytes, 0)
    UNION ALL SELECT 'multi_block_carriers', ifnull(NEW.mbcs, 1)
    UNION ALL SELECT 'single_block_carriers', ifnull(NEW.sbcs, 0)
    UNION ALL SELECT 'instances', ifnull(NEW.instances, 1)
  ) AS v
  WHERE v.quantity <> 'instances' OR o.value <> 'all'
  ON CONFLICT DO UPDATE SET low = low + excluded.low, likely = likely + excluded.likely, high = high + excluded.high;
END;

-- INSERT INTO given_growth VALUES (1, 'ets_alloc', 1048576) makes runtimes 1, 2 and 3, each
-- with an allocator all of whose carriers are full, and whose blocks were recorded from the start: one
-- level in each of 8 windows of a second; what was in the first quarter does not count.  2 instead of 1 is runtimes 4, 5 and 6.
--
--   first   0, 0, 0, 2, 4, 5, 6 and 8 times 1048576 bytes: a rise in each of 5 steps, of 8 in all
--   second  the same, a byte less in the last
--   third   0, 0, 0, 4, 5, 6, 6 and 8 times: no rise in the last window but one, and a trend all the same
CREATE TEMP VIEW given_growth AS SELECT 1 AS story, '' AS allocator, 0 AS unit_bytes;
CREATE TEMP VIEW given_growth_level AS
SELECT r.id AS runtime_id, l.key AS bucket, l.value AS units, r.id % 3 = 2 AND l.key = 7 AS less
FROM runtime AS r
JOIN json_each(iif(r.id % 3 = 0, '[0, 0, 0, 4, 5, 6, 6, 8]', '[0, 0, 0, 2, 4, 5, 6, 8]')) AS l;
CREATE TEMP TRIGGER given_growth_insert INSTEAD OF INSERT ON given_growth
BEGIN
  INSERT INTO given_source(id, first_ts_ns, last_ts_ns)
  SELECT 1, 0, 7999999999 WHERE NOT EXISTS (SELECT 1 FROM source);
  INSERT OR IGNORE INTO event_count
  SELECT 1, 'carrierscope', value, 1 FROM json_each('["block_alloc", "block_free", "block_realloc"]');
  INSERT INTO runtime
  SELECT 3 * NEW.story + value, 1, 'host', 100 * (3 * NEW.story + value), 'beam.smp'
  FROM json_each('[-2, -1, 0]');
  INSERT INTO allocator VALUES (NEW.story, NEW.allocator);
  INSERT INTO allocator_use
  SELECT id, id, NEW.story, 1 FROM runtime WHERE id > 3 * NEW.story - 3;
  INSERT INTO given_instance(id, runtime_id, allocator_id, number)
  SELECT id, runtime_id, allocator_id, 1 FROM allocator_use WHERE allocator_id = NEW.story;
  INSERT INTO name_allocator(runtime_id, allocator_id, name)
  SELECT id, 4, NEW.allocator FROM runtime WHERE id > 3 * NEW.story - 3;
  -- Accounts of the allocator and of its only type, and what was live at a keyframe in each window.
  INSERT INTO given_account(id, source_id, runtime_id, scope, allocator_id, type_id, live_blocks, live_bytes)
  SELECT 2 * runtime_id + (o.value = 'type'), 1, runtime_id, o.value, 4, iif(o.value = 'type', 7, NULL), 1,
    units * NEW.unit_bytes - less
  FROM given_growth_level JOIN json_each('["allocator", "type"]') AS o
  WHERE bucket = 7 AND runtime_id > 3 * NEW.story - 3;
  INSERT OR IGNORE INTO block_keyframe SELECT 1, value + 1, 1000000000 * value FROM json_each('[0, 1, 2, 3, 4, 5, 6, 7]');
  INSERT INTO block_keyframe_account
  SELECT bucket + 1, a.id, 1, units * NEW.unit_bytes - less, 0, 0, 1, units * NEW.unit_bytes - less, 1, units * NEW.unit_bytes, 0, 0
  FROM given_growth_level AS l JOIN block_account AS a ON a.runtime_id = l.runtime_id
  WHERE l.runtime_id > 3 * NEW.story - 3;
  INSERT INTO given_figure(subject_id, allocator, moment, mbc, bytes)
  SELECT runtime_id, NEW.allocator, m.value, units * NEW.unit_bytes, units * NEW.unit_bytes - less
  FROM given_growth_level JOIN json_each('["end", "peak"]') AS m
  WHERE bucket = 7 AND runtime_id > 3 * NEW.story - 3;
END;
