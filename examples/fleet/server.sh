# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Sourced: private ClickHouse servers on loopback, of Debian's packages (POSIX sh).
#
#   begins_server DIR PORT [PORT...]   a server with its data in DIR, for HTTP at the first PORT and for its peers at
#                                      the next; with more, it is one of cluster "fleet", of a shard at each PORT + 1.
#                                      $server is its process; false: it does not answer.
#
# $fleet_apps is the folder of unpack.sh, which fetches the packages once.  $clickhouse: where they lie.
# Only loopback is listened on, which is why the user default may have no password here; nobody else may read DIR.

shards() {
	[ $# -gt 1 ] || return 0
	echo "<remote_servers><fleet>"
	for shard; do
		echo "<shard><replica><host>127.0.0.1</host><port>$((shard + 1))</port></replica></shard>"
	done
	echo "</fleet></remote_servers>"
}

begins_server() {
	server_dir=$1
	shift
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
		<listen_host>127.0.0.1</listen_host><http_port>$1</http_port><tcp_port>$(($1 + 1))</tcp_port>
		<path>$server_dir/data/</path><tmp_path>$server_dir/tmp/</tmp_path>
		<users_config>$server_dir/users.xml</users_config>
		<default_profile>default</default_profile><default_database>default</default_database>
		<mark_cache_size>67108864</mark_cache_size><timezone>UTC</timezone>
		$(shards "$@")</yandex>
	END
	clickhouse=${clickhouse:-$(sh "$fleet_apps/unpack.sh" clickhouse-server usr/sbin/clickhouse-server)} || return 1
	for server_libraries in "$clickhouse"/usr/lib/*-linux-gnu; do
		LD_LIBRARY_PATH=$server_libraries "$clickhouse/usr/sbin/clickhouse-server" \
			--config-file="$server_dir/config.xml" >"$server_dir/out" 2>&1 &
		server=$!
		break
	done
	server_tries=0
	until curl -s --max-time 2 "http://127.0.0.1:$1/ping" 2>/dev/null | grep -q '^Ok'; do
		server_tries=$((server_tries + 1))
		[ $server_tries -lt 300 ] && kill -0 "$server" 2>/dev/null || return 1
		sleep 0.1
	done
}
