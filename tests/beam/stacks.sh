#!/bin/sh
# SPDX-License-Identifier: MIT
# stacks.sh ERL EBIN BEAMS PLUGIN_DIR [MS [SOAK_S]]: functions on the stacks of samples are those that ran.
#
# Fifty kinds of work call each other in a known way.  A stack is right if both callers are on it, in their order, and nothing
# that had returned already: no decoy, and no function of another kind of work.
. "$(dirname "$0")/../harness/main.sh"
. "$here/common.sh"
ms=${5:-4000}
soak_s=${6:-5}

# Beside few processes all is drawn: what is discarded would be no failure, but makes it prove less.
records all 32M
runs stacks "$ms"
loads all
grep -q '^found|3 processes agree' "$work/out" || skip "$(sed -n 's/^found|/stacks of this node cannot be read: /p' "$work/out")"
grep -q '^kind|.*|normal$' "$work/out" || fail "no work was done"
! grep '^kind|' "$work/out" | grep -v '|normal$' || fail "some work has failed"
sed -n 's/^kind|//p' "$work/out" >"$work/kinds"
sqlite3 "$work/all.db" >"$work/answers" <<-END
	CREATE TABLE kind(pid TEXT, kind TEXT, reason TEXT);
	.import $work/kinds kind
	CREATE TEMP TABLE frame AS SELECT DISTINCT stack, place, module, function, arity FROM stack_frame;
	CREATE INDEX temp.frame_stack ON frame(stack, place);
	CREATE TEMP TABLE sampled AS SELECT k.kind, a.stack, t.name AS type, n.name AS allocator, count(*) AS n
	FROM sample_alloc_by_process AS a
	JOIN kind AS k ON k.pid = '<0.' || ((a.process - 1) & 268435455) || '.' || ((a.process - 1) >> 28) || '>'
	LEFT JOIN (SELECT DISTINCT type_id, name FROM name_type) AS t USING (type_id)
	LEFT JOIN (SELECT DISTINCT allocator_id, name FROM name_allocator) AS n USING (allocator_id)
	WHERE a.process > 0 AND a.process < 4611686018427387904
	GROUP BY 1, 2, 3, 4;
	CREATE TEMP TABLE seen AS SELECT stack,
	  max(place) FILTER (WHERE function = 'outer' AND module = 'beam_stacks') AS outer_at,
	  max(place) FILTER (WHERE function = 'inner' AND module = 'beam_stacks') AS inner_at,
	  max(place) FILTER (WHERE function = 'repeat' AND module = 'beam_stacks') AS repeat_at,
	  max(place) AS last,
	  min(place) FILTER (WHERE function = 'work' AND module = 'beam_stacks') AS work_at,
	  count(*) FILTER (WHERE function GLOB 'decoy*') AS decoys,
	  count(*) FILTER (WHERE module = '') AS unnamed
	FROM frame GROUP BY stack;
	-- What is left of decoys would be there in a stack that is not theirs.  A process that is collected or sent a
	-- message while it is in them is right to have them.  Functions of the module that may run in each kind of work.
	CREATE TEMP TABLE own(kind TEXT, function TEXT);
	INSERT INTO own VALUES ('append', 'append'), ('match', 'match'), ('deep', 'deep'), ('tail', 'tail'), ('big', 'big'),
	  ('tries', 'thrown'), ('leaf', 'leaf'), ('reloads', 'loaded'), ('send', 'pace'), ('send_large', 'pace');
	CREATE TEMP TABLE wrong AS
	SELECT s.kind, s.type, s.n, s.stack FROM sampled AS s JOIN seen AS f USING (stack)
	WHERE f.decoys > 0 AND (s.type NOT IN ('heap', 'old_heap', 'message') OR f.work_at IS NOT NULL)
	  OR (f.inner_at < f.outer_at AND (f.repeat_at < f.inner_at OR f.repeat_at IS NULL AND f.work_at IS NULL AND f.decoys = 0)) IS NOT TRUE
	UNION ALL
	SELECT s.kind, s.type, s.n, s.stack FROM sampled AS s JOIN frame AS f USING (stack)
	WHERE f.module = 'beam_stacks' AND f.function NOT IN ('outer', 'inner', 'repeat', 'work')
	  AND f.function NOT GLOB 'decoy_[123]' AND f.function NOT GLOB '-work/3-*'
	  AND f.function NOT IN (SELECT function FROM own AS o WHERE o.kind = s.kind);
	.print wrong
	SELECT w.kind, w.type, w.n, (SELECT group_concat(module || ':' || function || '/' || arity, ' ') FROM
	  (SELECT * FROM frame AS f WHERE f.stack = w.stack ORDER BY place)) FROM wrong AS w ORDER BY w.n DESC LIMIT 40;
	.print figures
	SELECT k.kind, total(s.n), total(s.n) FILTER (WHERE s.stack <> 0), total(s.n) FILTER (WHERE f.work_at IS NOT NULL),
	  total(s.n) FILTER (WHERE f.unnamed > 0), count(DISTINCT s.stack)
	FROM kind AS k LEFT JOIN sampled AS s USING (kind) LEFT JOIN seen AS f USING (stack) GROUP BY 1;
	.print leaf
	SELECT total(n), total(n) FILTER (WHERE (SELECT function FROM frame AS f WHERE f.stack = s.stack ORDER BY place LIMIT 1) = 'leaf')
	FROM sampled AS s WHERE kind = 'leaf' AND type = 'binary' AND stack <> 0;
	.print all
	SELECT total(s.n), total(s.n) FILTER (WHERE s.stack <> 0), total(s.n) FILTER (WHERE f.work_at IS NOT NULL),
	  total(s.n) FILTER (WHERE s.stack <> 0 AND f.stack IS NULL), total(s.n) FILTER (WHERE f.unnamed > 0),
	  (SELECT count(DISTINCT stack) FROM frame)
	FROM sampled AS s LEFT JOIN seen AS f USING (stack) WHERE s.type <> 'heap_frag' AND s.allocator <> 'temp_alloc';
END
sed -n '/^wrong$/,/^figures$/p' "$work/answers" | sed '1d;$d' >"$work/wrong"
[ ! -s "$work/wrong" ] || fail "kind|type|samples|stack: $(cut -c1-1000 "$work/wrong")"
echo "kind|samples|with a stack|with function work|with frames of no name|stacks"
sed -n '/^figures$/,/^leaf$/p' "$work/answers" | sed '1d;$d'
# Binaries by a function that calls nothing, and those that are said to be of it.
leaf=$(sed -n '/^leaf$/,/^all$/p' "$work/answers" | sed '1d;$d')
echo "leaf: $leaf"
# From 26 on a part of the emulator that is no function calls for it.
release=$("$1" -noshell -eval 'io:put_chars(erlang:system_info(otp_release)), halt().')
[ "$release" -gt 25 ] || echo "$leaf" | awk -F '|' '{ exit !($1 > 20 && $2 >= 0.99 * $1) }' || fail "a function that calls nothing is not on its stacks: $leaf"
# Samples; with a stack; with the function that works; with a stack that was not emitted; with frames of no name; stacks.
all=$(tail -n 1 "$work/answers")
echo "all: $all"
echo "$all" | awk -F '|' '{ exit !($1 > 2000 && $2 >= 0.95 * $1 && $4 == 0 && $5 <= 0.02 * $1) }' || fail "samples without a stack or name: $all"
[ "$(sed -n '/^figures$/,/^leaf$/p' "$work/answers" | grep -c '|')" -ge 50 ] || fail "kinds of work are missing"
# Code of a module may lie where that of another one was.
sqlite3 "$work/all.db" "SELECT 'addresses of code that two modules had, one after the other: ' || count(*) FROM
	(SELECT address FROM stack_frame WHERE module GLOB 'beam_stacks_?' GROUP BY 1 HAVING count(DISTINCT module) = 2)"
is all "SELECT count(*) FROM sample_alloc_by_process AS a JOIN stack_frame AS f USING (stack)
	WHERE f.module GLOB 'beam_stacks_?' AND a.size_bytes IN (41111, 42222, 41135, 42246)
	  AND (f.module = 'beam_stacks_a') <> (a.size_bytes < 42000)" 0
is all "SELECT count(*) FROM stack_frame WHERE module <> '' AND function = ''" 0

# Each kind of work is a clause in a line of its own.
awk -F '[(,]' '/^work[(]/ { print $2 "|beam_stacks.erl:" NR } /= inner[(]/ { print "outer|beam_stacks.erl:" NR }' "$here/beam_stacks.erl" >"$work/lines"
sqlite3 "$work/all.db" >"$work/answers" <<-END
	CREATE TABLE line(kind TEXT, source_line TEXT);
	.import $work/lines line
	SELECT f.function, k.kind, f.source_line, l.source_line IS NOT NULL, count(*) FROM (SELECT DISTINCT process, stack FROM sample_alloc_by_process WHERE stack <> 0) AS a
	JOIN kind AS k ON k.pid = '<0.' || ((a.process - 1) & 268435455) || '.' || ((a.process - 1) >> 28) || '>'
	JOIN stack_frame AS f ON f.stack = a.stack AND f.module = 'beam_stacks' AND f.function IN ('work', 'outer')
	LEFT JOIN line AS l ON l.kind = iif(f.function = 'work', k.kind, 'outer') AND l.source_line = f.source_line
	GROUP BY 1, 2, 3;
END
if grep -q '^found|.* with lines$' "$work/out"; then
  [ "$(grep -c '^work|.*|1|' "$work/answers")" -ge 40 ] || fail "lines of few kinds of work: $(cat "$work/answers")"
  ! grep '|0|[0-9]*$' "$work/answers" || fail "lines that are wrong"
  is all "SELECT count(*) > 0 FROM stack_frame WHERE module = 'lists' AND source_line GLOB 'lists.erl:[1-9]*'" 1
else
  # An emulator of these releases exports what names lines.
  [ "$release" -ge 28 ] || fail "lines are not known: $(grep '^found|' "$work/out")"
  is all "SELECT count(*) FROM stack_frame WHERE source_line <> ''" 0
fi

# Who made what is live, in the shell.
records code 32M
CSC_SCHEMA=$here/../../schema runs code 1
grep -E '^(code|small)\|' "$work/out" || fail "the shell does not say which code: $(cat "$work/out")"
loads code
runs code_unheard

records soak 32M
runs soak "$soak_s"
loads soak
grep '^allocs|' "$work/out" || fail "the soaked node has no figures"
is soak "SELECT count(*) > 0 FROM sample_alloc_by_process WHERE stack <> 0" 1
is soak "SELECT count(*) FROM stack_frame WHERE function GLOB 'decoy*'" 0
is soak "SELECT sum(lost_events) FROM source" 0
ends
