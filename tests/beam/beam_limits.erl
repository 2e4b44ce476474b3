%% SPDX-License-Identifier: MIT
%% Hooks that come and go with loads and purges of all modules, and hooks where the system gives no more files or memory.
%% Each prints what was answered; a node that dies, or an answer that is no sentence, is a failure.
-module(beam_limits).
-export([main/1]).

-define(WORKERS, 4).

%% The files that a node opens at most before it takes them for endless.
-define(MOST_FILES, 100000).

%% KiB that a step takes, and that are left where a node is full: LTTng's buffers of the test are 4096.
-define(STEP, 512).
-define(FULL, 16384).

main([Name | Arguments]) ->
    beam_case:halts(fun() -> run(list_to_atom(Name), Arguments) end).

run(cycles, [Count]) -> cycles(list_to_integer(Count));
run(files, [Asked, Given]) -> files(Asked, Given);
run(memory, Frees) -> memory([list_to_integer(Free) || Free <- Frees]).

%%% start, work, snapshot, load, purge, stop

cycles(Count) ->
    {ok, _} = carrierscope:start(),
    {ok, _} = carrierscope:stop(),
    Pids = [spawn_link(fun works/0) || _ <- lists:seq(1, ?WORKERS)],
    Done = [begin
                N rem 25 =/= 0 orelse io:format("cycle ~b~n", [N]),
                cycle(N)
            end || N <- lists:seq(1, Count)],
    [begin unlink(Pid), exit(Pid, kill) end || Pid <- Pids],
    beam_load:quiet(),
    [] = beam_stability:unbalanced(),
    %% Counted where a session had enabled it.
    true = lists:all(fun({_, _, Recorded}) -> Recorded > 0 end, Done),
    io:format("schedulers ~b, cycles ~b, hooks ~b, loads ~b, recorded ~b~n",
              [erlang:system_info(schedulers), Count, Count + length([1 || {_, true, _} <- Done]), lists:sum([L || {L, _, _} <- Done]),
               lists:sum([A || {_, _, A} <- Done])]).

%% Some load on all schedulers, and not all that a machine has.
works() ->
    beam_case:work(),
    timer:sleep(50),
    works().

cycle(N) ->
    {ok, _} = carrierscope:start(options(N rem 3)),
    beam_case:work(),
    {ok, _} = carrierscope:snapshot(),
    Loads = loads(),
    #{hooked := true, allocs := Allocs} = carrierscope:info(),
    %% Who purges the last code of the native half ends its hooks.
    IsPurged = N rem 2 =:= 0,
    _ = IsPurged andalso purges(),
    {ok, _} = carrierscope:stop(),
    {Loads, IsPurged, Allocs}.

options(0) -> #{};
options(1) -> #{sample => {bytes, 4096}};
options(2) -> #{min_size => 500}.

loads() ->
    Ours = [Module || {Module, _} <- code:all_loaded(), lists:prefix("carrierscope", atom_to_list(Module))],
    [begin
         {module, Module} = code:load_file(Module),
         ok = beam_case:until(fun() -> code:soft_purge(Module) end)
     end || Module <- Ours],
    length(Ours).

purges() ->
    true = code:delete(carrierscope_nif),
    _ = code:purge(carrierscope_nif),
    beam_case:work(),
    #{hooked := false} = carrierscope:info(),
    {ok, _} = carrierscope:start().

%%% No file can be opened any more

%% Asked: a file that asks the script for a session, made while there is no room for it; Given: there it is.
files(Asked, Given) ->
    {module, _} = code:ensure_loaded(carrierscope),
    {ok, Ask} = file:open(Asked, [write, raw]),
    %% Before the library is there.
    First = exhaust([]),
    %% Nothing that prints is loaded yet.
    Answers = [carrierscope:start(#{}), carrierscope:snapshot(), carrierscope:stop()],
    frees(First),
    [says("without files", {error, _} = Answer) || Answer <- Answers],
    ok = beam_case:until(fun() -> element(1, carrierscope:start(#{})) =:= ok end),
    %% While it is hooked, and a session comes.
    Second = exhaust([]),
    ok = file:write(Ask, "x"),
    ok = file:close(Ask),
    ok = beam_case:until(fun() -> element(1, file:read_file_info(Given)) =:= ok end),
    Third = exhaust([]),
    timer:sleep(3000),
    beam_case:work(),
    says("snapshot without files", carrierscope:snapshot()),
    says("stop without files", carrierscope:stop()),
    says("start again without files", carrierscope:start(#{})),
    says("stop again without files", carrierscope:stop()),
    frees(Third),
    frees(Second),
    _ = carrierscope:stop(),
    {ok, _} = carrierscope:start(#{}),
    beam_case:work(),
    {ok, _} = carrierscope:stop(),
    io:format("files exhausted: ~b, lives on~n", [length(Second) + length(Third)]).

exhaust(Files) when length(Files) < ?MOST_FILES ->
    case file:open("/dev/null", [read, raw]) of
        {ok, File} -> exhaust([File | Files]);
        {error, emfile} -> Files
    end.

frees(Files) ->
    [ok = file:close(File) || File <- Files].

%%% A control group at its limit

%% Hooks where so many MiB are left, and then until hardly any are.  Each by a process, whose binaries go with it.
memory(Frees) ->
    {ok, _} = carrierscope:snapshot(),
    [begin
         {_, Monitor} = spawn_monitor(fun() -> full(Free * 1024) end),
         receive {'DOWN', Monitor, process, _, Reason} -> normal = Reason end
     end || Free <- Frees],
    io:format("lives on~n").

full(KiB) ->
    Held = fill(KiB, []),
    {Left, _} = carrierscope_memory:free(),
    io:format("~b KiB left~n", [Left div 1024]),
    true = Left > 0,
    says("start", carrierscope:start(#{})),
    beam_case:work(),
    says("snapshot", carrierscope:snapshot()),
    %% Full while it is hooked.
    Full = fill(?FULL, Held),
    _ = carrierscope:snapshot(),
    says("stop", carrierscope:stop()),
    true = length(Full) >= length(Held).

%% Binaries until so many KiB are left.
fill(KiB, Held) ->
    erlang:garbage_collect(),
    case carrierscope_memory:free() of
        {Free, _} when Free > KiB * 1024 -> fill(KiB, [binary:copy(<<1>>, ?STEP * 1024) | Held]);
        {_, _} -> Held
    end.

%% One sentence, or what was wanted.
says(What, {ok, _}) ->
    io:format("~s: ok~n", [What]);
says(What, {error, [_ | _] = Sentence}) ->
    io:format("~s: ~s~n", [What, Sentence]),
    true = lists:all(fun(C) -> C >= $\s andalso C =< $~ end, Sentence).
