#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# left_test.sh CARRIERSCOPE: what `carrierscope record` and `keep` leave when they are killed or interrupted, and how that goes;
# and that `keep` removes, follows and ends nothing of others.
. "$(dirname "$0")/../harness/main.sh"
own_daemon "$@"
tests_program "$1"
needs lttng lttng-sessiond sqlite3 erl erl_call epmd pgrep
plain_erl
export LTTNG_HOME=$work LTTNG_UST_REGISTER_TIMEOUT=60000
names_nodes
recorder=
parent=
cleanup() {
  [[ -z $recorder ]] || kill -9 "$recorder" 2>/dev/null
  [[ -z $parent ]] || kill -9 "$parent" 2>/dev/null
  "$program" record --clean >/dev/null 2>&1
  ends_node
  ends_daemon
}
starts_node '
  spawn(fun() -> register(keeper, self()),
    (fun F(L) -> receive after 20 -> F(lists:sublist([binary:copy(<<"a">>, 100000) | L], 100)) end end)([]) end).'
cp "$work/.erlang.cookie" "$work/cookie"
chmod 400 "$work/cookie"

has_session() { lttng --no-sessiond list 2>/dev/null | grep -q "carrierscope-$1-.*\[$2"; }
has_no_session() { ! lttng --no-sessiond list 2>/dev/null | grep -q 'carrierscope-'; }
has_no_daemon() { ! lttng --no-sessiond list >/dev/null 2>&1; }
is_hooked() { [[ $(asked 'maps:get(hooked, carrierscope:info())') == '{ok, true}' ]]; }
is_free() { [[ $(asked '{maps:get(hooked, carrierscope:info()), whereis(carrierscope_recorder), whereis(carrierscope_keeper)}') == \
  '{ok, {false, undefined, undefined}}' ]]; }
# starts ARGUMENT...: in the background, as a child that nobody reaps: a zombie when it is killed.
starts() {
  # shellcheck disable=SC2016
  bash -c '"$@" >"$0/out" 2>"$0/err" & echo $! >"$0/pid"; exec sleep 600' "$work" "$program" "$@" &
  parent=$!
  waits test -s "$work/pid"
  recorder=$(cat "$work/pid")
  rm -f "$work/pid"
}
reaps() {
  kill -9 "$parent"
  wait "$parent" 2>/dev/null
  parent=
}
# now COMMAND...: within seconds; a busy machine takes its time.
now() {
  waits "$@"
}
has_sampled() { [[ $(asked 'maps:get(allocs, carrierscope:info()) > 20') == '{ok, true}' ]]; }

# A recorder is killed: the session, the daemon and the cookie's home go at once, what it recorded is named, and judged.
exec 9>"$work/inherited"
starts record -o "$work/killed.db" --node "$node" --cookie-file "$work/cookie" --seconds 600 --sample 64KiB
waits is_hooked || fail "a recorder does not begin: $(cat "$work/err")"
daemon=$(pgrep -P "$recorder" lttng-sessiond)
! readlink "/proc/$daemon"/fd/* | grep -q inherited || fail 'the session daemon has a file of its starter'
exec 9>&-
[[ $(stat -c %a "$work"/killed.db.trace-*) == 700 ]] || fail "others may read a trace: $(stat -c %a "$work"/killed.db.trace-*)"
asked 'timer:sleep(1500)' >/dev/null
waits has_sampled || fail 'nothing is sampled'
kill -9 "$recorder"
now has_no_session || fail 'a killed recorder leaves its session'
now has_no_daemon || fail 'a killed recorder leaves its session daemon'
now grep -q "(OS pid $recorder) was killed; what it recorded is in '$work/killed.db.trace-$recorder-.*record --clean" "$work/err" ||
  fail 'what a killed recorder recorded is not named'
[[ $(find "$work/.carrierscope" -name '.erlang.cookie') == '' ]] || fail "a killed recorder leaves its cookie"
# Its next command says so, too.
"$program" top --node "$node" --once >"$work/out" 2>"$work/err"
grep -q "in '$work/killed.db.trace-" "$work/err" || fail "not named by the next command: $(cat "$work/err")"
"$program" record --clean >"$work/out" 2>"$work/err" || fail "record --clean: $(cat "$work/out")"
grep -q "^[A-Z][A-Z ,]*: " "$work/out" && grep -q "^$node@.* (OS pid $node_pid), " "$work/out" || fail "no verdict of a killed recorder: $(cat "$work/out")"
[[ $(stat -c %a "$work/killed.db") == 600 ]] || fail "others may read a database: $(stat -c %a "$work/killed.db")"
[[ $(sqlite3 "$work/killed.db" 'SELECT count(*) > 0 FROM sample_block') == 1 ]] || fail 'nothing in the database of a killed recorder'
[[ ! -e $work/.carrierscope && $(find "$work" -name '*.trace-*') == '' ]] || fail "left behind: $(left)"
waits is_free || fail 'a killed recorder leaves something in the node'
reaps

# Who watches it is killed as well: the next command ends what is left, of a zombie, too.
starts record -o "$work/both.db" --node "$node" --cookie-file "$work/cookie" --seconds 600 --sample 64KiB
waits is_hooked || fail "a recorder does not begin: $(cat "$work/err")"
for watcher in $(pgrep -P "$recorder" carrierscope); do kill -9 "$watcher"; done
kill -9 "$recorder"
waits is_free || fail 'a recorder that was killed with its watcher leaves something in the node'
has_session record active || fail 'there is no session left: who ended it?'
"$program" top --node "$node" --once >"$work/out" 2>"$work/err"
has_no_session || fail 'the next command does not end the session of a zombie'
has_no_daemon || fail 'the next command does not end the daemon of a zombie'
grep -q "in '$work/both.db.trace-" "$work/err" || fail "not named: $(cat "$work/err")"
"$program" record --clean >"$work/out" 2>"$work/err" || fail "record --clean: $(cat "$work/out")"
[[ -s $work/both.db && ! -e $work/.carrierscope ]] || fail "left behind: $(left)"
reaps

# A keeper, in a folder with files of others, where links wait under each name that it may write.  A command of its alarm runs
# when it is killed.  A pid in .keeper is that of a daemon of somebody else.
daemon=
starts_daemon "$work/daemon.log" || skip "$(cat "$work/daemon.log")"
mkdir -m 700 "$work/out.d"
# Not that of another test, which ends it.
stranger=${daemon:-$(pgrep -n -f "^lttng-sessiond .*--no-kernel" | head -n 1)}
echo "$stranger" >"$work/out.d/.keeper"
"$program" keep -o "$work/out.d" --node "nobody$$" >"$work/out" 2>"$work/err" && fail 'a node that is not there is kept'
kill -0 "$stranger" || fail "somebody else's daemon was ended, whose pid is in .keeper"
echo "$stranger" >"$work/out.d/.keeper"
for name in 20200101-000000-other 20200101-000001-rss; do echo theirs >"$work/out.d/$name.db"; echo theirs >"$work/out.d/$name.txt"; done
for ((second = $(date +%s), last = second + 900; second < last; second++)); do
  printf -v name '%(%Y%m%d-%H%M%S)T' "$second"
  ln -s "$work/victim" "$work/out.d/$name-rss.txt"
done
keeps() {
  starts keep -o "$work/out.d" --node "$node" --cookie-file "$work/cookie" --snapshots 1s --keep 1 "$@"
}
keeps --mode 640 --alarm 'rss>1MiB' --sample 64KiB --on-alarm 'touch "$HOME/ran"; sleep 600'
waits test -e "$work/ran" || fail "no command of an alarm: $(cat "$work/out" "$work/err")"
[[ ! -e $work/victim ]] || fail 'a link was followed'
[[ $(find "$work/out.d" -type f -user "$(id -un)" \( -name '*-rss*.db' -o -name '*-rss*.txt' -o -name '.kept' \) -newer "$work/cookie" \
  ! -name '2020*' ! -perm 640) == '' ]] || fail "rights: $(ls -l "$work/out.d" | grep -v '^l')"
[[ $(find "$work/out.d" -mindepth 1 -maxdepth 1 -type d ! -perm 750) == '' && $(find "$work/out.d" -name '.alarm-*') != '' ]] ||
  fail "rights of folders: $(ls -lA "$work/out.d" | grep '^d')"
asked 'timer:sleep(1500)' >/dev/null
kill -9 "$recorder"
now has_no_session || fail 'a killed keeper leaves its session'
now is_free || fail 'a killed keeper leaves something in the node'
now grep -q "(OS pid $recorder) was killed.*keep -o $work/out.d'" "$work/err" || fail "a killed keeper is not named: $(cat "$work/err")"
has_no_ring() { [[ $(find "$work/out.d" -name '.ring-*' -o -name '.alarm-*') == '' ]]; }
now has_no_ring || fail 'a killed keeper leaves a ring'
reaps
# The next one has the folder at once, judges, and is interrupted while it begins.
changed=$(find "$work/out.d" -name '*-rss*.db' ! -name '2020*')
sqlite3 "$changed" 'CREATE TABLE mine (a)'
keeps
waits grep -q "^kept in $work/out.d/.*-left.db" "$work/out" || fail "what a killed keeper left is not judged: $(cat "$work/out" "$work/err")"
[[ $(find "$work/out.d" -name '*-left.*' ! -perm 600) == '' ]] || fail "rights without --mode: $(ls -l "$work/out.d" | grep -v '^l')"
waits has_session keep 'inactive\|active' || fail 'the next keeper makes no session'
kill -TERM "$recorder"
now has_no_session || fail 'a keeper that is interrupted while it begins leaves its session'
now is_free || fail 'a keeper that is interrupted while it begins leaves something in the node'
reaps
recorder=
kill -0 "$stranger" || fail "somebody else's daemon was ended"
[[ -s $work/out.d/20200101-000000-other.db && -s $work/out.d/20200101-000001-rss.txt && -s $work/out.d/20200101-000001-rss.db ]] ||
  fail "files of others are removed: $(ls "$work/out.d")"
[[ -s $changed ]] || fail 'a database that its owner has changed was removed'
[[ ! -e $work/.carrierscope ]] || fail "a note is left: $(ls -A "$work/.carrierscope")"
rm -f "$work/err"
ends
