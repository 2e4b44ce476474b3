%% SPDX-License-Identifier: MIT
%% A small service for examples/stock-node.sh to look at: sessions in an ets table, a cache of
%% binaries, requests on processes of their own, and one mistake: what is logged is never dropped.
-module(stock_service).
-export([start/0]).

start() ->
    Owner = spawn(fun() ->
                          ets:new(sessions, [named_table, public]),
                          ets:new(audit_log, [named_table, public, ordered_set]),
                          receive never -> ok end
                  end),
    ready(Owner),
    [spawn(fun() -> serve([]) end) || _ <- lists:seq(1, 4)],
    ok.

ready(Owner) ->
    case ets:info(audit_log, owner) of
        Owner -> ok;
        _ -> timer:sleep(10), ready(Owner)
    end.

serve(Cache) ->
    Parent = self(),
    Id = rand:uniform(5000),
    {_, Monitor} = spawn_monitor(fun() -> Parent ! {answer, request(Id)} end),
    Page = receive {answer, Answer} -> Answer end,
    receive {'DOWN', Monitor, _, _, _} -> ok end,
    timer:sleep(1),
    serve(lists:sublist([Page | Cache], 100)).

request(Id) ->
    ets:insert(sessions, {Id, erlang:timestamp(), lists:seq(1, rand:uniform(40))}),
    ets:delete(sessions, rand:uniform(5000)),
    ets:insert(audit_log, {erlang:unique_integer([monotonic]), Id, binary:copy(<<"x">>, 40)}),
    Rows = lists:sort([rand:uniform(1000) || _ <- lists:seq(1, 500)]),
    iolist_to_binary([integer_to_list(Row) || Row <- Rows]).
