%% SPDX-License-Identifier: MIT
%% A node that is recorded and knows what it has: erl ... -run truth_node main WAY FILE SEED MS
%%
%% It works, rests, works, rests.  At each rest it reads its own allocators before and after a moment,
%% and writes what it read into FILE, lines as those of `carrierscope-twin --truth`: of kind moment
%% (time: ns since the epoch) and of kind end, several for each allocator, and for all.  What holds at
%% the moment lies between them: a reading has a process of its own, which itself has memory.
-module(truth_node).
-export([main/1]).

main([Way, File, Seed, Ms]) ->
    beam_case:halts(fun() -> run(Way, File, list_to_integer(Seed), list_to_integer(Ms)) end).

run(Way, File, Seed, Ms) ->
    ok = early(Way),
    %% What a reading and a writing make for good is there before.
    written(File, [{"moment", 0, [reading()], 0}]),
    io:format("~s~n", ["begins"]),
    _ = os:system_time(nanosecond),
    First = load(Seed, Ms),
    ok = late(Way),
    Before = reading(),
    timer:sleep(300),
    Time = os:system_time(nanosecond),
    timer:sleep(300),
    After = reading(),
    Middle = {"moment", Time, [Before, After], in_flight(Way, moment)},
    Second = load(Seed + 1, Ms),
    LastBefore = reading(),
    InFlight = in_flight(Way, 'end'),
    ok = stops(Way),
    written(File, [Middle, {"end", 0, [LastBefore], 0}]),
    timer:sleep(300),
    io:format("~s~n", ["ends"]),
    LastAfter = reading(),
    written(File, [Middle, {"end", 0, [LastBefore, LastAfter] ++ more(Way, LastBefore, LastAfter), InFlight}]),
    victim(Way),
    ok = beam_load:stop(First),
    ok = beam_load:stop(Second).

%% By a process of its own, which leaves nothing.
written(File, Readings) ->
    {_, Monitor} = spawn_monitor(fun() ->
        Lines = lists:append([lines(Reading) || Reading <- Readings]),
        ok = file:write_file(File, [io_lib:format("~b,~s~n", [N, Line]) ||
            {N, Line} <- lists:zip(lists:seq(1, length(Lines)), Lines)])
    end),
    receive {'DOWN', Monitor, _, _, normal} -> ok end.

%% What the reading that is recorded has for itself, in bytes: at most.
in_flight("snapshots", _) -> 2097152;
in_flight(Way, 'end') when Way =:= "boot"; Way =:= "late"; Way =:= "lossy"; Way =:= "sampled" -> 4194304;
in_flight(_, _) -> 0.

load(Seed, Ms) ->
    Pids = beam_load:start(Seed),
    timer:sleep(Ms),
    beam_load:pause(Pids),
    Pids.

early("boot") -> ok;
early("late") -> ok;
early("sampled") -> starts(#{sample => {bytes, 16384}});
early("snapshots") -> carrierscope:snapshot(#{every => 250});
early(_) -> starts(#{}).

late("late") -> starts(#{});
late(_) -> ok.

starts(Options) ->
    {ok, _} = carrierscope:start(Options),
    ok.

stops("snapshots") -> timer:sleep(500), carrierscope:snapshot(stop);
stops("killed") -> ok;
stops(_) -> {ok, _} = carrierscope:stop(), ok.

%% Ends by somebody else's hand.
victim("killed") -> io:format("paused~n"), receive never -> ok end;
victim(_) -> ok.

%% Who is killed after writing and saying so has changed by as much once more, at most, and what the
%% process that wrote had of fixed size goes when all threads have passed.
more("killed", {Before, _}, {After, Own}) ->
    [{[{Name, more_of(Name, Sum, element(2, lists:keyfind(Name, 1, Before)))} || {Name, Sum} <- After], Own}];
more(_, _, _) -> [].

more_of(fix_alloc, After, _) -> add(After, [0, 0, 0, 0, 0, 0, 8, 8192]);
more_of(_, After, Before) -> lists:zipwith(fun(A, B) -> A + max(0, A - B) end, After, Before).

%% {Figures, its own bytes}: by a process that has room for it.
reading() ->
    {_, Monitor} = spawn_opt(fun() -> exit({reading, read()}) end, [monitor, {min_heap_size, 46422}]),
    receive {'DOWN', Monitor, _, _, {reading, Figures}} -> Figures end.

read() ->
    Figures = [{Name, sum(erlang:system_info({allocator, Name}))} ||
        Name <- erlang:system_info(alloc_util_allocators)],
    {total_heap_size, Words} = process_info(self(), total_heap_size),
    {Figures, Words * erlang:system_info(wordsize)}.

%% Carriers and their bytes, of mbcs, sbcs and mbcs_pool, then blocks and their bytes.
sum(false) -> lists:duplicate(8, 0);
sum(Instances) ->
    lists:foldl(fun add/2, lists:duplicate(8, 0), [instance(Sections) || {instance, _, Sections} <- Instances]).

add(A, B) -> [max(0, Sum) || Sum <- lists:zipwith(fun erlang:'+'/2, A, B)].

instance(Sections) ->
    Carriers = [figure(Key, proplists:get_value(Section, Sections, [])) ||
        Section <- [mbcs, sbcs, mbcs_pool], Key <- [carriers, carriers_size]],
    Blocks = [[blocks(Key, proplists:get_value(Section, Sections, [])) || Key <- [count, size]] ||
        Section <- [mbcs, sbcs, mbcs_pool]],
    Carriers ++ lists:foldl(fun add/2, [0, 0], Blocks).

figure(Key, Terms) ->
    case lists:keyfind(Key, 1, Terms) of
        false -> 0;
        Term -> element(2, Term)
    end.

%% By type, or in releases before 23 as figures of the section.
blocks(Key, Terms) ->
    case lists:keyfind(blocks, 1, Terms) of
        {blocks, Types} when is_list(Types) -> lists:sum([figure(Key, Figures) || {_, Figures} <- Types]);
        _ when Key =:= count -> figure(blocks, Terms);
        _ -> figure(blocks_size, Terms)
    end.

lines({Kind, Time, Readings, InFlight}) ->
    lists:append([lines_of(Kind, Time, Figures, Own, InFlight) || {Figures, Own} <- Readings]).

%% Also without what the reading itself has, and with what that has which is recorded.
lines_of(Kind, Time, Figures, Own, InFlight) ->
    All = lists:foldl(fun add/2, lists:duplicate(8, 0), [Sum || {_, Sum} <- Figures]),
    {eheap_alloc, Heaps} = lists:keyfind(eheap_alloc, 1, Figures),
    %% Its heap, the carriers made for it, and the messages with the answers of the instances.  Another
    %% reading may run on another scheduler, whose instance has room for its heap already.
    Room = Own + 262144,
    Less = [0, -Room - InFlight, 0, -Room, 0, 0, -8, -Room],
    %% The list of holders is garbage before figures are read: its carriers may be in the pool.
    More = lists:append([[[0, InFlight, 1, InFlight, 0, 0, 8, InFlight], [0, 0, 0, 0, 4, InFlight, 0, 0]] || InFlight > 0]),
    %% Of others than heaps what it waits and is waited for with.
    Few = [{Name, add(Sum, [0, 0, 0, 0, 0, 0, Sign * 4, Sign * 4096])} ||
              InFlight > 0, Sign <- [1, -1], {Name, Sum} <- Figures],
    %% Texts of the last list, of 64 bytes and more, until the process that made it collects its garbage: 63 were
    %% seen.  The reading that is recorded may have them or not, and this one.
    Texts = [{Name, add(Sum, [0, 0, 0, 0, 0, 0, Sign * 64, Sign * 16384])} || InFlight > 0, Sign <- [1, -1],
              {Name, Sum} <- [{all, All} | Figures], Name =:= all orelse Name =:= binary_alloc],
    [line(Kind, Time, Name, Sum) || {Name, Sum} <- Figures ++ [{all, All}] ++ Few ++ Texts ++
        lists:append([[{eheap_alloc, add(Heaps, Change)}, {all, add(All, Change)}] || Change <- [Less | More]])].

line(Kind, Time, Name, Sum) ->
    io_lib:format("~s,~b,,~s,~b,~b,~b,~b,~b,~b,~b,~b,0,,,", [Kind, Time, Name | Sum]).
