%% SPDX-License-Identifier: MIT
%% Sizes of objects of fixed size, as carrierscope-twin has them, against this runtime:
%%   erl +S 1:1 +MFt false ... -run fix_types main FileWithOnePair
%% With one instance the runtime has the bytes of each type and how many blocks there are of all;
%% if one size were wrong, the objects would not add up to the blocks.
-module(fix_types).
-export([main/1]).

-define(MANY, 3000).

main([File]) ->
    {ok, [{fix_types, Sizes}]} = file:consult(File),
    timer:sleep(200),
    Reported = [T || {T, _, _} <- types()],
    Reported =:= [T || {T, _} <- Sizes] orelse fail("the runtime has other types: ~p", [Reported]),
    check(start, Sizes),
    Keep = [begin
                Kept = make(Type),
                appears(Type, 4000),
                check(Type, Sizes),
                Kept
            end || {Type, _} <- Sizes],
    io:format("~b types, ~b blocks: sizes are those of the runtime~n", [length(Keep), blocks()]),
    halt(0).

instance() ->
    [{instance, 0, L}] = erlang:system_info({allocator, fix_alloc}),
    L.

types() -> proplists:get_value(fix_types, instance()).

blocks() -> blocks(instance()).

blocks(L) ->
    {blocks, [{fix_alloc, [{count, Now, _, _} | _]}]} =
        lists:keyfind(blocks, 1, proplists:get_value(mbcs, L)),
    Now.

%% Those that the runtime makes for itself come and go: within 10 s there are some, or minutes on a busy machine.
appears(Type, Tries) ->
    timer:sleep(50),
    case lists:keyfind(Type, 1, types()) of
        {Type, Bytes, _} when Bytes > 0 -> ok;
        _ when Tries > 0 -> appears(Type, Tries - 1);
        _ -> fail("no object of type ~p was made", [Type])
    end.

check(What, Sizes) ->
    L = instance(),
    Objects = [{T, Bytes / proplists:get_value(T, Sizes)}
               || {T, Bytes, _} <- proplists:get_value(fix_types, L)],
    Sum = lists:sum([N || {_, N} <- Objects]),
    Sum == blocks(L) andalso lists:all(fun({_, N}) -> N == trunc(N) end, Objects) orelse
        fail("~p: ~p objects, ~p blocks: ~p", [What, Sum, blocks(L), Objects]).

fail(Format, Arguments) ->
    io:format(Format ++ "~n", Arguments),
    halt(1).

idle() -> spawn(fun() -> receive stop -> ok end end).

%% Makes objects of a type; what is returned keeps them.
make(proc) -> [idle() || _ <- lists:seq(1, 100)];
make(receive_marker_block) ->
    Pid = idle(),
    [spawn(fun() -> self() ! other, ask(Pid) end) || _ <- lists:seq(1, 100)];
make(msg_ref) ->
    Pid = idle(),
    [Pid ! an_atom || _ <- lists:seq(1, ?MANY)];
make(ll_ptimer) -> waiting(5000000);
make(hl_ptimer) -> waiting(4200000000);
make(bif_timer) -> [erlang:start_timer(5000000, self(), x) || _ <- lists:seq(1, ?MANY)];
make(nsched_magic_ref_entry) ->
    Arrays = [atomics:new(1, []) || _ <- lists:seq(1, 100)],
    {Arrays, [term_to_binary(A) || A <- Arrays]};
make(nsched_pid_ref_entry) ->
    Aliases = [erlang:alias() || _ <- lists:seq(1, 100)],
    {Aliases, [term_to_binary(A) || A <- Aliases]};
make(magic_indirection) -> [ets:new(table, []) || _ <- lists:seq(1, 100)];
make(process_signal_queue_buffers) ->
    [spawn(fun() ->
               process_flag(message_queue_data, off_heap),
               erts_debug:set_internal_state(available_internal_state, true),
               true = erts_debug:set_internal_state(proc_sig_buffers, true),
               receive stop -> ok end
           end) || _ <- lists:seq(1, 3)];
%% There are some at any time.
make(sl_thr_q_element) -> [];
make(monitor) -> [erlang:monitor(process, idle()) || _ <- lists:seq(1, 100)];
make(link) -> [link(idle()) || _ <- lists:seq(1, 100)];
make(driver_select_data_state) -> open_port({spawn, "cat"}, []);
make(enif_select_data_state) ->
    {ok, Socket} = socket:open(inet, dgram),
    ok = socket:bind(Socket, #{family => inet, addr => loopback, port => 0}),
    {select, _} = socket:recvfrom(Socket, 0, [], nowait),
    Socket.

waiting(Ms) ->
    [spawn(fun() -> receive stop -> ok after Ms -> ok end end) || _ <- lists:seq(1, ?MANY)].

%% The compiler marks where in the queue the answer can be.
ask(Pid) ->
    Ref = erlang:monitor(process, Pid),
    Pid ! {self(), Ref},
    receive
        {Ref, Answer} -> Answer;
        {'DOWN', Ref, _, _, _} -> ok
    end.
