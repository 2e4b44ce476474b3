#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# The blocks of an Erlang node as Debian ships it: installs what is missing,
# builds, starts a node with a small service on it, hooks the node while it runs,
# records ten seconds, lets go of it again, loads the trace through babeltrace2,
# and prints which blocks there are, and what grows.
#
#	stock-node.sh [--build-dir DIR] [DATABASE]     default: stock-node.db
#
# With --build-dir nothing is installed or built: DIR has a build.
# Nothing is left running.  The node is an ordinary one: no flag, no other build.
set -euo pipefail
cd "$(dirname "$0")/.."

# shellcheck source=examples/parts.sh
. examples/parts.sh
node=
prepares node stock-node.db "$@"
ebin=$build/provider/beam/ebin

# The node reads expressions from its standard input: no distribution, no port, no epmd.
mkfifo "$work/asks" "$work/answers"
erlc -o "$work" examples/stock_service.erl
erl -noshell -pa "$work" -run stock_service -eval '
  Serve = fun Serve() ->
    case io:parse_erl_exprs("") of
      {ok, Expressions, _} ->
        {value, Value, _} = erl_eval:exprs(Expressions, []),
        ok = io:format("~0p~n", [Value]),
        Serve();
      _ ->
        halt()
    end
  end,
  Serve().' <"$work/asks" >"$work/answers" &
node=$!
exec 8>"$work/asks" 9<"$work/answers"

# ask EXPRESSIONS: prints the node's answer.  A busy machine takes long; a node that has ended is seen at once.
ask() {
  local answer=
  echo "$1." >&8
  if ! read -r -t 300 answer <&9; then
    echo "the node does not answer" >&2
    exit 1
  fi
  echo "$answer"
}

echo "== A node runs for a while, as it came from the package"
ask 'erlang:system_info(system_version)' >"$work/version"
sed 's/\\n//' "$work/version"
sleep 3

echo
echo "== It is hooked while it runs, and an LTTng session records ten seconds of it"
records "$work/trace" 'carrierscope:*,org_erlang_dyntrace:process_*'
ask "code:add_patha(\"$ebin\")" >/dev/null
answer=$(ask 'carrierscope:start()')
if [[ $answer != '{ok,'* ]]; then
  echo "the node cannot be hooked: $answer" >&2
  exit 1
fi
# The process that runs on a scheduler is the owner of the blocks that it allocates.
ask 'erlang:trace(all, true, [running, {tracer, carrierscope_tracer, []}])' >/dev/null
ask 'carrierscope:snapshot()' >/dev/null
sleep 10
ask 'carrierscope:snapshot()' >/dev/null
ask 'erlang:trace(all, false, [all])' >/dev/null
ask 'carrierscope:stop()'
# Nothing more will be asked: the node ends.
exec 8>&-
wait "$node"
node=
loads_recording

echo
echo "== Which blocks were there?   carrierscope report block_sizes $database"
"$bin/carrierscope" report block_sizes "$database" --limit 20

echo
echo "== By type: sizes asked for, in powers of two"
sqlite3 -box "$database" "
  SELECT allocator, type, size_from AS from_bytes, size_to AS to_bytes, allocations,
    live_blocks, live_bytes
  FROM block_size ORDER BY allocations DESC LIMIT 12"

echo
echo "== What grew?  Blocks made while it was recorded, and live at its end"
sqlite3 -box "$database" "
  SELECT allocator, type, sum(live_blocks) AS blocks, sum(live_bytes) AS bytes,
    sum(allocations) AS allocations
  FROM block_size GROUP BY allocator, type ORDER BY bytes DESC LIMIT 6"

echo
echo "== Who made them?  By the process that ran on the thread, where one did"
sqlite3 -box "$database" "
  WITH seen AS (
    SELECT thread_id, ts_ns, NULL AS address, NULL AS size, iif(type LIKE 'in%', pid, NULL) AS pid,
      1 AS is_turn
    FROM otp_event WHERE event = 'process_scheduled'
    UNION ALL
    SELECT thread_id, ts_ns, address, size, NULL, 0 FROM block_event WHERE op <> 1 AND address <> 0
  ),
  turn AS (
    SELECT *, sum(is_turn) OVER (PARTITION BY thread_id ORDER BY ts_ns) AS n FROM seen
  ),
  owned AS (
    SELECT address, ts_ns, size, max(pid) OVER (PARTITION BY thread_id, n) AS pid, is_turn FROM turn
  )
  SELECT coalesce(w.pid, '(no process)') AS process, count(*) AS allocations, sum(w.size) AS bytes,
    count(l.address) AS live_blocks, coalesce(sum(l.size), 0) AS live_bytes
  FROM owned AS w
  LEFT JOIN (SELECT address, since_ns, size FROM block_live) AS l
    ON l.address = w.address AND l.since_ns = w.ts_ns
  WHERE NOT w.is_turn GROUP BY w.pid ORDER BY allocations DESC LIMIT 8"

echo
echo "== The node's own figures at the first and the last moment"
sqlite3 -box "$database" "
  SELECT first.key, first.bytes AS first_bytes, last.bytes AS last_bytes,
    last.bytes - first.bytes AS change
  FROM snapshot_memory AS first JOIN snapshot_memory AS last USING (key)
  WHERE first.snapshot_id = (SELECT min(snapshot_id) FROM snapshot_begin)
    AND last.snapshot_id = (SELECT max(snapshot_id) FROM snapshot_begin)"

prints_verdict

echo
echo "== Can the recording be trusted?   carrierscope report loss $database"
"$bin/carrierscope" report loss "$database"
