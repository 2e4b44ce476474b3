# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Sourced: private ClickHouse servers on loopback, of Debian's packages (POSIX sh).
#
#   begins_server DIR PORT [SHARD...]  a server with its data in DIR, for HTTP at PORT and for its peers at the next; with
#                                      SHARDs it is one of cluster "fleet", whose servers are those with these PORTs.
#                                      $server is its process; false: it does not answer.
#   takes_ports                        $port is the first of 16 ports below those of outgoing connections which nobody
#                                      listens at, and which nobody else gets from here while this process lives
#
# $server_more: XML that its configuration has as well.  $server_zone: its time zone, else UTC.
#
# $fleet_apps is the folder of unpack.sh, which fetches the packages once.  $clickhouse: where they lie.
# Only loopback is listened on, which is why the user default may have no password here; nobody else may read DIR.

takes_ports() {
	ports_taken=${TMPDIR:-/tmp}/carrierscope-ports.$(id -u)
	mkdir -p "$ports_taken" && chmod 700 "$ports_taken" || return 1
	ports_tries=0
	while [ $ports_tries -lt 1250 ]; do
		port=$((10000 + ($$ + ports_tries) % 1250 * 16))
		ports_tries=$((ports_tries + 1))
		# A link is there at once with the process it names; that of one which is gone is nobody's.
		ports_owner=$(readlink "$ports_taken/$port") && ! kill -0 "$ports_owner" 2>/dev/null && rm -f "$ports_taken/$port"
		ln -s "$$" "$ports_taken/$port" 2>/dev/null || continue
		ports_hex=
		for ports_next in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
			ports_hex=$ports_hex${ports_hex:+|}$(printf %04X $((port + ports_next)))
		done
		cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | grep -qE "^ *[0-9]+: [0-9A-F]+:($ports_hex) " || return 0
		rm -f "$ports_taken/$port"
	done
	return 1
}

shards() {
	[ $# -gt 0 ] || return 0
	echo "<remote_servers><fleet>"
	for shard; do
		echo "<shard><replica><host>127.0.0.1</host><port>$((shard + 1))</port></replica></shard>"
	done
	echo "</fleet></remote_servers>"
}

begins_server() {
	server_dir=$1
	server_port=$2
	shift 2
	mkdir -p "$server_dir/data" "$server_dir/tmp" && chmod 700 "$server_dir" || return 1
	cat >"$server_dir/users.xml" <<-END
		<?xml version="1.0"?>
		<yandex><profiles><default><max_memory_usage>2000000000</max_memory_usage></default></profiles>
		<users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile>
		<quota>default</quota></default></users><quotas><default/></quotas></yandex>
	END
	cat >"$server_dir/config.xml" <<-END
		<?xml version="1.0"?>
		<yandex><logger><level>warning</level><log>$server_dir/log</log><errorlog>$server_dir/errors</errorlog></logger>
		<listen_host>127.0.0.1</listen_host><http_port>$server_port</http_port><tcp_port>$((server_port + 1))</tcp_port>
		<path>$server_dir/data/</path><tmp_path>$server_dir/tmp/</tmp_path>
		<users_config>$server_dir/users.xml</users_config>
		<default_profile>default</default_profile><default_database>default</default_database>
		<mark_cache_size>67108864</mark_cache_size><timezone>${server_zone:-UTC}</timezone>
		$(shards "$@")${server_more:-}</yandex>
	END
	clickhouse=${clickhouse:-$(sh "$fleet_apps/unpack.sh" clickhouse-server usr/sbin/clickhouse-server)} || return 1
	for server_libraries in "$clickhouse"/usr/lib/*-linux-gnu; do
		LD_LIBRARY_PATH=$server_libraries:$clickhouse/lib/${server_libraries##*/} "$clickhouse/usr/sbin/clickhouse-server" \
			--config-file="$server_dir/config.xml" >"$server_dir/out" 2>&1 &
		server=$!
		break
	done
	server_tries=0
	until curl -s --max-time 2 "http://127.0.0.1:$server_port/ping" 2>/dev/null | grep -q '^Ok'; do
		server_tries=$((server_tries + 1))
		if [ $server_tries -ge 1200 ] || ! kill -0 "$server" 2>/dev/null; then
			tail -n 3 "$server_dir/errors" >>"$server_dir/out" 2>/dev/null
			return 1
		fi
		sleep 0.1
	done
}
