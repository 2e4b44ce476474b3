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
# shellcheck source=examples/apps/rabbitmq-node.sh
. examples/apps/rabbitmq-node.sh
prepares node rabbitmq.db "$@"
trap finish_app EXIT

echo "== The packages, unpacked into a folder of their own"
has_rabbitmq

echo
echo "== A private node on loopback: its own ports, cookie, data, and epmd"
starts_rabbitmq
shows rabbitmqctl -q eval '{rabbit_misc:version(), erlang:system_info(system_version)}.'

# recorded QUEUE DATABASE OPTION: records the node while 10 MB a second are published into the queue.
ERL_LIBS=$plugins erlc -o "$work" examples/apps/rabbitmq_client.erl
recorded() {
  ERL_LIBS=$plugins erl -noshell -pa "$work" -run rabbitmq_client main "$port" "$1" 500 10000000 >"$work/client" &
  client=$!
  client_says 'the consumer stopped'
  judged "$2" "$3"
  shows rabbitmqctl -q list_queues name messages memory message_bytes_ram
}

echo
echo "== Every block is recorded, while a queue grows whose consumer stopped"
recorded first "$database" --every-block
shows rabbitmqctl -q delete_queue first

echo
echo "== One sample in 64 KiB is recorded, while that happens to another queue"
recorded second "${database%.db}-sampled.db" --sample=64KiB

echo
echo "== The node goes on without the hook"
shows rabbitmqctl -q list_queues name messages
stops_rabbitmq
