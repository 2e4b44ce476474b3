%% SPDX-License-Identifier: MIT
%% A publisher and a consumer of a RabbitMQ node on loopback that keep step: Rate messages of 1 KiB a second, published
%% without waiting for the node, and each one acknowledged.
%%
%%   erl -noshell -run rabbitmq_steady main PORT RATE
%%
%% Each 200 ms a line: ms since 1970, messages published, messages consumed.
-module(rabbitmq_steady).
-export([main/1]).

-define(BYTES, 1024).
-define(STEP_MS, 10).
-define(LINE_MS, 200).

-include_lib("amqp_client/include/amqp_client.hrl").

main([Port, Rate]) ->
    ok = logger:set_primary_config(level, error),
    {ok, Connection} = amqp_connection:start(#amqp_params_network{host = "127.0.0.1", port = list_to_integer(Port)}),
    Queue = <<"steady">>,
    {ok, Channel} = amqp_connection:open_channel(Connection),
    #'queue.declare_ok'{} = amqp_channel:call(Channel, #'queue.declare'{queue = Queue}),
    Counts = counters:new(2, []),
    spawn_link(fun() -> consume(Connection, Queue, Counts) end),
    Begin = erlang:monotonic_time(millisecond),
    spawn_link(fun() -> publish(Channel, Queue, Counts, list_to_integer(Rate), Begin) end),
    report(Counts).

%% All messages that are due; what a busy machine was late with is made up for.
publish(Channel, Queue, Counts, Rate, Begin) ->
    Due = (erlang:monotonic_time(millisecond) - Begin) * Rate div 1000,
    [ok = amqp_channel:cast(Channel, #'basic.publish'{routing_key = Queue},
                            #amqp_msg{payload = binary:copy(<<"m">>, ?BYTES)})
     || _ <- lists:seq(counters:get(Counts, 1) + 1, Due)],
    counters:put(Counts, 1, Due),
    timer:sleep(?STEP_MS),
    publish(Channel, Queue, Counts, Rate, Begin).

consume(Connection, Queue, Counts) ->
    {ok, Channel} = amqp_connection:open_channel(Connection),
    #'basic.qos_ok'{} = amqp_channel:call(Channel, #'basic.qos'{prefetch_count = 100}),
    #'basic.consume_ok'{} = amqp_channel:subscribe(Channel, #'basic.consume'{queue = Queue}, self()),
    take(Channel, Counts).

take(Channel, Counts) ->
    receive
        {#'basic.deliver'{delivery_tag = Tag}, _} ->
            ok = amqp_channel:cast(Channel, #'basic.ack'{delivery_tag = Tag}),
            counters:add(Counts, 2, 1);
        _ -> ok
    end,
    take(Channel, Counts).

report(Counts) ->
    io:format("~b ~b ~b~n", [os:system_time(millisecond), counters:get(Counts, 1), counters:get(Counts, 2)]),
    timer:sleep(?LINE_MS),
    report(Counts).
