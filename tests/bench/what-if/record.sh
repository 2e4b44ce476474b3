#!/bin/sh
# SPDX-License-Identifier: MIT
# record.sh BUILD FOLDER [NAME...]: records nodes that run the workloads of what_if_load, every block and a
# snapshot each 50 ms, into FOLDER/NAME.db.  $SCHEDULERS: 2; workload `mixed` has 4.
# A session daemon of its own, where that is allowed.
. "$(dirname "$0")/../../harness/main.sh"
own_daemon "$@"
set -e
build=$1
folder=$2
shift 2
export LTTNG_HOME="$work" LTTNG_UST_REGISTER_TIMEOUT=60000 ERL_CRASH_DUMP_SECONDS=0
mkdir -p "$folder"
starts_daemon "$work/log"
erlc -o "$work" "$here/what_if_load.erl"
[ $# -gt 0 ] || set -- sessions proxy heaps letters terms tables modules fragments buffers mixed
for name; do
	case $name in mixed) schedulers=4 ;; *) schedulers=${SCHEDULERS:-2} ;; esac
	{
		lttng create "$name" --output="$work/trace"
		lttng enable-channel --userspace --session="$name" --buffers-uid --subbuf-size=8M --num-subbuf=8 all
		lttng enable-event --userspace --session="$name" --channel=all 'carrierscope:*'
		lttng add-context --userspace --session="$name" --channel=all -t vpid -t vtid -t procname
		lttng start "$name"
	} >>"$work/log" 2>&1
	# shellcheck disable=SC2086
	(cd "$work" && timeout 60 erl +S $schedulers:$schedulers ${FLAGS:-} -noinput -boot start_clean \
		-pa "$build/provider/beam/ebin" "$work" -run what_if_load main hooked "$name" none 50)
	ends_session "$name"
	babeltrace2 --plugin-path="$build/analyzer" "$work/trace" -c sink.carrierscope.sqlite \
		-p "path=\"$folder/$name.db\",force=yes" 2>>"$work/log" || cat "$work/log"
	rm -rf "$work/trace"
	echo "$name: $(sqlite3 "$folder/$name.db" "SELECT count(*) || ' rows of block_event' FROM block_event"), $(
		sqlite3 "$folder/$name.db" "SELECT sum(lost_events) || ' lost' FROM source"), $(
		sqlite3 "$folder/$name.db" "SELECT count(*) || ' snapshots' FROM snapshot_end")"
done
