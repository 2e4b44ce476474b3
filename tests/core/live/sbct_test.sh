#!/bin/sh
# SPDX-License-Identifier: MIT
# sbct_test.sh ERL: what provider/core/settings.h says of sbct at run time holds for this runtime.
. "$(dirname "$0")/../../harness/main.sh"
erl=$1

plain_erl
# One allocator is made with gf, the next has a strategy of its own.
answer=$("$erl" +S 2:2 +MBas gf +MSas bf -noinput -boot start_clean -eval '
	Set = fun(A, Key, Value) -> erlang:system_flag(erts_alloc, {A, Key, Value}) end,
	Reported = fun(A) -> [proplists:get_value(sbct, proplists:get_value(options, L)) ||
		{instance, _, L} <- erlang:system_info({allocator, A})] end,
	%% With gf never, whatever the size; the others from 4000 bytes on, with no other setting.
	[notsup, notsup] = [Set(binary_alloc, sbct, N) || N <- [100000, 1 bsl 40]],
	[524288, 524288, 524288] = Reported(binary_alloc),
	[notsup, ok, ok] = [Set(sl_alloc, sbct, N) || N <- [3999, 4000, 100000]],
	[100000, 100000, 100000] = Reported(sl_alloc),
	%% An allocator whose first instance is gf keeps that one as it is.
	ok = Set(temp_alloc, sbct, 4000),
	[524288, 4000, 4000] = Reported(temp_alloc),
	[notsup = Set(sl_alloc, Key, 5000) ||
		Key <- [asbcst, rsbcst, rsbcmt, rmbcmt, mmbcs, lmbcs, smbcs, mbcgs, mmsbc, mmmbc, acul]],
	io:format("equal~n"),
	halt().' 2>&1)
[ "$answer" = equal ] || {
	echo "sbct at run time is not as set: $answer"
	exit 1
}
