%% SPDX-License-Identifier: MIT
%% @private
%% The node's own statistics as rows for the native half (snapshot.h says which), and its options.
%%
%% Shapes of OTP 17 to 29 differ in how blocks are listed; see terms/1.
-module(carrierscope_snapshot).
-export([record/0, record/1, scan/1, options/1, facts/0, rows/2]).

%% Rows that one call emits: some ten microseconds of a scheduler's time.
-define(CHUNK, 50).

%% Reads, records, and yields the number of the reading.  What was read is of a moment between the
%% first event and the second.
record() ->
    record(carrierscope_holders:limits(50, once)).

%% With as many holders as are asked for.
record(Limits) ->
    record(fun(_) -> {ok, []} end, Limits).

%% The same, and what module instrument answers.
scan(Options) ->
    record(fun(Id) -> carrierscope_scan:rows(Id, Options) end, carrierscope_holders:limits(50, once)).

%% Records also what More makes of the number of the reading: {ok, Rows}, or why there are none, which
%% is then the answer.
record(More, Limits) ->
    Id = erlang:unique_integer([positive, monotonic]) band 16#ffffffff,
    {Uptime, _} = erlang:statistics(wall_clock),
    Numbers = carrierscope:allocators(),
    chunks([{allocator, N, text(Name)} || {N, Name} <- Numbers] ++
               [{fact, text(Key), text(Value)} || {Key, Value} <- facts()] ++
               [{snapshot, Id, Uptime}]),
    Rows = rows(Id, Numbers),
    {Others, Answer} =
        case More(Id) of
            {ok, Some} -> {Some, {ok, Id}};
            Error -> {[], Error}
        end,
    chunks(Rows ++ Others ++ carrierscope_memory:facts(Rows)),
    chunks(carrierscope_holders:rows(Id, Limits)),
    chunks(carrierscope_functions:rows(Id, Rows, Numbers, Limits)),
    chunks([{done, Id, length(Rows)}]),
    Answer.

chunks([]) ->
    ok;
chunks(Rows) ->
    {Some, More} = split(?CHUNK, Rows, []),
    ok = carrierscope_nif:emit(Some),
    chunks(More).

%% Like lists:split/2, of a list that may be shorter.
split(N, [Row | Rows], Taken) when N > 0 -> split(N - 1, Rows, [Row | Taken]);
split(_, Rows, Taken) -> {lists:reverse(Taken), Rows}.

%% The reading itself comes first, in as few calls as there are; rows are made of it later.
rows(Id, Numbers) ->
    Names = erlang:system_info(alloc_util_allocators),
    %% Outside of the allocators, hence first: it takes a while where modules were loaded often.
    Debug = [{jit_debug, Bytes} || Bytes <- [carrierscope_nif:jit_debug()], is_integer(Bytes)],
    Own = carrierscope_nif:own_memory(),
    Memory = Debug ++ Own ++ try erlang:memory() catch error:notsup -> [] end,
    Allocators = erlang:system_info({allocator, Names}),
    Segments = erlang:system_info({allocator, mseg_alloc}),
    Mmap = erlang:system_info({allocator, erts_mmap}),
    [{memory, Id, text(Key), Bytes} || {Key, Bytes} <- Memory] ++
        [row(Id, number(Name, Numbers), Instance, Section, Figure)
         || {Name, Instances} <- Allocators, is_list(Instances),
            {instance, Instance, Sections} <- Instances,
            {Section, Terms} <- Sections, Section =/= options,
            Figure <- terms(Name, Section, Terms)] ++
        [row(Id, 0, Instance, mseg_alloc, Figure)
         || is_list(Segments), {instance, Instance, Parts} <- Segments,
            {memkind, Kinds} <- Parts, {Part, Terms} <- Kinds, Part =:= status orelse Part =:= calls,
            Figure <- terms(mseg_alloc, Part, Terms)] ++
        [row(Id, 0, 0, erts_mmap, Figure)
         || is_list(Mmap), Figure <- paths([], Mmap)].

number(Name, Numbers) ->
    {N, Name} = lists:keyfind(Name, 2, Numbers),
    N.

row(Id, Allocator, Instance, Section, {Key, Current, Max, Ever}) ->
    {instance, Id, Allocator, Instance, text(Section), text(Key), Current, Max, Ever}.

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

%% A text that C can read where it lies.
text(Name) when is_atom(Name) -> text(atom_to_list(Name));
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
     {<<"word_bits">>, integer_to_binary(8 * erlang:system_info(wordsize))}] ++
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
