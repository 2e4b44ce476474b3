-- SPDX-License-Identifier: MIT
--
-- Layer:   thresholds
-- Serves:  growth, verdict, finding, report thresholds
--
-- The rules of verdicts follow from how the allocators work, their numbers are rows of
-- finding_threshold, which may be changed:
--
--   UPDATE finding_threshold SET value = 0.4 WHERE name = 'low_utilisation_ratio';

CREATE TABLE finding_threshold (
  name    TEXT PRIMARY KEY,
  value   REAL NOT NULL,
  unit    TEXT NOT NULL,
  meaning TEXT NOT NULL,
  basis   TEXT NOT NULL      -- where the number comes from
) STRICT, WITHOUT ROWID;

-- threshold_default: one row for each threshold that there is, as this program sets it.
CREATE VIEW threshold_default AS
SELECT column1 AS name, column2 AS value, column3 AS unit, column4 AS meaning, column5 AS basis
FROM (VALUES
  ('low_utilisation_ratio', 0.5, 'ratio', 'Multi-block carriers used less than this are badly used',
    'Larsson''s node crashed at 0.22 and was well at 0.4 to 0.5; an abandoned carrier is at most acul, 45 to 60 %, used'),
  ('good_utilisation_ratio', 0.8, 'ratio', 'Multi-block carriers used at least this much are well used',
    'recon and Erlang in Anger: near 1 is no problem; Larsson: 80 to 90 % is usual'),
  ('matter_bytes', 8388608, 'bytes', 'Less than this is not worth a word: one large carrier may be empty by chance',
    'the default largest multi-block carrier (lmbcs 5 MiB) as the segment allocator rounds it: 8 MiB'),
  ('matter_share', 0.1, 'ratio', 'Less than this share of a runtime''s carriers is not the runtime''s verdict, but for a leak, which does not stay small',
    'ours: a tenth is within what a load changes from day to day'),
  ('growth_windows', 8, 'count', 'Windows of equal time that the recording of a runtime is cut into; of each the low-water mark counts',
    'ours: enough that noise does not rise eight times in a row (1 in 720 for six)'),
  ('growth_first_window', 3, 'count', 'First window that counts: before it a runtime boots and fills its caches',
    'ours: the first quarter of the recording'),
  ('growth_share', 0.25, 'ratio', 'Growth over the windows that counts: part of what is live in the last',
    'ours: less may be a load that rose'),
  ('growth_late_rate', 0.5, 'ratio', 'Growth of the last two windows against the mean: less is a plateau',
    'ours: a plateau shows as a late rate near 0'),
  ('growth_last_rate', 0.1, 'ratio', 'Growth from the last window but one to the last against the mean: less is a plateau in the last quarter',
    'ours: a leak''s pace changes by some times from window to window, on a plateau there is noise'),
  ('growth_z_count', 2.5, 'count', 'Growth is one if chance puts minima of windows in its order less often than this many standard deviations',
    'Mann and Kendall: of 1000 curves without a trend 12 are beyond it; of eight windows 22 of 28 pairs must rise'),
  ('growth_line_share', 0.1, 'ratio', 'Where a load swings slowly (four to six windows), all rise and are on a line to this part of the growth',
    'ours: four values rise by chance once in 24 times, and are on such a line in a tenth of these'),
  ('growth_least_bytes', 1048576, 'bytes', 'Growth of less cannot be distinguished from what a node does anyhow', 'ours: 1 MiB, a few large heaps'),
  ('growth_day_bytes', 1073741824, 'bytes', 'Growth that a day at its rate makes no more of is no leak, unless a limit is reached within a week', 'ours: 1 GiB a day'),
  ('sbc_share', 0.5, 'ratio', 'More than this in single-block carriers is too much',
    'Larsson: 80 to 90 % in multi-block carriers is normal, and the reverse is what to look for'),
  ('sbc_bytes', 67108864, 'bytes', 'Less than this in single-block carriers is not worth tuning',
    'ours: 64 MiB, some hundred blocks of the threshold size'),
  ('sbc_blocks', 16, 'count', 'Fewer single-block carriers than this are a few large objects, not a load',
    'ours'),
  ('sbc_limit_carriers', 256, 'count', 'Single-block carriers of an instance beyond which the next come from sys_alloc',
    'default of +M<S>mmsbc'),
  ('pool_attempts', 1000, 'count', 'Fewer attempts to fetch from the pool say nothing', 'ours'),
  ('pool_hit_rate', 0.2, 'ratio', 'Fewer hits than this: pooled carriers do not fit what is asked for', 'ours'),
  ('mseg_calls', 1000, 'count', 'Fewer calls of the segment allocator say nothing', 'recon: small counts are noise'),
  ('mseg_hit_rate', 0.8, 'ratio', 'Fewer hits of the segment cache than this are few',
    'recon: should be above 0.8; Larsson: 80 to 85 % is normal'),
  ('pool_waste_bytes', 67108864, 'bytes', 'Unused memory in pooled and employed carriers that is fragmentation although it waits in the pool, if nobody fetches it',
    'ours: 64 MiB, what sbc_bytes takes for worth tuning'),
  ('pool_waste_share', 0.5, 'ratio', 'Part of a runtime''s carriers that such memory must be',
    'ours: half of the node'),
  ('temporary_blocks', 1000, 'count', 'Large blocks of one type that are made and freed at once: fewer are no habit', 'ours'),
  ('cache_share', 0.25, 'ratio', 'A segment cache that has at least this part of what the node has from the system is named', 'ours: a quarter of the memory is worth a sentence'),
  ('super_share', 0.95, 'ratio', 'A super carrier that is used more than this is nearly full', 'a node at 254 of 260 MiB died soon after'),
  ('recorder_share', 0.1, 'ratio', 'Buffers of the recorder of this part of the resident memory are named',
    'ours: a tenth is within what a load changes from day to day'),
  ('temp_bytes', 1048576, 'bytes', 'temp_alloc keeps nothing for long: more than this that grows is odd',
    'ours: several times its main carrier of 128 KiB'),
  ('heap_share', 0.1, 'ratio', 'A heap of this part of a runtime''s memory is named with its next size', 'ours'),
  ('lmbcs_by_sbct_ratio', 8, 'ratio', 'lmbcs should be at least this many times sbct',
    'erlang/otp #9521: shrinking lmbcs without sbct makes fragmentation; the default is 10'),
  ('stranded_share', 0.1, 'ratio', 'Part of the memory from the system that alignment and rounding leave unused', 'ours'),
  ('hole_share', 0.5, 'ratio', 'Free memory flat and its largest hole fallen to this part of what it was', 'FujiNet #1609, AtomVM #235: flat free and falling largest block is fragmentation'),
  ('growth_full_s', 30, 's', 'A shorter recording of a node that ran before counts less growth for as much: in a third of this time a third of matter_bytes',
    'ours: what carrierscope record records by default'),
  ('growth_least_s', 5, 's', 'In a shorter recording of a node that ran before, what grew from the first half of its snapshots to the second may go on',
    'ours: it has a few snapshots only'),
  ('holder_share', 0.2, 'ratio', 'Who holds at least this part of what a verdict is about is named in it',
    'ours: a fifth, so that five names at most could stand there'),
  ('absurd_ratio', 16, 'ratio', 'A request for so many times what the node held is absurd: no heap grows by so much at once',
    'ours: a heap grows by 1.6 times at most; a dump of OTP 24.0 shows 2^35 bytes asked for in a node of 128 MB'),
  ('absurd_bytes', 4294967296, 'bytes', 'and at least so much was asked for', 'ours: 4 GiB'),
  ('mailbox_messages', 100000, 'count', 'A message queue of so many is named as the cause of a dump', 'ours: some 10 MB of messages at least'));

INSERT INTO finding_threshold SELECT * FROM threshold_default;

-- _threshold_fault: what is wrong with a threshold that somebody changed, of the first; none: nothing is.
CREATE TEMP VIEW _threshold_fault AS
SELECT format('threshold ''%s'' of table finding_threshold %s; INSERT OR REPLACE INTO finding_threshold SELECT * FROM threshold_default '
    || 'puts all back', d.name,
  CASE WHEN t.name IS NULL THEN 'is missing' WHEN t.value < 0 AND typeof(t.value) IN ('integer', 'real') THEN 'is negative'
    ELSE 'is no number' END) AS fault
FROM threshold_default AS d
LEFT JOIN finding_threshold AS t ON t.name = d.name
WHERE t.name IS NULL OR typeof(t.value) NOT IN ('integer', 'real') OR t.value < 0 OR t.value > 1e18
ORDER BY d.name
LIMIT 1;

CREATE TEMP TABLE _threshold AS
SELECT
  max(value) FILTER (WHERE name = 'low_utilisation_ratio') AS low_utilisation_ratio,
  max(value) FILTER (WHERE name = 'good_utilisation_ratio') AS good_utilisation_ratio,
  max(value) FILTER (WHERE name = 'matter_bytes') AS matter_bytes,
  max(value) FILTER (WHERE name = 'matter_share') AS matter_share,
  CAST(max(1, min(64, max(value) FILTER (WHERE name = 'growth_windows'))) AS INTEGER) AS growth_windows,
  CAST(max(value) FILTER (WHERE name = 'growth_first_window') AS INTEGER) AS growth_first_window,
  max(value) FILTER (WHERE name = 'growth_share') AS growth_share,
  max(value) FILTER (WHERE name = 'growth_late_rate') AS growth_late_rate,
  max(value) FILTER (WHERE name = 'growth_last_rate') AS growth_last_rate,
  max(value) FILTER (WHERE name = 'growth_full_s') AS growth_full_s,
  max(value) FILTER (WHERE name = 'growth_least_s') AS growth_least_s,
  max(value) FILTER (WHERE name = 'growth_z_count') AS growth_z_count,
  max(value) FILTER (WHERE name = 'growth_day_bytes') AS growth_day_bytes,
  max(value) FILTER (WHERE name = 'growth_line_share') AS growth_line_share,
  max(value) FILTER (WHERE name = 'growth_least_bytes') AS growth_least_bytes,
  max(value) FILTER (WHERE name = 'pool_waste_bytes') AS pool_waste_bytes,
  max(value) FILTER (WHERE name = 'pool_waste_share') AS pool_waste_share,
  max(value) FILTER (WHERE name = 'temp_bytes') AS temp_bytes,
  max(value) FILTER (WHERE name = 'absurd_ratio') AS absurd_ratio,
  max(value) FILTER (WHERE name = 'absurd_bytes') AS absurd_bytes
FROM finding_threshold;

-- report_thresholds: the numbers that verdicts and findings turn on.
CREATE VIEW report_thresholds AS
SELECT t.name, t.value, t.unit, t.meaning, t.basis,
  (SELECT sum(lost_events) FROM source) AS lost_events
FROM finding_threshold AS t
ORDER BY t.name;

INSERT INTO view_doc VALUES
  ('threshold_default', '', 'row', 'fast', 'One row for each threshold: the number that this program puts into finding_threshold'),
  ('threshold_default', 'name', 'text', 'label', 'Name of the threshold'),
  ('threshold_default', 'value', 'any', 'label', 'The number'),
  ('threshold_default', 'unit', 'text', 'label', 'Its unit'),
  ('threshold_default', 'meaning', 'text', 'label', 'What it decides'),
  ('threshold_default', 'basis', 'text', 'label', 'Where the number comes from'),
  ('finding_threshold', '', 'row', 'fast', 'One row for each number that verdicts and findings turn on; may be changed'),
  ('finding_threshold', 'name', 'text', 'label', 'Name of the threshold'),
  ('finding_threshold', 'value', 'any', 'label', 'The number'),
  ('finding_threshold', 'unit', 'text', 'label', 'Its unit'),
  ('finding_threshold', 'meaning', 'text', 'label', 'What it decides'),
  ('finding_threshold', 'basis', 'text', 'label', 'Where the number comes from'),
  ('report_thresholds', '', 'row', 'fast', 'The numbers that verdicts and findings turn on; from finding_threshold'),
  ('report_thresholds', 'name', 'text', 'label', 'Name of the threshold'),
  ('report_thresholds', 'value', 'any', 'label', 'The number'),
  ('report_thresholds', 'unit', 'text', 'label', 'Its unit'),
  ('report_thresholds', 'meaning', 'text', 'label', 'What it decides'),
  ('report_thresholds', 'basis', 'text', 'label', 'Where the number comes from');
