%% SPDX-License-Identifier: MIT
%% erl -run beam_trend main FILE: curves with the statistics of analyzer/judge/trend.c (trend_curves.c); those of carrierscope_trend
%% are the same.
-module(beam_trend).
-export([main/1]).

main([File]) ->
    beam_case:halts(fun() ->
                            {ok, Curves} = file:consult(File),
                            Compared = lists:sum([same(Points, Trend, carrierscope_trend:fit(Points)) || {Points, Trend} <- Curves]),
                            io:format("~b curves, ~b figures~n", [length(Curves), Compared]),
                            true = Compared > 10 * length(Curves)
                    end).

%% Of fewer than three points there is none.
same(Points, #{points := Count}, Own) when Count < 3 ->
    Count = length(Points),
    #{points := Count} = Own,
    1;
same(Points, Trend, Own) ->
    Differ = [{Key, Value, maps:get(Key, Own, missing)} || {Key, Value} <- maps:to_list(Trend), not is_near(Value, maps:get(Key, Own, missing))],
    [] =:= Differ orelse error({Differ, Points}),
    maps:size(Trend).

%% But for how numbers are rounded.
is_near(_, missing) -> false;
is_near(A, B) -> abs(A - B) =< 1.0e-6 * max(1.0, max(abs(A), abs(B))).
