# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Sourced by scripts that record (POSIX sh): an LTTng session daemon of their own, if none answers.
#
#   starts_daemon [LOG]    0: there is one; ours if $daemon says its pid
#   ends_session NAME      all that can still be written is written; 0 even if there is no such session
#   ends_daemon            ours, by its pid, and no other; it has ended then, so that nobody else meets it dying
daemon=

starts_daemon() {
  ! lttng --no-sessiond list >/dev/null 2>&1 || return 0
  lttng-sessiond --no-kernel >"${1:-/dev/null}" 2>&1 &
  daemon=$!
  daemon_tries=0
  until lttng --no-sessiond list >/dev/null 2>&1; do
    daemon_tries=$((daemon_tries + 1))
    [ $daemon_tries -lt 100 ] || {
      echo "no LTTng session daemon can be started" >&2
      return 1
    }
    sleep 0.1
  done
}

# `lttng destroy` waits until all is written, but for ever if a process was killed while it wrote an event.
ends_session() {
  lttng stop "$1" >/dev/null 2>&1 || true
  timeout 15 lttng destroy "$1" >/dev/null 2>&1 || true
}

# So does the session daemon at its end (LTTng 2.13): after 5 s it is killed, and its consumers too.
ends_daemon() {
  [ -n "$daemon" ] || return 0
  daemon_children=$(cat /proc/"$daemon"/task/*/children 2>/dev/null) || true
  kill "$daemon" 2>/dev/null || true
  daemon_tries=0
  while [ $daemon_tries -lt 50 ] &&
    grep -qs '^State:[[:space:]]*[^Z[:space:]]' /proc/"$daemon"/status; do
    daemon_tries=$((daemon_tries + 1))
    sleep 0.1
  done
  # shellcheck disable=SC2086
  [ $daemon_tries -lt 50 ] || kill -9 "$daemon" $daemon_children 2>/dev/null || true
  wait "$daemon" 2>/dev/null || true
  daemon=
}
