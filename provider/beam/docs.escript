#!/usr/bin/env escript
%% SPDX-License-Identifier: MIT
%% -*- erlang -*-
%% docs.escript SOURCE BEAM...: gives a module what h/1 of the shell and of iex shows (EEP 48), from the comments before its functions.
%% Of several BEAMs those that are there.  A line that is indented stands as it is.
-module(docs).
-export([main/1]).

main([Source | Beams]) ->
    {ok, Text} = file:read_file(Source),
    Lines = binary:split(Text, <<"\n">>, [global]),
    [document(Lines, Beam) || Beam <- Beams, filelib:is_regular(Beam)].

document(Lines, Beam) ->
    {ok, Module, Chunks} = beam_lib:all_chunks(Beam),
    {ok, {Module, [{exports, Exported}]}} = beam_lib:chunks(Beam, [exports]),
    {Head, Docs} = blocks(Lines, []),
    Known = maps:from_list(Docs),
    Functions = [entry(Id, maps:get(Id, Known, none)) || {Name, _} = Id <- lists:sort(Exported), Name =/= module_info],
    Term = {docs_v1, [], erlang, <<"application/erlang+html">>, #{<<"en">> => Head}, #{}, Functions},
    Chunk = {"Docs", term_to_binary(Term, [compressed])},
    case lists:member(Chunk, Chunks) of
        true -> ok;
        false ->
            {ok, Binary} = beam_lib:build_module(lists:keystore("Docs", 1, Chunks, Chunk)),
            ok = file:write_file(Beam, Binary)
    end.

entry({Name, Arity}, {Signature, Doc}) -> {{function, Name, Arity}, [], [Signature], Doc, #{}};
entry({Name, Arity}, none) -> {{function, Name, Arity}, [], [], hidden, #{}}.

%% {Doc of the module, [{{Function, Arity}, {Signature, #{Language => Doc}}}]}
blocks([], Docs) ->
    {proplists:get_value(module, Docs, []), proplists:delete(module, Docs)};
blocks([<<"%% @doc ", First/binary>> | Lines], Docs) ->
    {Comments, Rest} = lists:splitwith(fun(Line) -> binary:match(Line, <<"%%">>) =:= {0, 2} end, Lines),
    Doc = html([First | [without(Line) || Line <- Comments]], [], []),
    case Rest of
        [<<"-module", _/binary>> | _] -> blocks(Rest, [{module, Doc} | Docs]);
        [<<"-spec ", _/binary>> | _] ->
            {Spec, After} = spec(Rest, <<>>),
            {ok, Tokens, _} = erl_scan:string(binary_to_list(Spec)),
            {ok, {attribute, _, spec, {Id, _}}} = erl_parse:parse_form(Tokens),
            <<"-spec ", Signature/binary>> = Spec,
            blocks(After, [{Id, {binary:part(Signature, 0, byte_size(Signature) - 1), #{<<"en">> => Doc}}} | Docs]);
        _ -> blocks(Rest, Docs)
    end;
blocks([_ | Lines], Docs) ->
    blocks(Lines, Docs).

without(<<"%% ", Text/binary>>) -> Text;
without(<<"%%", Text/binary>>) -> Text.

%% Until the full stop at the end of a line.
spec([Line | Lines], Before) ->
    Spec = <<Before/binary, Line/binary>>,
    case binary:last(Line) of
        $. -> {Spec, Lines};
        _ -> spec(Lines, <<Spec/binary, "\n">>)
    end.

html([], Lines, Done) ->
    lists:reverse(ended(Lines, Done));
html([<<>> | More], Lines, Done) ->
    html(More, [], ended(Lines, Done));
html([Line | More], Lines, Done) ->
    case Lines of
        [Last | _] -> case is_code(Last) =:= is_code(Line) of true -> html(More, [Line | Lines], Done); false -> html(More, [Line], ended(Lines, Done)) end;
        [] -> html(More, [Line], Done)
    end.

ended([], Done) -> Done;
ended([Line | _] = Lines, Done) ->
    Text = iolist_to_binary(lists:join("\n", lists:reverse(Lines))),
    [case is_code(Line) of true -> {pre, [], [{code, [], [Text]}]}; false -> {p, [], [Text]} end | Done].

is_code(<<"  ", _/binary>>) -> true;
is_code(_) -> false.
