%% SPDX-License-Identifier: MIT
%% Cases of sessions and daemons that come and go, and of nodes that end.
-module(beam_sessions).
-export([victim/1, halted/1, halted_at_once/1, orphan/1, late/1, old_rules/1]).
-import(beam_case, [work/0, until/1]).

%% Runs until it is killed, hooked, under load; [Events]: batches or single.
victim(Events) ->
    {ok, _} = carrierscope:start(["events=" ++ Name || Name <- Events]),
    _ = beam_load:start(3),
    records_more(20000),
    io:format("ready~n"),
    receive never -> ok end.

%% Records for a session that does not know batches, and by single events.
old_rules(_) ->
    {ok, #{events := batches, listening := true}} = carrierscope:start(),
    work(),
    {ok, #{events := batches, lost := 0}} = carrierscope:stop(),
    {ok, #{events := single, events_why := "asked for"}} = carrierscope:start(["events=single"]),
    work(),
    {ok, #{events := single}} = carrierscope:stop(),
    {ok, #{events := single, events_why := "samples are few"}} = carrierscope:start(#{sample => {count, 10}}),
    {ok, _} = carrierscope:stop(),
    {error, "option 'events' is batches or single, not both"} = carrierscope:start(#{events => both}),
    ok.

%% Ends by itself, hooked, under load.
halted([Rotate]) ->
    {ok, _} = carrierscope:start(),
    _ = beam_load:start(7),
    records_more(20000),
    "" = os:cmd(Rotate).

%% Ends by itself right after its work, hooked; prints what was recorded by then.
halted_at_once(_) ->
    {ok, _} = carrierscope:start(),
    work(),
    work(),
    #{allocs := Allocs, frees := Frees, lost := 0} = carrierscope:info(),
    io:format("~b ~b~n", [Allocs, Frees]).

%% Goes on when the session daemon is killed under it, and when another one comes.
orphan([Kill, Again]) ->
    {ok, _} = carrierscope:start(),
    Pids = beam_load:start(8),
    timer:sleep(300),
    "" = os:cmd(Kill),
    timer:sleep(1000),
    ports(),
    {ok, _} = carrierscope:stop(),
    {ok, _} = carrierscope:start(),
    "" = os:cmd(Again),
    records_more(2000),
    ok = beam_load:stop(Pids),
    {ok, #{allocs := Allocs}} = carrierscope:stop(),
    true = Allocs > 0.

%% Sessions that come late, two after each other; ports before, between and after.
late([Script]) ->
    ports(),
    Setup = child_setup(),
    {ok, _} = carrierscope:start(),
    ports(),
    work(),
    session(Script, "first"),
    ports(),
    work(),
    thread_has_looked(),
    session(Script, "end first"),
    ports(),
    session(Script, "second"),
    ports(),
    work(),
    {ok, _} = carrierscope:stop(),
    ports(),
    session(Script, "end second"),
    ports(),
    Setup = child_setup().

ports() ->
    "hello\n" = os:cmd("echo hello"),
    Port = open_port({spawn, "cat"}, [binary]),
    true = port_command(Port, <<"there and back">>),
    receive {Port, {data, <<"there and back">>}} -> ok end,
    true = port_close(Port).

%% The helper that starts the programs of ports: if it had died, there would be another, or none.
child_setup() ->
    Pid = os:cmd("cat /proc/" ++ os:getpid() ++ "/task/*/children"),
    [_ | _] = Pid.

%% The test's script makes and ends sessions.
session(Script, What) ->
    "" = os:cmd(Script ++ " " ++ What),
    thread_has_looked().

%% The hook's own thread looks for sessions every 50 ms, emits to each what it must know, and emits the
%% blocks that wait in batches: when it has slept ten times more, it has done so since.
thread_has_looked() ->
    Before = sleeps(),
    until(fun() -> [Now - Then || {Now, Then} <- lists:zip(sleeps(), Before), Now - Then < 10] =:= [] end).

%% How often the hook's thread has gone to sleep; nothing if there is none.
sleeps() ->
    [list_to_integer(Number)
     || File <- filelib:wildcard("/proc/self/task/*/status"),
        {ok, Status} <- [file:read_file(File)],
        {match, [Number]} <- [re:run(Status, "^Name:\\s+carrierscope\n(?s:.*)^voluntary_ctxt_switches:\\s+([0-9]+)",
                                     [multiline, {capture, all_but_first, list}])]].

%% Until so many more blocks were recorded by some session.
records_more(More) ->
    #{allocs := Before} = carrierscope:info(),
    until(fun() -> maps:get(allocs, carrierscope:info()) >= Before + More end).
