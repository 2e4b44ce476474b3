#!/bin/sh
# SPDX-License-Identifier: MIT
# parallel.sh FILE SHARES [HOSTS]: a search for flags as SHARES jobs of GNU parallel, on this machine or on
# HOSTS (as `parallel --sshlogin`: 4/alpha,4/beta; FILE is copied there, carrierscope is on their PATH).
# Started again it runs only what failed.  The parts and the list of jobs stay in FILE.parts.
set -eu
[ $# -ge 2 ] || {
	echo "usage: $0 FILE SHARES [HOSTS]" >&2
	exit 2
}
file=$1
shares=$2
hosts=${3:-}
carrierscope=${CARRIERSCOPE:-carrierscope}
folder=$file.parts
mkdir -p "$folder"
if [ -n "$hosts" ]; then
	set -- --sshlogin "$hosts" --basefile "$file" --return "$folder/part{}.db" --cleanup
else
	set --
fi
parallel --will-cite --joblog "$folder/jobs" --resume-failed "$@" \
	"mkdir -p '$folder' && '$carrierscope' advise '$file' --shard {}/$shares --jobs 1 -o '$folder/part{}.db'" ::: $(seq "$shares")
exec "$carrierscope" advise "$file" --merge "$folder"/part*.db
