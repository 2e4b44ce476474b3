#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# top_test.sh CARRIERSCOPE EBIN TRACE: `carrierscope top` of a live node, asked by erl_call and by a command
# that prints a long answer in pieces, on a pipe and on a terminal; of a database; and what it refuses.
. "$(dirname "$0")/../harness/main.sh"
tests_program "$1"
needs script sqlite3
trace=$3
names_nodes

# Holds 64 MiB, and gets 8 MiB more when it is asked to: at once, as a reading may be taken between two carriers.
starts_node '
  Megabytes = fun(N) -> [binary:copy(<<"a">>, 1048576) || _ <- lists:seq(1, N)] end,
  spawn(fun() -> register(keeper, self()), (fun F(L) -> receive more -> F([binary:copy(<<"a">>, 8388608) | L]) end end)(Megabytes(64)) end).'

# top STATUS ARGUMENT...: output in $work/out and $work/err.
top() {
  local wanted=$1
  shift
  "$program" top "$@" >"$work/out" 2>"$work/err"
  local status=$?
  [[ $status -eq $wanted ]] || fail "top $* ends with $status, not $wanted"
}
# has PATTERN: on a line of the output.
has() {
  grep -Eq -- "$1" "$work/out" || fail "no '$1' in: $(cat "$work/out")"
}

top 0 --node "$node" --count 1
has "^$node@.* \(OS pid $node_pid\)  20"
has '^resident [0-9.]+ MiB, carriers [0-9.]+ MiB, in use [0-9.]+ MiB, pool '
has '^binary_alloc +(6[4-9]|[7-9].)\.[0-9]+ MiB +6[4-9]\.[0-9]+ MiB +[0-9]+ % '
has '^<[0-9.]+> keeper +6[45].[0-9]+ MiB +(-|[-+]?[0-9.]+ [KM]?i?B) '
[[ $(LC_ALL=C.UTF-8 wc -L <"$work/out") -le 80 ]] || fail 'a line is longer than 80 columns'
grep -q $'\033' "$work/out" && fail 'codes of a terminal in a pipe'

# Names beyond ASCII, and names that would act on a terminal.
asked 'spawn(fun() -> register(binary_to_atom(<<208,186,208,187,209,142,209,135,32,230,151,165,230,156,172,126,101,27,91,51,49,109,194,155,226,128,174>>, utf8), self()), receive stop -> ok end end)' >/dev/null
LC_ALL=C.UTF-8 top 0 --node "$node" --count 1
has '^<[0-9.]+> ключ 日本~e.\[31m\\u\{9b\}\\u\{202e\} +[0-9.]+ KiB '
LC_ALL=C top 0 --node "$node" --count 1
has '^<[0-9.]+> \?{4} \?\?~e.\[31m\\u\{9b\}\\u\{202e\} '
LC_ALL=C grep -q '[^ -~]' "$work/out" && fail "not of ASCII: $(cat "$work/out")"
asked 'exit(whereis(binary_to_atom(<<208,186,208,187,209,142,209,135,32,230,151,165,230,156,172,126,101,27,91,51,49,109,194,155,226,128,174>>, utf8)), kill)' >/dev/null

top 0 --pid "$node_pid" --count 1 --sort name
[[ $(grep -E '^[a-z_]+_alloc ' "$work/out" | head -n 1) == binary_alloc* ]] || fail 'not sorted by name'

# Processes of one call are one line; what is looked at by three at once leaves nothing in the node's log.
asked '[spawn(fun() -> timer:sleep(infinity) end) || _ <- lists:seq(1, 200)]' >/dev/null
top 0 --node "$node" --once
has '^20[0-9] x erlang:apply/2 +[0-9.]+ [KM]iB '
for ((i = 0; i < 3; i++)); do
  "$program" top --node "$node" --count 3 >"$work/out.$i" 2>"$work/err.$i" &
  viewers[i]=$!
done
wait "${viewers[@]}"
for ((i = 0; i < 3; i++)); do
  grep -q keeper "$work/out.$i" || fail "one of three viewers sees nothing: $(cat "$work/err.$i")"
  rm "$work/err.$i"
done
[[ ! -s $work/node.log ]] || fail "the node's log has $(cat "$work/node.log")"

# Growth is that of the two readings between which the keeper got more; others may grow or shrink in that time, too, so
# that it gets more until 8 MiB are seen.
"$program" top --node "$node" --count 100 --sort growth >"$work/out" 2>"$work/err" &
viewer=$!
waits grep -q keeper "$work/out"
grown() {
  grep -Eq '^binary_alloc .* \+([89]|[1-9][0-9]+)\.[0-9]+ MiB( |$)' "$work/out"
}
for ((times = 0; times < 12; times++)); do
  asked 'keeper ! more' >/dev/null
  for ((tenths = 0; tenths < 50; tenths++)); do
    ! grown || break 2
    sleep 0.1
  done
done
grown || fail "no growth: $(tail -n 30 "$work/out")"
kill -INT $viewer
wait $viewer || fail 'an interrupt is a failure'

# As rabbitmqctl eval prints it: in pieces.
cat >"$work/evaluates" <<END
#!/bin/sh
printf '%s' "\$1" >"$work/expression"
exec erl -noinput -hidden -sname asks\$\$ -eval '
  {ok, Text} = file:read_file("$work/expression"),
  {ok, Tokens, _} = erl_scan:string(binary_to_list(Text)), {ok, Parsed} = erl_parse:parse_exprs(Tokens),
  [_, Host] = string:tokens(atom_to_list(node()), "@"),
  {value, Value, _} = rpc:call(list_to_atom("$node@" ++ Host), erl_eval, exprs, [Parsed, []]),
  io:format("~p~n", [Value]), halt().'
END
chmod +x "$work/evaluates"
top 0 --via "$work/evaluates" --count 1
has '^<[0-9.]+> keeper +(7[2-9]|[89][0-9]|1[0-9][0-9])\.[0-9]+ MiB'
has '^driver_alloc '

# A cookie in another place.
mkdir "$work/elsewhere"
mv "$work/.erlang.cookie" "$work/elsewhere/cookie"
top 0 --node "$node" --count 1 --cookie-file "$work/elsewhere/cookie"
has keeper
refused() {
  local before
  before=$(left)
  top "$@"
  [[ $(left) == "$before" ]] || fail "top $*: left behind: $(left)"
  [[ $(wc -l <"$work/err") -eq 1 && ! -s $work/out ]] || fail "top $*: not one line: $(cat "$work/out")"
}
refused 1 --node "$node" --count 1
grep -q 'cookie-file' "$work/err" || fail 'the cookie is not named'
echo WRONG >"$work/.erlang.cookie"
chmod 400 "$work/.erlang.cookie"
refused 1 --node "$node" --count 1
rm -f "$work/.erlang.cookie"
mv "$work/elsewhere/cookie" "$work/.erlang.cookie"
ls -d "$work"/carrierscope-* >/dev/null 2>&1 && fail 'the folder of a cookie is left'
refused 1 --node "nobody$$" --count 1
refused 1 --pid $$ --count 1
refused 2 --count 1
refused 2 --node "$node" "$work/run.db"
refused 1 "$work/none.db"

# On a terminal: a key sorts, q ends, the screen comes back.
mkfifo "$work/keys"
TERM=xterm script -qec "stty rows 30 cols 80; $program top --node $node" "$work/tty" <"$work/keys" >/dev/null 2>&1 &
script_pid=$!
exec 3>"$work/keys"
waits grep -qs keeper "$work/tty"
printf n >&3
# After the line of all allocators and that of binary_alloc.
sorted_by_name() {
  tr -d '\r' <"$work/tty" | grep -A 3 '^.\[1mallocator' | grep -q '^driver_alloc'
}
waits sorted_by_name || fail 'a key does not sort'
printf q >&3
exec 3>&-
wait $script_pid
grep -q $'\033\\[?1049l' "$work/tty" || fail 'the screen is not as it was'

# A database: once and for all, and one that still grows.
"$program" load -q -o "$work/run.db" "$trace" || fail 'the trace is not loaded'
top 0 "$work/run.db"
has '^eheap_alloc '
has 'events lost$'
has '^unknown: the recording has no snapshot'
sqlite3 "$work/run.db" 'UPDATE source SET complete = 0'
"$program" top "$work/run.db" --count 2 >"$work/out" 2>"$work/err" || fail 'a growing database'
[[ $(grep -c '^all ' "$work/out") -eq 2 ]] || fail 'a growing database is read once'

# The node goes while it is looked at.
"$program" top --node "$node" >"$work/out" 2>"$work/err" &
viewer=$!
waits grep -q keeper "$work/out"
kill -9 "$node_pid"
wait $viewer
[[ $? -eq 1 && $(wc -l <"$work/err") -eq 1 ]] || fail 'the node went, and it is not said'
rm -f "$work/err"
ends
