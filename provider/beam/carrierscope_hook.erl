%% SPDX-License-Identifier: MIT
%% @private
%% Puts the native half before the allocators of this node, and finds out first how processes and ports are known to it.
-module(carrierscope_hook).
-export([hook/1, info/0, reading/0, first_program/0]).
%% For spawn/3.
-export([try_ports/0, rehearse/1, other_program/0]).

-include_lib("kernel/include/file.hrl").

%% The first program of a user that loads LTTng's library makes the files in /dev/shm at which programs wait for session daemons,
%% of root's and of this user's, and is found by none of them for as long as it runs: measured with LTTng 2.13.
is_first_program() ->
    case {file:list_dir("/dev/shm"), file:read_file_info("/proc/self")} of
        {{ok, Names}, {ok, #file_info{uid = User}}} ->
            Files = [Of || Name <- Names, ["lttng", "ust", "wait" | Of] <- [string:tokens(Name, "-")]],
            [] =:= [root || [_] <- Files] orelse [] =:= [own || [_, Of] <- Files, Of =:= integer_to_list(User)];
        _ ->
            false
    end.

%% Another one goes first where this is the first.
-spec first_program() -> term().
first_program() ->
    is_first_program() andalso other_goes_first().

%% One that ends at once, which takes some 10 ms.
other_goes_first() ->
    {_, Monitor} = spawn_monitor(?MODULE, other_program, []),
    receive {'DOWN', Monitor, process, _, _} -> ok
    after 10000 -> demonitor(Monitor, [flush])
    end.

%% @private
-spec other_program() -> term().
other_program() ->
    try os:cmd("LTTNG_UST_REGISTER_TIMEOUT=3000 LD_PRELOAD=liblttng-ust.so.1 env true") catch _:_ -> none end.

-spec hook(map()) -> {ok, map()} | {error, string()}.
hook(Options) ->
    case carrierscope_nif:names() of
        {ok, Allocators, Types} ->
            Order = carrierscope_options:order(Options, Allocators, Types),
            %% Once in vain: what a reading makes for good, atoms and modules, is there before the hook.
            %% By a process that is gone then: the heap of the caller, which may live on, does not grow by it.
            {_, Monitor} = spawn_monitor(?MODULE, rehearse, [Allocators]),
            receive {'DOWN', Monitor, process, _, Reason} -> Reason =:= normal orelse exit(Reason) end,
            Top = carrierscope_options:holders(Options),
            %% Before the hook: a module may be loaded for it.
            Who = {carrierscope_options:by(maps:get(by, Options, caller())), calendar:system_time_to_rfc3339(erlang:system_time(second))},
            case carrierscope_memory:check(carrierscope_options:force(maps:get(force, Options, false))) of
                ok ->
                    try_processes(),
                    try_ports_by_other(),
                    HasStacks = element(11, Order) andalso carrierscope_stacks:tries(),
                    %% What the first snapshot needs of files is read before the hook.
                    carrierscope_memory:begins(),
                    _ = carrierscope_memory:limit_facts(),
                    Hooked = hooked(carrierscope_nif:start(Order), Top, Who),
                    _ = HasStacks andalso element(1, Hooked) =:= ok andalso carrierscope_stacks:begins(),
                    Hooked;
                Refusal -> Refusal
            end;
        Error ->
            Error
    end.

%% @private
-spec rehearse([{non_neg_integer(), atom()}]) -> [tuple()].
rehearse(Allocators) ->
    _ = carrierscope_snapshot:rows(0, Allocators),
    _ = carrierscope_holders:rehearsal(),
    _ = carrierscope_stacks:rehearse(),
    carrierscope_functions:rows(0, [], Allocators, carrierscope_holders:limits(1, once)).

%% What stop/0 lists is as was asked for at the start.
hooked(ok, Top, Who) ->
    application:set_env(carrierscope, holders, Top),
    application:set_env(carrierscope, hooked_by, Who),
    _ = reading(),
    {ok, info()};
%% Somebody else's is named.
hooked({error, Sentence} = Error, _, _) ->
    case info() of
        #{by := By, since := Since} -> {error, lists:append([Sentence, ", by ", By, ", since ", Since])};
        _ -> Error
    end.

%% Who started it without saying so.
caller() ->
    Name = case process_info(self(), registered_name) of
               {_, Registered} -> atom_to_list(Registered);
               _ -> "no name"
           end,
    carrierscope_options:sentence("carrierscope:start in process ~w (~ts)", [self(), Name]).

%% Two processes look for where a scheduler keeps the process that it runs.  Identifiers, whether there
%% are such processes or not, show how numbers and serials are laid out in them.
try_processes() ->
    Numbers = lists:append([local(1 bsl Bit, 0) || Bit <- lists:seq(0, 27)]),
    Serials = lists:append([local(0, 1 bsl Bit) || Bit <- lists:seq(0, 31)]),
    ok = carrierscope_nif:try_process(Numbers, Serials, local(21845, 2731) ++ local(10922, 5460)),
    {_, Monitor} = spawn_monitor(carrierscope_nif, try_process, [[], [], []]),
    receive {'DOWN', Monitor, process, _, _} -> ok end.

%% In a list; none, if this emulator has no such identifiers.
local(Number, Serial) ->
    try [list_to_pid(lists:flatten(io_lib:format("<0.~b.~b>", [Number, Serial])))]
    catch error:badarg -> []
    end.

local_port(Number) ->
    try [list_to_port(lists:flatten(io_lib:format("#Port<0.~b>", [Number])))]
    catch error:badarg -> []
    end.

%% Its links, messages and driver go with it.
try_ports_by_other() ->
    {Pid, Monitor} = spawn_monitor(?MODULE, try_ports, []),
    receive {'DOWN', Monitor, process, _, _} -> ok
    after 5000 -> exit(Pid, kill), demonitor(Monitor, [flush])
    end.

%% @private
%% Two ports look for where a scheduler keeps the port that it runs: our own library is their driver.  Where
%% it cannot be one, ports are not recorded.
-spec try_ports() -> term().
try_ports() ->
    Numbers = lists:append([local_port(1 bsl Bit) || Bit <- lists:seq(0, 59)]),
    case carrierscope_nif:try_port(Numbers, local_port(21845) ++ local_port(10922)) of
        undefined -> ok;
        File ->
            Name = filename:basename(File),
            case erl_ddll:load_driver(filename:dirname(File), Name) of
                ok ->
                    try_port(Name),
                    try_port(Name),
                    _ = carrierscope_nif:try_port([], []),
                    erl_ddll:unload_driver(Name);
                {error, _} -> ok
            end
    end.

try_port(Name) ->
    Port = open_port({spawn_driver, Name}, []),
    receive {Port, {data, _}} -> port_close(Port)
    after 1000 -> port_close(Port)
    end.

%% Where something is hooked, by a process that has room for it: it allocates the same each time.
-spec reading() -> boolean().
reading() ->
    element(1, carrierscope_nif:info()) andalso reading_by(300000).

reading_by(Words) ->
    Asked = #{holders => application:get_env(carrierscope, holders, carrierscope_options:holders(#{}))},
    {_, Monitor} = spawn_opt(carrierscope, snapshot, [Asked], [monitor, {min_heap_size, Words}]),
    receive {'DOWN', Monitor, process, _, _} -> true end.

-spec info() -> map().
info() ->
    info_map(carrierscope_nif:info()).

info_map({IsOn, Id, Mask, Types, MinSize, By, Every, Allocs, Frees, Reallocs, Failures, Untracked, Way, Process, Port, IsHeard, HasLibrary,
          HasBatches, EventsWhy, Lost, Stack}) ->
    Who = case application:get_env(carrierscope, hooked_by) of
              {ok, {By0, Since}} when IsOn -> #{by => By0, since => Since};
              _ -> #{}
          end,
    Names = case carrierscope_nif:names() of
                {ok, Allocators, _} -> [Name || {N, Name} <- Allocators, Mask band (1 bsl N) =/= 0];
                _ -> []
            end,
    Who#{hooked => IsOn, lttng => HasLibrary, listening => IsHeard, hook_id => Id, allocators => Names,
      types => case Types of 0 -> all; _ -> Types end,
      min_size => MinSize,
      sample => case By of 0 -> none; 1 -> {bytes, Every}; 2 -> {count, Every} end,
      allocs => Allocs, frees => Frees, reallocs => Reallocs, failures => Failures,
      events => case HasBatches of true -> batches; false -> single end, events_why => EventsWhy, lost => Lost,
      untracked => Untracked, table_found_by => Way, process_found_by => Process, port_found_by => Port, stack_found_by => Stack,
      own_buffers => carrierscope_memory:buffers(),
      free_memory => case carrierscope_memory:free() of unknown -> unknown; {Free, _} -> Free end}.
