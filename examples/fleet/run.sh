#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh [NODES [STEP [PAGE]]]: a fleet to try.  Starts three private ClickHouse servers on loopback, of Debian's packages,
# records the twin 18 times (five apps, three releases, one of them leaking, one with bad flags) and searches three of the
# recordings for better flags, reads five crash dumps, pushes all, makes a week of NODES nodes (1000) of them with a point
# every STEP seconds (600), prints each answer of `carrierscope fleet report` beside what the twin and the dumps know, writes
# the page of the fleet to PAGE, and stops what it started.
#
# $CARRIERSCOPE and $CARRIERSCOPE_TWIN: the programs, else the installed ones.  Where there are none, missing packages are
# installed (this needs root, all else does not) and build/release is made.  $CSC_FLEET_PORT: the first of six ports (else free ones).
# Exit status: 0 all answers are true, 1 one is not, 77 servers or LTTng cannot be had.
set -u
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
nodes=${1:-1000}
step=${2:-600}
page=${3:-}
program=${CARRIERSCOPE:-carrierscope}
twin=${CARRIERSCOPE_TWIN:-carrierscope-twin}
fleet_apps=$here/../apps
# shellcheck source=server.sh
. "$here/server.sh"
if [ -n "${CSC_FLEET_PORT:-}" ]; then
  port=$CSC_FLEET_PORT
else
  takes_ports || { echo "SKIPPED: no ports are free here"; exit 77; }
fi
# shellcheck source=../session-daemon.sh
. "$here/../session-daemon.sh"
work=$(mktemp -d) || exit 1
servers=
searchers=
session=carrierscope-fleet-$$

stops() {
  ends_session "$session"
  ends_daemon
  for pid in $searchers $servers; do
    kill "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
  done
  rm -rf "$work"
}
trap stops EXIT
trap 'exit 130' INT TERM

if [ -z "${CARRIERSCOPE:-}" ] && ! command -v "$program" >/dev/null; then
  "$here/../install-packages.sh" run || exit 1
  built=$here/../../build/release
  if [ ! -x "$built/analyzer/carrierscope" ]; then
    (cd "$here/../.." && cmake --workflow --preset release) >"$work/log" 2>&1 || { tail -n 30 "$work/log" >&2; exit 1; }
  fi
  program=$built/analyzer/carrierscope
  twin=$built/provider/carrierscope-twin
fi

clickhouse=$(sh "$fleet_apps/unpack.sh" clickhouse-server usr/sbin/clickhouse-server) || { echo "$clickhouse"; exit 77; }
p1=$port
p2=$((port + 2))
p3=$((port + 4))
for own in "$p1 $p1 $p2 $p3" "$p2 $p1 $p2 $p3" "$p3 $p1 $p2 $p3"; do
  # shellcheck disable=SC2086
  set -- $own
  first=$1
  shift
  begins_server "$work/$first" "$first" "$@" || { echo "SKIPPED: no server on port $first: $(tail -n 1 "$work/$first/out")"; exit 77; }
  servers="$servers $server"
done
for first in $p1 $p2 $p3; do
  "$program" fleet init --to "http://127.0.0.1:$first/fleet" --cluster fleet --unreplicated || exit 1
done
to=http://127.0.0.1:$p1/fleet
seeds=http://127.0.0.1:$p1/seeds
"$program" fleet init --to "$seeds" || exit 1

# The twin: an app keeps so many blocks of 20 to 60 KB, a later release more of them; bad flags give each a carrier.
command -v lttng lttng-sessiond >/dev/null || { echo "SKIPPED: LTTng is not installed: apt-get install lttng-tools"; exit 77; }
"$twin" --version >/dev/null || exit 1
export LTTNG_HOME="$work"
starts_daemon "$work/sessiond" || { echo "SKIPPED: LTTng's session daemon does not start: $(tail -n 1 "$work/sessiond")"; exit 77; }

# pushes DATABASE APP RELEASE [FLAGS...]
pushes() {
  pushed=$1
  labels="--label app=$2 --label release=$3 --label node=$2-$3"
  shift 3
  # shellcheck disable=SC2086
  "$program" push "$pushed" --to "$seeds" $labels --label "flags=$*" 2>"$work/log" || { cat "$work/log"; exit 1; }
}

# searches APP: tries flags on its recording of r0, which is pushed then; what the twin has without and with them is in
# $work/tried.APP.
searches() {
  "$program" advise "$work/$1-r0.db" --flags "$work/flags" --letters B --jobs 1 --otp 25 >"$work/log.$1" 2>&1 || return 1
  # shellcheck disable=SC2086
  "$twin" --workload "$work/workload.$1" --quiet --truth "$work/with.$1" -- $tried || return 1
  awk -F, -v app="$1" '$2 == "end" && $5 == "all" { bytes[FILENAME] = $7 + $9 + $11 }
    END { printf "tried %s %.0f %.0f\n", app, bytes[ARGV[1]], bytes[ARGV[2]] }' "$work/truth.$1" "$work/with.$1" >"$work/tried.$1"
}
tried='+MBlmbcs 1024'
echo "$tried" >"$work/flags"

# records APP RELEASE [FLAGS...]: the database of a recording, pushed, or searched first; its truth is added to $work/twin.
records() {
  app=$1
  release=$2
  shift 2
  cat >"$work/workload" <<END
seed $((app * 10 + release))
schedulers 1
size message uniform 20000 60000
life kept forever
source messages binary size message life kept
phase fill operations $(((1200 + 300 * app) * (10 + 3 * release) / 10))
  make messages 1
END
  rm -rf "$work/trace" "$work/go"
  mkfifo "$work/go" || exit 1
  # It begins once it alone is recorded: other programs may be on this machine.
  # shellcheck disable=SC2016
  LTTNG_UST_REGISTER_TIMEOUT=-1 LTTNG_UST_ALLOW_BLOCKING=1 sh -c 'read -r _ <"$0"; exec "$@"' "$work/go" \
    "$twin" --workload "$work/workload" --quiet --truth "$work/truth" -- "$@" &
  recorded=$!
  {
    creates_session "$session" --output="$work/trace" &&
      lttng enable-channel -u -s "$session" --buffers-uid --subbuf-size=1M --num-subbuf=8 --blocking-timeout=inf memory &&
      lttng enable-event -u -s "$session" -c memory 'org_erlang_otp:carrier_*' &&
      lttng enable-event -u -s "$session" -c memory 'carrierscope:*' &&
      lttng add-context -u -s "$session" -c memory -t vpid -t vtid -t procname &&
      lttng track -u -s "$session" --vpid "$recorded" &&
      lttng start "$session"
  } >"$work/log" 2>&1 || { kill "$recorded"; cat "$work/log"; exit 1; }
  echo go >"$work/go"
  wait "$recorded" || exit 1
  ends_session "$session"
  recording=$work/app$app-r$release$(echo "$*" | tr -d " +").db
  "$program" load -q -f -o "$recording" "$work/trace" || exit 1
  if [ $((release + app % 2 + $#)) -eq 0 ]; then
    mv "$work/workload" "$work/workload.app$app"
    cp "$work/truth" "$work/truth.app$app"
    searches "app$app" &
    searchers="$searchers $!"
  else
    pushes "$recording" "app$app" "r$release" "$@"
  fi
  awk -F, -v head="app$app r$release $(echo "${*:--}" | tr ' ' _)" '
    $2 == "end" { bytes[$5] = $7 + $9 + $11 }
    END { printf "%s %.0f %.0f\n", head, bytes["all"], bytes["binary_alloc"] }' "$work/truth" >>"$work/twin"
}
begun=$(date +%s)
for app in 0 1 2 3 4; do
  for release in 0 1 2; do
    records $app $release
    [ $app -ne 2 ] || records $app $release +MBsbct 16
  done
done
# A dump of each app, which knows who holds memory; the twin has no processes.
for app in 0 1 2 3 4; do
  cat >"$work/app$app.dump" <<END
=erl_crash_dump:0.5
$(LC_ALL=C date '+%a %b %e %H:%M:%S %Y')
Slogan: a dump of a node of app$app
System version: Erlang/OTP 25 [erts-13.1.5] [source] [64-bit] [smp:2:2]
=memory
total: 20000000
=proc:<0.$((100 + app)).0>
State: Waiting
Name: session_cache
Spawned as: cache:init/1
Stack+heap: $((131072 * (app + 1)))
OldHeap: 0
=end
END
  "$program" load -q -f -o "$work/app$app-dump.db" "$work/app$app.dump" || exit 1
  pushes "$work/app$app-dump.db" "app$app" dump
done
# shellcheck disable=SC2086
wait $searchers
for app in 0 2 4; do
  cat "$work/tried.app$app" >>"$work/twin" || { cat "$work/log.app$app"; exit 1; }
  pushes "$work/app$app-r0.db" "app$app" r0
done
ends_daemon
echo "18 recordings of the twin and 5 dumps, pushed in $(($(date +%s) - begun)) s"

# The statements of nodes.sql, each in a file.
end=$(date +%s)
begun=$end
rows=$((nodes * (590400 / step)))
sed -e '/^--/d' -e "s/\$NODES/$nodes/g; s/\$STEP/$step/g; s/\$END/$end/g; s/\$HOURS/$((nodes * 165))/g" "$here/nodes.sql" |
  awk -v RS=';\n' -v to="$work/statement" 'NF { print > (to NR) }'
for statement in "$work"/statement*; do
  curl -sS "http://127.0.0.1:$p1/?database=fleet&insert_distributed_sync=1" --data-binary "@$statement" >"$work/answer" || exit 1
  [ ! -s "$work/answer" ] || { cat "$work/answer"; exit 1; }
done
echo "$nodes nodes, $((2 * rows)) points on three servers in $(($(date +%s) - begun)) s"

awk -v nodes="$nodes" -v step="$step" -v end="$end" -f "$here/truth.awk" "$work/twin" >"$work/unsorted"
awk '$1 != "tried" { print "recorded", $1, $2, $3, $4 }' "$work/twin" | sort - "$work/unsorted" >"$work/truth"

# asked NAME: the answer as CSV without its header, and how long it took.
asked() {
  begun=$(date +%s%N)
  "$program" fleet report "$1" --to "$to" --format csv >"$work/csv" || exit 1
  echo "$1: $((($(date +%s%N) - begun) / 1000000)) ms" >&2
  tail -n +2 "$work/csv" | tr -d '\r'
}
{
  asked fragmenting | awk -F, '{ print "fragmenting", $3, $5 }' | sort -u
  asked leak | awk -F, '{ print "leak", $1, $2, $4 }'
  asked silent | awk -F, '{ print "silent", $3 }'
  asked use | awk -F, '{ gsub(" ", "_", $3); printf "use %s %s %s %.0f %.0f\n", $1, $2, $3 == "" ? "-" : $3, $6, $7 }'
  asked release | awk -F, '{ printf "release %s %s %s %.0f %.0f\n", $1, $2, $3, $6, $7 }'
  asked saving | awk -F, -v tried="$tried" '$2 == tried { printf "saving %s %.0f %.0f\n", $1, $6, $8 }'
  curl -sS "http://127.0.0.1:$p1/?database=seeds" --data-binary "SELECT concat('recorded ', app, ' ', release, ' ',
    if(flags = '', '-', replaceAll(flags, ' ', '_')), ' ', ifNull(toString(carriers), 'unknown')) FROM visible WHERE release <> 'dump'"
  asked holder | awk -F, '{ printf "holder %s %s %.0f\n", $1, $5, $7 }'
} | sort >"$work/answers"

# Names must be the same; numbers may differ by 1 %; a saving must be within its range.
wrong=$(awk '
  function same(a, b) { return a == b || (a ~ /^[0-9]+$/ && b ~ /^[0-9]+$/ && a - b <= 0.01 * b && b - a <= 0.01 * b) }
  NR == FNR { truth[FNR] = $0; lines = FNR; next }
  { split(truth[FNR], want, " "); bad = 0
    if ($1 == "saving") bad = $2 != want[2] || want[3] < $3 - 1 || want[3] > $4 + 1
    else for (i = 1; i <= NF; i++) bad += !same($i, want[i])
    if (bad || !(FNR in truth)) print "  answer " $0 "\n  truth  " truth[FNR]; seen = FNR }
  END { if (seen != lines) print "  " seen " answers, " lines " truths" }' "$work/truth" "$work/answers")
echo
echo "answer                                          truth"
paste -d'|' "$work/answers" "$work/truth" | awk -F'|' '{ kind = $1; sub(/ .*/, "", kind)
  if (++shown[kind] <= 4) printf "%-47s %s\n", $1, $2; else more[kind]++ }
  END { for (kind in more) print "... and " more[kind] " more of " kind }'
"$program" fleet status --to "$to"
[ -z "$page" ] || "$program" fleet report --to "$to" --format html -f -o "$page"
# A server that is lost is said, and the others answer.
kill "$server"
wait "$server" 2>/dev/null
"$program" fleet report silent --to "$to" >"$work/out" 2>&1
grep 'cannot be reached' "$work/out" || wrong="$wrong
  a server that is lost is not said: $(cat "$work/out")"
if [ -n "$wrong" ]; then
  echo "not true:"
  echo "$wrong"
  exit 1
fi
echo "All $(wc -l <"$work/truth") answers are true."
