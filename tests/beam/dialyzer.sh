#!/bin/sh
# SPDX-License-Identifier: MIT
# dialyzer.sh EBIN: no discrepancy is found in the modules of a node, and each function that carrierscope exports has a spec and, for h/1
# of a shell, a text.
. "$(dirname "$0")/../harness/main.sh"
ebin=$1
plain_erl
needs erl dialyzer
erl -noinput -pa "$ebin" -eval '
	{ok, {_, [{exports, Exports}]}} = beam_lib:chunks(code:which(carrierscope), [exports]),
	{ok, {_, [{abstract_code, {_, Forms}}]}} = beam_lib:chunks(code:which(carrierscope), [abstract_code]),
	Specs = [Id || {attribute, _, spec, {Id, _}} <- Forms],
	{ok, {docs_v1, _, erlang, <<"application/erlang+html">>, #{<<"en">> := [_ | _]}, _, Docs}} = code:get_doc(carrierscope),
	Told = [{Name, Arity} || {{function, Name, Arity}, _, [_], #{<<"en">> := [_ | _]}, _} <- Docs],
	Public = Exports -- [{module_info, 0}, {module_info, 1}, {repeat, 1}],
	io:format("~b functions, without a spec ~0p, without a text ~0p~n", [length(Public), Public -- Specs, Public -- Told]),
	halt().' >"$work/out" 2>"$work/err" || fail "carrierscope has no texts: $(cat "$work/out")"
grep -qE '^1[0-9] functions, without a spec \[\], without a text \[\]$' "$work/out" || fail "of carrierscope: $(cat "$work/out")"
dialyzer --build_plt --output_plt "$work/plt" --apps erts kernel stdlib >"$work/log" 2>&1 || fail "no table of OTP is made: $(tail -n 5 "$work/log")"
dialyzer --plt "$work/plt" "$ebin"/*.beam >"$work/log" 2>&1
grep -q '^ *done' "$work/log" || fail "dialyzer ends early: $(tail -n 20 "$work/log")"
# Of what is unknown are libraries that need not be there.
! grep -E '^[a-z_]+[.]erl:[0-9]' "$work/log" >"$work/err" || fail "dialyzer finds: $(cat "$work/log")"
: >"$work/err"
ends
