# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154
# Sourced after harness/main.sh and examples/fleet/server.sh: a ClickHouse server of the test's own, whose process is $server, and
# fleet tables at $to.
#
#   ask QUERY   its answer

needs curl sqlite3
clickhouse=$(sh "$fleet_apps/unpack.sh" clickhouse-server usr/sbin/clickhouse-server) || skip "${clickhouse#SKIPPED: }"
for try in 1 2 3; do
  takes_ports || skip "no ports are free here"
  begins_server "$work/server" "$port" && break
  [[ $try -lt 3 ]] || skip "ClickHouse does not start here: $(tail -n 1 "$work/server/out")"
done
to=http://127.0.0.1:$port/fleet

ask() {
  curl -sS "http://127.0.0.1:$port/?database=fleet" --data-binary "$1"
}
