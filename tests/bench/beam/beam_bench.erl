%% SPDX-License-Identifier: MIT
%% What hooks cost: the same allocation-heavy work in turns, each way of it in one node, so that
%% the state of the machine is the same for all.  Milliseconds of CPU, user and system.
-module(beam_bench).
-export([main/1, work/0]).

main([Rounds, Script]) ->
    work(),
    Ways = [unhooked, hooked, all, sampled],
    Results = [[{Way, way(Way, Script)} || Way <- rotate(N, Ways)]
               || N <- lists:seq(1, list_to_integer(Rounds))],
    [begin
         Times = [proplists:get_value(Way, Result) || Result <- Results],
         Ratios = [Time / proplists:get_value(unhooked, Result)
                   || {Time, Result} <- lists:zip(Times, Results)],
         io:format("~-10s  median ~7.1f ms  least ~7.1f ms   of unhooked: median ~.3f, of least ~.3f~n",
                   [Way, median(Times), lists:min(Times), median(Ratios),
                    lists:min(Times) / lists:min([proplists:get_value(unhooked, R) || R <- Results])])
     end || Way <- Ways],
    #{allocs := Allocs, frees := Frees, reallocs := Reallocs} = get(told),
    io:format("events a round, every block recorded: ~b, ~.2f M/s of wall time~n",
              [Allocs + Frees + Reallocs, (Allocs + Frees + Reallocs) / get(wall_us)]),
    halt(0).

rotate(N, List) ->
    {Before, Behind} = lists:split(N rem length(List), List),
    Behind ++ Before.

median(Numbers) ->
    lists:nth((length(Numbers) + 1) div 2, lists:sort(Numbers)).

way(unhooked, _) ->
    measure();
way(hooked, _) ->
    {ok, _} = carrierscope:start(),
    Time = measure(),
    {ok, #{allocs := 0}} = carrierscope:stop(),
    Time;
way(all, Script) ->
    recorded(Script, #{});
way(sampled, Script) ->
    recorded(Script, #{sample => {bytes, 65536}}).

recorded(Script, Options) ->
    "" = os:cmd(Script ++ " start"),
    {ok, _} = carrierscope:start(Options),
    timer:sleep(300),
    Time = measure(),
    {ok, Told} = carrierscope:stop(),
    "" = os:cmd(Script ++ " stop"),
    case Options of
        #{sample := _} -> ok;
        _ -> put(told, Told), put(wall_us, get(last_wall_us))
    end,
    timer:sleep(300),
    Time.

measure() ->
    [erlang:garbage_collect(Pid) || Pid <- processes()],
    {Before, _} = erlang:statistics(runtime),
    Start = erlang:monotonic_time(microsecond),
    work(),
    put(last_wall_us, erlang:monotonic_time(microsecond) - Start),
    {After, _} = erlang:statistics(runtime),
    float(After - Before).

%% Rows, binaries and processes, on two schedulers.
work() ->
    Workers = [spawn_monitor(fun() -> worker() end) || _ <- lists:seq(1, 2)],
    [receive {'DOWN', Monitor, _, _, normal} -> ok end || {_, Monitor} <- Workers].

worker() ->
    Table = ets:new(bench, [public]),
    [ets:insert(Table, {N rem 20000, N, binary:copy(<<0>>, N rem 500)}) || N <- lists:seq(1, 200000)],
    _ = lists:foldl(fun(N, Kept) -> lists:sublist([binary:copy(<<1>>, 65 + N rem 3000) | Kept], 50) end,
                    [], lists:seq(1, 50000)),
    [begin
         {_, Monitor} = spawn_monitor(fun() -> lists:seq(1, 100) end),
         receive {'DOWN', Monitor, _, _, _} -> ok end
     end || _ <- lists:seq(1, 10000)],
    ets:delete(Table).
