%% SPDX-License-Identifier: MIT
%% @private
%% Rows of a snapshot (carrierscope_snapshot:rows/2, carrierscope_holders:rows/2) as levels of what may grow.
%%
%%   {carriers, Allocator, Instance, Key}    of carriers: see use/1
%%   {count, What}                           atoms, modules, processes, ports, tables
%%   {held, Kind, Id, Type}                  of a process heap, blocks, survived, binary and messages; of a table ets and objects; of a port
%%                                           port
%%   mapped, seen                            bytes that allocators have from the system; whether all processes and tables were looked at
-module(carrierscope_level).
-export([add/2, use/1, names/1, plain/1]).
-export_type([level/0, key/0, use/0]).

-type allocator() :: non_neg_integer() | atom().
-type key() :: {carriers, allocator(), non_neg_integer(), atom()} | {count, atom()} | {held, atom(), binary(), atom()} | mapped | seen.
-type level() :: #{key() => term()}.
%% Bytes, and their number; of carriers in use and in the pool.
-type use() :: #{mbcs_count := non_neg_integer(), mbcs_carriers := non_neg_integer(), mbcs_blocks := non_neg_integer(),
                 sbcs_count := non_neg_integer(), sbcs_carriers := non_neg_integer(), sbcs_blocks := non_neg_integer(),
                 pool_count := non_neg_integer(), pool_carriers := non_neg_integer(), pool_blocks := non_neg_integer()}.

-spec add(tuple(), level()) -> level().
add({instance, _, 0, _, <<"node\0">>, Key, Count, _, _}, Level) ->
    Level#{{count, counted(plain(Key))} => Count};
add({instance, _, 0, _, <<"erts_mmap\0">>, Key, Bytes, _, _}, Level) ->
    case binary:match(Key, [<<"_mmap/os/sizes/used\0">>, <<"_mmap/supercarrier/sizes/used\0">>]) of
        nomatch -> Level;
        _ -> more(mapped, Bytes, Level)
    end;
add({instance, _, 0, _, _, _, _, _, _}, Level) ->
    Level;
add({instance, _, Allocator, Instance, Section, Key, Value, _, _}, Level) ->
    Kind = section(Section),
    Now = case Key of
              <<"sys_alloc_carriers_size\0">> when Kind =/= none -> more(mapped, Value, Level);
              _ -> Level
          end,
    case Kind =:= none orelse figure(Kind, Key) of
        true -> Now;
        none -> Now;
        Figure -> more({carriers, Allocator, Instance, Figure}, Value, Now)
    end;
add({process, _, Pid, _, Heap, Queue, _, Binary, By, Used, Survived, _, _}, Level) ->
    held(process, Pid, [{heap, Used} || Used >= 0] ++ [{blocks, Heap} || Heap >= 0] ++ [{survived, Survived} || Survived > 0] ++
             [{binary, Binary} || By > 0, Binary >= 0] ++ [{messages, Queue}], Level);
add({table, _, Table, _, _, _, Objects, Bytes}, Level) ->
    held(table, Table, [{ets, Bytes}, {objects, Objects}], Level);
add({port, _, Port, _, _, _, Bytes, Queued}, Level) ->
    held(port, Port, [{port, Bytes + Queued}], Level);
add({holders, _, Processes, Seen, Tables, TablesSeen, _, _, _, _, _}, Level) ->
    Level#{seen => #{process => Seen >= Processes, table => TablesSeen >= Tables}};
add(_, Level) ->
    Level.

held(Kind, Id, Figures, Level) ->
    lists:foldl(fun({Type, Value}, Now) -> Now#{{held, Kind, Id, Type} => Value} end, Level, Figures).

more(Key, Value, Level) ->
    Level#{Key => maps:get(Key, Level, 0) + Value}.

counted("atom_count") -> atoms;
counted("process_count") -> processes;
counted("port_count") -> ports;
counted("ets_count") -> tables;
counted("module_count") -> modules.

section(<<"mbcs\0">>) -> mbcs;
section(<<"sbcs\0">>) -> sbcs;
section(<<"mbcs_pool\0">>) -> pool;
section(_) -> none.

%% Blocks of another allocator, in a carrier that came from a common pool, fill that carrier, too.
figure(Kind, <<"carriers\0">>) -> of_kind(Kind, mbcs_count, sbcs_count, pool_count);
figure(Kind, <<"carriers_size\0">>) -> of_kind(Kind, mbcs_carriers, sbcs_carriers, pool_carriers);
%% No pattern with a rest that is not used: OTP 29 loads none of an older compiler.
figure(Kind, Key) ->
    case binary:match(Key, <<"blocks_size">>) of
        {0, _} -> of_kind(Kind, mbcs_blocks, sbcs_blocks, pool_blocks);
        _ -> none
    end.

of_kind(mbcs, Figure, _, _) -> Figure;
of_kind(sbcs, _, Figure, _) -> Figure;
of_kind(pool, _, _, Figure) -> Figure.

%% Of each instance of each allocator that has carriers.
-spec use(level()) -> #{{allocator(), non_neg_integer()} => use()}.
use(Level) ->
    Empty = maps:from_list([{Figure, 0} || Figure <- [mbcs_count, mbcs_carriers, mbcs_blocks, sbcs_count, sbcs_carriers, sbcs_blocks,
                                                      pool_count, pool_carriers, pool_blocks]]),
    All = maps:fold(fun({carriers, Allocator, Instance, Figure}, Value, Uses) ->
                            Id = {Allocator, Instance},
                            Uses#{Id => (maps:get(Id, Uses, Empty))#{Figure => Value}};
                       (_, _, Uses) -> Uses
                    end, #{}, Level),
    maps:filter(fun(_, #{mbcs_carriers := Mbcs, sbcs_carriers := Sbcs, pool_carriers := Pool}) -> Mbcs + Sbcs + Pool > 0 end, All).

%% What holders are called, by their identifiers in rows.
-spec names([tuple()]) -> #{binary() => string()}.
names(Rows) ->
    maps:from_list([{Pid, plain(carrierscope_top:process(Name, Label, Initial, Current, Application))}
                    || {named, Pid, Name, Label, Initial, Current, Application, _} <- Rows] ++
                   [{Table, plain(Name)} || {table, _, Table, Name, _, _, _, _} <- Rows] ++
                   [{Port, plain(Name)} || {port, _, Port, Name, _, _, _, _} <- Rows]).

%% Rows have texts for C, which end in a zero byte.
-spec plain(iodata()) -> string().
plain(Text) ->
    Bytes = binary:replace(iolist_to_binary(Text), <<0>>, <<>>, [global]),
    case unicode:characters_to_list(Bytes) of
        Characters when is_list(Characters) -> Characters;
        _ -> binary_to_list(Bytes)
    end.
