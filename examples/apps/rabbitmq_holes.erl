%% SPDX-License-Identifier: MIT
%% A load that leaves holes in the memory of a RabbitMQ node on loopback: queues fill up together, and nine of ten are
%% drained, round by round; the consumers of the tenth have gone.  Each message is confirmed before the next is sent, so that
%% no two are received into one buffer, which the one that stays would hold.
%%
%%   erl -noshell -run rabbitmq_holes main PORT
%%
%% Messages have 16 to 400 KiB, evenly by their logarithm, the same in each run: most carriers of 512 KiB, the largest that
%% RabbitMQ has its own flags for, hold a few of them, and one that stays keeps all of its carrier.  About 120 MB are in queues at a
%% time, and a tenth of all that were published at the end.
-module(rabbitmq_holes).
-export([main/1]).

-include_lib("amqp_client/include/amqp_client.hrl").

-define(QUEUES, 20).
-define(MESSAGES, 50).
-define(ROUNDS, 3).

main([Port]) ->
    rand:seed(exsss, 1),
    ok = logger:set_primary_config(level, error),
    {ok, Connection} = amqp_connection:start(#amqp_params_network{host = "127.0.0.1",
                                                                  port = list_to_integer(Port)}),
    {ok, Channel} = amqp_connection:open_channel(Connection),
    #'confirm.select_ok'{} = amqp_channel:call(Channel, #'confirm.select'{}),
    Queues = [declared(Channel, N) || N <- lists:seq(1, ?QUEUES)],
    Sent = lists:sum([in_round(Channel, Queues) || _ <- lists:seq(1, ?ROUNDS)]),
    io:format("  ~b MB were published in ~b rounds~n", [Sent div 1000000, ?ROUNDS]),
    halt().

declared(Channel, N) ->
    Name = iolist_to_binary(io_lib:format("holes-~2..0b", [N])),
    #'queue.declare_ok'{} = amqp_channel:call(Channel, #'queue.declare'{queue = Name}),
    {N, Name}.

%% Returns the bytes that were published.
in_round(Channel, Queues) ->
    Sent = [publish(Channel, Name) || _ <- lists:seq(1, ?MESSAGES), {_, Name} <- Queues],
    timer:sleep(500),
    [drain(Channel, Name) || {N, Name} <- Queues, N rem 10 =/= 0],
    timer:sleep(500),
    lists:sum(Sent).

publish(Channel, Queue) ->
    Size = trunc(16384 * math:pow(25, rand:uniform())),
    ok = amqp_channel:cast(Channel, #'basic.publish'{routing_key = Queue},
                           #amqp_msg{payload = binary:copy(<<"m">>, Size)}),
    true = amqp_channel:wait_for_confirms(Channel, 60),
    Size.

drain(Channel, Queue) ->
    case amqp_channel:call(Channel, #'basic.get'{queue = Queue, no_ack = true}) of
        {#'basic.get_ok'{}, _} -> drain(Channel, Queue);
        #'basic.get_empty'{} -> ok
    end.
