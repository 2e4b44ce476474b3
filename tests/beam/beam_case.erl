%% SPDX-License-Identifier: MIT
%% Cases that run on a node: erl ... -run beam_case main NAME.  A failed match ends the node with 1.
-module(beam_case).
-export([main/1]).
%% Traced by case tracer.
-export([returns/1, fails/1]).

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
    {error, "nothing is hooked"} = carrierscope:stop(),
    refused(),
    {ok, #{hooked := true, hook_id := 1, sample := none, types := all}} = carrierscope:start(),
    {error, "the allocators are hooked already"} = carrierscope:start(),
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
    compared(fun() -> beam_load:run(2, list_to_integer(Ms)) end);

%% The same, with work for each scheduler, dirty ones too.
run(instances, [Ms]) ->
    compared(fun() -> everywhere(), beam_load:run(2, list_to_integer(Ms)) end);

%% Read before a load and while what it has made is still there, with nobody at work.
run(proof, [Ms | Seed]) ->
    beam_load:run(1, 500),
    {ok, _} = carrierscope:start(),
    Pids = beam_load:start(case Seed of [] -> 2; [N | _] -> list_to_integer(N) end),
    timer:sleep(list_to_integer(Ms)),
    beam_load:pause(Pids),
    {ok, _} = carrierscope:stop(),
    beam_load:stop(Pids);

%% Loaded again, purged, and from another file.
run(reload, [Other]) ->
    {ok, _} = carrierscope:start(),
    {module, carrierscope_nif} = code:load_file(carrierscope_nif),
    true = code:soft_purge(carrierscope_nif),
    #{hooked := true, allocs := Before} = carrierscope:info(),
    work(),
    #{allocs := After} = carrierscope:info(),
    true = After > Before,
    %% Another file is refused while the first has hooks ...
    os:putenv("CARRIERSCOPE_NIF", Other),
    {error, on_load_failure} = code:load_file(carrierscope_nif),
    #{hooked := true} = carrierscope:info(),
    work(),
    {ok, _} = carrierscope:stop(),
    %% ... and takes over afterwards: nothing is told twice.
    {module, carrierscope_nif} = code:load_file(carrierscope_nif),
    code:purge(carrierscope_nif),
    #{hooked := false, hook_id := 0} = carrierscope:info(),
    {ok, _} = carrierscope:start(),
    work(),
    %% Purged while hooked: nobody could unhook any more, so that is done.
    true = code:delete(carrierscope_nif),
    code:purge(carrierscope_nif),
    work(),
    os:unsetenv("CARRIERSCOPE_NIF"),
    {ok, _} = carrierscope:start(),
    work(),
    {ok, _} = carrierscope:stop(),
    work();

%% Loads that are refused, again and again, while the module works, and what comes after each.  EBIN is
%% an installation of the test's own; NOTHING has the modules, and no library beside them.
run(refused_loads, [Ebin, Nothing]) ->
    Library = filename:join(Ebin, "carrierscope_nif.so"),
    Away = filename:join(Ebin, "away.so"),
    %% It was never there: all answer a sentence.
    ok = file:rename(Library, Away),
    [{error, "the library of carrierscope_nif is not loaded: " ++ _} = carrierscope:Function()
     || Function <- [start, stop, info, snapshot], _ <- lists:seq(1, 3)],
    [{error, "the library of carrierscope_nif is not loaded: " ++ _} = Answer
     || Answer <- [carrierscope:start(#{sample => {count, 10}}), carrierscope:snapshot(#{every => 50}),
                   carrierscope:snapshot(stop)]],
    ok = file:rename(Away, Library),
    works(),
    %% It was moved away after it was loaded: the C library knows it by its name still.
    ok = file:rename(Library, Away),
    _ = code:load_file(carrierscope_nif),
    _ = code:purge(carrierscope_nif),
    works(),
    %% There is none where it should be; not hooked, then hooked.
    os:putenv("CARRIERSCOPE_NIF", filename:join(Nothing, "carrierscope_nif.so")),
    refuses(),
    works(),
    {ok, _} = carrierscope:start(),
    refuses(),
    {ok, _} = carrierscope:stop(),
    works(),
    %% It is no library.
    NoLibrary = filename:join(Ebin, "no_library.so"),
    ok = file:write_file(NoLibrary, "no library"),
    os:putenv("CARRIERSCOPE_NIF", NoLibrary),
    refuses(),
    works(),
    %% Another one, while the first has its hooks.
    Other = filename:join(Ebin, "other.so"),
    {ok, _} = file:copy(Away, Other),
    os:putenv("CARRIERSCOPE_NIF", Other),
    {ok, _} = carrierscope:start(#{sample => {count, 10}}),
    refuses(),
    {ok, #{sample := {count, 10}}} = carrierscope:stop(),
    works(),
    %% While snapshots are taken, and the tracer is at work.
    os:putenv("CARRIERSCOPE_NIF", filename:join(Nothing, "carrierscope_nif.so")),
    Pids = beam_load:start(13),
    _ = erlang:trace(all, true, [running, {tracer, carrierscope_tracer, []}]),
    ok = carrierscope:snapshot(#{every => 20}),
    [begin
         refuses(),
         {module, _} = code:load_file(carrierscope_tracer),
         until(fun() -> code:soft_purge(carrierscope_tracer) end)
     end || _ <- lists:seq(1, 10)],
    true = is_pid(whereis(carrierscope_snapshots)),
    {ok, _} = carrierscope:stop(),
    _ = erlang:trace(all, false, [all]),
    ok = beam_load:stop(Pids),
    works();

%% New versions of all modules, and the old ones are purged: not hooked, hooked, and while snapshots are
%% taken.
run(upgrade, _) ->
    works(),
    upgrades(),
    works(),
    {ok, _} = carrierscope:start(),
    ok = carrierscope:snapshot(#{every => 20}),
    Pid = whereis(carrierscope_snapshots),
    upgrades(),
    upgrades(),
    true = is_process_alive(Pid),
    {ok, #{hooked := false}} = carrierscope:stop(),
    undefined = whereis(carrierscope_snapshots),
    works();

%% What module has on_load makes no fun: after a load that was refused they lead nowhere.
run(plain, [Ebin]) ->
    Files = filelib:wildcard(filename:join(Ebin, "*.beam")),
    Found = [{filename:basename(File), is_there(on_load, Code), funs(Code)}
             || File <- Files, Code <- [element(6, beam_disasm:file(File))]],
    [] = [Name || {Name, true, [_ | _]} <- Found],
    %% Such operations are seen where there are some.
    ["carrierscope_nif.beam", "carrierscope_tracer.beam"] = lists:sort([Name || {Name, true, _} <- Found]),
    [_ | _] = [Name || {Name, false, [_ | _]} <- Found];

%% Runs until it is killed, hooked, under load.
run(victim, _) ->
    {ok, _} = carrierscope:start(),
    _ = beam_load:start(3),
    tells(20000),
    io:format("ready~n"),
    receive never -> ok end;

%% Ends by itself, hooked, under load.
run(halted, [Rotate]) ->
    {ok, _} = carrierscope:start(),
    _ = beam_load:start(7),
    tells(20000),
    "" = os:cmd(Rotate);

%% Goes on when the session daemon is killed under it, and when another one comes.
run(orphan, [Kill, Again]) ->
    {ok, _} = carrierscope:start(),
    Pids = beam_load:start(8),
    timer:sleep(300),
    "" = os:cmd(Kill),
    timer:sleep(1000),
    ports(),
    {ok, _} = carrierscope:stop(),
    {ok, _} = carrierscope:start(),
    "" = os:cmd(Again),
    tells(2000),
    ok = beam_load:stop(Pids),
    {ok, #{allocs := Allocs}} = carrierscope:stop(),
    true = Allocs > 0;

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
    beam_load:loads(100),
    %% Counters of a node may be below zero, as a number or as its 64 bits.
    ok = carrierscope_nif:tell([{instance, 0, 1, 0, <<"test\0">>, <<"below zero\0">>, -48, -1, -(1 bsl 63) + 1},
                                {instance, 0, 1, 0, <<"test\0">>, <<"below zero\0">>, (1 bsl 64) - 48, -1, 7}]),
    ok = carrierscope:snapshot(#{every => 50}),
    {error, "snapshots are taken already"} = carrierscope:snapshot(#{every => 50}),
    Pid = whereis(carrierscope_snapshots),
    1 = erlang:trace_pattern({carrierscope, snapshot, 0}, true, [local]),
    1 = erlang:trace(Pid, true, [call]),
    [receive {trace, Pid, call, _} -> ok end || _ <- lists:seq(1, 5)],
    ok = carrierscope:snapshot(stop),
    {error, "no snapshots are taken"} = carrierscope:snapshot(stop),
    %% What stop/0 ends, hooked or not.
    ok = carrierscope:snapshot(#{every => 50}),
    {ok, #{hooked := false}} = carrierscope:stop(),
    undefined = whereis(carrierscope_snapshots),
    {error, "nothing is hooked"} = carrierscope:stop(),
    io:format("buffers ~b~n", [buffers_resident()]);

%% Six readings of a node that holds 30 MB more of large binaries at each, and one large heap.
run(told_growth, _) ->
    Heap = lists:seq(1, 3000000),
    Held = lists:foldl(
        fun(N, All) ->
            More = [binary:copy(<<N>>, 1000000) || _ <- lists:seq(1, 30)],
            {ok, _} = carrierscope:snapshot(),
            [More | All]
        end,
        [],
        lists:seq(1, 6)),
    {3000000, 6} = {length(Heap), length(Held)};

%% 1200 loads of a module between two readings.
run(told_code, _) ->
    {ok, _} = carrierscope:snapshot(),
    ok = beam_load:loads(1200),
    {ok, _} = carrierscope:snapshot();

%% A peak of 60 MB of binaries of which one of six stays, read at the peak and afterwards.
run(told_peak, _) ->
    Holder = spawn_link(fun() -> holds([binary:copy(<<N>>, 40000) || N <- lists:seq(1, 1500)]) end),
    asks(Holder, ready),
    {ok, _} = carrierscope:snapshot(),
    asks(Holder, thin),
    {ok, _} = carrierscope:snapshot();

%% Trace flags of the runtime, to a session.
run(tracer, _) ->
    Main = self(),
    Tracer = {tracer, carrierscope_tracer, []},
    Pid = spawn(fun() -> traced(Main) end),
    1 = erlang:trace(Pid, true, [procs, running, send, 'receive', garbage_collection, call, Tracer]),
    0 = erlang:trace(new_ports, true, [ports, running_ports, Tracer]),
    [erlang:trace_pattern({?MODULE, Name, 1}, [{'_', [], [{exception_trace}]}], [local])
     || Name <- [returns, fails]],
    Monitor = monitor(process, Pid),
    Pid ! go,
    receive {Pid, Child, Port, _} -> ok end,
    receive {'DOWN', Monitor, process, Pid, finished} -> ok end,
    %% Loaded again in between, and another file is refused.
    {module, _} = code:load_file(carrierscope_tracer),
    true = code:soft_purge(carrierscope_tracer),
    io:format("~w ~w ~w ~w~n", [Main, Pid, Child, Port]);

%% An emulator that is not as it should be.
run(refusal, [Sentence]) ->
    {error, Sentence} = carrierscope:start(),
    #{hooked := false, allocators := []} = carrierscope:info(),
    {error, "nothing is hooked"} = carrierscope:stop(),
    work(),
    %% What the node says of itself needs no symbols.
    {ok, _} = carrierscope:snapshot();

%% Searched: as exported, to the word.
run(hidden, _) ->
    #{table_found_by := "searched" ++ _} = carrierscope:info(),
    run(plainly, []);

%% The same where no session listens.
run(unheard, _) ->
    {ok, #{hooked := true}} = carrierscope:start(),
    work(),
    {ok, _} = carrierscope:snapshot(),
    {ok, #{hooked := false, allocs := 0, table_found_by := Way}} = carrierscope:stop(),
    work(),
    io:format("~ts~n", [Way]);

run(plainly, _) ->
    {ok, #{hooked := true}} = carrierscope:start(),
    work(),
    {ok, #{allocs := Allocs, table_found_by := Way}} = carrierscope:stop(),
    true = Allocs > 1000,
    io:format("~ts~n", [Way]);

%% Hooks come and go every second under load, with other options each time; the module is loaded
%% again now and then.  At the end the allocators' books must balance, and nothing may have grown.
run(stability, [Seconds]) ->
    beam_load:run(5, 3000),
    toggle(1, 500),
    beam_load:quiet(),
    {Start, StartCarriers} = {resident_kib(), carriers_kib()},
    StartDebug = debug_kib(),
    Pids = beam_load:start(6),
    Until = erlang:monotonic_time(second) + list_to_integer(Seconds),
    Beside = toggles([], Until),
    Rounds = length(Beside),
    ok = beam_load:stop(Pids),
    beam_load:quiet(),
    beam_load:quiet(),
    {End, EndCarriers} = {resident_kib(), carriers_kib()},
    EndDebug = debug_kib(),
    io:format("~b rounds, KiB resident (in carriers, for debuggers): ~b (~b, ~b) before, ~b (~b, ~b) after~n",
              [Rounds, Start, StartCarriers, StartDebug, End, EndCarriers, EndDebug]),
    true = Rounds > 0,
    [] = unbalanced(),
    %% Beside these, a bare node under this load goes up and down by some 30 MiB, and up for its first
    %% minutes: segments kept, freed carriers.
    true = End - EndCarriers - EndDebug < Start - StartCarriers - StartDebug + 98304,
    true = settles(lists:reverse(Beside));

%% Hooked by -run or ERL_FLAGS before this.
run(hooked_at_boot, [Sample]) ->
    #{hooked := true, sample := Found} = carrierscope:info(),
    Sample = lists:flatten(io_lib:format("~w", [Found])),
    work(),
    {ok, #{allocs := Allocs}} = carrierscope:stop(),
    true = Allocs > 0.

%% KiB resident beside carriers in each round, the last one first.
toggles(Beside, Until) ->
    Round = length(Beside),
    case erlang:monotonic_time(second) < Until of
        true ->
            {Resident, Carriers, Debug} = {resident_kib(), carriers_kib(), debug_kib()},
            Round rem 60 =/= 0 orelse io:format("~b: ~b (~b, ~b)~n", [Round, Resident, Carriers, Debug]),
            toggle(Round, 1000),
            toggles([Resident - Carriers - Debug | Beside], Until);
        false -> Beside
    end.

%% In a long run the last quarter is in the middle where the second one was, but for what schedulers'
%% arenas of malloc gain under this load, with hooks or without.  What a bare OTP 25 loses with each load
%% of a module, 9 KiB for debuggers (jit.h), some 17 MiB a minute here, is taken off before.
settles(Beside) when length(Beside) < 200 ->
    true;
settles(Beside) ->
    Quarter = length(Beside) div 4,
    [Second, Last] = [lists:nth(Quarter div 2, lists:sort(lists:sublist(Beside, From, Quarter)))
                      || From <- [Quarter + 1, 3 * Quarter + 1]],
    io:format("KiB resident beside carriers, median of the second quarter ~b, of the last ~b~n",
              [Second, Last]),
    Last - Second < 16384.

toggle(Round, Ms) ->
    Options = lists:nth(1 + Round rem 6,
                        [#{}, #{sample => {bytes, 65536}}, #{}, #{min_size => 1000},
                         #{sample => {count, 10}, types => [db_term, heap]},
                         #{allocators => [eheap_alloc, binary_alloc, driver_alloc]}]),
    {ok, _} = carrierscope:start(Options),
    timer:sleep(Ms div 2),
    {ok, _} = carrierscope:snapshot(),
    case Round rem 5 of
        0 ->
            [begin {module, Module} = code:load_file(Module), true = code:soft_purge(Module) end
             || Module <- [carrierscope, carrierscope_nif]];
        _ ->
            ok
    end,
    timer:sleep(Ms div 2),
    {ok, _} = carrierscope:stop().

%% Memory of its own: LTTng's buffers are shared, and come and go with sessions.
resident_kib() ->
    {ok, Status} = file:read_file("/proc/self/status"),
    {match, [Number]} = re:run(Status, "RssAnon:\\s+([0-9]+)", [{capture, all_but_first, list}]),
    list_to_integer(Number).

%% What the JIT keeps for debuggers; not in carriers.
debug_kib() ->
    case carrierscope_nif:jit_debug() of
        undefined -> 0;
        Bytes -> Bytes div 1024
    end.

%% LTTng's ring buffers in memory, as the kernel counts them.
buffers_resident() ->
    {ok, Maps} = file:read_file("/proc/self/smaps"),
    {match, Found} = re:run(Maps, "/shm-ust-consumer-[^\\n]*\\nSize:[^\\n]*\\n(?:[^\\n]*PageSize:[^\\n]*\\n)*Rss:\\s+([0-9]+) kB",
                            [global, {capture, all_but_first, list}]),
    1024 * lists:sum([list_to_integer(Kib) || [Kib] <- Found]).

%% What the runtime holds for its allocators.
carriers_kib() ->
    Names = erlang:system_info(alloc_util_allocators),
    lists:sum([Bytes || {_, Instances} <- erlang:system_info({allocator, Names}),
                        is_list(Instances), {instance, _, Sections} <- Instances,
                        {Section, Terms} <- Sections,
                        lists:member(Section, [mbcs, sbcs, mbcs_pool]),
                        Term <- Terms, element(1, Term) =:= carriers_size,
                        Bytes <- [element(2, Term)]]) div 1024.

%% Allocators whose blocks are not what calls of alloc less calls of free make; what fix_alloc
%% keeps of freed objects is counted as blocks.  Looked at five times, since reading allocates.
unbalanced() ->
    lists:foldl(fun(_, []) -> [];
                   (_, Before) ->
                        timer:sleep(100),
                        Now = [Name || {Name, Difference} <- balances(), Difference =/= 0,
                                       Name =/= fix_alloc],
                        [Name || Name <- Before, lists:member(Name, Now)]
                end, erlang:system_info(alloc_util_allocators), lists:seq(1, 5)).

balances() ->
    Numbers = [{0, Name} || Name <- erlang:system_info(alloc_util_allocators)],
    [{Name, sum(Name, Rows)}
     || {_, Name} <- Numbers,
        Rows <- [carrierscope_snapshot:rows(0, lists:keyreplace(Name, 2, Numbers, {1, Name}))]].

sum(Name, Rows) ->
    Prefix = lists:sublist(atom_to_list(Name), length(atom_to_list(Name)) - 5),
    Alloc = list_to_binary([Prefix, "alloc", 0]),
    Free = list_to_binary([Prefix, "free", 0]),
    lists:sum([case {Section, Key} of
                   {<<"calls\0">>, Alloc} -> Value;
                   {<<"calls\0">>, Free} -> -Value;
                   {_, <<"blocks\0">>} -> -Value;
                   _ -> 0
               end || {instance, _, 1, _, Section, Key, Value, _, _} <- Rows]).

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

%% Whatever is asked wrongly is answered by one line that names the option and what it may be, and
%% nothing is begun.
refused() ->
    [try
         {error, Sentence} = Ask(),
         true = length(Sentence) < 400,
         true = lists:all(fun(C) -> C >= $\s andalso C =< $~ end, Sentence),
         {true, _} = {string:str(Sentence, Part) > 0, Sentence}
     catch
         Class:Reason -> error({N, Part, Class, Reason})
     end || {N, {Ask, Part}} <- lists:zip(lists:seq(1, length(asked_wrongly())), asked_wrongly())],
    #{hooked := false, hook_id := 0} = carrierscope:info(),
    undefined = whereis(carrierscope_snapshots).

asked_wrongly() ->
    Most = "from 2 to 1099511627776, not ",
    [{fun() -> carrierscope:start(Options) end, Part}
     || {Options, Part} <-
            [{#{allocators => [no_alloc]}, "there is no allocator 'no_alloc'; there are sys_alloc, temp_alloc,"},
             {#{allocators => []}, "option 'allocators' is all or a list of names, not []"},
             {#{allocators => ets_alloc}, "option 'allocators' is all or a list of names, not ets_alloc"},
             {#{allocators => [ets_alloc | binary_alloc]}, "option 'allocators' is all"},
             {#{allocators => [[x], {}, 1]}, "option 'allocators': there is no allocator '[x]'"},
             {#{types => ["no type"]}, "option 'types': there is no block type 'no type'"},
             {#{types => [<<255>>]}, "option 'types': there is no block type '<<\"\\x{FF}\">>'"},
             {#{types => [[16#d800]]}, "option 'types': there is no block type '[55296]'"},
             {#{types => [[1024]]}, "option 'types': there is no block type '\\x{400}'"},
             {#{types => [lists:duplicate(1000000, $x)]}, "option 'types': there is no block type"},
             {#{types => 7}, "option 'types' is all or a list of names, not 7"},
             {#{types => lists:seq(1, 1000)}, "option 'types': there is no block type '1'"},
             {#{sample => {bytes, 1 bsl 70}}, Most ++ "{bytes,1180591620717411303424}"},
             {#{sample => {count, 1 bsl 63}}, Most ++ "{count,9223372036854775808}"},
             {#{sample => {bytes, 1 bsl 100000}}, Most},
             {#{sample => {bytes, 0}}, Most ++ "{bytes,0}"},
             {#{sample => {bytes, 2.5}}, Most ++ "{bytes,2.5}"},
             {#{sample => often}, "option 'sample' is none, {bytes, N} or {count, N} with N " ++ Most ++ "often"},
             {#{min_size => -1}, "option 'min_size' is a number of bytes from 0 to 1099511627776, not -1"},
             {#{min_size => 1 bsl 70}, "option 'min_size' is a number of bytes"},
             {#{samples => none}, "there is no option 'samples'; options are allocators, types, min_size and sample"},
             {#{{a, [1]} => none}, "there is no option '{a,[1]}'"},
             {["sample=bytes:x"], "there is no whole number in 'sample=bytes:x'"},
             {["sample=bytes:" ++ lists:duplicate(100000, $9)], "is too large"},
             {["sample=bytes:1"], Most ++ "{bytes,1}"},
             {["allocators=no_alloc"], "there is no allocator 'no_alloc'"},
             {["allocators="], "option 'allocators' is all or a list of names, not []"},
             {["nothing"], "'nothing' is no option"},
             {[nothing, 1], "'nothing' is no option"},
             {[1], "an option in a list is a string \"option=value\", not 1"},
             {["types=heap" | x], "options are a map or a list"},
             {nothing, "options are a map or a list of strings \"option=value\", not nothing"}]] ++
    [{fun() -> carrierscope:snapshot(Options) end, Part}
     || {Options, Part} <-
            [{#{every => 0}, "snapshot takes #{every => Ms} with Ms from 1 to 4294967295, "},
             {#{every => 1 bsl 40}, "not #{every => 1099511627776}"},
             {#{every => 50, more => 1}, "snapshot takes #{every => Ms}"},
             {#{instrument => false}, "not #{instrument => false}"},
             {#{}, "not #{}"},
             {now, "not now"},
             {stop, "no snapshots are taken"}]].

%% It starts, records and stops, in full and in samples.
works() ->
    [begin
         {ok, #{hooked := true}} = carrierscope:start(Options),
         work(),
         {ok, _} = carrierscope:snapshot(),
         {ok, #{hooked := false, allocs := Allocs}} = carrierscope:stop(),
         true = Allocs > 50
     end || Options <- [#{}, #{sample => {count, 10}}]],
    {error, _} = carrierscope:start(#{sample => never}),
    #{hooked := false} = carrierscope:info().

%% None of the modules is loaded, or there is nothing wrong about it.
refuses() ->
    refuses(carrierscope_nif),
    {module, carrierscope} = code:load_file(carrierscope),
    until(fun() -> code:soft_purge(carrierscope) end),
    #{allocators := [_ | _]} = carrierscope:info().

refuses(Module) ->
    {error, on_load_failure} = code:load_file(Module),
    true = erlang:module_loaded(Module),
    _ = code:purge(Module),
    erlang:garbage_collect().

%% What a running snapshot is in is not purged under it.
upgrades() ->
    [begin
         {module, Module} = code:load_file(Module),
         until(fun() -> code:soft_purge(Module) end)
     end || Module <- [carrierscope_nif, carrierscope_snapshot, carrierscope_scan, carrierscope,
                       carrierscope_tracer]].

is_there(Atom, Atom) -> true;
is_there(Atom, Terms) when is_list(Terms) -> lists:any(fun(Term) -> is_there(Atom, Term) end, Terms);
is_there(Atom, Terms) when is_tuple(Terms) -> is_there(Atom, tuple_to_list(Terms));
is_there(_, _) -> false.

%% Operations that make a fun of a module's own, by any name.
funs(Code) ->
    [Name || {function, Name, _, _, Operations} <- Code, Operation <- Operations,
             is_tuple(Operation), lists:prefix("make_fun", atom_to_list(element(1, Operation)))].

%% A process that does what a trace can tell; who is who is printed.
traced(Main) ->
    receive go -> ok end,
    true = register(traced_name, self()),
    true = unregister(traced_name),
    Child = spawn_link(fun() -> receive stop -> ok end end),
    true = unlink(Child),
    Child ! stop,
    Port = open_port({spawn, "cat"}, [binary]),
    true = port_close(Port),
    3 = returns(3),
    too_bad = try fails(x) catch error:Reason -> Reason end,
    erlang:garbage_collect(),
    Main ! {self(), Child, Port, lists:duplicate(300, $x)},
    exit(finished).

returns(N) -> N.

fails(_) -> error(too_bad).

%% Some blocks of most kinds.
work() ->
    Table = ets:new(work, [public]),
    [ets:insert(Table, {N, lists:seq(1, 20)}) || N <- lists:seq(1, 3000)],
    ets:delete(Table),
    [spawn_monitor(fun() -> binary:copy(<<1>>, 1000) end) || _ <- lists:seq(1, 100)],
    [receive {'DOWN', _, _, _, normal} -> ok end || _ <- lists:seq(1, 100)],
    ok.

compared(Load) ->
    beam_load:run(1, 1000),
    {ok, _} = carrierscope:start(),
    readings(),
    Load(),
    readings(),
    {ok, Told} = carrierscope:stop(),
    io:format("~p~n", [Told]).

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

%% The test's script makes and ends sessions.  The hook's own thread looks for them every 50 ms, and
%% tells each what it must know: when it has slept ten times more, it has looked since.
session(Script, What) ->
    "" = os:cmd(Script ++ " " ++ What),
    Before = sleeps(),
    until(fun() -> [Now - Then || {Now, Then} <- lists:zip(sleeps(), Before), Now - Then < 10] =:= [] end).

%% How often the hook's thread has gone to sleep; nothing if there is none.
sleeps() ->
    [list_to_integer(Number)
     || File <- filelib:wildcard("/proc/self/task/*/status"),
        {ok, Status} <- [file:read_file(File)],
        {match, [Number]} <- [re:run(Status, "^Name:\\s+carrierscope\n(?s:.*)^voluntary_ctxt_switches:\\s+([0-9]+)",
                                     [multiline, {capture, all_but_first, list}])]].

%% Until so many more blocks were told to some session.
tells(More) ->
    #{allocs := Before} = carrierscope:info(),
    until(fun() -> maps:get(allocs, carrierscope:info()) >= Before + More end).

until(IsSo) ->
    until(IsSo, erlang:monotonic_time(second) + 120).

until(IsSo, End) ->
    case IsSo() of
        true -> ok;
        false ->
            true = erlang:monotonic_time(second) < End,
            timer:sleep(20),
            until(IsSo, End)
    end.
