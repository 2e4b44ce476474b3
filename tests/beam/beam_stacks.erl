%% SPDX-License-Identifier: MIT
%% Which functions are on the stack when a block is made.
-module(beam_stacks).
-behaviour(gen_server).
-export([stacks/1, code/1, code_unheard/1, soak/1, probed/1]).
-export([init/1, handle_call/3, handle_cast/2]).
-import(beam_case, [until/1]).

%% Each kind of work runs in a process of its own, below outer/3 and inner/3, with calls in between that leave return
%% addresses of decoys behind.  Prints, for each, its identifier and the function that works; nobody else calls decoys.
stacks([Ms]) ->
    {ok, #{stack_found_by := Found}} = carrierscope:start(#{sample => {count, 2}}),
    io:format("found|~ts~n", [Found]),
    Kinds = kinds(),
    %% Code is loaded slowly beside others.
    Ended = ended(Kinds, list_to_integer(Ms)) ++ ended([{reloads, modules()}], 1000),
    {ok, _} = carrierscope:stop(),
    [io:format("kind|~w|~w|~w~n", [Pid, Kind, Reason]) || {Kind, Pid, Reason} <- Ended].

%% What the shell says of who made 4,000 binaries of 10,000 bytes that live, and as many that are gone.
code(_) ->
    {error, "nothing is sampled: " ++ _} = carrierscope:code(10),
    {ok, #{stack_found_by := Found}} = with_quiet_trials(fun() -> carrierscope:start(#{sample => {bytes, 16384}}) end),
    io:format("found|~ts~n", [Found]),
    {error, "code takes a number from 1 to " ++ _} = carrierscope:code(0),
    case Found of
        "off: " ++ Why -> {error, "stacks of this node are not read: " ++ Why} = carrierscope:code(10);
        _ -> says_code(Found), says_small()
    end,
    {ok, _} = carrierscope:stop(),
    {error, "nothing is sampled: " ++ _} = carrierscope:code(10),
    Names = fun(Text) -> {match, Words} = re:run(Text, "'?([a-z_][a-z_0-9]*)'?", [global, {capture, all_but_first, list}]), lists:usort([list_to_atom(W) || [W] <- Words]) end,
    {ok, Sql} = file:read_file(filename:join(os:getenv("CSC_SCHEMA"), "blocks/code.sql")),
    {match, [Applications, Modules]} = re:run(Sql, "application IN \\((.*?)\\).*?module IN \\('', (.*?)\\)", [dotall, {capture, all_but_first, list}]),
    Both = carrierscope_code:libraries(),
    {true, true} = {Names(Applications) =:= lists:usort(element(1, Both)), Names(Modules) =:= lists:usort(element(2, Both))}.

%% Processes of trials collect their garbage where they say so, never between the question how large a heap is and its use.
with_quiet_trials(Start) ->
    _ = erlang:trace(new, true, [procs, garbage_collection]),
    Started = Start(),
    _ = erlang:trace(all, false, [all]),
    Delivered = erlang:trace_delivered(all),
    receive {trace_delivered, all, Delivered} -> ok end,
    Traced = traced(),
    Trials = [Pid || {trace, Pid, spawned, _, {carrierscope_stacks, trial, _}} <- Traced],
    %% What is asked for may be minor, and major behind it.
    Collected = [[What || {trace, Of, What, _} <- Traced, Of =:= Pid, What =:= gc_minor_start orelse What =:= gc_major_start] || Pid <- Trials],
    {3, []} = {length(Trials), Collected -- [Each || Each <- Collected, Each =:= [gc_minor_start] orelse Each =:= [gc_minor_start, gc_major_start]]},
    Started.

traced() -> receive Trace when element(1, Trace) =:= trace -> [Trace | traced()] after 0 -> [] end.

says_code(Found) ->
    Self = self(),
    Holder = spawn(fun() -> Kept = makes(4000), _ = makes(4000), garbage_collect(), Self ! made, receive stop -> length(Kept) end end),
    receive made -> ok end,
    Mine = fun() -> [Row || #{function := "beam_stacks:made/1"} = Row <- carrierscope:code(1000)] end,
    [#{live_bytes := {Low, Live, High}, made_mib := Made, by_calling := By, source_line := At, samples := Samples, application := undefined}] = Mine(),
    %% made/1 is in one line; without lines nothing is said.
    true = At =:= case lists:suffix("with lines", Found) of true -> "beam_stacks.erl:" ++ integer_to_list(made_line()); false -> "" end,
    io:format("code|~b to ~b, ~b of 40000000 bytes; ~p MiB made, ~b samples, by calling ~ts~n", [Low, High, Live, Made, Samples, By]),
    %% Bounds of five deviations: those of 95 % are wrong in one of twenty runs.
    true = abs(Live - 40000000) < 5 * (High - Low) / 3.92 + 100000,
    true = Low < Live andalso Live < High andalso High - Low < 0.2 * Live andalso abs(Made * 1048576 - 80000000) < 16000000,
    [#{live_bytes := {_, Most, _}} | _] = carrierscope:code(1),
    true = Most >= Live,
    Monitor = monitor(process, Holder),
    Holder ! stop,
    receive {'DOWN', Monitor, process, _, _} -> ok end,
    %% Their memory may go a little after the process.
    until(fun() -> lists:sum([Left || #{live_bytes := {_, Left, _}} <- Mine()]) < 400000 end),
    %% What a port reads is made by no process.
    Read = reads(open_port({spawn, "head -c 2000000 /dev/zero"}, [binary]), 2000000),
    [#{live_bytes := {_, Unread, _}}] = [Row || #{function := "no stack was read"} = Row <- carrierscope:code(1000)],
    true = Unread > 500000 andalso iolist_size(Read) =:= 2000000.

reads(_, 0) -> [];
reads(Port, Left) -> receive {Port, {data, Data}} -> [Data | reads(Port, Left - byte_size(Data))] end.

%% Of 20,000 binaries of less than 100 bytes each, by one block of ten.
says_small() ->
    {ok, _} = carrierscope:stop(),
    {ok, _} = carrierscope:start(#{sample => {count, 10}}),
    Kept = smalls(20000),
    [#{live_bytes := {Low, Live, High}, samples := Samples}] =
        [Row || #{function := "beam_stacks:small/1"} = Row <- carrierscope:code(1000)],
    io:format("small|~b to ~b, ~b; ~b samples~n", [Low, High, Live, Samples]),
    true = abs(Samples - length(Kept) / 10) < 5 * math:sqrt(length(Kept) * 0.09) + 5,
    %% The width of a count of blocks drawn one in ten.
    Deviation = 10 * math:sqrt(Samples * 0.9) * Live / (10 * Samples),
    true = abs((High - Low) / (2 * 1.96) - Deviation) < 0.05 * Deviation.

%% A session of LTTng that has ended does not tell what is live now.
code_unheard(_) ->
    {ok, #{listening := false, stack_found_by := Found}} = carrierscope:start(#{sample => {count, 10}}),
    {error, Refused} = carrierscope:code(10),
    {ok, _} = carrierscope:stop(),
    case Found of
        "off: " ++ _ -> ok;
        _ -> "nothing is sampled: no session" ++ _ = Refused
    end.

smalls(N) -> [small(N) || _ <- lists:seq(1, N)].

small(N) -> Made = binary:copy(<<N>>, 70), true = byte_size(Made) < N, Made.

makes(N) -> [made(N) || _ <- lists:seq(1, N)].

made_line() -> ?LINE + 1.
made(N) -> Made = binary:copy(<<N>>, 10000), true = byte_size(Made) > N, Made.

ended(Kinds, Ms) ->
    Until = erlang:monotonic_time(millisecond) + Ms,
    Started = [{Kind, spawn_monitor(fun() -> outer(Kind, Until, Kept) end)} || {Kind, Kept} <- Kinds],
    [{Kind, Pid, receive {'DOWN', Monitor, process, _, Reason} -> Reason end} || {Kind, {Pid, Monitor}} <- Started].

kinds() ->
    Table = ets:new(beam_stacks, [public, ordered_set]),
    {ok, Server} = gen_server:start(?MODULE, [], []),
    Sink = spawn(fun sink/0),
    Packed = term_to_binary(lists:seq(1, 2000)),
    {ok, Code} = file:read_file(code:which(?MODULE)),
    [{insert, Table}, {update, Table}, {lookup, Table}, {send, Sink}, {send_large, Sink}, {call, Server}, {pack, none}, {unpack, Packed},
     {iolist, none}, {split, none}, {copy, none}, {append, none}, {match, none}, {comprehend, none}, {fold, none}, {map, none},
     {update_map, none}, {seq, none}, {deep, none}, {tail, none}, {big, none}, {float, none}, {tuple, none}, {closure, none},
     {spawned, none}, {linked, none}, {timer, none}, {catches, none}, {tries, none}, {dictionary, none}, {compress, none}, {port, none},
     {chunks, Code}, {sort, none}, {format, none}, {regex, none}, {atoms, none}, {collects, none}, {hibernates, none}, {waits, none}, {applies, none}, {timeouts, none}, {refs, none},
     {errors, none}, {from_list, none}, {build, none}, {leaf, none}, {external, none}, {texts, none}, {multiply, none}].

%% Two modules that take the place of each other in memory, if this node can compile: a binary of 41111 bytes is made by the
%% first, of 42222 by the second.
modules() ->
    case code:ensure_loaded(compile) of
        {module, _} -> {module(beam_stacks_a), module(beam_stacks_b)};
        _ -> none
    end.

module(Name) ->
    Run = {function, 1, Name, 1, [{clause, 1, [{var, 1, 'N'}], [],
                                   [{tuple, 1, [{call, 1, {remote, 1, {atom, 1, binary}, {atom, 1, copy}},
                                                 [{bin, 1, [{bin_element, 1, {integer, 1, 1}, default, default}]}, {var, 1, 'N'}]}]}]}]},
    {ok, Name, Code} = compile:forms([{attribute, 1, module, Name}, {attribute, 1, export, [{Name, 1}]}, Run]),
    Code.

outer(Kind, Until, Kept) ->
    R = inner(Kind, Until, Kept),
    id({outer, R}).

inner(Kind, Until, Kept) ->
    repeat(Kind, Until, Kept, 0),
    id({inner, Kind}).

repeat(Kind, Until, Kept, N) ->
    case erlang:monotonic_time(millisecond) > Until of
        true -> N;
        false ->
            _ = decoy_1(30),
            _ = id(work(Kind, Kept, N)),
            repeat(Kind, Until, Kept, N + 1)
    end.

%% They leave addresses of theirs behind, below the end of the stack.
decoy_1(N) -> decoy_2(N) + 1.
decoy_2(0) -> 0;
decoy_2(N) -> decoy_3(N - 1) + 1.
decoy_3(N) -> decoy_2(N) + 1.

id(Term) -> Term.

work(insert, Table, N) -> id(ets:insert(Table, {N band 1023, lists:seq(1, 40), <<0:800>>}));
work(update, Table, N) -> id(ets:insert(Table, {{counter, N band 15}, 0})), id(ets:update_counter(Table, {counter, N band 15}, 1));
work(lookup, Table, N) -> id(length(ets:lookup(Table, N band 1023)));
work(send, Sink, N) -> Sink ! {self(), lists:seq(1, 30)}, pace(N);
work(send_large, Sink, N) -> Sink ! {self(), binary:copy(<<N:8>>, 3000)}, pace(N);
work(call, Server, N) -> id(gen_server:call(Server, {echo, lists:seq(1, 50), N}));
work(pack, _, N) -> id(byte_size(term_to_binary({N, lists:seq(1, 500)})));
work(unpack, Packed, _) -> id(length(binary_to_term(Packed)));
work(iolist, _, N) -> id(byte_size(iolist_to_binary([<<N:8>>, lists:duplicate(500, $a), "bcd"])));
work(split, _, _) -> id(length(binary:split(binary:copy(<<"a,b,">>, 200), <<",">>, [global])));
work(copy, _, N) -> id(byte_size(binary:copy(<<N:8>>, 5000)));
work(append, _, _) -> id(byte_size(append(<<>>, 300)));
work(match, _, _) -> id(length(match(binary:copy(<<1, 2, 3, 4>>, 100), [])));
work(comprehend, _, _) -> id(length([<<X:8000>> || X <- lists:seq(1, 20)]));
work(fold, _, _) -> id(lists:foldl(fun(X, Sum) -> byte_size(binary:copy(<<X:8>>, 200)) + Sum end, 0, lists:seq(1, 20)));
work(map, _, _) -> id(length(lists:map(fun(X) -> {X, binary:copy(<<X:8>>, 300)} end, lists:seq(1, 20))));
work(update_map, _, _) -> id(map_size(lists:foldl(fun(X, Map) -> Map#{X => {X, X}} end, #{}, lists:seq(1, 300))));
work(seq, _, N) -> id(length(lists:seq(1, 3000 + N band 7)));
work(deep, _, _) -> id(deep(400));
work(tail, _, _) -> id(length(tail(1000, [])));
work(big, _, N) -> id(big(1 bsl 2000 + N, 30));
work(float, _, N) -> id(length([X * 1.5 || X <- lists:seq(1, 300 + N band 3)]));
work(tuple, _, N) -> id(tuple_size(erlang:make_tuple(2000, N)));
work(closure, _, N) -> id(length([fun() -> {N, X} end || X <- lists:seq(1, 300)]));
work(spawned, _, N) -> {P, M} = spawn_monitor(fun() -> id(lists:seq(1, 30 + N band 3)) end), receive {'DOWN', M, process, P, _} -> ok end;
work(linked, _, _) -> P = spawn_link(fun() -> receive stop -> ok end end), unlink(P), P ! stop;
work(timer, _, _) -> T = erlang:send_after(100000, self(), tick), id(erlang:cancel_timer(T));
work(catches, _, N) -> id(catch error({binary:copy(<<N:8>>, 500), lists:seq(1, 50)}));
work(tries, _, N) -> try id(thrown(N)) catch throw:{_, List} -> length(List) end;
work(dictionary, _, N) -> id(put({key, N band 255}, lists:seq(1, 40)));
work(compress, _, _) -> id(byte_size(zlib:compress(binary:copy(<<"some text ">>, 300))));
work(port, _, _) -> Port = open_port({spawn_executable, "/bin/true"}, [exit_status]), receive {Port, {exit_status, _}} -> ok end;
work(chunks, Code, _) -> id(beam_lib:chunks(Code, [exports, imports]));
work(sort, _, N) -> id(length(lists:sort([(X * 7919 + N) rem 1009 || X <- lists:seq(1, 500)])));
work(format, _, N) -> id(length(lists:flatten(io_lib:format("~p ~s ~w", [{N, lists:seq(1, 20)}, "text", #{a => N}]))));
work(regex, _, _) -> id(re:run(binary:copy(<<"abc def ">>, 50), "([a-z]+) ", [global]));
work(atoms, _, N) -> id(list_to_atom("beam_stacks_" ++ integer_to_list(N band 511)));
work(collects, _, N) -> L = lists:seq(1, 200 + N band 63), erlang:garbage_collect(), id(length(L));
work(hibernates, _, _) -> {P, M} = spawn_monitor(fun sleeper/0), P ! go, P ! on, receive {'DOWN', M, process, P, _} -> ok end;
work(reloads, none, N) -> id(N);
work(reloads, {A, _}, N) when N band 1 =:= 0 -> id(loaded(beam_stacks_a, A, 41111));
work(reloads, {_, B}, _) -> id(loaded(beam_stacks_b, B, 42222));
work(waits, _, _) -> self() ! {some, lists:seq(1, 30)}, receive {some, List} -> id(length(List)) end;
work(applies, _, N) -> id(catch apply(beam_stacks, list_to_atom("none_" ++ integer_to_list(N band 1023)), [N]));
work(timeouts, _, _) -> receive nothing -> ok after 1 -> ok end;
work(refs, Table, N) -> id([make_ref() || _ <- lists:seq(1, 20 + N band 3)]), id(is_reference(Table));
work(errors, _, N) -> try id(1 + element(1, {id(a), N})) catch error:badarith:Stack -> length(Stack) end;
work(from_list, _, N) -> id(map_size(maps:from_list([{X, N} || X <- lists:seq(1, 100)])));
work(build, _, N) -> id(byte_size(<<(binary:copy(<<N:8>>, 100))/binary, N:64, 1.5/float, (binary:copy(<<1>>, 50))/binary>>));
work(leaf, _, N) -> leaf(N);
work(external, _, N) -> id(fun beam_stacks:init/1), id(erlang:make_fun(beam_stacks, list_to_atom("f" ++ integer_to_list(N band 255)), 3));
work(texts, _, N) -> id(unicode:characters_to_binary([$a + N band 15 | lists:duplicate(300, 16#e9)]));
work(multiply, _, N) -> id((1 bsl 100000 + N) * (1 bsl 100000 - N)).

%% It is called last and calls nothing: no address of it is on the stack of its process.
leaf(N) -> <<N:8000>>.

%% The sink must keep up.
pace(N) when N band 31 =:= 0 -> timer:sleep(1);
pace(N) -> N.
append(Bin, 0) -> Bin;
append(Bin, N) -> append(<<Bin/binary, N:32, "more">>, N - 1).

match(Bin, List) when byte_size(Bin) < 2 -> List;
match(Bin, List) -> match(binary:part(Bin, 2, byte_size(Bin) - 2), [binary:part(Bin, 0, 2) | List]).

deep(0) -> 0;
deep(N) -> byte_size(binary:copy(<<N:8>>, 100)) + deep(N - 1).

tail(0, List) -> List;
tail(N, List) -> tail(N - 1, [{N, N} | List]).

big(X, 0) -> X;
big(X, N) -> big(X * 3 + 1, N - 1).

loaded(Module, Code, Bytes) ->
    {module, Module} = code:load_binary(Module, "", Code),
    Made = Module:Module(Bytes),
    true = code:delete(Module),
    _ = code:purge(Module),
    tuple_size(Made).

thrown(N) -> throw({thrown, lists:seq(1, 100 + N band 3)}).

sleeper() -> receive go -> erlang:hibernate(erlang, self, []) after 0 -> sleeper_ends() end.

sleeper_ends() -> id(lists:seq(1, 40)).

sink() -> receive _ -> sink() end.

%% @private
init(State) -> {ok, State}.
%% @private
handle_call({echo, List, N}, _, State) -> {reply, lists:reverse([N | List]), State}.
%% @private
handle_cast(_, State) -> {noreply, State}.

%% Processes that are made, collect their garbage, sleep and end all the time, with a stack at every other block.
soak([Seconds]) ->
    {ok, #{stack_found_by := Found}} = carrierscope:start(#{sample => {bytes, 2}}),
    io:format("found|~ts~n", [Found]),
    Until = erlang:monotonic_time(millisecond) + 1000 * list_to_integer(Seconds),
    Monitors = [element(2, spawn_monitor(fun() -> churn(Until, N) end)) || N <- lists:seq(1, 8)],
    [receive {'DOWN', Monitor, process, _, normal} -> ok end || Monitor <- Monitors],
    {ok, #{allocs := Allocs}} = carrierscope:stop(),
    io:format("allocs|~b~n", [Allocs]).

churn(Until, N) ->
    case erlang:monotonic_time(millisecond) > Until of
        true -> ok;
        false ->
            Pids = [spawn(fun() -> life(N + X) end) || X <- lists:seq(1, 20)],
            Killed = spawn(fun() -> life_long(lists:seq(1, 100)) end),
            _ = [P ! {from, lists:seq(1, X)} || {P, X} <- lists:zip(Pids, lists:seq(1, 20))],
            exit(Killed, kill),
            Monitors = [monitor(process, P) || P <- Pids],
            [receive {'DOWN', Monitor, process, _, _} -> ok end || Monitor <- Monitors],
            churn(Until, N + 1)
    end.

life(N) ->
    List = lists:seq(1, 100 + 37 * (N rem 50)),
    _ = N rem 3 =:= 0 andalso erlang:garbage_collect(),
    receive {from, Sent} -> ends(N rem 4, List, Sent) after 1000 -> ok end.

ends(0, List, _) -> length(List);
ends(1, List, Sent) -> exit({List, Sent});
ends(2, List, _) -> put(kept, List), self() ! on, erlang:hibernate(erlang, length, [List]);
ends(3, List, Sent) -> self() ! {List, Sent}, length([{X, Sent} || X <- List]).

life_long(List) -> life_long([length(List) | List]).

%% Samples for profilers of the machine, where no session listens: prints how many were made and freed.
probed(_) ->
    {ok, _} = carrierscope:start(#{sample => {bytes, 65536}, probes => true, allocators => [binary_alloc]}),
    Kept = [binary:copy(<<N:8>>, 100000) || N <- lists:seq(1, 1000)],
    [_ = binary:copy(<<N:8>>, 100000) || N <- lists:seq(1, 1000)],
    erlang:garbage_collect(),
    io:format("kept|~b~n", [length(Kept)]),
    {ok, _} = carrierscope:stop().
