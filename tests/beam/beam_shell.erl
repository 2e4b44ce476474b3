%% SPDX-License-Identifier: MIT
%% What README and guide type in the shell of a node, and what must be answered: programs that grow write down how much.
-module(beam_shell).
-export([main/1]).

%% A verdict may need longer where the machine is busy.
-define(SECONDS, [6, 12, 24, 48, 96, 192]).

main([Name | Arguments]) ->
    try
        run(list_to_atom(Name), Arguments),
        %% Nothing of all this needs the native half.
        false = erlang:module_loaded(carrierscope_nif),
        [] = [Left || Left <- registered(), lists:prefix("carrierscope", atom_to_list(Left))],
        halt(0)
    catch
        Class:Reason:Stack -> io:format("~p: ~p~n~p~n", [Class, Reason, Stack]), halt(1)
    end.

%% A process that keeps binaries: it is named, with a rate that is its own; what it wrote down lies in File.
run(binaries, [File]) ->
    leaks(File, binary_alloc, process, "keeper",
          fun(Kept) -> keeps(fun(State) -> [binary:copy(<<"a">>, 20000) | State] end, 20000, Kept, []) end);
run(heap, [File]) ->
    leaks(File, eheap_alloc, process, "keeper",
          fun(Kept) -> keeps(fun(State) -> [lists:seq(1, 1000) | State] end, 2002 * erlang:system_info(wordsize), Kept, []) end);
run(table, [File]) ->
    leaks(File, ets_alloc, table, "rows_of_mine",
          fun(Kept) ->
                  rows_of_mine = ets:new(rows_of_mine, [named_table]),
                  keeps(fun(N) -> ets:insert(rows_of_mine, {N, lists:seq(1, 2000)}), N + 1 end,
                        (4000 + 12) * erlang:system_info(wordsize), Kept, 0)
          end);
%% Binaries that rows of a table refer to are held by no process: that they grow is said, and whose rows do, not that it is them.
run(rows, [File]) ->
    begins(fun(_) ->
                   rows_of_mine = ets:new(rows_of_mine, [named_table]),
                   keeps(fun(N) -> ets:insert(rows_of_mine, {N, binary:copy(<<"a">>, 20000)}), N + 1 end, 20000, atomics:new(2, []), 0)
           end),
    {Sentence, #{class := growth, allocator := binary_alloc}} =
        until(fun(Seconds) -> verdict(Seconds, File) end, fun({_, #{class := Class}}) -> Class =:= growth end),
    true = contains(Sentence, "rows_of_mine") andalso contains(Sentence, File);
%% A node that does nothing does not grow.
run(idle, [File]) ->
    {_, #{class := normal, unseen_bytes_per_s := Unseen}} =
        until(fun(Seconds) -> still(verdict(Seconds, File)) end, fun({_, #{class := Class}}) -> Class =:= normal end),
    true = Unseen > 0,
    [] = [Grown || #{grown_bytes := Bytes} = Grown <- carrierscope:growth(5, 1000), Bytes > 1048576];
%% Nor one whose load swings, whatever else is said of it.
run(swings, [File]) ->
    begins(fun(_) -> swings() end),
    [still(verdict(Seconds, File)) || Seconds <- [5, 9, 13]];
%% What fills up and then stands still is no leak.
run(fills, [File]) ->
    Filled = holds(fun() -> [binary:copy(<<"a">>, 20000) || _ <- lists:seq(1, 2000)] end),
    still(verdict(6, File)),
    true = is_process_alive(Filled);
run(fragmented, [File]) ->
    Holder = holds(fun scattered/0),
    {Sentence, #{class := fragmentation, allocator := binary_alloc, empty_bytes := Empty}} =
        until(fun(Seconds) -> still(verdict(Seconds, File)) end, fun({_, #{class := Class}}) -> Class =:= fragmentation end),
    true = contains(Sentence, "binary_alloc") andalso Empty > 20 * 1048576,
    [#{unused_words := Words, unused_bytes := Bytes, unused_mib := MiB, usage := Usage}] =
        [Row || #{allocator := binary_alloc} = Row <- carrierscope:fragmentation()],
    true = Usage < 0.5,
    Bytes = Words * erlang:system_info(wordsize),
    true = abs(MiB - Bytes / 1048576) < 0.001,
    agrees(carrierscope:fragmentation(), carrierscope:fragmentation(instances)),
    true = is_process_alive(Holder);
%% Such carriers may wait in the pool instead; then that is said, or that it is not known.
run(pooled, [File]) ->
    Holder = holds(fun scattered/0),
    still(verdict(6, File)),
    [_] = [Row || #{allocator := binary_alloc, pool_carriers_size := Pool, mbcs_usage := Usage} = Row <- carrierscope:fragmentation(),
                  Pool > 8388608 orelse Usage < 0.5],
    true = is_process_alive(Holder);
%% The calls that take no time, and who holds most.
run(answers, [File]) ->
    holds(fun() -> [binary:copy(<<"a">>, 20000) || _ <- lists:seq(1, 1000)] end),
    [#{kind := process, id := Pid, name := "keeper" ++ _, bytes := Bytes, binary_bytes := Binaries, mib := MiB}, #{bytes := Less}] = carrierscope:holders(2),
    true = Pid =:= whereis(keeper) andalso Binaries >= 20000000 andalso Bytes > Binaries andalso Bytes >= Less andalso MiB > 19,
    Table = ets:new(of_mine, [public]),
    true = ets:insert(Table, [{N, lists:seq(1, 300)} || N <- lists:seq(1, 5000)]),
    [#{id := Table, name := "of_mine"}] = [Held || #{kind := table, id := Id} = Held <- carrierscope:holders(20), Id =:= Table],
    {ok, #{file := File, bytes := Size}} = carrierscope:record(#{seconds => 2, file => File}),
    true = Size =:= filelib:file_size(File),
    refusals(File),
    alone(File),
    short(File ++ ".kernel"),
    telemetry().

%%% Programs that grow

begins(Do) ->
    Asker = self(),
    Pid = spawn(fun() -> register(keeper, self()), Asker ! ready, Do(none) end),
    receive ready -> Pid end,
    timer:sleep(1000),
    Pid.

%% All that it holds is there, however long a busy machine takes to make it.
holds(Make) ->
    Asker = self(),
    Pid = spawn(fun() ->
                        register(keeper, self()),
                        State = Make(),
                        erlang:garbage_collect(),
                        Asker ! ready,
                        receive {stop, _} -> State end
                end),
    receive ready -> Pid end,
    timer:sleep(1000),
    Pid.

%% Kept: bytes so far, and when that was, in ms.
keeps(Add, Bytes, Kept, State) ->
    receive after 10 -> ok end,
    Next = Add(State),
    atomics:add(Kept, 1, Bytes),
    keeps(Add, Bytes, Kept, Next).

leaks(File, Allocator, Kind, Name, Program) ->
    Kept = atomics:new(1, []),
    begins(fun(_) -> Program(Kept) end),
    Watch = spawn_link(fun() -> watches(Kept, []) end),
    {Sentence, #{class := leak, allocator := Allocator, kind := Kind, who := Who, bytes_per_s := {Low, Rate, High}, growers := Growers, file := Read}} =
        until(fun(Seconds) -> verdict(Seconds, File) end, fun({_, #{class := Class}}) -> Class =:= leak end),
    true = contains(Who, Name) andalso contains(Sentence, Who) andalso Low =< Rate andalso Rate =< High,
    true = filelib:file_size(Read) > 0,
    [#{who := Who, bytes_per_s := {_, _, _}}] = [Grower || #{who := W} = Grower <- Growers, W =:= Who],
    Watch ! {rates, self()},
    {Least, Most} = receive {rates, Rates} -> {lists:min(Rates), lists:max(Rates)} end,
    io:format("~ts~nits own: ~b to ~b bytes/s~n", [Sentence, round(Least), round(Most)]),
    %% A heap's terms move while they are counted.
    true = Low =< 1.1 * Most andalso High >= 0.9 * Least.

%% Rates of two seconds each, as the program counts.
watches(Kept, Rates) ->
    Begin = erlang:monotonic_time(millisecond),
    Before = atomics:get(Kept, 1),
    receive {rates, Asker} -> Asker ! {rates, Rates}
    after 2000 ->
        Now = erlang:monotonic_time(millisecond),
        watches(Kept, [1000 * (atomics:get(Kept, 1) - Before) / max(1, Now - Begin) | Rates])
    end.

swings() ->
    State = [binary:copy(<<"a">>, 20000) || _ <- lists:seq(1, 500 + rand:uniform(500))],
    receive after 300 + rand:uniform(400) -> true = is_list(State) end,
    erlang:garbage_collect(),
    receive after 100 + rand:uniform(300) -> swings() end.

%% One in twenty binaries of many, which lie in all of their carriers.
scattered() -> scattered(100000, [], []).

scattered(0, Kept, All) ->
    true = length(All) > 0,
    Kept;
scattered(N, Kept, All) ->
    Binary = binary:copy(<<"a">>, 500),
    scattered(N - 1, if N rem 20 =:= 0 -> [Binary | Kept]; true -> Kept end, [Binary | All]).

%%% Answers

verdict(Seconds, File) ->
    _ = file:delete(File),
    {ok, Sentence, #{class := Class} = Verdict} = carrierscope:verdict(#{seconds => Seconds, file => File}),
    io:format("~b s: ~ts~n", [Seconds, Sentence]),
    true = lists:prefix(string:uppercase(atom_to_list(Class)) ++ ": ", Sentence),
    {Sentence, Verdict}.

%% Nothing grows here: to say that it does is the worst answer.
still({_, #{class := Class}} = Verdict) ->
    false = lists:member(Class, [leak, growth]),
    Verdict.

until(Ask, IsSo) -> until(Ask, IsSo, ?SECONDS).

until(Ask, IsSo, [Seconds | More]) ->
    Answer = Ask(Seconds),
    case IsSo(Answer) of
        true -> Answer;
        false when More =/= [] -> until(Ask, IsSo, More)
    end.

contains(Text, Part) -> string:find(Text, Part) =/= nomatch.

%% Instances are summed, and carriers are those that the node's own sizes have.
agrees(All, Instances) ->
    Names = erlang:system_info(alloc_util_allocators),
    Carriers = fun(Rows, Name) -> lists:sum([B + S + P || #{allocator := N, mbcs_carriers_size := B, sbcs_carriers_size := S, pool_carriers_size := P} <- Rows, N =:= Name]) end,
    [true = abs(Carriers(All, Name) - Carriers(Instances, Name)) =< 4 * 1048576 || Name <- Names],
    Sizes = erlang:system_info({allocator_sizes, binary_alloc}),
    Own = lists:sum([element(2, Figure) || {instance, _, Sections} <- Sizes, {_, Figures} <- Sections, Figure <- Figures, element(1, Figure) =:= carriers_size]),
    true = abs(Carriers(All, binary_alloc) - Own) =< 1048576.

refusals(File) ->
    Refused = [carrierscope:record(#{file => File}), carrierscope:record(#{}), carrierscope:record(#{file => "/nowhere/x"}), carrierscope:record(x),
               carrierscope:record(#{file => 7}), carrierscope:record(#{file => "x", seconds => 0}), carrierscope:verdict(#{seconds => 1}),
               carrierscope:verdict(#{second => 10}), carrierscope:holders(0), carrierscope:holders(many), carrierscope:growth(5, 0),
               carrierscope:fragmentation(all)],
    [begin {error, [_ | _] = Sentence} = Answer, false = lists:member($\n, Sentence), io:format("refused: ~ts~n", [Sentence]) end || Answer <- Refused].

%% One at a time; one whose caller is killed leaves nothing.
alone(File) ->
    Other = File ++ ".other",
    {Caller, Monitor} = spawn_monitor(fun() -> carrierscope:record(#{seconds => 3600, every => 3600000, file => Other}) end),
    waits(fun() -> is_pid(whereis(carrierscope_pushed)) end),
    {error, "another carrierscope reads this node" ++ _} = carrierscope:verdict(),
    exit(Caller, kill),
    receive {'DOWN', Monitor, process, _, killed} -> ok end,
    waits(fun() -> whereis(carrierscope_pusher) =:= undefined andalso whereis(carrierscope_pushed) =:= undefined end),
    %% What it wrote until then is not written over.
    {error, _} = carrierscope:record(#{seconds => 1, file => Other}),
    ok = file:delete(Other),
    {ok, _} = carrierscope:record(#{seconds => 1, file => Other}).

%% Where little memory is free, no list of processes is made unless it is forced; allocators are read.
short(Folder) ->
    ok = filelib:ensure_dir(Folder ++ "/proc/x"),
    ok = file:write_file(Folder ++ "/proc/meminfo", "MemAvailable: 30000 kB\n"),
    true = os:putenv("CARRIERSCOPE_KERNEL_FILES", Folder),
    [{error, "only 29 MiB of memory are free" ++ _} = Refused
     || Refused <- [carrierscope:holders(3), carrierscope:growth(3, 100), carrierscope:verdict(), carrierscope:record(#{file => Folder ++ "/one"})]],
    [_ | _] = carrierscope:fragmentation(),
    {ok, _} = carrierscope:record(#{file => Folder ++ "/two", seconds => 1, force => true}),
    true = os:unsetenv("CARRIERSCOPE_KERNEL_FILES").

waits(IsSo) -> waits(IsSo, erlang:monotonic_time(second) + 400).

waits(IsSo, End) ->
    case IsSo() of
        true -> ok;
        false -> true = erlang:monotonic_time(second) < End, timer:sleep(20), waits(IsSo, End)
    end.

%% A module that stands in for the library tells who asked.
telemetry() ->
    {error, "there is no library telemetry" ++ _} = carrierscope:telemetry(),
    Forms = [{attribute, 1, module, telemetry}, {attribute, 1, export, [{execute, 3}]},
             {function, 1, execute, 3, [{clause, 1, [{var, 1, 'A'}, {var, 1, 'B'}, {var, 1, 'C'}], [],
                                         [{op, 1, '!', {call, 1, {atom, 1, self}, []}, {tuple, 1, [{var, 1, 'A'}, {var, 1, 'B'}, {var, 1, 'C'}]}}]}]}],
    {ok, telemetry, Beam} = compile:forms(Forms),
    {module, telemetry} = code:load_binary(telemetry, "telemetry", Beam),
    ok = carrierscope:telemetry(),
    #{carriers := Carriers, blocks := Blocks, unused := Unused, pool := _, cache := _, resident := Resident} =
        receive {[carrierscope, memory], Measurements, _} -> Measurements end,
    true = Carriers =:= Blocks + Unused andalso Blocks > 0 andalso Resident > 0,
    told(Carriers, 0, 0).

told(Carriers, Sum, Count) ->
    receive {[carrierscope, allocator], #{carriers := Some}, #{allocator := Name}} when is_atom(Name) -> told(Carriers, Sum + Some, Count + 1)
    after 0 -> true = Count > 5, Carriers = Sum
    end.
