#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# rabbitmq_names.sh ROOT --build-dir DIR DATABASE: records a private RabbitMQ with a queue of each type.  Exit status 77: no packages.
set -euo pipefail
tests=$PWD/$(dirname "$0")
[[ $0 != /* ]] || tests=$(dirname "$0")
cd "$1"
shift

. examples/parts.sh
. examples/apps/parts.sh
. examples/apps/rabbitmq-node.sh
prepares node names.db "$@"
trap finish_app EXIT
has_rabbitmq
starts_rabbitmq
ERL_LIBS=$plugins erlc -o "$work" "$tests/rabbitmq_names.erl"
ERL_LIBS=$plugins erl -noshell -pa "$work" -run rabbitmq_names main "$port" >"$work/client" &
client=$!
client_says published
rabbitmqctl -q eval 'vm_memory_monitor:get_memory_limit().' >"$database.limit"
"$bin/carrierscope" record --via "$asks_by" --sample=64KiB --seconds 5 --memory 64MiB -f -o "$database" --ebin "$build/provider/beam/ebin"
ends_process "$client" 5
client=
stops_rabbitmq
