%% SPDX-License-Identifier: MIT
%% What nodes do in the bench of predictions: each workload fills memory, lets go of a part of it,
%% and takes some again, for one to three seconds of CPU.
%%
%%   erl ... -run what_if_load main MODE NAME FILE [EVERY_MS]
%%
%% NAME may be several, one after another: `terms+tables'.
%% MODE plain: the node's carriers every EVERY_MS (50) go to FILE as lines "MS,ALLOCATOR,BYTES",
%% and "all"; also "pool" (of these, in the pool), "resident" (the process, by /proc) and "cached" (a number of
%% segments).  MODE hooked: module carrierscope records every block instead, with a snapshot every EVERY_MS (100).
-module(what_if_load).
-export([main/1, names/0, watch/2, watched/0]).

-define(ALLOCATORS, [sl_alloc, std_alloc, ll_alloc, eheap_alloc, ets_alloc, fix_alloc,
                     literal_alloc, binary_alloc, driver_alloc]).

names() ->
    [sessions, proxy, heaps, letters, terms, tables, modules, fragments, buffers, mixed].

main([Mode, Name, File | Every]) ->
    rand:seed(exsss, {1, 2, 3}),
    Stop = begins(Mode, File, [list_to_integer(E) || E <- Every]),
    Held = [run(list_to_atom(Each)) || Each <- string:lexemes(Name, "+")],
    timer:sleep(300),
    Stop(),
    true = is_list(Held),
    halt().

begins("plain", File, Every) ->
    Ms = hd(Every ++ [50]),
    Begin = erlang:monotonic_time(millisecond),
    Sampler = spawn_opt(fun() ->
                                 {ok, Out} = file:open(File, [write, raw, delayed_write]),
                                 sample(Out, Begin, Ms)
                         end, [link, {priority, high}]),
    fun() ->
            Monitor = monitor(process, Sampler),
            Sampler ! stop,
            receive {'DOWN', Monitor, process, _, normal} -> ok end
    end;
begins("hooked", _File, Every) ->
    {ok, _} = carrierscope:start(),
    ok = carrierscope:snapshot(#{every => hd(Every ++ [100]), holders => 0}),
    fun() -> {ok, _} = carrierscope:stop() end.

%% @doc A node that runs already: its carriers go to File as with `plain', until watched/0.
watch(File, Ms) ->
    Begin = erlang:monotonic_time(millisecond),
    register(?MODULE, spawn_opt(fun() ->
                                         {ok, Out} = file:open(File, [write, raw, delayed_write]),
                                         sample(Out, Begin, Ms)
                                 end, [{priority, high}])),
    ok.

watched() ->
    Monitor = monitor(process, ?MODULE),
    ?MODULE ! stop,
    receive {'DOWN', Monitor, process, _, normal} -> ok end.

sample(Out, Begin, Ms) ->
    Now = erlang:monotonic_time(millisecond) - Begin,
    Sums = [{A, carriers(erlang:system_info({allocator_sizes, A}))} || A <- ?ALLOCATORS],
    Pool = lists:sum([pooled(erlang:system_info({allocator_sizes, A})) || A <- ?ALLOCATORS]),
    Rows = [{all, lists:sum([B || {_, B} <- Sums])}, {pool, Pool}, {cached, cached()},
            {resident, resident()}],
    Lines = [io_lib:format("~b,~s,~b~n", [Now, Name, Bytes]) || {Name, Bytes} <- Sums ++ Rows],
    ok = file:write(Out, Lines),
    receive stop -> file:close(Out) after Ms -> sample(Out, Begin, Ms) end.

carriers(Instances) ->
    lists:sum([element(2, Size) || {instance, _, Sections} <- Instances, {_, Figures} <- Sections,
                                 Size <- Figures, element(1, Size) =:= carriers_size]).

pooled(Instances) ->
    lists:sum([element(2, Size) || {instance, _, Sections} <- Instances, {mbcs_pool, Figures} <- Sections,
                                 Size <- Figures, element(1, Size) =:= carriers_size]).

cached() ->
    lists:sum([N || {instance, _, Parts} <- erlang:system_info({allocator, mseg_alloc}),
                    {memkind, Kind} <- Parts, {status, Status} <- Kind, {cached_segments, N} <- Status]).

resident() ->
    {ok, Text} = file:read_file("/proc/self/statm"),
    4096 * binary_to_integer(lists:nth(2, binary:split(Text, <<" ">>, [global]))).

%% N processes at a time, each with its own draws; their results, in order.
parallel(N, Fun) ->
    Me = self(),
    Pids = [spawn_link(fun() -> rand:seed(exsss, {I, N, 7}), Me ! {self(), Fun(I)} end)
            || I <- lists:seq(1, N)],
    [receive {Pid, Result} -> Result end || Pid <- Pids].

%% Processes that keep what Fun gives them, until they are sent `stop`, or what to make of it.
keepers(N, Fun) ->
    Me = self(),
    Pids = [spawn_link(fun() -> rand:seed(exsss, {I, N, 9}), keep(Me, Fun(I)) end)
            || I <- lists:seq(1, N)],
    [receive {ready, Pid} -> ok end || Pid <- Pids],
    Pids.

keep(Me, Held) ->
    Me ! {ready, self()},
    receive
        stop -> length([Held]);
        {do, Fun} -> keep(Me, Fun(Held))
    end.

all_do(Pids, Fun) ->
    [Pid ! {do, Fun} || Pid <- Pids],
    [receive {ready, Pid} -> ok end || Pid <- Pids],
    Pids.

between(From, To) -> From + rand:uniform(To - From + 1) - 1.

bytes(Size) -> binary:copy(<<(rand:uniform(255))>>, Size).

%% Mostly small, some large.
size() ->
    case rand:uniform(100) of
        N when N =< 70 -> between(80, 600);
        N when N =< 95 -> between(600, 6000);
        _ -> between(6000, 60000)
    end.

%% A cache of sessions: rows with terms and binaries, that come and go; two thirds expire.
run(sessions) ->
    Table = ets:new(sessions, [public, set, {write_concurrency, true}]),
    Row = fun(Key) ->
                  ets:insert(Table, {Key, #{user => Key, roles => lists:seq(1, between(1, 40))},
                                     bytes(between(20, 900))})
          end,
    parallel(4, fun(I) -> [Row({I, K}) || K <- lists:seq(1, 22000)], ok end),
    parallel(4, fun(I) -> [Row({I, rand:uniform(22000)}) || _ <- lists:seq(1, 30000)], ok end),
    parallel(4, fun(I) -> [ets:delete(Table, {I rem 4 + 1, K})
                           || K <- lists:seq(1, 22000), K rem 3 > 0], ok end),
    parallel(4, fun(I) -> [Row({I, {late, K}}) || K <- lists:seq(1, 6000)], ok end),
    [Table];
%% A proxy: readers make binaries, workers keep parts of them for a while.
run(proxy) ->
    Workers = [spawn_link(fun() -> proxy_worker([], 0) end) || _ <- lists:seq(1, 40)],
    Tuple = list_to_tuple(Workers),
    parallel(6, fun(_) ->
                        [begin
                             Data = bytes(size()),
                             [element(rand:uniform(40), Tuple) ! {data, Data}
                              || _ <- lists:seq(1, between(1, 3))],
                             N rem 200 =:= 0 andalso timer:sleep(1)
                         end || N <- lists:seq(1, 16000)],
                        ok
                end),
    [begin W ! {sync, self()}, receive {synced, W} -> ok end end || W <- Workers],
    Workers;
%% Heaps that grow by steps, and some that shrink again.
run(heaps) ->
    Pids = keepers(60, fun(I) -> lists:seq(1, 2000 * (I rem 7 + 1)) end),
    all_do(Pids, fun(L) -> [{N, N} || N <- L] ++ L end),
    all_do(Pids, fun(L) -> lists:sublist(L, length(L) div 2) ++ [[X] || X <- L] end),
    {Gone, Left} = lists:split(25, Pids),
    [P ! stop || P <- Gone],
    all_do(Left, fun(L) -> [{X, X, X} || X <- L] ++ [{Y, Y} || Y <- L] end),
    all_do(Left, fun(L) -> R = lists:sublist(L, length(L) div 3), erlang:garbage_collect(), R end),
    Left ++ keepers(30, fun(I) -> [{N, N, N} || N <- lists:seq(1, 4000 * (I rem 5 + 1))] end);
%% Large messages, copied between processes.
run(letters) ->
    Readers = [spawn_link(fun() -> letter_reader([]) end) || _ <- lists:seq(1, 30)],
    Tuple = list_to_tuple(Readers),
    parallel(4, fun(_) ->
                        [begin
                             Letter = [{K, float(K), <<K:64>>} || K <- lists:seq(1, between(50, 6000))],
                             element(rand:uniform(30), Tuple) ! {letter, Letter},
                             N rem 10 =:= 0 andalso timer:sleep(1)
                         end || N <- lists:seq(1, 220)],
                        ok
                end),
    [begin R ! {sync, self()}, receive {synced, R} -> ok end end || R <- Readers],
    Readers;
%% Documents as terms: parsed from text, changed, written again.
run(terms) ->
    Text = document(4),
    Pids = keepers(24, fun(_) -> [] end),
    [all_do(Pids, fun(Held) ->
                          {Term, _} = parse(Text),
                          Again = iolist_to_binary(write(Term)),
                          lists:sublist([{Term, Again} | Held], between(1, 6))
                  end) || _ <- lists:seq(1, 8)],
    Pids;
%% Tables of mnesia in memory: transactions, an index, deletes.
run(tables) ->
    ok = application:start(mnesia),
    {atomic, ok} = mnesia:create_table(row, [{ram_copies, [node()]}, {attributes, [key, name, data]}]),
    {atomic, ok} = mnesia:add_table_index(row, name),
    Write = fun(Key) ->
                    {atomic, ok} = mnesia:transaction(
                                     fun() -> mnesia:write({row, Key, {name, Key}, bytes(size())}) end)
            end,
    parallel(4, fun(I) -> [Write({I, K}) || K <- lists:seq(1, 6000)], ok end),
    parallel(4, fun(I) -> [mnesia:dirty_delete(row, {I, K}) || K <- lists:seq(1, 6000), K rem 4 > 0], ok end),
    parallel(4, fun(I) -> [Write({I, {late, K}}) || K <- lists:seq(1, 2500)], ok end),
    [row];
%% Modules that are made, loaded, replaced and purged.
run(modules) ->
    Names = [list_to_atom("what_if_made_" ++ integer_to_list(N)) || N <- lists:seq(1, 60)],
    [parallel(2, fun(I) ->
                         [make_module(Name, Round) || {Name, K} <- lists:zip(Names, lists:seq(1, 60)),
                                                      K rem 2 =:= I - 1],
                         ok
                 end) || Round <- lists:seq(1, 2)],
    [begin code:purge(Name), code:delete(Name), code:purge(Name) end || Name <- lists:sublist(Names, 30)],
    Names;
%% Binaries of all sizes, of which one of six is kept, twice.
run(fragments) ->
    Fill = fun(_) -> [bytes(size()) || _ <- lists:seq(1, 9000)] end,
    Some = fun(L) -> R = [B || B <- L, rand:uniform(6) =:= 1], R end,
    Pids = keepers(8, Fill),
    all_do(Pids, Some),
    all_do(Pids, fun(L) -> erlang:garbage_collect(), L end),
    all_do(Pids, fun(L) -> L ++ [bytes(between(3000, 30000)) || _ <- lists:seq(1, 500)] end),
    Pids;
%% Buffers that are appended to, flushed and begun anew.
run(buffers) ->
    Pids = keepers(24, fun(_) -> <<>> end),
    [all_do(Pids, fun(B) -> buffer(B, 700) end) || _ <- lists:seq(1, 10)],
    all_do(Pids, fun(B) -> binary:copy(B, 1) end),
    all_do(Pids, fun(B) -> erlang:garbage_collect(), B end),
    Pids;
%% Several of them at the same time.
run(mixed) ->
    Me = self(),
    Pids = [spawn_link(fun() ->
                               rand:seed(exsss, {1, 2, 3}),
                               Held = run(Name),
                               Me ! {self(), ready},
                               receive stop -> length(Held) end
                       end) || Name <- [sessions, proxy, buffers]],
    [receive {Pid, ready} -> ok end || Pid <- Pids],
    Pids.

proxy_worker(Held, N) when N > 900 ->
    proxy_worker(lists:sublist(Held, between(50, 300)), 0);
proxy_worker(Held, N) ->
    receive
        {data, Data} when byte_size(Data) > 1000, N rem 3 =:= 0 ->
            proxy_worker([binary:part(Data, 100, 200) | Held], N + 1);
        {data, Data} -> proxy_worker([Data | Held], N + 1);
        {sync, From} -> From ! {synced, self()}, proxy_worker(Held, N)
    end.

letter_reader(Held) ->
    receive
        {letter, Letter} -> letter_reader(lists:sublist([Letter | Held], between(1, 9)));
        {sync, From} -> From ! {synced, self()}, letter_reader(Held)
    end.

buffer(B, 0) -> B;
buffer(B, N) when byte_size(B) > 3000000 -> buffer(binary:part(B, 0, between(1, 100000)), N - 1);
buffer(B, N) ->
    More = bytes(between(10, 12000)),
    buffer(<<B/binary, More/binary>>, N - 1).

document(0) -> <<"[1,2,{\"a\":\"some text that is longer than the others, in order to be a binary of its own\",\"b\":12}]">>;
document(N) ->
    Part = document(N - 1),
    iolist_to_binary(["{", lists:join(",", [["\"key", integer_to_list(K), "\":", Part]
                                            || K <- lists:seq(1, 6)]), "}"]).

parse(<<"{}", R/binary>>) -> {#{}, R};
parse(<<"{", R/binary>>) -> members(R, #{});
parse(<<"[", R/binary>>) -> elements(R, []);
parse(<<"\"", R/binary>>) ->
    [Text, Rest] = binary:split(R, <<"\"">>),
    {binary:copy(Text), Rest};
parse(R) -> number(R, 0).

members(R, Map) ->
    {Key, <<":", R1/binary>>} = parse(R),
    {Value, R2} = parse(R1),
    case R2 of
        <<",", R3/binary>> -> members(R3, Map#{Key => Value});
        <<"}", R3/binary>> -> {Map#{Key => Value}, R3}
    end.

elements(R, List) ->
    {Value, R1} = parse(R),
    case R1 of
        <<",", R2/binary>> -> elements(R2, [Value | List]);
        <<"]", R2/binary>> -> {lists:reverse([Value | List]), R2}
    end.

number(<<D, R/binary>>, N) when D >= $0, D =< $9 -> number(R, 10 * N + D - $0);
number(R, N) -> {N, R}.

write(Map) when is_map(Map) ->
    ["{", lists:join(",", [[write(K), ":", write(V)] || {K, V} <- maps:to_list(Map)]), "}"];
write(List) when is_list(List) -> ["[", lists:join(",", [write(E) || E <- List]), "]"];
write(Text) when is_binary(Text) -> ["\"", Text, "\""];
write(N) -> integer_to_list(N).

make_module(Name, Round) ->
    Line = erl_anno:new(1),
    Function = fun(N) ->
                       {function, Line, list_to_atom("f" ++ integer_to_list(N)), 1,
                        [{clause, Line, [{integer, Line, K}], [],
                          [{tuple, Line, [{atom, Line, Name}, {integer, Line, Round},
                                          {string, Line, lists:duplicate(20, $a + K rem 20)}]}]}
                         || K <- lists:seq(1, 25)]}
               end,
    Forms = [{attribute, Line, module, Name}, {attribute, Line, compile, export_all}
             | [Function(N) || N <- lists:seq(1, 12)]],
    {ok, Name, Code} = compile:forms(Forms, [binary]),
    code:purge(Name),
    {module, Name} = code:load_binary(Name, "", Code).
