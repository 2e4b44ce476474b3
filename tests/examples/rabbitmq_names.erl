%% SPDX-License-Identifier: MIT
%% A connection to a RabbitMQ node on loopback, with a queue of each type that keeps 3000 messages of 8000 bytes.
%%
%%   erl -noshell -run rabbitmq_names main PORT
-module(rabbitmq_names).
-export([main/1]).

-define(MESSAGES, 3000).

-include_lib("amqp_client/include/amqp_client.hrl").

main([Port]) ->
    ok = logger:set_primary_config(level, error),
    Named = [{<<"connection_name">>, longstr, <<"billing">>}],
    {ok, Connection} = amqp_connection:start(#amqp_params_network{host = "127.0.0.1", port = list_to_integer(Port), client_properties = Named}),
    {ok, Channel} = amqp_connection:open_channel(Connection),
    #'confirm.select_ok'{} = amqp_channel:call(Channel, #'confirm.select'{}),
    [begin
         Type = [{<<"x-queue-type">>, longstr, Kind}],
         #'queue.declare_ok'{} = amqp_channel:call(Channel, #'queue.declare'{queue = Queue, durable = true, arguments = Type}),
         [ok = amqp_channel:call(Channel, #'basic.publish'{routing_key = Queue}, #amqp_msg{payload = binary:copy(<<"m">>, 8000)})
          || _ <- lists:seq(1, ?MESSAGES)],
         true = amqp_channel:wait_for_confirms(Channel, 60)
     end || {Queue, Kind} <- [{<<"slow">>, <<"classic">>}, {<<"or_ders">>, <<"quorum">>}, {<<"events">>, <<"stream">>}]],
    io:format("published~n"),
    timer:sleep(infinity).
