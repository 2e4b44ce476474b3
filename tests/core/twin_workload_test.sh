#!/bin/sh
# SPDX-License-Identifier: MIT
# twin_workload_test.sh TWIN FOLDER: the twin's manners with workloads.
. "$(dirname "$0")/../harness/main.sh"
twin=$1
folder=$2

# check NAME COMMAND...: the command must succeed.
check() {
	name=$1
	shift
	if ! "$@"; then
		echo "failed: $name"
		cat "$work/err"
		failures=$((failures + 1))
	fi
}

# twin EXIT ARGUMENT...: runs it, output in $work/out and $work/err.
twin() {
	expected=$1
	shift
	"$twin" "$@" >"$work/out" 2>"$work/err"
	code=$?
	if [ $code -ne "$expected" ]; then
		echo "exit $code instead of $expected: $*"
		cat "$work/err"
		failures=$((failures + 1))
	fi
}

fragmentation=$folder/fragmentation.workload

# Terms on standard output, in a file, and not at all.
twin 0 --workload "$fragmentation" --scale 5
cp "$work/out" "$work/terms"
check summary grep -q '^% [0-9]* operations, .* utilisation [0-9.]* %$' "$work/out"
check phase grep -q '^% phase after: ' "$work/out"
twin 0 --workload - --scale 5 <"$fragmentation"
check stdin cmp -s "$work/out" "$work/terms"
gzip -c "$fragmentation" >"$work/packed.workload.gz"
twin 0 --workload "$work/packed.workload.gz" --scale 5
check packed cmp -s "$work/out" "$work/terms"
twin 0 --workload "$fragmentation" --scale 5 --quiet --stats "$work/stats"
check quiet [ ! -s "$work/out" ]
grep -v '^%' "$work/terms" >"$work/bare"
check basis grep -q '^% fix_alloc: sizes of fix_types are exact: measured on OTP 25' "$work/stats"
grep -v '^% fix_alloc: ' "$work/stats" >"$work/plain"
check stats cmp -s "$work/plain" "$work/bare"
twin 0 --workload "$fragmentation" --scale 5 --seed 5
check seed [ "$(tail -1 "$work/out")" != "$(tail -1 "$work/terms")" ]
twin 0 --workload "$fragmentation" --scale 5 --threads --quiet
twin 0 --workload "$fragmentation" --scale 5 +MBas aobf
check flags grep -q '{as,aobf}' "$work/out"
twin 0 --workload "$fragmentation" --scale 5 -- +MBas gf
check dashes grep -q '{mbsd,3},{as,gf}' "$work/out"
twin 0 --workload "$fragmentation" --scale 5 --otp 24rc0 --schedulers 2
check exec grep -q '^{exec_alloc,\[' "$work/out"
check instances grep -q '{instance,2,' "$work/out"
twin 0 --workload "$fragmentation" --scale 5 +MBe false
check disabled grep -q '^{binary_alloc,false}\.$' "$work/out"

# What the allocators have at known times is written beside the run, which is the same.
twin 0 --workload "$fragmentation" --scale 5 --quiet --stats "$work/watched" --truth "$work/truth.csv"
check unchanged cmp -s "$work/watched" "$work/stats"
check moments [ "$(grep -c '^[0-9]*,moment,[0-9]*,[0-9]*,all,' "$work/truth.csv")" -eq 16 ]
# Sums over all instances of the last line are those of the statistics.
awk '{ line = $0 }
	/^  [{](mbcs|mbcs_pool|sbcs),/ {
		sub(/.*[{]carriers_size,/, "", line); sub(/[^0-9].*/, "", line); carriers += line
	}
	END { printf "%.0f\n", carriers }' "$work/stats" >"$work/sum"
awk -F , '$2 == "end" && $5 == "all" { printf "%.0f\n", $7 + $9 + $11 }' "$work/truth.csv" >"$work/end"
check truth cmp -s "$work/sum" "$work/end"
head -c 8 /dev/zero >"$work/clock"
twin 0 --workload "$fragmentation" --scale 5 --quiet --truth "$work/truth.csv" --truth-clock "$work/clock"
check clock [ -z "$(awk -F , 'NR > 1 && $3 != 0' "$work/truth.csv")" ]

# A pause: nothing goes on before there is a line to read; the run is the same.
echo >"$work/line"
for percent in 1 50 100; do
	twin 0 --workload "$fragmentation" --scale 5 --quiet --stats "$work/watched" \
		--truth "$work/truth.csv" --pause-at $percent <"$work/line"
	check "paused at $percent" [ "$(cat "$work/out")" = paused ]
	check "as before $percent" cmp -s "$work/watched" "$work/stats"
	check "its line $percent" [ "$(grep -c '^[0-9]*,pause,[0-9]*,[0-9]*,all,' "$work/truth.csv")" -eq 1 ]
done
twin 1 --workload "$fragmentation" --scale 5 --quiet --truth "$work/none/truth.csv"
check "no folder" grep -qF "cannot write '$work/none/truth.csv'" "$work/err"
twin 1 --workload "$fragmentation" --quiet --truth "$work/truth.csv" --truth-clock "$work/none"
check "no clock" grep -qF "cannot read a clock of 8 bytes from '$work/none'" "$work/err"
twin 2 --workload "$fragmentation" --truth "$work/truth.csv" --threads
twin 2 --workload "$fragmentation" --truth-clock "$work/clock"
twin 2 --workload - --pause-at 50 <"$fragmentation"
twin 2 --workload "$fragmentation" --pause-at 101

# Refusals: nothing is printed, nothing has run.
printf 'seed 1\nphase one operations 3\n' >"$work/bad.workload"
twin 2 --workload "$work/bad.workload"
check line grep -qF "$work/bad.workload:2: phase 'one' has operations but nothing to do" "$work/err"
check nothing [ ! -s "$work/out" ]
twin 2 --workload "$work/none.workload"
twin 2 --workload "$fragmentation" --word 4
twin 2 --workload "$fragmentation" --seed x
twin 2 --workload "$fragmentation" --memory-limit 5t
twin 2 --workload "$fragmentation" --ops "$fragmentation"
twin 2 --colour
twin 1 --workload "$fragmentation" +MBas best
twin 1 --workload "$fragmentation" --scale 5 --stats "$work/none/stats"
twin 0 --help
twin 0 --version
check version grep -q '^carrierscope-twin [0-9]' "$work/out"

# Out of memory: the runtime's own sentence.
sentence='^eheap_alloc: Cannot allocate [0-9]* bytes of memory (of type "heap")\.$'
twin 1 --workload "$folder/heap-growth.workload" --memory-limit 20m
check limit grep -q "$sentence" "$work/err"
check statistics grep -q '^{eheap_alloc,\[' "$work/out"
twin 1 --workload "$folder/heap-growth.workload" --threads --memory-limit 20m --quiet
check threads grep -q "$sentence" "$work/err"
twin 1 --workload "$folder/heap-growth.workload" --quiet +MMscs 20 +MMsco true +Musac false
check super grep -q "$sentence" "$work/err"
twin 1 --workload "$folder/heap-growth.workload" --memory-limit 100k
check main grep -q 'Failed to create main carrier for ' "$work/err"
cat >"$work/literals.workload" <<'END'
seed 7
schedulers 1
size row uniform 20000 90000
life kept forever
source literals literal size row life kept
phase all operations 100
  make literals 1
END
twin 0 --workload "$work/literals.workload" --quiet
twin 1 --workload "$work/literals.workload" --quiet +MIscs 4
sentence='^literal_alloc: Cannot allocate [0-9]* bytes of memory (of type "literal")\.$'
check literals grep -q "$sentence" "$work/err"
twin 1 --workload "$work/literals.workload" --quiet +MIscs 1
check area grep -q 'Failed to create main carrier for literal_alloc$' "$work/err"
# Only literals live there.
twin 0 --workload "$fragmentation" --scale 5 --quiet +MIscs 2

# Every ready workload is a readable file, and its terms are terms for Erlang.
for workload in "$folder"/*.workload; do
	twin 0 --workload "$workload" --scale 2 --quiet --stats "$work/$(basename "$workload").stats"
done
if command -v erl >/dev/null; then
	cat >"$work/read.escript" <<'END'
#!/usr/bin/env escript
main(Files) ->
    [begin
         {ok, Terms} = file:consult(File),
         12 = length([A || {A, I} <- Terms, is_atom(A), is_list(I) orelse I =:= false]) + 1,
         %% That one has no flags, and the same release as Debian's runtime.
         filename:basename(File) =:= "mixed-service.workload.stats" andalso
             erlang:system_info(otp_release) =:= "25" andalso
             [check(A, erlang:system_info({allocator, A}), I)
              || {A, I} <- Terms, is_list(I), A =/= exec_alloc]
     end || File <- Files].

%% The same keys in the same order as this runtime's own answer has them.
check(_, false, _) -> ok;
check(A, Own, Ours) ->
    check_instance(A, keys(hd(Own)), keys(hd(Ours))),
    length(Own) > 1 andalso length(Ours) > 1 andalso
        check_instance(A, keys(lists:nth(2, Own)), keys(lists:nth(2, Ours))).

check_instance(_, Same, Same) -> ok;
check_instance(A, Own, Ours) -> io:format("~p: ~p~n~p~n", [A, Own, Ours]), halt(1).

keys({instance, _, Parts}) -> [part(P) || P <- Parts].
part({options, L}) -> {options, [K || {K, _} <- L, K =/= mbsd]};
part({fix_types, L}) -> {fix_types, [K || {K, _, _} <- L]};
part({versions, _, _}) -> versions;
part({K, L}) -> {K, [element(1, X) || X <- L]}.
END
	check erlang escript "$work/read.escript" "$work"/*.stats
else
	echo "erl is not installed: terms are not read back"
fi

ends
