#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# push_test.sh CARRIERSCOPE: readings of a node that has nothing of ours: by its name, by a command that evaluates Erlang or
# Elixir, printed and loaded; what is left in the node, what is refused, and what a bad node or pipe makes of it.
. "$(dirname "$0")/../harness/main.sh"
tests_program "$1"
needs sqlite3 python3
names_nodes
elixir_pid=
cleanup() {
  [[ -z $elixir_pid ]] || kill -9 "$elixir_pid" 2>/dev/null
  ends_node
}
cd "$work" || exit 1

# Gains 2 MB a second.
starts_node '
  spawn(fun() -> register(keeper, self()),
    (fun F(L) -> receive after 10 -> F([binary:copy(<<"a">>, 20000) | L]) end end)([]) end).'

# record STATUS NAME ARGUMENT...: into NAME.db; output in out and err.
record() {
  local wanted=$1 name=$2 status
  shift 2
  "$program" record -o "$work/$name.db" "$@" >out 2>err </dev/null
  status=$?
  [[ $status -eq $wanted ]] || fail "record $* ends with $status, not $wanted: $(cat out err)"
}
# refused TEXT ARGUMENT...: in one line, and nothing is left.
refused() {
  local text=$1
  shift
  record 1 refused "$@"
  [[ $(wc -l <err) -eq 1 ]] || fail "record $*: not one line: $(cat err)"
  grep -qF -- "$text" err || fail "record $*: no '$text': $(cat err)"
  ! ls -d refused.db* >/dev/null 2>&1 || fail "record $* leaves $(ls -d refused.db*)"
}
# holds NAME SQL VALUE
holds() {
  local got
  got=$(sqlite3 "$work/$1.db" "$2" 2>&1)
  [[ $got == "$3" ]] || fail "$1: $2: '$got', not '$3'"
}
# reads NAME ARGUMENT...: as record 0, again where a busy machine hides the growth of 4 s.
reads() {
  local times
  for times in 4 8 16 32 64; do
    record 0 "$@" --force --seconds "$times"
    ! grep -q '^LEAK: <[0-9.]*> keeper gains' out || [[ $(sqlite3 "$work/$1.db" 'SELECT count(*) > 3 FROM snapshot_end') != 1 ]] || break
  done
}
# leaks NAME: the verdict names the process, and the figures are whole.
leaks() {
  grep -q "^LEAK: <[0-9.]*> keeper gains" out || fail "$1: no leak: $(cat out err)"
  holds "$1" "SELECT count(*) > 3, sum(figures) > 1000 FROM snapshot_end" '1|1'
  holds "$1" "SELECT count(*) FROM lost_interval" 0
  holds "$1" "SELECT count(*) FROM load_problem" 0
  holds "$1" "SELECT count(*) > 0 FROM runtime_fact WHERE key = 'pushed_module' AND length(value) = 32" 1
  holds "$1" "SELECT json LIKE '%carrierscope:snapshot%' FROM answer" 0
}
# What the node has of ours: {Loaded, Processes by their names, Atoms}.
has_ours='{erlang:module_loaded(carrierscope_pushed), [N || N <- registered(), lists:prefix("carrierscope", atom_to_list(N))], application:get_all_env(carrierscope)}'
has_none() { [[ $(asked "$has_ours") == '{ok, {false, [], []}}' ]]; }
atoms() { asked 'erlang:system_info(atom_count)'; }
initial_calls='lists:sort([process_info(P, initial_call) || P <- processes()])'

# By its name: twice, and the second leaves what the first left.
reads name "$node" --readings
leaks name
waits has_none || fail "what is left: $(asked "$has_ours")"
before=$(asked "$initial_calls") atoms=$(atoms)
for again in 1 2; do
  record 0 again "$node" --readings --seconds 1 --force
done
waits has_none || fail "what is left after more: $(asked "$has_ours")"
# Before, one of who had asked last may still have been there.
has_no_more() {
  local then=${before#'{ok, '}
  [[ $(asked "$initial_calls -- ${then%'}'}") == '{ok, []}' ]]
}
waits has_no_more || fail "processes are left: $before, $(asked "$initial_calls")"
# Nodes that ask have names, which are atoms.
[[ $(atoms | tr -dc 0-9) -le $(($(tr -dc 0-9 <<<"$atoms") + 16)) ]] || fail "atoms are left: $atoms, $(atoms)"
[[ ! -s node.log ]] || fail "the node logs: $(cat node.log)"

# The node has no module of ours, and nothing says that blocks are wanted.
reads fallback "$node" --ebin /nowhere
leaks fallback
grep -q '^carrierscope: no blocks are recorded, .*finds no module carrierscope' err || fail "nobody says what is missing: $(cat err)"
refused 'finds no module carrierscope' "$node" --every-block --ebin /nowhere

# By a command that evaluates Erlang, with words of its own before and after.
cat >erlang <<END
#!/bin/sh
echo 'a line of somebody else'
erl -noinput -hidden -sname "via\$\$" -eval '
  [Text] = init:get_plain_arguments(), {ok, Tokens, _} = erl_scan:string(Text),
  case erl_parse:parse_exprs(Tokens) of
    {ok, Forms} -> io:format("~0P~n", [rpc:call(list_to_atom("$node" ++ string:find(atom_to_list(node()), "@")), erl_eval, exprs, [Forms, []]), 9]);
    {error, {_, _, What}} -> io:format("~s~n", [What]), halt(1)
  end, halt().' -extra "\$1"
END
chmod +x erlang
reads erlang --via ./erlang --readings
leaks erlang

# What evaluates Elixir is known by its name, or by what it says of Erlang.
if command -v elixir >/dev/null; then
  elixir --hidden --sname "elixir$$" --no-halt -e 'Process.register(spawn(fn ->
      loop = fn loop, kept -> Process.sleep(10); loop.(loop, [:binary.copy("a", 20000) | kept]) end
      loop.(loop, [])
    end), :keeper)' >elixir.log 2>&1 &
  elixir_pid=$!
  cat >elixir.eval <<END
#!/bin/sh
exec elixir --hidden --sname "via\$\$" --rpc-eval "elixir$$@\$(hostname -s)" "\$1"
END
  chmod +x elixir.eval
  evaluates_elixir() { ./elixir.eval ':ok = if Process.whereis(:keeper), do: :ok' >/dev/null 2>&1; }
  waits evaluates_elixir || fail "no node of Elixir: $(cat elixir.log)"
  reads elixir --via ./elixir.eval --readings
  leaks elixir
  reads elixir --via ./elixir.eval --syntax elixir
  leaks elixir
  kill -9 "$elixir_pid"
  wait "$elixir_pid" 2>/dev/null
else
  echo 'PARTLY SKIPPED: Elixir (not installed)'
fi
waits has_none || fail "commands leave: $(asked "$has_ours")"

# Printed, pasted, and loaded: with lines of others between, damaged, cut, twice.
"$program" record --print-expression --seconds 3 >expression || fail 'no expression'
[[ $(wc -l <expression) -eq 1 && $(wc -c <expression) -lt 40960 ]] || fail "an expression of $(wc -c <expression) bytes"
./erlang "$(cat expression)" >printed || fail 'the expression is not evaluated'
"$program" load -q -o printed.db printed >out 2>err || fail "what was printed is not loaded: $(cat err)"
holds printed "SELECT count(*) > 1 FROM snapshot_end" 1
all=$(sqlite3 printed.db 'SELECT count(*) FROM snapshot_figure')
sed 's/^csp1/[info] a log line\n&/' printed | "$program" load -q -o log.db - >out 2>err || fail "log lines: $(cat err)"
holds log "SELECT count(*) FROM snapshot_figure" "$all"
# The last line is missing; then a packet of another node, whose process id and names may be the same.
grep -v '^csp-end' printed >open
"$program" load -q -o open.db open >out 2>err || fail "without an end: $(cat err)"
grep -q "'open' ends before its node had printed all" err || fail "nobody says that the end is missing: $(cat err)"
sed -n '/^csp1 /p' printed | python3 -c '
import base64, struct, sys, zlib
for line in sys.stdin:
    packet = bytearray(zlib.decompress(base64.b64decode(line[5:])))
    at = 2 + struct.unpack_from("<H", packet)[0] + 4
    packet[at] ^= 1
    print("csp1 " + base64.b64encode(zlib.compress(bytes(packet))).decode())' >other
cat printed other >both
"$program" load -q -o both.db both >out 2>err || fail "two nodes: $(cat err)"
grep -q "'both': line [0-9]*, at byte [0-9]*, is of another node" err || fail "nobody says that there are two nodes: $(cat err)"
holds both "SELECT count(*) FROM snapshot_figure" "$all"
cat printed printed >twice
"$program" load -q -o twice.db twice >out 2>err || fail "twice: $(cat err)"
holds twice "SELECT count(*) FROM snapshot_figure" "$all"
sed '4s/.\{40\}$/AAAA/' printed >damaged
"$program" load -q -o damaged.db damaged >out 2>err
grep -q "'damaged': line 4, at byte [0-9]*, is no whole packet" err || fail "a damaged line: $(cat err)"
holds damaged "SELECT count(*) > 0 FROM snapshot_figure" 1
holds damaged "SELECT count(*) > 0 FROM lost_interval" 1
head -c 300 printed | sed 1d >cut
"$program" load -q -o cut.db cut >out 2>err && fail 'a cut packet is loaded'
grep -q "'cut'" err || fail "a cut packet: $(cat err)"
[[ ! -e cut.db ]] || fail 'a database of nothing'
! ls -d carrierscope-?????? >/dev/null 2>&1 || fail "a folder is left: $(ls -d carrierscope-??????)"

# `top`, by its name and by the command: a reading, and what grew until the next one.
for way in "--node=$node" --via=./erlang; do
  # A busy machine may hide the growth of a second.
  for every in 1 4 16; do
    timeout 400 "$program" top "$way" --ebin /nowhere --every "$every" --count 1 >out 2>err || fail "top $way: $(cat err)"
    ! grep -Eq '^<[0-9.]*> keeper .* \+[0-9.]* [KM]iB' out || break
  done
  grep -Eq '^<[0-9.]*> keeper .* \+[0-9.]* [KM]iB' out || fail "top $way: $(cat out)"
  grep -q '^binary_alloc ' out || fail "top $way has no allocators: $(cat out)"
  waits has_none || fail "top $way leaves: $(asked "$has_ours")"
done
# By the erl that takes arguments of its own; who comes next need not wait.
timeout 400 "$program" top --node="$node" --erl-args '-kernel net_ticktime 60' --count 1 >out 2>err || fail "top --erl-args: $(cat err)"
timeout 400 "$program" record "$node" -s 1 -o next.db --erl-args '-kernel net_ticktime 60' >out 2>err || fail "record after top: $(cat err)"
grep -q 'no blocks are recorded, .*: erl_call, .* takes no --erl-args' err || fail "record --erl-args: $(cat err)"
waits has_none || fail "record --erl-args leaves: $(asked "$has_ours")"
for command in 'record' 'top' "keep -o $work/kept"; do
  "$program" $command --via ./erlang --erl-args '-hidden' >out 2>err
  [[ $? -eq 2 ]] || fail "$command --via with --erl-args: $(cat out err)"
  grep -q 'erl-args takes a node by its NAME' err || fail "$command --via with --erl-args: $(cat err)"
done
timeout 400 "$program" top --node="nobody$$" --ebin /nowhere --count 1 >out 2>err && fail 'top of nobody'
[[ $(wc -l <err) -eq 1 ]] || fail "top of nobody: $(cat err)"

# several NAME: until NAME.db, which is being recorded, has had several readings: three times as much as at first.
several() {
  local first=0
  waits has_written "$1" 0 && first=$(written "$1") && waits has_written "$1" $((3 * first)) || fail "$1: no more readings"
}
written() { cat "$1".db.trace-*/readings_0 2>/dev/null | wc -c; }
has_written() { [[ $(written "$1") -gt $2 ]]; }

# Two at once; the second goes when the first is killed, of which the readings until then are kept.
"$program" record -o first.db "$node" --readings --seconds 600 >out.first 2>err.first &
first=$!
is_read() { [[ $(asked 'whereis(carrierscope_pushed) =/= undefined') == '{ok, true}' ]]; }
waits is_read || fail "nobody reads: $(cat err.first)"
refused 'another carrierscope reads this node' "$node" --readings --seconds 1
several first
kill -9 $first
wait $first 2>/dev/null
waits has_none || fail "a killed reader leaves: $(asked "$has_ours")"
record 0 after "$node" --readings --seconds 1
"$program" record --clean >out 2>err || fail "record --clean: $(cat err)"
holds first "SELECT count(*) > 1 FROM snapshot_end" 1

# An interrupt keeps what there is.
"$program" record -o stopped.db "$node" --readings --seconds 600 >out 2>err &
first=$!
waits is_read || fail "nobody reads: $(cat err)"
several stopped
kill -INT $first
wait $first || fail "an interrupt: $(cat out err)"
holds stopped "SELECT count(*) > 1 FROM snapshot_end" 1
waits has_none || fail "an interrupt leaves: $(asked "$has_ours")"

# What it names: no cookie, another cookie, no node, a command that starts a node of its own, and one that says nothing.
mkdir none
HOME=$work/none refused 'there is no cookie in' "$node" --readings
[[ -z $(ls -A none) ]] || fail 'a cookie is made'
echo WRONG >none/cookie
refused 'readable by its owner alone' "$node" --readings --cookie-file none/cookie
chmod 400 none/cookie
refused 'its cookie is not that of --cookie-file' "$node" --readings --cookie-file none/cookie
refused 'cannot be reached' "nobody$$" --readings
refused 'starts a node of its own' --via 'erl -noinput -eval' --readings
refused 'gave no reading: it printed nothing' --via 'true' --readings
refused 'gave no reading: sh: 1: csc-nothing: not found' --via 'csc-nothing' --readings
printf 'csp1 AAAA\ncsp-error this node \033[31mis not read\n' >lies
refused "the node cannot be read: this node \x1b[31mis not read" --via 'cat lies #' --readings
# 100 MB in one line.
refused 'gave no reading' --via 'head -c 100000000 /dev/zero #' --readings

# Little free memory.
ends_node
epmd_pid='' node=small$$ kernel=$work/kernel
mkdir -p "$kernel/proc/self"
echo 'MemAvailable: 60000 kB' >"$kernel/proc/meminfo"
ERL_FLAGS='+P 1000000' CARRIERSCOPE_KERNEL_FILES=$kernel starts_node '[spawn(fun() -> receive stop -> ok end end) || _ <- lists:seq(1, 10000)],
  register(keeper, self()), receive stop -> ok end.'
refused 'only 58 MiB of memory are free (/proc/meminfo), and a snapshot may take 16 MiB: --force' "$node" --readings --seconds 1
record 0 forced "$node" --readings --seconds 1 --force
holds forced "SELECT count(*) > 0 FROM snapshot_end" 1

# A little more: what a reading takes at its peak is bounded.
echo 'MemAvailable: 100000 kB' >"$kernel/proc/meminfo"
os_pid=$(asked 'list_to_integer(os:getpid())' | tr -dc '0-9 ' | tr -d ' ')
figure() { awk -v "key=$1:" '$1 == key { print $2 }' "/proc/$os_pid/status"; }
if echo 5 >"/proc/$os_pid/clear_refs"; then
  # Again where a busy machine reads it too seldom.
  for times in 3 9 27; do
    rm -f little.db
    echo 5 >"/proc/$os_pid/clear_refs"
    before=$(figure VmRSS)
    record 0 little "$node" --readings --seconds $times
    [[ $(sqlite3 little.db 'SELECT count(*) > 2 FROM snapshot_end') != 1 ]] || break
  done
  holds little "SELECT count(*) > 2 FROM snapshot_end" 1
  holds little "SELECT count(*) FROM runtime_fact WHERE key = 'snapshot_thinned'" 0
  [[ $(($(figure VmHWM) - before)) -le 16384 ]] || fail "a reading takes $(($(figure VmHWM) - before)) KiB at its peak"
else
  echo 'PARTLY SKIPPED: the peak of memory (/proc/PID/clear_refs)'
fi
# So many processes that the list of them alone is too much.
[[ $(asked '[spawn(fun() -> receive stop -> ok end end) || _ <- lists:seq(1, 200000)], ok') == '{ok, ok}' ]] || fail 'no processes'
record 0 many "$node" --readings --seconds 2
grep -q 'the node has little memory for a reading: 0 holders of each kind are listed' err || fail "nobody says what is left out: $(cat err)"
holds many "SELECT count(*) > 0 FROM runtime_fact WHERE key = 'snapshot_thinned'" 1
holds many "SELECT count(*) FROM snapshot_process" 0
# More than that of processes and of memory: holders are listed as long as it reads.
echo 'MemAvailable: 200000 kB' >"$kernel/proc/meminfo"
[[ $(asked '[spawn(fun() -> receive stop -> ok end end) || _ <- lists:seq(1, 90000)], ok') == '{ok, ok}' ]] || fail 'no more processes'
for times in 13 39 117; do
  rm -f more.db
  record 0 more "$node" --readings --seconds $times
  [[ $(sqlite3 more.db 'SELECT count(*) > 10 FROM snapshot_end') != 1 ]] || break
done
holds more "SELECT count(*) > 10 FROM snapshot_end" 1
holds more "SELECT count(*) FROM runtime_fact WHERE key IN ('snapshot_thinned', 'snapshot_failed')" 0
holds more "SELECT count(*) FROM snapshot_end WHERE snapshot_id NOT IN (SELECT snapshot_id FROM snapshot_process)" 0
holds more "SELECT min(processes_seen) > 100, max(processes_seen) < 10000, min(processes) >= 300000 FROM snapshot_holders" '1|1|1'
ends
