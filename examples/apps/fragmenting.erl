%% SPDX-License-Identifier: MIT
%% A node that fragments: sessions keep small state beside large replies, which are gone soon.
%% All sessions make, and let go of, at the same time: how much is needed does not depend on who is first.
%%
%%   erl ... -run fragmenting main
-module(fragmenting).
-export([main/0]).

-define(ROUNDS, 12).

main() ->
    %% Whatever records is there before, and reads once more afterwards.
    timer:sleep(1500),
    Me = self(),
    Pids = [spawn_link(fun() -> rand:seed(exsss, {I, 2, 3}), session(Me, I, []) end)
            || I <- lists:seq(1, 40)],
    lists:foreach(fun(_) -> step(Pids, make), step(Pids, drop) end, lists:seq(1, ?ROUNDS)),
    timer:sleep(2500),
    halt().

step(Pids, What) ->
    [Pid ! What || Pid <- Pids],
    [receive {done, Pid} -> ok end || Pid <- Pids].

session(Main, I, Kept) ->
    receive
        make ->
            Replies = [binary:copy(<<I>>, 1000 + rand:uniform(rand:uniform(300000)))
                       || _ <- lists:seq(1, 20)],
            State = [binary:copy(<<I>>, 100 + rand:uniform(2000)) || _ <- lists:seq(1, 40)],
            Main ! {done, self()},
            receive drop -> 20 = length(Replies) end,
            dropped(Main, I, [State | Kept])
    end.

dropped(Main, I, Kept) ->
    erlang:garbage_collect(),
    Main ! {done, self()},
    session(Main, I, Kept).
