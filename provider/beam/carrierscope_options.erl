%% SPDX-License-Identifier: MIT
%% @private
%% Options of carrierscope:start/1, as the native half wants them; what is wrong with one is thrown as a sentence.
-module(carrierscope_options).
-export([order/3, holders/1, is_holders/1, most_holders/0, force/1, by/1, parse/1]).
-export([refuse/2, sentence/2, shown/1, text/1]).

%% 1 TiB: a weight of such samples still fits its field.
-define(MOST, 1099511627776).

-define(HOLDERS, 50).
-define(MOST_HOLDERS, 1000).

%% Characters of option 'by' that are kept, at most.
-define(MOST_BY, 300).

%% What carrierscope answers as {error, Sentence}.
-spec refuse(string(), [term()]) -> no_return().
refuse(Format, Arguments) ->
    throw({carrierscope, sentence(Format, Arguments)}).

%% What the native half wants.
-spec order(map(), [{non_neg_integer(), atom()}], [tuple()]) -> tuple().
order(Options, Allocators, Types) ->
    case maps:keys(Options) -- [allocators, types, min_size, sample, stacks, probes, holders, events, force, by] of
        [] -> ok;
        [Other | _] ->
            refuse("there is no option '~ts'; options are allocators, types, min_size, sample, stacks, probes, holders, events, force and by",
                    [shown_name(Other)])
    end,
    Mask = mask(maps:get(allocators, Options, all), Allocators),
    Numbers = types(maps:get(types, Options, all), Types),
    MinSize = min_size(maps:get(min_size, Options, 0)),
    {By, Every} = sample(maps:get(sample, Options, none)),
    {Uptime, _} = erlang:statistics(wall_clock),
    {Mask, Numbers, MinSize, By, Every, Uptime,
     list_to_binary(erlang:system_info(otp_release)),
     carrierscope_snapshot:options(Allocators), carrierscope_snapshot:facts(),
     wants_single(maps:get(events, Options, batches)),
     By > 0 andalso is_wanted(stacks, maps:get(stacks, Options, true)), is_wanted(probes, maps:get(probes, Options, false))}.

mask(all, Allocators) ->
    lists:foldl(fun({N, _}, Mask) -> Mask bor (1 bsl N) end, 0, Allocators);
mask(Names, Allocators) when is_list(Names), length(Names) > 0 ->
    lists:foldl(fun(Name, Mask) -> Mask bor (1 bsl allocator(Name, Allocators)) end, 0, Names);
mask(Other, _) ->
    refuse("option 'allocators' is all or a list of names, not ~ts", [shown(Other)]).

allocator(Name, Allocators) ->
    Text = text(Name),
    case [N || {N, Known} <- Allocators, text(Known) =:= Text] of
        [N] -> N;
        [] ->
            refuse("option 'allocators': there is no allocator '~ts'; there are ~ts",
                    [shown_name(Name),
                     lists:join(", ", [atom_to_list(Known) || {_, Known} <- Allocators])])
    end.

types(all, _) ->
    [];
types(Names, Types) when is_list(Names), length(Names) > 0 ->
    lists:usort([type(Name, Types) || Name <- Names]);
types(Other, _) ->
    refuse("option 'types' is all or a list of names, not ~ts", [shown(Other)]).

type(Name, Types) ->
    case lists:keyfind(text(Name), 2, Types) of
        {N, _, _} -> N;
        false ->
            refuse("option 'types': there is no block type '~ts'; there are ~b, heap, binary and db_term "
                    "among them: table name_type of a recording lists them",
                    [shown_name(Name), length(Types)])
    end.

min_size(Size) when is_integer(Size), Size >= 0, Size =< ?MOST -> Size;
min_size(Other) ->
    refuse("option 'min_size' is a number of bytes from 0 to ~b, not ~ts", [?MOST, shown(Other)]).

%% Holders of memory that a snapshot records of each kind: of a map of options.
-spec holders(map()) -> non_neg_integer().
holders(Options) ->
    Top = maps:get(holders, Options, ?HOLDERS),
    is_holders(Top) orelse refuse("option 'holders' is a number from 0 to ~b, not ~ts", [?MOST_HOLDERS, shown(Top)]),
    Top.

-spec is_holders(term()) -> boolean().
is_holders(Top) -> is_integer(Top) andalso Top >= 0 andalso Top =< ?MOST_HOLDERS.

-spec most_holders() -> pos_integer().
most_holders() -> ?MOST_HOLDERS.

-spec force(term()) -> boolean().
force(Force) when is_boolean(Force) -> Force;
force(Other) ->
    refuse("option 'force' is true or false, not ~ts", [shown(Other)]).

%% One line that an operator reads.
-spec by(term()) -> string().
by(By) ->
    case text(By) of
        Text when is_binary(Text), Text =/= <<>> -> lists:sublist(sentence("~ts", [Text]), ?MOST_BY);
        _ -> refuse("option 'by' is a name, not ~ts", [shown(By)])
    end.

is_wanted(_, Wanted) when is_boolean(Wanted) -> Wanted;
is_wanted(Option, Other) -> refuse("option '~s' is true or false, not ~ts", [Option, shown(Other)]).

wants_single(batches) -> false;
wants_single(single) -> true;
wants_single(Other) ->
    refuse("option 'events' is batches or single, not ~ts", [shown(Other)]).

sample(none) -> {0, 0};
sample({bytes, N}) when is_integer(N), N >= 2, N =< ?MOST -> {1, N};
sample({count, 1}) -> {0, 0};
sample({count, N}) when is_integer(N), N >= 2, N =< ?MOST -> {2, N};
sample(Other) ->
    refuse("option 'sample' is none, {bytes, N} or {count, N} with N from 2 to ~b, not ~ts",
            [?MOST, shown(Other)]).

%% A name as a binary; false: it is none.
text(Name) when is_atom(Name) -> atom_to_binary(Name, utf8);
text(Name) when is_binary(Name) -> Name;
text(Name) when is_list(Name) ->
    try unicode:characters_to_binary(Name) of
        Text when is_binary(Text) -> Text;
        _ -> false
    catch
        error:badarg -> false
    end;
text(_) -> false.

%% ["sample=bytes:65536", {min_size, 100}, ...]
-spec parse(term()) -> map().
parse(Strings) when is_list(Strings), length(Strings) >= 0 ->
    lists:foldl(fun({Option, Value}, Options) -> Options#{Option => Value};
                   (String, Options) -> parse(String, text(String), Options)
                end, #{}, Strings);
parse(Other) ->
    refuse("options are a map or a list of strings \"option=value\", not ~ts", [shown(Other)]).

parse(String, false, _) ->
    refuse("an option in a list is a string \"option=value\", not ~ts", [shown(String)]);
parse(String, Text, Options) ->
    case binary:split(Text, <<"=">>) of
        [<<"allocators">>, Names] -> Options#{allocators => names(Names)};
        [<<"types">>, Names] -> Options#{types => names(Names)};
        [<<"min_size">>, Value] -> Options#{min_size => number(String, Value)};
        [<<"holders">>, Value] -> Options#{holders => number(String, Value)};
        [<<"force">>, <<"true">>] -> Options#{force => true};
        [<<"force">>, <<"false">>] -> Options#{force => false};
        [<<"probes">>, <<"true">>] -> Options#{probes => true};
        [<<"probes">>, <<"false">>] -> Options#{probes => false};
        [<<"stacks">>, <<"true">>] -> Options#{stacks => true};
        [<<"stacks">>, <<"false">>] -> Options#{stacks => false};
        [<<"events">>, <<"batches">>] -> Options#{events => batches};
        [<<"events">>, <<"single">>] -> Options#{events => single};
        [<<"sample">>, <<"none">>] -> Options#{sample => none};
        [<<"sample">>, <<"bytes:", Value/binary>>] -> Options#{sample => {bytes, number(String, Value)}};
        [<<"sample">>, <<"count:", Value/binary>>] -> Options#{sample => {count, number(String, Value)}};
        _ ->
            refuse("'~ts' is no option; options are allocators=A,B types=A,B min_size=BYTES "
                    "sample=bytes:N sample=count:N holders=N events=single force=true", [shown_name(String)])
    end.

names(<<"all">>) -> all;
names(Names) -> binary:split(Names, <<",">>, [global, trim_all]).

number(String, Value) ->
    %% Longer ones are beyond every limit, and a million digits take seconds.
    try byte_size(Value) =< 30 andalso binary_to_integer(Value) of
        false -> refuse("the number in '~ts' is too large", [shown_name(String)]);
        Number -> Number
    catch
        error:badarg -> refuse("there is no whole number in '~ts'", [shown_name(String)])
    end.

%% One line of printable ASCII, which no terminal and no program prints as numbers.
-spec sentence(string(), [term()]) -> string().
sentence(Format, Arguments) ->
    lists:append([if C >= $\s, C =< $~ -> [C]; true -> io_lib:format("\\x{~.16B}", [C]) end
                  || C <- lists:flatten(io_lib:format(Format, Arguments))]).

%% A term of any size, in few words.
-spec shown(term()) -> string().
shown(Term) ->
    Text = lists:flatten(io_lib:format("~0P", [Term, 12])),
    case length(Text) > 80 of
        true -> lists:sublist(Text, 77) ++ "...";
        false -> Text
    end.

%% The same, of what should be a name.
shown_name(Term) ->
    case text(Term) of
        Text when is_binary(Text), byte_size(Text) =< 80 ->
            case unicode:characters_to_list(Text) of
                Name when is_list(Name) -> Name;
                _ -> shown(Term)
            end;
        _ -> shown(Term)
    end.
