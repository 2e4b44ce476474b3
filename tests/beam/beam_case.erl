%% SPDX-License-Identifier: MIT
%% Cases that run on a node: erl ... -run beam_case main NAME.  A failed match ends the node with 1.
-module(beam_case).
-export([main/1]).

main([Name | Arguments]) ->
    try run(list_to_atom(Name), Arguments) of
        _ -> halt(0)
    catch
        Class:Reason:Stack ->
            io:format("~p: ~p~n~p~n", [Class, Reason, Stack]),
            halt(1)
    end.

%% Start and stop, and what is refused.
run(start_stop, _) ->
    #{hooked := false, hook_id := 0} = carrierscope:info(),
    {error, <<"nothing is hooked">>} = carrierscope:stop(),
    refused(),
    {ok, #{hooked := true, hook_id := 1, sample := none, types := all}} = carrierscope:start(),
    {error, <<"the allocators are hooked already">>} = carrierscope:start(),
    work(),
    {ok, #{hooked := false, allocs := Allocs, frees := Frees, untracked := 0}} =
        carrierscope:stop(),
    true = Allocs > 1000,
    true = Frees > 100,
    %% What is not chosen is not told.
    {ok, #{allocators := [ets_alloc], min_size := 100}} =
        carrierscope:start(#{allocators => [ets_alloc], min_size => 100}),
    work(),
    {ok, #{hook_id := 2, allocs := Large}} = carrierscope:stop(),
    true = Large > 1000,
    {ok, #{types := 1}} = carrierscope:start(#{types => ["db_segment"]}),
    work(),
    {ok, #{hook_id := 3}} = carrierscope:stop(),
    {ok, #{sample := {count, 7}}} =
        carrierscope:start(["sample=count:7", "allocators=ets_alloc,binary_alloc"]),
    work(),
    {ok, _} = carrierscope:stop();

%% Blocks against the node's own counters; the readings are marks in the trace.
run(exact, [Ms]) ->
    beam_load:run(1, 1000),
    {ok, _} = carrierscope:start(),
    readings(),
    beam_load:run(2, list_to_integer(Ms)),
    readings(),
    {ok, Told} = carrierscope:stop(),
    io:format("~p~n", [Told]);

%% Loaded again, purged, and from another file.
run(reload, [Other]) ->
    {ok, _} = carrierscope:start(),
    {module, carrierscope} = code:load_file(carrierscope),
    true = code:soft_purge(carrierscope),
    #{hooked := true, allocs := Before} = carrierscope:info(),
    work(),
    #{allocs := After} = carrierscope:info(),
    true = After > Before,
    %% Another file is refused while the first has hooks ...
    os:putenv("CARRIERSCOPE_NIF", Other),
    {error, on_load_failure} = code:load_file(carrierscope),
    #{hooked := true} = carrierscope:info(),
    work(),
    {ok, _} = carrierscope:stop(),
    %% ... and takes over afterwards: nothing is told twice.
    {module, carrierscope} = code:load_file(carrierscope),
    code:purge(carrierscope),
    #{hooked := false, hook_id := 0} = carrierscope:info(),
    {ok, _} = carrierscope:start(),
    work(),
    %% Purged while hooked: nobody could unhook any more, so that is done.
    true = code:delete(carrierscope),
    code:purge(carrierscope),
    work(),
    os:unsetenv("CARRIERSCOPE_NIF"),
    {ok, _} = carrierscope:start(),
    work(),
    {ok, _} = carrierscope:stop(),
    work();

%% Runs until it is killed, hooked, under load.
run(victim, _) ->
    {ok, _} = carrierscope:start(),
    _ = beam_load:start(3),
    io:format("ready~n"),
    receive never -> ok end;

%% Sessions that come late, two after each other; ports before, between and after.
run(late, [Script]) ->
    ports(),
    Setup = child_setup(),
    {ok, _} = carrierscope:start(),
    ports(),
    work(),
    session(Script, "first"),
    ports(),
    work(),
    session(Script, "end first"),
    ports(),
    session(Script, "second"),
    ports(),
    work(),
    {ok, _} = carrierscope:stop(),
    ports(),
    session(Script, "end second"),
    ports(),
    Setup = child_setup();

%% A known set of blocks, in full and as samples of both kinds.
run(sampling, _) ->
    [begin
         {ok, _} = carrierscope:start(#{sample => Sample, types => [db_term]}),
         Table = ets:new(known, [public]),
         %% Sizes of a wide range: what lies in a row is 8 bytes a list element and more.
         [ets:insert(Table, {N, binary:copy(<<0>>, 1 + N rem 61), lists:seq(1, N * N rem 97)})
          || N <- lists:seq(1, 40000)],
         [ets:delete(Table, N) || N <- lists:seq(1, 40000, 2)],
         {ok, #{untracked := 0}} = carrierscope:stop(),
         ets:delete(Table)
     end || Sample <- [none, {bytes, 4096}, {count, 16}]];

%% Every sampled block that is freed was told, and nothing stays.
run(drained, _) ->
    {ok, _} = carrierscope:start(#{sample => {bytes, 2000}, types => [db_term, db_segment]}),
    beam_load:run(4, 1500),
    {ok, #{untracked := 0}} = carrierscope:stop();

%% Readings, one by one and by the clock.
run(snapshots, _) ->
    {ok, _} = carrierscope:snapshot(),
    ok = carrierscope:snapshot(#{every => 50}),
    {error, <<"snapshots are taken already">>} = carrierscope:snapshot(#{every => 50}),
    timer:sleep(500),
    ok = carrierscope:snapshot(stop),
    {error, <<"no snapshots are taken">>} = carrierscope:snapshot(stop);

%% An emulator that is not as it should be.
run(refusal, [Sentence]) ->
    Expected = list_to_binary(Sentence),
    {error, Expected} = carrierscope:start(),
    #{hooked := false, allocators := []} = carrierscope:info(),
    {error, <<"nothing is hooked">>} = carrierscope:stop(),
    work();

%% Hooked by -run or ERL_FLAGS before this.
run(hooked_at_boot, [Sample]) ->
    #{hooked := true, sample := Found} = carrierscope:info(),
    Sample = lists:flatten(io_lib:format("~w", [Found])),
    work(),
    {ok, #{allocs := Allocs}} = carrierscope:stop(),
    true = Allocs > 0.

refused() ->
    [{error, Sentence} = carrierscope:start(Options)
     || {Options, Sentence} <-
            [{#{allocators => [no_alloc]}, <<"there is no allocator 'no_alloc'">>},
             {#{allocators => []}, <<"allocators are 'all' or a list of names, not []">>},
             {#{types => ["no type"]}, <<"there is no block type 'no type'">>},
             {#{sample => {bytes, 0}},
              <<"sample is none, {bytes, N} or {count, N} with N of 2 or more, not {bytes,0}">>},
             {#{min_size => -1}, <<"min_size is a number of bytes, not -1">>},
             {#{samples => none}, <<"there is no option 'samples'">>},
             {["sample=bytes:x"], <<"'x' is no number">>},
             {["nothing"], <<"'nothing' is no option">>}]],
    #{hooked := false, hook_id := 0} = carrierscope:info().

%% Some blocks of most kinds.
work() ->
    Table = ets:new(work, [public]),
    [ets:insert(Table, {N, lists:seq(1, 20)}) || N <- lists:seq(1, 3000)],
    ets:delete(Table),
    [spawn_monitor(fun() -> binary:copy(<<1>>, 1000) end) || _ <- lists:seq(1, 100)],
    [receive {'DOWN', _, _, _, normal} -> ok end || _ <- lists:seq(1, 100)],
    ok.

readings() ->
    [begin beam_load:marked_snapshot(), timer:sleep(50) end || _ <- lists:seq(1, 12)].

ports() ->
    "hello\n" = os:cmd("echo hello"),
    Port = open_port({spawn, "cat"}, [binary]),
    true = port_command(Port, <<"there and back">>),
    receive {Port, {data, <<"there and back">>}} -> ok end,
    true = port_close(Port).

%% The helper that starts the programs of ports: if it had died, there would be another, or none.
child_setup() ->
    Pid = os:cmd("cat /proc/" ++ os:getpid() ++ "/task/*/children"),
    [_ | _] = Pid.

%% The test's script makes and ends sessions; a moment later all are told what they must know.
session(Script, What) ->
    "" = os:cmd(Script ++ " " ++ What),
    timer:sleep(500).
