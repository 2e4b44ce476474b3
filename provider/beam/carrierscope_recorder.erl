%% SPDX-License-Identifier: MIT
%% @private
%% What `carrierscope record` asks of the node that it records.  Each answer is one string, which every way of
%% evaluating an expression prints in quotes:
%%
%%   "csc-ok ..."         words after it as each function says
%%   "csc-error Sentence"
%%
%% The hooks are let go of when nobody asks for so long as start/2 says: a recorder that was killed
%% leaves nothing behind.  carrierscope_lease sees to that.
-module(carrierscope_recorder).
-behaviour(gen_event).
-export([hello/0, hello/1, start/2, status/0, stop/0, record/3, finish/0, boot/0]).
%% For carrierscope_lease.
-export([hooks/1, unhooks/0, unboot/0]).
-export([init/1, handle_event/2, handle_call/2]).

%% ms after which a node lets go whose recorder cannot be seen, and in which a session has to hear one that boots.
-define(LEASE, 20000).
-define(HEARS, 15000).

-define(OTHER, "csc-error another recorder is about to hook this node, or to let go of it").

%% "csc-ok OsPid@Namespace Release"; the process is known to LTTng's session daemon soon after.
hello() ->
    case carrierscope:info() of
        {error, Sentence} -> "csc-error " ++ Sentence;
        #{lttng := false, events_why := Why} -> "csc-error " ++ Why;
        #{hooked := true} = Info -> "csc-error the allocators are hooked already, by " ++ who(Info);
        #{} -> "csc-ok " ++ carrierscope_lease:os_pid() ++ " " ++ erlang:system_info(otp_release)
    end.

%% The same, and after it how many calls of its allocators the node makes in a second, as Ms show.
hello(Ms) ->
    case hello() of
        "csc-ok" ++ _ = Answer -> Answer ++ " " ++ integer_to_list(rate(Ms));
        Error -> Error
    end.

rate(Ms) ->
    Begin = erlang:monotonic_time(microsecond),
    Before = calls(),
    timer:sleep(Ms),
    Calls = calls() - Before,
    Calls * 1000000 div max(1, erlang:monotonic_time(microsecond) - Begin).

%% Of blocks: {binary_alloc, Giga, Calls}, {binary_free, ...}, {binary_realloc, ...}; those of carriers are mseg_... and sys_...
calls() ->
    lists:sum([Giga * 1000000000 + Calls
               || Allocator <- erlang:system_info(alloc_util_allocators),
                  {instance, _, Parts} <- instances(erlang:system_info({allocator, Allocator})),
                  {Call, Giga, Calls} <- proplists:get_value(calls, Parts, []),
                  not lists:member(hd(string:split(atom_to_list(Call), "_")), ["mseg", "sys"])]).

%% One that is switched off has none.
instances(List) when is_list(List) -> List;
instances(false) -> [].

who(#{by := By, since := Since}) -> By ++ ", since " ++ Since;
who(#{}) -> "somebody".

%% Options are those of carrierscope:start/1, and snapshots_ms: a snapshot each so many milliseconds, 0: only
%% at the start and at the end; collect: a process ("<0.95.0>") that is collected at the end, after the last snapshot.  LeaseMs: the hooks end when status/0 was not called for so long.
start(Options, LeaseMs) ->
    case hello() of
        "csc-ok" ++ _ ->
            starts(Options, carrierscope_lease:starts(LeaseMs));
        Error ->
            Error
    end.

starts(Options, {ok, Lease}) ->
    case hooks(Options) of
        ok -> carrierscope_lease:begun(), status();
        Error -> carrierscope_lease:drop(Lease), Error
    end;
starts(_, false) ->
    ?OTHER.

%% @private
%% ok, or "csc-error Sentence".
hooks(Options) ->
    case carrierscope:start(maps:without([snapshots_ms, collect], Options)) of
        {ok, _} -> application:set_env(carrierscope, collect, maps:get(collect, Options, none)), snapshots(maps:get(snapshots_ms, Options, 0)), ok;
        {error, Sentence} -> "csc-error " ++ Sentence
    end.

%% @private
unhooks() ->
    case carrierscope:stop() of
        {ok, _} -> collects(application:get_env(carrierscope, collect)), "csc-ok";
        {error, Sentence} -> "csc-error " ++ Sentence
    end.

%% What a collection of that process frees, as facts.
collects({ok, [_ | _] = Text}) ->
    application:unset_env(carrierscope, collect),
    Facts = try list_to_pid(Text) of
                Pid when node(Pid) =:= node() -> carrierscope_holders:collected(Pid);
                _ -> []
            catch error:badarg -> []
            end,
    ok = carrierscope_nif:emit([{fact, <<Key/binary, 0>>, list_to_binary([Value, 0])}
                                || {Key, Value} <- [{<<"collected_process">>, Text} | Facts]]);
collects(_) ->
    ok.

snapshots(0) -> ok;
snapshots(Ms) -> _ = carrierscope:snapshot(#{every => Ms}), ok.

%% "csc-ok Events Bytes": what was recorded so far, and what the node has allocated; " unheard" after it: by no session.
status() ->
    carrierscope_lease:is_wanted(),
    case carrierscope:info() of
        #{hooked := true, listening := IsHeard, allocs := Allocs, frees := Frees, reallocs := Reallocs} ->
            Bytes = try erlang:memory(total) catch error:notsup -> 0 end,
            lists:append(["csc-ok ", integer_to_list(Allocs + Frees + Reallocs), " ", integer_to_list(Bytes),
                          if IsHeard -> ""; true -> " unheard" end]);
        #{hooked := false} ->
            "csc-error the hooks are gone";
        {error, Sentence} ->
            "csc-error " ++ Sentence
    end.

%% "csc-ok": the last snapshot is taken and nothing is hooked.
stop() ->
    Answer = unhooks(),
    carrierscope_lease:ends(),
    Answer.

%% The same in two calls, for a command that takes seconds for each, such as rabbitmqctl: record/3 answers as hello/1, and then the
%% node hooks as soon as a session maps its buffers, and lets go after Ms.  finish/0 answers when that is over, at once where
%% it is not: "csc-ok", or why nothing was recorded.
record(Options, LeaseMs, Ms) ->
    case hello(300) of
        "csc-ok" ++ _ = Answer ->
            case carrierscope_lease:awaits(Options, LeaseMs, Ms) of
                true -> Answer;
                false -> ?OTHER
            end;
        Error ->
            Error
    end.

finish() ->
    carrierscope_lease:finish().

%% For a node that `carrierscope record -- COMMAND` starts: by the environment of COMMAND, from boot to end.
%% SIGUSR2 is that end: the last snapshot, and then init:stop().  The recorder counts its time from when the node
%% handles this signal.  Nodes that this one starts have the same environment: they hook nothing once the recorder has ended.
boot() ->
    Recorder = carrierscope_lease:recorder(os:getenv("CARRIERSCOPE_RECORDER", "")),
    case carrierscope_lease:is_there(Recorder) of
        true -> boots(Recorder, carrierscope_lease:follows(Recorder, ?LEASE));
        false -> ok;
        unknown -> logger:warning("carrierscope: nothing is recorded: whether the recorder still runs cannot be read")
    end,
    ok.

boots(Recorder, {ok, Lease}) ->
    ok = gen_event:add_handler(erl_signal_server, ?MODULE, []),
    Every = os:getenv("CARRIERSCOPE_SNAPSHOTS_MS", "1000"),
    Words = string:tokens(os:getenv("CARRIERSCOPE_OPTIONS", ""), " "),
    By = os:getenv("CARRIERSCOPE_BY", "carrierscope record"),
    case carrierscope:start([{by, By} | Words]) of
        {ok, #{listening := IsHeard}} ->
            carrierscope_lease:begun(),
            snapshots(list_to_integer(Every)),
            case IsHeard orelse not carrierscope_lease:is_parent(Recorder) of
                true -> ok = os:set_signal(sigusr2, handle);
                false -> spawn(fun() -> hears(?HEARS, Recorder) end)
            end;
        {error, Sentence} ->
            carrierscope_lease:drop(Lease),
            refuses(Sentence, Recorder)
    end;
boots(_, false) ->
    ok.

%% LTTng may take longer to know a busy node than its library waits for.
hears(Ms, Recorder) ->
    case carrierscope:info() of
        #{listening := true} -> ok = os:set_signal(sigusr2, handle);
        #{} when Ms > 0 -> timer:sleep(100), hears(Ms - 100, Recorder);
        _ -> refuses("no session of LTTng hears this node: it has another session daemon than the recorder, or LTTng's buffers find no "
                     "room in /dev/shm", Recorder), stop()
    end.

refuses(Sentence, Recorder) ->
    logger:error("carrierscope: nothing is recorded: ~ts", [Sentence]),
    carrierscope_lease:tells(Recorder, "csc-error " ++ Sentence).

%% @private
%% What boot/0 changed, but for the hooks.
unboot() ->
    _ = gen_event:delete_handler(erl_signal_server, ?MODULE, gone),
    ok = os:set_signal(sigusr2, default).

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
