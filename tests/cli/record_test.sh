#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# record_test.sh CARRIERSCOPE EBIN: `carrierscope record` on live nodes: one that runs, asked by erl_call and by
# a command of the user's, and one that it starts; what it leaves behind when it is killed; what it refuses.
. "$(dirname "$0")/../harness/main.sh"
own_daemon "$@"
ebin=$2
tests_program "$1"

needs lttng lttng-sessiond sqlite3 script pgrep
names_nodes
new_node=
cleanup() {
  [[ -z $new_node ]] || kill "$new_node" 2>/dev/null
  ends_node
  ends_daemon
}

# Keeps what it makes: 200 binaries of 10 kB in a second.
starts_node '
  spawn(fun() -> register(keeper, self()),
    (fun F(L) -> timer:sleep(5), F([binary:copy(<<"a">>, 10000) | L]) end)([]) end).'

asked_for_guest() {
  [[ $(asked 'is_pid(whereis(guest))') == '{ok, true}' ]]
}
# Another node starts a process with a large heap there: that is its parent's node, which goes once the process is there.
timeout 400 erl -sname "other$$" -noinput -kernel net_setuptime 120 -eval "
  Node = list_to_atom(\"$node\" ++ string:find(atom_to_list(node()), \"@\")),
  Until = fun F(IsSo) -> IsSo() orelse begin timer:sleep(50), F(IsSo) end end,
  Until(fun() -> net_adm:ping(Node) =:= pong end),
  spawn(Node, erlang, apply, [fun() -> register(guest, self()), L = lists:seq(1, 300000), receive go -> length(L) end end, []]),
  Until(fun() -> is_pid(rpc:call(Node, erlang, whereis, [guest])) end), halt(0)." >"$work/other.log" 2>&1
waits asked_for_guest || fail "no process of another node: $(cat "$work/other.log")"

# record STATUS NAME ARGUMENT...: into NAME.db; output in $work/out and $work/err.
record() {
  local wanted=$1 name=$2
  shift 2
  PATH=${path:-$PATH} "$program" record -o "$work/$name.db" "$@" >"$work/out" 2>"$work/err"
  local status=$?
  [[ $status -eq $wanted ]] || fail "record $* ends with $status, not $wanted: $(cat "$work/out")"
}

# holds NAME SQL VALUE
holds() {
  local got
  got=$(sqlite3 "$work/$1.db" "$2" 2>&1)
  [[ $got == "$3" ]] || fail "$1: $2: '$got', not '$3'"
}

# Nothing is hooked, no trace and no session is left.
left_nothing() {
  [[ $(asked 'maps:get(hooked, carrierscope:info())') == '{ok, false}' ]] || fail "$1: the node is hooked"
  ! ls -d "$work"/*.trace-* >/dev/null 2>&1 || fail "$1: a trace is left"
  # Ours ends with the recorder, and its sessions with it.
  ! lttng --no-sessiond list 2>/dev/null | grep -q carrierscope-record || fail "$1: a session is left"
}

is_hooked() {
  [[ $(asked 'maps:get(hooked, carrierscope:info())') == '{ok, true}' ]]
}
is_free() {
  [[ $(asked 'maps:get(hooked, carrierscope:info())') == '{ok, false}' ]]
}

# refused STATUS TEXT ARGUMENT...: one line, and nothing is left.
refused() {
  local status=$1 text=$2 before has_daemon=0
  shift 2
  : >"$work/out"
  : >"$work/err"
  before=$(left)
  lttng --no-sessiond list >/dev/null 2>&1 || has_daemon=$?
  record "$status" refused "$@"
  [[ $(wc -l <"$work/err") -eq 1 ]] || fail "record $*: not one line"
  grep -q -- "$text" "$work/err" || fail "record $*: no '$text'"
  [[ $(left) == "$before" ]] || fail "record $*: left behind: $(left)"
  lttng --no-sessiond list >/dev/null 2>&1
  [[ $? -eq $has_daemon ]] || fail "record $*: a session daemon is left, or one that was there has ended"
}
refused 1 'there is no process 4194304' --pid 4194304
refused 1 "$$ has not loaded LTTng's library" --pid $$
refused 1 "$node_pid has neither hooks nor events of OTP yet.* --node=$node" --pid "$node_pid"
refused 1 'cannot be reached\|failed to connect' --node "nobody$$"
refused 1 'command .* does not answer' --via 'echo nothing'
refused 1 'command .* does not answer: .*not found' --via csc-no-such-program
refused 1 'finds no module carrierscope' --node "$node" --every-block --ebin /nowhere

refused 1 'host of node .* is not known' --node nobody@nowhere.invalid
mkdir "$work/wrong" "$work/bin"
echo WRONG >"$work/wrong/.erlang.cookie"
chmod 400 "$work/wrong/.erlang.cookie"
HOME=$work/wrong refused 1 'its cookie is not that of' --node "$node"
rm -f "$work/wrong/.erlang.cookie"
HOME=$work/wrong refused 1 'no cookie in' --node "$node"
ln -s "$(command -v erl_call)" "$work/bin/"
path=$work/bin refused 1 'is lttng-tools installed' --node "$node" --sample 64KiB
path=$work/wrong refused 1 "'erl_call' cannot be run" --node "$node"
refused 1 'No such file or directory' --node "$node" -o "$work/none/refused.db"
refused 1 'not a regular file' --node "$node" -o "$work/bin" --force

# An lttng that would write CTF 2 is asked for what every reader has; the real one does not know the option.
mkdir "$work/modern"
cat >"$work/modern/lttng" <<END
#!/usr/bin/env bash
[[ \$1 != --version ]] || { echo 'lttng (LTTng Trace Control) 2.15.1 - made up'; exit; }
echo "\$*" >>"$work/modern/asked"
words=()
for word; do [[ \$word == --trace-format=* ]] || words+=("\$word"); done
exec "$(command -v lttng)" "\${words[@]}"
END
chmod +x "$work/modern/lttng"
path=$work/modern:$PATH record 0 modern --node "$node" --seconds 1
grep -q ' create .* --trace-format=ctf-1.8$' "$work/modern/asked" || fail "CTF 2 would be written: $(cat "$work/modern/asked")"

# A node whose machine has no LTTng: the module loads, hooks nothing, and the node is read.
if [[ $(id -u) -eq 0 ]] && unshare -m true 2>/dev/null; then
  bare=bare$$
  unshare -m --propagation private sh -c '
    for file in /usr/lib/*-linux-gnu/liblttng-ust*; do mount --bind /dev/null "$file" || exit 1; done
    exec erl -sname "$1" -noinput -eval "receive stop -> ok end."' sh "$bare" >"$work/bare.log" 2>&1 &
  bare_pid=$!
  bare_is_there() { erl_call -sname "$bare" -a 'erlang node' >/dev/null 2>&1; }
  waits bare_is_there || fail "no node without LTTng: $(cat "$work/bare.log")"
  refused 1 "LTTng's library is not loaded: .*liblttng-ust.so.1: .* (Debian: liblttng-ust1" --node "$bare" --every-block
  record 0 bare --node "$bare" --seconds 2
  grep -q "no blocks are recorded, .*LTTng's library is not loaded" "$work/err" || fail "nobody says that LTTng is missing: $(cat "$work/err")"
  holds bare 'SELECT count(*) > 1 FROM snapshot_end' 1
  kill -9 "$bare_pid"
  wait "$bare_pid" 2>/dev/null
else
  echo 'PARTLY SKIPPED: a node without LTTng (no private mounts)'
fi

# The daemon that the first of two recorders starts is the second's, too, and goes on until that ends.
has_session() { lttng --no-sessiond list 2>/dev/null | grep -q carrierscope-record; }
"$program" record -o "$work/starter.db" --seconds 1 --sample 64KiB -- erl -noinput -eval 'timer:sleep(600000).' >"$work/out.first" 2>"$work/err.first" &
recorder=$!
waits has_session || fail 'a recorder starts no session daemon'
record 0 node --node "$node" --seconds 12 --every-block
grep -Eq 'calls its allocators [0-9]+ times a second: every block takes about [0-9.]+ % of a processor and [0-9.]+ MiB/s of disk, [0-9]+ MiB in 12 s, where [1-9][0-9]* MiB are free' "$work/err" ||
  fail "nothing says what every block costs: $(cat "$work/err")"
wait $recorder || fail "the recorder that started the daemon fails: $(cat "$work/err.first")"
rm -f "$work/err.first"
holds node 'SELECT max(ts_ns) - min(ts_ns) >= 11900000000 FROM snapshot_end' 1
! lttng --no-sessiond list >/dev/null 2>&1 || fail 'the last of two recorders leaves the daemon that the other one started'
grep -q "^[A-Z][A-Z ,]*: " "$work/out" && grep -q "^$node@.* (OS pid $node_pid), " "$work/out" || fail "no verdict of the node: $(head -5 "$work/out")"
holds node 'SELECT complete AND lost_events = 0, count(*) FROM source' '1|1'
holds node 'SELECT count(*) FROM runtime' 1
holds node "SELECT count(*) >= 4 FROM snapshot_begin" 1
holds node "SELECT sum(size) > 100000 FROM block_live WHERE type = 'binary'" 1
holds node "SELECT count(DISTINCT holder) FROM holder WHERE name LIKE '% guest' AND type = 'heap' AND bytes > 4000000" 1
left_nothing node

# A daemon that is there already is used, and stays.  A command of the user's: here one that gives its argument to erl_call.
cat >"$work/evaluates" <<END
#!/bin/sh
printf '%s' "\$1" | erl_call -sname $node -e
END
chmod +x "$work/evaluates"
starts_daemon "$work/daemon.log" || skip "$(cat "$work/daemon.log")"
# A process that made 6 MB of binaries and has not collected them since, and one that keeps 20 MB.
is_late() { sqlite3 "$work/$1.db" "SELECT sentence FROM finding WHERE rule = 'HEAP-02'" | grep -q 'did not come to it within 5 s'; }
keeping=$(asked 'pid_to_list(spawn(fun() -> L = [binary:copy(<<1>>, 100000) || _ <- lists:seq(1, 200)], receive go -> L end end))' | tr -dc '<>0-9.')
# Again, of another one, where a busy machine's node does not come to it in time, or makes little.
for times in 2 4 8 16; do
  sloppy=$(asked 'pid_to_list(spawn(fun() -> [binary:copy(<<1>>, 100000) || _ <- lists:seq(1, 60)], receive go -> ok end end))' | tr -dc '<>0-9.')
  record 0 via --force --via "$work/evaluates" --seconds $times --sample 64KiB --compare "$work/node.db" --try-collect "$sloppy"
  is_late via || [[ $(sqlite3 "$work/via.db" 'SELECT count(*) > 5 FROM sample_block') != 1 ]] || break
done
grep -q '^Compared with ' "$work/out" || fail "nothing is compared: $(cat "$work/out")"
holds via "SELECT sentence LIKE 'Collecting $sloppy % freed % and 5.7 of at most 5.7 MiB of binaries: it had not collected what it no longer uses.' FROM finding
  WHERE rule = 'HEAP-02'" 1
# Without brackets, too; nothing is collected that was not asked for, and what has ended is no failure.
for times in 1 2 4 8; do
  record 0 keeps --force --node "$node" --seconds $times --sample 64KiB --try-collect "$(tr -d '<>' <<<"$keeping")"
  is_late keeps || break
done
holds keeps "SELECT sentence LIKE 'Collecting $keeping % and 0.0 of at most 19.1 MiB of binaries: it keeps what is left.' FROM finding WHERE rule = 'HEAP-02'" 1
holds node "SELECT count(*) FROM runtime_fact WHERE key LIKE 'collected%'" 0
record 0 ended --node "$node" --seconds 1 --sample 64KiB --try-collect '<0.99999.0>'
holds ended "SELECT sentence FROM finding WHERE rule = 'HEAP-02'" '<0.99999.0> was not collected: it had ended, or did not come to it within 5 s.'
refused 2 'an Erlang process such as' --node "$node" --try-collect '<0.9.0>), halt('
refused 2 'an Erlang process such as' --node "$node" --try-collect '<7.9.0>'
refused 2 'takes --node or --via' --try-collect '<0.9.0>' -- erl
left_nothing keeps
holds via 'SELECT count(*) > 5 FROM sample_block' 1
left_nothing via

# A node that is started, from its boot on to its last snapshot.
# Again where a busy machine is still at its boot.
for times in 3 10 30; do
  record 0 command --force --seconds $times -- erl -noinput -eval 'timer:sleep(600000).'
  [[ $(sqlite3 "$work/command.db" "SELECT verdict FROM verdict WHERE level = 'runtime'") != normal ]] || break
done
holds command 'SELECT hooked_uptime_ms < 60000 FROM hook_begin' 1
holds command 'SELECT count(*) FROM hook_end' 1
holds command "SELECT verdict FROM verdict WHERE level = 'runtime'" normal
refused 1 'ended with exit status 3 before it was recorded' -- sh -c 'exit 3'
refused 1 "starts the node as another process" -- sh -c 'erl -noinput -eval "register(another'$$', self()), timer:sleep(600000)."; true'
has_no_other() { ! pgrep -f "another$$" >/dev/null; }
waits has_no_other || fail 'a node that cannot be recorded is left'
# One that ends by itself.
record 0 short --sample 64KiB -- erl -noinput -eval 'timer:sleep(3000), halt().'
holds short 'SELECT complete FROM source' 1

# Without root, by a session daemon of the user's own.
if [[ $(id -u) -eq 0 ]] && setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$program" 2>/dev/null; then
  mkdir "$work/user"
  chmod 711 "$work"
  chown 65534:65534 "$work/user"
  HOME=$work/user LTTNG_HOME=$work/user TMPDIR=$work/user setpriv --reuid=65534 --regid=65534 --clear-groups \
    "$program" record -o "$work/user/run.db" --seconds 1 --sample 64KiB -- erl -noinput -eval 'timer:sleep(600000).' \
    >"$work/out" 2>"$work/err" || fail 'a user that is not root cannot record'
  # The second begins when the node is hooked, however long that takes.
  [[ $(sqlite3 "$work/user/run.db" 'SELECT max(ts_ns) - min(ts_ns) > 900000000 FROM snapshot_end') == 1 ]] ||
    fail 'a user that is not root records less than a second'
  # Another user's node is none of its daemon's, and root's is not asked.
  install -o 65534 -g 65534 -m 400 "$work/.erlang.cookie" "$work/user/"
  HOME=$work/user LTTNG_HOME=$work/user TMPDIR=$work/user setpriv --reuid=65534 --regid=65534 --clear-groups \
    "$program" record -o "$work/user/other.db" --node "$node" >"$work/out" 2>"$work/err" && fail "another user's node is recorded"
  [[ $(wc -l <"$work/err") -eq 1 ]] && grep -q "is of user 'root'" "$work/err" || fail "another user's node: $(cat "$work/err")"
  ! ls -d "$work"/user/other.db* >/dev/null 2>&1 || fail "another user's node leaves a file"
  left_nothing "another user's node"

  # A user who never had a session daemon, beside root's and another user's: a node that runs is recorded all the same, and the
  # daemon of somebody else is refused.
  new=$((600000 + $$))
  as_new=(env HOME="$work/new" LTTNG_HOME="$work/new" TMPDIR="$work/new" setpriv --reuid="$new" --regid="$new" --clear-groups)
  rm -f "/dev/shm/lttng-ust-wait-8-$new"
  mkdir "$work/new"
  install -m 400 "$work/.erlang.cookie" "$work/new/"
  chown -R "$new:$new" "$work/new"
  new_is_ready() {
    epmd -names 2>/dev/null | grep -q "^name new$$ " || ! kill -0 $new_node
  }
  starts_new() {
    "${as_new[@]}" erl -sname "new$$" -start_epmd false -noinput -eval 'timer:sleep(600000).' >"$work/new.log" 2>&1 &
    new_node=$!
    waits new_is_ready
  }
  new_is_gone() {
    [[ $(ps -o pid= -U "$new") == '' ]]
  }
  starts_new
  "${as_new[@]}" "$program" record -o "$work/new/run.db" --node "new$$" --seconds 1 --sample 64KiB >"$work/out" 2>"$work/err" ||
    fail "a user who never had a session daemon cannot record: $(cat "$work/err" "$work/new.log")"
  "${as_new[@]}" env LTTNG_HOME="$work/user" "$program" record -o "$work/new/other.db" --node "new$$" --seconds 1 >"$work/out" 2>"$work/err" &&
    fail "another user's session daemon is used"
  [[ $(wc -l <"$work/err") -eq 1 && $(find "$work/new" -name 'other*') == '' ]] && grep -q "may not write in '$work/user'" "$work/err" ||
    fail "another user's session daemon: $(cat "$work/err")"
  kill $new_node
  wait $new_node 2>/dev/null
  new_node=
  waits new_is_gone || fail "left behind: $(ps -U "$new")"
  rm -f "/dev/shm/lttng-ust-wait-8-$new"

  # The same recorded by root first: afterwards its user can record it, too.
  starts_new
  record 0 roots --node "new$$" --seconds 1 --sample 64KiB
  has_no_daemon() { [[ $(ps -o args= -U "$new" | grep -c sessiond) -eq 0 ]]; }
  waits has_no_daemon || fail "root leaves a session daemon of the node's user"
  "${as_new[@]}" "$program" record -o "$work/new/own.db" --node "new$$" --seconds 1 --sample 64KiB >"$work/out" 2>"$work/err" ||
    fail "a node that root recorded first cannot be recorded by its user: $(cat "$work/err")"
  kill $new_node
  wait $new_node 2>/dev/null
  new_node=
  waits new_is_gone || fail "left behind: $(ps -U "$new")"
  rm -f "/dev/shm/lttng-ust-wait-8-$new"
fi

# Progress is for a terminal alone.
script -qec "$program record --node $node --seconds 2 --sample 64KiB -o $work/tty.db" /dev/null </dev/null >"$work/tty" 2>&1
# script may end before the recorder that it ran.
waits is_free
while pgrep -f -- "-o $work/tty.db" >/dev/null; do sleep 0.1; done
grep -q '2 s of 2 s, [0-9]* events, the node has [0-9.]* MiB allocated' "$work/tty" || fail "no progress: $(cat "$work/tty")"
record 0 quiet "$node" --seconds 1s
[[ ! -s $work/err ]] || fail 'progress in a pipe'
holds quiet 'SELECT DISTINCT sample_every FROM hook_begin' 65536
holds quiet 'SELECT count(*) FROM block_event' 0
busy=$(asked 'F = fun F() -> [binary:copy(<<1>>, 100) || _ <- lists:seq(1, 1000)], F() end, pid_to_list(spawn(F))' | tr -dc '<>0-9.')
record 0 bounded "$node" --every-block --seconds 600 --max-size 4MiB
asked "exit(list_to_pid(\"$busy\"), kill)" >"$work/dump"
grep -Eq 'ended after [0-9]+ s: the trace has the 4.0 MiB of --max-size' "$work/err" || fail "nothing says why it ended: $(cat "$work/err")"
holds bounded 'SELECT complete, count(*) > 1000 FROM source, block_event' '1|1'
left_nothing bounded
refused 2 'units are KiB' --node "$node" --max-size much

# An interrupt ends the recording, and what there is is loaded.
"$program" record -o "$work/interrupted.db" --node "$node" --every-block --seconds 600 >"$work/out" 2>"$work/err" &
recorder=$!
waits is_hooked || fail 'the recorder does not begin'
loads_twice
kill -INT $recorder
wait $recorder
[[ $? -eq 0 ]] || fail 'an interrupt is a failure'
holds interrupted 'SELECT complete FROM source' 1
left_nothing interrupt

# The hooks end by themselves when nobody asks any more: a recorder that was killed.
asked 'carrierscope_recorder:start(#{}, 3000)' | grep -q csc-ok || fail 'the node cannot be hooked'
loads_twice
waits is_free || fail 'the node stays hooked without its recorder'

refused 1 'too little for buffers' --node "$node" --memory 64KiB
refused 1 'cannot read' --node "$node" --compare "$work/none.db"
refused 1 'cannot read the cookie' --node "$node" --cookie-file "$work/none"
refused 2 'which node' --seconds 3
refused 2 'exclude each other' --node "$node" --pid 1
refused 2 "not both: '5' follows the node '$node'" "$node" 5
refused 2 'seconds from 1' --node "$node" --seconds 0
refused 2 'units are KiB' --node "$node" --memory 3X
asked 'carrierscope:start()' >/dev/null
refused 1 'hooked already' --node "$node"
asked 'carrierscope:stop()' >/dev/null
: >"$work/there.db"
record 1 there --node "$node"
[[ ! -s $work/there.db ]] || fail 'an existing file was replaced'
"$program" record --clean >"$work/out" 2>"$work/err" && grep -q '^0 sessions' "$work/out" || fail "record --clean: $(cat "$work/out")"

# Root, where no session daemon has ever run, as in a new container.
if [[ -n ${CSC_OWN_MOUNTS:-} ]]; then
  erl=(erl -sname "fresh$$" -noinput -eval 'timer:sleep(600000).')
  # shellcheck disable=SC2016
  unshare -m --propagation private bash -c '
    mount -t tmpfs none /dev/shm && mount -t tmpfs none /var/run/lttng || exit 1
    program=$1 node=$2 work=$3
    shift 3
    "$@" & fresh=$!
    until epmd -names | grep -q "^name $node " || ! kill -0 $fresh; do sleep 0.1; done
    "$program" record -o "$work/fresh.db" --node "$node" --seconds 1 --sample 64KiB
    status=$?
    kill -9 $fresh
    exit $status' sh "$program" "fresh$$" "$work" "${erl[@]}" >"$work/out" 2>"$work/err" ||
    fail "root cannot record where no session daemon has ever run: $(cat "$work/err")"
fi

# Somebody destroys the session, or the daemon ends: the recording is not taken for a whole one.
"$program" record -o "$work/destroyed.db" --node "$node" --seconds 20 >"$work/out" 2>"$work/err" &
recorder=$!
waits is_hooked || fail 'a recorder whose session is destroyed does not begin'
lttng destroy "$(lttng list | grep -o "carrierscope-record-$recorder-[-0-9a-f]*")" >/dev/null || fail 'no session to destroy'
wait $recorder
[[ $? -eq 1 && $(wc -l <"$work/err") -eq 1 ]] && grep -q 'ended before its time\|no session of LTTng hears the node' "$work/err" || fail "a session that is destroyed: $(cat "$work/err")"
left_nothing 'a session that is destroyed'

# Two at once: the second is refused, the first goes on.  A disk that is full: at once, and when the database is written.
"$program" record -o "$work/first.db" --node "$node" --seconds 600 >"$work/out.first" 2>"$work/err.first" &
recorder=$!
waits is_hooked || fail 'the first of two recorders does not begin'
refused 1 'hooked already' --node "$node"
kill -INT $recorder
wait $recorder || fail "the first of two recorders fails: $(cat "$work/err.first")"
if [[ -n ${CSC_OWN_MOUNTS:-} ]]; then
  mkdir "$work/full"
  for size in 300k 3m; do
    mount -t tmpfs -o size=$size none "$work/full"
    refused 1 'disk.* full' --node "$node" --seconds 3 -o "$work/full/refused.db"
    [[ -z $(ls -A "$work/full") ]] || fail "left on a full disk: $(ls -A "$work/full")"
    umount "$work/full"
  done
fi
left_nothing 'a full disk'

# The node goes midway: what was recorded is judged.
"$program" record -o "$work/gone.db" --node "$node" --seconds 600 >"$work/out" 2>"$work/err" &
recorder=$!
waits is_hooked || fail 'the recorder of a node that goes does not begin'
# Who hooks has taken a snapshot then.
takes_snapshots() { [[ $(asked 'is_pid(whereis(carrierscope_snapshots))') == '{ok, true}' ]]; }
waits takes_snapshots || fail 'no snapshots are taken of a node that goes'
asked 'timer:sleep(1500)' >/dev/null
kill -9 "$node_pid"
wait "$node_pid" 2>/dev/null
wait $recorder
[[ $? -eq 1 && $(wc -l <"$work/err") -eq 1 ]] && grep -q 'the node is gone' "$work/err" || fail 'a node that goes midway is not named'
holds gone 'SELECT count(*) > 0 FROM snapshot_end' 1
! ls -d "$work"/*.trace-* >/dev/null 2>&1 || fail 'a node that goes leaves a trace'
! lttng --no-sessiond list 2>/dev/null | grep -q carrierscope-record || fail 'a node that goes leaves a session'
rm -f "$work/err"
ends
