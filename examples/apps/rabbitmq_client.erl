%% SPDX-License-Identifier: MIT
%% A publisher and a consumer of a RabbitMQ node on loopback; the consumer stops early.
%%
%%   erl -noshell -run rabbitmq_client main PORT QUEUE MEGABYTES SECONDS
%%
%% Messages have 2 to 64 KiB, evenly by their logarithm, and are the same in each run.  The consumer takes the
%% first tenth; the rest is published evenly over SECONDS, and confirmed by the node.
-module(rabbitmq_client).
-export([main/1]).

-include_lib("amqp_client/include/amqp_client.hrl").

main([Port, Name | Numbers]) ->
    [Megabytes, Seconds] = [list_to_integer(Number) || Number <- Numbers],
    %% That messages arrive at a channel that is being closed is no news.
    ok = logger:set_primary_config(level, error),
    {ok, Connection} = amqp_connection:start(#amqp_params_network{host = "127.0.0.1",
                                                                  port = list_to_integer(Port)}),
    Queue = list_to_binary(Name),
    Sizes = sizes(Megabytes * 1000000, rand:seed_s(exsss, 1), []),
    {Taken, Held} = lists:split(length(Sizes) div 10, Sizes),
    {ok, Channel} = amqp_connection:open_channel(Connection),
    #'queue.declare_ok'{} = amqp_channel:call(Channel, #'queue.declare'{queue = Queue}),
    #'confirm.select_ok'{} = amqp_channel:call(Channel, #'confirm.select'{}),
    publish(Channel, Queue, Taken),
    consume(Connection, Queue, length(Taken)),
    io:format("  the consumer stopped after ~b messages~n", [length(Taken)]),
    evenly(Channel, Queue, Held, erlang:monotonic_time(millisecond), Seconds * 1000 / lists:sum(Held), 0),
    true = amqp_channel:wait_for_confirms(Channel, 300),
    ok = amqp_connection:close(Connection),
    io:format("  ~b more messages were published, of ~b bytes in sum~n", [length(Held), lists:sum(Held)]),
    halt(0).

%% Sizes of messages, of so many bytes in sum.
sizes(Bytes, _, Sizes) when Bytes =< 0 ->
    Sizes;
sizes(Bytes, Random, Sizes) ->
    {Draw, Next} = rand:uniform_s(Random),
    Size = trunc(math:pow(2, 11 + 5 * Draw)),
    sizes(Bytes - Size, Next, [Size | Sizes]).

publish(Channel, Queue, Sizes) ->
    [ok = amqp_channel:call(Channel, #'basic.publish'{routing_key = Queue},
                            #amqp_msg{payload = binary:copy(<<"m">>, Size)})
     || Size <- Sizes].

%% Each at its time since Begin: so many milliseconds for each byte before it.
evenly(_, _, [], _, _, _) ->
    ok;
evenly(Channel, Queue, [Size | Sizes], Begin, Pace, Sent) ->
    timer:sleep(max(0, Begin + trunc(Pace * Sent) - erlang:monotonic_time(millisecond))),
    publish(Channel, Queue, [Size]),
    evenly(Channel, Queue, Sizes, Begin, Pace, Sent + Size).

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
