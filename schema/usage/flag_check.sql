-- SPDX-License-Identifier: MIT
--
-- Layer:   options
-- Serves:  report_flags, verdict
--
-- Flags of files and pastes beside the grammar of the runtime.

-- flag_check: one row for each +M flag of a file of arguments or a paste: whether erl takes it, and why not.  What erl prints was
-- read from OTP 25; a flag is of any release where the release is not known.
--
-- Worked example, tests/views/flag_check.
CREATE TABLE flag_check (
  source_id INTEGER,
  snapshot_id INTEGER,
  line INTEGER,
  "column" INTEGER,
  flag TEXT,
  value TEXT,
  is_refused INTEGER,
  problem TEXT,
  erl_says TEXT,
  meaning TEXT,
  default_value TEXT,
  source_lost_events INTEGER
) STRICT;

CREATE TEMP TABLE flag_check AS
WITH word AS (
  SELECT e.snapshot_id, e.rowid AS id, e.line, e."column", e.flag, e.value,
    CASE WHEN substr(e.flag, 3) IN ('ea', 'dai', 'lpm', 'it', 'im', 'is') THEN '' ELSE substr(e.flag, 3, 1) END AS letter,
    CASE WHEN substr(e.flag, 3) IN ('ea', 'dai', 'lpm', 'it', 'im', 'is') THEN substr(e.flag, 3) ELSE substr(e.flag, 4) END AS name,
    (SELECT CAST(max(f.value) AS INTEGER) FROM node_fact AS f WHERE f.snapshot_id = e.snapshot_id AND f.key = 'otp_release') AS release
  FROM emulator_flag AS e
  WHERE e.flag LIKE '+M%'
),
letter AS (
  SELECT DISTINCT letter FROM allocator_letter UNION SELECT '' UNION SELECT 'X'
),
known AS (
  SELECT w.*, g.kind, g.unit, g.meaning, g.first_release, g.last_release, g.is_migration,
    (SELECT 1 FROM letter AS l WHERE l.letter = w.letter) AS has_letter
  FROM word AS w
  LEFT JOIN flag_grammar AS g ON g.name = w.name
    AND g.letter = iif(EXISTS (SELECT 1 FROM flag_grammar AS o WHERE o.letter = w.letter AND o.name = w.name), w.letter,
      iif(w.letter IN ('B', 'D', 'E', 'F', 'H', 'I', 'L', 'R', 'S', 'T', 'X', 'Z', 'u'), '*', w.letter))
),
-- The strategies that move carriers; NULL: the default, which does.
strategy AS (
  SELECT snapshot_id, letter, max(value) AS value FROM word WHERE name = 'as' GROUP BY snapshot_id, letter
),
checked AS (
  SELECT k.*, CASE
      WHEN k.value LIKE '<\%%' ESCAPE '\' THEN 'a template puts its value in: not checked'
      WHEN k.has_letter IS NULL THEN format('no allocator has the letter %s', k.letter)
      WHEN k.letter = 'X' AND k.release > 23 THEN 'there is no exec_alloc since OTP 24'
      WHEN k.kind IS NULL THEN format('%s has no setting %s', iif(k.letter = '', 'the runtime', '+M' || k.letter), k.name)
      WHEN k.release < k.first_release THEN format('it is taken since OTP %d', k.first_release)
      WHEN k.release > k.last_release THEN format('it is taken up to OTP %d', k.last_release)
      WHEN k.is_migration AND k.letter IN ('T', 'I') THEN 'carriers of this allocator do not move: it takes the setting by +Mu alone'
      WHEN k.value IS NULL THEN 'it has no value'
      WHEN k.kind IN ('number', 'number or max', 'share') AND k.value GLOB '[0-9]*'
        AND (k.kind <> 'share' OR CAST(k.value AS INTEGER) <= 100) THEN NULL
      WHEN k.kind = 'number or max' AND k.value = 'max' THEN NULL
      WHEN k.kind = 'share' AND k.value = 'de' THEN NULL
      WHEN k.kind = 'share' THEN 'it is a share from 0 to 100, or de'
      WHEN k.kind IN ('number', 'number or max') THEN 'it is no number' || iif(k.unit IN ('KiB', 'MiB'), ' of ' || k.unit, '')
      WHEN k.kind = 'true or false' AND k.value NOT IN ('true', 'false') THEN 'it is true or false'
      WHEN k.kind = 'on or off' AND k.value NOT IN ('on', 'off') THEN 'it is on or off'
      WHEN k.kind = 'all or no' AND k.value NOT IN ('all', 'no') THEN 'it is all or no'
      WHEN k.kind = 'tags' AND k.value = 'code' AND k.release < 27 THEN 'code is taken since OTP 27'
      WHEN k.kind = 'tags' AND k.value NOT IN ('true', 'false', 'code') THEN 'it is true, false or code'
      WHEN k.kind = 'setup' AND k.value NOT IN ('min', 'max', 'r9c', 'r10b', 'r11b', 'config') THEN 'it is min or max'
      WHEN k.kind = 'pool' AND (length(k.value) <> 1 OR instr('BDEFHLRS@:', k.value) = 0) THEN 'it is the letter of an allocator, @ or :'
      WHEN k.kind = 'strategy' AND k.value NOT IN ('bf', 'aobf', 'aoff', 'aoffcbf', 'aoffcaobf', 'ageffcaoff', 'ageffcbf', 'ageffcaobf',
        'gf', 'af') THEN 'there is no such strategy'
    END AS problem
  FROM known AS k
),
judged AS (
  SELECT c.*,
    c.problem IS NOT NULL AND c.problem NOT LIKE 'a template%' AS is_refused,
    CASE
      WHEN c.problem IS NOT NULL THEN NULL
      WHEN c.kind = 'number' AND c.value GLOB '[0-9]*[^0-9]*' THEN format('read as %d: what follows the digits is ignored', CAST(c.value AS INTEGER))
      WHEN c.letter = 'M' AND c.name = 'mcs' AND CAST(c.value AS INTEGER) > 30 THEN 'taken for 30, the most there is'
      WHEN c.name IN ('rsbcst', 'rsbcmt', 'rmbcmt') AND CAST(c.value AS INTEGER) > 100 THEN 'taken for 100'
      WHEN c.name = 'mbsd' AND ifnull(s.value, '') <> 'gf' THEN 'without effect: it is of strategy gf'
      WHEN c.is_migration AND c.value <> '0' AND s.value IN ('bf', 'aobf', 'gf', 'af')
        THEN format('without effect: with strategy %s carriers do not move', s.value)
      WHEN c.name = 'lmbcs' AND CAST(c.value AS INTEGER) < 8 * ifnull(
          (SELECT max(CAST(w.value AS INTEGER)) FROM word AS w WHERE w.snapshot_id = c.snapshot_id AND w.letter = c.letter AND w.name = 'sbct'), 512)
        AND c.letter IN ('B', 'D', 'E', 'F', 'H', 'R', 'S')
        THEN 'small beside sbct: a few blocks fill a carrier and pin it (erlang/otp #9521)'
    END AS hint
  FROM checked AS c
  LEFT JOIN strategy AS s ON s.snapshot_id = c.snapshot_id AND s.letter = c.letter
)
SELECT n.source_id, j.snapshot_id, j.line, j."column", j.flag, j.value, j.is_refused,
  coalesce(j.problem, j.hint) AS problem,
  CASE
    WHEN NOT j.is_refused THEN NULL
    WHEN j.has_letter IS NULL THEN 'bad "M" parameter'
    WHEN j.kind IS NULL OR j.problem LIKE 'it is taken%' OR j.problem LIKE 'carriers of this%' OR j.problem LIKE 'there is no exec%'
      THEN format('bad "M%s" parameter', iif(j.problem LIKE 'there is no exec%' OR j.letter = '', '', j.letter))
    WHEN j.kind = 'setup' THEN format('bad "M%s" parameter', j.name)
    WHEN j.value IS NULL THEN format('bad "M%s%s" value', j.letter, iif(j.name = 'as', 'a', j.name))
    ELSE format('bad "M%s%s" value: %s', j.letter, iif(j.name = 'as', 'a', j.name), j.value)
  END AS erl_says,
  j.meaning,
  -- In the unit of the command line, of one scheduler.
  (SELECT CASE WHEN d.value = 'max' THEN 'no limit'
      WHEN j.unit = 'KiB' THEN format('%d', CAST(d.value AS INTEGER) / 1024)
      WHEN j.unit = 'MiB' THEN format('%d', CAST(d.value AS INTEGER) / 1048576) ELSE d.value END
    FROM option_default AS d
    JOIN allocator_letter AS l ON l.allocator = d.allocator
    WHERE l.letter = j.letter AND d.name = j.name AND ifnull(j.release, 25) BETWEEN d.first_release AND d.last_release
    ORDER BY l.place LIMIT 1) AS default_value,
  o.lost_events AS source_lost_events
FROM judged AS j
JOIN snapshot AS n ON n.id = j.snapshot_id
JOIN source AS o ON o.id = n.source_id;

-- _flag_set: one row for each snapshot with flags that are a known set.
CREATE TEMP VIEW _flag_set AS
SELECT snapshot_id, 'those that RabbitMQ ships' AS name
FROM emulator_flag
WHERE flag || ' ' || value IN ('+MBas ageffcbf', '+MHas ageffcbf', '+MBlmbcs 512', '+MHlmbcs 512', '+MMmcs 30')
GROUP BY snapshot_id
HAVING count(DISTINCT flag) = 5;

INSERT INTO view_doc VALUES
  ('flag_check', '', 'row', 'fast', 'One row for each +M flag of a file of arguments or a paste: whether erl takes it'),
  ('flag_check', 'source_id', 'id', 'label', 'source.id'),
  ('flag_check', 'snapshot_id', 'id', 'label', 'snapshot.id'),
  ('flag_check', 'line', 'count', 'label', 'Line of the input, from 1'),
  ('flag_check', 'column', 'count', 'label', 'Where the flag begins in its line, from 1; NULL: not recorded'),
  ('flag_check', 'flag', 'text', 'label', 'The flag with its +'),
  ('flag_check', 'value', 'text', 'label', 'The word behind it; NULL: none'),
  ('flag_check', 'is_refused', 'flag', 'estimate', '1: erl does not start with it; exact where the release is known and 25'),
  ('flag_check', 'problem', 'text', 'label', 'Why it is refused, without effect or of doubt; NULL: nothing'),
  ('flag_check', 'erl_says', 'text', 'estimate', 'What erl prints; NULL: it is taken'),
  ('flag_check', 'meaning', 'text', 'label', 'What the flag does; NULL: there is no such flag'),
  ('flag_check', 'default_value', 'text', 'estimate', 'Its default, in the unit of the command line, of one scheduler; NULL: not known');
