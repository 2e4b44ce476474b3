%% SPDX-License-Identifier: MIT
%% @private
%% Who holds the memory of this node, as rows for the native half (snapshot.h says which): the processes
%% with the largest heaps and most binaries, tables and ports.
%%
%% What it may cost: so many processes are looked at in one call, some 4 us each, and what would stop
%% a process for a millisecond is not asked: its messages beyond 10,000, its binaries if there may
%% be more than 10,000, its dictionary if its heap is large.  What was left out is counted.
-module(carrierscope_holders).
-export([rows/2, limits/2, known/0, rehearsal/0, collected/1]).

%% Nodes that were read every so often go on where they stopped: the keys of their process's dictionary.
-define(REST(Of), {?MODULE, rest, Of}).
-define(KNOWN, {?MODULE, known}).
-define(MOST(Of), {?MODULE, most, Of}).
-define(AT, {?MODULE, at}).

%% More messages than these are not walked through: 0.1 us each.
-define(QUEUE, 10000).

%% Words of heaps and messages from which references to binaries, of at least 5 words, may be so many.
-define(LISTED, 50000).

%% Words of heaps beyond which a dictionary is not copied (before OTP 26.2 only all of it can be read): were all of
%% them in it, the process would stand still for 0.6 ms (measured: 25,000 tuples of one element, the slowest of seven shapes).
%% Beyond, a process has the notes that were read before, a queue of RabbitMQ its name by RabbitMQ's own table; else it is a
%% child of its parent.
-define(COPIED, 100000).

%% Words from which on its notes are remembered, by nodes that are read every so often, and of so many processes.
-define(REMEMBERED, 5000).
-define(GROWN, 10000).
-define(NOTES, {?MODULE, notes}).
-define(QUEUE_NAMES, {?MODULE, queues}).
-define(NOTED, ['$initial_call', '$process_label', '$ancestors', process_name]).

-define(TEXT, 200).

%% What is longer than so many bytes or elements is cut before it is looked at: a label may be any term.
-define(LONG, 1000).

%% Words of binaries of others, in what was copied, beyond which this process lets go of them at once.
-define(REFERRED, 8192).

%% top       of processes by heap, of processes by binaries, of tables, of ports that are recorded
%% look      processes that are looked at; as many tables, a tenth of it ports
%% binaries  that are recorded
%% words     of the heaps whose binaries are listed
%% goes_on   whether the next call goes on where this one stopped
%% functions whether carrierscope_functions looks at tags of blocks: or auto: where the user booted with some
%% blocks    that it looks at
%% ends      whether it is the last snapshot: carrierscope_memory:mappings/2
-type limits() :: #{top := non_neg_integer(), look := pos_integer(), binaries := non_neg_integer(),
                    words := pos_integer(), goes_on := boolean(), functions := auto | boolean(),
                    blocks := pos_integer(), ends => boolean()}.

%% once: some 0.1 s of CPU.  Every so many milliseconds: a thousandth of them, and of short times up to a hundredth, so that a node
%% of 3,000 processes that is read each second is seen whole.
-spec limits(non_neg_integer(), once | pos_integer()) -> limits().
limits(Top, once) ->
    #{top => Top, look => 50000, binaries => min(5000, 100 * Top), words => 1000000, goes_on => false,
      functions => auto, blocks => 1000000};
limits(Top, Ms) ->
    #{top => Top, look => min(50000, max(max(500, min(3000, 3 * Ms)), Ms div 6)), binaries => min(5000, 20 * Top), words => 100000,
      goes_on => true, functions => auto, blocks => 5 * Ms}.

%% Processes that the last call of this process which goes on has listed.
-spec known() -> [pid()].
known() ->
    case get(?KNOWN) of
        undefined -> [];
        Pids -> Pids
    end.

%% In vain and of next to nothing: what it needs is loaded then.
rehearsal() ->
    rows(0, (limits(1, once))#{look => 2}).

%% Collects a process: facts, bytes of its heaps in use and of binaries that it refers to (each reference counts), before and after.
%% None, where it has ended or does not come to it within 5 s.
-spec collected(pid()) -> [{binary(), string()}].
collected(Pid) ->
    Before = figures(Pid),
    Request = make_ref(),
    %% Of this process itself, or one that has ended, the answer comes at once.
    _ = erlang:garbage_collect(Pid, [{async, Request}]),
    receive
        {garbage_collect, Request, true} -> collected(Before, figures(Pid));
        {garbage_collect, Request, false} -> []
    after 5000 -> []
    end.

collected({_, _, _, BinaryBefore, _, {UsedBefore, _, _, _}}, {_, _, _, BinaryAfter, _, {UsedAfter, _, _, _}}) ->
    [{Key, integer_to_list(Bytes)} || {Key, Bytes} <- [{<<"collected_heap_before">>, UsedBefore}, {<<"collected_heap_after">>, UsedAfter},
                                                       {<<"collected_binaries_before">>, BinaryBefore},
                                                       {<<"collected_binaries_after">>, BinaryAfter}], Bytes >= 0];
collected(_, _) ->
    [].

rows(_, #{top := 0}) ->
    [];
rows(Id, #{top := Top, look := Look} = Limits) ->
    {Seen, Picked, Groups} = processes(Limits),
    {Processes, Binaries} = details(Id, Picked, Limits),
    {Tables, TablesSeen, TablesBytes} = tables(Id, Limits),
    {Ports, PortsSeen} = ports(Id, Limits#{look := max(100, Look div 10)}),
    _ = maps:get(goes_on, Limits) andalso lets_go(),
    Processes ++ [Row || {_, Row} <- Binaries] ++ groups(Id, Top, Groups) ++ Tables ++ Ports ++
        [total(Id, Seen, distinct(Binaries), TablesSeen, TablesBytes, PortsSeen)].

%% Dictionaries that were copied refer to binaries, which would stay until this process collects its garbage.
lets_go() ->
    {_, Sizes} = process_info(self(), garbage_collection_info),
    size(bin_vheap_size, Sizes) + size(bin_old_vheap_size, Sizes) > ?REFERRED andalso erlang:garbage_collect().

total(Id, Seen, {Binaries, Bytes}, TablesSeen, TablesBytes, PortsSeen) ->
    {holders, Id, max(Seen, erlang:system_info(process_count)), Seen, max(TablesSeen, erlang:system_info(ets_count)),
     TablesSeen, TablesBytes, max(PortsSeen, erlang:system_info(port_count)), PortsSeen, Binaries, Bytes}.

%% Those that had most in the last call of a caller that goes on, and the next ones.
again(Of, All, Limits) ->
    Known = case get(?MOST(Of)) of
                undefined -> [];
                Listed -> Listed
            end,
    Known ++ (turn(Of, All, Limits) -- Known).

listed(Of, Listed, #{goes_on := GoesOn}) ->
    _ = GoesOn andalso put(?MOST(Of), Listed),
    ok.

%% Those that are looked at now; a caller that goes on gets the next ones.
turn(Of, All, #{look := Most, goes_on := GoesOn}) ->
    Rest = case get(?REST(Of)) of
               [_ | _] = Left -> Left;
               _ -> All()
           end,
    {Some, More} = split(Most, Rest, []),
    _ = GoesOn andalso put(?REST(Of), More),
    Some.

split(N, [One | More], Taken) when N > 0 -> split(N - 1, More, [One | Taken]);
split(_, More, Taken) -> {Taken, More}.

%%% Processes

%% {LookedAt, [{Pid, Figures}], #{InitialCall => {Count, HeapBytes, Messages, BinaryBytes, UsedBytes, SurvivedBytes, MinorGcs,
%% Reductions}}}: the groups are of those that were not picked.
processes(#{top := Top, goes_on := GoesOn} = Limits) ->
    Share = Limits#{look := share(Limits, erlang:system_info(process_count))},
    Next = turn(processes, fun() -> part(Share) end, Share),
    Known = maps:from_list([{Pid, known} || Pid <- known()]),
    All = maps:keys(Known) ++ [Pid || Pid <- Next, not is_map_key(Pid, Known)],
    _ = GoesOn andalso get(?NOTES) =:= undefined andalso put(?NOTES, #{}),
    {Seen, Tops, Groups} = look(All, Top, 0, {least(), least(), least()}, #{}),
    Picked = maps:to_list(maps:from_list([Entry || Set <- tuple_to_list(Tops), {_, Entry} <- entries(Set)])),
    _ = GoesOn andalso put(?KNOWN, [Pid || {Pid, _} <- Picked]),
    {Seen, Picked, lists:foldl(fun({_, Figures}, Left) -> grouped(Figures, -1, Left) end, Groups, Picked)}.

%% Of more than can be seen whole fewer are looked at, for it takes more turns in any case; of very many more, so that they are fewer turns.
share(#{look := Look, goes_on := true}, Count) when Count > Look -> min(max(2 * Look div 3, Count div 20), 5 * Look div 3);
share(#{look := Look}, _) -> Look.

%% The processes that come next.
part(#{look := Look, goes_on := GoesOn}) ->
    At = if GoesOn -> get(?AT); true -> undefined end,
    {End, Pids} = case erlang:function_exported(erlang, processes_iterator, 0) of
                      true -> next(At, Look, []);
                      false -> listed_part(At, Look)
                  end,
    _ = GoesOn andalso put(?AT, End),
    Pids.

%% OTP 28 goes on where it was, without a list of all.
next(undefined, Part, Pids) -> next(apply(erlang, processes_iterator, []), Part, Pids);
next(At, Part, Pids) when Part > 0 ->
    case apply(erlang, processes_next, [At]) of
        {Pid, Next} -> next(Next, Part - 1, [Pid | Pids]);
        none when Pids =:= [] -> next(undefined, Part, Pids);
        none -> {undefined, Pids}
    end;
next(At, _, Pids) -> {At, Pids}.

%% So many of all that the list is taken each tenth turn or more seldom where it takes long.  A process of its own takes it, 16 bytes
%% each, and its heap is given back at once: of a million, the caller would copy the list at each collection.
listed_part(At, Look) ->
    Count = erlang:system_info(process_count),
    Part = max(Look, Count div min(32, 1 + Count div 16384) + 1),
    {_, #{size := Most}} = Limit = process_info(self(), max_heap_size),
    %% As if it were killed while it takes it.
    _ = Most > 0 andalso 4 * Count > Most andalso exit(killed),
    try spawn_opt(fun() ->
                          All = erlang:processes(),
                          Begin = if At < length(All) -> At; true -> 0 end,
                          {Pids, _} = split(Part, lists:nthtail(Begin, All), []),
                          exit({Begin + Part, Pids})
                  end, [monitor, {min_heap_size, 2 * (Count + Part) + 2000}, Limit]) of
        {_, Monitor} ->
            receive
                {'DOWN', Monitor, process, _, {End, Pids}} -> {End, Pids};
                {'DOWN', Monitor, process, _, Why} -> exit(Why)
            end
    catch
        %% The node has as many processes as it may.
        error:system_limit -> {undefined, erlang:processes()}
    end.

look([], _, Seen, Tops, Groups) ->
    {Seen, Tops, Groups};
look([Pid | More], Top, Seen, {ByHeap, ByBinaries, ByQueue} = Tops, Groups) ->
    case figures(Pid) of
        gone -> look(More, Top, Seen, Tops, Groups);
        {_, Heap, Messages, Bytes, _, _} = Figures ->
            Entry = {Pid, Figures},
            Now = {kept(Heap, Entry, Top, ByHeap), kept(Bytes, Entry, Top, ByBinaries),
                   kept(Messages, Entry, Top, ByQueue)},
            look(More, Top, Seen + 1, Now, grouped(Figures, 1, Groups))
    end.

%% {InitialCall, HeapBytes, Messages, BinaryBytes, Words, Work}; -1: not read.  Words bounds what walks through
%% its heaps.  Work: {UsedBytes, SurvivedBytes, MinorGcs, Reductions}, all asked for in one signal, which is what costs.
figures(Pid) ->
    case process_info(Pid, message_queue_len) of
        undefined -> gone;
        {_, Messages} when Messages > ?QUEUE -> long_queue(Pid, Messages);
        {_, Messages} ->
            case process_info(Pid, [garbage_collection_info, initial_call, garbage_collection, reductions]) of
                undefined -> gone;
                [{_, Sizes}, {_, Call}, {_, Settings}, {_, Reductions}] ->
                    {OldBlock, Block, Fragments, Recent, Stack, Old, Heap, Binary, OldBinary} = sizes(Sizes),
                    Word = erlang:system_info(wordsize),
                    Words = Heap + Old + Fragments,
                    {initial_call(Pid, Call, Words), Word * (Block + OldBlock + Fragments), Messages, Word * (Binary + OldBinary), Words,
                     {Word * (Words + Stack), Word * (Recent + Old), size(minor_gcs, Settings), Reductions}}
            end
    end.

%% In the order of OTP 25 to 29; of each process, so that this is a tenth of what a look costs.
sizes([{old_heap_block_size, OldBlock}, {heap_block_size, Block}, {mbuf_size, Fragments}, {recent_size, Recent}, {stack_size, Stack},
       {old_heap_size, Old}, {heap_size, Heap}, {bin_vheap_size, Binary}, _, {bin_old_vheap_size, OldBinary} | _]) ->
    {OldBlock, Block, Fragments, Recent, Stack, Old, Heap, Binary, OldBinary};
sizes(Sizes) ->
    list_to_tuple([size(Key, Sizes) || Key <- [old_heap_block_size, heap_block_size, mbuf_size, recent_size, stack_size, old_heap_size,
                                               heap_size, bin_vheap_size, bin_old_vheap_size]]).

long_queue(Pid, Messages) ->
    case process_info(Pid, initial_call) of
        undefined -> gone;
        {_, Call} -> {initial_call(Pid, Call, ?COPIED), -1, Messages, -1, ?COPIED, {-1, -1, -1, -1}}
    end.

size(Key, Sizes) ->
    case lists:keyfind(Key, 1, Sizes) of
        {_, Words} when is_integer(Words) -> Words;
        _ -> 0
    end.

%% Of a process of proc_lib the call of its behaviour's module.
initial_call(Pid, {proc_lib, init_p, _} = Call, Words) ->
    Keys = if Words > ?GROWN -> ?NOTED; true -> ['$initial_call'] end,
    case lists:keyfind('$initial_call', 1, notes(Pid, Keys, Words)) of
        {_, Noted} -> Noted;
        false -> Call
    end;
initial_call(_, Call, _) ->
    Call.

%% [{Key, Value}] of a process's dictionary, as far as they are there and may be read.  What OTP 26.2 answers is new to checkers before it.
-dialyzer({nowarn_function, notes/3}).
notes(Pid, Keys, Words) ->
    try process_info(Pid, [{dictionary, Key} || Key <- Keys]) of
        undefined -> [];
        Values -> [Note || {{dictionary, Key}, Value} <- Values, Value =/= undefined, Note <- note(Key, Value)]
    catch
        error:badarg when Words < ?COPIED ->
            case process_info(Pid, dictionary) of
                {_, Dictionary} ->
                    noted(Pid, Words, [Note || {Key, Value} <- Dictionary, lists:member(Key, Keys), Note <- note(Key, Value)]);
                undefined -> []
            end;
        error:badarg -> remembered(Pid)
    end.

%% [{Key, Value}] of a note, which may be any term: what is shown of it, in so many bytes that refer to nothing of that process.
note('$initial_call', {Module, Function, Arity} = Call) when is_atom(Module), is_atom(Function), is_integer(Arity) ->
    [{'$initial_call', Call}];
note('$initial_call', _) -> [];
note('$ancestors', Ancestors) -> [{'$ancestors', ancestors(Ancestors)}];
%% RabbitMQ notes the name of a process in a way of its own, on any release.
note(process_name, Name) ->
    case carrierscope_rabbitmq:called(Name) of
        none -> [{process_name, text(Name)}];
        Called -> [{process_name, text(Called)}]
    end;
note(Key, Label) -> [{Key, text(Label)}].

%% Kept by the process that reads every so often, for when this one has grown: at most so many, of those that live.
noted(Pid, Words, Notes) ->
    case get(?NOTES) of
        #{} = Known when Words > ?GROWN, map_size(Known) < ?REMEMBERED ->
            put(?NOTES, Known#{Pid => Notes});
        #{} = Known when Words > ?GROWN -> put(?NOTES, maps:filter(fun(Of, _) -> is_process_alive(Of) end, Known));
        _ -> ok
    end,
    Notes.

remembered(Pid) ->
    case get(?NOTES) of
        #{Pid := Notes} -> Notes;
        _ -> []
    end.

grouped({Call, Heap, Messages, Bytes, _, {Used, Survived, Minor, Reductions}}, Sign, Groups) ->
    {Count, Heaps, Queues, Sums, Useds, Surviveds, Minors, Worked} = maps:get(Call, Groups, {0, 0, 0, 0, 0, 0, 0, 0}),
    Groups#{Call => {Count + Sign, Heaps + Sign * max(0, Heap), Queues + Sign * Messages,
                     Sums + Sign * max(0, Bytes), Useds + Sign * max(0, Used), Surviveds + Sign * max(0, Survived),
                     Minors + Sign * max(0, Minor), Worked + Sign * max(0, Reductions)}}.

%% The groups that have most, and one with the empty name for all others.
groups(Id, Top, Groups) ->
    Sorted = lists:reverse(lists:keysort(1, [{Heap + Bytes, Call, Figures}
                                             || {Call, {Count, Heap, _, Bytes, _, _, _, _} = Figures} <- maps:to_list(Groups),
                                                Count > 0])),
    {Some, More} = split(Top, Sorted, []),
    Others = lists:foldl(fun({_, _, {C, H, M, B, U, S, G, R}}, {Cs, Hs, Ms, Bs, Us, Ss, Gs, Rs}) ->
                                 {Cs + C, Hs + H, Ms + M, Bs + B, Us + U, Ss + S, Gs + G, Rs + R}
                         end, {0, 0, 0, 0, 0, 0, 0, 0}, More),
    [{group, Id, call(Call), Count, Heap, Messages, Bytes, Used, Survived, Minor, Reductions}
     || {_, Call, {Count, Heap, Messages, Bytes, Used, Survived, Minor, Reductions}} <- Some ++ [{0, none, Others} || More =/= []]].

%%% The largest so many of many

least() -> {0, gb_sets:empty()}.

kept(Size, _, _, Set) when Size =< 0 -> Set;
kept(Size, Entry, Top, {Count, Set}) when Count < Top -> {Count + 1, gb_sets:add({Size, Entry}, Set)};
kept(Size, Entry, _, {Count, Set}) ->
    case gb_sets:smallest(Set) of
        {Least, _} when Least >= Size -> {Count, Set};
        _ -> {Count, gb_sets:add({Size, Entry}, element(2, gb_sets:take_smallest(Set)))}
    end.

entries({_, Set}) -> gb_sets:to_list(Set).

%%% What was picked

%% {Rows, [{{Id, Bytes}, Row}]}: of processes, and of their binaries.
details(Id, Picked, #{binaries := Most, words := Words} = Limits) ->
    Queues = queues(Picked, Limits),
    %% Those whose lists are short first: one that has many does not keep others from being listed.
    Sorted = [Entry || {_, Entry} <- lists:keysort(1, [{element(5, Figures), Entry}
                                                       || {_, Figures} = Entry <- Picked])],
    {Rows, Binaries, _, _} =
        lists:foldl(fun(Entry, {Rows, Binaries, Left, Budget}) ->
                            {Row, Some, Used} = detail(Id, Entry, Queues, min(Left, max(20, Most div 4)), Budget),
                            {Row ++ Rows, Some ++ Binaries, Left - length(Some), Budget - Used}
                    end, {[], [], Most, Words}, Sorted),
    {Rows, Binaries}.

detail(Id, {Pid, {Call, Heap, Queue, Sum, Words, {Used, Survived, Minor, Reductions}}}, Queues, Most, Budget) ->
    Memory = if Queue > ?QUEUE -> -1; true -> one(Pid, memory) end,
    Text = pid(Pid),
    {By, Count, Bytes, Binaries, Walked} =
        with_messages(binaries(Pid, Sum, Words, Budget), Queue),
    Rows = case Memory of
               gone -> [];
               _ -> names(Pid, Text, Call, Words, [{process_name, Name} || {ok, Name} <- [maps:find(Pid, Queues)]]) ++ [{process, Id, Text, Memory, Heap, Queue, Count, Bytes, By,
                                                        Used, Survived, Minor, Reductions}]
           end,
    {Some, _} = split(Most, Binaries, []),
    {Rows, [{{Address, Size}, {binary, Id, Text, Address, Size, References}}
            || {Size, Address, References} <- Some], Walked}.

%% {By, Count, Bytes, [{Size, Id, References}], WordsUsed}: the largest first, each once.
binaries(_, 0, _, _) ->
    {1, 0, 0, [], 0};
binaries(_, -1, _, _) ->
    {0, -1, -1, [], 0};
binaries(_, Sum, Words, Budget) when Words > ?LISTED; Words > Budget ->
    {2, -1, Sum, [], 0};
binaries(Pid, _, Words, _) ->
    %% Of its own those of dictionaries that it copied are garbage.
    _ = Pid =:= self() andalso erlang:garbage_collect(),
    case process_info(Pid, binary) of
        undefined -> {1, 0, 0, [], 0};
        {_, List} ->
            Each = lists:reverse(lists:usort([{Size, Id, References} || {Id, Size, References} <- List])),
            {1, length(Each), lists:sum([Size || {Size, _, _} <- Each]), Each, Words}
    end.

%% process_info(Pid, binary) leaves out the binaries of messages that wait and are not on the heap (seen on OTP 23 to 29).
%% Messages are not asked for: a copy of them has also the literals that they refer to, which may be any size
%% (20 messages of 4 kB in all took 71 MB and 42 ms).
with_messages({1, Count, Bytes, Each, Used}, Queue) when Queue > 0 ->
    {3, Count, Bytes, Each, Used};
with_messages(Own, _) ->
    Own.

%% {Count, Bytes} of all that are recorded, each once.
distinct(Binaries) ->
    Each = lists:usort([Binary || {Binary, _} <- Binaries]),
    {length(Each), lists:sum([Size || {_, Size} <- Each])}.

one(Pid, Item) ->
    case process_info(Pid, Item) of
        undefined -> gone;
        {_, Value} -> Value
    end.

%% Its own, and its parent's where nothing else says what it is.
names(Pid, Text, Call, _, [_ | _] = Queue) ->
    [name(Pid, Text, Call, Queue)];
names(Pid, Text, Call, Words, []) ->
    case {notes(Pid, ?NOTED, Words), parent(Pid)} of
        {[], Parent} when is_pid(Parent), Words >= ?COPIED ->
            [name(Pid, Text, Call, note('$ancestors', [Parent]) ++ queue(Pid)) | name_of_parent(Parent)];
        {[], _} when Words >= ?COPIED ->
            [name(Pid, Text, Call, queue(Pid))];
        {Notes, Parent} ->
            [name(Pid, Text, proplists:get_value('$initial_call', Notes, Call), Notes ++ asked_by(Pid, Parent))]
    end.

%% Who takes the snapshot is a recorder's where it was asked for from outside: its parent is rex.
asked_by(Pid, Parent) when Pid =:= self(), is_pid(Parent) ->
    case process_info(Parent, registered_name) of
        {_, Name} -> note('$ancestors', [Name]);
        _ -> []
    end;
asked_by(_, _) ->
    [].

%% The name of a queue of RabbitMQ, by a table that others may read: the queue itself is not asked.
queue(Pid) ->
    case carrierscope_rabbitmq:queue(Pid) of
        none -> [];
        Name -> [{process_name, text(Name)}]
    end.

%% Of those that make no note of it.  Nodes that are read every so often look for each process once.
queues(Picked, #{goes_on := GoesOn}) ->
    Wanted = [{Pid, element(1, Figures)} || {Pid, Figures} <- Picked, is_queue(element(1, Figures))],
    Known = case get(?QUEUE_NAMES) of
                #{} = Names -> maps:with([Pid || {Pid, _} <- Wanted], Names);
                undefined -> #{}
            end,
    All = maps:merge(Known, maps:map(fun(_, Name) -> text(Name) end,
                                     carrierscope_rabbitmq:queues([Entry || {Pid, _} = Entry <- Wanted, not is_map_key(Pid, Known)]))),
    _ = GoesOn andalso put(?QUEUE_NAMES, All),
    All.

is_queue({Module, _, _}) -> lists:member(Module, [ra_server_proc, osiris_writer, proc_lib]);
is_queue(_) -> false.

%% Of OTP 25 and later, where it is a process of this node: another node may have started it.
parent(Pid) ->
    try process_info(Pid, parent) of
        {_, Parent} when is_pid(Parent), node(Parent) =:= node() -> Parent;
        _ -> undefined
    catch
        error:badarg -> undefined
    end.

name_of_parent(Pid) ->
    case figures(Pid) of
        gone -> [];
        {Call, _, _, _, Words, _} -> [name(Pid, pid(Pid), Call, notes(Pid, ?NOTED, Words))]
    end.

%% What takes the snapshot is not shown by where it is just now.
name(Pid, Text, Call, Notes) ->
    {Name, Current} =
        case process_info(Pid, [registered_name, current_function]) of
            [{_, N}, {_, _}] when Pid =:= self() -> {N, {carrierscope, snapshot, 1}};
            [{_, N}, {_, C}] -> {N, C};
            undefined -> {[], none}
        end,
    {named, Text, text(Name), label(Notes), call(Call), call(Current), application(Pid),
     proplists:get_value('$ancestors', Notes, <<0>>)}.

label(Notes) ->
    proplists:get_value('$process_label', Notes, proplists:get_value(process_name, Notes, <<0>>)).

application(Pid) ->
    try application:get_application(Pid) of
        {ok, Name} -> text(Name);
        _ -> text([])
    catch
        _:_ -> text([])
    end.

%% The list may be an improper one.
ancestors([One | More]) ->
    text(iolist_to_binary(lists:join(<<" ">>, [ancestor(One) | ancestors(More, 3)])));
ancestors(_) ->
    text([]).

ancestors([One | More], Left) when Left > 0 -> [ancestor(One) | ancestors(More, Left - 1)];
ancestors(_, _) -> [].

ancestor(Pid) when is_pid(Pid) -> pid_to_list(Pid);
ancestor(Name) when is_atom(Name) -> named(Name);
ancestor(_) -> <<"?">>.

%%% Tables and ports

tables(Id, #{top := Top} = Limits) ->
    Word = erlang:system_info(wordsize),
    Some = [{Words * Word, Table} || Table <- again(tables, fun ets:all/0, Limits),
                                     Words <- [ets:info(Table, memory)], is_integer(Words)],
    {Largest, _} = split(Top, lists:reverse(lists:sort(Some)), []),
    listed(tables, [Table || {_, Table} <- Largest], Limits),
    Called = carrierscope_rabbitmq:tables([Table || {_, Table} <- Largest]),
    {[{table, Id, text(io_lib:format("~0tp", [Table])), text(maps:get(Table, Called, ets:info(Table, name))),
       pid(ets:info(Table, owner)), text(ets:info(Table, type)), Objects, Bytes}
      || {Bytes, Table} <- Largest, Objects <- [ets:info(Table, size)], is_integer(Objects)],
     length(Some), lists:sum([Bytes || {Bytes, _} <- Some])}.

ports(Id, #{top := Top} = Limits) ->
    Some = [{Bytes + Queued, Port, Bytes, Queued}
            || Port <- again(ports, fun erlang:ports/0, Limits), Bytes <- [port(Port, memory)],
               Queued <- [port(Port, queue_size)], is_integer(Bytes), is_integer(Queued)],
    {Largest, _} = split(Top, lists:reverse(lists:sort(Some)), []),
    listed(ports, [Port || {_, Port, _, _} <- Largest], Limits),
    {[{port, Id, text(erlang:port_to_list(Port)), text(port(Port, name)), pid(port(Port, connected)),
       peer(Port), Bytes, Queued} || {_, Port, Bytes, Queued} <- Largest], length(Some)}.

port(Port, Item) ->
    case erlang:port_info(Port, Item) of
        {_, Value} -> Value;
        undefined -> []
    end.

%% The other end of a socket of TCP.
peer(Port) ->
    try "tcp_inet" = port(Port, name), inet:peername(Port) of
        {ok, {Address, Number}} when is_tuple(Address) -> text([inet:ntoa(Address), ":", integer_to_list(Number)]);
        _ -> text([])
    catch
        _:_ -> text([])
    end.

%%% Texts

pid(Pid) when is_pid(Pid) -> text(pid_to_list(Pid));
pid(_) -> text([]).

call({Module, Function, Arity}) when is_atom(Module), is_atom(Function), is_integer(Arity) ->
    text([named(Module), ":", atom_to_binary(Function, utf8), "/", integer_to_list(Arity)]);
call(_) ->
    text([]).

%% Modules of Elixir, and what is named like them, without what is before all of them.
named(Name) ->
    case atom_to_binary(Name, utf8) of
        <<"Elixir.", Module/binary>> when Module =/= <<>> -> Module;
        Other -> Other
    end.

%% UTF-8 without control characters, of at most so many bytes, which C can read where it lies.
text([]) -> <<0>>;
text(none) -> <<0>>;
text(undefined) -> <<0>>;
text(Name) when is_atom(Name) -> clean(named(Name));
%% OTP 29 loads no such match that a compiler of OTP 25 has compiled.
text(Long) when is_binary(Long), byte_size(Long) > ?LONG ->
    Begin = binary:part(Long, 0, ?LONG),
    case unicode:characters_to_binary(Begin) of
        {incomplete, Text, Cut} when byte_size(Cut) < 4 -> clean(Text);
        Text when is_binary(Text) -> clean(Text);
        _ -> printed(Begin)
    end;
text(Long) when is_list(Long) -> some_text(first(Long, ?LONG));
text(Name) when is_binary(Name) -> some_text(Name);
text(Term) -> printed(Term).

%% The list may be an improper one.
first([One | More], Left) when Left > 0 -> [One | first(More, Left - 1)];
first([_ | _], _) -> [];
first(End, _) -> End.

some_text(Name) ->
    try unicode:characters_to_binary(Name) of
        Text when is_binary(Text) -> clean(Text);
        _ -> printed(Name)
    catch
        error:_ -> printed(Name)
    end.

printed(Term) ->
    clean(unicode:characters_to_binary(io_lib:format("~0tP", [Term, 20]))).

%% Without binary comprehensions: OTP 29 does not load those that OTP 25 compiled.
clean(Text) ->
    Short = binary:part(Text, 0, whole(Text, min(?TEXT, byte_size(Text)))),
    list_to_binary([if C < $\s; C =:= 127 -> $\s; true -> C end || C <- binary_to_list(Short)] ++ [0]).

%% So many bytes at most, and no character cut in the middle.
whole(Text, Size) when Size =:= 0; Size =:= byte_size(Text) -> Size;
whole(Text, Size) ->
    case binary:at(Text, Size) band 16#c0 of
        16#80 -> whole(Text, Size - 1);
        _ -> Size
    end.
