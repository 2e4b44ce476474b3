-- SPDX-License-Identifier: MIT
--
-- Layer 00: what was loaded, from where, and how well.
--
-- All sizes are bytes, all times (`_ns`) nanoseconds since the Unix epoch unless
-- a line says otherwise.  Tables are filled by the loader; `view_doc` says of
-- each column whether it is exact, a bound or an estimate.

-- One row for each fact about the file itself; `.dump` loses application_id and
-- user_version, so they stand here too.
CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value TEXT
) STRICT, WITHOUT ROWID;

-- One row for each load.
CREATE TABLE source (
  id                     INTEGER PRIMARY KEY,
  kind                   TEXT NOT NULL,  -- 'ctf', 'crash_dump', 'terms', 'board_log', 'args'
  path                   TEXT,           -- the file, or the deepest folder that holds all its streams; NULL: none, or live
  content_hash           TEXT,           -- 16 hex digits over the rows of carrier_event and block_event, or over the file
  loader                 TEXT NOT NULL,  -- 'carrierscope 0.1.0'
  reader                 TEXT NOT NULL,  -- 'babeltrace2 2.0.4'
  complete               INTEGER NOT NULL, -- 1: read to its end; 0: broken off, interrupted or still growing
  first_ts_ns            INTEGER,        -- first event of any name; NULL: none
  last_ts_ns             INTEGER,        -- last event of any name; NULL: none
  events                 INTEGER NOT NULL, -- events of any name
  lost_events            INTEGER NOT NULL, -- sum of lost_interval.events
  lost_packets           INTEGER NOT NULL, -- sum of lost_interval.packets
  first_carrier_event_id INTEGER,        -- rows of carrier_event: from, NULL: none
  last_carrier_event_id  INTEGER,        -- to
  bucket_origin_ns       INTEGER,        -- start of bucket 0 of this source; NULL: no carrier event
  bucket_ns              INTEGER         -- width of its buckets in ns, a power of two
) STRICT;

-- One row for each thing a source can or cannot show.
CREATE TABLE source_capability (
  source_id  INTEGER NOT NULL REFERENCES source(id),
  capability TEXT NOT NULL,      -- 'carriers', 'blocks', 'runtime', 'thread', ...
  available  INTEGER NOT NULL,   -- 1 or 0
  reason     TEXT NOT NULL,      -- a sentence: why, or what to do
  PRIMARY KEY (source_id, capability)
) STRICT, WITHOUT ROWID;

-- One row for each CTF trace of a source.
CREATE TABLE trace (
  id            INTEGER PRIMARY KEY,
  source_id     INTEGER NOT NULL REFERENCES source(id),
  uuid          TEXT,
  name          TEXT,
  hostname      TEXT,
  tracer        TEXT,            -- 'lttng-ust 2.13'
  buffering     TEXT,            -- 'uid' or 'pid'
  word_bits     INTEGER,         -- 32 or 64; NULL: the trace does not say
  created       TEXT             -- as the tracer wrote it
) STRICT;

-- One row for each stream (one CPU of one channel).
CREATE TABLE stream (
  id        INTEGER PRIMARY KEY,
  trace_id  INTEGER NOT NULL REFERENCES trace(id),
  name      TEXT,                -- its file, or what the reader calls it
  packets   INTEGER NOT NULL,
  events    INTEGER NOT NULL
) STRICT;

-- One row for each traced process.
CREATE TABLE runtime (
  id          INTEGER PRIMARY KEY,
  source_id   INTEGER NOT NULL REFERENCES source(id),
  hostname    TEXT,
  vpid        INTEGER,           -- NULL: the trace does not distinguish processes
  procname    TEXT               -- of its main thread; NULL: not recorded
) STRICT;

-- One row for each thread that spoke.
CREATE TABLE thread (
  id             INTEGER PRIMARY KEY,
  runtime_id     INTEGER NOT NULL REFERENCES runtime(id),
  vtid           INTEGER,        -- NULL: context not recorded
  procname       TEXT,           -- thread name, cut at 15 characters by the kernel; NULL: not recorded
  carrier_events INTEGER NOT NULL,
  events         INTEGER NOT NULL
) STRICT;

-- One row for each traced process whose events say so: its first event and its last.  It may have
-- begun long after the source did, and ended, or been killed, long before.
CREATE TABLE runtime_span (
  runtime_id  INTEGER PRIMARY KEY REFERENCES runtime(id),
  first_ts_ns INTEGER NOT NULL,
  last_ts_ns  INTEGER NOT NULL
) STRICT;

-- One row for each name of an allocator, as the runtime spells it.
CREATE TABLE allocator (
  id   INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

-- One row for each event class, with its number of events; other providers included.  0: it was
-- recorded, and did not happen.
CREATE TABLE event_count (
  source_id INTEGER NOT NULL REFERENCES source(id),
  provider  TEXT NOT NULL,
  event     TEXT NOT NULL,
  events    INTEGER NOT NULL,
  PRIMARY KEY (source_id, provider, event)
) STRICT, WITHOUT ROWID;

-- One row for each stretch of a stream in which something is missing.
CREATE TABLE lost_interval (
  id        INTEGER PRIMARY KEY,
  source_id INTEGER NOT NULL REFERENCES source(id),
  stream_id INTEGER REFERENCES stream(id), -- NULL: a stream that could not be opened
  cause     TEXT NOT NULL,       -- 'discarded_events', 'discarded_packets', 'not_delivered', what batches lack, or what the salvage found
  begin_ns  INTEGER,             -- NULL: not known
  end_ns    INTEGER,             -- NULL: not known
  events    INTEGER,             -- lost events; NULL: not known.  Negative: the tracer's counter ran back
  packets   INTEGER,             -- lost packets; NULL: not known
  file      TEXT,                -- salvage: the damaged file
  offset_bytes INTEGER,          -- salvage: where in it
  length_bytes INTEGER           -- salvage: how much of it
) STRICT;

-- One row for each kind of trouble met while loading.
CREATE TABLE load_problem (
  id        INTEGER PRIMARY KEY,
  source_id INTEGER NOT NULL REFERENCES source(id),
  name      TEXT NOT NULL,
  severity  TEXT NOT NULL CHECK (severity IN ('info', 'notice', 'data_loss', 'error')),
  count     INTEGER NOT NULL,
  sentence  TEXT NOT NULL        -- of the first time it was met
) STRICT;

-- One row for each table or view (column '') and one for each of its columns.
-- While the schema is made, `view` may have several names or GLOB patterns, separated by blanks:
-- what a column means in all of these views; docs/docs.sql writes it out for each.
CREATE TABLE view_doc (
  view    TEXT NOT NULL,
  column  TEXT NOT NULL,         -- '': the view itself; meaning then says what a row is
  unit    TEXT NOT NULL,         -- 'bytes', 'ns', 'count', 'ratio', 'id', 'text', ...
  quality TEXT NOT NULL CHECK (quality IN ('exact', 'bound', 'estimate', 'label', 'full scan', 'fast')),
  meaning TEXT NOT NULL,
  PRIMARY KEY (view, column)
) STRICT, WITHOUT ROWID;
