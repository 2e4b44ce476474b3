%% SPDX-License-Identifier: MIT
%% @private
%% What `carrierscope keep` runs in the node that it watches: a snapshot every so often, rules, samples if they are
%% wanted.  Answers are those of carrierscope_recorder: "csc-ok ..." or "csc-error Sentence".
%%
%% All ends when nobody asks for LeaseMs: a keeper that was killed leaves nothing behind.  It waits in gen_server, as processes
%% that wait in a module do not survive its second load; carrierscope_lease unhooks if it is ended in the midst of something.
-module(carrierscope_keeper).
-behaviour(gen_server).
-export([hello/1, start/2, status/0, minute/0, stop/0, stop/1]).
-export([init/1, handle_call/3, handle_cast/2, handle_info/2]).
%% For carrierscope_push.
-export([look/1, found/3, largest/1, pid/1]).

-define(BY, "carrierscope keep").

%% How often the rules are looked at, in ms.
-define(LOOK, 1000).

%% Growth is that of so many of these.
-define(MINUTE, 60).

%% The same rule raises no second alarm before so long, in ms.
-define(QUIET, 600000).

%% Until it asks for the first time a keeper may have been killed while it began; in ms.
-define(FIRST_LEASE, 20000).

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

%% "csc-ok OsPid@Namespace Release".  Token is the same for each run of the same keeper: it may take over.
hello(Token) ->
    case {carrierscope:info(), holder()} of
        {{error, Sentence}, _} -> "csc-error " ++ Sentence;
        {#{lttng := false}, _} -> carrierscope_recorder:hello();
        {_, Other} when Other =/= none, Other =/= Token -> kept();
        _ -> "csc-ok " ++ carrierscope_lease:os_pid() ++ " " ++ erlang:system_info(otp_release)
    end.

%% Not a persistent term: each change of a list there is a collection of garbage of all processes.
holder() ->
    try gen_server:call(?MODULE, token, infinity) catch exit:_ -> none end.

%% Options:
%%   token         see hello/1
%%   by            the keeper, for others to read
%%   mark          see stop/1
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
        false -> kept()
    end.

kept() ->
    "csc-error the node is kept by another keeper already, " ++ try gen_server:call(?MODULE, who, infinity) catch exit:_ -> "which ends" end.

begins(Options, LeaseMs) ->
    case gen_server:start({local, ?MODULE}, ?MODULE, {Options, LeaseMs}, []) of
        {ok, Pid} -> "csc-ok " ++ gen_server:call(Pid, warning, infinity);
        {error, {shutdown, {?MODULE, Sentence}}} -> "csc-error " ++ Sentence;
        {error, Reason} -> "csc-error " ++ shown(Reason)
    end.

%% Who guards them is none where nothing is hooked.
hooks(0, _) ->
    {ok, none};
hooks(Bytes, By) ->
    Guard = carrierscope_lease:guard(self()),
    case carrierscope:start(#{sample => {bytes, Bytes}, by => By}) of
        {ok, _} -> {ok, Guard};
        Error -> carrierscope_lease:drop(Guard), Error
    end.

unhooks(none) ->
    ok;
unhooks(Guard) ->
    _ = carrierscope:stop(),
    carrierscope_lease:drop(Guard).

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

%% The same for a keeper that was killed: what another one began since stays.
stop(Mark) ->
    case try gen_server:call(?MODULE, mark, infinity) catch exit:_ -> none end of
        Mark -> stop();
        _ -> "csc-ok"
    end.

asks(What) ->
    Monitor = monitor(process, ?MODULE),
    Answer = try gen_server:call(?MODULE, What, infinity)
             catch exit:_ when What =:= stop -> "csc-ok"; exit:_ -> "csc-error nothing is recorded any more"
             end,
    _ = What =:= stop andalso receive {'DOWN', Monitor, process, _, _} -> ok end,
    demonitor(Monitor, [flush]),
    Answer.

%% @private
init({#{sample := Sample} = Options, LeaseMs}) ->
    _ = process_flag(priority, high),
    case hooks(Sample, maps:get(by, Options, ?BY)) of
        {ok, Guard} -> safely(fun() -> waits(ok, first(Options, LeaseMs, Guard)) end);
        {error, Sentence} -> {stop, {shutdown, {?MODULE, Sentence}}}
    end.

first(#{token := Token, every := Every, sample := Sample, rules := Rules} = Options, LeaseMs, Guard) ->
    {ok, _} = carrierscope:snapshot(#{holders => 5}),
    Settings = carrierscope_snapshot:options(carrierscope_native:allocators()),
    ok = carrierscope_nif:emit([{option, Allocator, text(Name), text(Value)} || {Allocator, Name, Value} <- Settings]),
    Watch = carrierscope_memory:watch(),
    Warning = lists:append(lists:join("; ", [W || W <- [watches(Rules), room(maps:get(least_ring, Options, none)) |
                                                        blind(carrierscope_memory:unread(Watch), Rules)], W =/= ""])),
    Now = now_ms(),
    #{token => Token, mark => maps:get(mark, Options, none), by => maps:get(by, Options, ?BY), since => calendar:system_time_to_rfc3339(erlang:system_time(second)), warning => Warning, every => Every, sample => Sample, guard => Guard, rules => Rules,
      quiet => maps:get(quiet, Options, ?QUIET), lease => LeaseMs,
      until => Now + min(LeaseMs, ?FIRST_LEASE), next => Now, look => Now, alarms => 0, snapshots => 0, last => "", silent => #{},
      resident => unknown, free => unknown, share => unknown, watch => Watch, history => [],
      at_alarm => maps:get(at_alarm, Options, none), sampling => none, sampled => 0,
      hours => maps:get(hours, Options, none), before_hours => 0, most => most_figures(maps:get(least_ring, Options, none)),
      minute => "@; "}.

%% A process that fails is reported with all it has; ours is ended by one sentence.
safely(Do) ->
    try Do()
    catch
        Class:Reason ->
            Sentence = atom_to_list(Class) ++ ": " ++ shown(Reason),
            logger:error("carrierscope: its keeper ends: ~ts", [Sentence]),
            {stop, {shutdown, {?MODULE, Sentence}}}
    end.

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
    {Rows, _} = carrierscope_snapshot:fit(carrierscope_snapshot:rows(0, carrierscope_native:allocators()), most_figures(Ring)),
    case ?OTHERS + ?ROW * length(Rows) of
        Bytes when 2 * Bytes > Ring ->
            lists:flatten(io_lib:format("a snapshot of this node takes ~.1f MiB, and LTTng's ring of a processor holds ~.1f MiB: what is "
                                        "kept may not be whole unless --memory is ~b times as large",
                                        [Bytes / 1048576, Ring / 1048576, ceil(2 * Bytes / Ring)]));
        _ -> ""
    end.

%% Rules that raise no alarm, as the kernel's files cannot be read.
blind(Unread, Rules) ->
    [line([binary_to_list(File), case Why of no_groups -> " names no control groups that are mounted"; _ -> [" cannot be read (", atom_to_list(Why), $)] end,
           ": ", means(What, lists:append(lists:join(", ", Named)))])
     || {What, File, Why} <- Unread, Named <- [[atom_to_list(Rule) || Rule <- concerned(What), is_map_key(Rule, Rules)]], Named =/= []].

concerned(resident) -> [rss, rss_share, growth];
concerned(free) -> [rss_share];
concerned(limited) -> [cgroup_share, rss_share].

means(limited, Named) -> ["whether a control group limits this node is not known, and no alarm of ", Named, " is by such a limit"];
means(_, Named) -> ["no alarm is raised of ", Named].

most_figures(none) -> all;
most_figures(Ring) -> max(0, (Ring div 2 - ?OTHERS) div ?ROW).

unwatches() ->
    case erlang:system_monitor() of
        {Pid, _} when Pid =:= self() -> erlang:system_monitor(undefined);
        _ -> ok
    end.

%% @private
handle_call(token, _, #{token := Token} = State) ->
    waits({reply, Token}, State);
handle_call(mark, _, #{mark := Mark} = State) ->
    waits({reply, Mark}, State);
handle_call(who, _, #{by := By, since := Since} = State) ->
    waits({reply, lists:append([By, ", since ", Since])}, State);
handle_call(warning, _, #{warning := Warning} = State) ->
    waits({reply, Warning}, State);
handle_call(status, _, #{lease := LeaseMs} = State) ->
    waits({reply, "csc-ok " ++ answer(State)}, State#{until := now_ms() + LeaseMs});
handle_call(minute, _, #{lease := LeaseMs, minute := Minute} = State) ->
    waits({reply, "csc-ok " ++ Minute ++ answer(State)}, State#{until := now_ms() + LeaseMs});
handle_call(stop, _, State) ->
    ends(State),
    {stop, normal, "csc-ok", State}.

%% @private
handle_cast(_, State) ->
    waits(noreply, State).

%% @private
handle_info(Info, State) ->
    case safely(fun() -> handled(Info, State) end) of
        {stop, Reason} -> {stop, Reason, State};
        Turn -> Turn
    end.

handled(timeout, State) ->
    due(now_ms(), State);
handled({monitor, Pid, large_heap, Sizes}, State) ->
    waits(noreply, heap(Pid, Sizes, State));
handled({monitor, Pid, long_gc, Facts}, State) ->
    waits(noreply, alarm(long_gc, proplists:get_value(timeout, Facts, 0), pid(Pid), State));
handled(_, State) ->
    waits(noreply, State).

waits(Turn, #{next := Next, look := Look, until := Until, sampling := Sampling} = State) ->
    Left = max(0, lists:min([Next, Look, Until] ++ [When || {_, When} <- [Sampling]]) - now_ms()),
    case Turn of
        {reply, Answer} -> {reply, Answer, State, Left};
        _ -> {Turn, State, Left}
    end.

due(Now, #{until := Until} = State) when Now >= Until ->
    logger:warning("carrierscope: its keeper has not asked for ~b ms, nothing is recorded any more", [maps:get(lease, State)]),
    ends(State),
    {stop, normal, State};
due(Now, #{sampling := {from, When}} = State) when Now >= When ->
    waits(noreply, samples(State));
due(Now, #{sampling := {until, When}} = State) when Now >= When ->
    waits(noreply, sampled(snapshot(State)));
due(Now, #{next := Next, every := Every} = State) when Now >= Next ->
    %% What was missed is not made up for.
    waits(noreply, heaps(snapshot(State#{next := max(Next + Every, Now)})));
due(Now, #{look := Look} = State) when Now >= Look ->
    waits(noreply, rules(State#{look := max(Look + ?LOOK, Now)}));
due(_, State) ->
    waits(noreply, State).

ends(#{guard := Guard}) ->
    _ = unwatches(),
    unhooks(Guard).

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
    Numbers = carrierscope_native:allocators(),
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
    case hooks(Bytes, maps:get(by, State)) of
        {ok, Guard} -> State#{sampling := {until, now_ms() + Ms}, guard := Guard};
        {error, Sentence} ->
            logger:warning("carrierscope: no samples at an alarm: ~ts", [Sentence]),
            State#{sampling := none}
    end.

sampled(#{sampled := Sampled, guard := Guard} = State) ->
    unhooks(Guard),
    State#{sampling := none, sampled := Sampled + 1, guard := none}.

%%% Rules

rules(#{rules := Rules} = State) ->
    maps:fold(fun rule/3, look(State), Rules).

%% What the rules are looked at with.
look(#{history := History} = State) ->
    #{resident := Resident} = Read = looks(look, State),
    Read#{history := lists:sublist([Resident | History], ?MINUTE + 1)}.

looks(How, #{watch := Watch} = State) ->
    {Resident, Free, Share, Again} = case How of
                                         look -> carrierscope_memory:look(Watch);
                                         look_anew -> carrierscope_memory:look_anew(Watch)
                                     end,
    State#{resident := Resident, free := Free, share := Share, watch := Again}.

rule(Reason, Threshold, State) ->
    case not is_silent(Reason, State) andalso found(Reason, Threshold, State) of
        false -> State;
        {false, Read} -> Read;
        {Value, Read} -> alarm(Reason, Value, "", Read)
    end.

%% The value beyond the threshold, or false.  A limit that was raised meanwhile is no alarm.
found(Reason, Threshold, State) ->
    case beyond(Reason, Threshold, State) of
        false -> {false, State};
        _ when Reason =:= rss_share; Reason =:= cgroup_share ->
            Anew = looks(look_anew, State),
            {beyond(Reason, Threshold, Anew), Anew};
        Value -> {Value, State}
    end.

%% The value, or false.
beyond(rss, Threshold, #{resident := Resident}) when is_integer(Resident), Resident > Threshold ->
    Resident;
beyond(rss_share, Threshold, #{resident := Resident, free := {Free, _}})
  when is_integer(Resident), 100 * Resident > Threshold * (Resident + Free) ->
    100 * Resident div (Resident + Free);
beyond(cgroup_share, Threshold, #{share := Share}) when is_integer(Share), Share > Threshold ->
    Share;
beyond(growth, Threshold, #{resident := Resident, history := History}) when is_integer(Resident) ->
    Grown = Resident - lists:min(History),
    Grown > Threshold andalso Grown;
beyond(failures, Threshold, #{sample := Sample, sampling := Sampling}) when Sample > 0; is_tuple(Sampling) ->
    case carrierscope:info() of
        #{failures := Failures} when Failures > Threshold -> Failures;
        _ -> false
    end;
beyond(_, _, _) ->
    false.

%% Where another process is the system monitor: the largest heaps that the last snapshot found.
heaps(#{rules := #{large_heap := Threshold}} = State) ->
    case erlang:system_monitor() of
        {Monitor, _} when Monitor =/= self() ->
            case largest(Threshold) of
                none -> State;
                {Most, Pid} -> alarm(large_heap, Most, pid(Pid), State)
            end;
        _ -> State
    end;
heaps(State) ->
    State.

%% {Bytes, Pid}, or none, of those that the last snapshot of this process listed.
largest(Threshold) ->
    Bytes = erlang:system_info(wordsize),
    case [{Words * Bytes, Pid} || Pid <- carrierscope_holders:known(),
                                  {_, Words} <- [process_info(Pid, total_heap_size)], Words * Bytes > Threshold] of
        [] -> none;
        Large -> lists:max(Large)
    end.

heap(Pid, Sizes, State) ->
    Words = lists:sum([proplists:get_value(Key, Sizes, 0)
                       || Key <- [heap_block_size, old_heap_block_size, mbuf_size]]),
    alarm(large_heap, Words * erlang:system_info(wordsize), pid(Pid), State).

%% What was read then is recorded before anybody is called.
alarm(Reason, Value, Detail, #{rules := Rules, silent := Silent, quiet := Quiet, alarms := Alarms} = State) ->
    case is_silent(Reason, State) of
        true ->
            State;
        false ->
            Now = now_ms(),
            Threshold = maps:get(Reason, Rules, 0),
            ok = carrierscope_nif:emit([{alarm, text(atom_to_list(Reason)), Value, Threshold, text(Detail)}]),
            Taken = snapshot_for_hours(?OF_ALARM, State),
            wants_samples(Taken#{alarms := Alarms + 1, silent := Silent#{Reason => Now + Quiet},
                   last := lists:append([atom_to_list(Reason), " ", integer_to_list(Value), " ",
                                         integer_to_list(Threshold), " ", Detail])})
    end.

%% It has raised an alarm not long ago.
is_silent(Reason, #{silent := Silent}) ->
    case Silent of
        #{Reason := Until} -> now_ms() < Until;
        #{} -> false
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

shown(Reason) ->
    line(io_lib:format("~0P", [Reason, 20])).

line(Text) ->
    [if Char < $\s; Char > $~; Char =:= $"; Char =:= $\\ -> $?; true -> Char end
     || Char <- lists:sublist(lists:flatten(Text), 300)].

%% For C: ends in a zero byte.
text(Text) ->
    iolist_to_binary([Text, 0]).
