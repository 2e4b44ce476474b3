#!/bin/bash
# SPDX-License-Identifier: MIT
#
# A trace in CTF 2, as LTTng 2.16 records it: read by Babeltrace from 2.1 on, and refused with a
# sentence before; salvaged by both, as the same in CTF 1.8 is.
#
#	ctf2_test.sh BUILD_DIR TRACE.tar.gz FORMS.tar.gz
. "$(dirname "$0")/../harness/main.sh"

build=$1
tar -xzf "$2" -C "$work" || exit 1
trace=$work/ctf2/trace
failed=0

# is WHAT EXPECTED GOT
is() {
	if [ "$2" != "$3" ]; then
		printf '%s: expected:\n%s\ngot:\n%s\n' "$1" "$2" "$3" >&2
		failed=1
	fi
}

# load OPTION…: status and what was said
load() {
	"$build/carrierscope" load -q -o "$work/load.db" "$@" "$trace" 2>"$work/err"
	echo $?
	cat "$work/err"
}

figures="SELECT kind, count(*), sum(size) FROM carrier_event GROUP BY kind;
	SELECT uuid, tracer, word_bits FROM trace;
	SELECT count(*) FROM load_problem;
	SELECT sum(lost_events), min(complete) FROM source"
figures_want="0|80|42893312
1|19|26476544
2|29|26214400
3|46|1258416
d82c6a76-00ca-444d-aa25-5bb7a2b21303|lttng-ust 2.16|64
0
0|1"

version=$(babeltrace2 --version | sed -n 's/^Babeltrace \([0-9]*\)\.\([0-9]*\).*/\1 \2/p')
case $version in
"2 0")
	is "load" "1
carrierscope: cannot read '$trace/ust/uid/0/64-bit/metadata': it is of CTF 2, which Babeltrace reads from 2.1 on; load it with --salvage, or record with lttng create --trace-format=ctf-1.8" \
		"$(load)"
	is "no database" no "$([ -e "$work/load.db" ] && echo yes || echo no)"
	;;
"2 "*)
	is "load" 0 "$(load)"
	is "figures" "$figures_want" "$(sqlite3 "$work/load.db" "$figures")"
	babeltrace2 --plugin-path="$build" "$trace" -c sink.carrierscope.sqlite \
		-p "path=\"$work/plugin.db\"" || failed=1
	is "figures of the plugin" "$figures_want" "$(sqlite3 "$work/plugin.db" "$figures")"
	rm -f "$work/load.db"
	;;
*)
	echo "Babeltrace says '$version' of its version" >&2
	failed=1
	;;
esac

# Babeltrace need not know CTF 2 for this: the copy is of CTF 1.8.
is "salvage" 0 "$(load --salvage)"
is "figures of the salvage" "$figures_want" "$(sqlite3 "$work/load.db" "$figures")"

# rows FOLDER FORM: all that is stored of it, less where it was.
rows() {
	rm -f "$work/rows.db"
	"$build/carrierscope" load -q --salvage -o "$work/rows.db" "$1" 2>"$work/err" || fail "$1: $(cat "$work/err")"
	sqlite3 "$work/rows.db" .dump | sed "s|$1|HERE|g" >"$work/rows-$2"
	sqlite3 "$work/rows.db" 'SELECT count(*) FROM load_problem'
}

# A trace with all our events, in both forms; as it is, without a stream, with one cut and with bytes flipped.
tar -xzf "$3" -C "$work" || exit 1
problems=0
for damage in nothing missing cut flipped metadata; do
	for form in 2 1.8; do
		rm -rf "$work/form"
		cp -a "$work/forms/all/trace" "$work/form"
		[ $form = 2 ] || cp "$work/forms/all/metadata-1.8" "$work/form/ust/uid/0/64-bit/metadata"
		stream=$(find "$work/form" -name 'all_*' ! -name '*.idx' -size +16k)
		[ -n "$stream" ] || fail "there is no large stream"
		case $damage in
		missing) rm "$stream" ;;
		cut) truncate -s 30000 "$stream" ;;
		flipped) printf 'damage' | dd of="$stream" bs=1 seek=40000 conv=notrunc 2>"$work/err" || fail "$(cat "$work/err")" ;;
		metadata) # The last declaration, of an event that was not recorded.
			truncate -s -100 "$work/form/ust/uid/0/64-bit/metadata" ;;
		esac
		problems=$((problems + $(rows "$work/form" $form)))
	done
	# What of the metadata is damaged is said of a place in it.
	sed -i 's/damaged at byte [0-9]*/damaged at byte N/' "$work/rows-2" "$work/rows-1.8"
	is "rows of both forms, $damage" "" "$(diff "$work/rows-1.8" "$work/rows-2")"
	grep -q "INSERT INTO carrier_event" "$work/rows-2" || fail "nothing was loaded: $damage"
done
[ $problems -gt 4 ] || fail "only $problems problems were reported"

# A fragment that is cut is named by its place.
rm -rf "$work/form"
cp -a "$work/forms/all/trace" "$work/form"
metadata=$work/form/ust/uid/0/64-bit/metadata
truncate -s -100 "$metadata"
place=$(LC_ALL=C grep -abo "$(printf '\036')" "$metadata" | tail -n 1 | cut -d: -f1)
trace=$work/form
rm -f "$work/load.db"
is "cut metadata" "1
carrierscope: cannot read '$metadata': it is damaged at byte $place: the JSON text that begins there is cut or damaged (use --salvage to load the trace)" \
	"$(load)"
exit $failed
