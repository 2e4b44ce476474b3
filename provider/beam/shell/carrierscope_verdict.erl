%% SPDX-License-Identifier: MIT
%% @private
%% What can be said of a node by readings of some seconds, in the node itself: a part of what schema/judge says of the same readings, by
%% the same rules and thresholds.  It names who grew where one holder has half of the growth or more and grew beside its allocator.
%% Whatever else may be so is unknown, with what to do to know it: mechanisms, limits, remedies and what was long ago are for carrierscope.
-module(carrierscope_verdict).
-export([collects/2, judges/1, judge/3]).

%% Thresholds, as schema/judge/threshold.sql has them: bytes, and entries of what is counted.
-define(LEAST, 1048576).
-define(MATTER, 8388608).
-define(MATTER_SHARE, 0.1).
-define(DAY_BYTES, 1073741824).
-define(LOW_USE, 0.5).
-define(GOOD_USE, 0.8).
-define(POOL_SHARE, 0.5).
%% A shorter look at a node counts less growth for as much.
-define(FULL_SECONDS, 30).
-define(LEAST_SHARE, 0.0625).
-define(COUNTS, [{atoms, 1000}, {modules, 10}, {processes, 100}, {ports, 100}, {tables, 100}]).

%% Of a holder whose allocator does not rise as it does: z of its own trend.
-define(SURE_Z, 3).

%% Holders that grew which the map lists, at most.
-define(GROWERS, 5).

-define(MIB, 1048576).

-type level() :: carrierscope_level:level().
%% Name, number in the readings; what holders are called by their identifiers.
-type names() :: #{allocators := [{non_neg_integer(), atom()}], holders := #{binary() => string()}}.

%%% By the process that takes snapshots

-spec collects(pid(), [tuple()]) -> ok.
collects(Owner, Rows) ->
    lists:foreach(fun(Row) -> collect(Owner, Row) end, Rows).

%% What is collected of a snapshot, and whose names were sent, are in the dictionary of who takes them.
collect(Owner, Row) ->
    case get(?MODULE) of
        %% The first; a second time where one listed too much, and another process lists fewer holders.
        undefined ->
            Owner ! {?MODULE, begins, carrierscope_native:allocators()},
            put(?MODULE, collected(Owner, Row, {#{}, #{}}));
        Collected -> put(?MODULE, collected(Owner, Row, Collected))
    end.

collected(_, {snapshot, _, _}, {_, Known}) ->
    {#{}, Known};
collected(Owner, {done, _, _}, {Level, Known}) ->
    Resident = [{resident, Bytes} || Bytes <- carrierscope_push:resident()],
    %% Small: what we keep of them is no growth of the node.
    Owner ! {?MODULE, level, erlang:monotonic_time(millisecond) / 1000, term_to_binary(maps:merge(Level, maps:from_list(Resident)), [compressed])},
    {#{}, Known};
collected(Owner, Row, {Level, Known}) ->
    New = maps:without(maps:keys(Known), carrierscope_level:names([Row])),
    _ = map_size(New) > 0 andalso (Owner ! {?MODULE, names, New}),
    {carrierscope_level:add(Row, Level), maps:merge(Known, maps:map(fun(_, _) -> true end, New))}.

%%% By the process that asked for them

%% Of what was sent to this process.
-spec judges(map()) -> {ok, string(), map()}.
judges(Written) ->
    {Levels, Names} = received([], #{allocators => [], holders => #{}}),
    {Sentence, Verdict} = judge(Levels, Names, Written),
    {ok, Sentence, Verdict}.

received(Levels, #{holders := Holders} = Names) ->
    receive
        {?MODULE, begins, Allocators} -> received([], Names#{allocators := Allocators});
        {?MODULE, names, New} -> received(Levels, Names#{holders := maps:merge(Holders, New)});
        {?MODULE, level, Seconds, Level} -> received([{Seconds, Level} | Levels], Names)
    after 0 -> {[{Seconds, binary_to_term(Level)} || {Seconds, Level} <- lists:reverse(Levels)], Names}
    end.

%% {Sentence, #{class => leak | growth | fragmentation | pooled | normal | unknown, ...}}
-spec judge([{number(), level()}], names(), map()) -> {string(), map()}.
judge(Levels, _, Written) when length(Levels) < 5 ->
    said(unknown, ["only ", integer_to_list(length(Levels)), " snapshots were taken of this node. ", record(#{}, Written)],
         maps:without([asked_seconds], Written#{snapshots => length(Levels)}));
judge(Levels, Names, Written) ->
    {First, _} = hd(Levels),
    {Last, Level} = lists:last(Levels),
    Seconds = Last - First,
    Share = min(1.0, max(?LEAST_SHARE, Seconds / ?FULL_SECONDS)),
    Curves = [Curve || #{key := Key} = Curve <- curves(Levels, Names, Share), not is_own(Key, Names)],
    Places = places(Level, Names),
    Facts = maps:merge(maps:without([asked_seconds], Written),
                       #{snapshots => length(Levels), seconds => Seconds,
                         fragmented => [{Name, mib(Multi - Used)} || #{name := Name, is_fragmented := true, multi := Multi, used := Used} <- Places],
                         pooled_mib => mib(lists:sum([Pool || #{pool := Pool} <- Places])),
                         growers => [grower(Curve, Names) || Curve <- lists:sublist(growers(Curves), ?GROWERS)]}),
    {Class, Text, More} = decide(Curves, Places, Names, Seconds, Share),
    Next = case lists:member(Class, [unknown, growth]) of true -> [" ", record(Facts, Written)]; false -> "" end,
    said(Class, [Text, Next], maps:merge(Facts, More)).

said(Class, Text, Facts) ->
    Head = string:to_upper(atom_to_list(Class)),
    {lists:flatten([Head, ": ", Text]), Facts#{class => Class}}.

%% How to know more: longer, or by the whole judge.
record(#{file := File}, _) ->
    ["To know more: carrierscope ", File];
record(_, #{asked_seconds := Seconds}) ->
    io_lib:format("To know more: carrierscope:record(#{seconds => ~b, file => \"/tmp/node.csp\"}), then carrierscope /tmp/node.csp",
                  [max(60, min(604800, 6 * Seconds))]).

%%% Curves

%% [#{key, name, state, trend}]
curves(Levels, #{allocators := Numbers}, Share) ->
    Allocators = [{{allocator, Name}, [{Seconds, blocks(Number, Level)} || {Seconds, Level} <- Levels]} || {Number, Name} <- Numbers],
    Outside = [{outside, [{Seconds, Bytes - max(maps:get(mapped, Level, 0), carriers(Level))} || {Seconds, #{resident := Bytes} = Level} <- Levels]}],
    Counted = [{{count, What}, [{Seconds, map_get({count, What}, Level)} || {Seconds, Level} <- Levels]} || {What, _} <- ?COUNTS],
    [curve(Key, Points, Share) || {Key, Points} <- Allocators ++ Outside ++ Counted ++ held(Levels), Points =/= []].

curve(Key, Points, Share) ->
    Trend = carrierscope_trend:fit(Points),
    {Least, Matter} = least(Key, Share),
    #{key => Key, trend => Trend, state => carrierscope_trend:state(Trend, Least, Matter), jump => jump([Value || {_, Value} <- Points])}.

least({count, What}, _) -> {proplists:get_value(What, ?COUNTS), proplists:get_value(What, ?COUNTS)};
least({held, _, _, Type}, _) when Type =:= messages; Type =:= objects -> {100, 100};
least({allocator, temp_alloc}, _) -> {?LEAST, ?LEAST};
least(_, Share) -> {?LEAST, ?MATTER * Share}.

%% Who reads is no holder.
is_own({held, process, Pid, _}, #{holders := Holders}) -> maps:get(Pid, Holders, "") =:= "this recorder";
is_own(_, _) -> false.

%% By how much the last level is above all before.
jump(Values) ->
    max(0, lists:last(Values) - lists:max([0 | lists:droplast(Values)])).

blocks(Number, Level) -> sum(Number, [mbcs_blocks, sbcs_blocks, pool_blocks], Level).

sum(Number, Figures, Level) ->
    lists:sum([Value || {{carriers, N, _, Figure}, Value} <- maps:to_list(Level), N =:= Number, lists:member(Figure, Figures)]).

carriers(Level) ->
    lists:sum([Value || {{carriers, _, _, Figure}, Value} <- maps:to_list(Level), lists:member(Figure, [mbcs_carriers, sbcs_carriers, pool_carriers])]).

%% Of holders that were listed each time, or came when all of their kind were looked at.
held(Levels) ->
    Keys = lists:usort([Key || {_, Level} <- Levels, {held, _, _, _} = Key <- maps:keys(Level)]),
    [{Key, Points} || Key <- Keys, Points <- [points(Key, Levels)], length(Points) >= 3].

points({held, Kind, _, Type} = Key, Levels) ->
    Listed = lists:dropwhile(fun({_, Level}) -> not is_map_key(Key, Level) end, Levels),
    Before = lists:sublist(Levels, length(Levels) - length(Listed)),
    Known = [{Seconds, map_get(Key, Level)} || {Seconds, Level} <- Listed, is_map_key(Key, Level)],
    %% Just after a collection of the whole heap nothing has survived one.
    case length(Known) =:= length(Listed) orelse Type =:= survived of
        true when Before =:= []; Type =:= survived; Type =:= blocks -> Known;
        true ->
            {Seconds, Level} = lists:last(Before),
            [{Seconds, 0} || maps:get(Kind, maps:get(seen, Level, #{}), Kind =:= port)] ++ Known;
        false -> []
    end.

%% Holders of memory that grow, the fastest first.
growers(Curves) ->
    Growing = [{rate(Trend), Curve} || #{key := {held, _, _, Type}, state := grows, trend := Trend} = Curve <- Curves,
                                       lists:member(Type, [heap, binary, ets, port]), not is_garbage(Curve, Curves)],
    [Curve || {_, Curve} <- lists:reverse(lists:keysort(1, Growing))].

grower(#{key := {held, Kind, Id, Type}, trend := Trend}, Names) ->
    #{who => called(Kind, Id, Names), kind => Kind, type => Type, bytes_per_s => carrierscope_trend:rates(Trend)}.

%%% Which of them says what

decide(Curves, Places, Names, Seconds, Share) ->
    {Room, Rising} = lists:partition(fun(Curve) -> is_room(Curve, Curves) end, [Curve || #{key := {allocator, _}, state := grows} = Curve <- Curves]),
    %% Heaps grow in steps, each longer than the last, while what is in them rises steadily.
    Steps = Room ++ [Curve || #{key := {allocator, _}, state := open} = Curve <- Curves],
    Named = [{Curve, Holder} || #{state := State} = Curve <- Rising ++ Steps, Holder <- [holder(Curve, Curves)], Holder =/= none,
                                State =:= grows andalso not lists:member(Curve, Room) orelse is_sure(Holder)],
    Leaks = [Pair || {_, #{trend := Trend}} = Pair <- Named, rate(Trend) * 86400 >= ?DAY_BYTES],
    Open = [Curve || #{key := Key, state := State, jump := Jump} = Curve <- Curves, is_judged(Key),
                     State =:= open orelse Jump >= ?MATTER * Share],
    Apart = [Curve || #{key := {held, Kind, _, Type}, state := grows} = Curve <- Curves,
                      Kind =:= table andalso Type =:= ets orelse Kind =:= process andalso Type =:= binary, is_sure(Curve)],
    Counted = [Curve || #{key := {count, _}, state := grows} = Curve <- Curves],
    Outside = [Curve || #{key := outside, state := State} = Curve <- Curves, State =:= grows orelse State =:= open],
    if
        Leaks =/= [] -> leak(most(Leaks), Names);
        Rising =/= [] -> growth(most(Rising), Curves, Names);
        Apart =/= [] -> apart(most(Apart), Names);
        Counted =/= [] -> counted(hd(Counted));
        true -> still(Room ++ Open, Outside, Curves, Places, Names, Seconds, Share)
    end.

%% Blocks of one heap that was there explain it: how much of them is in use may swing.
is_room(#{key := {allocator, eheap_alloc}, trend := #{first := First, last := Last}}, Curves) ->
    [] =/= [Heap || #{key := {held, process, _, blocks}, trend := #{first := Begin, last := End} = Heap} <- Curves, 2 * (End - Begin) >= Last - First];
is_room(_, _) ->
    false.

is_sure(#{trend := #{z := Z}}) -> Z >= ?SURE_Z.

is_judged({allocator, _}) -> true;
is_judged(_) -> false.

rate(#{rate := Rate}) -> Rate.

most(List) ->
    {_, Most} = lists:last(lists:keysort(1, [{rate(map_get(trend, case Each of {Curve, _} -> Curve; _ -> Each end)), Each} || Each <- List])),
    Most.

%% Who has half of what an allocator gained, and more of it than another.
holder(#{key := {allocator, Name}, trend := #{grown := Grown}}, Curves) ->
    Kinds = case Name of
                eheap_alloc -> [{process, heap}];
                %% What waits to be sent is in binaries.
                binary_alloc -> [{process, binary}, {port, port}];
                ets_alloc -> [{table, ets}];
                driver_alloc -> [{port, port}];
                _ -> []
            end,
    Candidates = [{More, Curve} || #{key := {held, Kind, _, Type}, state := grows, trend := #{grown := More}} = Curve <- Curves,
                                   lists:member({Kind, Type}, Kinds), 2 * More >= Grown, not is_garbage(Curve, Curves)],
    case lists:sort(Candidates) of
        [] -> none;
        Sorted -> element(2, lists:last(Sorted))
    end.

%% What rises in a heap that was there and was not collected yet.
is_garbage(#{key := {held, process, Pid, heap}, trend := #{grown := Grown, points := Points}}, Curves) ->
    Beside = maps:from_list([{Type, Curve} || #{key := {held, process, P, Type}} = Curve <- Curves, P =:= Pid]),
    case Beside of
        #{survived := #{trend := #{points := Count, swing := Swing} = Trend, state := State}} when Count >= 0.75 * Points, Swing < 0.3 * Grown ->
            maps:get(grown, Trend) < 0.3 * Grown orelse State =:= over;
        #{blocks := #{trend := #{grown := More}, state := State}} -> More < 0.3 * Grown orelse State =:= over;
        _ -> true
    end;
is_garbage(_, _) ->
    false.

leak({#{key := {allocator, Allocator}}, #{key := {held, Kind, Id, Type}, trend := Trend}}, Names) ->
    Name = called(Kind, Id, Names),
    {leak, io_lib:format("~ts gains ~ts of ~ts, and has not fallen back in ~.1f s.",
                         [Name, speed(Trend), what(Type), maps:get(seconds, Trend)]),
     (gained(Trend))#{who => Name, kind => Kind, id => carrierscope_level:plain(Id), allocator => Allocator}}.

growth(#{key := {allocator, Allocator}, trend := Trend} = Curve, Curves, Names) ->
    Beside = [{N, [called(Kind, Id, Names), " gains"], Type, T} || #{key := {held, Kind, Id, Type}, state := grows, trend := #{grown := N} = T} <- Curves,
                                                                Type =:= messages orelse Type =:= objects],
    %% New processes have what nobody of them has much of.
    Counted = [{N, "this node gains", What, T} || #{key := {count, What}, state := grows, trend := #{grown := N} = T} <- Curves],
    Whose = case {holder(Curve, Curves), lists:sort(Counted) ++ lists:sort(Beside)} of
                {#{key := {held, Kind, Id, _}}, _} -> ["; ", called(Kind, Id, Names), " has most of it"];
                {none, []} -> "; nobody that was looked at has half of it";
                {none, Sorted} ->
                    {_, Who, Type, T} = lists:last(Sorted),
                    io_lib:format("; nobody that was looked at has half of it, but ~ts ~.1f ~ts/s beside it", [Who, float(rate(T)), Type])
            end,
    {growth, [atom_to_list(Allocator), " gains ", speed(Trend), Whose, "."], (gained(Trend))#{allocator => Allocator}}.

apart(#{key := {held, Kind, Id, Type}, trend := Trend}, Names) ->
    Name = called(Kind, Id, Names),
    {growth, [Name, " gains ", speed(Trend), " of ", what(Type), ", while others give as much back."],
     (gained(Trend))#{who => Name, kind => Kind, id => carrierscope_level:plain(Id)}}.

counted(#{key := {count, What}, trend := Trend}) ->
    {Low, Rate, High} = carrierscope_trend:rates(Trend),
    {growth, io_lib:format("this node gains ~.1f ~ts/s (~.1f to ~.1f).", [Rate, What, Low, High]),
     #{what => What, per_s => {Low, Rate, High}}}.

gained(#{grown := Grown} = Trend) ->
    #{grown_bytes => Grown, bytes_per_s => carrierscope_trend:rates(Trend)}.

called(Kind, Id, #{holders := Holders}) ->
    Text = carrierscope_level:plain(Id),
    case maps:get(Id, Holders, "") of
        Name when Kind =:= table -> "table " ++ Name;
        "" -> Text;
        Name -> Text ++ " " ++ Name
    end.

what(heap) -> "heap";
what(binary) -> "binaries";
what(ets) -> "rows";
what(port) -> "queued data".

speed(Trend) ->
    {Low, Rate, High} = carrierscope_trend:rates(Trend),
    io_lib:format("~.2f MiB/s (~.2f to ~.2f)", [Rate / ?MIB, Low / ?MIB, High / ?MIB]).

%%% Nothing is seen to grow

still(Open, Outside, Curves, Places, Names, Seconds, Share) ->
    Total = lists:sum([Carriers || #{carriers := Carriers} <- Places]),
    Fragmented = [Place || #{is_fragmented := true, waste := Waste} = Place <- Places, Waste >= ?MATTER_SHARE * Total],
    Pool = lists:sum([Pooled || #{pool := Pooled} <- Places]),
    Pooled = [Name || #{name := Name, pool := Some} <- Places, Some >= ?MATTER, Some >= ?MATTER_SHARE * Total],
    Doubt = [Place || #{may_be_fragmented := true} = Place <- Places],
    Power = lists:max([carrierscope_trend:power(Trend, State, ?LEAST) 
                       || #{key := Key, state := State, trend := Trend} <- Curves, Key =:= outside orelse is_judged(Key)]),
    Unseen = io_lib:format(" What grows by less than ~.2f MiB/s is not seen.", [Power / ?MIB]),
    Rose = lists:max([0 | [Grown || #{trend := #{grown := Grown}} <- Outside]]),
    Idle = lists:max([0 | [Waste + Waiting || #{waste := Waste, pool := Waiting} <- Doubt]]),
    %% Growth that may be over does not hide what is known, and larger.
    Seen = lists:max([0 | [max(maps:get(grown, Trend), Jump) || #{trend := Trend, jump := Jump} <- Open]]) / Share,
    case {Open, Fragmented} of
        {[], [_ | _]} ->
            {fragmentation, Sentence, Verdict} = fragmentation(largest(Fragmented)),
            {fragmentation, [Sentence, Unseen], Verdict#{unseen_bytes_per_s => Power}};
        {[_ | _], [_ | _]} ->
            #{waste := Waste} = Place = largest(Fragmented),
            if Waste > Seen -> fragmentation(Place); true -> open(hd(Open), growers(Curves), Names) end;
        {[_ | _], []} -> open(hd(Open), growers(Curves), Names);
        {[], []} when Rose > 0, Rose >= Idle ->
            {unknown, io_lib:format("memory outside the allocators rose by ~.1f MiB in ~.1f s.", [Rose / ?MIB, Seconds]), #{}};
        {[], []} when Doubt =/= [] ->
            #{name := Name, waste := Waste, pool := Waiting} = largest(Doubt),
            {unknown, io_lib:format("~ts keeps ~.1f MiB empty and ~.1f MiB in the pool: after a peak, or as live blocks pin it.",
                                    [Name, Waste / ?MIB, Waiting / ?MIB]), #{allocator => Name}};
        {[], []} when Pooled =/= [] ->
            {pooled, io_lib:format("~.1f MiB of ~.1f MiB are in half-empty carriers that schedulers handed back.~ts", [Pool / ?MIB, Total / ?MIB, Unseen]),
             #{unseen_bytes_per_s => Power}};
        {[], []} when Power * Seconds >= ?MATTER ->
            {unknown, io_lib:format("nothing grew that can be told from how the load swings, but ~.2f MiB/s may hide in that.", [Power / ?MIB]),
             #{unseen_bytes_per_s => Power}};
        {[], []} ->
            {normal, io_lib:format("nothing grew by more than ~.2f MiB/s in ~.1f s, and no allocator is fragmented.", [Power / ?MIB, Seconds]),
             #{unseen_bytes_per_s => Power}}
    end.

open(#{key := {allocator, Allocator}, trend := #{grown := Grown, seconds := Seconds}, jump := Jump}, Growers, Names) ->
    Beside = case Growers of
                 [] -> "";
                 [#{key := {held, Kind, Id, Type}, trend := Trend} | _] ->
                     [" ", called(Kind, Id, Names), " gained most: ", speed(Trend), " of ", what(Type), "."]
             end,
    {unknown, [io_lib:format("~ts rose by ~.1f MiB in ~.1f s, and whether that goes on is not to be seen.",
                             [Allocator, max(Grown, Jump) / ?MIB, Seconds]), Beside], #{allocator => Allocator}}.

fragmentation(#{name := Name, multi := Multi, used := Used}) ->
    {fragmentation, io_lib:format("~ts keeps ~.1f MiB in multi-block carriers and uses ~b % of them: ~.1f MiB are empty.",
                                  [Name, Multi / ?MIB, round(100 * Used / Multi), (Multi - Used) / ?MIB]),
     #{allocator => Name, empty_bytes => Multi - Used}}.

largest(Places) ->
    element(2, lists:last(lists:sort([{Waste + Pool, Place} || #{waste := Waste, pool := Pool} = Place <- Places]))).

%% Of each allocator what is empty in its carriers, but for one that each instance just fills.
places(Level, #{allocators := Numbers}) ->
    Uses = maps:to_list(carrierscope_level:use(Level)),
    Pool = lists:sum([Bytes || {_, #{pool_carriers := Bytes}} <- Uses]),
    Total = lists:sum([Mbcs + Sbcs + Pooled || {_, #{mbcs_carriers := Mbcs, sbcs_carriers := Sbcs, pool_carriers := Pooled}} <- Uses]),
    [place(Name, [Use || {{N, _}, Use} <- Uses, N =:= Number], Pool, Total) || {Number, Name} <- Numbers].

place(Name, Uses, AllPool, Total) ->
    Of = fun(Figure) -> lists:sum([map_get(Figure, Use) || Use <- Uses]) end,
    {Multi, Used, Count, Pool} = {Of(mbcs_carriers), Of(mbcs_blocks), Of(mbcs_count), Of(pool_carriers)},
    Filling = length([Use || #{mbcs_count := Some} = Use <- Uses, Some > 0]),
    Waste = max(0, Multi - Used - Filling * Multi div max(1, Count)),
    Idle = Waste + max(0, Pool - Of(pool_blocks)),
    IsFragmented = Multi > 0 andalso Used < ?LOW_USE * Multi andalso Waste >= ?MATTER andalso (AllPool < ?MATTER orelse Waste > Pool),
    #{name => Name, multi => Multi, used => Used, waste => Waste, pool => Pool, carriers => Multi + Pool + Of(sbcs_carriers),
      is_fragmented => IsFragmented,
      may_be_fragmented => not IsFragmented andalso
          (Waste >= ?MATTER andalso Used < ?GOOD_USE * Multi andalso Waste >= ?MATTER_SHARE * Total orelse
           Pool >= ?MATTER andalso Idle >= ?POOL_SHARE * Total)}.

mib(Bytes) -> round(1000 * Bytes / ?MIB) / 1000.
