%% SPDX-License-Identifier: MIT
%% @private
%% What `carrierscope keep` runs in the node that it watches: a snapshot every so often, rules, samples if they are
%% wanted.  Answers are those of carrierscope_recorder: "csc-ok ..." or "csc-error Sentence".
%%
%% All ends when nobody asks for LeaseMs: a keeper that was killed leaves nothing behind.
-module(carrierscope_keeper).
-export([hello/1, start/2, status/0, stop/0]).
-export([run/4]).

%% How often the rules are looked at, in ms.
-define(LOOK, 1000).

%% Growth is that of so many of these.
-define(MINUTE, 60).

%% The same rule raises no second alarm before so long, in ms.
-define(QUIET, 600000).

%% "csc-ok OsPid Release".  Token is the same for each run of the same keeper: it may take over.
hello(Token) ->
    case {carrierscope:info(), holder()} of
        {{error, Sentence}, _} -> "csc-error " ++ Sentence;
        {_, Other} when Other =/= none, Other =/= Token -> "csc-error the node is kept by another keeper already";
        _ -> "csc-ok " ++ os:getpid() ++ " " ++ erlang:system_info(otp_release)
    end.

holder() ->
    persistent_term:get(?MODULE, none).

%% Options:
%%   token         see hello/1
%%   every         ms between snapshots
%%   sample        bytes between samples; 0: none
%%   quiet         ms in which a rule is silent after it raised an alarm (default 10 minutes)
%%   rules         #{Reason => Threshold}: rss_share (percent of what the process may have), rss, growth and large_heap
%%                 (bytes), long_gc (ms), failures
start(#{token := Token} = Options, LeaseMs) ->
    Known = holder(),
    case Known =:= none orelse Known =:= Token of
        true -> _ = stop(), begins(Options, LeaseMs);
        false -> "csc-error the node is kept by another keeper already"
    end.

begins(#{sample := Sample} = Options, LeaseMs) ->
    case hooks(Sample) of
        {error, Sentence} -> "csc-error " ++ Sentence;
        _ ->
            Mark = make_ref(),
            {_, Monitor} = spawn_monitor(?MODULE, run, [Options, LeaseMs, self(), Mark]),
            receive
                {Mark, Warning} -> demonitor(Monitor, [flush]), "csc-ok " ++ Warning;
                {'DOWN', Monitor, process, _, Reason} ->
                    _ = unhooks(Sample),
                    "csc-error " ++ line(io_lib:format("~0P", [Reason, 20]))
            end
    end.

hooks(0) -> {ok, none};
hooks(Bytes) -> carrierscope:start(#{sample => {bytes, Bytes}}).

unhooks(0) -> ok;
unhooks(_) -> carrierscope:stop().

%% "csc-ok Alarms Snapshots ResidentBytes Reason Value Threshold Detail": the last alarm, if there was one.
status() ->
    asks(status).

%% "csc-ok"
stop() ->
    asks(stop).

asks(What) ->
    case whereis(?MODULE) of
        undefined when What =:= stop -> "csc-ok";
        undefined -> "csc-error nothing is recorded any more";
        Pid ->
            Monitor = monitor(process, Pid),
            Pid ! {What, self(), Monitor},
            receive
                {Monitor, Answer} -> demonitor(Monitor, [flush]), Answer;
                {'DOWN', Monitor, process, _, _} -> "csc-error nothing is recorded any more"
            end
    end.

%% @private
run(#{token := Token, every := Every, sample := Sample, rules := Rules} = Options, LeaseMs, Starter, Mark) ->
    true = register(?MODULE, self()),
    persistent_term:put(?MODULE, Token),
    process_flag(priority, high),
    {ok, _} = carrierscope:snapshot(#{holders => 5}),
    Settings = carrierscope_snapshot:options(carrierscope:allocators()),
    ok = carrierscope_nif:emit([{option, Allocator, text(Name), text(Value)} || {Allocator, Name, Value} <- Settings]),
    Warning = watches(Rules),
    Starter ! {Mark, Warning},
    Now = now_ms(),
    loop(#{every => Every, sample => Sample, rules => Rules, quiet => maps:get(quiet, Options, ?QUIET), lease => LeaseMs,
           until => Now + LeaseMs, next => Now, look => Now, alarms => 0, snapshots => 0, last => "", silent => #{},
           resident => resident(), history => [], free => unknown}).

%% The system monitor is one for all: another's stays.
watches(Rules) ->
    Wanted = [{large_heap, maps:get(large_heap, Rules) div erlang:system_info(wordsize)} || is_map_key(large_heap, Rules)] ++
        [{long_gc, maps:get(long_gc, Rules)} || is_map_key(long_gc, Rules)],
    case Wanted =/= [] andalso erlang:system_monitor() of
        false -> "";
        undefined -> _ = erlang:system_monitor(self(), Wanted), "";
        _ -> "another process is the system monitor: large_heap and long_gc are not watched"
    end.

unwatches() ->
    case erlang:system_monitor() of
        {Pid, _} when Pid =:= self() -> erlang:system_monitor(undefined);
        _ -> ok
    end.

loop(#{next := Next, look := Look, until := Until} = State) ->
    receive
        {status, From, Mark} ->
            From ! {Mark, "csc-ok " ++ answer(State)},
            loop(State#{until := now_ms() + maps:get(lease, State)});
        {stop, From, Mark} ->
            ends(State),
            From ! {Mark, "csc-ok"};
        {monitor, Pid, large_heap, Sizes} ->
            loop(heap(Pid, Sizes, State));
        {monitor, Pid, long_gc, Facts} ->
            loop(alarm(long_gc, proplists:get_value(timeout, Facts, 0), pid(Pid), State));
        _ ->
            loop(State)
    after max(0, lists:min([Next, Look, Until]) - now_ms()) ->
        due(now_ms(), State)
    end.

due(Now, #{until := Until} = State) when Now >= Until ->
    logger:warning("carrierscope: its keeper has not asked for ~b ms, nothing is recorded any more", [maps:get(lease, State)]),
    ends(State);
due(Now, #{next := Next, every := Every} = State) when Now >= Next ->
    %% What was missed is not made up for.
    loop(snapshot(State#{next := max(Next + Every, Now)}));
due(Now, #{look := Look} = State) ->
    loop(rules(State#{look := max(Look + ?LOOK, Now)})).

ends(#{sample := Sample}) ->
    _ = unwatches(),
    _ = unhooks(Sample),
    persistent_term:erase(?MODULE).

%% With as many holders as cost a thousandth of the time.
snapshot(#{every := Every, snapshots := Count} = State) ->
    {ok, _} = carrierscope_snapshot:record(carrierscope_holders:limits(30, Every)),
    State#{snapshots := Count + 1}.

%%% Rules

rules(#{rules := Rules, history := History} = State) ->
    Resident = resident(),
    Read = State#{resident := Resident, history := lists:sublist([Resident | History], ?MINUTE + 1)},
    maps:fold(fun(Reason, Threshold, Each) -> rule(Reason, Threshold, Each) end, Read, Rules).

rule(rss, Threshold, #{resident := Resident} = State) when is_integer(Resident), Resident > Threshold ->
    alarm(rss, Resident, "", State);
rule(rss_share, Threshold, #{resident := Resident} = State) when is_integer(Resident) ->
    case carrierscope_memory:free() of
        {Free, _} when 100 * Resident > Threshold * (Resident + Free) ->
            alarm(rss_share, 100 * Resident div (Resident + Free), "", State);
        _ -> State
    end;
rule(growth, Threshold, #{resident := Resident, history := History} = State) when is_integer(Resident) ->
    case Resident - lists:min(History) of
        Grown when Grown > Threshold -> alarm(growth, Grown, "", State);
        _ -> State
    end;
rule(failures, Threshold, #{sample := Sample} = State) when Sample > 0 ->
    case carrierscope:info() of
        #{failures := Failures} when Failures > Threshold -> alarm(failures, Failures, "", State);
        _ -> State
    end;
rule(_, _, State) ->
    State.

heap(Pid, Sizes, State) ->
    Words = lists:sum([proplists:get_value(Key, Sizes, 0)
                       || Key <- [heap_block_size, old_heap_block_size, mbuf_size]]),
    alarm(large_heap, Words * erlang:system_info(wordsize), pid(Pid), State).

%% What was read then is recorded before anybody is called.
alarm(Reason, Value, Detail, #{rules := Rules, silent := Silent, quiet := Quiet, alarms := Alarms} = State) ->
    Now = now_ms(),
    case Now >= maps:get(Reason, Silent, Now) of
        true ->
            Threshold = maps:get(Reason, Rules, 0),
            Taken = snapshot(State),
            ok = carrierscope_nif:emit([{alarm, text(atom_to_list(Reason)), Value, Threshold, text(Detail)}]),
            Taken#{alarms := Alarms + 1, silent := Silent#{Reason => Now + Quiet},
                   last := lists:append([atom_to_list(Reason), " ", integer_to_list(Value), " ",
                                         integer_to_list(Threshold), " ", Detail])};
        false ->
            State
    end.

answer(#{alarms := Alarms, snapshots := Snapshots, resident := Resident, last := Last}) ->
    lists:append([integer_to_list(Alarms), " ", integer_to_list(Snapshots), " ",
                  if is_integer(Resident) -> integer_to_list(Resident); true -> "0" end, " ", line(Last)]).

pid(Pid) ->
    Name = case is_pid(Pid) andalso process_info(Pid, registered_name) of
               {_, Registered} -> " " ++ atom_to_list(Registered);
               _ -> ""
           end,
    line(io_lib:format("~w~ts", [Pid, Name])).

resident() ->
    case file:read_file("/proc/self/statm") of
        {ok, Text} ->
            [_, Pages | _] = binary:split(Text, <<" ">>, [global]),
            4096 * binary_to_integer(Pages);
        {error, _} -> unknown
    end.

now_ms() ->
    erlang:monotonic_time(millisecond).

line(Text) ->
    [if Char < $\s; Char > $~; Char =:= $"; Char =:= $\\ -> $?; true -> Char end
     || Char <- lists:sublist(lists:flatten(Text), 300)].

%% For C: ends in a zero byte.
text(Text) ->
    iolist_to_binary([Text, 0]).
