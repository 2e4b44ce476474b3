%% SPDX-License-Identifier: MIT
%% Five functions that keep binaries of one size each: prints "Function Binaries Bytes" of each, and stays until its input ends.
-module(beam_weights).
-export([main/0, site_1/1, site_2/1, site_3/1, site_4/1, site_5/1]).

main() ->
    {ok, _} = carrierscope:start(#{sample => {bytes, 65536}, holders => 0}),
    Draw = fun(From, To) -> From + rand:uniform(To - From) end,
    Sites = [{site_1, Draw(20000, 60000), Draw(100, 200)}, {site_2, Draw(2000, 6000), Draw(1000, 3000)},
             {site_3, Draw(200, 900), Draw(10000, 30000)}, {site_4, Draw(40, 100), Draw(100000, 200000)},
             {site_5, Draw(2, 10), Draw(1000000, 3000000)}],
    Kept = [{Site, Count, ?MODULE:Site({Count, Bytes})} || {Site, Count, Bytes} <- Sites],
    %% What is not kept is garbage by now.
    erlang:garbage_collect(),
    [io:format("~s ~b ~b~n", [Site, Count, byte_size(hd(Binaries))]) || {Site, Count, Binaries} <- Kept],
    {ok, _} = carrierscope:stop(),
    _ = [length(Binaries) || {_, _, Binaries} <- Kept],
    halt(0).

site_1(What) -> keep(What, fun made_1/1).
site_2(What) -> keep(What, fun made_2/1).
site_3(What) -> keep(What, fun made_3/1).
site_4(What) -> keep(What, fun made_4/1).
site_5(What) -> keep(What, fun made_5/1).

%% Twice as many as are kept.
keep({Count, Bytes}, Make) ->
    [begin {Kept, _} = {Make(Bytes), Make(Bytes)}, Kept end || _ <- lists:seq(1, Count)].

made_1(Bytes) -> hd([binary:copy(<<1>>, Bytes)]).
made_2(Bytes) -> hd([binary:copy(<<2>>, Bytes)]).
made_3(Bytes) -> hd([binary:copy(<<3>>, Bytes)]).
made_4(Bytes) -> hd([binary:copy(<<4>>, Bytes)]).
made_5(Bytes) -> hd([binary:copy(<<5>>, Bytes)]).
