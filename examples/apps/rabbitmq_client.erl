%% SPDX-License-Identifier: MIT
%% A publisher and a consumer of a RabbitMQ node on loopback; the consumer stops early.
%%
%%   erl -noshell -run rabbitmq_client main PORT QUEUE MESSAGES RATE
%%
%% Of MESSAGES messages the consumer takes all, and then no more; the publisher goes on with RATE bytes a second
%% until it is killed; each 10 MB make a line, and 1000 MB are the most.  Messages have 2 to 64 KiB, evenly by their
%% logarithm, the same in each run.
-module(rabbitmq_client).
-export([main/1]).

-define(STEP, 10000000).
-define(MOST, 1000000000).

-include_lib("amqp_client/include/amqp_client.hrl").

main([Port, Name | Numbers]) ->
    [Messages, Rate] = [list_to_integer(Number) || Number <- Numbers],
    rand:seed(exsss, 1),
    %% That messages arrive at a channel that is being closed is no news.
    ok = logger:set_primary_config(level, error),
    {ok, Connection} = amqp_connection:start(#amqp_params_network{host = "127.0.0.1",
                                                                  port = list_to_integer(Port)}),
    Queue = list_to_binary(Name),
    {ok, Channel} = amqp_connection:open_channel(Connection),
    #'queue.declare_ok'{} = amqp_channel:call(Channel, #'queue.declare'{queue = Queue}),
    [publish(Channel, Queue) || _ <- lists:seq(1, Messages)],
    consume(Connection, Queue, Messages),
    io:format("  the consumer stopped after ~b messages~n", [Messages]),
    go_on(Channel, Queue, erlang:monotonic_time(millisecond), Rate, 0).

%% Returns the size of the message.
publish(Channel, Queue) ->
    Size = trunc(math:pow(2, 11 + 5 * rand:uniform())),
    ok = amqp_channel:call(Channel, #'basic.publish'{routing_key = Queue},
                           #amqp_msg{payload = binary:copy(<<"m">>, Size)}),
    Size.

%% Each message at its time since Begin; after the most there are no more.
go_on(_, _, _, _, Sent) when Sent >= ?MOST ->
    timer:sleep(infinity);
go_on(Channel, Queue, Begin, Rate, Sent) ->
    timer:sleep(max(0, Begin + 1000 * Sent div Rate - erlang:monotonic_time(millisecond))),
    Now = Sent + publish(Channel, Queue),
    Now div ?STEP =:= Sent div ?STEP orelse io:format("  ~b MB sent~n", [Now div 1000000]),
    go_on(Channel, Queue, Begin, Rate, Now).

%% Takes so many messages.  Then its channel stays open, and takes no more.
consume(Connection, Queue, Count) ->
    {ok, Channel} = amqp_connection:open_channel(Connection),
    #'basic.qos_ok'{} = amqp_channel:call(Channel, #'basic.qos'{prefetch_count = 10}),
    #'basic.consume_ok'{consumer_tag = Consumer} =
        amqp_channel:subscribe(Channel, #'basic.consume'{queue = Queue}, self()),
    receive #'basic.consume_ok'{} -> ok end,
    [receive
         {#'basic.deliver'{delivery_tag = Tag}, _} ->
             ok = amqp_channel:call(Channel, #'basic.ack'{delivery_tag = Tag})
     end || _ <- lists:seq(1, Count)],
    #'basic.cancel_ok'{} = amqp_channel:call(Channel, #'basic.cancel'{consumer_tag = Consumer}).
