%% SPDX-License-Identifier: MIT
%% An application, a release of it, and what a node records when it has booted.
-module(beam_boot).
-behaviour(application).
-export([start/2, stop/1, release/1, ends/0]).

start(_, _) ->
    io:format("application: ~p~n", [recording()]),
    {ok, spawn_link(fun() -> receive never -> ok end end)}.

stop(_) ->
    ok.

%% Makes boot_release.boot of kernel, stdlib and this module in the current folder.
release([Beams]) ->
    Description = [{description, "a test"}, {vsn, "1"}, {modules, [?MODULE]}, {registered, []},
                   {applications, [kernel, stdlib]}, {mod, {?MODULE, []}}],
    writes("beam_boot.app", {application, ?MODULE, Description}),
    _ = application:load(stdlib),
    Needed = [{Name, Version} || {Name, _, Version} <- application:loaded_applications(),
                                 Name =:= kernel orelse Name =:= stdlib],
    writes("boot_release.rel", {release, {"boot_release", "1"}, {erts, erlang:system_info(version)},
                                Needed ++ [{?MODULE, "1"}]}),
    {ok, _, _} = systools:make_script("boot_release", [{path, [".", Beams]}, local, silent]),
    halt(0).

writes(File, Term) ->
    ok = file:write_file(File, io_lib:format("~p.~n", [Term])).

%% The last that a command line asks for.  Where it records, no module is missing.
ends() ->
    io:format("booted: ~p~n", [recording()]),
    case recording() of
        {sample, _} -> works();
        _ -> ok
    end,
    %% What is logged is written by a process.
    ok = logger_std_h:filesync(default),
    halt(0).

recording() ->
    case erlang:module_loaded(carrierscope) andalso carrierscope:info() of
        false -> none;
        #{hooked := true, sample := Sample} -> {sample, Sample};
        #{hooked := false} -> nothing;
        {error, _} -> refused
    end.

works() ->
    Beams = filelib:wildcard(filename:join(filename:dirname(code:which(carrierscope)), "carrierscope*.beam")),
    Modules = [list_to_atom(filename:basename(Beam, ".beam")) || Beam <- Beams],
    %% These are loaded when they are used.
    [] = [Module || Module <- Modules -- [carrierscope_keeper, carrierscope_top, carrierscope_tracer, carrierscope_code, carrierscope_level, carrierscope_shell,
                                              carrierscope_trend, carrierscope_verdict],
                    not erlang:module_loaded(Module)],
    {ok, _} = carrierscope:snapshot(),
    {ok, #{hooked := false}} = carrierscope:stop().
