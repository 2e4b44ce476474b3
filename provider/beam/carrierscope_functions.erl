%% SPDX-License-Identifier: MIT
%% @private
%% Which functions made the live blocks of a node that was booted with tags (+M<S>atags code, OTP 27 and later),
%% as rows for the native half (snapshot.h says which): what instrument:allocations/1 answers.
%%
%% It looks at 16,000 blocks of a carrier at most, 0.2 us each (measured on 27 and 29), a slice at a time.  So many blocks are looked at
%% as a snapshot may take, by instances; what was left out is counted.
-module(carrierscope_functions).
-export([rows/4]).

%% Functions and types of blocks that are recorded; the others are summed by type.
-define(MOST, 200).

%% Tagged where nobody asked for it: their tags alone are no reason to look.
-define(BY_DEFAULT, [binary_alloc, driver_alloc, test_alloc]).

%% Blocks of a carrier that instrument looks at.
-define(SCANNED, 16000).

-type limits() :: #{functions := auto | boolean(), blocks := pos_integer(), _ => _}.

%% Rows are those of the snapshot, Numbers those of its allocators.
-spec rows(non_neg_integer(), [tuple()], [{non_neg_integer(), atom()}], limits()) -> [tuple()].
rows(Id, Rows, Numbers, #{functions := Wanted} = Limits) ->
    Tagged = tagged(),
    case Wanted =:= true orelse (Wanted =:= auto andalso Tagged -- ?BY_DEFAULT =/= []) of
        true when Tagged =/= [], Rows =/= [] -> by_instrument(Id, Rows, [{Name, number(Name, Numbers)} || Name <- Tagged], Limits);
        _ -> []
    end.

number(Name, Numbers) ->
    {Number, Name} = lists:keyfind(Name, 2, Numbers),
    Number.

%% Allocators with tags that may name functions; read once, for they stay as they are.
tagged() ->
    case persistent_term:get(?MODULE, undefined) of
        undefined ->
            Tagged = [Name || list_to_integer(erlang:system_info(otp_release)) >= 27,
                              Name <- erlang:system_info(alloc_util_allocators), is_tagged(Name)],
            persistent_term:put(?MODULE, Tagged),
            Tagged;
        Tagged -> Tagged
    end.

is_tagged(Name) ->
    case erlang:system_info({allocator, Name}) of
        [{instance, _, Sections} | _] ->
            lists:member(proplists:get_value(atags, proplists:get_value(options, Sections, [])), [true, code]);
        _ -> false
    end.

by_instrument(Id, Rows, Tagged, #{blocks := Most}) ->
    case code:ensure_loaded(instrument) of
        {module, _} ->
            Weights = weights(Rows, [Number || {_, Number} <- Tagged]),
            {Instances, Left} = fitting(Weights, Most, [], 0),
            Found = lists:append([allocations(Name, Instances) || Instances =/= [], {Name, _} <- Tagged]),
            Unscanned = lists:sum([Bytes || {unscanned, Bytes} <- Found]),
            Origins = lists:reverse(lists:sort([Origin || {_, _, _, _, _, _, _} = Origin <- Found])),
            recorded(Id, Origins) ++
                [{functions, Id, length(Weights), length(Instances), length(Origins), Unscanned + Left}];
        {error, _} ->
            [{fact, <<"functions", 0>>,
              <<"off: there is no module instrument here (Debian: erlang-runtime-tools)", 0>>}]
    end.

%% [{Instance, Blocks, Bytes}] of these allocators: blocks that would be looked at.
weights(Rows, Numbers) ->
    Figures = [{{Instance, Allocator, Section}, Key, Value}
               || {instance, _, Allocator, Instance, Section, Key, Value, _, _} <- Rows,
                  lists:member(Allocator, Numbers), lists:member(Section, [<<"mbcs", 0>>, <<"sbcs", 0>>])],
    Each = lists:foldl(fun({Place, Key, Value}, Sums) -> added(Place, Key, Value, Sums) end, #{}, Figures),
    Instances = maps:fold(fun({Instance, _, _}, {Blocks, Carriers, Bytes}, Sums) ->
                                  {Count, Size} = maps:get(Instance, Sums, {0, 0}),
                                  Sums#{Instance => {Count + min(Blocks, ?SCANNED * Carriers), Size + Bytes}}
                          end, #{}, Each),
    [{Instance, Blocks, Bytes} || {Instance, {Blocks, Bytes}} <- lists:sort(maps:to_list(Instances))].

added(Place, Key, Value, Sums) ->
    {Blocks, Carriers, Bytes} = maps:get(Place, Sums, {0, 0, 0}),
    case Key of
        <<"blocks", 0>> -> Sums#{Place => {Blocks + Value, Carriers, Bytes}};
        <<"carriers", 0>> -> Sums#{Place => {Blocks, Carriers + Value, Bytes}};
        <<"blocks_size", 0>> -> Sums#{Place => {Blocks, Carriers, Bytes + Value}};
        _ -> Sums
    end.

%% {Instances, BytesLeftOut}: those that may be looked at.
fitting([], _, Instances, Left) -> {lists:reverse(Instances), Left};
fitting([{Instance, Blocks, _} | More], Budget, Instances, Left) when Blocks =< Budget ->
    fitting(More, Budget - Blocks, [Instance | Instances], Left);
fitting([{_, _, Bytes} | More], Budget, Instances, Left) ->
    fitting(More, Budget, Instances, Left + Bytes).

%% Sizes begin anew at each power of two: [{Most, Least, Blocks, Allocator, Type, Origin, Kind} | {unscanned, Bytes}].
allocations(Name, Instances) ->
    try instrument:allocations(#{allocator_types => [Name], scheduler_ids => Instances, histogram_start => 1,
                                 histogram_width => 32, flags => [per_process, per_port, per_mfa]}) of
        {ok, {_, Unscanned, Origins}} ->
            [{unscanned, Unscanned}] ++
                [origin(Name, Origin, Type, tuple_to_list(Histogram))
                 || {Origin, Types} <- maps:to_list(Origins), {Type, Histogram} <- maps:to_list(Types)];
        {error, _} -> []
    catch
        error:_ -> []
    end.

origin(Name, Origin, Type, Histogram) ->
    Sizes = [{Blocks, 1 bsl K} || {Blocks, K} <- lists:zip(Histogram, lists:seq(0, length(Histogram) - 1))],
    {lists:sum([Blocks * (Size - 1) || {Blocks, Size} <- Sizes]), lists:sum([Blocks * (Size div 2) || {Blocks, Size} <- Sizes]),
     lists:sum(Histogram), Name, Type, Origin, kind(Origin)}.

%% 0: a driver, a NIF's library, the runtime itself; 1 a function; 2 a process; 3 a port.
kind({_, _, _}) -> 1;
kind(Pid) when is_pid(Pid) -> 2;
kind(Port) when is_port(Port) -> 3;
kind(Name) -> kind_of_name(whereis(Name)).

%% A process that is registered is named by that.
kind_of_name(Pid) when is_pid(Pid) -> 2;
kind_of_name(Port) when is_port(Port) -> 3;
kind_of_name(undefined) -> 0.

recorded(Id, Origins) ->
    {Some, More} = lists:split(min(?MOST, length(Origins)), Origins),
    [row(Id, Origin) || Origin <- Some] ++
        [{function, Id, text(Name), text(Type), <<0>>, 0, <<0>>, Blocks, Least, Most}
         || {{Name, Type}, {Most, Least, Blocks}} <- maps:to_list(lists:foldl(fun summed/2, #{}, More))].

summed({Most, Least, Blocks, Name, Type, _, _}, Sums) ->
    {M, L, B} = maps:get({Name, Type}, Sums, {0, 0, 0}),
    Sums#{{Name, Type} => {M + Most, L + Least, B + Blocks}}.

row(Id, {Most, Least, Blocks, Name, Type, Origin, Kind}) ->
    {function, Id, text(Name), text(Type), shown(Origin, Kind), Kind, application(Origin, Kind), Blocks, Least, Most}.

shown({Module, Function, Arity}, 1) ->
    text(io_lib:format("~ts:~ts/~b", [Module, Function, Arity]));
shown(Name, Kind) when Kind > 1, is_atom(Name) -> shown(whereis(Name), Kind);
shown(Pid, 2) when is_pid(Pid) -> text(pid_to_list(Pid));
shown(Port, 3) when is_port(Port) -> text(erlang:port_to_list(Port));
shown(Name, _) -> text(Name).

application({Module, _, _}, 1) ->
    case application:get_application(Module) of
        {ok, Name} -> text(Name);
        undefined -> <<0>>
    end;
application(_, _) ->
    <<0>>.

%% A text that C can read where it lies.
text(undefined) -> <<0>>;
text(Name) when is_atom(Name) -> <<(atom_to_binary(Name, utf8))/binary, 0>>;
text(Text) -> <<(unicode:characters_to_binary(Text))/binary, 0>>.
