%% SPDX-License-Identifier: MIT
%% Runs the live tests inside the emulator and ends it with their result:
%%   erl ... -run live main Nif Kind Strategy FirstSeed Files Lie
%% Kind is plain, or great: blocks of about 4 GiB.
-module(live).
-export([main/1, run/8]).

main([Nif, Kind, Strategy, Seed, Files, Lie]) ->
    ok = erlang:load_nif(Nif, 0),
    {_, _, _, Settings} = erlang:system_info(allocator),
    Shared = proplists:get_value(alloc_util, Settings),
    [Ycs, Mmc, Sac] = [proplists:get_value(Key, Shared) || Key <- [ycs, mmc, sac]],
    case run(list_to_atom(Kind), list_to_atom(Strategy), list_to_integer(Seed), list_to_integer(Files),
             Ycs, Mmc, Sac, list_to_atom(Lie)) of
        {ok, Count, Ops, Lines, Carriers} ->
            io:format("~s (ycs ~b, sac ~s): ~b files, ~b operations, ~b carriers, ~b lines: equal~n",
                      [Strategy, Ycs, Sac, Count, Ops, Carriers, Lines]),
            halt(0);
        {differs, Text} ->
            io:format("~s (ycs ~b, sac ~s)~n~s~n", [Strategy, Ycs, Sac, Text]),
            halt(1);
        {missing, Text} ->
            io:format("SKIPPED: ~s~n", [Text]),
            halt(77)
    end.

run(_Kind, _Strategy, _Seed, _Files, _Ycs, _Mmc, _Sac, _Lie) ->
    erlang:nif_error(not_loaded).
