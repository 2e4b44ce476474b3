%% SPDX-License-Identifier: MIT
%% @private
%% What `carrierscope record` asks of the node that it records.  Each answer is one string, which every way of
%% evaluating an expression prints in quotes:
%%
%%   "csc-ok ..."         words after it as each function says
%%   "csc-error Sentence"
%%
%% The hooks are let go of when nobody asks for so long as start/2 says: a recorder that was killed
%% leaves nothing behind.
-module(carrierscope_recorder).
-behaviour(gen_event).
-export([hello/0, start/2, status/0, stop/0, boot/0]).
-export([watch/2]).
-export([init/1, handle_event/2, handle_call/2]).

%% "csc-ok OsPid Release"; the process is known to LTTng's session daemon soon after.
hello() ->
    case carrierscope:info() of
        {error, Sentence} -> "csc-error " ++ Sentence;
        #{hooked := true} -> "csc-error the allocators are hooked already; carrierscope:stop() ends that";
        #{} -> "csc-ok " ++ os:getpid() ++ " " ++ erlang:system_info(otp_release)
    end.

%% Options are those of carrierscope:start/1, and snapshots_ms: a snapshot each so many milliseconds, 0: only
%% at the start and at the end.  LeaseMs: the hooks end when status/0 was not called for so long.
start(Options, LeaseMs) ->
    case carrierscope:start(maps:remove(snapshots_ms, Options)) of
        {ok, _} ->
            Watcher = spawn(?MODULE, watch, [LeaseMs, self()]),
            receive {Watcher, is_ready} -> ok after 5000 -> ok end,
            snapshots(maps:get(snapshots_ms, Options, 0)),
            status();
        {error, Sentence} ->
            "csc-error " ++ Sentence
    end.

snapshots(0) -> ok;
snapshots(Ms) -> _ = carrierscope:snapshot(#{every => Ms}), ok.

%% "csc-ok Events Bytes": what was recorded so far, and what the node has allocated.
status() ->
    is_watched() andalso (?MODULE ! is_wanted),
    case carrierscope:info() of
        #{hooked := true, allocs := Allocs, frees := Frees, reallocs := Reallocs} ->
            Bytes = try erlang:memory(total) catch error:notsup -> 0 end,
            "csc-ok " ++ integer_to_list(Allocs + Frees + Reallocs) ++ " " ++ integer_to_list(Bytes);
        #{hooked := false} ->
            "csc-error the hooks are gone";
        {error, Sentence} ->
            "csc-error " ++ Sentence
    end.

%% "csc-ok": the last snapshot is taken and nothing is hooked.
stop() ->
    is_watched() andalso (?MODULE ! stop),
    case carrierscope:stop() of
        {ok, _} -> "csc-ok";
        {error, Sentence} -> "csc-error " ++ Sentence
    end.

%% For a node that `carrierscope record -- COMMAND` starts: by the environment of COMMAND, from boot to end.
%% SIGUSR2 is that end: the last snapshot, and then init:stop().
boot() ->
    ok = os:set_signal(sigusr2, handle),
    ok = gen_event:add_handler(erl_signal_server, ?MODULE, []),
    Every = os:getenv("CARRIERSCOPE_SNAPSHOTS_MS", "1000"),
    Words = string:tokens(os:getenv("CARRIERSCOPE_OPTIONS", ""), " "),
    case carrierscope:start(Words) of
        {ok, _} -> snapshots(list_to_integer(Every));
        {error, _} -> ok
    end.

%% @private
init([]) -> {ok, []}.

%% @private
handle_event(sigusr2, State) ->
    _ = spawn(fun() -> _ = carrierscope:stop(), init:stop() end),
    {ok, State};
handle_event(_, State) ->
    {ok, State}.

%% @private
handle_call(_, State) -> {ok, ok, State}.

is_watched() ->
    whereis(?MODULE) =/= undefined.

%% @private
watch(LeaseMs, Starter) ->
    try register(?MODULE, self()) catch error:badarg -> ok end,
    Starter ! {self(), is_ready},
    wait(LeaseMs).

wait(LeaseMs) ->
    receive
        is_wanted -> wait(LeaseMs);
        stop -> ok
    after LeaseMs ->
        logger:warning("carrierscope: its recorder has not asked for ~b ms, nothing is hooked any more", [LeaseMs]),
        _ = carrierscope:stop(),
        ok
    end.
