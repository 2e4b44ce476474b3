# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# Sourced after examples/apps/parts.sh: a RabbitMQ of Debian's packages, unpacked into a folder of its own, with its own
# ports, cookie, data and epmd.
#
#   has_rabbitmq [FILE]   sets $sbin, $plugins and $port, and what RabbitMQ reads; FILE: its rabbitmq-env.conf
#   starts_rabbitmq       returns when it has booted
#   stops_rabbitmq

has_rabbitmq() {
  unpacks rabbitmq-server
  sbin=$(echo "$root"/usr/lib/rabbitmq/lib/*/sbin)
  plugins=${sbin%/*}/plugins
  has_own_home
  port=$(free_port)
  export RABBITMQ_NODENAME=carrierscope-$$@localhost
  export RABBITMQ_NODE_IP_ADDRESS=127.0.0.1 RABBITMQ_NODE_PORT=$port RABBITMQ_DIST_PORT=$((port + 1))
  export RABBITMQ_MNESIA_BASE=$work/data RABBITMQ_LOG_BASE=$work/log RABBITMQ_PID_FILE=$work/pid
  export RABBITMQ_PLUGINS_EXPAND_DIR=$work/expanded RABBITMQ_ENABLED_PLUGINS_FILE=$work/enabled_plugins
  export RABBITMQ_CONF_ENV_FILE=${1:-/dev/null} RABBITMQ_CONFIG_FILE=$work/rabbitmq
  export ERL_EPMD_ADDRESS=127.0.0.1 ERL_EPMD_PORT=$((port + 2))
  # A client of a busy machine takes more than the usual 10 s to log in.
  echo 'handshake_timeout = 120000' >"$RABBITMQ_CONFIG_FILE.conf"
  # Beside what its configuration adds: that has RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS.
  export RABBITMQ_SERVER_START_ARGS='-kernel inet_dist_use_interface {127,0,0,1}'
  asks_by='rabbitmqctl -q eval'
  PATH=$sbin:$PATH
  epmd -port "$ERL_EPMD_PORT" -address 127.0.0.1 &
  epmd=$!
}

starts_rabbitmq() {
  rm -f "$RABBITMQ_PID_FILE"
  starts "$sbin/rabbitmq-server"
  rabbitmqctl -q wait --timeout 120 "$RABBITMQ_PID_FILE" >"$work/wait.log" 2>&1 || {
    tail -n 20 "$work/wait.log" "$work/node.log" >&2
    echo "RabbitMQ does not start" >&2
    exit 1
  }
  has_started
}

stops_rabbitmq() {
  rabbitmqctl -q stop "$RABBITMQ_PID_FILE" >/dev/null
  has_stopped
}
