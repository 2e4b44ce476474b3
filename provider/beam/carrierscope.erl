%% SPDX-License-Identifier: MIT
%% @doc Records the blocks of a stock Erlang node as LTTng events (provider `carrierscope`).
%%
%%   carrierscope:start().                    every block
%%   carrierscope:start(#{sample => {bytes, 65536}}).
%%   carrierscope:info().
%%   carrierscope:stop().
%%   carrierscope:snapshot().                 the node's own figures, as events
%%
%% Works in a shell, over -remsh or erl_call, with -eval, and at boot:
%%
%%   erl -pa DIR -run carrierscope
%%   erl -pa DIR -run carrierscope start allocators=ets_alloc,binary_alloc sample=bytes:65536
%%
%% erl_call does not read maps, but lists: -a 'carrierscope start [["sample=bytes:65536"]]'.
%%
%% The events go to whatever LTTng session listens, now or later.  What was allocated before the
%% start is known by its free alone: the event hook_begin says when that was.
%%
%% Loading this module connects to LTTng's session daemon, which takes some ten milliseconds on the
%% scheduler that loads it; LTTNG_UST_REGISTER_TIMEOUT (ms, 3000 if not set) bounds it.
-module(carrierscope).
-export([start/0, start/1, stop/0, info/0, snapshot/0, snapshot/1]).
%% For carrierscope_snapshot and spawn/3.
-export([allocators/0, snapshots/1, tell_nif/1, jit_debug_nif/0]).
-on_load(init/0).

-type sample() :: none | {bytes, pos_integer()} | {count, pos_integer()}.
-type options() :: #{allocators => all | [atom()],
                     types => all | [atom() | binary() | string()],
                     min_size => non_neg_integer(),
                     sample => sample()}.
-export_type([options/0]).

init() ->
    Path = case os:getenv("CARRIERSCOPE_NIF") of
               false -> filename:join(filename:dirname(code:which(?MODULE)), "carrierscope_nif");
               Given -> filename:rootname(Given, ".so")
           end,
    erlang:load_nif(Path, 0).

%% @doc Hooks all allocators: every block is told.
-spec start() -> {ok, map()} | {error, binary()}.
start() ->
    log(start(#{})).

%% @doc Hooks.  Options:
%%   allocators  all (default), or names as erlang:system_info(alloc_util_allocators) has them
%%   types       all (default), or names of block types such as "heap" or "db_term"
%%   min_size    smaller requests, in bytes, are not told (default 0)
%%   sample      none (default); {bytes, N}: one block in N allocated bytes in the mean;
%%               {count, N}: one block in N.  Events are sample_alloc, with a weight, and
%%               sample_free; what the weight means stands in provider/beam/hook.h
%% A list of strings "option=value" is what -run hands over.
%%
%% Reads the options of the allocators once, and where every block is told also their figures, as
%% stop/0 does: what came between can then be replayed and compared (carrierscope-twin --compare).
%% That resets the column "maximum since last read" of erlang:system_info({allocator, _}), as
%% everyone does who reads it.
-spec start(options() | [string()]) -> {ok, map()} | {error, binary()}.
start(Strings) when is_list(Strings) ->
    log(case parse(Strings, #{}) of
            {error, _} = Error -> Error;
            Options -> start(Options)
        end);
start(Options) when is_map(Options) ->
    case names_nif() of
        {ok, Allocators, Types} ->
            try order(Options, Allocators, Types) of
                Order ->
                    %% Once in vain: what a reading makes for good, atoms, is there before the hook.
                    _ = carrierscope_snapshot:rows(0, Allocators),
                    case start_nif(Order) of
                        ok -> reading(), {ok, info()};
                        Error -> Error
                    end
            catch
                throw:Sentence -> {error, unicode:characters_to_binary(Sentence)}
            end;
        Error -> Error
    end.

%% @doc Unhooks, and says what was told.
-spec stop() -> {ok, map()} | {error, binary()}.
stop() ->
    reading(),
    case stop_nif() of
        ok -> {ok, info()};
        Error -> Error
    end.

%% Where all blocks are told, by a process that has room for it: it allocates the same each time.
reading() ->
    case info_nif() of
        {true, _, _, 0, 0, 0, _, _, _, _, _, _} ->
            {_, Monitor} = spawn_opt(?MODULE, snapshot, [],
                                      [monitor, {min_heap_size, 300000}]),
            receive {'DOWN', Monitor, process, _, _} -> ok end;
        _ ->
            ok
    end.

%% @doc What is hooked, and what was told since; counts are of events that some session had enabled.
-spec info() -> map().
info() ->
    {IsOn, Id, Mask, Types, MinSize, By, Every, Allocs, Frees, Reallocs, Failures, Untracked} =
        info_nif(),
    Names = case names_nif() of
                {ok, Allocators, _} -> [Name || {N, Name} <- Allocators, Mask band (1 bsl N) =/= 0];
                _ -> []
            end,
    #{hooked => IsOn, hook_id => Id, allocators => Names,
      types => case Types of 0 -> all; _ -> Types end,
      min_size => MinSize,
      sample => case By of 0 -> none; 1 -> {bytes, Every}; 2 -> {count, Every} end,
      allocs => Allocs, frees => Frees, reallocs => Reallocs, failures => Failures,
      untracked => Untracked}.

%% @doc Tells the node's own statistics once.  Reading them resets "maximum since last read".
%% Works on any emulator, also where start/1 refuses to hook.
%%
%% Never calls module instrument, which damages nodes: see snapshot/1.
-spec snapshot() -> {ok, pos_integer()}.
snapshot() ->
    %% A local fun jumps to nowhere after a load of this module that was refused (OTP 25).
    carrierscope_snapshot:tell(fun ?MODULE:tell_nif/1).

%% @doc #{every => Ms}: tells them every so many milliseconds, on a process of its own, until
%% snapshot(stop).
%%
%% #{instrument => true}: tells them once, and what instrument:carriers/1 and allocations/1 answer;
%% a map instead of true is handed to both (histogram_start, allocator_types, ...).  This is not
%% free of harm.  On OTP 24 and 25 each scan that pauses inside the pool of abandoned carriers takes
%% one off that pool's count for good; when the count has passed below zero the instance takes the
%% pool for full, and never abandons a carrier again until the node is restarted.  So it is not done
%% unless asked for, and never repeated: ask a node that may be restarted, or that has no pool
%% (+MHacul 0 and its like).
-spec snapshot(#{every := pos_integer()} | #{instrument := true | map()} | stop) ->
          ok | {ok, pos_integer()} | {error, binary()}.
snapshot(#{instrument := true} = Asked) ->
    snapshot(Asked#{instrument := #{}});
snapshot(#{instrument := _, every := _}) ->
    {error, <<"instrument damages nodes: it is asked once, not every so often">>};
snapshot(#{instrument := Options}) when is_map(Options) ->
    carrierscope_snapshot:scan(fun ?MODULE:tell_nif/1, Options);
snapshot(stop) ->
    case whereis(carrierscope_snapshots) of
        undefined -> {error, <<"no snapshots are taken">>};
        Pid ->
            Monitor = monitor(process, Pid),
            Pid ! stop,
            receive {'DOWN', Monitor, process, Pid, _} -> ok end
    end;
snapshot(#{every := Ms}) when is_integer(Ms), Ms > 0 ->
    Pid = spawn(?MODULE, snapshots, [Ms]),
    try register(carrierscope_snapshots, Pid) of
        true -> Pid ! go, ok
    catch
        error:badarg -> exit(Pid, kill), {error, <<"snapshots are taken already">>}
    end.

%% @private
allocators() ->
    case names_nif() of
        {ok, Allocators, _} -> Allocators;
        {error, _} -> numbered()
    end.

%% Of an emulator that does not export its numbers: ours, which the snapshot tells with the names.
numbered() ->
    {_, _, _, Settings} = erlang:system_info(allocator),
    Names = [Name || {Name, _} <- Settings, lists:suffix("_alloc", atom_to_list(Name)),
                     Name =/= mseg_alloc],
    lists:zip(lists:seq(1, length(Names)), Names).

%% @private
snapshots(Ms) ->
    receive go -> ok end,
    snapshots(Ms, erlang:monotonic_time(millisecond)).

snapshots(Ms, Due) ->
    receive stop -> ok
    after max(0, Due - erlang:monotonic_time(millisecond)) ->
        {ok, _} = snapshot(),
        snapshots(Ms, Due + Ms)
    end.

%% -run throws results away.
log({error, Sentence} = Error) ->
    logger:error("carrierscope: ~ts", [Sentence]),
    Error;
log(Result) ->
    Result.

%% What the native half wants.
order(Options, Allocators, Types) ->
    case maps:keys(Options) -- [allocators, types, min_size, sample] of
        [] -> ok;
        [Other | _] -> throw(io_lib:format("there is no option '~p'", [Other]))
    end,
    Mask = mask(maps:get(allocators, Options, all), Allocators),
    {By, Every} = sample(maps:get(sample, Options, none)),
    {Uptime, _} = erlang:statistics(wall_clock),
    {Mask, types(maps:get(types, Options, all), Types),
     min_size(maps:get(min_size, Options, 0)), By, Every, Uptime,
     list_to_binary(erlang:system_info(otp_release)),
     carrierscope_snapshot:options(Allocators)}.

mask(all, Allocators) ->
    mask([Name || {_, Name} <- Allocators], Allocators);
mask(Names, Allocators) when is_list(Names), Names =/= [] ->
    lists:foldl(fun(Name, Mask) ->
                        case lists:keyfind(Name, 2, Allocators) of
                            {N, _} -> Mask bor (1 bsl N);
                            false -> throw(io_lib:format("there is no allocator '~p'", [Name]))
                        end
                end, 0, Names);
mask(Other, _) ->
    throw(io_lib:format("allocators are 'all' or a list of names, not ~p", [Other])).

types(all, _) ->
    [];
types(Names, Types) when is_list(Names), Names =/= [] ->
    lists:usort([type(text(Name), Types) || Name <- Names]);
types(Other, _) ->
    throw(io_lib:format("types are 'all' or a list of names, not ~p", [Other])).

type(Name, Types) ->
    case lists:keyfind(Name, 2, Types) of
        {N, _, _} -> N;
        false -> throw(io_lib:format("there is no block type '~ts'", [Name]))
    end.

min_size(Size) when is_integer(Size), Size >= 0 -> Size;
min_size(Other) -> throw(io_lib:format("min_size is a number of bytes, not ~p", [Other])).

sample(none) -> {0, 0};
sample({bytes, N}) when is_integer(N), N >= 2 -> {1, N};
sample({count, 1}) -> {0, 0};
sample({count, N}) when is_integer(N), N >= 2 -> {2, N};
sample(Other) ->
    throw(io_lib:format("sample is none, {bytes, N} or {count, N} with N of 2 or more, not ~p",
                        [Other])).

text(Name) when is_atom(Name) -> atom_to_binary(Name);
text(Name) -> unicode:characters_to_binary(Name).

%% ["sample=bytes:65536", ...]
parse([], Options) ->
    Options;
parse([String | Rest], Options) ->
    case string:split(String, "=") of
        ["allocators", Names] ->
            parse(Rest, Options#{allocators => [list_to_atom(N) || N <- string:lexemes(Names, ",")]});
        ["types", Names] ->
            parse(Rest, Options#{types => string:lexemes(Names, ",")});
        ["min_size", Value] ->
            number(Value, fun(N) -> parse(Rest, Options#{min_size => N}) end);
        ["sample", "bytes:" ++ Value] ->
            number(Value, fun(N) -> parse(Rest, Options#{sample => {bytes, N}}) end);
        ["sample", "count:" ++ Value] ->
            number(Value, fun(N) -> parse(Rest, Options#{sample => {count, N}}) end);
        _ ->
            {error, unicode:characters_to_binary(["'", String, "' is no option"])}
    end.

number(Value, Continue) ->
    case string:to_integer(Value) of
        {N, ""} -> Continue(N);
        _ -> {error, unicode:characters_to_binary(["'", Value, "' is no number"])}
    end.

start_nif(_Order) -> erlang:nif_error(not_loaded).
stop_nif() -> erlang:nif_error(not_loaded).
info_nif() -> erlang:nif_error(not_loaded).
names_nif() -> erlang:nif_error(not_loaded).
tell_nif(_Rows) -> erlang:nif_error(not_loaded).
jit_debug_nif() -> erlang:nif_error(not_loaded).
