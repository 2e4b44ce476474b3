#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# RabbitMQ with a queue whose consumer stopped: fetches the packages of Debian, unpacks them into a folder of
# their own, starts a private node on loopback, and records it twice while messages come in:
# every block, then one sample in 64 KiB.  Prints each step and the answers; the node is stopped at the end.
#
#	rabbitmq.sh [--build-dir DIR] [DATABASE]     default: rabbitmq.db, and rabbitmq-sampled.db beside it
#
# With --build-dir nothing is installed or built: DIR has a build.  Exit status 77: no packages.
# On a node of your own: the lines with $, without the private addresses.
set -euo pipefail
cd "$(dirname "$0")/../.."

# shellcheck source=examples/parts.sh
. examples/parts.sh
# shellcheck source=examples/apps/parts.sh
. examples/apps/parts.sh
prepares node rabbitmq.db "$@"
trap finish_app EXIT

echo "== The packages, unpacked into a folder of their own"
unpacks rabbitmq-server
sbin=$(echo "$root"/usr/lib/rabbitmq/lib/*/sbin)
plugins=${sbin%/*}/plugins

echo
echo "== A private node on loopback: its own ports, cookie, data, and epmd"
has_own_home
port=$(free_port)
export RABBITMQ_NODENAME=carrierscope-$$@localhost
export RABBITMQ_NODE_IP_ADDRESS=127.0.0.1 RABBITMQ_NODE_PORT=$port RABBITMQ_DIST_PORT=$((port + 1))
export RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS='-kernel inet_dist_use_interface {127,0,0,1}'
export RABBITMQ_MNESIA_BASE=$work/data RABBITMQ_LOG_BASE=$work/log RABBITMQ_PID_FILE=$work/pid
export RABBITMQ_PLUGINS_EXPAND_DIR=$work/expanded RABBITMQ_ENABLED_PLUGINS_FILE=$work/enabled_plugins
export RABBITMQ_CONF_ENV_FILE=/dev/null RABBITMQ_CONFIG_FILE=$work/rabbitmq
export ERL_EPMD_ADDRESS=127.0.0.1 ERL_EPMD_PORT=$((port + 2))
epmd -port "$ERL_EPMD_PORT" -address 127.0.0.1 &
epmd=$!
starts "$sbin/rabbitmq-server"
rabbitmqctl() {
  "$sbin/rabbitmqctl" -q "$@"
}
rabbitmqctl wait --timeout 120 "$RABBITMQ_PID_FILE" >"$work/wait.log" 2>&1 || {
  tail -n 20 "$work/wait.log" "$work/node.log" >&2
  echo "RabbitMQ does not start" >&2
  exit 1
}
has_started
asks() {
  echo "  \$ rabbitmqctl eval '$1.'"
  rabbitmqctl eval "$1."
}
asks '{rabbit_misc:version(), erlang:system_info(system_version)}'

# recorded QUEUE DATABASE OPTIONS: records the node while 10 MB a second are published into the queue.
ERL_LIBS=$plugins erlc -o "$work" examples/apps/rabbitmq_client.erl
recorded() {
  ERL_LIBS=$plugins erl -noshell -pa "$work" -run rabbitmq_client main "$port" "$1" 500 10000000 >"$work/client" &
  client=$!
  client_says 'the consumer stopped'
  judged "$2" "$3"
  shows rabbitmqctl list_queues name messages memory message_bytes_ram
}

echo
echo "== Every block is recorded, while a queue grows whose consumer stopped"
recorded first "$database" '#{}'
shows rabbitmqctl delete_queue first

echo
echo "== One sample in 64 KiB is recorded, while that happens to another queue"
recorded second "${database%.db}-sampled.db" '#{sample => {bytes, 65536}}'

echo
echo "== The node goes on without the hook"
shows rabbitmqctl list_queues name messages
rabbitmqctl stop "$RABBITMQ_PID_FILE" >/dev/null
has_stopped
