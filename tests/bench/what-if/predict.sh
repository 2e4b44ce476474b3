#!/bin/sh
# SPDX-License-Identifier: MIT
# predict.sh CARRIERSCOPE RECORDINGS CSV [NAME...]: what a replay of each RECORDINGS/NAME.db makes of each line of
# settings.txt, to CSV as "NAME,SETTING,peak,low,high,end,low,high,average,low,high", in bytes of all allocators.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
program=$1
folder=$2
out=$3
shift 3
: >"$out"
[ $# -gt 0 ] || set -- "$folder"/*.db
for name; do
	name=$(basename "$name" .db)
	while read -r setting flags; do
		# shellcheck disable=SC2086
		if ! said=$("$program" replay "$folder/$name.db" --format csv -- $flags); then
			echo "predict.sh: the replay of $folder/$name.db with $setting ($flags) failed: see above" >&2
			exit 1
		fi
		echo "$said" | sed -n "s/^all,\(\([0-9]*,\)\{8\}[0-9]*\).*/$name,$setting,\1/p" >>"$out"
	done <"$here/settings.txt"
done
