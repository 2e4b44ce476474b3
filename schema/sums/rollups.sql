-- SPDX-License-Identifier: MIT
--
-- Layer 20: sums that the loader keeps while the events pass, so that views
-- need not read the events again.
--
-- A scope is what a sum is over: one allocator instance, one allocator of one
-- runtime, one runtime, or all of a source.

-- One row for each allocator instance of a runtime.
CREATE TABLE instance (
  id           INTEGER PRIMARY KEY,
  runtime_id   INTEGER NOT NULL REFERENCES runtime(id),
  allocator_id INTEGER NOT NULL REFERENCES allocator(id),
  number       INTEGER NOT NULL, -- 0: the global instance; n: scheduler n
  base_known   INTEGER NOT NULL, -- 1: followed from its first carrier on; 0: recording began later
  ambiguous_creates   INTEGER NOT NULL,
  inconsistent        INTEGER NOT NULL,
  gets_unresolved     INTEGER NOT NULL, -- 1: its last event is a get whose outcome is not known
  puts_since_stat     INTEGER NOT NULL, -- puts since its last create or destroy, count
  put_bytes_since_stat INTEGER NOT NULL,
  fetched_since_stat  INTEGER NOT NULL, -- fetches since its last create or destroy, count; sizes not known yet
  sbc_silent_frees    INTEGER NOT NULL  -- single-block carriers that went without an event, at least
) STRICT;

-- One row for each allocator of a runtime.
CREATE TABLE allocator_use (
  id           INTEGER PRIMARY KEY,
  runtime_id   INTEGER NOT NULL REFERENCES runtime(id),
  allocator_id INTEGER NOT NULL REFERENCES allocator(id),
  instances    INTEGER NOT NULL
) STRICT;

-- One row for each scope, over the whole source.  Flows are counts and bytes of
-- all events; last_* the sums of the last known counters; the rest extremes.
CREATE TABLE scope_total (
  source_id   INTEGER NOT NULL REFERENCES source(id),
  scope       TEXT NOT NULL CHECK (scope IN ('instance', 'allocator', 'runtime', 'source')),
  scope_id    INTEGER NOT NULL,  -- instance.id, allocator_use.id, runtime.id or source.id
  mbc_creates INTEGER NOT NULL, mbc_create_bytes INTEGER NOT NULL,
  sbc_creates INTEGER NOT NULL, sbc_create_bytes INTEGER NOT NULL,
  owned_destroys INTEGER NOT NULL, owned_destroy_bytes INTEGER NOT NULL,
  pooled_destroys INTEGER NOT NULL, pooled_destroy_bytes INTEGER NOT NULL,
  puts INTEGER NOT NULL, put_bytes INTEGER NOT NULL,
  gets INTEGER NOT NULL, get_bytes INTEGER NOT NULL,      -- attempts; bytes asked for
  fetches INTEGER NOT NULL, fetch_bytes INTEGER NOT NULL, -- attempts that succeeded; bytes known so far
  misses INTEGER NOT NULL,                                -- attempts that failed
  first_stat_ts_ns INTEGER,      -- first and last create or destroy; NULL: none, and last_* are 0
  last_stat_ts_ns  INTEGER,
  last_mbc_carriers INTEGER NOT NULL, last_mbc_carriers_bytes INTEGER NOT NULL,
  last_mbc_blocks   INTEGER NOT NULL, last_mbc_blocks_bytes   INTEGER NOT NULL,
  last_sbc_carriers INTEGER NOT NULL, last_sbc_carriers_bytes INTEGER NOT NULL,
  last_sbc_blocks   INTEGER NOT NULL, last_sbc_blocks_bytes   INTEGER NOT NULL,
  max_carriers_bytes INTEGER, max_carriers_ts_ns INTEGER,  -- mbc + sbc; first event to reach it
  max_blocks_bytes   INTEGER, max_blocks_ts_ns   INTEGER,
  blocks_bytes_at_max INTEGER,                             -- mbc + sbc blocks when carriers were at their maximum
  min_util_blocks_bytes INTEGER, min_util_carriers_bytes INTEGER, min_util_ts_ns INTEGER,
  min_util2_blocks_bytes INTEGER, min_util2_carriers_bytes INTEGER, min_util2_ts_ns INTEGER, -- with 2 multi-block carriers or more
  weighted_time_ns  INTEGER NOT NULL,                     -- time with multi-block carriers
  mean_utilisation  REAL,                                 -- of multi-block carriers, by time
  ratio_of_integrals REAL,
  pooled_carriers_clamped INTEGER, -- runtime and source only: see view pool
  pooled_bytes_min INTEGER,
  pooled_bytes_max INTEGER,
  PRIMARY KEY (source_id, scope, scope_id)
) STRICT, WITHOUT ROWID;

-- One row for each scope and bucket of time in which the scope spoke.  Values
-- hold until the scope's next row.  Bucket b of a source covers
-- [bucket_origin_ns + b * bucket_ns, + bucket_ns).
CREATE TABLE scope_bucket (
  source_id   INTEGER NOT NULL REFERENCES source(id),
  scope       TEXT NOT NULL,
  scope_id    INTEGER NOT NULL,
  bucket      INTEGER NOT NULL,
  mbc_creates INTEGER NOT NULL, mbc_create_bytes INTEGER NOT NULL,
  sbc_creates INTEGER NOT NULL, sbc_create_bytes INTEGER NOT NULL,
  owned_destroys INTEGER NOT NULL, owned_destroy_bytes INTEGER NOT NULL,
  pooled_destroys INTEGER NOT NULL, pooled_destroy_bytes INTEGER NOT NULL,
  puts INTEGER NOT NULL, put_bytes INTEGER NOT NULL,
  gets INTEGER NOT NULL, get_bytes INTEGER NOT NULL,
  fetches INTEGER NOT NULL, fetch_bytes INTEGER NOT NULL,
  misses INTEGER NOT NULL,
  last_mbc_carriers INTEGER NOT NULL, last_mbc_carriers_bytes INTEGER NOT NULL,
  last_mbc_blocks   INTEGER NOT NULL, last_mbc_blocks_bytes   INTEGER NOT NULL,
  last_sbc_carriers INTEGER NOT NULL, last_sbc_carriers_bytes INTEGER NOT NULL,
  last_sbc_blocks   INTEGER NOT NULL, last_sbc_blocks_bytes   INTEGER NOT NULL,
  max_carriers_bytes INTEGER NOT NULL,
  pooled_carriers_clamped INTEGER, -- runtime and source only
  pooled_bytes_min  INTEGER,
  PRIMARY KEY (source_id, scope, scope_id, bucket)
) STRICT, WITHOUT ROWID;

-- Carriers of all instances at 100 moments, t_i = T0 + floor(i * (T1 - T0) / 99).
CREATE TABLE footprint_sample (
  source_id       INTEGER NOT NULL REFERENCES source(id),
  i               INTEGER NOT NULL, -- 0 to 99
  ts_ns           INTEGER NOT NULL,
  footprint_bytes INTEGER NOT NULL, -- sum of the last known mbc_carriers_bytes + sbc_carriers_bytes
  PRIMARY KEY (source_id, i)
) STRICT, WITHOUT ROWID;

-- The ledger summed: one row for each instance and kind.
CREATE TABLE ledger_total (
  instance_id  INTEGER NOT NULL REFERENCES instance(id),
  kind         INTEGER NOT NULL REFERENCES ledger_kind(id),
  rows         INTEGER NOT NULL,
  carriers_min INTEGER NOT NULL,
  carriers_max INTEGER NOT NULL,
  bytes_min    INTEGER NOT NULL,
  bytes_max    INTEGER NOT NULL,
  PRIMARY KEY (instance_id, kind)
) STRICT, WITHOUT ROWID;

-- How long carriers lived: ends of lives, by power of two of their least and
-- greatest possible length.  Carriers have no name in the events, so a life is
-- known only within bounds: the youngest and the oldest carrier of that size
-- (multi-block) or of that instance (single-block) that could have ended.
CREATE TABLE carrier_life (
  runtime_id   INTEGER NOT NULL REFERENCES runtime(id),
  allocator_id INTEGER NOT NULL REFERENCES allocator(id), -- that recorded the end
  kind         TEXT NOT NULL,    -- 'multi_block' or 'single_block'
  log2_ns      INTEGER NOT NULL, -- lives of [2^log2_ns, 2^(log2_ns+1)) ns; -1: 0 ns
  at_least     INTEGER NOT NULL, -- ends whose least possible life is in the bucket
  at_most      INTEGER NOT NULL, -- ends whose greatest possible life is in the bucket
  PRIMARY KEY (runtime_id, allocator_id, kind, log2_ns)
) STRICT, WITHOUT ROWID;

-- Multi-block carriers of a runtime by size.  Over all carriers of a size the
-- sum of the lives does not depend on which ended: it is exact once all have.
CREATE TABLE carrier_life_size (
  runtime_id   INTEGER NOT NULL REFERENCES runtime(id),
  size         INTEGER NOT NULL,
  creates      INTEGER NOT NULL,
  destroys     INTEGER NOT NULL, -- of carriers whose create was seen
  unmatched_destroys INTEGER NOT NULL, -- more destroys than creates: older ones, or resurrected
  alive        INTEGER NOT NULL, -- created and not destroyed when the source ended
  carrier_ns   INTEGER NOT NULL, -- sum of the lives, those alive up to the source's end
  PRIMARY KEY (runtime_id, size)
) STRICT, WITHOUT ROWID;

-- One row for each process that called the C library's allocator, when the
-- lttng_ust_libc events were recorded.
CREATE TABLE libc_total (
  runtime_id      INTEGER PRIMARY KEY REFERENCES runtime(id),
  events          INTEGER NOT NULL,
  threads         INTEGER NOT NULL,
  allocations     INTEGER NOT NULL,
  allocated_bytes INTEGER NOT NULL,
  frees_known     INTEGER NOT NULL,
  frees_unknown   INTEGER NOT NULL,
  frees_null      INTEGER NOT NULL,
  released_bytes  INTEGER NOT NULL,
  reallocs        INTEGER NOT NULL,
  reallocs_of_unknown INTEGER NOT NULL,
  reallocs_moved  INTEGER NOT NULL,
  failed          INTEGER NOT NULL,
  address_reused_without_free INTEGER NOT NULL,
  live_blocks     INTEGER NOT NULL,
  live_bytes      INTEGER NOT NULL,
  peak_live_bytes INTEGER NOT NULL,
  peak_ts_ns      INTEGER
) STRICT;

-- Allocations of the C library by size: ceil(log2(size)); 0 for sizes 0 and 1.
CREATE TABLE libc_size (
  runtime_id  INTEGER NOT NULL REFERENCES runtime(id),
  log2_size   INTEGER NOT NULL,
  allocations INTEGER NOT NULL,
  PRIMARY KEY (runtime_id, log2_size)
) STRICT, WITHOUT ROWID;
