%% SPDX-License-Identifier: MIT
%% @private
%% The node's own statistics as rows for the native half (snapshot.h says which), and its options.
%%
%% Shapes of OTP 17 to 29 differ in how blocks are listed; see terms/1.
-module(carrierscope_snapshot).
-behaviour(gen_server).
-export([init/1, handle_call/3, handle_cast/2, handle_info/2]).
-export([record/0, record/1, record_as/4, fit/2, sums/2, scan/1, options/1, facts/0, rows/2]).

%% Rows that one call emits: some ten microseconds of a scheduler's time.
-define(CHUNK, 50).

%% So often allocators are read whose carriers move meanwhile.
-define(TRIES, 4).

%%% Process carrierscope_snapshots: one each so many milliseconds, until it is told to stop.  It waits in gen_server: processes
%%% that wait in a module do not survive its second load.

%% @private
init({_, _, _} = Each) ->
    {ok, {Each, erlang:monotonic_time(millisecond)}, 0}.

%% @private
handle_call(_, _, State) ->
    {reply, ok, State, left(State)}.

%% @private
handle_cast(_, State) ->
    {noreply, State, left(State)}.

%% @private
handle_info(stop, State) ->
    {stop, normal, State};
handle_info(_, {{Ms, _, _} = Each, Due} = State) ->
    case left(State) =:= 0 andalso carrierscope:repeat(Each) of
        false ->
            {noreply, State, left(State)};
        {ok, _} ->
            %% What was missed is not made up for.
            Next = {Each, max(Due + Ms, erlang:monotonic_time(millisecond))},
            {noreply, Next, left(Next)};
        {error, _} ->
            {stop, normal, State}
    end.

left({_, Due}) ->
    max(0, Due - erlang:monotonic_time(millisecond)).

%%% One

%% Reads, records, and yields the number of the reading.  What was read is of a moment between the
%% first event and the second.
record() ->
    record(carrierscope_holders:limits(50, once)).

%% With as many holders as are asked for.
record(Limits) ->
    record(fun(_) -> {ok, []} end, Limits).

%% By a number of the caller's, which is new and below 2^32; at most Most rows of figures, see fit/2; yields how many rows were
%% recorded, and what Look makes of those of the allocators, before any was left out.
record_as(Id, Limits, Most, Look) ->
    {Count, {ok, Id}, Looked} = record(Id, fun(_) -> {ok, []} end, Limits, Most, Look),
    {ok, Count, Looked}.

%% {Name, CarrierBytes, BlockBytes, PoolBytes} of each allocator that has carriers, of rows/2: table alloc_point of a fleet.
sums(Rows, Numbers) ->
    Sums = lists:foldl(fun sum/2, #{}, [{Allocator, part(Section, Key), Bytes}
                                        || {instance, _, Allocator, _, Section, Key, Bytes, _, _} <- Rows]),
    [{Name, maps:get({N, carriers}, Sums), maps:get({N, blocks}, Sums, 0), maps:get({N, pool}, Sums, 0)}
     || {N, Name} <- Numbers, is_map_key({N, carriers}, Sums)].

sum({_, none, _}, Sums) -> Sums;
sum({Allocator, pool, Bytes}, Sums) -> add({Allocator, carriers}, Bytes, add({Allocator, pool}, Bytes, Sums));
sum({Allocator, Part, Bytes}, Sums) -> add({Allocator, Part}, Bytes, Sums).

add(Key, Bytes, Sums) ->
    Sums#{Key => maps:get(Key, Sums, 0) + Bytes}.

%% Blocks of other allocators have their names behind the key.
part(<<"mbcs_pool\0">>, <<"carriers_size\0">>) -> pool;
part(Section, <<"carriers_size\0">>) when Section =:= <<"mbcs\0">>; Section =:= <<"sbcs\0">> -> carriers;
part(Section, <<"blocks_size\0">>)
  when Section =:= <<"mbcs\0">>; Section =:= <<"sbcs\0">>; Section =:= <<"mbcs_pool\0">> -> blocks;
part(_, _) -> none.

%% The same, and what module instrument answers.
scan(Options) ->
    record(fun(Id) -> carrierscope_scan:rows(Id, Options) end, carrierscope_holders:limits(50, once)).

%% Records also what More makes of the number of the reading: {ok, Rows}, or why there are none, which
%% is then the answer.
record(More, Limits) ->
    %% Others are of a keeper: carrierscope_keeper has why.
    Id = (4 * erlang:unique_integer([positive, monotonic])) band 16#ffffffff,
    {_, Answer, _} = record(Id, More, Limits, all, fun(_) -> none end),
    Answer.

record(Id, More, Limits, Most, Look) ->
    {Uptime, _} = erlang:statistics(wall_clock),
    Numbers = carrierscope_native:allocators(),
    chunks([{allocator, N, text(Name)} || {N, Name} <- Numbers] ++
               [{fact, text(Key), text(Value)} || {Key, Value} <- facts()] ++
               [{snapshot, Id, Uptime}]),
    {Moving, Read} = lists:partition(fun(Row) -> element(1, Row) =:= fact end, rows(Id, Numbers)),
    {Rows, How} = fit(Read, Most),
    {Others, Answer} =
        case More(Id) of
            {ok, Some} -> {Some, {ok, Id}};
            Error -> {[], Error}
        end,
    Facts = Moving ++ How ++ carrierscope_native:facts(Read),
    chunks(Rows ++ Others ++ Facts),
    %% Not before: what is made in between would be in no figure.
    IsLast = maps:get(ends, Limits, false),
    OfProcess = carrierscope_memory:of_process(Id, IsLast),
    chunks(OfProcess ++ guarded(Id, "mappings", fun() -> carrierscope_memory:mappings(Id, IsLast) end)),
    Holders = guarded(Id, "holders", fun() -> carrierscope_holders:rows(Id, Limits) end),
    chunks(Holders),
    Functions = guarded(Id, "functions", fun() -> carrierscope_native:rows(Id, Read, Numbers, Limits) end),
    chunks(Functions),
    chunks([{done, Id, length(Rows) + length(OfProcess)}]),
    {lists:sum([length(Part) || Part <- [Rows, Others, Facts, Holders, Functions]]), Answer, Look(Read)}.

%% What fails here costs no figures: the rows, or a fact that says why there are none.
guarded(Id, What, Rows) ->
    try Rows()
    catch
        Class:Reason:Stack ->
            Why = lists:sublist(lists:flatten(io_lib:format("~b ~s are not listed: ~0P", [Id, What, {Class, Reason, Stack}, 30])), 400),
            logger:warning("carrierscope: snapshot ~ts", [Why]),
            [{fact, <<"snapshot_failed\0">>, text(Why)}]
    end.

%% {Rows, Facts}: of rows/2 at most Most, if that can be reached.  First figures that are 0 are left out, but for those that every
%% verdict needs; then the instances of all schedulers are added up into one, number 1.  Sums over instances stay as they are,
%% and each instance stays known by one figure unless they are one.  Facts say what was done; all: nothing.
-spec fit([tuple()], non_neg_integer() | all) -> {[tuple()], [tuple()]}.
fit(Rows, all) ->
    {Rows, []};
fit(Rows, Most) when length(Rows) =< Most ->
    {Rows, []};
fit(Rows, Most) ->
    case [Row || Row <- Rows, is_needed(Row)] of
        Needed when length(Needed) =< Most -> {Needed, [left_out("figures that are 0 are left out")]};
        Needed -> {summed(Needed), [left_out("figures that are 0 are left out; instance 1 is the sum of those of all schedulers")]}
    end.

left_out(Text) ->
    {fact, <<"snapshot_figures\0">>, text(Text)}.

is_needed({instance, _, _, Instance, Section, Key, 0, 0, 0}) when Instance > 1 ->
    Section =:= <<"mbcs\0">> andalso Key =:= <<"carriers_size\0">>;
is_needed({instance, _, _, _, _, Key, 0, 0, 0}) ->
    lists:member(Key, [<<"carriers\0">>, <<"carriers_size\0">>, <<"blocks\0">>, <<"blocks_size\0">>]);
is_needed(_) ->
    true.

%% Maxima of instances were reached at different times: their sum is the most that all can have had.
summed(Rows) ->
    {Schedulers, Others} = lists:partition(fun is_of_scheduler/1, Rows),
    Sums = lists:foldl(fun add_figures/2, #{}, Schedulers),
    Others ++ [{instance, Id, Allocator, 1, Section, Key, Current, Max, Ever}
               || {{Id, Allocator, Section, Key}, {Current, Max, Ever}} <- maps:to_list(Sums)].

is_of_scheduler({instance, _, _, Instance, _, _, _, _, _}) -> Instance > 0;
is_of_scheduler(_) -> false.

add_figures({instance, Id, Allocator, _, Section, Key, Current, Max, Ever}, Sums) ->
    maps:update_with({Id, Allocator, Section, Key}, fun({C, M, E}) -> {C + Current, M + Max, E + Ever} end,
                     {Current, Max, Ever}, Sums).

chunks([]) ->
    ok;
chunks(Rows) ->
    {Some, More} = split(?CHUNK, Rows, []),
    ok = carrierscope_native:emit(Some),
    chunks(More).

%% Like lists:split/2, of a list that may be shorter.
split(N, [Row | Rows], Taken) when N > 0 -> split(N - 1, Rows, [Row | Taken]);
split(_, Rows, Taken) -> {lists:reverse(Taken), Rows}.

%% The reading itself comes first, in as few calls as there are; rows are made of it later.  Facts say which allocators moved.
rows(Id, Numbers) ->
    Names = erlang:system_info(alloc_util_allocators),
    %% Outside of the allocators, hence first: it takes a while where modules were loaded often.
    Debug = [{jit_debug, Bytes} || Bytes <- [carrierscope_native:jit_debug()], is_integer(Bytes)],
    Own = carrierscope_native:own_memory(),
    Memory = Debug ++ Own ++ try erlang:memory() catch error:notsup -> [] end,
    Before = erlang:system_info({allocator, Names}),
    {Allocators, Moving} = read(Before, erlang:system_info({allocator, Names}), [], ?TRIES),
    Segments = erlang:system_info({allocator, mseg_alloc}),
    Mmap = erlang:system_info({allocator, erts_mmap}),
    [{memory, Id, text(Key), Bytes} || {Key, Bytes} <- Memory] ++
        [{instance, Id, 0, 0, <<"node\0">>, text(Key), Count, Count, Count} || {Key, Count} <- counts()] ++
        [moving(Id, Name, Count) || {Name, Count} <- Moving] ++
        [row(Id, Number, Instance, Text, Figure)
         || {Name, Instances} <- Allocators, is_list(Instances), Number <- [number(Name, Numbers)],
            {instance, Instance, Sections} <- Instances,
            {Section, Terms} <- Sections, Section =/= options, Text <- [text(Section)],
            Figure <- terms(Name, Section, Terms)] ++
        [row(Id, 0, Instance, <<"mseg_alloc\0">>, Figure)
         || is_list(Segments), {instance, Instance, Parts} <- Segments,
            {memkind, Kinds} <- Parts, {Part, Terms} <- Kinds, Part =:= status orelse Part =:= calls,
            Figure <- terms(mseg_alloc, Part, Terms)] ++
        [row(Id, 0, 0, <<"erts_mmap\0">>, Figure)
         || is_list(Mmap), Figure <- paths([], Mmap)].

%% Entries of the node's tables, whose limits are facts.
counts() ->
    [{Key, erlang:system_info(Key)} || Key <- [atom_count, process_count, port_count, ets_count]] ++
        %% 0.01 us each.
        [{module_count, length(erlang:loaded())}].

moving(Id, Name, Count) ->
    {fact, <<"snapshot_moving\0">>, text([integer_to_list(Id), " ", integer_to_list(Count), " ", atom_to_list(Name)])}.

%% {[{Allocator, Instances}], [{Allocator, Carriers}]}: each instance answers in a turn of its own scheduler.  A carrier that
%% one of them fetches from the pool meanwhile may be in none of the answers, or in two (57 of 67 heaps were missing once,
%% and 54 of 75 were there twice).  So all is read three times: where no instance has fetched from its first answer to its
%% third, nobody did so during the second reading, which is sound.  A fetch between an owner's second answer and that of who
%% fetched is in both of the latter's answers from then on: two readings alone do not show it.  Of those that moved in each
%% of the tries the last but one reading is taken, and so many carriers moved.
read(Before, Read, Sound, Tries) ->
    Again = erlang:system_info({allocator, [Name || {Name, _} <- Read]}),
    Moves = [{Name, fetches(proplists:get_value(Name, Again)) - fetches(proplists:get_value(Name, Before))} || {Name, _} <- Read],
    case [Move || {_, Count} = Move <- Moves, Count =/= 0] of
        [] -> {Read ++ Sound, []};
        Moved when Tries =< 1 -> {Read ++ Sound, [{Name, abs(Count)} || {Name, Count} <- Moved]};
        Moved ->
            {Still, Others} = lists:partition(fun({Name, _}) -> not lists:keymember(Name, 1, Moved) end, Read),
            read(Others, [{Name, proplists:get_value(Name, Again)} || {Name, _} <- Moved], Still ++ Sound, Tries - 1)
    end.

%% Of all instances; they have none before the release that has the pool.
fetches(Instances) when is_list(Instances) ->
    lists:sum([Giga * 1000000000 + Rest
               || {instance, _, Sections} <- Instances,
                  {fetch, Giga, Rest} <- proplists:get_value(mbcs_pool, Sections, [])]);
fetches(_) ->
    0.

number(Name, Numbers) ->
    {N, Name} = lists:keyfind(Name, 2, Numbers),
    N.

row(Id, Allocator, Instance, Section, {Key, Current, Max, Ever}) ->
    {instance, Id, Allocator, Instance, Section, text(Key), Current, Max, Ever}.

%% {Key, Current, MaxSinceLast, MaxEver} of each term of a section.
%%   {Key, Value}, {Key, Value, Max, MaxEver}
%%   {Key, Giga, Rest}              a counter, in sections that count
%%   {Type, Allocated, Used}        bytes, in fix_types
%%   {blocks, [{Allocator, [{count, ...}, {size, ...}]}]}      OTP 23 and later
terms(Name, Section, Terms) ->
    lists:append([term(Name, Section, Term) || Term <- Terms]).

term(_, _, {blocks, []}) ->
    [{blocks, 0, 0, 0}, {blocks_size, 0, 0, 0}];
term(Name, Section, {blocks, Types}) when is_list(Types) ->
    lists:append([blocks(Name, Section, Type) || Type <- Types]);
term(_, fix_types, {Type, Allocated, Used}) ->
    [{[atom_to_list(Type), "/allocated"], Allocated, Allocated, Allocated},
     {[atom_to_list(Type), "/used"], Used, Used, Used}];
term(_, _, {Key, Giga, Rest}) when is_integer(Giga), is_integer(Rest) ->
    Value = Giga * 1000000000 + Rest,
    [{Key, Value, Value, Value}];
term(_, _, {Key, Value}) when is_integer(Value) ->
    [{Key, Value, Value, Value}];
term(_, _, {Key, Value, Max, Ever}) when is_integer(Value) ->
    [{Key, Value, Max, Ever}];
term(_, _, _) ->
    [].

%% Blocks of another allocator, in a carrier that came from a common pool, keep its name.
blocks(Name, Section, {Of, Figures}) ->
    Suffix = if Of =:= Name -> ""; true -> ["/", atom_to_list(Of)] end,
    lists:append([[{[case Kind of count -> "blocks"; size -> "blocks_size" end, Suffix], C, M, E}
                   || {_, C, M, E} <- term(Name, Section, Figure)]
                  || Figure <- Figures, Kind <- [element(1, Figure)],
                     Kind =:= count orelse Kind =:= size]).

%% Numbers in nested lists, by their path.
paths(Path, [_ | _] = Terms) ->
    lists:append([case Term of
                      {Key, Value} when is_list(Value) -> paths([Key | Path], Value);
                      {Key, Value} when is_integer(Value) ->
                          Name = lists:join("/", [atom_to_list(K) || K <- lists:reverse([Key | Path])]),
                          [{Name, Value, Value, Value}];
                      _ -> []
                  end || Term <- Terms]);
paths(_, _) ->
    [].

%% A text that C can read where it lies.  On the heap: one that is appended to would be a block of its own.
text(Name) when is_atom(Name) -> text(atom_to_binary(Name, utf8));
text(Name) -> iolist_to_binary([Name, 0]).

%% [{Key, Value}]: what the node is, in the words of table node_fact.  Module string is not called: it
%% would load unicode_util, which holds 650 KiB.
facts() ->
    [{<<"node_name">>, atom_to_binary(node(), utf8)},
     {<<"otp_release">>, list_to_binary(erlang:system_info(otp_release))},
     {<<"erts_version">>, list_to_binary(erlang:system_info(version))},
     %% It ends in a new line.
     {<<"system_version">>,
      list_to_binary([C || C <- erlang:system_info(system_version), C =/= $\n])},
     {<<"word_bits">>, integer_to_binary(8 * erlang:system_info(wordsize))},
     %% Each entry of these tables takes memory of ll_alloc from boot on.
     {<<"process_limit">>, integer_to_binary(erlang:system_info(process_limit))},
     {<<"port_limit">>, integer_to_binary(erlang:system_info(port_limit))},
     {<<"atom_limit">>, integer_to_binary(erlang:system_info(atom_limit))},
     {<<"ets_limit">>, integer_to_binary(erlang:system_info(ets_limit))}] ++
        carrierscope_memory:limit_facts() ++
        %% Of OTP 24 and later.
        try [{<<"emu_flavor">>, atom_to_binary(erlang:system_info(emu_flavor), utf8)}]
        catch error:badarg -> []
        end.

%% [{Allocator, Name, Value}] as the +M flags name them; those of instance 1, if there is one: the
%% global instance shows thresholds of the pool as 0.
options(Numbers) ->
    {_, _, _, Settings} = erlang:system_info(allocator),
    [{0, to_text(Key), to_text(Value)}
     || Part <- [alloc_util, mseg_alloc, erts_mmap],
        {Key, Value} <- proplists:get_value(Part, Settings, [])] ++
        lists:append([options(number(Name, Numbers), erlang:system_info({allocator, Name}))
                      || Name <- erlang:system_info(alloc_util_allocators)]).

options(Number, false) ->
    [{Number, <<"e">>, <<"false">>}];
options(Number, Instances) ->
    {instance, _, Sections} = case lists:keyfind(1, 2, Instances) of
                                  false -> hd(Instances);
                                  First -> First
                              end,
    [{Number, to_text(Key), to_text(Value)}
     || {Key, Value} <- proplists:get_value(options, Sections, [])].

to_text(Value) when is_integer(Value) -> integer_to_binary(Value);
to_text(Value) when is_atom(Value) -> atom_to_binary(Value);
to_text(Value) -> iolist_to_binary(io_lib:format("~0p", [Value])).
