%% SPDX-License-Identifier: MIT
%% @private
%% What RabbitMQ calls its processes and tables: by the note that they make in their dictionaries, and by tables that others may
%% read.  No process is asked.
-module(carrierscope_rabbitmq).
-export([called/1, queue/1, queues/1, tables/1]).

%% Where queues are: rows of records, the second element is the name, the seventh the process (of a quorum queue {Name, Node}).
-define(TABLES, [rabbit_queue, rabbit_khepri_queue]).

%% A table with more rows than these is not searched, and not for more processes than these at a time.
-define(ROWS, 20000).
-define(SEARCHED, 20).

%% Which table has the messages of which Raft server, and which server is which.
-define(MEMORY_TABLES, [ra_log_open_mem_tables, ra_log_closed_mem_tables]).

%% @doc A note as text: of a queue, a connection, a channel, or what else is called so; none: it is no such note.
-spec called(term()) -> iodata() | none.
called({Kind, {resource, VHost, queue, Name}}) when is_atom(Kind), is_binary(VHost), is_binary(Name) ->
    [case Kind of rabbit_mirror_queue_slave -> "mirror of "; _ -> "" end | named(VHost, Name)];
called({rabbit_channel, {Connection, Number}}) when is_binary(Connection), is_integer(Number) ->
    ["channel ", integer_to_list(Number), " of \"", Connection, "\""];
called({Kind, Connection}) when is_atom(Kind), is_binary(Connection) ->
    case lists:suffix("_reader", atom_to_list(Kind)) of
        true -> ["connection \"", Connection, "\""];
        false -> Connection
    end;
called(_) ->
    none.

named(VHost, Name) ->
    ["queue \"", Name, "\" (vhost ", VHost, ")"].

%% @doc The queue of this process, which may be any: as called/1 has it.
-spec queue(pid()) -> iodata() | none.
queue(Pid) ->
    maps:get(Pid, by_process([Pid]), none).

%% @doc Queues that make no note of it: quorum queues by their registered names, streams.  Of what is found, of {Pid, InitialCall};
%% {proc_lib, init_p, _} where that could not be read.
-spec queues([{pid(), mfa()}]) -> #{pid() => iodata()}.
queues(Processes) ->
    Quorums = [{Pid, named(VHost, Queue)} || {Pid, {Module, _, _}} <- Processes, Module =/= osiris_writer, {registered_name, Name} <- [process_info(Pid, registered_name)],
                               {VHost, Queue} <- by_name(Name)],
    maps:merge(maps:from_list(Quorums), by_process([Pid || {Pid, {osiris_writer, init, 1}} <- Processes])).

by_process([]) ->
    #{};
by_process(Pids) ->
    Which = [{'$1', [{'=:=', {element, 7, '$1'}, {const, Pid}}], [{{{element, 7, '$1'}, {element, 2, '$1'}}}]}
             || Pid <- lists:sublist(Pids, ?SEARCHED)],
    maps:from_list([{Pid, named(VHost, Name)} || Table <- ?TABLES, has_few(Table),
                                                 {Pid, {resource, VHost, queue, Name}} <- read(fun() -> ets:select(Table, Which) end),
                                                 is_binary(VHost), is_binary(Name)]).

has_few(Table) ->
    case ets:info(Table, size) of
        Size when is_integer(Size) -> Size =< ?ROWS;
        undefined -> false
    end.

read(Read) ->
    try Read() catch error:_ -> [] end.

%% A registered name is "VHOST_QUEUE", and either may have more such signs: the row says which is meant.
by_name(Registered) ->
    Text = atom_to_binary(Registered, utf8),
    lists:sublist([{VHost, Name}
                   || {At, 1} <- binary:matches(Text, <<"_">>),
                      VHost <- [binary:replace(binary:part(Text, 0, At), <<"%2F">>, <<"/">>, [global])],
                      Name <- [binary:part(Text, At + 1, byte_size(Text) - At - 1)],
                      Table <- ?TABLES, Row <- read(fun() -> ets:lookup(Table, {resource, VHost, queue, Name}) end),
                      {Registered, node()} =:= element(7, Row)], 1).

%% A table without a name is a reference, which checkers need not know.
-dialyzer({nowarn_function, tables/1}).

%% @doc Tables without a name in which quorum queues have messages, with what they are called.
-spec tables([ets:tid() | atom()]) -> #{ets:tid() => iodata()}.
tables(Tables) ->
    case [Table || Owner <- [whereis(ra_log_ets)], is_pid(Owner), Table <- Tables, is_reference(Table), ets:info(Table, owner) =:= Owner] of
        [] -> #{};
        Some ->
            maps:from_list([{Table, ["queue ", Name, " (vhost ", VHost, ")"]}
                            || Of <- ?MEMORY_TABLES, has_few(Of), Row <- read(fun() -> ets:tab2list(Of) end),
                               Table <- [lists:last(tuple_to_list(Row))], lists:member(Table, Some),
                               Server <- read(fun() -> ets:lookup(ra_directory, element(1, Row)) end), is_atom(element(4, Server)),
                               {VHost, Name} <- by_name(element(4, Server))])
    end.
