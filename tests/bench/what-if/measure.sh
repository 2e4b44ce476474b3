#!/bin/sh
# SPDX-License-Identifier: MIT
# measure.sh FOLDER FIRST LAST [NAME...]: runs each workload NAME with each line of settings.txt, unhooked, for the
# repeats FIRST to LAST; the node's readings each 50 ms go to FOLDER/NAME.SETTING.REPEAT.csv.  What is there is not run
# again.  $SCHEDULERS: 2; `mixed` has 4.  $SETTINGS: instead of settings.txt.  Several may run at once: one takes
# what no other has begun.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
first=$2
last=$3
shift 3
[ $# -gt 0 ] || set -- sessions proxy heaps letters terms modules fragments buffers mixed
export ERL_CRASH_DUMP_SECONDS=0
mkdir -p "$folder"
beams=$(mktemp -d)
trap 'rm -rf "$beams"' EXIT
erlc -o "$beams" "$here/what_if_load.erl"
for repeat in $(seq "$first" "$last"); do
	for name; do
		case $name in mixed) schedulers=4 ;; *) schedulers=${SCHEDULERS:-2} ;; esac
		while read -r setting flags; do
			file=$folder/$name.$setting.$repeat.csv
			# The folder is what only one can make.
			[ ! -e "$file" ] || continue
			mkdir "$file.run" 2>/dev/null || continue
			# shellcheck disable=SC2086
			if timeout 180 erl +S "$schedulers:$schedulers" $flags -noinput -boot start_clean -pa "$beams" \
				-run what_if_load main plain "$name" "$file.run/csv" 50 </dev/null; then
				mv "$file.run/csv" "$file"
			else
				echo "$file: the node failed" >&2
			fi
			rm -rf "$file.run"
		done <"${SETTINGS:-$here/settings.txt}"
	done
done
