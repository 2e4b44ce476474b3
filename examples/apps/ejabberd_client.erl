%% SPDX-License-Identifier: MIT
%% Clients of an ejabberd node on loopback that break off.
%%
%%   erl -noshell -run ejabberd_client main PORT SESSIONS RATE
%%
%% SESSIONS sessions are opened that may be resumed (XEP-0198), and break off: the node keeps them, and what
%% comes for them.  Then one more sends each of them messages in turn, RATE bytes a second in all, until it is
%% killed; each 10 MB make a line, and 1000 MB are the most.  Bodies have 1 to 16 KiB, evenly by their logarithm,
%% the same in each run.
-module(ejabberd_client).
-export([main/1]).

-define(WAIT_MS, 60000).
-define(STEP, 10000000).
-define(MOST, 1000000000).

main(Numbers) ->
    [Port, Sessions, Rate] = [list_to_integer(Number) || Number <- Numbers],
    rand:seed(exsss, 1),
    Addresses = [broken_off(Port) || _ <- lists:seq(1, Sessions)],
    io:format("  ~b sessions broke off~n", [Sessions]),
    {Socket, _} = session(Port),
    go_on(Socket, Addresses, Addresses, erlang:monotonic_time(millisecond), Rate, 0).

%% The address of a session that the node keeps for its client.
broken_off(Port) ->
    {Socket, Address} = session(Port),
    says(Socket, <<"<enable xmlns='urn:xmpp:sm:3' resume='true'/>">>),
    _ = until(Socket, <<"<enabled[^>]*>">>, <<>>),
    ok = gen_tcp:close(Socket),
    Address.

%% A session of a guest: its socket and its address.
session(Port) ->
    {ok, Socket} = gen_tcp:connect({127, 0, 0, 1}, Port, [binary, {active, false}]),
    opens(Socket),
    says(Socket, <<"<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='ANONYMOUS'/>">>),
    _ = until(Socket, <<"<success[^>]*>">>, <<>>),
    opens(Socket),
    says(Socket, <<"<iq type='set' id='1'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></iq>">>),
    {Socket, until(Socket, <<"<jid>([^<]*)</jid>">>, <<>>)}.

opens(Socket) ->
    says(Socket, <<"<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'"
                   " to='localhost' version='1.0'>">>),
    until(Socket, <<"</stream:features>">>, <<>>).

says(Socket, Text) ->
    ok = gen_tcp:send(Socket, Text).

%% What the last group of Pattern matches in what the node writes from now on.
until(Socket, Pattern, Seen) ->
    case re:run(Seen, Pattern, [{capture, all, binary}]) of
        {match, Groups} ->
            lists:last(Groups);
        nomatch ->
            {ok, More} = gen_tcp:recv(Socket, 0, ?WAIT_MS),
            until(Socket, Pattern, <<Seen/binary, More/binary>>)
    end.

%% Each message at its time since Begin; after the most there are no more.
go_on(_, _, _, _, _, Sent) when Sent >= ?MOST ->
    timer:sleep(infinity);
go_on(Socket, [], All, Begin, Rate, Sent) ->
    go_on(Socket, All, All, Begin, Rate, Sent);
go_on(Socket, [Address | Others], All, Begin, Rate, Sent) ->
    timer:sleep(max(0, Begin + 1000 * Sent div Rate - erlang:monotonic_time(millisecond))),
    Size = trunc(math:pow(2, 10 + 4 * rand:uniform())),
    says(Socket, [<<"<message type='chat' to='">>, Address, <<"'><body>">>, binary:copy(<<"m">>, Size),
                  <<"</body></message>">>]),
    Now = Sent + Size,
    Now div ?STEP =:= Sent div ?STEP orelse io:format("  ~b MB sent~n", [Now div 1000000]),
    go_on(Socket, Others, All, Begin, Rate, Now).
