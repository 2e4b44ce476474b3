%% SPDX-License-Identifier: MIT
%% One row of the benchmark's table:
%%   erl +MRas STRATEGY ... -run core_bench main Nif Strategy Ops Live Rounds
-module(core_bench).
-export([main/1, run/4]).

main([Nif, Strategy, Ops, Live, Rounds]) ->
    ok = erlang:load_nif(Nif, 0),
    Times = run(list_to_atom(Strategy), list_to_integer(Ops), list_to_integer(Live),
                list_to_integer(Rounds)),
    {value, {loop, Loop}, Rest} = lists:keytake(loop, 1, Times),
    %% The loop is nobody's; what is left is compared within each round.
    Net = [{Name, lists:zipwith(fun erlang:'-'/2, Ns, Loop)} || {Name, Ns} <- Rest],
    Cells = [cell(Net, Name) || Name <- [core, live, core32, enif_alloc, glibc, jemalloc, mimalloc]],
    io:format("| ~s | ~s | ~s | ~s | ~s |~n",
              [Strategy, Live, lists:join(" | ", Cells), ratio(Net, core, live),
               ratio(Net, core32, core)]),
    halt(0).

cell(Net, Name) ->
    case lists:keyfind(Name, 1, Net) of
        {_, Ns} -> io_lib:format("~.1f", [median(Ns)]);
        false -> "-"
    end.

ratio(Net, Above, Below) ->
    case {lists:keyfind(Above, 1, Net), lists:keyfind(Below, 1, Net)} of
        {{_, As}, {_, Bs}} ->
            io_lib:format("~.2f", [median(lists:zipwith(fun erlang:'/'/2, As, Bs))]);
        _ -> "-"
    end.

median(List) ->
    lists:nth((length(List) + 1) div 2, lists:sort(List)).

run(_Strategy, _Ops, _Live, _Rounds) ->
    erlang:nif_error(not_loaded).
