#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Hostile databases, with what lies beside them, through every command that reads one.
#
#	hostile.sh CARRIERSCOPE TRACE [COUNT [SEED]]
#
# COUNT (600) databases are made by hostile.py beside it, with seeds from SEED (1) on.  After each command
# a tree of canaries, some of them another user's, must be as it was, nothing but what hostile.py made may
# lie beside the database, a reading command must have left it byte for byte, and the command must have
# ended within 30 s of processor time, by an exit status of its own.
. "$(dirname "$0")/../harness/main.sh"
here=$(dirname "$(realpath "$0")")
command=$(realpath "$1")
trace=$(realpath "$2")
count=${3:-600}
first=${4:-1}
most_s=30
needs python3 timeout
good=$work/good.db
"$command" load -q -o "$good" "$trace" || exit 1
printf -- "+MBas aobf\n" >"$good.vm.args"
mkdir "$work/canaries" "$work/own"
for n in 1 2 3 4; do
	echo "canary $n" >"$work/canaries/$n"
	chmod 600 "$work/canaries/$n"
done
# root may write to all, which is the worst case; where it cannot give files away all are its own.
chown 65534 "$work/canaries/3" "$work/canaries/4" 2>/dev/null

# state FOLDER: names, kinds, owners, sizes and contents of all in it; not how many names, which whoever makes a link changes.
state() {
	(cd "$1" && find . -printf '%p %y %l %U %m\n' | sort && find . -type f -exec md5sum {} + | sort)
}

ran=0
stopped=0
slowest=0
TIMEFORMAT='%U %S'
declare -A statuses
# one KIND SEED reads|writes ARGUMENTS...: its processor time counts, since the machine may be busy; one that waits
# for something without end is ended.
one() {
	local kind=$1 seed=$2 use=$3 status took
	shift 3
	{ time timeout -k 5 600 "$command" "$@" >"$work/out" 2>"$work/err" </dev/null; } 2>"$work/took"
	status=$?
	took=$(awk '{ printf "%d", ($1 + $2) * 1000 }' "$work/took")
	ran=$((ran + 1))
	statuses[$status]=$((${statuses[$status]:-0} + 1))
	[ "$took" -le "$slowest" ] || slowest=$took
	grep -q 'take more work' "$work/err" && stopped=$((stopped + 1))
	[ "$took" -le $((most_s * 1000)) ] || fail "$kind (seed $seed): $* took $took ms"
	case $status in
	0 | 1 | 2 | 3) ;;
	*) fail "$kind (seed $seed): $* ended with $status" ;;
	esac
	[ "$(state "$work/canaries")" = "$canaries" ] || fail "$kind (seed $seed): $* changed somebody else's file"
	[ "$use" = writes ] || [ "$(state "$work/own")" = "$before" ] ||
		fail "$kind (seed $seed): $* wrote to the database or beside it"
}

summary() {
	echo "$made databases, $ran commands, $stopped queries ended by their bound, the slowest command $slowest ms of processor time"
	for status in "${!statuses[@]}"; do
		echo "exit status $status: ${statuses[$status]}"
	done | sort
}
# Who ends it early gets what there is.
trap 'summary; ends' TERM INT

made=0
for seed in $(seq "$first" $((first + count - 1))); do
	find "$work/own" -mindepth 1 -delete
	kind=$(python3 "$here/hostile.py" "$good" "$work/own" "$seed" "$work/canaries") ||
		{ fail "seed $seed: cannot make the database"; continue; }
	made=$((made + 1))
	canaries=$(state "$work/canaries")
	before=$(state "$work/own")
	cd "$work/own" || exit 1
	# Each database by two of the reading commands, in turn, and by one that writes.
	for at in $((seed % 9)) $(((seed + 4) % 9)); do
		case $at in
		0) one "$kind" "$seed" reads report x.db ;;
		1) one "$kind" "$seed" reads info x.db ;;
		2) one "$kind" "$seed" reads check x.db --max 'findings_critical = 0' ;;
		3) one "$kind" "$seed" reads diff "$good" x.db ;;
		4) one "$kind" "$seed" reads export --to folded x.db ;;
		5) one "$kind" "$seed" reads top --once x.db ;;
		6) one "$kind" "$seed" reads replay x.db ;;
		7) one "$kind" "$seed" reads report finding x.db ;;
		8) one "$kind" "$seed" reads report allocators x.db --format csv ;;
		esac
	done
	case $((seed % 3)) in
	0) one "$kind" "$seed" writes load -q --append -o x.db "$good.vm.args" ;;
	1) one "$kind" "$seed" writes load --recover x.db ;;
	2) one "$kind" "$seed" writes load -q -f -o x.db "$good.vm.args" ;;
	esac
	for file in x.db.salvage-*/kept x.db.partial-*; do
		case $kind$file in
		leftover*\**) fail "$kind (seed $seed): what others left under our names is gone" ;;
		esac
	done
	cd "$work" || exit 1
done

summary
ends
