%% SPDX-License-Identifier: MIT
%% Cases of modules that are loaded again, refused or purged.
-module(beam_reload).
-export([reload/1, refused_loads/1, upgrade/1, loaded_twice/1, plain/1]).
-import(beam_case, [work/0, until/1]).

%% Loaded again, purged, and from another file.
reload([Other]) ->
    {ok, _} = carrierscope:start(),
    {module, carrierscope_nif} = code:load_file(carrierscope_nif),
    until(fun() -> code:soft_purge(carrierscope_nif) end),
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
    %% ... and takes over afterwards: nothing is recorded twice.
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
    work().

%% Loads that are refused, again and again, while the module works, and what comes after each.  EBIN is
%% an installation of the test's own; NOTHING has the modules, and no library beside them.
refused_loads([Ebin, Nothing]) ->
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
    works(),
    %% It is gone: what is repeated ends all the same.
    ok = carrierscope:snapshot(#{every => 600000}),
    true = code:delete(carrierscope_nif),
    until(fun() -> code:soft_purge(carrierscope_nif) end),
    {error, "the library of carrierscope_nif is not loaded: " ++ _} = carrierscope:stop(),
    undefined = whereis(carrierscope_snapshots).

%% New versions of all modules, and the old ones are purged: not hooked, hooked, and while snapshots are
%% taken.
upgrade(_) ->
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
    works().

%% All modules loaded twice while they record: whoever waits in one of them would be ended by the second load.
loaded_twice(_) ->
    Large = 1 bsl 60,
    Rules = #{rss => Large, rss_share => 100, cgroup_share => 100, growth => Large, failures => Large, large_heap => Large, long_gc => 600000},
    Keeps = #{token => "twice", every => 200, sample => 0, rules => Rules},
    "csc-ok" ++ _ = carrierscope_keeper:start(Keeps, 600000),
    "csc-ok" ++ _ = carrierscope_recorder:start(#{sample => {count, 10}, snapshots_ms => 200}, 600000),
    Pids = [whereis(Name) || Name <- [carrierscope_keeper, carrierscope_recorder, carrierscope_snapshots]],
    all_twice(),
    Pids = [whereis(Name) || Name <- [carrierscope_keeper, carrierscope_recorder, carrierscope_snapshots]],
    %% They go on.
    taken_more(),
    "csc-error the node is kept by another" ++ _ = carrierscope_keeper:hello("another"),
    "csc-ok" ++ _ = carrierscope_keeper:hello("twice"),
    "csc-ok" ++ _ = carrierscope_recorder:status(),
    %% No list is replaced among persistent terms, which would be a collection of garbage of all processes.
    none = persistent_term:get(carrierscope_keeper, none),
    %% The hooks end with the recording, and with its lease.
    "csc-ok" = carrierscope_recorder:stop(),
    until(fun is_free/0),
    "csc-ok" ++ _ = carrierscope_recorder:start(#{}, 3000),
    all_twice(),
    until(fun is_free/0),
    %% A node that waits for a session, and lets go in time.
    "csc-ok" ++ _ = carrierscope_recorder:record(#{}, 600000, 600000),
    all_twice(),
    "csc-error no session of LTTng began in time" = carrierscope_recorder:finish(),
    until(fun is_free/0),
    "csc-ok" = carrierscope_keeper:stop(),
    undefined = whereis(carrierscope_keeper),
    %% Who hooks is ended in the midst of something: a keeper with samples, and who starts to record.
    "csc-ok" ++ _ = carrierscope_keeper:start(Keeps#{sample := 65536}, 600000),
    #{hooked := true} = carrierscope:info(),
    all_twice(),
    exit(whereis(carrierscope_keeper), kill),
    until(fun() -> not maps:get(hooked, carrierscope:info()) end),
    {Starter, Monitor} = spawn_monitor(fun() ->
        {ok, _} = carrierscope_lease:starts(600000), {ok, _} = carrierscope:start(), exit(self(), kill), receive never -> ok end end),
    receive {'DOWN', Monitor, process, Starter, killed} -> ok end,
    until(fun is_free/0),
    %% An answer that nobody fetched is in nobody's way.
    "csc-ok" ++ _ = carrierscope_recorder:record(#{}, 600000, 600000),
    "csc-ok" ++ _ = carrierscope_recorder:start(#{}, 600000),
    "csc-error the allocators are hooked" ++ _ = carrierscope_recorder:record(#{}, 600000, 600000),
    "csc-ok" = carrierscope_recorder:stop(),
    until(fun is_free/0).

%% Until nobody is in the older code of any: it could be purged.
all_twice() ->
    Modules = [_, _, _ | _] = [list_to_atom(filename:basename(File, ".beam"))
                               || File <- filelib:wildcard(filename:join(filename:dirname(code:which(carrierscope)), "carrierscope*.beam"))],
    [begin {module, Module} = code:load_file(Module), until(fun() -> code:soft_purge(Module) end) end
     || _ <- [1, 2], Module <- Modules].

taken_more() ->
    Taken = fun() -> [_, _, Snapshots | _] = string:tokens(lists:nthtail(6, carrierscope_keeper:status()), " "),
                     list_to_integer(Snapshots) end,
    Before = Taken(),
    until(fun() -> Taken() > Before + 1 end).

is_free() ->
    whereis(carrierscope_recorder) =:= undefined andalso not maps:get(hooked, carrierscope:info()).

%% What module has on_load makes no fun: after a load that was refused they lead nowhere.
plain([Ebin]) ->
    Files = filelib:wildcard(filename:join(Ebin, "*.beam")),
    Found = [{filename:basename(File), is_there(on_load, Code), funs(Code)}
             || File <- Files, Code <- [element(6, beam_disasm:file(File))]],
    [] = [Name || {Name, true, [_ | _]} <- Found],
    %% Such operations are seen where there are some.
    ["carrierscope_nif.beam", "carrierscope_tracer.beam"] = lists:sort([Name || {Name, true, _} <- Found]),
    [_ | _] = [Name || {Name, false, [_ | _]} <- Found].

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
     end || Module <- [carrierscope_nif, carrierscope_memory, carrierscope_snapshot, carrierscope_scan,
                       carrierscope, carrierscope_tracer]].

is_there(Atom, Atom) -> true;
is_there(Atom, Terms) when is_list(Terms) -> lists:any(fun(Term) -> is_there(Atom, Term) end, Terms);
is_there(Atom, Terms) when is_tuple(Terms) -> is_there(Atom, tuple_to_list(Terms));
is_there(_, _) -> false.

%% Operations that make a fun of a module's own, by any name.
funs(Code) ->
    [Name || {function, Name, _, _, Operations} <- Code, Operation <- Operations,
             is_tuple(Operation), lists:prefix("make_fun", atom_to_list(element(1, Operation)))].
