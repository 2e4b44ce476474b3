%% SPDX-License-Identifier: MIT
%% @private
%% What is pushed into a node that has nothing of ours: it takes snapshots, prints them, and leaves.  merge.escript makes one module,
%% carrierscope_pushed, of this file and those that read a node; this one stands in for what they call of the native half.
%%
%% A line has a packet of events: "csp1 " and the base64 of a packet that zlib has compressed.  Numbers are little-endian:
%%
%%   <<Names:16, "snapshot_begin,...", Pid:32, Node:32, Packet:32, BeginNs:64, EndNs:64, Events/binary>>
%%                                                 Node: of one boot of one node; pods have the same names and process ids
%%   <<Event:16, TimeNs:64, Fields/binary>>        of each event: the number of its name, time since 1970, fields as in tp/
%%
%% Or, of `carrierscope top`, "csp-top " and what carrierscope_top:answer/2 has.
%%
%% "csp-alarm REASON VALUE THRESHOLD DETAIL": for `carrierscope keep`, after the snapshot of that moment.
%%
%% "csp-history [LIFE,MS,BYTES,BYTES,...]": for the same, after each snapshot: what was resident at the last looks, the newest first, in
%% which life of the node, and when by its clock.  The next run takes it from there, by option history.
%%
%% "csp-thinned N": the node has little memory, N holders of each kind are listed.
%%
%% The last line is "csp-end" or "csp-error SENTENCE".  Other lines may stand between them.
%%
%% On a node that has it as a module of its own (carrierscope_shell), it does the same into a file.
-module(carrierscope_push).
-export([run/1]).
%% For carrierscope_shell.
-export([read/1, refusal/1, most_heap/1, resident/0]).
%% For carrierscope_native.
-export([emit/1, allocators/0, jit_debug/0, own_memory/0, mappings/1, facts/1, rows/4, info/0]).

%% Bytes of heap that a snapshot may take, its garbage collections included: a part of what is free, within these bounds.  So many may
%% the process take besides that lists all processes, for a moment (carrierscope_holders:part/1).  Code, its
%% loader and what is printed take up to 10 MiB besides.
-define(LEAST_HEAP, 6291456).
-define(MOST_HEAP, 67108864).
-define(PART_OF_FREE, 16).

%% With less free memory than this nothing is pushed, unless it is forced.
-define(LEAST_FREE, 67108864).

%% A snapshot may take a tenth of the time.
-define(REST, 9).

%% A packet is printed when its events have so many bytes.
-define(PACKET, 32768).

-define(EVENTS, {?MODULE, events}).
-define(PACKETS, {?MODULE, packets}).

%% How often rules are looked at, in ms, and what is known of them.
-define(LOOK, 1000).
-define(RULES, {?MODULE, rules}).

-define(KINDS, [{allocator, "name_allocator", [1, s]}, {option, "option", [1, s, s]}, {fact, "runtime_fact", [s, s]},
                {snapshot, "snapshot_begin", [4, 8]}, {instance, "snapshot_figure", [4, 1, 2, s, s, 8, 8, 8]},
                {memory, "snapshot_memory", [4, s, 8]}, {named, "process_name", [s, s, s, s, s, s, s]},
                {process, "snapshot_process", [4, s, 8, 8, 8, 8, 8, 1, 8, 8, 8, 8]},
                {group, "snapshot_process_group", [4, s, 8, 8, 8, 8, 8, 8, 8, 8]},
                {binary, "snapshot_binary", [4, s, 8, 8, 8]}, {table, "snapshot_table", [4, s, s, s, s, 8, 8]},
                {alarm, "alarm", [s, 8, 8, s]}, {port, "snapshot_port", [4, s, s, s, s, 8, 8]}, {holders, "snapshot_holders", [4, 8, 8, 8, 8, 8, 8, 8, 8, 8]},
                {mapping, "snapshot_mapping", [4, s, 8, 8, 8]}, {done, "snapshot_end", [4, 8]}]).

%% Called where the module was loaded, by the process that deletes it afterwards.  Options:
%%   ms        between snapshots
%%   seconds   until the last one
%%   watch     so many holders, for `carrierscope top`; 0: snapshots
%%   force     also where little memory is free
%%   by        who asked for it, as a text
%%   rules     as carrierscope_keeper:start/2 has them; those of which only a hook or the system monitor tells raise no alarm
%%   quiet     ms in which a rule is silent after it raised an alarm
%%   history   [Life, Ms, Bytes...] of the last csp-history of an earlier run; []: there is none (default)
%%   begins    what the process that reads does first (default: nothing)
%%   module    that this is (default: the one that was pushed)
%%   forced_by how force is asked for (default: --force)
run(Options) ->
    _ = read(Options),
    ok.

%% The same; answers normal, {error, Sentence}, nobody where who reads has gone, or why what it printed has no end.
read(#{seconds := Seconds} = Options) ->
    Answer = case refusal(Options) of
                 false ->
                     Bytes = most_heap(Options),
                     Printed = monitor(process, group_leader()),
                     Ended = repeat(Options#{packets => atomics:new(1, []), printed => Printed}, tops(Bytes), Bytes, now_ms() + 1000 * Seconds),
                     demonitor(Printed, [flush]),
                     Ended;
                 Sentence -> {error, Sentence}
             end,
    print(Answer),
    carrierscope_memory:begins(),
    Answer.

print(normal) -> io:put_chars("csp-end\n");
print(nobody) -> ok;
print({error, Sentence}) -> io:put_chars(["csp-error ", Sentence, $\n]);
%% Perhaps because nobody reads what it printed.
print(Why) ->
    try print({error, io_lib:format("what reads it has ended: ~0P", [Why, 9])}) catch error:_ -> ok end.

%% false, or why nothing is read.
refusal(Options) -> too_little(carrierscope_memory:free(), Options).

%% Bytes of heap that who reads may take.
most_heap(Options) -> most_heap(carrierscope_memory:free(), Options).

too_little({Free, File}, #{force := false} = Options) when Free < ?LEAST_FREE ->
    io_lib:format("only ~b MiB of memory are free (~ts), and a snapshot may take ~b MiB: ~ts reads it all the same",
                  [Free div 1048576, File, 16, forced(Options)]);
too_little(_, _) -> false.

%% So many holders of each kind, and what is tried after that; none where the list of all processes alone takes what there is.
tops(Bytes) ->
    case 4 * erlang:system_info(wordsize) * erlang:system_info(process_count) > Bytes of
        true -> [0];
        false -> [50, 10, 0]
    end.

now_ms() -> erlang:monotonic_time(millisecond).

%% A process of its own, which dies where it would take more than it may; the next one lists fewer holders.  It ends at once where
%% nobody gets what it prints any more: another may read this node then.
repeat(#{printed := Printed} = Options, [Top | Fewer], Bytes, End) ->
    Main = self(),
    Most = Bytes div erlang:system_info(wordsize),
    {Pid, Monitor} = spawn_opt(fun() -> work(Options, Top, Main, End) end,
                             [monitor, {max_heap_size, #{size => Most, kill => true, error_logger => false}}]),
    receive
        {'DOWN', Printed, process, _, _} ->
            exit(Pid, kill),
            receive {'DOWN', Monitor, process, _, _} -> nobody end;
        {'DOWN', Monitor, process, _, killed} when Fewer =/= [] -> repeat(Options, Fewer, Bytes, End);
        {'DOWN', Monitor, process, _, killed} ->
            {error, io_lib:format("a snapshot of this node needs more than the ~b MiB of memory that it may take; ~ts gives it ~b MiB",
                                  [Bytes div 1048576, forced(Options), ?MOST_HEAP div 1048576])};
        {'DOWN', Monitor, process, _, Why} -> Why
    end.

forced(#{forced_by := Text}) -> Text;
forced(_) -> "--force".

most_heap(_, #{force := true}) -> ?MOST_HEAP;
most_heap({Free, _}, _) -> max(?LEAST_HEAP, min(?MOST_HEAP, Free div ?PART_OF_FREE));
most_heap(unknown, _) -> ?LEAST_HEAP.

work(#{ms := Ms, watch := 0, by := By, packets := Packets} = Options, Top, Main, End) ->
    %% So it is known among the holders.
    register(carrierscope_pushed, self()),
    _ = (maps:get(begins, Options, fun() -> ok end))(),
    _ = Top < 50 andalso io:put_chars(["csp-thinned ", integer_to_list(Top), $\n]),
    put(?EVENTS, {<<>>, 0}),
    put(?PACKETS, {Packets, head()}),
    emit([{option, Allocator, text(Name), text(Value)} || {Allocator, Name, Value} <- carrierscope_snapshot:options(allocators())] ++
             [{fact, <<"recorded_by\0">>, text(By)}, {fact, <<"pushed_module\0">>, text(hash(maps:get(module, Options, carrierscope_pushed)))},
              {fact, <<"snapshot_every_ms\0">>, text(integer_to_list(Ms))}] ++
             [{fact, <<"snapshot_thinned\0">>, text(["holders of each kind: ", integer_to_list(Top)])} || Top < 50] ++
             [{fact, Key, text(Value)} || {Key, Value} <- system()]),
    _ = Top > 0 andalso carrierscope_holders:rehearsal(),
    erlang:garbage_collect(),
    _ = begins(Options),
    turn(Ms, fun(IsLast) -> snapshot(Ms, Top, IsLast), heaps(Ms, Top) end, fun(Until) -> watches(Until, Ms, Top) end, Main, End);
work(#{ms := Ms, watch := Holders}, Top, Main, End) ->
    register(carrierscope_pushed, self()),
    turn(Ms, fun(_) -> io:put_chars(["csp-top ", carrierscope_top:answer(min(Holders, max(1, Top)), Ms), $\n]) end, fun sleeps/1, Main, End).

snapshot(Ms, Top, IsLast) ->
    _ = carrierscope_snapshot:record((carrierscope_holders:limits(Top, Ms))#{ends => IsLast}),
    flush(),
    remembers(get(?RULES)),
    %% What it took is no growth of the node: each snapshot finds this process as the last one did.
    erlang:garbage_collect().

%% What the node's system is, as far as it tells.
system() ->
    [{<<"cpus_online\0">>, integer_to_list(N)} || N <- [erlang:system_info(logical_processors_online)], is_integer(N)] ++
        [{<<"kernel_release\0">>, [C || C <- binary_to_list(Text), C =/= $\n]} || {ok, Text} <- [file:read_file("/proc/sys/kernel/osrelease")]].

hash(Module) ->
    io_lib:format("~32.16.0b", [binary:decode_unsigned(erlang:get_module_info(Module, md5))]).

turn(Ms, Do, Wait, Main, End) ->
    Begin = now_ms(),
    IsLast = Begin >= End orelse not is_process_alive(Main),
    _ = Do(IsLast),
    Next = max(Begin + Ms, now_ms() + ?REST * (now_ms() - Begin)),
    case IsLast of
        true -> ok;
        %% The last one is taken when the time is over.
        false -> Wait(min(Next, max(End, Begin + Ms div 2))), turn(Ms, Do, Wait, Main, End)
    end.

sleeps(Until) ->
    receive after max(0, Until - now_ms()) -> ok end.

%%% Rules of `carrierscope keep`

begins(#{rules := Rules, quiet := Quiet} = Options) when map_size(Rules) > 0 ->
    History = known(maps:get(history, Options, []), identity(), now_ms()),
    put(?RULES, #{rules => Rules, quiet => Quiet, silent => #{}, watch => carrierscope_memory:watch(), history => History, resident => unknown,
                  free => unknown, share => unknown, sample => 0, sampling => none});
begins(_) -> none.

%% What an earlier run knew of this life; looks that nobody took are unknown, so that what is older than a minute counts no more.
known([Life, Then | Bytes], Life, Now) -> lists:duplicate(min(60, max(0, (Now - Then) div ?LOOK)), unknown) ++ Bytes;
known(_, _, _) -> [].

remembers(#{history := History}) ->
    io:format("csp-history ~w~n", [[identity(), now_ms() | History]]);
remembers(_) -> ok.

watches(Until, Ms, Top) ->
    case get(?RULES) of
        #{rules := Rules} = State ->
            put(?RULES, maps:fold(fun(Reason, Threshold, Known) -> rule(Reason, Threshold, Known, Ms, Top) end,
                                  carrierscope_keeper:look(State), Rules)),
            sleeps(min(Until, now_ms() + ?LOOK)),
            now_ms() >= Until orelse watches(Until, Ms, Top);
        undefined -> sleeps(Until)
    end.

rule(Reason, Threshold, State, Ms, Top) ->
    case not is_silent(Reason, State) andalso carrierscope_keeper:found(Reason, Threshold, State) of
        false -> State;
        {false, Read} -> Read;
        {Value, Read} -> alarm(Reason, Value, "", Read, Ms, Top)
    end.

%% The system monitor is the node's own.
heaps(Ms, Top) ->
    case get(?RULES) of
        #{rules := #{large_heap := Threshold}} = State ->
            case not is_silent(large_heap, State) andalso carrierscope_keeper:largest(Threshold) of
                {Bytes, Pid} -> put(?RULES, alarm(large_heap, Bytes, carrierscope_keeper:pid(Pid), State, Ms, Top));
                _ -> none
            end;
        _ -> none
    end.

is_silent(Reason, #{silent := Silent}) ->
    now_ms() < maps:get(Reason, Silent, now_ms()).

alarm(Reason, Value, Detail, #{rules := Rules, quiet := Quiet, silent := Silent} = State, Ms, Top) ->
    Threshold = maps:get(Reason, Rules),
    emit([{alarm, text(atom_to_list(Reason)), Value, Threshold, text(Detail)}]),
    snapshot(Ms, Top, false),
    io:put_chars(["csp-alarm ", atom_to_list(Reason), " ", integer_to_list(Value), " ", integer_to_list(Threshold), " ", Detail, $\n]),
    State#{silent := Silent#{Reason => now_ms() + Quiet}}.

%%% What carrierscope_nif does in a node that has it

emit([{done, Id, Figures}]) ->
    Resident = [{memory, Id, <<"os_resident\0">>, Bytes} || Bytes <- resident(fun carrierscope_memory:read_again/1)],
    emit(Resident ++ [{done, Id, Figures + length(Resident)}]);
emit(Rows) ->
    {Events, First} = get(?EVENTS),
    Now = max(First, erlang:system_time(nanosecond)),
    More = lists:foldl(fun(Row, Before) -> event(Row, Now, Before) end, Events, Rows),
    put(?EVENTS, {More, case Events of <<>> -> Now; _ -> First end}),
    _ = byte_size(More) > ?PACKET andalso flush(),
    ok.

resident() -> resident(fun file:read_file/1).

resident(Read) -> [Bytes || Bytes <- [carrierscope_memory:resident(Read)], is_integer(Bytes)].

event(Row, Now, Before) ->
    {Number, Types} = kind(element(1, Row), ?KINDS, 0),
    fields(Types, tl(tuple_to_list(Row)), <<Before/binary, Number:16/little, Now:64/little>>).

kind(Kind, [{Kind, _, Types} | _], Number) -> {Number, Types};
kind(Kind, [_ | More], Number) -> kind(Kind, More, Number + 1).

%% Each is appended where the last one ends: nothing is copied.
fields([], [], Event) -> Event;
fields([s | Types], [Text | More], Event) -> fields(Types, More, <<Event/binary, Text/binary>>);
fields([8 | Types], [Value | More], Event) -> fields(Types, More, <<Event/binary, Value:64/little>>);
fields([Bytes | Types], [Value | More], Event) -> fields(Types, More, <<Event/binary, Value:Bytes/little-unit:8>>).

flush() ->
    case get(?EVENTS) of
        {<<>>, _} -> ok;
        {Events, First} ->
            {Packets, Of} = get(?PACKETS),
            Packet = atomics:add_get(Packets, 1, 1) - 1,
            Last = max(First, erlang:system_time(nanosecond)),
            put(?EVENTS, {<<>>, Last}),
            io:put_chars(["csp1 ", base64:encode(zlib:compress([Of, <<Packet:32/little, First:64/little, Last:64/little>>, Events])), $\n])
    end.

%% What each packet begins with.
head() ->
    Names = list_to_binary(lists:join(",", [Name || {_, Name, _} <- ?KINDS])),
    <<(byte_size(Names)):16/little, Names/binary, (list_to_integer(os:getpid())):32/little, (identity()):32/little>>.

%% Of one life: erlang:system_info(start_time) is the same in each, and so may the OS pid be.
identity() ->
    erlang:phash2({node(), os:getpid(), began(file:read_file("/proc/self/stat")), file:read_file("/proc/sys/kernel/hostname")}, 16#100000000).

%% The 22nd field: when the process began, in ticks since the machine did.  The name of the program may have spaces.
began({ok, Text}) ->
    lists:nth(21, binary:split(lists:last(binary:split(Text, <<")">>, [global])), <<" ">>, [global]));
began(Error) ->
    Error.

jit_debug() -> unknown.

%% Nothing is hooked.
info() -> #{}.

own_memory() -> [].

facts(_) -> [].

%% Sums of the whole process; names of what is mapped are not read.
mappings(true) -> [];
mappings(false) ->
    case file:read_file("/proc/self/smaps_rollup") of
        {ok, Text} ->
            [{none, 0, 0, kib(<<"Anonymous:">>, Text), kib(<<"LazyFree:">>, Text), kib(<<"Swap:">>, Text)}];
        {error, _} -> []
    end.

kib(Key, Text) ->
    case binary:split(Text, <<"\n", Key/binary>>) of
        [_, Rest] ->
            [Line | _] = binary:split(Rest, <<" kB">>),
            1024 * binary_to_integer(lists:last(binary:split(Line, <<" ">>, [global])));
        _ -> 0
    end.

%% The emulator's numbers are not known: ours, which a snapshot records with the names.
allocators() ->
    {_, _, _, Settings} = erlang:system_info(allocator),
    Names = [Name || {Name, _} <- Settings, lists:suffix("_alloc", atom_to_list(Name)), Name =/= mseg_alloc],
    lists:zip(lists:seq(1, length(Names)), Names).

%% By module instrument, which a node is not asked to load.
rows(_, _, _, _) -> [].

text(Text) -> iolist_to_binary([Text, 0]).
