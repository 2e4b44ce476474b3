-- SPDX-License-Identifier: MIT
--
-- Layer 10: the events, one row each, in the order of time within a source: a
-- larger id is never earlier.  There is no index on time on purpose (it doubles
-- the file and helps no report); `keyframe` says where in the rows a time is.

-- The meaning of carrier_event.kind, in the order of tp/otp_carrier_events.inc.
CREATE TABLE carrier_event_kind (
  id   INTEGER PRIMARY KEY,
  name TEXT NOT NULL
) STRICT;

-- The meaning of carrier_event.class: what the event does not say, derived.
CREATE TABLE carrier_event_class (
  id   INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  meaning TEXT NOT NULL
) STRICT;

INSERT INTO carrier_event_class VALUES
  (0, 'multi_block',  'create of a carrier for many blocks'),
  (1, 'single_block', 'create of a carrier for one large block'),
  (2, 'owned',        'destroy of a carrier that the instance owned'),
  (3, 'pooled',       'destroy of a carrier that lay in the pool');

-- One row for each carrier_create, carrier_destroy, carrier_pool_put and carrier_pool_get.
CREATE TABLE carrier_event (
  id                INTEGER PRIMARY KEY,
  ts_ns             INTEGER,
  kind              INTEGER,     -- carrier_event_kind.id
  instance_id       INTEGER,     -- instance.id
  thread_id         INTEGER,     -- thread.id
  size              INTEGER,     -- create, destroy, put: of the carrier; get: of the block asked for
  mbc_carriers      INTEGER,     -- counters of the instance after the event; NULL for put and get
  mbc_carriers_size INTEGER,
  mbc_blocks        INTEGER,
  mbc_blocks_size   INTEGER,
  sbc_carriers      INTEGER,
  sbc_carriers_size INTEGER,
  sbc_blocks        INTEGER,
  sbc_blocks_size   INTEGER,
  class             INTEGER,     -- carrier_event_class.id; NULL for put and get
  class_exact       INTEGER,     -- 1: the counters prove the class; 0: it is the likelier of two
  footprint_bytes   INTEGER      -- carriers of all instances of the source after the event, last known
) STRICT;

-- Where in carrier_event a time is: the first row at or after each 4096th.
CREATE TABLE keyframe (
  source_id        INTEGER NOT NULL,
  carrier_event_id INTEGER NOT NULL,
  ts_ns            INTEGER NOT NULL,
  PRIMARY KEY (source_id, carrier_event_id)
) STRICT, WITHOUT ROWID;

-- The meaning of block_event.op.
CREATE TABLE block_event_op (
  id   INTEGER PRIMARY KEY,
  name TEXT NOT NULL
) STRICT;

INSERT INTO block_event_op VALUES (0, 'alloc'), (1, 'free'), (2, 'realloc');

-- One row for each block event (provider carrierscope) or call of the C library's
-- allocator (provider lttng_ust_libc), in 19 bytes; its rowid is block_event.id, from 1
-- on without gaps.  Read view block_event; schema/pages/packed_block.h packs them.
--
--   place < 0: of the address 3 of the lower bits 26 are 0, the others are -1 - place, and
--     word = kind * 2^42 + (1 + size, 0: NULL) * 2^24 + op * 2^22 + time
--   place > 0: the row ends the block of the row that is so many before it, has its address, and
--     word = kind * 2^32 + (2 + size - its size, 1: 0, 0: NULL) * 2^24 + op * 2^22 + time
--   place NULL: the row is in unpacked_block
CREATE TABLE packed_block (
  word  INTEGER,
  place INTEGER
) STRICT;

-- What rows of packed_block have in common; there may be two that are equal.
CREATE TABLE packed_block_kind (
  id           INTEGER PRIMARY KEY,
  thread_id    INTEGER,
  type_id      INTEGER,
  allocator_id INTEGER,
  instance     INTEGER,
  process      INTEGER,
  zone         INTEGER           -- of the address: what is above its lower 26 bits
) STRICT;

-- Since when the times of packed_block count, from a row on until the next that is here.
CREATE TABLE packed_block_time (
  from_id INTEGER PRIMARY KEY,
  ts_ns   INTEGER NOT NULL
) STRICT;

-- The few block events that do not fit: columns of block_event.
CREATE TABLE unpacked_block (
  block_event_id INTEGER PRIMARY KEY,
  ts_ns        INTEGER,
  op           INTEGER,
  thread_id    INTEGER,
  address      INTEGER,
  size         INTEGER,
  type_id      INTEGER,
  allocator_id INTEGER,
  instance     INTEGER,
  ended_id     INTEGER,
  process      INTEGER
) STRICT;

-- The block events.  A realloc of a block is two rows of the same time: 'free' of the old
-- one and 'realloc', which is the new one.  Each column is looked up by itself: what a query
-- does not read costs nothing, and conditions on id are those of packed_block.  Without a CAST
-- a column has no affinity, and SQLite makes no index for a join by it.
--   op            block_event_op.id
--   thread_id     thread.id
--   address       a name, never to be followed
--   size          bytes asked for; of a hooked node's free: room, or 0; NULL: a free of libc does not say
--   type_id       NULL: libc
--   allocator_id  number as recorded by the provider; NULL: libc
--   instance      NULL: libc
--   ended_id      row that made the block which ends here; NULL: none that was seen
--   process       Erlang process that allocated: 0 none, else 1 + number + serial * 2^28; NULL: not known
CREATE VIEW block_event AS
SELECT
  p.rowid AS id,
  CAST(iif(p.place IS NULL, (SELECT u.ts_ns FROM unpacked_block AS u WHERE u.block_event_id = p.rowid),
    (SELECT t.ts_ns FROM packed_block_time AS t WHERE t.from_id <= p.rowid ORDER BY t.from_id DESC LIMIT 1)
      + (p.word & 4194303)) AS INTEGER) AS ts_ns,
  CAST(iif(p.place IS NULL, (SELECT u.op FROM unpacked_block AS u WHERE u.block_event_id = p.rowid),
    p.word >> 22 & 3) AS INTEGER) AS op,
  CAST(iif(p.place IS NULL, (SELECT u.thread_id FROM unpacked_block AS u WHERE u.block_event_id = p.rowid),
    (SELECT k.thread_id FROM packed_block_kind AS k WHERE k.id = iif(p.place < 0, p.word >> 42, p.word >> 32))) AS INTEGER) AS thread_id,
  CAST(CASE
    WHEN p.place < 0 THEN
      ((SELECT k.zone FROM packed_block_kind AS k WHERE k.id = p.word >> 42) << 26) + (-1 - p.place) * 8
    WHEN p.place IS NULL THEN
      (SELECT u.address FROM unpacked_block AS u WHERE u.block_event_id = p.rowid)
    ELSE ifnull(
      (SELECT ((SELECT k.zone FROM packed_block_kind AS k WHERE k.id = m.word >> 42) << 26) + (-1 - m.place) * 8
        FROM packed_block AS m WHERE m.rowid = p.rowid - p.place),
      (SELECT u.address FROM unpacked_block AS u WHERE u.block_event_id = p.rowid - p.place))
  END AS INTEGER) AS address,
  CAST(CASE
    WHEN p.place < 0 THEN nullif(p.word >> 24 & 262143, 0) - 1
    WHEN p.place IS NULL THEN
      (SELECT u.size FROM unpacked_block AS u WHERE u.block_event_id = p.rowid)
    WHEN p.word >> 24 & 254 = 0 THEN nullif(p.word >> 24 & 255, 0) - 1
    ELSE (p.word >> 24 & 255) - 2 + ifnull(
      (SELECT (m.word >> 24 & 262143) - 1 FROM packed_block AS m WHERE m.rowid = p.rowid - p.place),
      (SELECT u.size FROM unpacked_block AS u WHERE u.block_event_id = p.rowid - p.place))
  END AS INTEGER) AS size,
  CAST(iif(p.place IS NULL, (SELECT u.type_id FROM unpacked_block AS u WHERE u.block_event_id = p.rowid),
    (SELECT k.type_id FROM packed_block_kind AS k WHERE k.id = iif(p.place < 0, p.word >> 42, p.word >> 32))) AS INTEGER) AS type_id,
  CAST(iif(p.place IS NULL, (SELECT u.allocator_id FROM unpacked_block AS u WHERE u.block_event_id = p.rowid),
    (SELECT k.allocator_id FROM packed_block_kind AS k WHERE k.id = iif(p.place < 0, p.word >> 42, p.word >> 32))) AS INTEGER) AS allocator_id,
  CAST(iif(p.place IS NULL, (SELECT u.instance FROM unpacked_block AS u WHERE u.block_event_id = p.rowid),
    (SELECT k.instance FROM packed_block_kind AS k WHERE k.id = iif(p.place < 0, p.word >> 42, p.word >> 32))) AS INTEGER) AS instance,
  CAST(CASE
    WHEN p.place < 0 THEN NULL
    WHEN p.place IS NULL THEN
      (SELECT u.ended_id FROM unpacked_block AS u WHERE u.block_event_id = p.rowid)
    ELSE p.rowid - p.place
  END AS INTEGER) AS ended_id,
  CAST(iif(p.place IS NULL, (SELECT u.process FROM unpacked_block AS u WHERE u.block_event_id = p.rowid),
    (SELECT k.process FROM packed_block_kind AS k WHERE k.id = iif(p.place < 0, p.word >> 42, p.word >> 32))) AS INTEGER) AS process
FROM packed_block AS p;

-- _block_event: the same for steps that read several columns of many rows: the kind is looked up once.  SQLite cannot put it
-- behind LEFT JOIN, as it does with block_event.
CREATE TEMP VIEW _block_event AS
SELECT
  p.rowid AS id,
  CAST(ifnull(u.ts_ns,
    (SELECT t.ts_ns FROM packed_block_time AS t WHERE t.from_id <= p.rowid ORDER BY t.from_id DESC LIMIT 1)
      + (p.word & 4194303)) AS INTEGER) AS ts_ns,
  CAST(ifnull(u.op, p.word >> 22 & 3) AS INTEGER) AS op,
  CAST(ifnull(k.thread_id, u.thread_id) AS INTEGER) AS thread_id,
  CAST(CASE
    WHEN p.place < 0 THEN (k.zone << 26) + (-1 - p.place) * 8
    WHEN p.place IS NULL THEN u.address
    ELSE ifnull(
      (SELECT ((SELECT k.zone FROM packed_block_kind AS k WHERE k.id = m.word >> 42) << 26) + (-1 - m.place) * 8
        FROM packed_block AS m WHERE m.rowid = p.rowid - p.place),
      (SELECT u.address FROM unpacked_block AS u WHERE u.block_event_id = p.rowid - p.place))
  END AS INTEGER) AS address,
  CAST(CASE
    WHEN p.place < 0 THEN nullif(p.word >> 24 & 262143, 0) - 1
    WHEN p.place IS NULL THEN u.size
    WHEN p.word >> 24 & 254 = 0 THEN nullif(p.word >> 24 & 255, 0) - 1
    ELSE (p.word >> 24 & 255) - 2 + ifnull(
      (SELECT (m.word >> 24 & 262143) - 1 FROM packed_block AS m WHERE m.rowid = p.rowid - p.place),
      (SELECT u.size FROM unpacked_block AS u WHERE u.block_event_id = p.rowid - p.place))
  END AS INTEGER) AS size,
  CAST(ifnull(k.type_id, u.type_id) AS INTEGER) AS type_id,
  CAST(ifnull(k.allocator_id, u.allocator_id) AS INTEGER) AS allocator_id,
  CAST(ifnull(k.instance, u.instance) AS INTEGER) AS instance,
  CAST(CASE
    WHEN p.place < 0 THEN NULL
    WHEN p.place IS NULL THEN u.ended_id
    ELSE p.rowid - p.place
  END AS INTEGER) AS ended_id,
  CAST(ifnull(k.process, u.process) AS INTEGER) AS process
FROM packed_block AS p
LEFT JOIN packed_block_kind AS k ON k.id = iif(p.place < 0, p.word >> 42, p.word >> 32)
LEFT JOIN unpacked_block AS u ON p.place IS NULL AND u.block_event_id = p.rowid;

-- One row for each other event of OTP's providers, all releases.  A column is
-- NULL in events that do not have the field.
CREATE TABLE otp_event (
  id          INTEGER PRIMARY KEY,
  ts_ns       INTEGER,
  event       TEXT,              -- name without the provider
  provider    TEXT,
  runtime_id  INTEGER,
  thread_id   INTEGER,
  driver      TEXT,
  major       INTEGER,
  minor       INTEGER,
  flags       INTEGER,
  pid         TEXT,
  port        TEXT,
  bytes       INTEGER,
  command     INTEGER,
  scheduler   INTEGER,
  runnable    INTEGER,
  length      INTEGER,
  parent      TEXT,
  entry       TEXT,
  "from"      TEXT,
  "to"        TEXT,
  type        TEXT,
  reason      TEXT,
  name        TEXT,
  depth       INTEGER,
  class       TEXT,
  message     TEXT,
  need        INTEGER,           -- machine words
  heap        INTEGER,           -- machine words
  old_heap    INTEGER,           -- machine words
  reclaimed   INTEGER            -- machine words
) STRICT;

-- One row for each field that no column is for: fields of a newer OTP, and all
-- fields of an event whose known fields are missing or of another type.
CREATE TABLE extra_field (
  event_table TEXT NOT NULL,     -- 'carrier_event', 'otp_event' or 'block_event'
  event_id    INTEGER NOT NULL,
  field       TEXT NOT NULL,
  value       ANY
) STRICT;

-- The meaning of ledger.kind.
CREATE TABLE ledger_kind (
  id      INTEGER PRIMARY KEY,
  name    TEXT NOT NULL,
  side    TEXT NOT NULL,         -- 'mbc', 'sbc' or 'pool': which counters it explains
  meaning TEXT NOT NULL
) STRICT;

INSERT INTO ledger_kind VALUES
  (0, 'pool_fetch',       'mbc',  'carriers fetched from the pool since the instance last recorded its counters'),
  (1, 'sbc_free',         'sbc',  'single-block carriers freed without an event; bytes are net of resizes'),
  (2, 'sbc_resize',       'sbc',  'single-block carriers resized without an event'),
  (3, 'foreign_adoption', 'pool', 'of the fetched carriers, those that another allocator had abandoned'),
  (4, 'resurrection',     'pool', 'of the fetched carriers, those that no abandoned carrier accounts for: destroyed ones that came back'),
  (5, 'base_mbc',         'mbc',  'multi-block carriers that were there before the recording'),
  (6, 'base_sbc',         'sbc',  'single-block carriers that were there before the recording'),
  (7, 'unexplained_mbc',  'mbc',  'change of the multi-block counters that no rule explains: lost events or mixed processes'),
  (8, 'unexplained_sbc',  'sbc',  'change of the single-block counters that no rule explains: lost events or mixed processes');

-- The reconciliation ledger, rows of kind `inferred`: what the counters of an
-- instance imply between two of its events and no event said.  Signed changes
-- of the counters, so that events plus ledger give the counters:
--   mbc: creates of class multi_block - destroys of class owned - puts + ledger(mbc) = mbc_carriers
--   sbc: creates of class single_block + ledger(sbc) = sbc_carriers
-- and the same in bytes.  Rows of side 'pool' are parts of pool_fetch rows.
CREATE TABLE ledger (
  id           INTEGER PRIMARY KEY,
  event_id     INTEGER,          -- carrier_event.id whose counters show it
  instance_id  INTEGER,
  kind         INTEGER,          -- ledger_kind.id
  carriers_min INTEGER,          -- count, signed
  carriers_max INTEGER,
  bytes_min    INTEGER,          -- bytes, signed
  bytes_max    INTEGER
) STRICT;
