%% SPDX-License-Identifier: MIT
%% @private
%% Whether a curve of levels grows, by the statistics of analyzer/judge/trend.c, which has why: minima of windows, the test of Mann and
%% Kendall for their order, Theil's and Sen's rate with its interval of 95 %.  What becomes of these is step _curve_state of
%% schema/judge/curve.sql.
-module(carrierscope_trend).
-export([fit/1, state/3, rates/1, power/3]).
-export_type([trend/0, state/0]).

-define(WINDOWS, 8).
-define(LEAST_WINDOWS, 4).
-define(LEAST_POINTS, 3).
%% From so many points on one that stands alone at the end does not count.
-define(MANY_POINTS, 8).
%% Levels of one swing: fewer do not show its trough.
-define(FEW_OF_SWING, 4).
-define(INTERVAL_Z, 1.96).
-define(POWER_SCATTER, 5.0).
%% What stood still for so much of the time, rising by no more than so much of what came then, began later.
-define(STILL_TIME, 0.25).
-define(STILL_PART, 0.1).
-define(BEGUN_PART, 0.02).

-type point() :: {Seconds :: number(), Value :: number()}.
-type trend() :: #{points := non_neg_integer(), seconds := number(), _ => _}.
%% few: fewer than three points.
-type state() :: grows | open | over | flat | few.

%% Of points in the order of time.
-spec fit([point()]) -> trend().
fit([{From, First} | _] = Points) when length(Points) >= ?LEAST_POINTS ->
    {To, Last} = lists:last(Points),
    Values = [Value || {_, Value} <- Points],
    Range = lists:max(Values) - lists:min(Values),
    Swing = fall(Values),
    Falls = if Swing > 0.25 * Range -> falls(Values, 0.5 * Swing); true -> 0 end,
    Seconds = max(1.0e-9, To - From),
    Count = length(Points),
    Windows = lists:min([?WINDOWS, Count] ++ [Falls || Falls > 1]),
    Trend = #{points => Count, seconds => Seconds, windows => Windows, first => First, last => Last, swing => Swing,
              swing_seconds => if Falls > 0 -> Seconds / Falls; true -> 0.0 end},
    by_windows(Trend, Points, Windows, Falls, From, To, Range);
fit(Points) ->
    #{points => length(Points), seconds => 0.0}.

by_windows(#{seconds := Seconds} = Trend, Points, Windows, _, From, _, Range) when Windows < ?LEAST_WINDOWS ->
    maps:merge(Trend#{z => 0.0, rate => 0.0, rate_low => 0.0, rate_high => 0.0, scatter => 0.0, monotone => 0.0, trough => 0.0,
                      power => 2 * Range / Seconds},
               shape(Points, Seconds, From));
by_windows(#{seconds := Seconds, swing := Swing, points := Count} = Trend, Points, Windows, Falls, From, To, _) ->
    Swings = Falls > 1,
    {Part, Start} = if Swings -> {Points, From}; true -> begun(Points, From, To) end,
    {Minima, Above} = minima(Part, Windows, Start, To),
    Line = #{rate_high := High, scatter := Scatter} = line(Minima),
    Known = case Above of infinity -> Swing; _ -> Above end,
    %% Few levels of each swing: which part of it they are of drifts from one to the next.
    Trough = if Swings, Count < ?FEW_OF_SWING * Falls -> max(Known, 2 * Swing * Falls / Count); true -> Known end,
    Values = [Value || {_, Value} <- Minima],
    [{Begin, _} | _] = Minima,
    Shape = if Swings -> shape(Minima, To - Begin, Begin); true -> shape(Points, Seconds, From) end,
    maps:merge(maps:merge(maps:merge(Trend, Line), Shape),
               #{trough => Trough, monotone => monotone(Values), fallen => fall(Values),
                 power => max(0.0, High) + (?POWER_SCATTER * Scatter + if Swings -> 2 * Trough; true -> 0 end) / Seconds}).

%% The points from the last one before it rose, where it had stood still until then, and its time; else all.
begun(Points, From, To) ->
    Values = [Value || {_, Value} <- Points],
    Base = lists:min(Values),
    Grown = min_last(Values) - Base,
    {After, Before} = lists:splitwith(fun({_, Value}) -> Value >= Base + ?BEGUN_PART * Grown end, lists:reverse(Points)),
    case Before of
        [{Time, _} = Begin | Still] when length(After) + 1 >= ?MANY_POINTS, Time - From > ?STILL_TIME * (To - From) ->
            case lists:all(fun({_, Value}) -> Value =< Base + ?STILL_PART * Grown end, Still) of
                true -> {[Begin | lists:reverse(After)], Time};
                false -> {Points, From}
            end;
        _ -> {Points, From}
    end.

min_last(Values) ->
    [Last | Before] = lists:reverse(Values),
    if length(Values) >= ?MANY_POINTS -> min(Last, hd(Before)); true -> Last end.

%% The most that a curve falls from what it was at any time before.
fall([First | Rest]) ->
    element(2, lists:foldl(fun(Value, {High, Fall}) -> {max(High, Value), max(Fall, max(High, Value) - Value)} end, {First, 0}, Rest)).

%% How many times it fell by at least so much, and rose by as much in between.
falls([First | Rest], Least) ->
    {_, _, Falls} =
        lists:foldl(fun(Value, {Extreme, true, Falls}) when Value > Extreme -> {Value, true, Falls};
                       (Value, {Extreme, false, Falls}) when Value < Extreme -> {Value, false, Falls};
                       (Value, {Extreme, IsRising, Falls}) when abs(Value - Extreme) >= Least ->
                            {Value, not IsRising, if IsRising -> Falls + 1; true -> Falls end};
                       (_, Same) -> Same
                    end, {First, true, 0}, Rest),
    Falls.

%% The least of each window, where it was; and by how much the second least is higher, in the middle of the windows.
minima(Points, Windows, From, To) ->
    Part = (To - From) / Windows,
    {Minima, Above, _, _} =
        lists:foldl(fun(K, {Done, Above, Left, Before}) ->
                            End = From + Part * (K + 1),
                            {Within, More} = lists:splitwith(fun({Time, _}) -> K + 1 =:= Windows orelse Time < End end, Left),
                            case lists:keysort(2, Within) of
                                [] -> {[{From + Part * (K + 0.5), Before} | Done], [infinity | Above], More, Before};
                                [Least] -> {[Least | Done], [infinity | Above], More, element(2, lists:last(Within))};
                                [{_, One} = Least, {_, Second} | _] ->
                                    {[Least | Done], [Second - One | Above], More, element(2, lists:last(Within))}
                            end
                    end, {[], [], Points, element(2, hd(Points))}, lists:seq(0, Windows - 1)),
    %% An atom is larger than any number.
    {lists:reverse(Minima), lists:nth(Windows div 2 + 1, lists:sort(Above))}.

line(Minima) ->
    N = length(Minima),
    Pairs = [{B - A, (B - A) / max(1.0e-9, U - T)} || {I, {T, A}} <- numbered(Minima), {J, {U, B}} <- numbered(Minima), J > I],
    Slopes = lists:sort([Slope || {_, Slope} <- Pairs]),
    Count = length(Slopes),
    Rises = lists:sum([sign(Change) || {Change, _} <- Pairs]),
    Variance = variance([Value || {_, Value} <- Minima]),
    Spread = ?INTERVAL_Z * math:sqrt(N * (N - 1) * (2 * N + 5) / 18),
    Rate = (lists:nth((Count - 1) div 2 + 1, Slopes) + lists:nth(Count div 2 + 1, Slopes)) / 2,
    [{Begin, _} | _] = Minima,
    Residuals = [Value - Rate * (Time - Begin) || {Time, Value} <- Minima],
    Middle = lists:sum(Residuals) / N,
    #{z => if Variance > 0 -> (Rises - sign(Rises)) / math:sqrt(Variance); true -> 0.0 end,
      rate => Rate,
      rate_low => lists:nth(max(0, floor((Count - Spread) / 2) - 1) + 1, Slopes),
      rate_high => lists:nth(min(Count - 1, ceil((Count + Spread) / 2)) + 1, Slopes),
      scatter => math:sqrt(lists:sum([(Each - Middle) * (Each - Middle) || Each <- Residuals]) / N)}.

numbered(List) -> lists:zip(lists:seq(1, length(List)), List).

sign(Value) when Value > 0 -> 1;
sign(Value) when Value < 0 -> -1;
sign(_) -> 0.

%% Of the number of rises less falls, where values are equal.
variance(Values) ->
    N = length(Values),
    Ties = maps:values(lists:foldl(fun(Value, Seen) -> maps:update_with(Value, fun(Count) -> Count + 1 end, 1, Seen) end, #{}, Values)),
    (N * (N - 1) * (2 * N + 5) - lists:sum([Equal * (Equal - 1) * (2 * Equal + 5) || Equal <- Ties])) / 18.

monotone(Values) ->
    Net = lists:last(Values) - hd(Values),
    Falls = lists:sum([max(0, A - B) || {A, B} <- lists:zip(lists:droplast(Values), tl(Values))]),
    if Net > 0 -> Net / (Net + 2 * Falls); true -> 0.0 end.

%% Of its floor, of a moment the least from then to the end: how much it rose, when, and for how long it has stood still.
shape(Points, Seconds, From) ->
    Floors = floors(Points),
    [{_, Base} | _] = Floors,
    Grown = max(0, element(2, lists:last(Floors)) - Base),
    maps:merge(#{base => Base, grown => Grown, fallen => fall([Value || {_, Value} <- Points])}, rise(Floors, Base, Grown, Seconds, From)).

floors(Points) ->
    [{Time, _} | Before] = lists:reverse(Points),
    Alone = min_last([Value || {_, Value} <- Points]),
    lists:foldl(fun({T, Value}, [{_, Least} | _] = Done) -> [{T, min(Value, Least)} | Done] end, [{Time, Alone}], Before).

rise(_, _, Grown, Seconds, _) when Grown =< 0 ->
    #{begin_seconds => 0.0, grow_seconds => 0.0, pause_seconds => 0.0, early_pause_seconds => 0.0, quiet_seconds => Seconds, late_share => 0.0};
rise(Floors, Base, Grown, Seconds, From) ->
    Reached = fun(Share) -> reached(Floors, Base + Share * Grown) - From end,
    Start = Reached(?BEGUN_PART),
    Begin = case [Time - From || {Time, _} <- Floors, Time - From < Start] of [] -> 0.0; Earlier -> lists:last(Earlier) end,
    {End, Pause, Early} =
        lists:foldl(fun(Tenth, {Before, Longest, First}) ->
                            At = Reached(if Tenth =:= 10 -> 0.98; true -> Tenth / 10 end),
                            Now = max(Longest, At - Before),
                            {At, Now, if Tenth =< 7 -> Now; true -> First end}
                    end, {Start, 0.0, 0.0}, lists:seq(1, 10)),
    Third = Begin + (Seconds - Begin) * 2 / 3,
    At = [Value || {Time, Value} <- Floors, Time - From =< Third],
    #{begin_seconds => Begin, grow_seconds => End - Begin, pause_seconds => Pause, early_pause_seconds => Early, quiet_seconds => Seconds - End,
      late_share => (Base + Grown - lists:last([Base | At])) / (Grown / 3)}.

reached([{Time, _}], _) -> Time;
reached([{Time, Value} | _], Wanted) when Value >= Wanted -> Time;
reached([_ | More], Wanted) -> reached(More, Wanted).

%% Growth of less than Least is not worth a word; from Matter on what may be growth is doubt.
-spec state(trend(), number(), number()) -> state().
state(#{points := Points}, _, _) when Points < ?LEAST_POINTS -> few;
state(#{grown := Grown, fallen := Fallen}, Least, _) when Grown < Least; Fallen >= 0.5 * Grown -> flat;
state(Trend, _, Matter) ->
    #{grown := Grown, quiet_seconds := Quiet, pause_seconds := Pause, grow_seconds := Grow} = Trend,
    Spacing = spacing(Trend),
    GoesOn = Quiet =< 1.1 * Pause + Spacing,
    IsOver = Quiet >= 2 * Pause + 2 * Spacing andalso Quiet >= Grow / 3,
    case is_trend(Trend) andalso GoesOn andalso not is_flattening(Trend) of
        true -> grows;
        false when IsOver -> over;
        false when Grown >= Matter -> open;
        false -> flat
    end.

%% {Low, Rate, High} per second: no finer than the levels are apart.
-spec rates(trend()) -> {float(), float(), float()}.
rates(#{rate_low := Low, rate := Rate, rate_high := High, seconds := Seconds} = Trend) ->
    Part = spacing(Trend) / Seconds,
    {Low * (1 - Part), float(Rate), High * (1 + Part)}.

%% The largest rate per second that may have been there unseen.
-spec power(trend(), state(), number()) -> float().
power(#{grown := Grown, quiet_seconds := Quiet}, over, Least) -> (0.02 * Grown + Least) / Quiet;
power(#{power := Power, seconds := Seconds}, _, Least) -> float(max(Power, Least / Seconds)).

spacing(#{seconds := Seconds, points := Points, windows := Windows, swing_seconds := Swing}) ->
    max(Seconds / max(1, Points - 1), if Swing > 0, Windows < Points -> Seconds / max(1, Windows); true -> 0 end).

is_trend(#{rate_low := Low, z := Z, monotone := Monotone, windows := Windows, scatter := Scatter, grown := Grown, swing_seconds := Swing, trough := Trough,
           seconds := Seconds, points := Points, late_share := Late, begin_seconds := Begin, pause_seconds := Pause, grow_seconds := Grow}) ->
    Low > 0 andalso Begin =< 0.5 * Seconds andalso Pause =< 0.4 * Grow andalso (Swing =< 0 orelse Grown >= 2 * Trough andalso (Swing >= ?FEW_OF_SWING * Seconds / Points orelse Grown * Late >= 3 * Trough)) andalso
        (Z >= 2.5 andalso Monotone >= 0.6 orelse Windows >= ?LEAST_WINDOWS andalso Monotone >= 1.0 andalso Scatter =< 0.1 * Grown).

%% A cache that fills, or a node that starts.
is_flattening(#{late_share := Late, early_pause_seconds := Pause, seconds := Seconds}) ->
    Late < if Pause =< 0.15 * Seconds -> 0.35; true -> 0.1 end.
