-- SPDX-License-Identifier: MIT
--
-- Layer:   options
-- Serves:  report_flags, findings
--
-- The flags of a node from the settings it says are in force, and which of them are not
-- its release's defaults.
--
-- Source of the defaults: SOURCES.md 7.3 and 7.4, and dumps of nodes without flags of
-- the releases in option_release, each with 1, 2, 3, 4 and 8 schedulers; of other releases they
-- are estimates.

-- One row for each allocator that flags name: +M<letter>...
CREATE TABLE allocator_letter (
  allocator TEXT PRIMARY KEY,
  letter    TEXT NOT NULL,
  place     INTEGER NOT NULL     -- in a line of flags
) STRICT, WITHOUT ROWID;
INSERT INTO allocator_letter VALUES
  ('binary_alloc', 'B', 1), ('eheap_alloc', 'H', 2), ('ets_alloc', 'E', 3),
  ('std_alloc', 'D', 4), ('ll_alloc', 'L', 5), ('sl_alloc', 'S', 6), ('fix_alloc', 'F', 7),
  ('driver_alloc', 'R', 8), ('temp_alloc', 'T', 9), ('literal_alloc', 'I', 10),
  ('exec_alloc', 'X', 11), ('test_alloc', 'Z', 12), ('mseg_alloc', 'M', 13),
  ('default_mmap', 'M', 14), ('literal_mmap', 'I', 15), ('sys_alloc', 'Y', 16),
  ('alloc_util', 'u', 17);

-- One row for each setting: in which unit the command line takes it.  Its rows are made of the table
-- of flags in provider/runtime/flag_table.c.
CREATE TABLE option_unit (
  name TEXT PRIMARY KEY,
  unit TEXT NOT NULL CHECK (unit IN ('KiB', 'MiB', 'number', 'word')),
  meaning TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- One row for each +M flag, made of the same table: `letter` '*' stands for any allocator's.
CREATE TABLE flag_grammar (
  letter        TEXT NOT NULL,
  name          TEXT NOT NULL,
  kind          TEXT NOT NULL,    -- of its value: 'number', 'true or false', 'strategy', ...
  unit          TEXT NOT NULL,
  first_release INTEGER NOT NULL, -- OTP
  last_release  INTEGER NOT NULL,
  is_migration  INTEGER NOT NULL, -- 1: of carriers that move between instances
  meaning       TEXT NOT NULL,
  PRIMARY KEY (letter, name)
) STRICT, WITHOUT ROWID;

-- One row for each release of which nodes without flags were run: none of their settings differs
-- from these defaults, and none is missing here.
CREATE TABLE option_release (
  release INTEGER PRIMARY KEY,   -- OTP
  version TEXT NOT NULL          -- that was run
) STRICT;
INSERT INTO option_release VALUES (23, '23.2.6'), (25, '25.2.3'), (27, '27.3.4'), (29, '29.1.2');

-- One row for each default; `value` 'max' is the greatest number of a word.
CREATE TABLE option_default (
  allocator     TEXT NOT NULL,
  name          TEXT NOT NULL,
  value         TEXT NOT NULL,
  scaled_by     INTEGER NOT NULL, -- 1, or divided by the number of schedulers, at most by this
  first_release INTEGER NOT NULL, -- OTP
  last_release  INTEGER NOT NULL,
  PRIMARY KEY (allocator, name, first_release)
) STRICT, WITHOUT ROWID;

-- Where all allocators agree, or all that have instances for threads.
INSERT INTO option_default
WITH common(name, value, scaled_by) AS (VALUES
  ('e', 'true', 1), ('ramv', 'false', 1), ('rsbcmt', '80', 1), ('mmmbc', 'max', 1),
  ('mbcgs', '10', 1), ('acful', '0', 1), ('acfml', '0', 1), ('mbsd', '3', 1),
  ('smbcs', '1048576', 4), ('lmbcs', '10485760', 2), ('mmbcs', '131072', 4),
  ('sbct', '524288', 1), ('asbcst', '4145152', 1), ('rsbcst', '20', 1),
  ('rmbcmt', '50', 1), ('mmsbc', '256', 1), ('t', 'true', 1), ('as', 'aoffcbf', 1),
  ('acul', '60', 1), ('acnl', '1000', 1), ('atags', 'false', 1)
)
SELECT l.allocator, c.name, c.value, c.scaled_by, 17, 99
FROM allocator_letter AS l JOIN common AS c WHERE l.place <= 9;

-- cp came with patches of 22 and 23, where all shared one pool.
INSERT INTO option_default
SELECT allocator, 'cp', '@', 1, 22, 23 FROM allocator_letter WHERE place <= 8
UNION ALL
SELECT allocator, 'cp', letter, 1, 24, 99 FROM allocator_letter WHERE place <= 8;

-- That of ll_alloc in 17 and 18 is not known.
DELETE FROM option_default WHERE allocator = 'll_alloc' AND name = 'mmbcs';

INSERT OR REPLACE INTO option_default VALUES
  ('binary_alloc', 'atags', 'true', 1, 17, 99),
  ('driver_alloc', 'atags', 'true', 1, 17, 99),
  ('sl_alloc', 'rsbcst', '80', 1, 17, 99),
  ('eheap_alloc', 'rsbcst', '50', 1, 17, 99),
  ('eheap_alloc', 'acul', '45', 1, 17, 99),
  ('eheap_alloc', 'mmbcs', '524288', 4, 17, 99),
  ('ll_alloc', 'mmbcs', '2097152', 4, 19, 99),
  ('ll_alloc', 'acul', '85', 1, 17, 99),
  ('ll_alloc', 'sbct', 'max', 1, 17, 99),
  ('ll_alloc', 'asbcst', '0', 1, 17, 99),
  ('ll_alloc', 'rsbcst', '0', 1, 17, 99),
  ('ll_alloc', 'rsbcmt', '0', 1, 17, 99),
  ('ll_alloc', 'rmbcmt', '0', 1, 17, 99),
  ('ll_alloc', 'mmsbc', '0', 1, 17, 99),
  ('temp_alloc', 'rsbcst', '90', 1, 17, 99),
  ('temp_alloc', 'rmbcmt', '100', 1, 17, 99),
  ('temp_alloc', 'as', 'af', 1, 17, 99),
  ('temp_alloc', 'acul', '0', 1, 17, 99),
  ('temp_alloc', 'acnl', '0', 1, 17, 99),
  ('temp_alloc', 'mmbcs', '131072', 1, 17, 99),
  ('temp_alloc', 'smbcs', '1048576', 1, 17, 99),
  ('temp_alloc', 'lmbcs', '10485760', 1, 17, 99),
  ('mseg_alloc', 'amcbf', '4194304', 1, 17, 99),
  ('mseg_alloc', 'rmcbf', '20', 1, 17, 99),
  ('mseg_alloc', 'mcs', '10', 1, 17, 99),
  ('default_mmap', 'scs', '0', 1, 17, 99),
  ('default_mmap', 'sco', 'true', 1, 17, 99),
  ('default_mmap', 'scrpm', 'true', 1, 17, 99),
  ('default_mmap', 'scrfsd', '65536', 1, 17, 99),
  ('literal_mmap', 'scs', '1073741824', 1, 19, 99),
  ('literal_mmap', 'sco', 'true', 1, 19, 99),
  ('literal_mmap', 'scrpm', 'false', 1, 19, 99),
  ('literal_mmap', 'scrfsd', '4096', 1, 19, 24),
  ('literal_mmap', 'scrfsd', '1024', 1, 25, 99),
  ('instr', 't', 'false', 1, 17, 24),
  ('test_alloc', 'e', 'false', 1, 17, 99),
  ('sys_alloc', 'e', 'true', 1, 17, 99),
  ('sys_alloc', 'm', 'libc', 1, 17, 99),
  ('sys_alloc', 'tt', '131072', 1, 17, 99),
  ('sys_alloc', 'tp', '0', 1, 17, 99),
  ('alloc_util', 'mmc', 'max', 1, 17, 99),
  ('alloc_util', 'ycs', '1048576', 1, 17, 99),
  ('alloc_util', 'sac', 'true', 1, 17, 99);

-- Literals, and code of HiPE: long-lived, one instance, nothing shared.
INSERT INTO option_default
WITH lasting(name, value) AS (VALUES
  ('e', 'true'), ('t', 'false'), ('ramv', 'false'), ('atags', 'false'), ('sbct', 'max'),
  ('asbcst', '0'), ('rsbcst', '0'), ('rsbcmt', '0'), ('rmbcmt', '0'), ('mmsbc', '0'),
  ('mmmbc', 'max'), ('lmbcs', '10485760'), ('smbcs', '1048576'), ('mbcgs', '10'),
  ('acul', '0'), ('as', 'aobf')
)
SELECT a.column1, l.name, l.value, 1, 17, 99
FROM (VALUES ('literal_alloc'), ('exec_alloc')) AS a JOIN lasting AS l
UNION ALL VALUES
  ('literal_alloc', 'mmbcs', '1048576', 1, 17, 99),
  ('exec_alloc', 'mmbcs', '0', 1, 17, 99);

-- One row for each allocator: its strategy where carriers need not move.
CREATE TABLE strategy_before_pools (
  allocator TEXT PRIMARY KEY,
  strategy  TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO strategy_before_pools VALUES
  ('sl_alloc', 'gf'), ('std_alloc', 'bf'), ('ll_alloc', 'aobf'), ('eheap_alloc', 'gf'),
  ('binary_alloc', 'bf'), ('ets_alloc', 'bf'), ('driver_alloc', 'bf'), ('fix_alloc', 'aobf');

-- _node: what the defaults of a snapshot's node depend on.  A node that does not report its release
-- is taken for the last with the settings it has: acful came with 25, a pool for each type with
-- 24, cp with 22; without any settings for OTP 25.  One before OTP 17 has no defaults here.
CREATE TEMP VIEW _node AS
WITH named_release AS (
  SELECT snapshot_id, CAST(max(value) AS INTEGER) AS release
  FROM node_fact
  WHERE key = 'otp_release'
  GROUP BY snapshot_id
),
guessed AS (
  SELECT
    snapshot_id,
    CASE
      WHEN max(name = 'acful') THEN 25
      WHEN max(name = 'cp' AND value NOT IN ('@', 'undefined')) THEN 24
      WHEN max(name = 'cp') THEN 23
      WHEN max(name = 'acul') THEN 21
    END AS release
  FROM allocator_option
  GROUP BY snapshot_id
)
SELECT
  s.id AS snapshot_id,
  s.source_id,
  coalesce((SELECT t.release FROM named_release AS t WHERE t.snapshot_id = s.id),
    (SELECT g.release FROM guessed AS g WHERE g.snapshot_id = s.id), 25) AS release,
  (SELECT CAST(f.value AS INTEGER) FROM node_fact AS f
   WHERE f.snapshot_id = s.id AND f.key = 'word_bits') AS word_bits,
  coalesce(
    (SELECT CAST(f.value AS INTEGER) FROM node_fact AS f
     WHERE f.snapshot_id = s.id AND f.key = 'schedulers'),
    (SELECT max(o.instance) FROM allocator_option AS o
     WHERE o.snapshot_id = s.id AND o.allocator = 'mseg_alloc'),
    (SELECT nullif(max(o.instance), 0) FROM allocator_option AS o WHERE o.snapshot_id = s.id)
  ) AS schedulers,
  EXISTS (SELECT 1 FROM named_release AS t WHERE t.snapshot_id = s.id) AS is_release_recorded
FROM snapshot AS s;

-- _option: one row for each setting of an allocator, of the instance that represents it: that
-- of the first scheduler; instance 0 takes no part in pools and says so of its settings.
CREATE TEMP VIEW _option AS
WITH reporter AS (
  SELECT snapshot_id, allocator, max(iif(instance = 1, 1, 0)) AS instance
  FROM allocator_option
  GROUP BY snapshot_id, allocator
)
SELECT
  o.snapshot_id, o.allocator, p.instance, o.name,
  -- Dumps record how many instances there are instead of `true`; the size of a super carrier
  -- stands elsewhere, since the setting lacks what the carrier keeps for itself.
  CASE
    WHEN o.name = 't' AND o.value NOT IN ('true', 'false') THEN 'true'
    WHEN o.name = 'scs' AND o.value <> '0' THEN ifnull(
      (SELECT CAST(st.current AS TEXT) FROM instance_stat AS st
       WHERE st.snapshot_id = o.snapshot_id AND st.allocator = o.allocator
         AND st.section = 'supercarrier' AND st.key = 'total'), o.value)
    ELSE o.value
  END AS value
FROM allocator_option AS o
JOIN reporter AS p ON p.snapshot_id = o.snapshot_id AND p.allocator = o.allocator
  AND ifnull(o.instance, 0) = p.instance
GROUP BY o.snapshot_id, o.allocator, o.name;

-- option_in_force: one row for each setting of a node, with its default and its flag.
--
-- Settings follow from others.  Without instances for threads sizes are not divided, and
-- carriers cannot move; where they cannot, what is about pools is 0 and `undefined`; where
-- they need not (+M<S>acul 0), the strategy is the one from before there were pools, and ll_alloc
-- has one instance.
CREATE VIEW option_in_force AS
WITH mode AS (
  SELECT
    snapshot_id, allocator,
    max(value) FILTER (WHERE name = 't') AS t,
    -- The global instance of several has none of its own.
    CASE WHEN max(instance) > 0 OR max(value) FILTER (WHERE name = 't') = 'false'
      THEN max(value) FILTER (WHERE name = 'acul') END AS acul,
    max(value) FILTER (WHERE name = 'as') AS strategy,
    (SELECT b.strategy FROM strategy_before_pools AS b WHERE b.allocator = o.allocator) AS before
  FROM _option AS o
  GROUP BY snapshot_id, allocator
),
known AS (
  SELECT
    n.source_id, o.snapshot_id, o.allocator, o.name, o.value, l.letter, l.place, u.unit,
    CASE
      WHEN o.name = 'as' AND (m.acul = '0' OR m.t = 'false') AND m.strategy = m.before
        THEN m.before
      WHEN o.name = 't' AND o.allocator = 'll_alloc' AND m.acul = '0' THEN 'false'
      WHEN d.value = 'max' THEN iif(n.word_bits = 32, '4294967295', '18446744073709551615')
      WHEN d.scaled_by = 1 OR m.t = 'false' THEN d.value
      -- floor(value / min(scaled_by, schedulers))
      ELSE CAST(CAST(d.value AS INTEGER) / min(d.scaled_by, n.schedulers) AS TEXT)
    END AS default_value,
    o.name IN ('acul', 'acful', 'acnl', 'acfml', 'cp') AND (
      (m.strategy NOT LIKE 'aoff%' AND m.strategy NOT LIKE 'age%' AND m.strategy IS NOT m.before)
      OR (m.t = 'false' AND o.allocator <> 'll_alloc')
      OR (m.acul = '0' AND o.name <> 'acul'))
      -- Counted while the node runs: its value is another in each.
      OR (o.allocator = 'literal_mmap' AND o.name = 'scrfsd') AS is_implied
  FROM _option AS o
  JOIN _node AS n ON n.snapshot_id = o.snapshot_id
  JOIN mode AS m ON m.snapshot_id = o.snapshot_id AND m.allocator = o.allocator
  LEFT JOIN allocator_letter AS l ON l.allocator = o.allocator
  LEFT JOIN option_unit AS u ON u.name = o.name
  LEFT JOIN option_default AS d ON d.allocator = o.allocator AND d.name = o.name
    AND n.release BETWEEN d.first_release AND d.last_release
    -- A word of 32 bits clips thresholds in ways that are not known here.
    AND NOT (d.value = 'max' AND o.name = 'sbct' AND ifnull(n.word_bits, 64) = 32)
  -- Where only the global instance of several spoke: it has other settings of these.
  WHERE NOT (o.instance = 0 AND l.place <= 9 AND ifnull(m.t, 'true') <> 'false'
    AND o.name IN ('acul', 'acful', 'acnl', 'acfml', 'cp', 'as', 'mbsd'))
  UNION ALL
  -- Instances beyond those of the schedulers are for dirty ones: +Mdai.
  SELECT
    n.source_id, n.snapshot_id, 'alloc_util', 'dai',
    CAST(max(o.instance) - n.schedulers AS TEXT), '', 18, 'number', '0', 0
  FROM _node AS n
  JOIN allocator_option AS o ON o.snapshot_id = n.snapshot_id AND o.allocator = 'binary_alloc'
  GROUP BY n.snapshot_id
  HAVING max(o.instance) > n.schedulers
)
SELECT
  k.source_id, k.snapshot_id, k.allocator, k.name, k.value, k.default_value,
  CASE WHEN k.is_implied THEN 0
    WHEN k.default_value IS NULL THEN NULL ELSE k.value <> k.default_value END AS differs,
  '+M' || k.letter || k.name || ' ' || CASE k.unit
    WHEN 'KiB' THEN iif(length(k.value) > 18, NULL,
      CAST((CAST(k.value AS INTEGER) + 1023) / 1024 AS TEXT))
    WHEN 'MiB' THEN CAST((CAST(k.value AS INTEGER) + 1048575) / 1048576 AS TEXT)
    ELSE k.value END AS flag,
  CASE WHEN k.unit = 'KiB' AND (length(k.value) > 18 OR CAST(k.value AS INTEGER) % 1024 <> 0)
      THEN 0
    WHEN k.unit IS NULL OR k.letter IS NULL THEN 0 ELSE 1 END AS flag_exact,
  k.place,
  src.lost_events AS source_lost_events,
  CASE
    WHEN k.default_value IS NULL THEN NULL
    WHEN NOT n.is_release_recorded THEN 'estimate: release not recorded, taken for ' || n.release
    ELSE ifnull((SELECT 'read from a running node of ' || r.version FROM option_release AS r
      WHERE r.release = n.release AND ifnull(n.word_bits, 64) = 64),
      'estimate: no such node was run')
  END AS default_basis
FROM known AS k
JOIN _node AS n ON n.snapshot_id = k.snapshot_id
JOIN source AS src ON src.id = k.source_id;

-- flags_in_force: one row for each snapshot with settings: the line of +M flags that makes a
-- node of the same release and number of schedulers run with the same settings.
CREATE TABLE flags_in_force (
  source_id INTEGER,
  snapshot_id INTEGER,
  flags TEXT,
  differing INTEGER,
  at_default INTEGER,
  default_not_known INTEGER,
  source_lost_events INTEGER
) STRICT;

CREATE TEMP TABLE flags_in_force AS
SELECT
  source_id, snapshot_id,
  ifnull(group_concat(flag, ' ') FILTER (WHERE differs), '') AS flags,
  count(*) FILTER (WHERE differs) AS differing,
  count(*) FILTER (WHERE NOT differs) AS at_default,
  count(*) FILTER (WHERE differs IS NULL) AS default_not_known,
  max(source_lost_events) AS source_lost_events
FROM (SELECT * FROM option_in_force ORDER BY snapshot_id, place, name)
GROUP BY source_id, snapshot_id
UNION ALL
SELECT
  s.source_id, f.snapshot_id,
  ifnull(group_concat(f.flag || ifnull(' ' || f.value, ''), ' ')
    FILTER (WHERE f.flag LIKE '+M%'), ''),
  count(*) FILTER (WHERE f.flag LIKE '+M%'), 0, 0,
  max(src.lost_events)
FROM (SELECT * FROM emulator_flag ORDER BY snapshot_id, line, rowid) AS f
JOIN snapshot AS s ON s.id = f.snapshot_id
JOIN source AS src ON src.id = s.source_id
GROUP BY s.source_id, f.snapshot_id;

INSERT INTO view_doc VALUES
  ('allocator_letter', '', 'row', 'fast', 'One row for each allocator that flags name'),
  ('allocator_letter', 'allocator', 'text', 'label', 'Name of the allocator'),
  ('allocator_letter', 'letter', 'text', 'label', 'Its letter in +M<letter>'),
  ('allocator_letter', 'place', 'count', 'label', 'Place in a line of flags'),
  ('option_unit', '', 'row', 'fast', 'One row for each setting'),
  ('option_unit', 'name', 'text', 'label', 'Name of the setting'),
  ('option_unit', 'unit', 'text', 'label', 'Unit on the command line: KiB, MiB, number or word'),
  ('option_unit', 'meaning', 'text', 'label', 'What it does, in a few words'),
  ('flag_grammar', '', 'row', 'fast', 'One row for each +M flag'),
  ('flag_grammar', 'letter', 'text', 'label', 'What stands between +M and the name; *: the letter of any allocator, or u'),
  ('flag_grammar', 'name', 'text', 'label', 'Name of the setting'),
  ('flag_grammar', 'kind', 'text', 'label', 'What its value may be: number, share (0 to 100 or de), true or false, on or off, all or no, tags, pool, strategy, number or max, setup, any'),
  ('flag_grammar', 'unit', 'text', 'label', 'Unit on the command line: KiB, MiB, number or word'),
  ('flag_grammar', 'first_release', 'count', 'label', 'OTP release from which it is taken'),
  ('flag_grammar', 'last_release', 'count', 'label', 'OTP release up to which it is taken; 99: the last'),
  ('flag_grammar', 'is_migration', 'flag', 'label', '1: it is about carriers that move between instances'),
  ('flag_grammar', 'meaning', 'text', 'label', 'What it does, in a few words'),
  ('option_release', '', 'row', 'fast', 'One row for each release of which nodes without flags were run, of 64 bits'),
  ('option_release', 'release', 'number', 'label', 'OTP release'),
  ('option_release', 'version', 'text', 'label', 'Version that was run'),
  ('option_default', '', 'row', 'fast', 'One row for each default of a setting'),
  ('option_default', 'allocator', 'text', 'label', 'Name of the allocator'),
  ('option_default', 'name', 'text', 'label', 'Name of the setting'),
  ('option_default', 'value', 'text', 'estimate', 'The default with one scheduler, in bytes; max: the greatest number of a word. Exact in the releases of option_release, taken to hold in the others named'),
  ('option_default', 'scaled_by', 'count', 'label', '1: for any number of schedulers; else divided by that number, at most by this'),
  ('option_default', 'first_release', 'count', 'label', 'OTP release from which it holds'),
  ('option_default', 'last_release', 'count', 'label', 'OTP release up to which it holds'),
  ('strategy_before_pools', '', 'row', 'fast', 'One row for each allocator'),
  ('strategy_before_pools', 'allocator', 'text', 'label', 'Name of the allocator'),
  ('strategy_before_pools', 'strategy', 'text', 'estimate', 'Its strategy where carriers need not move; seen on OTP 25'),
  ('option_in_force', '', 'row', 'fast', 'One row for each setting of an allocator in a snapshot; those of pools only where more than the global instance spoke'),
  ('option_in_force', 'name', 'text', 'label', 'Name of the setting'),
  ('option_in_force', 'value', 'text', 'exact', 'Its value, of the instance of the first scheduler where there is one; sizes are bytes'),
  ('option_in_force', 'default_value', 'text', 'estimate', 'What it is without a flag on that release with that number of schedulers; exact where default_basis is that it was read; NULL: not known'),
  ('option_in_force', 'differs', 'flag', 'estimate', '1: not the default; 0: the default, or it follows from another setting; NULL: the default is not known'),
  ('option_in_force', 'flag', 'text', 'exact', 'The flag that sets it; NULL: no flag can, beyond what a number may be'),
  ('option_in_force', 'flag_exact', 'flag', 'exact', '1: the flag gives this value; 0: the command line takes whole KiB only, and the flag gives the next'),
  ('option_in_force', 'place', 'count', 'label', 'Place in a line of flags'),
  ('option_in_force', 'default_basis', 'text', 'label', 'How the default is known: read from a running node of that release, or an estimate'),
  ('flags_in_force', '', 'row', 'fast', 'One row for each snapshot with settings, and for each file of arguments'),
  ('flags_in_force', 'flags', 'text', 'exact', 'The +M flags that are not defaults, as a line; empty: all are. Of a file of arguments: its +M flags'),
  ('flags_in_force', 'differing', 'count', 'estimate', 'Settings that are not defaults'),
  ('flags_in_force', 'at_default', 'count', 'estimate', 'Settings that are defaults, or follow from others'),
  ('flags_in_force', 'default_not_known', 'count', 'exact', 'Settings whose default is not known here; they are not in the line');
