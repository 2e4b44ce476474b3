%% SPDX-License-Identifier: MIT
%% @private
%% What `carrierscope top` shows of this node, once a second: allocators and who holds memory.  Nothing is hooked
%% and no library is loaded.
%%
%% The answer is one string, "csc-ok " and records that ';' ends, of fields that '|' separates:
%%
%%   node|Name|OsPid|Release|ResidentBytes|Processes|Ports     ResidentBytes: empty where the system does not report it
%%   alloc|Name|CarrierBytes|BlockBytes|PoolBytes
%%   held|Kind|Id|Text|Bytes|BinaryBytes                       Kind: process, group, table or port
%%
%% A group is three processes or more that began with one call, none of which has most of what they hold.
%%
%% It is of ASCII: a character beyond it is '~' and its number in three digits of base 64 (0-9, A-Z, a-z, '_', '.').
%%
%% Reading allocators resets "maximum since last read" of erlang:system_info({allocator, _}), as any reader does.
-module(carrierscope_top).
-export([look/2]).
-export([serve/2, answer/2]).
%% For carrierscope_shell and carrierscope_level.
-export([held/2, process/5]).

%% Nobody has asked for so long, in ms: nobody is there any more.
-define(LEASE, 15000).

%% Texts of other people have so many characters, and take so many bytes, at most: an answer has 4,000.
-define(TEXT, 60).
-define(TEXT_BYTES, 80).

%% The Top largest holders of each kind at most; somebody asks every Ms milliseconds.
look(Top, Ms) ->
    Monitor = monitor(process, server(Top, Ms)),
    ?MODULE ! {look, self(), Monitor},
    receive
        {Monitor, Answer} -> demonitor(Monitor, [flush]), Answer;
        {'DOWN', Monitor, process, _, Reason} -> "csc-error " ++ text(io_lib:format("~0P", [Reason, 9]))
    after 20000 ->
        "csc-error the node took more than 20 s"
    end.

%% A process of its own goes on where it stopped when there are many processes to look at.
server(Top, Ms) ->
    case whereis(?MODULE) of
        undefined ->
            Pid = spawn(?MODULE, serve, [Top, Ms]),
            %% Somebody else may have been faster.
            try register(?MODULE, Pid), Pid catch error:badarg -> exit(Pid, kill), ?MODULE end;
        Pid ->
            Pid
    end.

%% @private
serve(Top, Ms) ->
    receive
        {look, From, Mark} ->
            From ! {Mark, "csc-ok " ++ answer(Top, Ms)},
            %% By its full name: a new version goes on.  One that two loads have ended is started by who asks next.
            ?MODULE:serve(Top, Ms)
    after ?LEASE -> ok
    end.

%% @private
%% What follows "csc-ok ", by the process that calls it each time.
answer(Top, Ms) ->
    lists:append([record(Fields) ++ ";" || Fields <- records(Top, Ms)]).

record(Fields) ->
    lists:append(lists:join("|", [if is_integer(Field) -> integer_to_list(Field); true -> text(Field) end
                                  || Field <- Fields])).

records(Top, Ms) ->
    [[node, node(), os:getpid(), erlang:system_info(otp_release), resident(),
      erlang:system_info(process_count), erlang:system_info(port_count)]] ++
        [allocator(Name, Instances)
         || {Name, Instances} <- erlang:system_info({allocator_sizes, erlang:system_info(alloc_util_allocators)}),
            is_list(Instances)] ++
        holders(Top, carrierscope_holders:rows(0, carrierscope_holders:limits(Top, Ms))).

resident() ->
    case carrierscope_memory:resident(fun file:read_file/1) of
        unknown -> "";
        Bytes -> Bytes
    end.

allocator(Name, Instances) ->
    Parts = [Part || {instance, _, Sections} <- Instances, {_, Terms} = Part <- Sections, is_list(Terms)],
    Of = fun(Sections, Bytes) ->
                 lists:sum([Bytes(Term) || {Section, Terms} <- Parts, lists:member(Section, Sections), Term <- Terms])
         end,
    All = [mbcs, sbcs, mbcs_pool],
    [alloc, Name, Of(All, fun carriers/1), Of(All, fun blocks/1), Of([mbcs_pool], fun carriers/1)].

carriers(Term) when element(1, Term) =:= carriers_size -> element(2, Term);
carriers(_) -> 0.

%% {blocks, [{Allocator, [{size, ...}]}]} of OTP 23 and later.
blocks({blocks, Owners}) when is_list(Owners) ->
    lists:sum([element(2, Size) || {_, Figures} <- Owners, Size <- Figures, element(1, Size) =:= size]);
blocks(Term) when element(1, Term) =:= blocks_size -> element(2, Term);
blocks(_) -> 0.

%% @private
%% [Kind, Id, Text, Bytes, BinaryBytes] of those that have most.
held(Top, Rows) ->
    [Fields || [held | Fields] <- holders(Top, Rows)].

holders(Top, Rows) ->
    Names = maps:from_list([{Pid, {process(Name, Label, Initial, Current, Application), group(Name, Label, Initial)}}
                            || {named, Pid, Name, Label, Initial, Current, Application, _} <- Rows]),
    Alone = [{max(0, Heap) + max(0, Bytes), Pid, maps:get(Pid, Names, {<<>>, none}), max(0, Heap), max(0, Bytes)}
             || {process, _, Pid, _, Heap, _, _, Bytes, _, _, _, _, _} <- Rows],
    {Left, Groups} = lists:foldl(fun grouped/2, {Alone, []},
                                 [{plain(Call), Count, Heap, Bytes} || {group, _, Call, Count, Heap, _, Bytes, _, _, _, _} <- Rows]),
    Held = [{Bytes, [held, process, Pid, Text, Heap, Binaries]} || {Bytes, Pid, {Text, _}, Heap, Binaries} <- Left] ++
        Groups ++
        [{Bytes, [held, table, Table, Name, Bytes, 0]} || {table, _, Table, Name, _, _, _, Bytes} <- Rows] ++
        [{Bytes + Queue, [held, port, Port, Name, Bytes + Queue, 0]} || {port, _, Port, Name, _, _, Bytes, Queue} <- Rows],
    [Fields || {_, Fields} <- lists:sublist(lists:reverse(lists:keysort(1, Held)), Top)].

%% Processes with a name or a label of their own are in no group.
group(Name, Label, Initial) ->
    case {plain(Name), plain(Label)} of
        {"", ""} -> plain(Initial);
        _ -> none
    end.

%% Processes of a call that were not looked at one by one, with those that were; without one that has more than the others
%% together.
grouped({"", _, _, _}, Found) -> Found;
grouped({Call, Count, Heap, Bytes}, {Alone, Groups}) ->
    {Members, Others} = lists:partition(fun({_, _, {_, Of}, _, _}) -> Of =:= Call end, Alone),
    All = Heap + Bytes + lists:sum([Each || {Each, _, _, _, _} <- Members]),
    {Large, Small} = lists:partition(fun({Each, _, _, _, _}) -> 2 * Each > All end, Members),
    case Count + length(Small) of
        Number when Number < 3 -> {Alone, Groups};
        Number ->
            Heaps = Heap + lists:sum([Each || {_, _, _, Each, _} <- Small]),
            Binaries = Bytes + lists:sum([Each || {_, _, _, _, Each} <- Small]),
            Text = integer_to_list(Number) ++ " x " ++ Call,
            {Large ++ Others, [{Heaps + Binaries, [held, group, Call, Text, Heaps, Binaries]} | Groups]}
    end.

%% @private
%% As process_label has it: what RabbitMQ names is called so alone.
process(Name, Label, Initial, Current, Application) ->
    case is_own(plain(Name)) orelse is_own(plain(Initial)) of
        true -> "this recorder";
        false ->
            case plain(Label) of
                "queue \"" ++ _ = Called -> Called;
                "connection \"" ++ _ = Called -> Called;
                "channel " ++ _ = Called -> Called;
                _ -> other(Name, Label, Initial, Current, Application)
            end
    end.

is_own("carrierscope_" ++ _) -> true;
is_own("carrierscope:" ++ _) -> true;
is_own(_) -> false.

other(Name, Label, Initial, Current, Application) ->
    Call = case plain(Initial) of
               "proc_lib" ++ _ -> plain(Current);
               "erlang:apply/" ++ _ -> plain(Current);
               Known -> Known
           end,
    Labels = [["'", Text, "'"] || Text <- [plain(Label)], Text =/= ""],
    %% A label is of this process, a call of many: it is first where a terminal is narrow.
    Shown = case plain(Name) of
                "" -> Labels ++ [Call];
                Registered -> [Registered | Labels]
            end,
    lists:join(" ", Shown ++ [["(", Text, ")"] || Text <- [plain(Application)], Text =/= ""]).

%% Rows have texts for C, which end in a zero byte.
plain(Text) ->
    [Char || Char <- binary_to_list(iolist_to_binary(Text)), Char =/= 0].

%% Printable, short, and without what separates.  The bytes are UTF-8; one that is not is a '?'.
text(Text) when is_atom(Text) -> text(unicode:characters_to_binary(atom_to_list(Text)));
text(Text) -> written(characters(list_to_binary(plain(Text))), ?TEXT, ?TEXT_BYTES).

characters(<<Char/utf8, Rest/binary>>) -> [Char | characters(Rest)];
characters(<<_, Rest/binary>>) -> [$? | characters(Rest)];
characters(<<>>) -> [].

written([Char | Rest], Count, Bytes) when Count > 0 ->
    Shown = written(Char),
    case Bytes - length(Shown) of
        Left when Left >= 0 -> Shown ++ written(Rest, Count - 1, Left);
        _ -> ""
    end;
written(_, _, _) -> "".

written(Char) when Char < $\s; Char =:= 127; Char > 16#3ffff -> "?";
written(Char) when Char =:= $"; Char =:= $\\ -> "'";
written(Char) when Char =:= $|; Char =:= $; -> ",";
written(Char) when Char < $~ -> [Char];
written(Char) -> [$~, digit(Char bsr 12), digit((Char bsr 6) band 63), digit(Char band 63)].

digit(N) -> lists:nth(N + 1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_.").
