-- SPDX-License-Identifier: MIT
--
-- Layer 22: what other flags would have made of a recording.
--
-- Filled by `carrierscope-twin --replay FILE --save -- FLAGS` and `--try`, and empty until then.  The
-- recording is replayed with its own options (plain) and with the flags, each on the same schedules: a
-- node does not say when its threads passed, and the range over schedules is how far that moves a
-- figure.  The ranges say nothing of what the replay does not know: see coverage.

-- One row for each allocator and one for all of them, for each set of flags that was tried.
CREATE TABLE flag_trial (
  id                   INTEGER PRIMARY KEY,
  runtime_id           INTEGER NOT NULL REFERENCES runtime(id),
  allocator            TEXT NOT NULL,    -- a name, or 'all'
  flags                TEXT NOT NULL,    -- as they were given, with one space between two
  schedules            INTEGER NOT NULL, -- replays of each kind
  coverage             REAL,             -- 0..1: replayed of recorded carrier bytes; NULL: not recorded
  plain_end_bytes      INTEGER NOT NULL, -- carriers, on the first schedule
  plain_peak_bytes     INTEGER NOT NULL,
  end_low_bytes        INTEGER NOT NULL, -- with the flags, over all schedules
  end_high_bytes       INTEGER NOT NULL,
  peak_low_bytes       INTEGER NOT NULL,
  peak_high_bytes      INTEGER NOT NULL,
  plain_end_low_bytes  INTEGER NOT NULL, -- with the options of the recording, over all schedules
  plain_end_high_bytes INTEGER NOT NULL,
  plain_peak_low_bytes INTEGER NOT NULL,
  plain_peak_high_bytes INTEGER NOT NULL,
  UNIQUE (runtime_id, allocator, flags)
) STRICT;

INSERT INTO view_doc VALUES
  ('flag_trial', '', 'row', 'fast', 'One row for each allocator, and one for all, of each set of flags that a replay has tried'),
  ('flag_trial', 'id', 'id', 'label', 'Number of the row'),
  ('flag_trial', 'runtime_id', 'id', 'label', 'runtime.id'),
  ('flag_trial', 'allocator', 'text', 'label', 'The allocator, or all'),
  ('flag_trial', 'flags', 'text', 'label', 'The flags that were added to the options of the recording'),
  ('flag_trial', 'schedules', 'count', 'exact', 'Replays with the flags, and as many without'),
  ('flag_trial', 'coverage', 'ratio', 'estimate', 'Carriers at the end of the replay without the flags by those of the recording at its end, 1 at most: what the replay knows of them; NULL: no carriers were recorded'),
  ('flag_trial', 'plain_end_bytes', 'bytes', 'estimate', 'Carriers at the end without the flags, on the first schedule'),
  ('flag_trial', 'plain_peak_bytes', 'bytes', 'estimate', 'Most carriers at one time without the flags, on the first schedule'),
  ('flag_trial', 'end_low_bytes', 'bytes', 'estimate', 'Carriers at the end with the flags: the least of all schedules'),
  ('flag_trial', 'end_high_bytes', 'bytes', 'estimate', 'Carriers at the end with the flags: the most of all schedules'),
  ('flag_trial', 'peak_low_bytes', 'bytes', 'estimate', 'Most carriers at one time with the flags: the least of all schedules'),
  ('flag_trial', 'peak_high_bytes', 'bytes', 'estimate', 'Most carriers at one time with the flags: the most of all schedules'),
  ('flag_trial', 'plain_end_low_bytes', 'bytes', 'estimate', 'Carriers at the end without the flags: the least of all schedules'),
  ('flag_trial', 'plain_end_high_bytes', 'bytes', 'estimate', 'Carriers at the end without the flags: the most of all schedules'),
  ('flag_trial', 'plain_peak_low_bytes', 'bytes', 'estimate', 'Most carriers at one time without the flags: the least of all schedules'),
  ('flag_trial', 'plain_peak_high_bytes', 'bytes', 'estimate', 'Most carriers at one time without the flags: the most of all schedules');
