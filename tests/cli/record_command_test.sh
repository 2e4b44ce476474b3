#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# record_command_test.sh CARRIERSCOPE EBIN: `carrierscope record -- COMMAND`: what is left when the recorder or the node is killed or
# interrupted, what a node is told of its recorder, and starts that record nothing.
. "$(dirname "$0")/../harness/main.sh"
ebin=$(cd "$2" && pwd)
own_daemon "$@"
tests_program "$1"

needs lttng lttng-sessiond sqlite3 erl erl_call epmd
plain_erl
export LTTNG_HOME=$work LTTNG_UST_REGISTER_TIMEOUT=60000
names_nodes
recorder=
cleanup() {
  [[ -z $recorder ]] || kill -9 "$recorder" 2>/dev/null
  ends_node
  ends_daemon
}
# A daemon that is there already stays when a recorder is killed.
starts_daemon "$work/daemon.log" || skip "$(cat "$work/daemon.log")"
epmd -port "$ERL_EPMD_PORT" >/dev/null 2>&1 &
epmd_pid=$!

# command STATUS NAME OPTION... -- COMMAND: recorded into NAME.db; output in $work/out and $work/err.
command_ends() {
  local wanted=$1 name=$2
  shift 2
  "$program" record -o "$work/$name.db" --sample 64KiB "$@" >"$work/out" 2>"$work/err"
  local status=$?
  [[ $status -eq $wanted ]] || fail "record $* ends with $status, not $wanted: $(head -5 "$work/out")"
}
# says TEXT: in one line.
says() {
  [[ $(wc -l <"$work/err") -eq 1 ]] && grep -q -- "$1" "$work/err" || fail "no line '$1': $(cat "$work/err")"
  : >"$work/err"
}
left_nothing() {
  ! ls -d "$work"/*.trace-* >/dev/null 2>&1 || fail "$1: a trace is left"
  ! lttng --no-sessiond list 2>/dev/null | grep -q carrierscope-record || fail "$1: a session is left"
}
holds() {
  local got
  got=$(sqlite3 "$work/$1.db" "$2" 2>&1)
  [[ $got == "$3" ]] || fail "$1: $2: '$got', not '$3'"
}
sleeps=(erl -noinput -eval 'timer:sleep(600000).')

# What is no node, and one that ends before it is recorded.
command_ends 1 none -- true
says "'true' has ended, and nothing of it was recorded"
left_nothing 'a command that ends at once'

# Flags of the environment are not cut; ones that a program cannot be given are refused.
many=$(printf '%100000s' '' | tr ' ' a)
ERL_AFLAGS="-first $many -kernel inet_dist_use_interface {127,0,0,1}" command_ends 0 long --seconds 1 -- erl -noinput -eval '
  {ok, [[First]]} = init:get_argument(first), {ok, Interface} = application:get_env(kernel, inet_dist_use_interface),
  ok = file:write_file("'"$work"'/flags", io_lib:format("~b ~0p", [length(First), Interface])), timer:sleep(600000).'
[[ $(cat "$work/flags") == '100000 {127,0,0,1}' ]] || fail "flags of ERL_AFLAGS are lost: $(cat "$work/flags")"
ERL_AFLAGS="-first ${many}${many:0:31000}" command_ends 1 longer -- "${sleeps[@]}"
says 'the variable ERL_AFLAGS has 131007 bytes'
left_nothing 'flags that are too long'

# Interrupted before it is recorded, and while it is.
# shellcheck disable=SC2016
"$program" record -o "$work/early.db" -- sh -c 'touch "$0"; sleep 600' "$work/begun" >"$work/out" 2>"$work/err" &
recorder=$!
waits test -e "$work/begun"
kill -TERM $recorder
wait $recorder
[[ $? -eq 1 ]] || fail 'an interrupt before the recording is no failure'
says "interrupted before 'sh' was recorded"
[[ ! -e $work/early.db ]] || fail 'a database of nothing'
left_nothing 'an early interrupt'
pgrep -P "$recorder" >/dev/null && fail 'an early interrupt leaves a process'

# A node that is recorded from its boot: $node.  hooked true or false
starts_recorded() {
  "$program" record -o "$work/$1.db" --sample 64KiB -- "${@:2}" >"$work/out" 2>"$work/err" &
  recorder=$!
  waits hooked true || fail "$1: the node is not recorded: $(cat "$work/out" "$work/err")"
}
hooked() {
  [[ $(asked 'maps:get(hooked, carrierscope:info())') == "{ok, $1}" ]]
}
named=(erl -noinput -sname "$node" -kernel net_setuptime 120 -eval 'register(main, self()), timer:sleep(600000).')
for signal in INT TERM HUP; do
  starts_recorded $signal "${named[@]}"
  while [[ $(asked 'lists:member(carrierscope_recorder, gen_event:which_handlers(erl_signal_server))') != '{ok, true}' ]]; do sleep 0.1; done
  sleep 2
  kill -$signal $recorder
  wait $recorder || fail "$signal while it is recorded is a failure: $(cat "$work/err")"
  holds $signal 'SELECT count(*) FROM hook_end' 1
  left_nothing $signal
done

has_no_process() {
  [[ $(asked '[whereis(N) || N <- [carrierscope_recorder, carrierscope_snapshots]]') == '{ok, [undefined, undefined]}' ]]
}
handles_nothing() {
  [[ $(asked 'gen_event:which_handlers(erl_signal_server)') == '{ok, [erl_signal_handler]}' ]]
}
# The recorder is killed: the node lives on, and in 20 s, or more on a busy machine, nothing of ours is left in it.
lives_on() {
  waits hooked false || fail "$1: the node stays hooked"
  waits handles_nothing || fail "$1: the node still handles the signal of its recorder"
  waits has_no_process || fail "$1: processes of ours are left in the node"
  [[ $(asked 'is_pid(whereis(main))') == '{ok, true}' ]] || fail "$1: the node is harmed"
}
kills_node() {
  local pid
  pid=$(asked 'os:getpid()' | tr -cd 0-9)
  kill -9 "$pid"
  while kill -0 "$pid" 2>/dev/null && ! grep -qs '^State:[[:space:]]*Z' "/proc/$pid/status"; do sleep 0.1; done
  lttng list 2>/dev/null | grep -o 'carrierscope-record-[0-9]*' | while read -r session; do timeout 400 lttng destroy "$session"; done >/dev/null
  rm -rf "$work"/*.trace-*
}
starts_recorded killed "${named[@]}"
# Another recorder says who records.
"$program" record -o "$work/second.db" --node "$node" >"$work/out" 2>"$work/err.second"
[[ $? -eq 1 && $(wc -l <"$work/err.second") -eq 1 ]] || fail 'a second recorder is not refused in one line'
grep -q "by carrierscope record -o $work/killed.db --sample 64KiB (OS pid $recorder of .*), since 20[0-9-]*T[0-9:]*" "$work/err.second" ||
  fail "it does not say who records: $(cat "$work/err.second")"
! grep -q 'stop()' "$work/err.second" || fail "it advises what ends another's recording"
kill -9 $recorder
wait $recorder 2>/dev/null
lives_on 'a recorder that was killed'
# A node that is started by it, with the same environment, is not hooked.
[[ $(asked 'os:cmd("erl -noinput -eval \"io:format([126,112], [erlang:module_loaded(carrierscope_nif)]), halt().\"")') == '{ok, "false"}' ]] ||
  fail 'a node is hooked for a recorder that is gone'
kills_node

# One that nobody has waited for is dead, too.  The node is a script's.
cat >"$work/node.sh" <<END
#!/bin/sh
exec erl -noinput -sname $node -kernel net_setuptime 120 -eval 'register(main, self()), timer:sleep(600000).'
END
chmod +x "$work/node.sh"
# shellcheck disable=SC2016
sh -c '"$@" >/dev/null 2>&1 & echo $! >'"$work/zombie"'; sleep 600' sh "$program" record -o "$work/zombie.db" --sample 64KiB -- "$work/node.sh" &
shell=$!
waits hooked true || fail 'a node that a script is, is not recorded'
kill -9 "$(cat "$work/zombie")"
lives_on 'a recorder that nobody waits for'
pkill -P $shell sleep
wait $shell
kills_node

# A script that starts the node as a process of its own, and the recorder is killed before it ends that one.
# shellcheck disable=SC2016
"$program" record -o "$work/forks.db" --sample 64KiB -- sh -c '"$0"; true' "$work/node.sh" >"$work/out" 2>"$work/err" &
recorder=$!
waits pgrep -f "noinput -sname $node" >/dev/null
kill -9 $recorder
wait $recorder 2>/dev/null
waits hooked false || fail 'a node below a script stays hooked'
waits has_no_process || fail 'processes of ours are left in a node below a script'
recorder=
kills_node

# The node itself is killed, when its recorder has seen it on a busy machine, too.
command_ends 1 dies -- erl -noinput -eval 'timer:sleep(15000), os:cmd("kill -9 " ++ os:getpid()).'
says "'erl' was ended by signal 9: what was recorded until then is judged"
holds dies 'SELECT count(*) > 0 FROM snapshot_end' 1
left_nothing 'a node that is killed'

# A start that no session hears.
[[ $(erl -noinput -pa "$ebin" -eval '
  {ok, #{listening := false, warning := "no session of LTTng listens" ++ _}} = carrierscope:start(#{}),
  {ok, #{listening := false}} = carrierscope:stop(), io:put_chars("said"), halt().' 2>&1) == said ]] || fail 'a start that no session hears does not say so'
if [[ -n ${CSC_OWN_MOUNTS:-} ]]; then
  # LTTng's buffers find no room.
  starts_node 'register(keeper, self()), timer:sleep(600000).'
  cat >"$work/full.sh" <<-'END'
	mount -t tmpfs -o size=100k none /dev/shm && mount -t tmpfs none /var/run/lttng || exit 77
	export LTTNG_HOME=$3
	mkdir -p "$3"
	"$1" record -o "$2" --sample 64KiB --seconds 1 -- erl -noinput -eval 'timer:sleep(600000).'
	END
  unshare -m --propagation private sh "$work/full.sh" "$program" "$work/full.db" "$work/home" >"$work/out" 2>"$work/err"
  [[ $? -eq 1 ]] || fail 'a node without room for buffers is recorded'
  says 'no session of LTTng hears this node: .*/dev/shm'
  ends_node
fi

# Long texts: LTTng's list of processes, which has all their events, a command line, and a folder of programs.
mkdir "$work/bin"
cat >"$work/bin/lttng" <<END
#!/bin/sh
[ "\$*" != 'list -u' ] || printf '%100000s\n' x
exec $(command -v lttng) "\$@"
END
chmod +x "$work/bin/lttng"
PATH=$work/bin:$PATH command_ends 0 listed --seconds 1 -- "${sleeps[@]}"
erl -noinput -extra "${many:0:20000}" -sname "unknown$$" >/dev/null 2>&1 &
node_pid=$!
# The shell script has become the emulator, which has the name as its argument.
is_emulator() { [[ $(cat "/proc/$node_pid/comm") == beam.smp ]]; }
waits is_emulator || fail 'no emulator'
"$program" record -o "$work/pid.db" --pid $node_pid >"$work/out" 2>"$work/err"
says "record it by --node=unknown$$"
deep=$work/$(printf '%200s' '' | tr ' ' d)/$(printf '%200s' '' | tr ' ' e)/$(printf '%200s' '' | tr ' ' f)
mkdir -p "$deep/analyzer" "$deep/provider/beam"
cp "$program" "$deep/analyzer/"
ln -s "$ebin" "$deep/provider/beam/ebin"
"$deep/analyzer/carrierscope" record -o "$work/deep.db" --node "nobody$$" >"$work/out" 2>"$work/err"
says "nobody$$"

# A daemon with a long environment, started by the first of two recorders, ends with the second.
ends_daemon
has_session() { lttng --no-sessiond list 2>/dev/null | grep -q carrierscope-record; }
LONG=$many "$program" record -o "$work/starter.db" --sample 64KiB --seconds 1 -- "${sleeps[@]}" >"$work/out.first" 2>&1 &
recorder=$!
waits has_session || fail 'a recorder starts no session daemon'
command_ends 0 ender --seconds 6 -- "${sleeps[@]}"
wait $recorder || fail "the recorder that started the daemon fails: $(cat "$work/out.first")"
recorder=
! lttng --no-sessiond list >/dev/null 2>&1 || fail 'a daemon with a long environment is left'

# What evaluates Elixir is named.
cat >"$work/elixir" <<'END'
#!/bin/sh
echo '** (SyntaxError) nofile:1:5: syntax error before: code' >&2
END
chmod +x "$work/elixir"
for evaluates in "$work/elixir" 'elixir -e'; do
  command -v "${evaluates% *}" >/dev/null || continue
  "$program" record -o "$work/via.db" --every-block --via "$evaluates" >"$work/out" 2>"$work/err"
  says "evaluates Elixir"
done
ends
