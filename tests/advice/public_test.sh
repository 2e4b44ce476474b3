#!/bin/sh
# SPDX-License-Identifier: MIT
# public_test.sh TWIN CARRIERSCOPE EXAMPLES: two public cases of flags that made memory worse.  Recorded with them, the
# search finds what is missing, and a recording without them shows beforehand what they would do.
. "$(dirname "$0")/../harness/main.sh"
records_here "$@"
twin=$1
carrierscope=$2
examples=$3
needs babeltrace2 sqlite3

record() {
	begins_session "$work/trace" 4M 'org_erlang_otp:carrier_*,carrierscope:*'
	"$twin" --workload "$examples/workloads/$1.workload" >"$work/out" 2>"$work/err" || fail "cannot run: $(cat "$work/err")"
	lttng destroy "$session" >/dev/null 2>&1
	session=
	"$carrierscope" load -f -o "$work/$1.db" "$work/trace" >"$work/log" 2>&1 || fail "cannot load: $(cat "$work/log")"
	rm -rf "$work/trace"
}

# peak NAME FLAG...: MiB of all carriers at the peak.
peak() {
	name=$1
	shift
	"$carrierscope" replay "$work/$name.db" --format csv -- "$@" | awk -F , '$1 == "all" { printf "%d", $2 / 1048576 }'
}

# erlang/otp#9521: smaller carriers alone make it worse; the threshold is what is missing, and it is found.
record otp-9521
with=$(peak otp-9521)
without=$(peak otp-9521 +MBlmbcs 5120 +MHlmbcs 5120 +MElmbcs 5120)
[ "$with" -gt "$without" ] || fail "otp#9521: $with MiB with the flags, $without without"
"$carrierscope" advise "$work/otp-9521.db" --letters E >"$work/advice" 2>"$work/err" || fail "otp#9521: $(cat "$work/err")"
advised=$(sqlite3 "$work/otp-9521.db" 'SELECT flags FROM sweep_advice')
case $advised in *+MEsbct*) ;; *) fail "otp#9521: +MEsbct is not advised: $(cat "$work/advice")" ;; esac
# shellcheck disable=SC2086
better=$(peak otp-9521 $advised)
[ $((better * 100)) -lt $((without * 85)) ] || fail "otp#9521: $better MiB with '$advised', $without without any flags"
"$carrierscope" report findings "$work/otp-9521.db" | tr -s ' \n' '  ' | grep -q 'ets_alloc: lmbcs is 512 KiB, only 1.0 times sbct' ||
	fail 'otp#9521: no finding names lmbcs and sbct'

# basho/riak_kv#1820: the threshold alone would have cost half as much again, and is not advised.
record riak-1820
plain=$(peak riak-1820)
alone=$(peak riak-1820 +MHsbct 128)
beside=$(peak riak-1820 +MHsbct 128 +MHmmsbc 8192)
[ $((alone * 2)) -gt $((plain * 3)) ] || fail "riak_kv#1820: $alone MiB with the flag, $plain without"
[ "$beside" -lt "$plain" ] || fail "riak_kv#1820: $beside MiB with mmsbc beside it, $plain without"
"$carrierscope" advise "$work/riak-1820.db" --letters H >"$work/advice" 2>"$work/err" || fail "riak_kv#1820: $(cat "$work/err")"
grep -q 'Riak: +MHsbct 128' "$work/advice" || fail "riak_kv#1820: the flag is not in the table: $(cat "$work/advice")"
advised=$(sqlite3 "$work/riak-1820.db" "SELECT ifnull(flags, 'none') FROM sweep_advice")
case $advised in
*+MHmmsbc*) ;;
*+MHsbct\ 128* | *+MHsbct\ 64* | *+MHsbct\ 32*) fail "riak_kv#1820: a small threshold is advised alone: $advised" ;;
esac
ends
