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
  UNIQUE (runtime_id, flags, is_part, allocator)
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
  ('sweep_result', 'peak_low_bytes', 'bytes', 'estimate', 'Most carriers at one time: the least of all schedules, less what the replay misses of the node; NULL: it was replayed once'),
  ('sweep_result', 'peak_high_bytes', 'bytes', 'estimate', 'Most carriers at one time: the most of all schedules and what the replay misses of the node'),
  ('sweep_result', 'end_low_bytes', 'bytes', 'estimate', 'Carriers at the end: the least, as above'),
  ('sweep_result', 'end_high_bytes', 'bytes', 'estimate', 'Carriers at the end: the most'),
  ('sweep_result', 'average_low_bytes', 'bytes', 'estimate', 'Carriers on average: the least'),
  ('sweep_result', 'average_high_bytes', 'bytes', 'estimate', 'Carriers on average: the most'),
  ('sweep_result', 'calls', 'count', 'estimate', 'Requests for carriers, answered from the segment cache or by the system'),
  ('sweep_result', 'copied_bytes', 'bytes', 'estimate', 'Bytes that reallocations copied'),
  ('sweep_result', 'mappings', 'count', 'estimate', 'Most carriers at one time, each of which may be a mapping of the process');
