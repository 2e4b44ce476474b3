%% SPDX-License-Identifier: MIT
%% Cases that run on a node: erl ... -run beam_case main NAME ARGUMENT...  A failed match ends the node
%% with 1.
-module(beam_case).
-export([main/1]).
%% For the modules with the cases.
-export([halts/1, work/0, until/1]).

main([Name | Arguments]) ->
    halts(fun() -> run(list_to_atom(Name), Arguments) end).

%% Ends the node: 0, or 1 if the function fails.
halts(Fun) ->
    try Fun() of
        _ -> halt(0)
    catch
        Class:Reason:Stack ->
            io:format("~p: ~p~n~p~n", [Class, Reason, Stack]),
            halt(1)
    end.

%% A case is a function with its name, of one of these.
run(Name, Arguments) ->
    [Module] = [Module || Module <- [beam_start, beam_reload, beam_sessions, beam_readings, beam_memory,
                                     beam_stability, beam_stacks, beam_tracer, beam_process, beam_holders],
                          {module, Module} =:= code:ensure_loaded(Module),
                          erlang:function_exported(Module, Name, 1)],
    Module:Name(Arguments).

%% Some blocks of most kinds.
work() ->
    Table = ets:new(work, [public]),
    [ets:insert(Table, {N, lists:seq(1, 20)}) || N <- lists:seq(1, 3000)],
    ets:delete(Table),
    [spawn_monitor(fun() -> binary:copy(<<1>>, 1000) end) || _ <- lists:seq(1, 100)],
    [receive {'DOWN', _, _, _, normal} -> ok end || _ <- lists:seq(1, 100)],
    ok.

until(IsSo) ->
    until(IsSo, erlang:monotonic_time(second) + 400).

until(IsSo, End) ->
    case IsSo() of
        true -> ok;
        false ->
            true = erlang:monotonic_time(second) < End,
            timer:sleep(20),
            until(IsSo, End)
    end.
