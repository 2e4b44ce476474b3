%% SPDX-License-Identifier: MIT
%% @private
%% What instrument:carriers/1 and instrument:allocations/1 answer, as rows for the native half
%% (snapshot.h says which).
%%
%% They are called for who asks for it and for nobody else: on OTP 24 and 25 each scan that pauses
%% inside the pool of abandoned carriers takes one off that pool's count for good, and below zero
%% the instance never abandons a carrier again.
-module(carrierscope_scan).
-export([rows/2]).

%% Options are those of instrument.
rows(Id, Options) ->
    case code:ensure_loaded(instrument) of
        {module, _} ->
            try {instrument:carriers(Options), instrument:allocations(Options)} of
                {Carriers, Allocations} ->
                    {ok, answer(Id, "carriers", Carriers) ++
                         answer(Id, "allocations", Allocations)}
            catch
                error:_ -> {error, "instrument refuses these options"}
            end;
        {error, _} ->
            {error, "there is no module instrument here (Debian: erlang-tools)"}
    end.

answer(_, _, {error, not_enabled}) ->
    [];
answer(Id, Kind, {ok, {Start, Carriers}}) ->
    answer(Id, Kind, Start, 0,
           lists:append([carrier(Id, N, Start, Carrier)
                         || {N, Carrier} <- lists:zip(lists:seq(1, length(Carriers)), Carriers)]));
answer(Id, Kind, {ok, {Start, Unscanned, Origins}}) ->
    answer(Id, Kind, Start, Unscanned,
           lists:append([buckets(Id, 0, Start, text(Origin), text(Type), Histogram)
                         || {Origin, Types} <- maps:to_list(Origins),
                            {Type, Histogram} <- maps:to_list(Types)])).

answer(Id, Kind, Start, Unscanned, Rows) ->
    [{scan, Id, text(Kind), text(rule()), Start, Unscanned, length(Rows)} | Rows].

%% OTP 21 and 22 had another order, and one allocator in each carrier.
carrier(Id, N, Start, {Name, Total, Unscanned, Bytes, Blocks, InPool, Free}) ->
    carrier(Id, N, Start, {Name, InPool, Total, Unscanned, [{Name, Blocks, Bytes}], Free});
carrier(Id, N, Start, {Name, InPool, Total, Unscanned, Blocks, Free}) ->
    [{carrier, Id, N, text(Name), case InPool of true -> 1; false -> 0 end, Total, Unscanned}] ++
        [{carrier_blocks, Id, N, text(Of), Count, Bytes} || {Of, Count, Bytes} <- Blocks] ++
        buckets(Id, N, Start, text(""), text(""), Free).

%% Of free blocks most buckets are empty, and there are thousands of carriers.
buckets(Id, N, Start, Origin, Type, Histogram) ->
    Last = tuple_size(Histogram) - 1,
    [begin
         %% Free blocks are cut twice as coarsely.
         {From, To} = bounds(rule(), N > 0, K, if N > 0 -> 2 * Start; true -> Start end),
         {bucket, Id, N, Origin, Type, K, From, if K =:= Last -> 0; true -> To end,
          element(K + 1, Histogram)}
     end || K <- lists:seq(0, Last), N =:= 0 orelse element(K + 1, Histogram) > 0].

%% As analyzer/readers/terms/terms_scan.c has it, and why: which of the two rules 26 follows is not known,
%% and its bounds are the outermost.
rule() ->
    case list_to_integer(erlang:system_info(otp_release)) of
        Release when Release =< 25 -> "otp21";
        Release when Release >= 27 -> "otp28";
        _ -> "unknown"
    end.

bounds("otp21", _, K, Start) ->
    {((1 bsl K) - 1) * Start, ((1 bsl (K + 1)) - 1) * Start};
%% Free blocks are one bucket further: the first is never used.
bounds("otp28", true, 0, _) ->
    {0, 0};
bounds("otp28", true, K, Start) ->
    bounds("otp28", false, K - 1, Start);
bounds("otp28", false, 0, Start) ->
    {0, Start};
bounds("otp28", false, K, Start) ->
    {(1 bsl (K - 1)) * Start, (1 bsl K) * Start};
bounds("unknown", IsFree, K, Start) ->
    {OldFrom, OldTo} = bounds("otp21", IsFree, K, Start),
    {NewFrom, NewTo} = bounds("otp28", IsFree, K, Start),
    {min(OldFrom, NewFrom), max(OldTo, NewTo)}.

%% A text that C can read where it lies; an origin may be a process or {M, F, A} since OTP 27.
text(Name) when is_list(Name) -> list_to_binary([Name, 0]);
text(Name) when is_atom(Name) -> <<(atom_to_binary(Name, utf8))/binary, 0>>;
text(Other) -> unicode:characters_to_binary(io_lib:format("~0tp\0", [Other])).
