#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# cluster_test.sh CARRIERSCOPE TRACE: a cluster whose parts fail: a shard killed in a push and before a question, a full
# disk, ZooKeeper and a replica killed.  What no push finished is invisible, what is repeated counts once, and what is
# missing is said.
. "$(dirname "$0")/../../harness/main.sh"
fleet_apps=$here/../../../examples/apps
tests_program "$1"
. "$here/../../../examples/fleet/server.sh"
trace=$2
declare -A running=()

cleanup() {
  for pid in "${running[@]}"; do
    kill "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
  done
}

needs curl sqlite3 node
clickhouse=$(sh "$fleet_apps/unpack.sh" clickhouse-server usr/sbin/clickhouse-server) || skip "${clickhouse#SKIPPED: }"

# Ports: of the first server, the second, the one with a small disk, and ZooKeeper.
takes_ports || skip "no ports are free here"
p1=$port
p2=$((port + 3))
p3=$((port + 6))
p4=$((port + 9))
to=http://127.0.0.1:$p1/fleet

# more NUMBER PORT: of server NUMBER: the replicas of cluster "pair", and ZooKeeper.
more() {
  echo "<remote_servers><pair><shard><internal_replication>true</internal_replication>"
  echo "<replica><host>127.0.0.1</host><port>$((p1 + 1))</port></replica>"
  echo "<replica><host>127.0.0.1</host><port>$((p2 + 1))</port></replica></shard></pair>"
  echo "<fleet><shard><replica><host>127.0.0.1</host><port>$((p1 + 1))</port></replica></shard>"
  echo "<shard><replica><host>127.0.0.1</host><port>$((p2 + 1))</port></replica></shard></fleet></remote_servers>"
  echo "<zookeeper><node><host>127.0.0.1</host><port>$p4</port></node><session_timeout_ms>3000</session_timeout_ms></zookeeper>"
  echo "<macros><shard>1</shard><replica>$1</replica></macros>"
  echo "<distributed_ddl><path>/ddl</path></distributed_ddl>"
  echo "<interserver_http_port>$(($2 + 2))</interserver_http_port><interserver_http_host>127.0.0.1</interserver_http_host>"
}

# starts NUMBER: server 1 or 2.
starts() {
  local port=$p1
  [[ $1 -eq 1 ]] || port=$p2
  server_more=$(more "$1" "$port")
  begins_server "$work/server$1" "$port" || return 1
  running[$1]=$server
}

# kills NUMBER...
kills() {
  local which
  for which; do
    kill -9 "${running[$which]}" 2>/dev/null
    wait "${running[$which]}" 2>/dev/null
    unset "running[$which]"
  done
}

ask() {
  curl -sS "http://127.0.0.1:${2:-$p1}/?database=${3:-fleet}" --data-binary "$1"
}

# does STATUS TEXT ARGUMENT...: the command ends so, and its messages have TEXT.
does() {
  local wanted=$1 text=$2 status
  shift 2
  # A busy machine's server may take longer than the usual minute.
  [[ " $* " != *' --to '* || " $* " == *' --timeout '* ]] || set -- "$@" --timeout 5m
  timeout 400 "$program" "$@" >"$work/out" 2>"$work/err"
  status=$?
  [[ $status -eq $wanted ]] || fail "$* ends with $status, not $wanted"
  [[ -z $text ]] || cat "$work/out" "$work/err" | grep -qF -- "$text" || fail "$*: no '$text'"
  [[ $wanted -eq 0 || $(wc -l <"$work/err") -eq 1 ]] || fail "$*: not one sentence"
}

# same WHAT WANTED QUERY [PORT [DATABASE]]: the answer of a query.
same() {
  local answer
  answer=$(ask "${@:3}")
  [[ $answer == "$2" ]] || fail "$1: '$answer', not '$2'"
}
# eventually WHAT WANTED QUERY [PORT [DATABASE]]: the same within some minutes.
eventually() {
  local tries=0
  until [[ $(ask "${@:3}" 2>/dev/null) == "$2" ]]; do
    tries=$((tries + 1))
    if [[ $tries -ge 3000 ]]; then
      fail "$1: '$(ask "${@:3}")', not '$2'"
      return
    fi
    sleep 0.1
  done
}
points_of() {
  echo "SELECT count() FROM alloc_point WHERE app = '$1' AND (recording, push) GLOBAL IN (SELECT recording, push FROM visible)"
}

# ZooKeeper comes first: a server of 18.16 that did not find it when it began may die of the first ON CLUSTER.
zookeeper=$(sh "$fleet_apps/unpack.sh" zookeeper usr/share/zookeeper/bin/zkServer.sh) || zookeeper=
command -v java >/dev/null || zookeeper=
printf '%s\n' tickTime=500 "dataDir=$work/zookeeper" clientPortAddress=127.0.0.1 "clientPort=$p4" admin.enableServer=false >"$work/zoo.cfg"
starts_zookeeper() {
  java -Xmx64m -cp "$zookeeper/usr/share/java/zookeeper.jar:$zookeeper/usr/share/java/*" \
    org.apache.zookeeper.server.quorum.QuorumPeerMain "$work/zoo.cfg" >"$work/zookeeper.log" 2>&1 &
  running[zookeeper]=$!
}
sees_zookeeper() {
  local port
  for port in $p1 $p2; do
    eventually "ZooKeeper" 1 "SELECT count() FROM system.zookeeper WHERE path = '/' AND name = 'zookeeper'" "$port" system
  done
}
[[ -z $zookeeper ]] || starts_zookeeper

"$program" load -o "$work/run.db" "$trace" 2>"$work/err" || fail "the trace is not loaded"
# As if it had been recorded an hour ago: reports are of the last 7 days.
cp -R "$trace" "$work/trace"
metadata=$(find "$work/trace" -name metadata)
offset=$(grep -a -o 'offset = [0-9]*' "$metadata" | tr -cd 0-9)
((offset += ($(date +%s) - 3600) * 1000000000 - $(sqlite3 "$work/run.db" 'SELECT max(last_ts_ns) FROM source')))
LC_ALL=C sed -i "s/offset = [0-9]*;/offset = $offset;/" "$metadata"
"$program" load -f -o "$work/run.db" "$work/trace" 2>"$work/err" || fail "the trace of an hour ago is not loaded"
[[ $(sqlite3 "$work/run.db" "SELECT (strftime('%s') - max(last_ts_ns) / 1000000000) BETWEEN 3590 AND 7200 FROM source") == 1 ]] || fail "the trace is not of an hour ago"
"$program" push -o "$work/run.push" "$work/run.db" || fail "nothing is written"
points=$(tr -d '\000' <"$work/run.push" | awk -F'\t' '$10 ~ /^\[[0-9]/ { n += split($10, _, ",") } END { print n }')

for number in 1 2; do
  starts $number || skip "ClickHouse does not start here: $(tail -n 1 "$work/server$number/out")"
done
for port in $p1 $p2; do
  does 0 '' fleet init --to "http://127.0.0.1:$port/fleet" --cluster fleet --unreplicated
done

does 1 'give --cluster' fleet upgrade --to "$to"

# Nodes whose rows lie on the second shard and on the first.
far='' near=''
for name in a b c d e f g h; do
  case $(ask "SELECT cityHash64('$name') % 2") in
  1) far=$name ;;
  *) near=$name ;;
  esac
done

# killed_in NUMBER: hands requests on; before the one with the NUMBER the second server is killed.  $via is its address.
killed_in() {
  rm -f "$work/port"
  mkfifo "$work/port"
  VICTIM=${running[2]} node "$here/stub.mjs" kill "$1" "$p1" >"$work/port" 2>"$work/stub" &
  running[stub]=$!
  read -r via <"$work/port"
  via=http://127.0.0.1:$via/fleet
}
ends_stub() {
  kills stub
  wait "${running[2]}" 2>/dev/null
}

for request in 3 5; do
  killed_in $request
  does 1 'cannot be reached' push "$work/run.db" --to "$via" --label "node=$far" --label "app=cut$request"
  ends_stub
  does 1 'cannot be reached' push "$work/run.db" --to "$to" --label "node=$far" --label "app=cut$request"
  does 0 'Some servers of the cluster cannot be reached' fleet report leak --to "$to"
  grep -q 'warning: a server of the cluster' "$work/err" || fail "a lost shard is not said"
  for format in json:'"is_whole":0' html:'Some servers of the cluster cannot be reached'; do
    does 0 'cannot be reached' fleet report use --to "$to" --format "${format%%:*}"
    grep -q -- "${format#*:}" "$work/out" || fail "a lost shard is not said in ${format%%:*}"
  done
  starts 2 || fail "the second server does not start again: $(tail -n 1 "$work/server2/out")"
  same "what was cut off at request $request" 0 "SELECT count() FROM visible WHERE app = 'cut$request'"
  does 0 sent push "$work/run.db" --to "$to" --label "node=$far" --label "app=cut$request"
  same "points of request $request" "$points" "$(points_of "cut$request")"
  does 0 'is there already' push "$work/run.db" --to "$to" --label "node=$far" --label "app=cut$request"
done

# A push needs all shards, also those that its node does not lie on.
killed_in 3
does 1 'cannot be reached' push "$work/run.db" --to "$via" --label "node=$near" --label app=near
ends_stub
starts 2 || fail "the second server does not start again: $(tail -n 1 "$work/server2/out")"
same "what another shard cut off" 0 "SELECT count() FROM visible WHERE app = 'near'"
does 0 sent push "$work/run.db" --to "$to" --label "node=$near" --label app=near
same "points of the shard that lived" "$points" "$(points_of near)"

# A report whose shard is lost between two answers is not half of one.
killed_in 4
does 1 'cannot be reached' fleet report --to "$via"
ends_stub
[[ ! -s $work/out ]] || fail "a report without its shard is printed"
does 0 'cannot be reached' fleet report use --to "$to" --format csv
grep -q $'^near,.*,0\r$' "$work/out" || fail "rows of CSV are said to be whole: $(cat "$work/out")"

# A full disk: a server whose folder is a small file system of its own.
own='unshare -rm'
$own true 2>/dev/null || own='unshare -m'
small=$work/small
mkdir "$small"
if $own mount -t tmpfs -o size=1m none "$small" 2>/dev/null; then
  mkfifo "$work/in" "$work/answers"
  # shellcheck disable=SC2016
  small=$small here=$here fleet_apps=$fleet_apps port=$p3 $own bash -c '
    mount -t tmpfs -o size=32m none "$small" && . "$here/../../../examples/fleet/server.sh" || exit 1
    begins_server "$small/server" "$port" && echo "begun $server" || echo failed
    while read -r line; do
      [[ $line != fill ]] || cat /dev/zero >"$small/filler" 2>/dev/null
      [[ $line != free ]] || rm -f "$small/filler"
      echo "$line"
    done' <"$work/in" >"$work/answers" 2>"$work/small.err" &
  running[small]=$!
  exec 8>"$work/in" 9<"$work/answers"
  read -r begun pid <&9
  if [[ $begun == begun ]]; then
    running[full]=$pid
    full=http://127.0.0.1:$p3/fleet
    does 0 '' fleet init --to "$full"
    echo fill >&8 && read -r _ <&9
    does 1 refused push "$work/run.db" --to "$full" --label app=full
    same "what a full disk took" 0 "SELECT count() FROM visible" "$p3"
    echo free >&8 && read -r _ <&9
    does 0 sent push "$work/run.db" --to "$full" --label app=full
    same "points once there is room" "$points" "$(points_of full)" "$p3"
    kills full
  else
    fail "no server on a small disk: $(cat "$work/small.err")"
  fi
  exec 8>&- 9<&-
else
  echo "not tested: no file system can be mounted here, so none is full"
fi

# Replicas, which need ZooKeeper.
starts 2 || fail "the second server does not start again: $(tail -n 1 "$work/server2/out")"
if [[ -z $zookeeper ]]; then
  echo "not tested: there is no ZooKeeper here"
  ends
fi
sees_zookeeper
pair=http://127.0.0.1:$p1/pair
other=http://127.0.0.1:$p2/pair
does 0 '' fleet init --to "$pair" --cluster pair
does 0 sent push "$work/run.db" --to "$pair" --label app=first
eventually "points of the other replica" "$points" "$(points_of first)" "$p2" pair
eventually "hours of the other replica" 1 "SELECT sum(minutes) > 0 FROM alloc_minutes_local" "$p2" pair

# Without it nothing can be written, and what was written is read.
kills zookeeper
does 1 '' push "$work/run.db" --to "$pair" --label app=second --timeout 30
does 0 'Of 1 known node' fleet report use --to "$pair"
grep -q first "$work/out" || fail "without ZooKeeper nothing is read"
starts_zookeeper
sees_zookeeper
eventually "tables that are read only" 0 "SELECT count() FROM system.replicas WHERE is_readonly" "$p1" system
does 0 sent push "$work/run.db" --to "$pair" --label app=second
eventually "points after ZooKeeper's end" "$points" "$(points_of second)" "$p2" pair

# One of two replicas is lost: nothing is missing, and the other gets it when it is back.
kills 2
does 0 'Of 1 known node' fleet report use --to "$pair"
! grep -q 'cannot be reached' "$work/out" "$work/err" || fail "a replica that is lost is said to be missing"
does 0 sent push "$work/run.db" --to "$pair" --label app=third
starts 2 || fail "the second server does not start again: $(tail -n 1 "$work/server2/out")"
eventually "points of the replica that was lost" "$points" "$(points_of third)" "$p2" pair
does 0 'is there already' push "$work/run.db" --to "$other" --label app=third
ends
