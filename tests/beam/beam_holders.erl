%% SPDX-License-Identifier: MIT
%% Nodes of which it is known who holds their memory.
-module(beam_holders).
-export([cache/1, leak/1, blocks/1, bad/1, grown/1, waiting/1, odd/1]).
%% For spawn and proc_lib.
-export([init/1, owner/1, idle/0, waits/2, large/2, grows/1, notes/1]).
-import(beam_case, [until/1]).

%% A cache in a table with a name to be escaped, and one that is not so large.
cache(_) ->
    Self = self(),
    Owner = spawn(?MODULE, owner, [Self]),
    receive ready -> ok end,
    %% As Elixir names modules.
    register('Elixir.Shop.Cart', Self),
    {ok, _} = carrierscope:snapshot(),
    told(cart, 0, Self),
    told(table, ets:info('<b>c\x{e4}che</b>', memory) * erlang:system_info(wordsize), Owner).

owner(Parent) ->
    register('cache_\x{f6}wner', self()),
    Large = ets:new('<b>c\x{e4}che</b>', [named_table, public]),
    [ets:insert(Large, {N, lists:seq(1, 20)}) || N <- lists:seq(1, 50000)],
    Small = ets:new('Elixir.Shop.Small', [public]),
    [ets:insert(Small, {N, lists:seq(1, 20)}) || N <- lists:seq(1, 1000)],
    Parent ! ready,
    receive stop -> {Large, Small} end.

%% One process among 10,000 of proc_lib keeps what comes; six readings.
leak(_) ->
    Idle = [proc_lib:spawn(?MODULE, idle, []) || _ <- lists:seq(1, 10000)],
    {ok, Pid} = proc_lib:start(?MODULE, init, [self()]),
    [begin
         Pid ! {keep, 8000000},
         receive kept -> ok end,
         {ok, _} = carrierscope:snapshot()
     end || _ <- lists:seq(1, 6)],
    {binary, Held} = process_info(Pid, binary),
    told(binary, lists:sum([Size || {_, Size, _} <- lists:usort(Held)]), Pid),
    {total_heap_size, Words} = process_info(Pid, total_heap_size),
    told(heap, Words * erlang:system_info(wordsize), Pid),
    {garbage_collection_info, Sizes} = process_info(Pid, garbage_collection_info),
    Of = fun(Keys) -> erlang:system_info(wordsize) * lists:sum([proplists:get_value(Key, Sizes) || Key <- Keys]) end,
    told(used, Of([heap_size, old_heap_size, stack_size, mbuf_size]), Pid),
    told(survived, Of([recent_size, old_heap_size]), Pid),
    {10000, true} = {length(Idle), is_process_alive(Pid)}.

init(Parent) ->
    proc_lib:init_ack({ok, self()}),
    keeps(Parent, []).

keeps(Parent, Held) ->
    receive
        {keep, Bytes} ->
            More = [binary:copy(<<N>>, Bytes div 100) || N <- lists:seq(1, 100)],
            erlang:garbage_collect(),
            Parent ! kept,
            keeps(Parent, [More | Held])
    end.

idle() ->
    receive stop -> ok end.

%% Every block is recorded: those of binaries are found by the ids that processes refer to.
blocks(_) ->
    {ok, _} = carrierscope:start(),
    {ok, Pid} = proc_lib:start(?MODULE, init, [self()]),
    Pid ! {keep, 8000000},
    receive kept -> ok end,
    {ok, _} = carrierscope:stop(),
    told(binary, 8000000, Pid),
    true = is_process_alive(Pid).

%% Messages that wait: of binaries, beside the heap and on it, and of terms beside the heap; and
%% a table of binaries, to which no process refers.
waiting(_) ->
    {ok, _} = carrierscope:start(),
    Queues = [{What, queued(Where, Message, Count)}
              || {What, Where, Message, Count} <- [{beside, off_heap, fun() -> binary:copy(<<1>>, 10000) end, 1000},
                                                   {onheap, on_heap, fun() -> binary:copy(<<2>>, 9000) end, 1000},
                                                   {terms, off_heap, fun() -> lists:seq(1, 500) end, 1000}]],
    Table = ets:new(cache, [named_table, public]),
    {ok, _} = carrierscope:snapshot(),
    ets:insert(Table, [{N, binary:copy(<<3>>, 15000)} || N <- lists:seq(1, 2000)]),
    {ok, _} = carrierscope:snapshot(),
    {ok, _} = carrierscope:stop(),
    [begin
         [{_, Memory}, {_, Words}] = process_info(Pid, [memory, total_heap_size]),
         told(What, Memory - Words * erlang:system_info(wordsize), Pid)
     end || {What, Pid} <- Queues],
    told(owner, 0, self()),
    2000 = ets:info(Table, size).

queued(Where, Message, Count) ->
    Pid = spawn_opt(?MODULE, idle, [], [{message_queue_data, Where}]),
    [Pid ! {job, N, Message()} || N <- lists:seq(1, Count)],
    Pid.

%% What a reading must not stop, cannot follow, or finds gone.
bad(_) ->
    Queue = spawn(?MODULE, idle, []),
    [Queue ! go || _ <- lists:seq(1, 10001)],
    Shared = spawn(?MODULE, waits, [self(), [binary:copy(<<1>>, 1000000)]]),
    Binary = binary:copy(<<2>>, 1000000),
    [Shared ! Binary || _ <- lists:seq(1, 20000)],
    receive kept -> ok end,
    Long = spawn(?MODULE, idle, []),
    %% An atom of 255 characters, with what ends lines and is cut in the middle.
    register(list_to_atom("a\n\t\x{e4}" ++ lists:duplicate(251, $\x{e4})), Long),
    Tables = [ets:new(table, [public]) || _ <- lists:seq(1, 9)],
    {ok, _} = carrierscope:snapshot(),
    {ok, _} = carrierscope:snapshot(#{holders => 0}),
    told(queue, 0, Queue), told(shared, 0, Shared), told(long, 0, Long),
    Many = [spawn(?MODULE, idle, []) || _ <- lists:seq(1, 1500)],
    ok = carrierscope:snapshot(#{every => 1, holders => 3}),
    Ender = spawn(fun() -> [begin exit(Pid, kill), erlang:yield() end || Pid <- lists:sublist(Many, 500)] end),
    until(fun() -> not is_process_alive(Ender) end),
    %% However long a busy machine takes for five more.
    Pid = whereis(carrierscope_snapshots),
    1 = erlang:trace_pattern({carrierscope_snapshot, record, 1}, true, [local]),
    1 = erlang:trace(Pid, true, [call]),
    [receive {trace, Pid, call, _} -> ok end || _ <- lists:seq(1, 5)],
    ok = carrierscope:snapshot(stop),
    {9, {error, _}} = {length(Tables), carrierscope:snapshot(#{holders => 1001})}.

%% Heaps that are too large for a copy of their dictionary, where only all of it can be read: of a process
%% that was looked at before it had grown, of one that is known by its parent, and of a queue of RabbitMQ, of which a
%% table has the name.  None of them is asked for its dictionary.
grown(_) ->
    register(grown_parent, self()),
    Large = listed(fun() -> 1 end),
    Rows = ets:new(rabbit_queue, [named_table, public, {keypos, 2}]),
    ets:insert(Rows, [queue(N, self()) || N <- lists:seq(1, 1000)]),
    Queue = listed(fun() -> ets:insert(Rows, queue(<<"slow">>, self())) end),
    ets:insert(Rows, {amqqueue, short}),
    Other = listed(fun() -> 1 end),
    Grown = proc_lib:spawn(?MODULE, grows, [self()]),
    receive is_small -> ok end,
    ok = carrierscope:snapshot(#{every => 50, holders => 1}),
    until(fun() -> is_read_alone() orelse maps:is_key(Grown, noted(notes, #{})) end),
    Grown ! grow,
    receive is_large -> ok end,
    until(fun() -> lists:member(Grown, noted(known, [])) end),
    ok = carrierscope:snapshot(stop),
    told(large, 0, Large), told(queue, 0, Queue), told(other, 0, Other), told(grown, 0, Grown),
    io:format("alone 0 ~p~n", [is_read_alone()]).

queue(Name, Pid) ->
    {amqqueue, {resource, <<"/">>, queue, Name}, true, false, none, [], Pid, [], []}.

%% Ancestors that are no proper list, and a label of many bytes: who reads them does not keep the label.
odd(_) ->
    Odd = spawn(?MODULE, notes, [self()]),
    receive noted -> ok end,
    ok = carrierscope:snapshot(#{every => 50, holders => 50}),
    until(fun() -> lists:member(Odd, noted(known, [])) end),
    until(fun() ->
              {_, Held} = process_info(whereis(carrierscope_snapshots), binary),
              not lists:keymember(20000000, 2, Held)
          end),
    ok = carrierscope:snapshot(stop),
    stays_listed(),
    called_by_rabbitmq(),
    told(odd, 0, Odd).

%% What RabbitMQ 3.10 notes, and its rows: of a quorum queue whose names have the sign between them, of one of another node, of a stream;
%% what is no such note or row is passed over.
called_by_rabbitmq() ->
    Called = fun(Note) -> iolist_to_binary(carrierscope_rabbitmq:called(Note)) end,
    <<"queue \"slow\" (vhost /)">> = Called({rabbit_amqqueue_process, {resource, <<"/">>, queue, <<"slow">>}}),
    <<"mirror of queue \"slow\" (vhost a)">> = Called({rabbit_mirror_queue_slave, {resource, <<"a">>, queue, <<"slow">>}}),
    <<"channel 7 of \"127.0.0.1:1 -> 127.0.0.1:2\"">> = Called({rabbit_channel, {<<"127.0.0.1:1 -> 127.0.0.1:2">>, 7}}),
    <<"connection \"127.0.0.1:1 -> 127.0.0.1:2 - shop\"">> = Called({rabbit_reader, <<"127.0.0.1:1 -> 127.0.0.1:2 - shop">>}),
    <<"127.0.0.1:1">> = Called({rabbit_queue_collector, <<"127.0.0.1:1">>}),
    [none = carrierscope_rabbitmq:called(Other) || Other <- [none, {a, b, c}, {rabbit_reader, "text"}, {a, {resource, 1, queue, 2}}, <<"x">>]],
    none = carrierscope_rabbitmq:queue(self()),
    Quorum = self(),
    Stream = spawn(?MODULE, idle, []),
    #{} = carrierscope_rabbitmq:queues([{Quorum, {ra_server_proc, init, 1}}, {Stream, {osiris_writer, init, 1}}]),
    register('my_vhost%2F_or_ders', Quorum),
    Rows = ets:new(rabbit_queue, [named_table, public, {keypos, 2}]),
    ets:insert(Rows, [{amqqueue, short}, queue(<<"other">>, Quorum), queue(<<"events">>, Stream),
                      setelement(2, queue(x, {'my_vhost%2F_or_ders', node()}), {resource, <<"my_vhost/">>, queue, <<"or_ders">>}),
                      setelement(2, queue(x, {'my_vhost%2F_or_ders', other@node}), {resource, <<"my">>, queue, <<"vhost%2F_or_ders">>})]),
    Names = carrierscope_rabbitmq:queues([{Quorum, {ra_server_proc, init, 1}}, {Stream, {osiris_writer, init, 1}}, {whereis(init), {ra_server_proc, init, 1}}]),
    [{Quorum, <<"queue \"or_ders\" (vhost my_vhost/)">>}, {Stream, <<"queue \"events\" (vhost /)">>}] =
        lists:sort([{Pid, iolist_to_binary(Name)} || {Pid, Name} <- maps:to_list(Names)]),
    <<"queue \"other\" (vhost /)">> = iolist_to_binary(carrierscope_rabbitmq:queue(Quorum)),
    unregister('my_vhost%2F_or_ders'),
    Messages = ets:new(messages, [public]),
    true = #{} =:= carrierscope_rabbitmq:tables([Rows, Messages]),
    register(ra_log_ets, self()),
    [Open, Servers] = [ets:new(Table, [named_table, public]) || Table <- [ra_log_open_mem_tables, ra_directory]],
    ets:insert(Open, [{<<"2F_ORD">>, 0, 9792, Messages}, {<<"gone">>, 0, 1, Rows}]),
    ets:insert(Servers, {<<"2F_ORD">>, Quorum, Stream, 'my_vhost%2F_or_ders', none}),
    [{Messages, <<"queue or_ders (vhost my_vhost/)">>}] =
        [{Table, iolist_to_binary(Name)} || {Table, Name} <- maps:to_list(carrierscope_rabbitmq:tables([Rows, Messages]))],
    unregister(ra_log_ets),
    lists:foreach(fun ets:delete/1, [Rows, Messages, Open, Servers]).

%% Of 4,200 tables and more 3,000 are looked at each time, and the largest of those before: once it is found it stays.
stays_listed() ->
    [Large | Small] = [ets:new(N, []) || N <- [largest | lists:duplicate(4200, small)]],
    ets:insert(Large, {lists:seq(1, 100000)}),
    Limits = carrierscope_holders:limits(3, 1000),
    Found = [length([found || {table, _, _, <<"largest", 0>>, _, _, _, _} <- carrierscope_holders:rows(0, Limits)]) || _ <- lists:seq(1, 8)],
    {_, [1, 1, 1, 1 | _] = Since} = lists:splitwith(fun(Times) -> Times =:= 0 end, Found),
    {[], true} = {[Times || Times <- Since, Times =/= 1], length(Small) =:= 4200}.

notes(Parent) ->
    put('$ancestors', [first, {second} | third]),
    put('$initial_call', [none | none]),
    put('$process_label', binary:copy(<<"label">>, 4000000)),
    Few = lists:seq(1, 15000),
    erlang:garbage_collect(),
    Parent ! noted,
    receive stop -> Few end.

%% A process with much heap, which a snapshot lists alone.
listed(Fun) ->
    {ok, Pid} = proc_lib:start(?MODULE, large, [self(), Fun]),
    {ok, _} = carrierscope:snapshot(#{holders => 1}),
    Monitor = monitor(process, Pid),
    Pid ! stop,
    receive {'DOWN', Monitor, process, _, {shutdown, 200000, _}} -> Pid end.

%% What the process that takes snapshots keeps.
noted(What, Else) ->
    {_, Notes} = process_info(whereis(carrierscope_snapshots), dictionary),
    proplists:get_value({carrierscope_holders, What}, Notes, Else).

%% Whether one entry of a dictionary can be read without the others: OTP 26.2.
is_read_alone() ->
    try is_list(process_info(self(), [{dictionary, none}])) catch error:badarg -> false end.

large(Parent, Fun) ->
    Noted = Fun(),
    Kept = lists:seq(1, 200000),
    erlang:garbage_collect(),
    proc_lib:init_ack(Parent, {ok, self()}),
    receive stop -> exit({shutdown, length(Kept), Noted}) end.

grows(Parent) ->
    Few = lists:seq(1, 15000),
    erlang:garbage_collect(),
    Parent ! is_small,
    receive grow -> ok end,
    Many = lists:seq(1, 1000000),
    erlang:garbage_collect(),
    Parent ! is_large,
    receive stop -> {Few, Many} end.

waits(Parent, [Binary]) when is_binary(Binary) -> waits(Parent, {[Binary], 20000});
waits(Parent, {Held, 0}) ->
    Parent ! kept,
    receive stop -> Held end;
waits(Parent, {Held, N}) ->
    receive Binary -> waits(Parent, {[Binary | Held], N - 1}) end.

%% For the test's script.
told(What, Bytes, Pid) ->
    io:format("~s ~b ~s~n", [What, Bytes, pid_to_list(Pid)]).
