%% SPDX-License-Identifier: MIT
%% What hooks cost: the same allocation-heavy work in turns, each way of it in one node, so that the
%% state of the machine is the same for all.  Times are ms on the wall, and of CPU (user and system,
%% all threads of the node, as the kernel counts it; neither LTTng's consumer nor heaptrack's writer counts).
-module(beam_bench).
-export([main/1, alone/1, starts/0]).

%% Iterations of each of the two workers, if $CSC_ITERATIONS has no other number; some six calls of an allocator in each.
-define(ITERATIONS, "300000").

main([Kind, Rounds, Script]) ->
    put(kind, list_to_existing_atom(Kind)),
    work(),
    Ways = [unhooked | [list_to_existing_atom(Way) || Way <- string:lexemes(os:getenv("CSC_WAYS", "hooked all single sampled"), " ")]],
    Results = [[{Way, way(Way, Script)} || Way <- rotate(N, Ways)]
               || N <- lists:seq(1, list_to_integer(Rounds))],
    _ = [raw(File, Kind, Results) || File <- [os:getenv("CSC_RAW")], File =/= false],
    [print(Way, [{proplists:get_value(Way, R), proplists:get_value(unhooked, R)} || R <- Results])
     || Way <- Ways],
    [events(Way, Results) || Way <- Ways, lists:member(Way, [all, single])],
    halt(0).

%% All rounds, appended to a CSV file: how busy the machine was, and ms.
raw(File, Kind, Results) ->
    {ok, Average} = file:read_file("/proc/loadavg"),
    [Load | _] = string:lexemes(Average, " "),
    Rows = [io_lib:format("~s,~s,~b,~s,~.1f,~.1f~n", [Kind, Load, Round, Way, Wall, Cpu])
            || {Round, Ways} <- lists:zip(lists:seq(1, length(Results)), Results), {Way, {Wall, Cpu}} <- Ways],
    ok = file:write_file(File, Rows, [append]).

%% Of the work that was measured, without what warmed up.
events(Way, Results) ->
    Events = median(get({events, Way})),
    More = median([element(2, proplists:get_value(Way, R)) -
                       element(2, proplists:get_value(unhooked, R)) || R <- Results]),
    io:format("~s: ~b block events a round, ~.2f M/s on the wall; ~.2f M for each second of "
              "CPU unhooked; each costs ~b ns of CPU; lost in all rounds: ~b~n",
              [Way, Events, Events / 1000 / median([element(1, proplists:get_value(Way, R)) || R <- Results]),
               Events / 1000 / median([element(2, proplists:get_value(unhooked, R)) || R <- Results]),
               round(1.0e6 * More / Events), lists:sum(get({lost, Way}))]).

%% The work once, after once to warm up: "WALL CPU" in ms.
alone([Kind]) ->
    put(kind, list_to_existing_atom(Kind)),
    work(),
    {Wall, Cpu} = measure(),
    io:format("~.1f ~.1f~n", [Wall, Cpu]),
    halt(0).

%% What the first start on a node takes: "LOAD START SECOND" in ms on the wall, then the same of CPU: the library is
%% loaded before, and the second start has the emulator searched already.
starts() ->
    Load = spent(fun() -> #{hooked := false} = carrierscope:info() end),
    First = spent(fun begins/0),
    {ok, _} = carrierscope:stop(),
    Times = [Load, First, spent(fun begins/0)],
    io:format("~.1f ~.1f ~.1f ~.1f ~.1f ~.1f~n", [Wall || {Wall, _} <- Times] ++ [Cpu || {_, Cpu} <- Times]),
    halt(0).

begins() ->
    {ok, _} = carrierscope:start().

spent(Do) ->
    {Cpu, _} = erlang:statistics(runtime),
    {Wall, _} = timer:tc(Do),
    {Now, _} = erlang:statistics(runtime),
    {Wall / 1000, float(Now - Cpu)}.

print(Way, Pairs) ->
    io:format("~-9s wall ~s   CPU ~s~n",
              [Way | [ratios([{element(I, A), element(I, B)} || {A, B} <- Pairs]) || I <- [1, 2]]]).

ratios(Pairs) ->
    Ratios = [A / B || {A, B} <- Pairs],
    Least = fun(I) -> lists:min([element(I, Pair) || Pair <- Pairs]) end,
    {From, To} = interval(Ratios),
    io_lib:format("median ~7.1f ms, ratio ~.3f (with 95 % from ~.3f to ~.3f; of least ~.3f, ~.2f to ~.2f)",
                  [median([A || {A, _} <- Pairs]), median(Ratios), From, To, Least(1) / Least(2),
                   lists:min(Ratios), lists:max(Ratios)]).

rotate(N, List) ->
    {Before, Behind} = lists:split(N rem length(List), List),
    Behind ++ Before.

median(Numbers) ->
    lists:nth((length(Numbers) + 1) div 2, lists:sort(Numbers)).

%% Where the median of what these were drawn from lies with 95 %, by their ranks; of few numbers all of them.
interval(Numbers) ->
    Count = length(Numbers),
    Rank = max(1, trunc((Count - 1.96 * math:sqrt(Count)) / 2)),
    Sorted = lists:sort(Numbers),
    {lists:nth(Rank, Sorted), lists:nth(Count + 1 - Rank, Sorted)}.

%% After the same as the others.
way(unhooked, Script) ->
    _ = os:cmd(Script ++ " stop"),
    measure();
way(hooked, _) ->
    {ok, _} = carrierscope:start(),
    Times = measure(),
    {ok, #{allocs := 0}} = carrierscope:stop(),
    Times;
way(all, Script) ->
    recorded(all, Script, #{});
way(single, Script) ->
    recorded(single, Script, #{events => single});
way(sampled, Script) ->
    recorded(sampled, Script, #{sample => {bytes, 65536}});
way(stackless, Script) ->
    recorded(stackless, Script, #{sample => {bytes, 65536}, stacks => false});
%% As `carrierscope keep` has it by default: carriers, a snapshot each 10 s, rules that do not hold.
way(kept, Script) ->
    "" = os:cmd(Script ++ " start"),
    Rules = #{rss_share => 1000, cgroup_share => 1000, growth => 1 bsl 50, large_heap => 1 bsl 40, long_gc => 3600000},
    "csc-ok" ++ _ = carrierscope_keeper:start(#{token => "bench", every => list_to_integer(os:getenv("CSC_EVERY", "10000")), sample => 0, rules => Rules}, 600000),
    Times = measure(),
    "csc-ok" = carrierscope_keeper:stop(),
    "" = os:cmd(Script ++ " stop"),
    Times.

note(Key, Value) ->
    put(Key, [Value | case get(Key) of undefined -> []; Values -> Values end]).

recorded(Way, Script, Options) ->
    "" = os:cmd(Script ++ " start"),
    {ok, _} = carrierscope:start(Options),
    timer:sleep(300),
    Times = measure(),
    After = events(),
    {ok, #{lost := Lost}} = carrierscope:stop(),
    "" = os:cmd(Script ++ " stop"),
    timer:sleep(300),
    note({events, Way}, After - get(events_before)),
    note({lost, Way}, Lost),
    Times.

%% Until now, since the start.
events() ->
    lists:sum([element(N, carrierscope_nif:info()) || N <- [8, 9, 10]]).

measure() ->
    [erlang:garbage_collect(Pid) || Pid <- processes()],
    %% A processor that has rested is slower for a while, by another amount each time.
    work(iterations() div 3),
    put(events_before, events()),
    Before = cpu(),
    Start = erlang:monotonic_time(microsecond),
    work(),
    Wall = erlang:monotonic_time(microsecond) - Start,
    {Wall / 1000, cpu() - Before}.

%% Of all threads that there are, in ms: the kernel counts ns (statistics(runtime) has its ticks).  Threads of a node live as long as it.
cpu() ->
    {ok, Threads} = file:list_dir("/proc/self/task"),
    lists:sum([spent_by(filename:join(["/proc/self/task", Thread, "schedstat"])) || Thread <- Threads]) / 1.0e6.

%% One may have ended meanwhile.
spent_by(File) ->
    case file:read_file(File) of
        {ok, Text} -> binary_to_integer(hd(binary:split(Text, <<" ">>)));
        {error, _} -> 0
    end.

%% Rows of a table that are replaced, binaries, and processes, on two schedulers.  Two kinds:
%%   mixed   binaries are also filled, byte by byte: about 1.5 M calls of allocators for each second
%%           of CPU
%%   dense   next to nothing but calls of allocators: 3 M and more
work() ->
    work(iterations()).

iterations() ->
    list_to_integer(os:getenv("CSC_ITERATIONS", ?ITERATIONS)).

work(Iterations) ->
    Kind = get(kind),
    Binaries = list_to_tuple([<<0:(65 * N)/unit:8>> || N <- lists:seq(1, 8)]),
    Workers = [spawn_monitor(fun() -> worker(Kind, ets:new(bench, [public]), Binaries, Iterations) end)
               || _ <- [1, 2]],
    [receive {'DOWN', Monitor, _, _, normal} -> ok end || {_, Monitor} <- Workers].

worker(_, _, _, 0) ->
    ok;
worker(Kind, Table, Binaries, N) ->
    ets:insert(Table, {N band 4095, N, binary:copy(element(1 + N band 3, Binaries))}),
    _ = case Kind of
            mixed -> binary:copy(<<1>>, 65 + N rem 1000);
            dense -> binary:copy(element(5 + N band 3, Binaries))
        end,
    N band 3 =:= 0 andalso
        begin
            {_, Monitor} = spawn_monitor(fun() -> lists:seq(1, 100) end),
            receive {'DOWN', Monitor, _, _, _} -> ok end
        end,
    worker(Kind, Table, Binaries, N - 1).
