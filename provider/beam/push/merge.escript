#!/usr/bin/env escript
%% SPDX-License-Identifier: MIT
%% -*- erlang -*-
%% Several modules as one, compressed and in base64: merge.escript OUTPUT NAME OPTION... -- FILE...
%%
%% Module NAME exports what the first of the files, its entry, exports first; functions that these do not reach are left out.  A call of a
%% module that none of the files has, and that the entry stands in for, is a call of the entry's: of carrierscope_native and the like.
%% Options are the compiler's, as terms.
-module(merge).
-export([main/1]).

-define(STANDS_IN, [carrierscope, carrierscope_native, carrierscope_scan]).

main([Output, Name | Rest]) ->
    {Options, ["--" | Files]} = lists:splitwith(fun(Word) -> Word =/= "--" end, Rest),
    Modules = [read(File) || File <- Files],
    [{Entry, OfEntry} | _] = Modules,
    Defined = maps:from_list([{{Module, F, A}, true} || {Module, Forms} <- Modules, {function, _, F, A, _} <- Forms]),
    Functions = [{{Module, F, A}, clauses(Clauses, Module, Entry, Defined)}
                 || {Module, Forms} <- Modules, {function, _, F, A, Clauses} <- Forms],
    [Public | _] = [List || {attribute, _, export, List} <- OfEntry],
    Exported = [{Entry, F, A} || {F, A} <- Public],
    Reached = reach(Exported, maps:from_list(Functions), #{}),
    Records = [Form || {_, Forms} <- Modules, {attribute, _, record, _} = Form <- Forms],
    Used = [Function || {Id, _} = Function <- Functions, is_map_key(Id, Reached)],
    %% Short names: most of what is pushed would be names.
    Names = maps:from_list([{Id, case lists:member(Id, Exported) of true -> element(2, Id); false -> short(N) end}
                            || {N, {Id, _}} <- lists:zip(lists:seq(1, length(Used)), Used)]),
    New = [{attribute, 1, module, list_to_atom(Name)},
           {attribute, 1, export, [{F, A} || {_, F, A} <- Exported]}] ++ Records ++
        [{function, 1, map_get(Id, Names), element(3, Id), named(Clauses, Names)} || {Id, Clauses} <- Used] ++ [{eof, 1}],
    {ok, _, Beam} = compile:forms(New, [binary, report_errors, deterministic, no_docs, no_line_info | terms(Options)]),
    {ok, _, Chunks} = beam_lib:all_chunks(Beam),
    %% Types are hints for a loader.
    {ok, Stripped} = beam_lib:build_module([stored(Chunk) || {Id, _} = Chunk <- Chunks,
                                                             lists:member(Id, ["AtU8", "Code", "StrT", "ImpT", "ExpT", "FunT", "LitT", "Line"])]),
    ok = file:write_file(Output, base64:encode(iolist_to_binary(zipped(Stripped)))).

%% As zlib:gzip/1, with what makes the most of so few bytes.
zipped(Bytes) ->
    Zip = zlib:open(),
    ok = zlib:deflateInit(Zip, best_compression, deflated, 16 + 15, 6, default),
    zlib:deflate(Zip, Bytes, finish).

%% Literals without a compression of their own: they are compressed with all the rest.
stored({"LitT", <<Size:32, Literals/binary>>}) ->
    Zip = zlib:open(),
    ok = zlib:deflateInit(Zip, none),
    Stored = zlib:deflate(Zip, zlib:uncompress(Literals), finish),
    {"LitT", iolist_to_binary([<<Size:32>> | Stored])};
stored(Chunk) -> Chunk.

terms(Options) ->
    [begin {ok, Tokens, _} = erl_scan:string(Text ++ "."), {ok, Term} = erl_parse:parse_term(Tokens), Term end || Text <- Options].

read(File) ->
    {ok, Forms} = epp:parse_file(File, []),
    [] = [Error || {error, _} = Error <- Forms],
    [Module] = [Name || {attribute, _, module, Name} <- Forms],
    {Module, Forms}.

short(N) -> list_to_atom([$f | string:to_lower(integer_to_list(N, 36))]).

named({call, L, {merged, {M, F, A}}, Arguments}, Names) -> {call, L, {atom, L, map_get({M, F, A}, Names)}, named(Arguments, Names)};
named({'fun', L, {merged, {M, F, A}}}, Names) -> {'fun', L, {function, map_get({M, F, A}, Names), A}};
named(Tuple, Names) when is_tuple(Tuple) -> list_to_tuple(named(tuple_to_list(Tuple), Names));
named([One | More], Names) -> [named(One, Names) | named(More, Names)];
named(Other, _) -> Other.

clauses(Term, Module, Entry, Defined) ->
    walk(Term, fun(Call, Arity) -> resolve(Call, Arity, Module, Entry, Defined) end).

%% The function that a call is of, or none: it is of another module.
resolve({M, F}, Arity, _, Entry, Defined) ->
    case is_map_key({M, F, Arity}, Defined) of
        true -> {M, F, Arity};
        false ->
            lists:member(M, ?STANDS_IN) andalso {Entry, F, Arity}
    end;
resolve(F, Arity, Module, _, Defined) ->
    is_map_key({Module, F, Arity}, Defined) andalso {Module, F, Arity}.

walk({call, L, {remote, _, {atom, _, M}, {atom, _, F}} = Remote, Arguments}, Of) ->
    case Of({M, F}, length(Arguments)) of
        false -> {call, L, Remote, walk(Arguments, Of)};
        Id -> {call, L, {merged, Id}, walk(Arguments, Of)}
    end;
walk({call, L, {atom, _, F} = Local, Arguments}, Of) ->
    case Of(F, length(Arguments)) of
        false -> {call, L, Local, walk(Arguments, Of)};
        Id -> {call, L, {merged, Id}, walk(Arguments, Of)}
    end;
walk({'fun', L, {function, F, A}} = Fun, Of) ->
    case Of(F, A) of
        false -> Fun;
        Id -> {'fun', L, {merged, Id}}
    end;
walk({'fun', L, {function, {atom, _, M}, {atom, _, F}, {integer, _, A}}} = Fun, Of) ->
    case Of({M, F}, A) of
        false -> Fun;
        Id -> {'fun', L, {merged, Id}}
    end;
walk(Tuple, Of) when is_tuple(Tuple) -> list_to_tuple([walk(Element, Of) || Element <- tuple_to_list(Tuple)]);
walk([One | More], Of) -> [walk(One, Of) | walk(More, Of)];
walk(Other, _) -> Other.

reach([], _, Reached) -> Reached;
reach([Id | More], Functions, Reached) when is_map_key(Id, Reached) -> reach(More, Functions, Reached);
reach([Id | More], Functions, Reached) ->
    #{Id := Clauses} = Functions,
    reach(called(Clauses) ++ More, Functions, Reached#{Id => true}).

called({merged, Id}) -> [Id];
called(Tuple) when is_tuple(Tuple) -> called(tuple_to_list(Tuple));
called([One | More]) -> called(One) ++ called(More);
called(_) -> [].
