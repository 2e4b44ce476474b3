# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Sourced by scripts that record (POSIX sh): an LTTng session daemon of their own, if none answers.
#
#   starts_daemon [LOG]    0: there is one; ours if $daemon says its pid
#   creates_session NAME OPTION...   in CTF 1.8, which every Babeltrace reads; LTTng 2.15 would write CTF 2
#   ends_session NAME      all that can still be written is written; 0 even if there is no such session
#   ends_daemon            ours, by its pid, and no other; it has ended then, so that nobody else meets it dying
#   children PID           of a process: their pids; none if it has ended
#   ends_process PID SECONDS   asks it to end; after so many seconds kills it and its children.  It has ended then
daemon=

starts_daemon() {
  ! lttng --no-sessiond list >/dev/null 2>&1 || return 0
  lttng-sessiond --no-kernel >"${1:-/dev/null}" 2>&1 &
  daemon=$!
  daemon_tries=0
  until lttng --no-sessiond list >/dev/null 2>&1; do
    daemon_tries=$((daemon_tries + 1))
    [ $daemon_tries -lt 600 ] || {
      echo "no LTTng session daemon can be started" >&2
      return 1
    }
    sleep 0.1
  done
}

creates_session() {
  case $(lttng --version) in
  *') 2.'[0-9].* | *') 2.1'[0-4].*) lttng create "$@" ;;
  *) lttng create "$@" --trace-format=ctf-1.8 ;;
  esac
}

# Both wait until all is written, but for ever if a process was killed while it wrote an event.
ends_session() {
  timeout 15 lttng stop "$1" >/dev/null 2>&1 || true
  timeout 15 lttng destroy "$1" >/dev/null 2>&1 || true
}

children() {
  cat /proc/"$1"/task/*/children 2>/dev/null || true
}

ends_process() {
  ending_children=$(children "$1")
  ending_tries=$(($2 * 10))
  kill "$1" 2>/dev/null || true
  while [ $ending_tries -gt 0 ] && grep -qs '^State:[[:space:]]*[^Z[:space:]]' /proc/"$1"/status; do
    ending_tries=$((ending_tries - 1))
    sleep 0.1
  done
  # shellcheck disable=SC2086
  [ $ending_tries -gt 0 ] || kill -9 "$1" $ending_children 2>/dev/null || true
  wait "$1" 2>/dev/null || true
}

# The daemon, too, may wait for ever at its end (LTTng 2.13).
ends_daemon() {
  [ -z "$daemon" ] || ends_process "$daemon" 5
  daemon=
}
