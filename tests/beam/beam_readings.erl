%% SPDX-License-Identifier: MIT
%% Cases of snapshots, and of blocks beside the node's own counters.
-module(beam_readings).
-export([exact/1, instances/1, proof/1, snapshots/1, read_growth/1, read_code/1, read_peak/1]).
-import(beam_case, [until/1]).

%% Blocks against the node's own counters; the readings are marks in the trace.
exact([Ms]) ->
    compared(fun() -> beam_load:run(2, list_to_integer(Ms)) end).

%% The same, with work for each scheduler, dirty ones too.
instances([Ms]) ->
    compared(fun() -> everywhere(), beam_load:run(2, list_to_integer(Ms)) end).

%% Read before a load and while what it has made is still there, with nobody at work.
proof([Ms | Seed]) ->
    beam_load:run(1, 500),
    {ok, _} = carrierscope:start(),
    Pids = beam_load:start(case Seed of [] -> 2; [N | _] -> list_to_integer(N) end),
    timer:sleep(list_to_integer(Ms)),
    beam_load:pause(Pids),
    {ok, _} = carrierscope:stop(),
    beam_load:stop(Pids).

%% Readings, one by one and by the clock.
snapshots(_) ->
    {ok, _} = carrierscope:snapshot(),
    beam_load:loads(100),
    %% Counters of a node may be below zero, as a number or as its 64 bits.
    ok = carrierscope_nif:emit([{instance, 0, 1, 0, <<"test\0">>, <<"below zero\0">>, -48, -1, -(1 bsl 63) + 1},
                                {instance, 0, 1, 0, <<"test\0">>, <<"below zero\0">>, (1 bsl 64) - 48, -1, 7}]),
    ok = carrierscope:snapshot(#{every => 50}),
    {error, "snapshots are taken already"} = carrierscope:snapshot(#{every => 50}),
    Pid = whereis(carrierscope_snapshots),
    1 = erlang:trace_pattern({carrierscope_snapshot, record, 1}, true, [local]),
    1 = erlang:trace(Pid, true, [call]),
    [receive {trace, Pid, call, _} -> ok end || _ <- lists:seq(1, 5)],
    ok = carrierscope:snapshot(stop),
    {error, "no snapshots are taken"} = carrierscope:snapshot(stop),
    %% What stop/0 ends, hooked or not.
    ok = carrierscope:snapshot(#{every => 50}),
    {ok, #{hooked := false}} = carrierscope:stop(),
    undefined = whereis(carrierscope_snapshots),
    {error, "nothing is hooked"} = carrierscope:stop(),
    %% Limits that a list of holders cannot have: figures are there nevertheless.
    {ok, _} = carrierscope_snapshot:record(#{top => 5}),
    io:format("buffers ~b~n", [buffers_resident()]).

%% Six readings of a node that holds 30 MB more of large binaries at each, and one large heap.
read_growth(_) ->
    Heap = lists:seq(1, 3000000),
    Held = lists:foldl(
        fun(N, All) ->
            More = [binary:copy(<<N>>, 1000000) || _ <- lists:seq(1, 18)],
            {ok, _} = carrierscope:snapshot(),
            timer:sleep(100),
            [More | All]
        end,
        [],
        lists:seq(1, 10)),
    {3000000, 10} = {length(Heap), length(Held)}.

%% 1200 loads of a module between two readings.
read_code(_) ->
    {ok, _} = carrierscope:snapshot(),
    ok = beam_load:loads(1200),
    {ok, _} = carrierscope:snapshot().

%% A peak of 60 MB of binaries of which one of six stays, read at the peak and afterwards.
read_peak(_) ->
    Holder = spawn_link(fun() -> holds([binary:copy(<<N>>, 40000) || N <- lists:seq(1, 1500)]) end),
    asks(Holder, ready),
    {ok, _} = carrierscope:snapshot(),
    asks(Holder, thin),
    {ok, _} = carrierscope:snapshot().

%% LTTng's ring buffers in memory, as the kernel counts them.
buffers_resident() ->
    {ok, Maps} = file:read_file("/proc/self/smaps"),
    {match, Found} = re:run(Maps, "/shm-ust-consumer-[^\\n]*\\nSize:[^\\n]*\\n(?:[^\\n]*PageSize:[^\\n]*\\n)*Rss:\\s+([0-9]+) kB",
                            [global, {capture, all_but_first, list}]),
    1024 * lists:sum([list_to_integer(Kib) || [Kib] <- Found]).

%% Holds binaries, and keeps every sixth when it is asked to.
holds(Binaries) ->
    receive
        {From, ready} ->
            From ! {self(), length(Binaries)},
            holds(Binaries);
        {From, thin} ->
            Kept = [Binary || {N, Binary} <- lists:zip(lists:seq(1, length(Binaries)), Binaries),
                              N rem 6 =:= 0],
            self() ! {From, ready},
            thinned(Kept)
    end.

%% Of a function of its own: no register keeps what is gone.
thinned(Kept) ->
    erlang:garbage_collect(),
    holds(Kept).

asks(Holder, What) ->
    Holder ! {self(), What},
    receive {Holder, Left} when Left > 0 -> ok end.

compared(Load) ->
    beam_load:run(1, 1000),
    Events = list_to_existing_atom(os:getenv("CSC_EVENTS", "batches")),
    {ok, #{events := Events}} = carrierscope:start(#{force => true, events => Events}),
    readings(),
    Load(),
    readings(),
    {ok, #{events := Events, lost := 0} = Recorded} = carrierscope:stop(),
    io:format("~p~n", [Recorded]).

%% Until each instance of an allocator that threads have one of was asked for a block: which scheduler
%% takes which job is the emulator's choice, of dirty ones always.
everywhere() ->
    Before = calls(),
    until(fun() ->
                  Pids = [spawn_opt(fun() -> binary:copy(<<3>>, 1000) end, [monitor, {scheduler, N}])
                          || N <- lists:seq(1, erlang:system_info(schedulers_online))] ++
                      [spawn_monitor(fun() -> beam_load:write(N) end) || N <- lists:seq(1, 20)],
                  [receive {'DOWN', Monitor, process, _, Reason} -> normal = Reason end
                   || {_, Monitor} <- Pids],
                  [N || {N, Calls} <- calls(), proplists:get_value(N, Before) =:= Calls] =:= []
          end).

%% Calls of each instance but the first, in all allocators that have more; schedulers that are not
%% online, as where a node has one of two processors, have instances that nobody calls.
calls() ->
    Schedulers = erlang:system_info(schedulers),
    Online = erlang:system_info(schedulers_online),
    Calls = [{N, [Giga * 1000000000 + Count || {calls, [{_, Giga, Count} | _]} <- Sections]}
             || {_, [_, _ | _] = Instances} <- erlang:system_info({allocator, erlang:system_info(alloc_util_allocators)}),
                {instance, N, Sections} <- Instances, N > 0, N =< Online orelse N > Schedulers],
    [{N, lists:sum(lists:append(proplists:get_all_values(N, Calls)))} || N <- proplists:get_keys(Calls)].

readings() ->
    [begin beam_load:marked_snapshot(), timer:sleep(50) end || _ <- lists:seq(1, 12)].
