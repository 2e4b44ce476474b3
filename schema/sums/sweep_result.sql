-- SPDX-License-Identifier: MIT
--
-- Layer 22: what `carrierscope advise` has replayed.
--
-- Empty until then.  A replay with other flags is of the whole recording, or of the quarter with the peak,
-- which begins with the blocks that were live then.  An interrupted search keeps what it has replayed.

-- One row for each allocator and one for all of them, for each set of flags that was replayed.
CREATE TABLE sweep_result (
  id                 INTEGER PRIMARY KEY,
  runtime_id         INTEGER NOT NULL REFERENCES runtime(id),
  flags              TEXT NOT NULL,    -- '': as recorded
  is_part            INTEGER NOT NULL, -- 1: of the quarter with the peak
  is_advised         INTEGER NOT NULL, -- 1: what was advised, with ranges
  allocator          TEXT NOT NULL,    -- a name, or 'all'
  peak_bytes         INTEGER NOT NULL, -- carriers, on the usual schedule
  end_bytes          INTEGER NOT NULL,
  average_bytes      INTEGER NOT NULL, -- weighted by time
  peak_low_bytes     INTEGER,          -- over schedules and the error of the replay; NULL: one replay
  peak_high_bytes    INTEGER,
  end_low_bytes      INTEGER,
  end_high_bytes     INTEGER,
  average_low_bytes  INTEGER,
  average_high_bytes INTEGER,
  calls              INTEGER NOT NULL, -- requests for carriers
  copied_bytes       INTEGER NOT NULL,
  mappings           INTEGER NOT NULL, -- most carriers at one time
  schedules          INTEGER NOT NULL DEFAULT 1, -- replays, each with other turns of the threads
  UNIQUE (runtime_id, flags, is_part, allocator)
) STRICT;

-- One row for each runtime that was searched: what the last search found.
CREATE TABLE sweep_advice (
  runtime_id     INTEGER PRIMARY KEY REFERENCES runtime(id),
  objective      TEXT NOT NULL,    -- 'peak', 'end', 'average' or 'rss'
  flags          TEXT,             -- NULL: none are advised
  refusal        TEXT,             -- why none are; NULL: some are
  letters        TEXT NOT NULL,    -- allocators that might be changed
  coverage       REAL,             -- 0..1; NULL: not recorded
  bound_bytes    INTEGER NOT NULL, -- what no flags can go below: blocks need it
  half_chosen    REAL NOT NULL,    -- what is left of the objective, chosen and measured on the first half
  half_other     REAL NOT NULL,    -- chosen on the first half, measured on the second
  composed_bytes INTEGER NOT NULL, -- the best of each allocator, as a sum
  replayed_bytes INTEGER NOT NULL, -- the same, replayed together
  settings       INTEGER NOT NULL, -- sets of flags that were replayed
  is_cut_short   INTEGER NOT NULL  -- 1: interrupted, or out of time
) STRICT;

-- Carriers over time, at 256 moments: as recorded, and with what is advised.
CREATE TABLE sweep_curve (
  runtime_id     INTEGER NOT NULL REFERENCES runtime(id),
  is_advised     INTEGER NOT NULL, -- 0: replayed as recorded
  ts_ns          INTEGER NOT NULL, -- begin of an interval; it ends with the next
  carriers_bytes INTEGER NOT NULL, -- most in it
  UNIQUE (runtime_id, is_advised, ts_ns)
) STRICT;

-- Whole results of replays, for the next search: provider/sweep/pack.c.
CREATE TABLE sweep_replay (
  id         INTEGER PRIMARY KEY,
  runtime_id INTEGER NOT NULL REFERENCES runtime(id),
  flags      TEXT NOT NULL,
  is_part    INTEGER NOT NULL,
  result     BLOB NOT NULL,
  UNIQUE (runtime_id, flags, is_part)
) STRICT;

INSERT INTO view_doc VALUES
  ('sweep_result', '', 'row', 'fast', 'One row for each allocator, and one for all, of each set of flags that carrierscope advise has replayed'),
  ('sweep_result', 'id', 'id', 'label', 'Number of the row'),
  ('sweep_result', 'runtime_id', 'id', 'label', 'runtime.id'),
  ('sweep_result', 'flags', 'text', 'label', 'The flags that were added to the options of the recording; empty: none'),
  ('sweep_result', 'is_part', 'flag', 'label', '1: only the quarter with the peak was replayed'),
  ('sweep_result', 'is_advised', 'flag', 'label', '1: these flags were advised'),
  ('sweep_result', 'allocator', 'text', 'label', 'The allocator, or all'),
  ('sweep_result', 'peak_bytes', 'bytes', 'estimate', 'Most carriers at one time, on the usual schedule'),
  ('sweep_result', 'end_bytes', 'bytes', 'estimate', 'Carriers at the end, on the usual schedule'),
  ('sweep_result', 'average_bytes', 'bytes', 'estimate', 'Carriers on average, weighted by time, on the usual schedule'),
  ('sweep_result', 'peak_low_bytes', 'bytes', 'estimate', 'Most carriers at one time: the least of all schedules, less what the replay misses of the node. With flags that were not recorded also less what predictions were off by; NULL: it was replayed once'),
  ('sweep_result', 'peak_high_bytes', 'bytes', 'estimate', 'Most carriers at one time: the most of all schedules and what is missed, as above'),
  ('sweep_result', 'end_low_bytes', 'bytes', 'estimate', 'Carriers at the end: the least, as above'),
  ('sweep_result', 'end_high_bytes', 'bytes', 'estimate', 'Carriers at the end: the most'),
  ('sweep_result', 'average_low_bytes', 'bytes', 'estimate', 'Carriers on average: the least'),
  ('sweep_result', 'average_high_bytes', 'bytes', 'estimate', 'Carriers on average: the most'),
  ('sweep_result', 'calls', 'count', 'estimate', 'Requests for carriers, answered from the segment cache or by the system'),
  ('sweep_result', 'copied_bytes', 'bytes', 'estimate', 'Bytes that reallocations copied'),
  ('sweep_result', 'mappings', 'count', 'estimate', 'Most carriers at one time, each of which may be a mapping of the process'),
  ('sweep_result', 'schedules', 'count', 'exact', 'Replays, each with other turns of the threads; the ranges are over these'),
  ('sweep_advice', '', 'row', 'fast', 'One row for each runtime that carrierscope advise has searched: what the last search found'),
  ('sweep_advice', 'runtime_id', 'id', 'label', 'runtime.id'),
  ('sweep_advice', 'objective', 'text', 'label', 'Which memory was to be small: peak, end or average of carriers, or rss: resident memory at its peak'),
  ('sweep_advice', 'flags', 'text', 'label', 'The advised flags; NULL: none'),
  ('sweep_advice', 'refusal', 'text', 'label', 'Why none are advised; NULL: some are'),
  ('sweep_advice', 'letters', 'text', 'label', 'Letters of the allocators that might be changed'),
  ('sweep_advice', 'coverage', 'ratio', 'estimate', 'Share of the node''s carriers at the end that a replay knows; NULL: not recorded'),
  ('sweep_advice', 'bound_bytes', 'bytes', 'bound', 'Of the objective: what blocks need, below which no flags go'),
  ('sweep_advice', 'half_chosen', 'ratio', 'estimate', 'Chosen on the first half of the recording: what is left of the objective there'),
  ('sweep_advice', 'half_other', 'ratio', 'estimate', 'Chosen on the first half of the recording: what is left of the objective in the second'),
  ('sweep_advice', 'composed_bytes', 'bytes', 'estimate', 'The best of each allocator, as a sum of curves'),
  ('sweep_advice', 'replayed_bytes', 'bytes', 'estimate', 'The best of each allocator, replayed together'),
  ('sweep_advice', 'settings', 'count', 'exact', 'Sets of flags that were replayed'),
  ('sweep_advice', 'is_cut_short', 'flag', 'label', '1: the search was interrupted or ran out of time'),
  ('sweep_curve', '', 'row', 'fast', 'One row for each of 256 intervals of the recording, replayed as recorded and with the advised flags'),
  ('sweep_curve', 'runtime_id', 'id', 'label', 'runtime.id'),
  ('sweep_curve', 'is_advised', 'flag', 'label', '1: with the advised flags'),
  ('sweep_curve', 'ts_ns', 'ns', 'exact', 'When the interval begins'),
  ('sweep_curve', 'carriers_bytes', 'bytes', 'estimate', 'Most bytes of carriers in it, on the usual schedule'),
  ('sweep_replay', '', 'row', 'fast', 'One row for each replay: its whole result, which the next search does not repeat'),
  ('sweep_replay', 'id', 'id', 'label', 'Number of the row'),
  ('sweep_replay', 'runtime_id', 'id', 'label', 'runtime.id'),
  ('sweep_replay', 'flags', 'text', 'label', 'The flags'),
  ('sweep_replay', 'is_part', 'flag', 'label', '1: only the quarter with the peak was replayed'),
  ('sweep_replay', 'result', 'blob', 'estimate', 'Figures and curves, packed');
