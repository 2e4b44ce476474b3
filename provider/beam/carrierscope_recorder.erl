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
-export([hello/0, start/2, status/0, stop/0, record/3, finish/0, boot/0]).
-export([watch/2, await/5]).
-export([init/1, handle_event/2, handle_call/2]).

%% ms between looks for a session, so many of them, and until it listens; for how long an answer is kept.
-define(PAUSE, 100).
-define(TRIES, 600).
-define(SETTLE, 300).
-define(KEPT, 600000).

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

%% The same in two calls, for a command that takes seconds for each, such as rabbitmqctl: record/3 answers as hello/0, and then the
%% node hooks as soon as a session maps its buffers, and lets go after Ms.  finish/0 answers when that is over, at once where
%% it is not: "csc-ok", or why nothing was recorded.
record(Options, LeaseMs, Ms) ->
    case hello() of
        "csc-ok" ++ _ = Answer ->
            _ = spawn(?MODULE, await, [Options, LeaseMs, Ms, carrierscope_memory:buffers(), ?TRIES]),
            Answer;
        Error ->
            Error
    end.

finish() ->
    case whereis(?MODULE) of
        undefined ->
            "csc-error the hooks are gone";
        Pid ->
            Monitor = monitor(process, Pid),
            Pid ! {finish, self(), Monitor},
            receive
                {Monitor, Answer} -> demonitor(Monitor, [flush]), Answer;
                {'DOWN', Monitor, process, _, _} -> "csc-error the hooks are gone"
            end
    end.

%% For a node that `carrierscope record -- COMMAND` starts: by the environment of COMMAND, from boot to end.
%% SIGUSR2 is that end: the last snapshot, and then init:stop().  The recorder counts its time from when the node
%% handles this signal.
boot() ->
    ok = gen_event:add_handler(erl_signal_server, ?MODULE, []),
    Every = os:getenv("CARRIERSCOPE_SNAPSHOTS_MS", "1000"),
    Words = string:tokens(os:getenv("CARRIERSCOPE_OPTIONS", ""), " "),
    case carrierscope:start(Words) of
        {ok, _} -> snapshots(list_to_integer(Every));
        {error, Sentence} -> logger:error("carrierscope: nothing is recorded: ~ts", [Sentence])
    end,
    ok = os:set_signal(sigusr2, handle).

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

%% 
await(Options, LeaseMs, Ms, Before, Tries) ->
    _ = whereis(?MODULE) =:= self() orelse register(?MODULE, self()),
    IsMapped = carrierscope_memory:buffers() > Before,
    receive
        {finish, From, Mark} -> From ! {Mark, "csc-error no session of LTTng began in time"}
    after if IsMapped -> ?SETTLE; true -> ?PAUSE end ->
        if IsMapped -> records(Options, LeaseMs, Ms);
           Tries =:= 0 -> over("csc-error no session of LTTng began in time");
           true -> await(Options, LeaseMs, Ms, Before, Tries - 1)
        end
    end.

records(Options, LeaseMs, Ms) ->
    case carrierscope:start(maps:remove(snapshots_ms, Options)) of
        {ok, _} ->
            snapshots(maps:get(snapshots_ms, Options, 0)),
            lasts(LeaseMs, erlang:monotonic_time(millisecond) + Ms);
        {error, Sentence} ->
            over("csc-error " ++ Sentence)
    end.

%% Until End, or until nobody asks.
lasts(LeaseMs, End) ->
    Left = max(0, End - erlang:monotonic_time(millisecond)),
    receive
        is_wanted -> lasts(LeaseMs, End);
        {finish, From, Mark} -> From ! {Mark, stop()}
    after min(LeaseMs, Left) ->
        over(stop())
    end.

%% The answer waits.
over(Answer) ->
    receive {finish, From, Mark} -> From ! {Mark, Answer} after ?KEPT -> ok end.

is_watched() ->
    Pid = whereis(?MODULE),
    Pid =/= undefined andalso Pid =/= self().

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
