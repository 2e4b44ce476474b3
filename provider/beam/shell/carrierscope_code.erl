%% SPDX-License-Identifier: MIT
%% @private
%% carrierscope:code/1: which functions made what is live, by the samples since the hook, without a file.
-module(carrierscope_code).
-export([code/1, libraries/0]).

-define(MIB, 1048576).

%% For bounds of 95 % of events that come by chance, as schema/blocks/code.sql has them.
-define(Z, 1.96).

-spec code(pos_integer()) -> [map()].
code(Top) ->
    is_integer(Top) andalso Top > 0 andalso carrierscope_options:is_holders(Top) orelse
        carrierscope_options:refuse("code takes a number from 1 to ~b, not ~ts",
                                    [carrierscope_options:most_holders(), carrierscope_options:shown(Top)]),
    %% Where no call has loaded the native half, nothing is hooked.
    case erlang:module_loaded(carrierscope_nif) andalso carrierscope_hook:info() of
        #{hooked := true, sample := {_, _}, stack_found_by := "off: " ++ Why} ->
            carrierscope_options:refuse("stacks of this node are not read: ~ts", [Why]);
        #{hooked := true, sample := {_, _}, listening := false} ->
            carrierscope_options:refuse("nothing is sampled: no session of LTTng records this node", []);
        #{hooked := true, sample := {_, _}} -> carrierscope_shell:bounded(fun() -> rows(Top) end);
        _ -> carrierscope_options:refuse("nothing is sampled: carrierscope:start(#{sample => {bytes, 65536}}), while a session of LTTng records", [])
    end.

rows(Top) ->
    {None, Sums} = sums(0, #{}, #{}),
    Every = [{Live, Key, Sum, Most} || {Key, {{_, _, Live, _} = Sum, Most}} <- [{{"no stack was read", "", undefined}, {None, none}} | maps:to_list(Sums)],
                                       round(Live) > 0],
    [row(Key, Sum, source_line(Most)) || {_, Key, Sum, Most} <- lists:sublist(lists:reverse(lists:keysort(1, Every)), Top)].

%% Of the stack with most of it.
source_line(none) -> "";
source_line({_, Place, Frame}) ->
    unicode:characters_to_list(lists:nth(Frame, carrierscope_stacks:lines(Place))).

%% Modules: what of_module/1 answers of those that were met.
sums(Place, Sums, Modules) ->
    {Next, _, _, None, Stacks} = carrierscope_nif:stacks(Place),
    {NewSums, NewModules} = lists:foldl(fun add/2, {Sums, Modules}, Stacks),
    case Next of
        0 -> {None, NewSums};
        _ -> sums(Next, NewSums, NewModules)
    end.

%% By the innermost function that is of no library, and the innermost of all where that is another.
add({_, _, Functions, {_, _, Live, _} = Sum, Place}, {Sums, Modules}) ->
    {Named, NewModules} = lists:mapfoldl(fun named/2, Modules, Functions),
    {Key, Frame} = case lists:splitwith(fun({IsLibrary, _, _}) -> IsLibrary end, Named) of
                       {[], []} -> {{"a stack of no function", "", undefined}, none};
                       {Libraries, []} -> {key(hd(Libraries), hd(Libraries)), 1};
                       {Libraries, [Own | _]} -> {key(Own, hd(Named)), length(Libraries) + 1}
                   end,
    {Before, Most} = maps:get(Key, Sums, {{0, 0.0, 0.0, 0.0}, none}),
    {Sums#{Key => {plus(Sum, Before), most({Live, Place, Frame}, Most)}}, NewModules}.

most({_, _, none}, _) -> none;
most(One, none) -> One;
most(One, Other) -> max(One, Other).

key({_, Text, Application}, {_, Text, _}) -> {Text, "", Application};
key({_, Text, Application}, {_, By, _}) -> {Text, By, Application}.

plus({S, M, L, V}, {S2, M2, L2, V2}) -> {S + S2, M + M2, L + L2, V + V2}.

%% {IsLibrary, Text, Application}.
named({Address, undefined}, Modules) ->
    {{true, "0x" ++ string:lowercase(integer_to_list(Address, 16)), undefined}, Modules};
named({_, {Module, Function, Arity}}, Modules) ->
    {IsLibrary, Application} = Of = case Modules of
                                        #{Module := Met} -> Met;
                                        _ -> of_module(Module)
                                    end,
    {{IsLibrary, text(atom_to_list(Module), atom_to_list(Function), Arity), Application}, Modules#{Module => Of}}.

%% {IsLibrary, Application}.
of_module(Module) ->
    Application = case application:get_application(Module) of
                      {ok, Name} -> Name;
                      undefined -> undefined
                  end,
    {Applications, Modules} = libraries(),
    {lists:member(Application, Applications) orelse lists:member(Module, Modules) orelse
        lists:prefix("carrierscope", atom_to_list(Module)), Application}.

%% As people write it: of a fun or a comprehension, -put/2-fun-0-, the function around it.
text("Elixir." ++ Module, Function, Arity) -> text_of(Module ++ ".", "fn in ", Function, Arity);
text(Module, Function, Arity) -> text_of(Module ++ ":", "fun in ", Function, Arity).

text_of(Prefix, Inside, Function, Arity) ->
    case re:run(Function, "^-(.*?)/([0-9]+)-(fun-|anonymous-)?", [{capture, all_but_first, list}, unicode]) of
        {match, [Around, Its]} -> Prefix ++ Around ++ "/" ++ Its;
        {match, [Around, Its, _]} -> Inside ++ Prefix ++ Around ++ "/" ++ Its;
        nomatch -> Prefix ++ Function ++ "/" ++ integer_to_list(Arity)
    end.

row({Function, By, Application}, {Samples, Made, Live, Variance}, SourceLine) ->
    {Low, High} = bounds(Live, Variance),
    #{function => Function, source_line => SourceLine, by_calling => By, application => Application, samples => Samples, made_mib => mib(Made), live_mib => mib(Live),
      live_bytes => {Low, round(Live), High}}.

%% N blocks of one mean weight would have this estimate and this variance.
bounds(Live, Variance) when Live < 0.5; Variance < 1.0 -> {round(Live), round(Live)};
bounds(Live, Variance) ->
    Mean = Variance / Live,
    N = Live / Mean,
    Middle = N + ?Z * ?Z / 2,
    Wide = ?Z * math:sqrt(N + ?Z * ?Z / 4),
    {round(Mean * max(0.0, Middle - Wide)), round(Mean * (Middle + Wide))}.

mib(Bytes) -> round(100 * Bytes / ?MIB) / 100.

%% {Applications, Modules} of OTP, of Elixir and of ours; also in schema/blocks/code.sql (tests/beam/stacks.sh compares them).
libraries() ->
    {[asn1, common_test, compiler, crypto, debugger, dialyzer, diameter, eldap, erl_interface, erts, et,
      eunit, ftp, inets, jinterface, kernel, megaco, mnesia, observer, odbc, os_mon, parsetools, public_key,
      reltool, runtime_tools, sasl, snmp, ssh, ssl, stdlib, syntax_tools, tftp, tools, wx, xmerl,
      elixir, eex, ex_unit, iex, logger, mix, carrierscope],
     [erlang, erts_internal, erts_code_purger, erts_dirty_process_signal_handler, erts_literal_area_collector,
      erts_trace_cleaner, atomics, counters, erl_init, erl_tracer, init, persistent_term, prim_buffer, prim_eval,
      prim_file, prim_inet, prim_net, prim_socket, prim_zip, socket_registry, zlib]}.
