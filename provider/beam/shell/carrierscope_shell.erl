%% SPDX-License-Identifier: MIT
%% @private
%% What carrierscope answers in the shell of a node, without LTTng and without the native half.  Whatever reads the node is bounded as
%% what is pushed into others (carrierscope_push): a heap of its own with an end, a tenth of the time, none where memory is short.
-module(carrierscope_shell).
-export([holders/1, growth/2, fragmentation/1, record/1, verdict/1, telemetry/0, bounded/1]).

%% Holders of each kind that growth/2 compares; a period of it, and of record/1, in ms.
-define(COMPARED, 1000).
-define(MOST_MS, 3600000).
-define(LEAST_MS, 100).

%% Seconds of record/1, and of verdict/1.
-define(SECONDS, {60, 1, 604800}).
-define(VERDICT_SECONDS, {10, 5, 600}).

%% Levels that a verdict is made of, at most.
-define(LEVELS, 60).

-define(MIB, 1048576).

-type answer() :: [map()] | {error, string()}.

-spec holders(pos_integer()) -> answer().
holders(Top) ->
    is_count(Top) orelse carrierscope_options:refuse("holders takes a number from 1 to ~b, not ~ts",
                                                     [carrierscope_options:most_holders(), carrierscope_options:shown(Top)]),
    bounded(fun() ->
                    Rows = carrierscope_holders:rows(0, carrierscope_holders:limits(min(Top + 1, ?COMPARED), once)),
                    lists:sublist([#{kind => Kind, id => id(Kind, Id), name => carrierscope_level:plain(Text), bytes => Bytes + Binaries,
                                     binary_bytes => Binaries, mib => mib(Bytes + Binaries)}
                                   || [Kind, Id, Text, Bytes, Binaries] <- carrierscope_top:held(Top + 1, Rows), not is_own(Kind, Id)], Top)
            end).

%% Who looks is none of them.
is_own(Kind, Id) -> Kind =:= process andalso id(Kind, Id) =:= self().

is_count(Top) -> is_integer(Top) andalso Top > 0 andalso carrierscope_options:is_holders(Top).

-spec growth(pos_integer(), pos_integer()) -> answer().
growth(Top, Ms) ->
    is_count(Top) andalso is_integer(Ms) andalso Ms >= ?LEAST_MS andalso Ms =< ?MOST_MS orelse
        carrierscope_options:refuse("growth takes a number from 1 to ~b, and ms from ~b to ~b, not ~ts and ~ts",
                                    [carrierscope_options:most_holders(), ?LEAST_MS, ?MOST_MS, carrierscope_options:shown(Top),
                                     carrierscope_options:shown(Ms)]),
    bounded(fun() ->
                    {Begin, First, _, Base} = compared(),
                    receive after Ms -> ok end,
                    {End, Last, Names, _} = compared(),
                    Seconds = max(1, End - Begin) / 1000,
                    Grown = [{Bytes - maps:get(Key, First, of_new(Key, Base)), Key, Bytes} || {{Kind, Id} = Key, Bytes} <- maps:to_list(Last), not is_own(Kind, Id)],
                    [#{kind => Kind, id => id(Kind, Id), name => maps:get(Id, Names, ""), bytes => Bytes, grown_bytes => More,
                       grown_mib => mib(More), mib_per_s => mib(More / Seconds)}
                     || {More, {Kind, Id}, Bytes} <- lists:sublist(lists:reverse(lists:sort(Grown)), Top), More > 0]
            end).

%% {Ms, #{{Kind, Id} => Bytes}, Names, #{Kind => the most that one which is not listed may have}}.
compared() ->
    Now = erlang:monotonic_time(millisecond),
    Rows = carrierscope_holders:rows(0, carrierscope_holders:limits(?COMPARED, once)),
    Levels = maps:to_list(lists:foldl(fun carrierscope_level:add/2, #{}, Rows)),
    Held = [{Kind, Id, Type, Value} || {{held, Kind, Id, Type}, Value} <- Levels, lists:member(Type, [heap, binary, ets, port])],
    {Now, lists:foldl(fun({Kind, Id, _, Value}, Sums) -> maps:update_with({Kind, Id}, fun(Sum) -> Sum + Value end, Value, Sums) end, #{}, Held),
     carrierscope_level:names(Rows),
     maps:from_list([{Kind, lists:sum([base([V || {K, _, T, V} <- Held, K =:= Kind, T =:= Type]) || Type <- Types])}
                     || {Kind, Types} <- [{process, [heap, binary]}, {table, [ets]}, {port, [port]}]])}.

base(Values) when length(Values) < ?COMPARED -> 0;
base(Values) -> lists:min(Values).

%% So its growth is so much at least.
of_new({Kind, _}, Base) -> map_get(Kind, Base).

-spec fragmentation(allocators | instances) -> answer().
fragmentation(By) ->
    By =:= allocators orelse By =:= instances orelse
        carrierscope_options:refuse("fragmentation takes allocators or instances, not ~ts", [carrierscope_options:shown(By)]),
    case within(fun carriers/0) of
        {error, _} = Error -> Error;
        {Uses, Cached} ->
            Sums = case By of
                       instances -> maps:to_list(Uses);
                       allocators -> maps:to_list(maps:fold(fun({Name, _}, Use, All) -> with({Name, all}, Use, All) end, #{}, Uses))
                   end,
            Rows = [fragmented(Name, Instance, Use) || {{Name, Instance}, Use} <- Sums] ++ [cache(Cached) || Cached > 0],
            [Row || {_, _, Row} <- lists:reverse(lists:sort([{map_get(unused_bytes, Row), map_get(allocator, Row), Row} || Row <- Rows]))]
    end.

with(Key, Use, All) ->
    All#{Key => maps:map(fun(Figure, Value) -> Value + map_get(Figure, maps:get(Key, All, Use)) - case All of #{Key := _} -> 0; _ -> Value end end, Use)}.

%% {#{{Name, Instance} => Use}, Bytes that the node has from the system and no allocator has}
carriers() ->
    carrierscope_native:stands_in(fun(_) -> ok end),
    Numbers = carrierscope_native:allocators(),
    Level = lists:foldl(fun carrierscope_level:add/2, #{}, carrierscope_snapshot:rows(0, Numbers)),
    Names = maps:from_list(Numbers),
    Uses = maps:from_list([{{map_get(Number, Names), Instance}, Use} || {{Number, Instance}, Use} <- maps:to_list(carrierscope_level:use(Level))]),
    Held = lists:sum([Mbcs + Sbcs + Pool || #{mbcs_carriers := Mbcs, sbcs_carriers := Sbcs, pool_carriers := Pool} <- maps:values(Uses)]),
    {Uses, max(0, maps:get(mapped, Level, 0) - Held)}.

fragmented(Name, Instance, #{mbcs_carriers := Mbcs, mbcs_blocks := Blocks, sbcs_carriers := Sbcs, sbcs_blocks := Large,
                             pool_carriers := Pool, pool_blocks := Pooled}) ->
    Carriers = Mbcs + Sbcs + Pool,
    Used = Blocks + Large + Pooled,
    (unused(Name, Instance, Carriers, Used))#{mbcs_usage => ratio(Blocks, Mbcs), mbcs_block_size => Blocks, mbcs_carriers_size => Mbcs,
                                              sbcs_usage => ratio(Large, Sbcs), sbcs_block_size => Large, sbcs_carriers_size => Sbcs,
                                              pool_usage => ratio(Pooled, Pool), pool_block_size => Pooled, pool_carriers_size => Pool}.

%% Segments that are kept for the next carriers, and what alignment leaves.
cache(Bytes) ->
    (unused(mseg_alloc, cache, Bytes, 0))#{mbcs_usage => 1.0, mbcs_block_size => 0, mbcs_carriers_size => 0, sbcs_usage => 1.0, sbcs_block_size => 0,
                                           sbcs_carriers_size => 0, pool_usage => 1.0, pool_block_size => 0, pool_carriers_size => 0}.

unused(Name, Instance, Carriers, Used) ->
    #{allocator => Name, instance => Instance, usage => ratio(Used, Carriers), carriers_mib => mib(Carriers), blocks_mib => mib(Used),
      unused_mib => mib(Carriers - Used), unused_words => (Carriers - Used) div erlang:system_info(wordsize), unused_bytes => Carriers - Used}.

ratio(_, 0) -> 1.0;
ratio(Part, Whole) -> Part / Whole.

-spec telemetry() -> ok | {error, string()}.
telemetry() ->
    case erlang:function_exported(telemetry, execute, 3) orelse code:ensure_loaded(telemetry) =:= {module, telemetry} of
        true -> told(within(fun carriers/0));
        false -> {error, "there is no library telemetry in this node: nothing is told"}
    end.

told({error, _} = Error) ->
    Error;
told({Uses, Cached}) ->
    Sums = maps:fold(fun({Name, _}, #{mbcs_carriers := Mbcs, mbcs_blocks := Blocks, sbcs_carriers := Sbcs, sbcs_blocks := Large,
                                      pool_carriers := Pool, pool_blocks := Pooled}, All) ->
                             {C, B, P} = maps:get(Name, All, {0, 0, 0}),
                             All#{Name => {C + Mbcs + Sbcs + Pool, B + Blocks + Large + Pooled, P + Pool}}
                     end, #{}, Uses),
    lists:foreach(fun({Name, Sum}) -> execute([carrierscope, allocator], measured(Sum), #{allocator => Name}) end, maps:to_list(Sums)),
    {Carriers, Blocks, Pool} = maps:fold(fun(_, {C, B, P}, {Cs, Bs, Ps}) -> {Cs + C, Bs + B, Ps + P} end, {0, 0, 0}, Sums),
    Node = (measured({Carriers, Blocks, Pool}))#{cache => Cached},
    execute([carrierscope, memory], maps:merge(Node, maps:from_list([{resident, Bytes} || Bytes <- carrierscope_push:resident()] ++
                                                                        [{free, Bytes} || {Bytes, _} <- [carrierscope_memory:free()]])), #{}).

measured({Carriers, Blocks, Pool}) ->
    #{carriers => Carriers, blocks => Blocks, unused => Carriers - Blocks, pool => Pool}.

%% By a name that no checker looks for: the library need not be there.
execute(Event, Measurements, Metadata) ->
    Library = telemetry,
    _ = Library:execute(Event, Measurements, Metadata),
    ok.

%%% Readings of some time

-spec record(map()) -> {ok, map()} | {error, string()}.
record(Options) ->
    {File, Seconds, Ms, Force} = timed("record", Options, [seconds, file, every, force], ?SECONDS),
    File =/= none orelse carrierscope_options:refuse("record needs the name of a new file: #{file => \"/tmp/run.csp\"}", []),
    alone(Force, fun() -> into(File, fun() -> read("carrierscope:record", Seconds, Ms, Force, fun carrierscope_push:emit/1) end) end).

-spec verdict(map()) -> {ok, string(), map()} | {error, string()}.
verdict(Options) ->
    {File, Seconds, _, Force} = timed("verdict", Options, [seconds, file, force], ?VERDICT_SECONDS),
    Ms = max(1000, 1000 * Seconds div ?LEVELS),
    alone(Force,
          fun() ->
                  Owner = self(),
                  Emit = fun(Rows) -> carrierscope_verdict:collects(Owner, Rows), carrierscope_push:emit(Rows) end,
                  case into(File, fun() -> read("carrierscope:verdict", Seconds, Ms, Force, Emit) end) of
                      {ok, Written} -> carrierscope_verdict:judges(Written#{asked_seconds => Seconds});
                      Error -> Error
                  end
          end).

%% {File, Seconds, Ms, Force}
timed(What, Options, Known, Bounds) ->
    is_map(Options) andalso maps:keys(Options) -- Known =:= [] orelse
        carrierscope_options:refuse("~ts takes a map with some of ~0p, not ~ts", [What, Known, carrierscope_options:shown(Options)]),
    {Default, Least, Most} = Bounds,
    {file(maps:get(file, Options, none)), number(seconds, maps:get(seconds, Options, Default), Least, Most),
     number(every, maps:get(every, Options, 1000), ?LEAST_MS, ?MOST_MS), carrierscope_options:force(maps:get(force, Options, false))}.

number(_, Value, Least, Most) when is_integer(Value), Value >= Least, Value =< Most -> Value;
number(Option, Value, Least, Most) ->
    carrierscope_options:refuse("option '~ts' is a number from ~b to ~b, not ~ts", [Option, Least, Most, carrierscope_options:shown(Value)]).

file(none) -> none;
file(Name) ->
    case is_atom(Name) orelse carrierscope_options:text(Name) of
        Text when is_binary(Text), Text =/= <<>> -> Text;
        _ -> carrierscope_options:refuse("option 'file' is the name of a new file, not ~ts", [carrierscope_options:shown(Name)])
    end.

%% Who reads ends with this process; it may end before, where it takes too much memory.
read(By, Seconds, Ms, Force, Emit) ->
    Owner = self(),
    process_flag(trap_exit, true),
    carrierscope_push:read(#{seconds => Seconds, ms => Ms, watch => 0, force => Force, by => [By, " on ", atom_to_list(node())],
                             module => carrierscope_push, forced_by => "force => true", begins => fun() -> link(Owner), carrierscope_native:stands_in(Emit) end}).

%% What Read prints goes into a new file, which this process has open; none: nowhere.
into(none, Read) ->
    written(none, file:open("/dev/null", [write]), Read);
into(File, Read) ->
    written(File, file:open(File, [write, exclusive, {encoding, utf8}]), Read).

written(File, {error, Reason}, _) ->
    {error, carrierscope_options:sentence("'~ts' cannot be made: ~ts", [named(File), file:format_error(Reason)])};
written(File, {ok, Device}, Read) ->
    %% Names of processes may be nobody else's business.
    _ = File =/= none andalso file:change_mode(File, 8#600),
    group_leader(Device, self()),
    Answer = try Read() catch Class:Reason -> {Class, Reason} end,
    case {Answer, file:close(Device)} of
        {normal, ok} when File =:= none -> {ok, #{}};
        {normal, ok} -> {ok, #{file => named(File), bytes => filelib:file_size(File)}};
        {{error, Sentence}, _} when is_list(Sentence) -> {error, lists:flatten(Sentence)};
        {Other, Closed} ->
            {error, carrierscope_options:sentence("the readings end early, '~ts' has no end: ~ts",
                                                  [named(File), carrierscope_options:shown({Other, Closed})])}
    end.

named(none) -> "/dev/null";
named(File) -> unicode:characters_to_list(File).

%%% Processes that read

%% Where there is room for a list of processes.
bounded(Do) ->
    case carrierscope_push:refusal(#{force => false, forced_by => "record(#{file => File, force => true})"}) of
        false -> within(Do);
        Sentence -> {error, lists:flatten(Sentence)}
    end.

%% With a heap of its own, which ends with it: of allocators alone it is small.
within(Do) ->
    in_process(Do, false).

%% One that reads for some time, of all that do.
alone(Force, Do) ->
    in_process(fun() ->
                       try register(carrierscope_pusher, self()) of
                           true -> Do()
                       catch
                           error:badarg -> {error, "another carrierscope reads this node: wait until it has ended"}
                       end
               end, Force).

%% It ends with its caller, or where it takes more memory than it may.
in_process(Do, Force) ->
    Caller = self(),
    Mark = make_ref(),
    Words = carrierscope_push:most_heap(#{force => Force}) div erlang:system_info(wordsize),
    {Pid, Monitor} = spawn_opt(fun() -> Caller ! {Mark, answered(Caller, Do)} end,
                               [monitor, {max_heap_size, #{size => Words, kill => true, error_logger => false}}]),
    receive
        {Mark, Answer} -> demonitor(Monitor, [flush]), answer(Answer);
        {'DOWN', Monitor, process, Pid, killed} ->
            {error, "reading this node needs more memory than it may take, or was ended"};
        {'DOWN', Monitor, process, Pid, Reason} ->
            {error, carrierscope_options:sentence("the node could not be read: ~ts", [carrierscope_options:shown(Reason)])}
    end.

%% A caller that is killed takes it along.
answered(Caller, Do) ->
    Reader = self(),
    Guard = spawn(fun() -> guards(monitor(process, Caller), monitor(process, Reader), Reader) end),
    Answer = try {ok, Do()} catch Class:Reason:Stack -> {Class, Reason, Stack} end,
    exit(Guard, kill),
    Answer.

guards(Caller, Reader, Pid) ->
    receive
        {'DOWN', Caller, process, _, _} -> exit(Pid, kill);
        {'DOWN', Reader, process, _, _} -> ok
    end.

answer({ok, Answer}) -> Answer;
answer({Class, Reason, Stack}) -> erlang:raise(Class, Reason, Stack).

%%% Terms of texts

id(process, Text) -> list_to_pid(carrierscope_level:plain(Text));
id(port, Text) -> list_to_port(carrierscope_level:plain(Text));
id(table, Text) ->
    case carrierscope_level:plain(Text) of
        "#Ref<" ++ _ = Reference -> list_to_ref(Reference);
        Name ->
            {ok, Tokens, _} = erl_scan:string(Name ++ "."),
            {ok, Table} = erl_parse:parse_term(Tokens),
            Table
    end;
id(_, Text) -> carrierscope_level:plain(Text).

mib(Bytes) -> round(1000 * Bytes / ?MIB) / 1000.
