#!/bin/sh
# SPDX-License-Identifier: MIT
# advise_slurm_test.sh TWIN CARRIERSCOPE EXAMPLES: a search as an array of a private Slurm of Debian's packages, as the head of
# slurm.sh has it, is the same as the search in one part.
. "$(dirname "$0")/../harness/main.sh"
records_here "$@"
# Before the test has a home of its own.
slurm=$(sh "$3/apps/unpack.sh" slurmctld usr/sbin/slurmctld-wlm 2>/dev/null) || slurm=
compute=$(sh "$3/apps/unpack.sh" slurmd usr/sbin/slurmd-wlm 2>/dev/null) || compute=
. "$(dirname "$0")/../../examples/fleet/server.sh"
twin=$1
carrierscope=$2
examples=$3
controller=
slurmd=
stops_slurm() {
	for pid in $slurmd $controller; do
		kill "$pid" 2>/dev/null
		wait "$pid" 2>/dev/null
	done
	slurmd=
	controller=
}
# As that of main.sh, and Slurm's two daemons.
cleanup() {
	stops_slurm
	[ -z "$session" ] || lttng destroy "$session" >/dev/null 2>&1
	ends_daemon
}
needs babeltrace2
[ -n "$slurm" ] && [ -n "$compute" ] || skip "Slurm's packages cannot be had"
takes_ports || skip 'no ports are free here'

begins_session "$work/trace" 4M 'org_erlang_otp:carrier_*,carrierscope:*'
"$twin" --workload "$examples/workloads/mixed-service.workload" --schedulers 2 >"$work/out" 2>"$work/err" || fail "cannot run: $(cat "$work/err")"
lttng destroy "$session" >/dev/null 2>&1
session=
"$carrierscope" load -f -o "$work/run.db" "$work/trace" >"$work/log" 2>&1 || fail "cannot load: $(cat "$work/log")"
cp "$work/run.db" "$work/one.db"
cd "$work" || exit 1

# Nobody else reaches it: it listens for this machine's name, and its configuration is known to this test alone.
mkdir state spool
libraries=
plugins=
for folder in "$slurm"/usr/lib/*-linux-gnu "$compute"/usr/lib/*-linux-gnu; do
	libraries=$libraries${libraries:+:}$folder:$folder/slurm-wlm
	[ ! -e "$folder/slurm-wlm/auth_none.so" ] || plugins=$folder/slurm-wlm
done
name=$(hostname)
cat >slurm.conf <<END
ClusterName=private
SlurmctldHost=$name(127.0.0.1)
AuthType=auth/none
CredType=cred/none
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/controller.pid
SlurmdPidFile=$work/slurmd.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
PluginDir=$plugins
ReturnToService=2
NodeName=$name NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$name Default=YES State=UP
END
# by PROGRAM ARGUMENT...: with Slurm's libraries, which only its own programs need.
by() {
	LD_LIBRARY_PATH=$libraries SLURM_CONF=$work/slurm.conf "$@"
}
LD_LIBRARY_PATH=$libraries "$slurm/usr/sbin/slurmctld-wlm" -D -f slurm.conf >controller 2>&1 &
controller=$!
LD_LIBRARY_PATH=$libraries "$compute/usr/sbin/slurmd-wlm" -D -d "$compute/usr/sbin/slurmstepd-wlm" -f slurm.conf >slurmd 2>&1 &
slurmd=$!
tries=0
until by "$slurm/usr/bin/sinfo" -h -o %T 2>/dev/null | grep -q idle; do
	tries=$((tries + 1))
	[ $tries -lt 3000 ] || skip "Slurm does not start here: $(tail -n 1 controller) $(tail -n 1 slurmd)"
	sleep 0.1
done

# The lines of slurm.sh's head.
job=$(CARRIERSCOPE=$carrierscope FILE=run.db by "$slurm/usr/bin/sbatch" --parsable --export=ALL --array=1-3 --cpus-per-task=1 --mem-per-cpu=0 \
	--output="$work/task.%a" "$examples/advise/slurm.sh" 2>err) || fail "no array: $(cat err)"
last=$(by "$slurm/usr/bin/sbatch" --parsable --dependency="afterok:$job" --mem-per-cpu=0 --output="$work/merged" \
	--wrap "$carrierscope advise run.db --merge run.db.parts/part*.db" 2>err) || fail "no merge: $(cat err)"
tries=0
while by "$slurm/usr/bin/squeue" -h -j "$job,$last" 2>/dev/null | grep -q . && [ $tries -lt 2000 ]; do
	tries=$((tries + 1))
	sleep 0.5
done
stops_slurm
[ -s merged ] || fail "nothing is merged: $(cat task.* controller slurmd)"
"$carrierscope" advise one.db --shard 1/1 -o whole.db >out 2>err || fail "in one part: $(cat err)"
"$carrierscope" advise one.db --merge whole.db >wanted 2>err
# said FILE: without what its way there cost, and the name of its recording.
said() {
	sed -e '/ settings were replayed on a quarter /d' -e "s|$work/||g" -e 's|one\.db|run.db|g' "$1"
}
said wanted >wanted.said
said merged | grep -v '^carrierscope: ' >merged.said
cmp -s wanted.said merged.said || fail "by Slurm: $(diff wanted.said merged.said)"
grep -q 'settings were replayed' task.1 task.2 task.3 || fail "no part was searched: $(cat task.*)"
ends
