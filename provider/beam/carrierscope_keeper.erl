%% SPDX-License-Identifier: MIT
%% @private
%% What `carrierscope keep` runs in the node that it watches: a snapshot every so often, rules, samples if they are
%% wanted.  Answers are those of carrierscope_recorder: "csc-ok ..." or "csc-error Sentence".
%%
%% All ends when nobody asks for LeaseMs: a keeper that was killed leaves nothing behind.
-module(carrierscope_keeper).
-export([hello/1, start/2, status/0, minute/0, stop/0]).
-export([run/4]).

%% How often the rules are looked at, in ms.
-define(LOOK, 1000).

%% Growth is that of so many of these.
-define(MINUTE, 60).

%% The same rule raises no second alarm before so long, in ms.
-define(QUIET, 600000).

%% What carrierscope keep filters by, in the last two bits of a snapshot's number: 1 and 3 go to the ring of hours, 0 to that of
%% the last minutes; at the end of one with 3 LTTng takes the ring.
-define(FOR_HOURS, 1).
-define(OF_ALARM, 3).

%% Samples begin so many ms after their alarm: by then LTTng has taken the ring, which ends with a snapshot and not in the
%% midst of a hook.
-define(CALM, 2000).

%% Bytes of a row of a snapshot in the ring, contexts included: 91 measured on OTP 25.
-define(ROW, 92).

%% Bytes of a snapshot beside its figures: holders, their names, facts; of a node with many of each.
-define(OTHERS, 24576).

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
%%   rules         #{Reason => Threshold}: rss_share (percent of what the process may have), cgroup_share (percent of the limit of
%%                 its control group), rss, growth and large_heap (bytes), long_gc (ms), failures (seen while it is hooked)
%%   at_alarm      {Bytes, Ms}: samples begin at an alarm, for so long; default none
%%   hours         {RingBytes, Ms}: snapshots in the ring of hours are so far apart that it holds so long; default none
%%   least_ring    bytes of the smaller ring of snapshots of one processor: a snapshot that is larger than half of it leaves out what
%%                 carrierscope_snapshot:fit/2 has; one that is still too large is a warning; default none
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

%% "csc-ok Alarms Sampled Snapshots ResidentBytes Reason Value Threshold Detail": how often samples that began at an alarm
%% have ended, and the last alarm, if there was one.
status() ->
    asks(status).

%% "csc-ok @Time Name Carriers Blocks Pool Name ... ;" and what status/0 answers: sums of the last snapshot, in bytes, and when it was
%% taken, in seconds since 1970; without a snapshot only "csc-ok @;".
minute() ->
    asks(minute).

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
    Warning = lists:append(lists:join("; ", [W || W <- [watches(Rules), room(maps:get(least_ring, Options, none))], W =/= ""])),
    Starter ! {Mark, Warning},
    Now = now_ms(),
    loop(#{every => Every, sample => Sample, rules => Rules, quiet => maps:get(quiet, Options, ?QUIET), lease => LeaseMs,
           until => Now + LeaseMs, next => Now, look => Now, alarms => 0, snapshots => 0, last => "", silent => #{},
           resident => unknown, free => unknown, share => unknown, watch => carrierscope_memory:watch(), history => [], at_alarm => maps:get(at_alarm, Options, none), sampling => none, sampled => 0,
           hours => maps:get(hours, Options, none), before_hours => 0, most => most_figures(maps:get(least_ring, Options, none)),
           minute => "@; "}).

%% The system monitor is one for all: another's stays.
watches(Rules) ->
    Wanted = [{large_heap, maps:get(large_heap, Rules) div erlang:system_info(wordsize)} || is_map_key(large_heap, Rules)] ++
        [{long_gc, maps:get(long_gc, Rules)} || is_map_key(long_gc, Rules)],
    case Wanted =/= [] andalso erlang:system_monitor() of
        false -> "";
        undefined -> _ = erlang:system_monitor(self(), Wanted), "";
        _ -> "another process is the system monitor: long_gc is not watched, large_heap at each snapshot"
    end.

%% A snapshot is written by one thread, which may stay on one processor: its ring has to hold a whole one while the next is written.
room(none) ->
    "";
room(Ring) ->
    {Rows, _} = carrierscope_snapshot:fit(carrierscope_snapshot:rows(0, carrierscope:allocators()), most_figures(Ring)),
    case ?OTHERS + ?ROW * length(Rows) of
        Bytes when 2 * Bytes > Ring ->
            lists:flatten(io_lib:format("a snapshot of this node takes ~.1f MiB, and LTTng's ring of a processor holds ~.1f MiB: what is "
                                        "kept may not be whole unless --memory is ~b times as large",
                                        [Bytes / 1048576, Ring / 1048576, ceil(2 * Bytes / Ring)]));
        _ -> ""
    end.

most_figures(none) -> all;
most_figures(Ring) -> max(0, (Ring div 2 - ?OTHERS) div ?ROW).

unwatches() ->
    case erlang:system_monitor() of
        {Pid, _} when Pid =:= self() -> erlang:system_monitor(undefined);
        _ -> ok
    end.

loop(#{next := Next, look := Look, until := Until, sampling := Sampling} = State) ->
    receive
        {status, From, Mark} ->
            From ! {Mark, "csc-ok " ++ answer(State)},
            loop(State#{until := now_ms() + maps:get(lease, State)});
        {minute, From, Mark} ->
            From ! {Mark, "csc-ok " ++ maps:get(minute, State) ++ answer(State)},
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
    after max(0, lists:min([Next, Look, Until] ++ [When || {_, When} <- [Sampling]]) - now_ms()) ->
        due(now_ms(), State)
    end.

due(Now, #{until := Until} = State) when Now >= Until ->
    logger:warning("carrierscope: its keeper has not asked for ~b ms, nothing is recorded any more", [maps:get(lease, State)]),
    ends(State);
due(Now, #{sampling := {from, When}} = State) when Now >= When ->
    loop(samples(State));
due(Now, #{sampling := {until, When}} = State) when Now >= When ->
    loop(sampled(snapshot(State)));
due(Now, #{next := Next, every := Every} = State) when Now >= Next ->
    %% What was missed is not made up for.
    loop(heaps(snapshot(State#{next := max(Next + Every, Now)})));
due(Now, #{look := Look} = State) ->
    loop(rules(State#{look := max(Look + ?LOOK, Now)})).

ends(#{sample := Sample, sampling := Sampling}) ->
    _ = unwatches(),
    _ = unhooks(case Sampling of {until, _} -> 1; _ -> Sample end),
    persistent_term:erase(?MODULE).

%% With as many holders as cost a thousandth of the time.
snapshot(#{hours := Hours, before_hours := Before} = State) when Hours =:= none; Before > 0 ->
    {_, Taken} = snapshot(0, State),
    Taken#{before_hours := Before - 1};
snapshot(State) ->
    snapshot_for_hours(?FOR_HOURS, State).

snapshot_for_hours(Kind, #{every := Every, hours := Hours} = State) ->
    {Rows, Taken} = snapshot(Kind, State),
    Taken#{before_hours := distance(Rows, Every, Hours) - 1}.

snapshot(Kind, #{every := Every, most := Most, snapshots := Count} = State) ->
    Id = (4 * erlang:unique_integer([positive, monotonic])) band 16#ffffffff,
    Numbers = carrierscope:allocators(),
    {ok, Rows, Sums} = carrierscope_snapshot:record_as(Id bor Kind, carrierscope_holders:limits(30, Every), Most,
                                                       fun(Read) -> carrierscope_snapshot:sums(Read, Numbers) end),
    {Rows, State#{snapshots := Count + 1, minute := minute(erlang:system_time(second), Sums)}}.

minute(Time, Sums) ->
    lists:flatten(["@", integer_to_list(Time),
                   [[" ", atom_to_list(Name) | [[" ", integer_to_list(Bytes)] || Bytes <- [Carriers, Blocks, Pool]]]
                    || {Name, Carriers, Blocks, Pool} <- Sums], " ; "]).

%% One of so many snapshots goes to the ring of hours.  A quarter of it is for other events.
distance(_, _, none) ->
    1;
distance(Rows, Every, {RingBytes, Ms}) ->
    max(1, ceil(Rows * ?ROW * (Ms / Every) / (0.75 * RingBytes))).

%%% Samples at an alarm

wants_samples(#{sample := 0, sampling := none, at_alarm := {_, _}} = State) -> State#{sampling := {from, now_ms() + ?CALM}};
wants_samples(State) -> State.

%% Hooked by somebody else: then it stays as it is.
samples(#{at_alarm := {Bytes, Ms}} = State) ->
    case hooks(Bytes) of
        {ok, _} -> State#{sampling := {until, now_ms() + Ms}};
        {error, Sentence} ->
            logger:warning("carrierscope: no samples at an alarm: ~ts", [Sentence]),
            State#{sampling := none}
    end.

sampled(#{sampled := Sampled} = State) ->
    _ = carrierscope:stop(),
    State#{sampling := none, sampled := Sampled + 1}.

%%% Rules

rules(#{rules := Rules, watch := Watch, history := History} = State) ->
    {Resident, Free, Share, Again} = carrierscope_memory:look(Watch),
    Read = State#{resident := Resident, free := Free, share := Share, watch := Again,
                  history := lists:sublist([Resident | History], ?MINUTE + 1)},
    maps:fold(fun(Reason, Threshold, Each) -> rule(Reason, Threshold, Each) end, Read, Rules).

rule(rss, Threshold, #{resident := Resident} = State) when is_integer(Resident), Resident > Threshold ->
    alarm(rss, Resident, "", State);
rule(rss_share, Threshold, #{resident := Resident, free := {Free, _}} = State)
  when is_integer(Resident), 100 * Resident > Threshold * (Resident + Free) ->
    alarm(rss_share, 100 * Resident div (Resident + Free), "", State);
rule(cgroup_share, Threshold, #{share := Share} = State) when is_integer(Share), Share > Threshold ->
    alarm(cgroup_share, Share, "", State);
rule(growth, Threshold, #{resident := Resident, history := History} = State) when is_integer(Resident) ->
    case Resident - lists:min(History) of
        Grown when Grown > Threshold -> alarm(growth, Grown, "", State);
        _ -> State
    end;
rule(failures, Threshold, #{sample := Sample, sampling := Sampling} = State) when Sample > 0; is_tuple(Sampling) ->
    case carrierscope:info() of
        #{failures := Failures} when Failures > Threshold -> alarm(failures, Failures, "", State);
        _ -> State
    end;
rule(_, _, State) ->
    State.

%% Where another process is the system monitor: the largest heaps that the last snapshot found.
heaps(#{rules := #{large_heap := Threshold}} = State) ->
    case erlang:system_monitor() of
        {Monitor, _} when Monitor =/= self() ->
            Bytes = erlang:system_info(wordsize),
            Large = [{Words * Bytes, Pid} || Pid <- carrierscope_holders:known(),
                                             {_, Words} <- [process_info(Pid, total_heap_size)], Words * Bytes > Threshold],
            case Large of
                [] -> State;
                _ -> {Most, Pid} = lists:max(Large), alarm(large_heap, Most, pid(Pid), State)
            end;
        _ -> State
    end;
heaps(State) ->
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
            ok = carrierscope_nif:emit([{alarm, text(atom_to_list(Reason)), Value, Threshold, text(Detail)}]),
            Taken = snapshot_for_hours(?OF_ALARM, State),
            wants_samples(Taken#{alarms := Alarms + 1, silent := Silent#{Reason => Now + Quiet},
                   last := lists:append([atom_to_list(Reason), " ", integer_to_list(Value), " ",
                                         integer_to_list(Threshold), " ", Detail])});
        false ->
            State
    end.

answer(#{alarms := Alarms, sampled := Sampled, snapshots := Snapshots, resident := Resident, last := Last}) ->
    lists:append([integer_to_list(Alarms), " ", integer_to_list(Sampled), " ", integer_to_list(Snapshots), " ",
                  if is_integer(Resident) -> integer_to_list(Resident); true -> "0" end, " ", line(Last)]).

pid(Pid) ->
    Name = case is_pid(Pid) andalso process_info(Pid, registered_name) of
               {_, Registered} -> " " ++ atom_to_list(Registered);
               _ -> ""
           end,
    line(io_lib:format("~w~ts", [Pid, Name])).

now_ms() ->
    erlang:monotonic_time(millisecond).

line(Text) ->
    [if Char < $\s; Char > $~; Char =:= $"; Char =:= $\\ -> $?; true -> Char end
     || Char <- lists:sublist(lists:flatten(Text), 300)].

%% For C: ends in a zero byte.
text(Text) ->
    iolist_to_binary([Text, 0]).
