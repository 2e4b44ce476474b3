%% SPDX-License-Identifier: MIT
%% A publisher and a consumer of a RabbitMQ node on loopback; the consumer stops early.
%%
%%   erl -noshell -run rabbitmq_client main PORT QUEUE MEGABYTES
%%
%% The consumer acknowledges a tenth of the messages and cancels; the publisher goes on, until the node has
%% confirmed MEGABYTES of messages of 2 to 64 KiB (log-uniform; the same in each run).
-module(rabbitmq_client).
-export([main/1]).

-include_lib("amqp_client/include/amqp_client.hrl").

main([Port, Queue, Megabytes]) ->
    %% What arrives while a channel is closed is no news.
    ok = logger:set_primary_config(level, error),
    {ok, Connection} = amqp_connection:start(#amqp_params_network{host = "127.0.0.1",
                                                                  port = list_to_integer(Port)}),
    Name = list_to_binary(Queue),
    Sizes = sizes(list_to_integer(Megabytes) * 1000000, rand:seed_s(exsss, 1), []),
    {ok, Channel} = amqp_connection:open_channel(Connection),
    #'queue.declare_ok'{} = amqp_channel:call(Channel, #'queue.declare'{queue = Name}),
    #'confirm.select_ok'{} = amqp_channel:call(Channel, #'confirm.select'{}),
    Consumed = length(Sizes) div 10,
    {_, Monitor} = spawn_monitor(fun() -> consume(Connection, Name, Consumed) end),
    [ok = amqp_channel:call(Channel, #'basic.publish'{routing_key = Name},
                            #amqp_msg{payload = binary:copy(<<"m">>, Size)})
     || Size <- Sizes],
    true = amqp_channel:wait_for_confirms(Channel, 300),
    receive {'DOWN', Monitor, process, _, normal} -> ok end,
    ok = amqp_connection:close(Connection),
    io:format("  ~b messages published, ~b of them consumed, ~b bytes not~n",
              [length(Sizes), Consumed, lists:sum(lists:nthtail(Consumed, Sizes))]),
    halt(0).

%% Sizes of messages, until they have so many bytes in sum.
sizes(Bytes, _, Sizes) when Bytes =< 0 ->
    lists:reverse(Sizes);
sizes(Bytes, Random, Sizes) ->
    {Draw, Next} = rand:uniform_s(Random),
    Size = trunc(math:pow(2, 11 + 5 * Draw)),
    sizes(Bytes - Size, Next, [Size | Sizes]).

%% Acknowledges so many messages, then takes no more; what was delivered meanwhile goes back into the queue.
consume(Connection, Queue, Count) ->
    {ok, Channel} = amqp_connection:open_channel(Connection),
    #'basic.qos_ok'{} = amqp_channel:call(Channel, #'basic.qos'{prefetch_count = 10}),
    #'basic.consume_ok'{} = amqp_channel:subscribe(Channel, #'basic.consume'{queue = Queue}, self()),
    receive #'basic.consume_ok'{} -> ok end,
    [receive
         {#'basic.deliver'{delivery_tag = Tag}, _} ->
             amqp_channel:cast(Channel, #'basic.ack'{delivery_tag = Tag})
     end || _ <- lists:seq(1, Count)],
    ok = amqp_channel:close(Channel).
