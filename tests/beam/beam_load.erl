%% SPDX-License-Identifier: MIT
%% What the tests of provider/beam run on a node: a mixed load, and a way to become quiet.
%%
%%   ets tables, binaries of all sizes, processes that live and die, messages between schedulers,
%%   ports and os:cmd, code that is loaded and purged, files (dirty IO), large heaps (dirty GC)
-module(beam_load).
-export([start/1, pause/1, stop/1, run/2, quiet/0, marked_snapshot/0, worker/2, write/1, fill/0, loads/1]).

-define(KINDS, [ets, ets, binaries, processes, messages, ports, code, files, heaps]).

%% Starts workers of all kinds; Seed makes their draws.
start(Seed) ->
    [element(1, spawn_monitor(?MODULE, worker, [Kind, {Seed, N, 3}]))
     || {N, Kind} <- lists:zip(lists:seq(1, length(?KINDS)), ?KINDS)].

%% They do nothing more, and keep what they have, until they are ended.
pause(Pids) ->
    [Pid ! {pause, self()} || Pid <- Pids],
    [receive {paused, Pid} -> ok end || Pid <- Pids],
    quiet().

%% Ends them; waits until each has cleaned up.
stop(Pids) ->
    [Pid ! stop || Pid <- Pids],
    [receive {'DOWN', _, process, Pid, normal} -> ok;
             {'DOWN', _, process, Pid, Reason} -> error({worker, Reason})
     end || Pid <- Pids],
    ok.

run(Seed, Ms) ->
    Pids = start(Seed),
    timer:sleep(Ms),
    stop(Pids),
    quiet().

%% Nothing runs, garbage is collected, and what other schedulers have freed is back at its owner.
quiet() ->
    [erlang:garbage_collect(Pid) || Pid <- processes()],
    timer:sleep(1000),
    [erlang:garbage_collect(Pid) || Pid <- processes()],
    timer:sleep(500).

%% A reading by a process that is made for it, so that all such readings allocate the same.
marked_snapshot() ->
    {_, Monitor} = spawn_opt(fun() -> {ok, _} = carrierscope:snapshot() end,
                             [monitor, {min_heap_size, 300000}]),
    receive {'DOWN', Monitor, process, _, normal} -> ok end.

worker(Kind, Seed) ->
    rand:seed(exsss, Seed),
    loop(Kind, init(Kind)).

loop(Kind, State) ->
    receive stop -> finish(Kind, State);
            {pause, From} ->
                From ! {paused, self()},
                receive stop -> finish(Kind, State) end
    after 0 -> loop(Kind, step(Kind, State))
    end.

init(ets) -> ets:new(load, [public, set]);
init(_) -> [].

finish(ets, Table) -> ets:delete(Table);
finish(_, _) -> ok.

step(ets, Table) ->
    [ets:insert(Table, {rand:uniform(20000), lists:seq(1, rand:uniform(30))})
     || _ <- lists:seq(1, 200)],
    [ets:delete(Table, rand:uniform(20000)) || _ <- lists:seq(1, 150)],
    Table;
step(binaries, Kept) ->
    Size = trunc(math:pow(2, 6 + rand:uniform() * 14)),
    lists:sublist([binary:copy(<<0>>, Size) | Kept], 200);
step(processes, State) ->
    [begin
         {_, Monitor} = spawn_monitor(fun() -> lists:sum(lists:seq(1, rand:uniform(2000))) end),
         receive {'DOWN', Monitor, _, _, _} -> ok end
     end || _ <- lists:seq(1, 20)],
    State;
step(messages, State) ->
    Self = self(),
    Pids = [spawn(fun() -> echo(Self, 20) end) || _ <- lists:seq(1, 10)],
    [Pid ! {Self, lists:seq(1, 50), binary:copy(<<1>>, 100)} || Pid <- Pids, _ <- lists:seq(1, 20)],
    [receive {Pid, _} -> ok end || Pid <- Pids, _ <- lists:seq(1, 20)],
    State;
step(ports, State) ->
    "hello\n" = os:cmd("echo hello"),
    Port = open_port({spawn, "cat"}, [binary]),
    Port ! {self(), {command, <<"through a port">>}},
    receive {Port, {data, <<"through a port">>}} -> ok end,
    Port ! {self(), close},
    receive {Port, closed} -> ok end,
    timer:sleep(5),
    State;
step(code, State) ->
    loads(1),
    timer:sleep(2),
    State;
step(files, State) ->
    write(0),
    State;
step(heaps, State) ->
    {_, Monitor} = spawn_monitor(fun() -> length(grow(rand:uniform(200000), [])) end),
    receive {'DOWN', Monitor, _, _, _} -> ok end,
    State.

%% A module is loaded and purged N times.
loads(N) ->
    Module = beam_load_made,
    {ok, Module, Binary} = compile_once(Module),
    [begin
         {module, Module} = code:load_binary(Module, "made", Binary),
         true = code:delete(Module),
         code:purge(Module)
     end || _ <- lists:seq(1, N)],
    ok.

%% A file of its own for each N, written and read.
write(N) ->
    Name = filename:join(os:getenv("TMPDIR", "/tmp"), lists:concat(["beam_load.", os:getpid(), ".", N])),
    ok = file:write_file(Name, binary:copy(<<2>>, rand:uniform(20000))),
    {ok, _} = file:read_file(Name),
    ok = file:delete(Name).

%% Some 2 MB in a table, and 1 MB of binaries.
fill() ->
    Table = ets:new(fill, [public]),
    [ets:insert(Table, {N, lists:seq(1, 20)}) || N <- lists:seq(1, 5000)],
    Binaries = [binary:copy(<<4>>, 1000) || _ <- lists:seq(1, 1000)],
    true = lists:all(fun is_binary/1, Binaries),
    ets:delete(Table),
    ok.

echo(_, 0) ->
    ok;
echo(To, N) ->
    receive {_, List, Binary} -> To ! {self(), {List, Binary}} end,
    echo(To, N - 1).

grow(0, List) -> List;
grow(N, List) -> grow(N - 1, [{N, N} | List]).

%% No compiler is installed beside a bare runtime: a module is made from this one, by its name.
compile_once(Module) ->
    case persistent_term:get(?MODULE, none) of
        none ->
            {ok, _, Chunks} = beam_lib:all_chunks(code:which(?MODULE)),
            Renamed = [case Chunk of
                           {"AtU8", <<Count:32, Length, _:Length/binary, Rest/binary>>} ->
                               Name = atom_to_binary(Module),
                               {"AtU8", <<Count:32, (byte_size(Name)), Name/binary, Rest/binary>>};
                           _ -> Chunk
                       end || Chunk <- Chunks],
            {ok, Binary} = beam_lib:build_module(Renamed),
            persistent_term:put(?MODULE, Binary),
            {ok, Module, Binary};
        Binary ->
            {ok, Module, Binary}
    end.
