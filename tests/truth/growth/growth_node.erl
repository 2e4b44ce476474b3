%% SPDX-License-Identifier: MIT
%% A node that grows in a known way and writes down itself how:
%%
%%   erl ... -run growth_node main CELL TRUTH NIF
%%
%% CELL is WHO-RATE-STATIC-SECONDS-WAY-SHAPE-SEED as run.sh lists them: who grows (growth_grower), KiB/s, MiB
%% held beside by processes that do not grow, seconds of the recording, the way of recording (the node does
%% nothing with it), the shape of the growth over time, and what chooses names, sizes of objects and times.
%% It prints `ready` when all that is static is there; then the growth begins, and goes on until the node is killed.
%%
%% TRUTH: lines `# key=value` that say who grows, then lines
%%
%%   ns since the epoch, bytes, least bytes, most bytes, objects, processes_used, binary, ets, atom_used, code, total
%%
%% every 100 ms, separated by commas.  `bytes` is the payload: what the program itself made and still refers to, bytes of
%% binaries, words of terms times 8, text of atoms, memory asked of malloc, whoever allocates it.  From `least` to `most`
%% it may take in the runtime: payload times and plus what growth_grower:overhead/2 says.  The last six are the
%% node's own erlang:memory/0, every second, for a reader's doubts; where there is no payload to count (code) it is the
%% payload.
-module(growth_node).
-export([main/1, bystander/2, swinger/2, noise/1]).

main([Text, File, Nif]) ->
    [Who, Rate, Static, Seconds, _, Shape, Seed] = string:split(Text, "-", all),
    rand:seed(exsss, list_to_integer(Seed)),
    D = list_to_integer(Seconds),
    Cell = #{who => list_to_atom(Who), rate => list_to_integer(Rate) * 1024, static => list_to_integer(Static),
             seconds => D, shape => list_to_atom(Shape), nif => Nif,
             counters => counters:new(2, []),
             %% By the seed: seconds of a step, a tooth or a life; parts of the recording until a growth ends or a cache
             %% is full; MiB and ms of what swings beside.
             period => 4.2 + 2.5 * rand:uniform(), ends => 0.35 + 0.2 * rand:uniform(),
             full => 0.1 + 0.1 * rand:uniform(), swing => 16 + rand:uniform(64), swing_ms => 1000 + rand:uniform(1500),
             noise => rand:uniform(2) =:= 1, name => rand:uniform(3), size => rand:uniform(), kind => rand:uniform(2)},
    static(maps:get(static, Cell)),
    {Names, Starts} = growth_grower:prepared(Cell),
    [spawn(?MODULE, noise, [rand:uniform(1000)]) || maps:get(noise, Cell)],
    [spawn(?MODULE, swinger, [maps:get(swing, Cell) bsl 20, maps:get(swing_ms, Cell)]) ||
        maps:get(shape, Cell) =:= swing],
    {ok, Device} = file:open(File, [raw, write]),
    head(Device, Text, Cell, Names),
    Code = erlang:memory(code),
    Starts(erlang:monotonic_time(millisecond)),
    io:format("ready~n"),
    %% A runner that is gone kills nobody.
    [begin
         writes(Device, Cell, N, Code),
         timer:sleep(100)
     end || N <- lists:seq(1, (D + 240) * 10)],
    halt(0).

head(Device, Text, #{who := Who, shape := Shape} = Cell, Names) ->
    %% Who does not grow has no rate.
    Grows = Who =/= nobody andalso lists:member(Shape, [steady, steps, swing, owners]),
    ok = file:write(Device, [[io_lib:format("# ~s=~s~n", [Key, Value]) || {Key, Value} <- [
        {"cell", Text}, {"grows_to_the_end", integer_to_list(if Grows -> 1; true -> 0 end)},
        {"pid", os:getpid()}, {"period_s", float_to_list(maps:get(period, Cell), [{decimals, 2}])}] ++ Names],
        "# ns,bytes,least_bytes,most_bytes,objects,processes_used,binary,ets,atom_used,code,total\n"]).

writes(Device, #{who := Who, kind := Kind, counters := Counters}, N, Code) ->
    Objects = counters:get(Counters, 2),
    %% Read in a process of its own, which leaves nothing.
    Memory = if
        N rem 10 =:= 0 orelse Who =:= modules -> memory();
        true -> []
    end,
    Bytes = case Who of
        modules -> max(0, lists:nth(5, Memory) - Code);
        _ -> counters:get(Counters, 1)
    end,
    {Share, MoreShare, MoreEach} = growth_grower:overhead(Who, Kind),
    Line = [integer_to_list(os:system_time(nanosecond))] ++ [[$,, integer_to_list(round(Number))] ||
        Number <- [Bytes, Bytes * Share, Bytes * MoreShare + Objects * MoreEach, Objects] ++ Memory],
    ok = file:write(Device, [Line, $\n]).

memory() ->
    {_, Monitor} = spawn_monitor(fun() ->
        Memory = erlang:memory(),
        exit({memory, [proplists:get_value(Key, Memory) ||
            Key <- [processes_used, binary, ets, atom_used, code, total]]})
    end),
    receive {'DOWN', Monitor, _, _, {memory, Numbers}} -> Numbers end.

%% Of the static memory 60 % are binaries, 20 % rows of a table, 20 % heaps.
static(Mib) ->
    Parts = [{bystander_binaries, Mib * 0.6}, {bystander_rows, Mib * 0.2} |
             [{list_to_atom("bystander_heap_" ++ integer_to_list(N)), Mib * 0.05} || N <- lists:seq(1, 4)]],
    [begin
         Self = self(),
         Pid = spawn(?MODULE, bystander, [{Name, Self}, round(Part * 1048576)]),
         receive {Pid, there} -> ok end
     end || {Name, Part} <- Parts].

bystander({Name, Parent}, Bytes) ->
    register(Name, self()),
    Held = held(Name, Bytes),
    erlang:garbage_collect(),
    Parent ! {self(), there},
    receive {never, _} -> Held end.

held(bystander_binaries, Bytes) ->
    binaries(Bytes, []);
held(bystander_rows, Bytes) ->
    Table = ets:new(bystander_archive, [named_table, public]),
    [ets:insert(Table, {N, growth_grower:term(1024, N)}) || N <- lists:seq(1, Bytes div 1100)],
    Table;
held(_, Bytes) ->
    [growth_grower:term(4096, N) || N <- lists:seq(1, Bytes div 4096)].

binaries(Bytes, List) when Bytes =< 0 -> List;
binaries(Bytes, List) ->
    Size = 500 + rand:uniform(40000),
    binaries(Bytes - Size, [binary:copy(<<0>>, Size) | List]).

%% A load that swings: up to so many bytes and down to nothing, in binaries and on its heap.
swinger(Bytes, Ms) ->
    Steps = Ms div 100,
    Held = lists:foldl(fun(N, List) ->
        timer:sleep(100),
        [{binary:copy(<<1>>, Bytes div Steps), growth_grower:term(Bytes div Steps div 8, N)} | List]
    end, [], lists:seq(1, Steps)),
    timer:sleep(Ms div 2),
    _ = length(Held),
    swings(Bytes, Ms).

swings(Bytes, Ms) ->
    erlang:garbage_collect(),
    timer:sleep(Ms),
    swinger(Bytes, Ms).

%% Short lives, as a server has them: ten in a second, each with a binary and terms.
noise(N) ->
    timer:sleep(100),
    _ = spawn(fun() ->
        Binary = binary:copy(<<2>>, 20000 + N rem 50 * 1000),
        Term = growth_grower:term(20000 + N rem 30 * 1000, N),
        timer:sleep(100 + N rem 7 * 50),
        byte_size(Binary) + length(Term)
    end),
    noise(N * 7 rem 100003 + 1).
