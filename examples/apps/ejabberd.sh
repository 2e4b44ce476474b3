#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# ejabberd with clients that broke off: it keeps their sessions for five minutes, and what comes for them.
# Fetches the packages of Debian, unpacks them into a folder of their own, starts a private node on loopback, and
# records it twice while messages come in: every block, then one sample in 64 KiB.  Prints each step and the
# answers; the node is stopped at the end.
#
#	ejabberd.sh [--build-dir DIR] [DATABASE]     default: ejabberd.db, and ejabberd-sampled.db beside it
#
# With --build-dir nothing is installed or built: DIR has a build.  Exit status 77: no packages.
# On a node of your own: the lines with $, with its name and cookie.
set -euo pipefail
cd "$(dirname "$0")/../.."

# shellcheck source=examples/parts.sh
. examples/parts.sh
# shellcheck source=examples/apps/parts.sh
. examples/apps/parts.sh
# shellcheck source=examples/apps/ejabberd-node.sh
. examples/apps/ejabberd-node.sh
prepares node ejabberd.db "$@"
trap finish_app EXIT

echo "== The packages, unpacked into a folder of their own, and a private node on loopback: its own ports, cookie, and data; no epmd"
has_ejabberd
starts_ejabberd
ejabberdctl status

# recorded DATABASE OPTION: records the node while a client sends 8 MB a second to sessions that broke off.
erlc -o "$work" examples/apps/ejabberd_client.erl
recorded() {
  erl -noshell -pa "$work" -run ejabberd_client main "$port" 100 8000000 >"$work/client" &
  client=$!
  client_says 'broke off'
  judged "$1" "$2"
  shows ejabberdctl connected_users_number
}

echo
echo "== Every block is recorded, while messages come for clients that broke off"
recorded "$database" --every-block
"$asks_by" 'length([ejabberd_sm:kick_user(User, Host) || {User, Host, _} <- ejabberd_sm:dirty_get_sessions_list()]).'
echo

echo
echo "== One sample in 64 KiB is recorded, while they come for others"
recorded "${database%.db}-sampled.db" --sample=64KiB

echo
echo "== The node goes on without the hook"
ejabberdctl status
stops_ejabberd
