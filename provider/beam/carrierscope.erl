%% SPDX-License-Identifier: MIT
%% @doc Records the blocks of a stock Erlang node as LTTng events (provider `carrierscope`).
%%
%%   carrierscope:start().                    every block
%%   carrierscope:start(#{sample => {bytes, 65536}}).
%%   carrierscope:info().
%%   carrierscope:snapshot().                 the node's own figures, as events
%%   carrierscope:stop().                     ends all of these
%%
%% Each answers ok, {ok, What} or {error, Sentence}.  A sentence is a string, which erl_call, a shell
%% and io_lib's ~p all print as text.
%%
%% Works in a shell, over -remsh or erl_call, with -eval, and at boot: provider/beam/README.md has the
%% line for each file, which never ends a boot.
%%
%%   erl -pa DIR -run carrierscope start allocators=ets_alloc,binary_alloc sample=bytes:65536
%%
%% erl_call does not read maps, but lists: -a 'carrierscope start [["sample=bytes:65536"]]'.
%%
%% The events go to whatever LTTng session listens, now or later.  What was allocated before the
%% start is known by its free alone: the event hook_begin says when that was.
%%
%% The native half is module carrierscope_nif, loaded by the first call of any of these.
-module(carrierscope).
-export([start/0, start/1, boot/0, boot/1, stop/0, info/0, snapshot/0, snapshot/1]).
%% For carrierscope_snapshot and spawn/3.
-export([allocators/0, repeat/1, try_ports/0, rehearse/1, other_program/0]).

-include_lib("kernel/include/file.hrl").

-type sample() :: none | {bytes, pos_integer()} | {count, pos_integer()}.
-type name() :: atom() | binary() | string().
-type options() :: #{allocators => all | [name()],
                     types => all | [name()],
                     min_size => non_neg_integer(),
                     sample => sample(),
                     holders => non_neg_integer(),
                     force => boolean(),
                     by => string() | binary()}.
-export_type([options/0]).

%% 1 TiB: a weight of such samples still fits its field.
-define(MOST, 1099511627776).

%% The most that `receive ... after` takes.
-define(MOST_MS, 4294967295).

%% Characters of option 'by' that are kept, at most.
-define(MOST_BY, 300).

-define(UNHEARD, "no session of LTTng listens to this node: nothing is recorded until one does").

%% Holders of memory that a snapshot records of each kind, and at most.
-define(HOLDERS, 50).
-define(MOST_HOLDERS, 1000).

%% What a wrong option throws.
-define(refuse(Format, Arguments), throw({?MODULE, sentence(Format, Arguments)})).

%% @doc Hooks all allocators: every block is recorded.
-spec start() -> {ok, map()} | {error, string()}.
start() ->
    log(start(#{})).

%% @doc Hooks.  Options:
%%   allocators  all (default), or names as erlang:system_info(alloc_util_allocators) has them
%%   types       all (default), or names of block types such as "heap" or "db_term"
%%   min_size    smaller requests, in bytes, are not recorded (default 0)
%%   sample      none (default); {bytes, N}: one block in N allocated bytes in the mean;
%%               {count, N}: one block in N.  Events are sample_alloc, with a weight, and
%%               sample_free; what the weight means stands in provider/beam/hook.h
%%   holders     of each kind so many holders of memory are listed by the snapshots that start/1 and stop/0 take
%%               (default 50; 0: none), as by snapshot(#{holders => N})
%%   force       true: also where LTTng's ring buffers take more than a tenth of the memory that is
%%               free, which is refused otherwise (default false)
%%   by          who records: info/0 and a second recorder's refusal say it (default: the calling process)
%% Where no session listens yet, the answer has a sentence `warning`.
%% A list has strings "option=value", as -run hands them over, or pairs {Option, Value}.
%%
%% Reads the options of the allocators and takes a snapshot, as stop/0 does: what came between can
%% then be replayed and compared (tests/replay).  That resets the column "maximum
%% since last read" of erlang:system_info({allocator, _}), as everyone does who reads it.
-spec start(options() | [string() | binary() | {atom(), term()}]) -> {ok, map()} | {error, string()}.
start(Options) when is_map(Options) ->
    warns(answer(fun() -> hook(Options) end));
start(Strings) ->
    log(warns(answer(fun() -> hook(parse(Strings)) end))).

%% @doc boot([])
-spec boot() -> ok.
boot() ->
    boot([]).

%% @doc start(Options) while a node boots, which goes on in any case: that nothing is recorded, and why,
%% is logged in one sentence.
-spec boot(options() | [string() | binary() | {atom(), term()}]) -> ok.
boot(Options) ->
    try
        _ = log(warns(answer(fun() -> hook(if is_map(Options) -> Options; true -> parse(Options) end) end))),
        ok
    catch
        Class:Reason ->
            _ = log({error, sentence("nothing is recorded: start ended with ~w: ~ts", [Class, shown(Reason)])}),
            ok
    end.

%% @doc Unhooks, ends what snapshot(#{every => Ms}) began, and says what was recorded.
-spec stop() -> {ok, map()} | {error, string()}.
stop() ->
    %% Also where the native half is lost.
    HasEnded = end_snapshots(),
    answer(fun() ->
                   WasHooked = reading(300000),
                   Top = application:get_env(carrierscope, holders, ?HOLDERS),
                   case carrierscope_nif:stop() of
                       {error, _} = Error when not HasEnded -> Error;
                       _ ->
                           %% The last thing that is recorded is what the node has then, without a
                           %% process for it.
                           _ = WasHooked andalso carrierscope_snapshot:record((limits(Top, once, #{}))#{ends => true}),
                           {ok, info()}
                   end
           end).

%% @doc What is hooked, and what was recorded since; counts are of events that some session had
%% enabled.  own_buffers: LTTng's ring buffers that are mapped into the node; free_memory: what the
%% machine or a control group leaves; both in bytes, or unknown.  listening: whether some session would record it; of
%% what is hooked also by whom, and since when.
-spec info() -> map() | {error, string()}.
info() ->
    answer(fun() -> info_map(carrierscope_nif:info()) end).

%% @doc Records the node's own statistics once.  Reading them resets "maximum since last read".
%% Works on any emulator, also where start/1 refuses to hook.
%%
%% Never calls module instrument, which damages nodes: see snapshot/1.
-spec snapshot() -> {ok, pos_integer()} | {error, string()}.
snapshot() ->
    answer(fun() -> carrierscope_snapshot:record() end).

%% @doc #{functions => true}: where the node was booted with tags of blocks (+M<S>atags code, OTP 27 and later), also the functions that
%% made its live blocks, by instrument:allocations/1, a million blocks at most (0.2 us each).  Without it they are
%% recorded where other allocators than binary_alloc and driver_alloc, which always are, have tags; false: never.
%%
%% #{holders => N}: records them once, and the N (50 if not said; 0: none) processes that have most heap,
%% the N that refer to most binaries, N tables and N ports; at most 50,000 processes are looked at.
%%
%% #{every => Ms}: records them every so many milliseconds, on a process of its own, until
%% snapshot(stop) or stop(); also with holders => N, for which it takes a thousandth of the time at most:
%% with many processes each snapshot looks at other ones, and again at those that had most.
%%
%% #{instrument => true}: records them once, and what instrument:carriers/1 and allocations/1 answer;
%% a map instead of true is handed to both (histogram_start, allocator_types, ...).  This is not
%% free of harm.  On OTP 24 and 25 each scan that pauses inside the pool of abandoned carriers takes
%% one off that pool's count for good; when the count has passed below zero the instance takes the
%% pool for full, and never abandons a carrier again until the node is restarted.  So it is not done
%% unless asked for, and never repeated: ask a node that may be restarted, or that has no pool
%% (+MHacul 0 and its like).
-spec snapshot(#{every => pos_integer(), holders => non_neg_integer(), functions => boolean()} |
               #{instrument := true | map()} | stop) ->
          ok | {ok, pos_integer()} | {error, string()}.
snapshot(Asked) ->
    answer(fun() -> snapshot_as(Asked) end).

snapshot_as(stop) ->
    case end_snapshots() of
        true -> ok;
        false -> {error, "no snapshots are taken"}
    end;
snapshot_as(#{instrument := _, every := _}) ->
    {error, "instrument damages nodes: it is asked once, not every so often"};
snapshot_as(#{instrument := true} = Asked) when map_size(Asked) =:= 1 ->
    carrierscope_snapshot:scan(#{});
snapshot_as(#{instrument := Options} = Asked) when is_map(Options), map_size(Asked) =:= 1 ->
    carrierscope_snapshot:scan(Options);
snapshot_as(#{} = Asked) when map_size(Asked) > 0 ->
    case maps:fold(fun(Option, Value, Known) -> Known andalso is_asked(Option, Value) end, true, Asked) of
        true -> snapshot_with(maps:get(holders, Asked, ?HOLDERS), Asked);
        false -> not_asked(Asked)
    end;
snapshot_as(Other) ->
    not_asked(Other).

is_asked(every, Ms) -> is_integer(Ms) andalso Ms > 0 andalso Ms =< ?MOST_MS;
is_asked(holders, Top) -> is_integer(Top) andalso Top >= 0 andalso Top =< ?MOST_HOLDERS;
is_asked(functions, Wanted) -> is_boolean(Wanted);
is_asked(_, _) -> false.

not_asked(Other) ->
    ?refuse("snapshot takes #{every => Ms} with Ms from 1 to ~b, #{holders => N} with N to ~b, #{functions => true}, "
            "some of these, #{instrument => true}, #{instrument => Options}, or stop, not ~ts",
            [?MOST_MS, ?MOST_HOLDERS, shown(Other)]).

snapshot_with(Top, #{every := Ms} = Asked) ->
    begin_snapshots({Ms, Top, Asked});
snapshot_with(Top, Asked) ->
    carrierscope_snapshot:record(limits(Top, once, Asked)).

limits(Top, Time, Asked) ->
    maps:merge(carrierscope_holders:limits(Top, Time), maps:with([functions], Asked)).

begin_snapshots({Ms, _, _} = Each) ->
    element(1, carrierscope_nif:info()) orelse carrierscope_memory:begins(),
    case gen_server:start({local, carrierscope_snapshots}, carrierscope_snapshot, Each, []) of
        {ok, _} -> carrierscope_nif:emit([{fact, <<"snapshot_every_ms", 0>>, list_to_binary([integer_to_list(Ms), 0])}]);
        {error, _} -> {error, "snapshots are taken already"}
    end.

%% Whether some were taken.
end_snapshots() ->
    case whereis(carrierscope_snapshots) of
        undefined -> false;
        Pid ->
            Monitor = monitor(process, Pid),
            Pid ! stop,
            receive {'DOWN', Monitor, process, Pid, _} -> true end
    end.

%% @private
%% One of those: {ok, _}, or {error, _}, which ends them.
repeat({Ms, Top, Asked}) ->
    try
        log(answer(fun() -> carrierscope_snapshot:record(limits(Top, Ms, Asked)) end))
    catch
        Class:Reason -> log({error, sentence("no more snapshots are taken: ~w: ~ts", [Class, shown(Reason)])})
    end.

%% @private
allocators() ->
    case carrierscope_nif:names() of
        {ok, Allocators, _} -> Allocators;
        {error, _} -> numbered()
    end.

%% Of an emulator that does not export its numbers: ours, which the snapshot records with the names.
numbered() ->
    {_, _, _, Settings} = erlang:system_info(allocator),
    Names = [Name || {Name, _} <- Settings, lists:suffix("_alloc", atom_to_list(Name)),
                     Name =/= mseg_alloc],
    lists:zip(lists:seq(1, length(Names)), Names).

%% A release has loaded the native half without its library while it booted: as if it had not been loaded.
forgets_stub() ->
    persistent_term:erase({carrierscope_nif, postponed}) andalso code:delete(carrierscope_nif).

%% What Do yields, with the native half at hand; a sentence that was thrown becomes the answer.
answer(Do) ->
    try
        _ = forgets_stub(),
        loads(),
        Do()
    catch
        throw:{?MODULE, Sentence} -> {error, Sentence};
        error:undef:Stack -> lacks(element(1, hd(Stack)));
        exit:{undef, [Missed | _]} -> lacks(element(1, Missed));
        %% So says io_lib from OTP 27 on.
        error:{error, [{Module, _} | _]} when is_atom(Module) -> lacks(Module)
    end.

%% As where no more files can be opened: of functions that are there in any node.
lacks(Module) ->
    {error, "module " ++ atom_to_list(Module) ++ " cannot be loaded: its file is not there, or no more files can be opened"}.

%% Not by a call that finds one missing: its caller would look for it on each call.
loads() ->
    Modules = [carrierscope_nif, carrierscope_memory, carrierscope_snapshot, carrierscope_scan, carrierscope_holders,
               carrierscope_rabbitmq, carrierscope_functions, carrierscope_recorder, carrierscope_lease],
    _ = erlang:module_loaded(carrierscope_nif) orelse (is_first_program() andalso other_goes_first()),
    lists:foreach(fun loads/1, Modules).

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

%% One that ends at once, which takes some 10 ms.
other_goes_first() ->
    {_, Monitor} = spawn_monitor(?MODULE, other_program, []),
    receive {'DOWN', Monitor, process, _, _} -> ok
    after 10000 -> demonitor(Monitor, [flush])
    end.

%% @private
other_program() ->
    try os:cmd("LTTNG_UST_REGISTER_TIMEOUT=3000 LD_PRELOAD=liblttng-ust.so.1 env true") catch _:_ -> none end.

loads(Module) ->
    case erlang:module_loaded(Module) orelse code:ensure_loaded(Module) of
        true -> ok;
        %% A release loads by itself only what is named at boot.
        {error, embedded} -> loaded(Module, code:load_file(Module));
        Answer -> loaded(Module, Answer)
    end.

loaded(_, {module, _}) ->
    ok;
loaded(Module, {error, on_load_failure}) ->
    ?refuse("the library of ~ts is not loaded: ~ts",
            [Module, persistent_term:get(Module, "the reason is in the log")]);
loaded(Module, {error, Reason}) ->
    ?refuse("module ~ts is not loaded: ~ts; it lies beside carrierscope.beam", [Module, shown(Reason)]).

hook(Options) ->
    case carrierscope_nif:names() of
        {ok, Allocators, Types} ->
            Order = order(Options, Allocators, Types),
            %% Once in vain: what a reading makes for good, atoms and modules, is there before the hook.
            %% By a process that is gone then: the heap of the caller, which may live on, does not grow by it.
            {_, Monitor} = spawn_monitor(?MODULE, rehearse, [Allocators]),
            receive {'DOWN', Monitor, process, _, Reason} -> Reason =:= normal orelse exit(Reason) end,
            Top = holders(maps:get(holders, Options, ?HOLDERS)),
            %% Before the hook: a module may be loaded for it.
            Who = {by(maps:get(by, Options, caller())), calendar:system_time_to_rfc3339(erlang:system_time(second))},
            case carrierscope_memory:check(force(maps:get(force, Options, false))) of
                ok ->
                    try_processes(),
                    try_ports_by_other(),
                    %% What the first snapshot needs of files is read before the hook.
                    carrierscope_memory:begins(),
                    _ = carrierscope_memory:limit_facts(),
                    hooked(carrierscope_nif:start(Order), Top, Who);
                Refusal -> Refusal
            end;
        Error ->
            Error
    end.

%% @private
rehearse(Allocators) ->
    _ = carrierscope_snapshot:rows(0, Allocators),
    _ = carrierscope_holders:rehearsal(),
    carrierscope_functions:rows(0, [], Allocators, carrierscope_holders:limits(1, once)).

%% What stop/0 lists is as was asked for at the start.
hooked(ok, Top, Who) ->
    application:set_env(carrierscope, holders, Top),
    application:set_env(carrierscope, hooked_by, Who),
    _ = reading(300000),
    {ok, info()};
%% Somebody else's is named.
hooked({error, Sentence} = Error, _, _) ->
    case info() of
        #{by := By, since := Since} -> {error, lists:append([Sentence, ", by ", By, ", since ", Since])};
        _ -> Error
    end.

warns({ok, #{listening := false} = Info}) -> {ok, Info#{warning => ?UNHEARD}};
warns(Answer) -> Answer.

%% Who started it without saying so.
caller() ->
    Name = case process_info(self(), registered_name) of
               {_, Registered} -> atom_to_list(Registered);
               _ -> "no name"
           end,
    sentence("carrierscope:start in process ~w (~ts)", [self(), Name]).

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
reading(Words) ->
    element(1, carrierscope_nif:info()) andalso reading_by(Words).

reading_by(Words) ->
    Asked = #{holders => application:get_env(carrierscope, holders, ?HOLDERS)},
    {_, Monitor} = spawn_opt(?MODULE, snapshot, [Asked], [monitor, {min_heap_size, Words}]),
    receive {'DOWN', Monitor, process, _, _} -> true end.

info_map({IsOn, Id, Mask, Types, MinSize, By, Every, Allocs, Frees, Reallocs, Failures, Untracked, Way, Process, Port, IsHeard}) ->
    Who = case application:get_env(carrierscope, hooked_by) of
              {ok, {By0, Since}} when IsOn -> #{by => By0, since => Since};
              _ -> #{}
          end,
    Names = case carrierscope_nif:names() of
                {ok, Allocators, _} -> [Name || {N, Name} <- Allocators, Mask band (1 bsl N) =/= 0];
                _ -> []
            end,
    Who#{hooked => IsOn, listening => IsHeard, hook_id => Id, allocators => Names,
      types => case Types of 0 -> all; _ -> Types end,
      min_size => MinSize,
      sample => case By of 0 -> none; 1 -> {bytes, Every}; 2 -> {count, Every} end,
      allocs => Allocs, frees => Frees, reallocs => Reallocs, failures => Failures,
      untracked => Untracked, table_found_by => Way, process_found_by => Process, port_found_by => Port,
      own_buffers => carrierscope_memory:buffers(),
      free_memory => case carrierscope_memory:free() of unknown -> unknown; {Free, _} -> Free end}.

%% -run throws results away.
log({error, Sentence} = Error) ->
    logger:error("carrierscope: ~ts", [Sentence]),
    Error;
log({ok, #{warning := Sentence}} = Result) ->
    logger:warning("carrierscope: ~ts", [Sentence]),
    Result;
log(Result) ->
    Result.

%% What the native half wants.
order(Options, Allocators, Types) ->
    case maps:keys(Options) -- [allocators, types, min_size, sample, holders, force, by] of
        [] -> ok;
        [Other | _] ->
            ?refuse("there is no option '~ts'; options are allocators, types, min_size, sample, holders, force and by",
                    [shown_name(Other)])
    end,
    Mask = mask(maps:get(allocators, Options, all), Allocators),
    Numbers = types(maps:get(types, Options, all), Types),
    MinSize = min_size(maps:get(min_size, Options, 0)),
    {By, Every} = sample(maps:get(sample, Options, none)),
    {Uptime, _} = erlang:statistics(wall_clock),
    {Mask, Numbers, MinSize, By, Every, Uptime,
     list_to_binary(erlang:system_info(otp_release)),
     carrierscope_snapshot:options(Allocators), carrierscope_snapshot:facts()}.

mask(all, Allocators) ->
    lists:foldl(fun({N, _}, Mask) -> Mask bor (1 bsl N) end, 0, Allocators);
mask(Names, Allocators) when is_list(Names), length(Names) > 0 ->
    lists:foldl(fun(Name, Mask) -> Mask bor (1 bsl allocator(Name, Allocators)) end, 0, Names);
mask(Other, _) ->
    ?refuse("option 'allocators' is all or a list of names, not ~ts", [shown(Other)]).

allocator(Name, Allocators) ->
    Text = text(Name),
    case [N || {N, Known} <- Allocators, text(Known) =:= Text] of
        [N] -> N;
        [] ->
            ?refuse("option 'allocators': there is no allocator '~ts'; there are ~ts",
                    [shown_name(Name),
                     lists:join(", ", [atom_to_list(Known) || {_, Known} <- Allocators])])
    end.

types(all, _) ->
    [];
types(Names, Types) when is_list(Names), length(Names) > 0 ->
    lists:usort([type(Name, Types) || Name <- Names]);
types(Other, _) ->
    ?refuse("option 'types' is all or a list of names, not ~ts", [shown(Other)]).

type(Name, Types) ->
    case lists:keyfind(text(Name), 2, Types) of
        {N, _, _} -> N;
        false ->
            ?refuse("option 'types': there is no block type '~ts'; there are ~b, heap, binary and db_term "
                    "among them: table name_type of a recording lists them",
                    [shown_name(Name), length(Types)])
    end.

min_size(Size) when is_integer(Size), Size >= 0, Size =< ?MOST -> Size;
min_size(Other) ->
    ?refuse("option 'min_size' is a number of bytes from 0 to ~b, not ~ts", [?MOST, shown(Other)]).

holders(Top) when is_integer(Top), Top >= 0, Top =< ?MOST_HOLDERS -> Top;
holders(Other) ->
    ?refuse("option 'holders' is a number from 0 to ~b, not ~ts", [?MOST_HOLDERS, shown(Other)]).

force(Force) when is_boolean(Force) -> Force;
force(Other) ->
    ?refuse("option 'force' is true or false, not ~ts", [shown(Other)]).

%% One line that an operator reads.
by(By) ->
    case text(By) of
        Text when is_binary(Text), Text =/= <<>> -> lists:sublist(sentence("~ts", [Text]), ?MOST_BY);
        _ -> ?refuse("option 'by' is a name, not ~ts", [shown(By)])
    end.

sample(none) -> {0, 0};
sample({bytes, N}) when is_integer(N), N >= 2, N =< ?MOST -> {1, N};
sample({count, 1}) -> {0, 0};
sample({count, N}) when is_integer(N), N >= 2, N =< ?MOST -> {2, N};
sample(Other) ->
    ?refuse("option 'sample' is none, {bytes, N} or {count, N} with N from 2 to ~b, not ~ts",
            [?MOST, shown(Other)]).

%% A name as a binary; false: it is none.
text(Name) when is_atom(Name) -> atom_to_binary(Name, utf8);
text(Name) when is_binary(Name) -> Name;
text(Name) when is_list(Name) ->
    try unicode:characters_to_binary(Name) of
        Text when is_binary(Text) -> Text;
        _ -> false
    catch
        error:badarg -> false
    end;
text(_) -> false.

%% ["sample=bytes:65536", {min_size, 100}, ...]
parse(Strings) when is_list(Strings), length(Strings) >= 0 ->
    lists:foldl(fun({Option, Value}, Options) -> Options#{Option => Value};
                   (String, Options) -> parse(String, text(String), Options)
                end, #{}, Strings);
parse(Other) ->
    ?refuse("options are a map or a list of strings \"option=value\", not ~ts", [shown(Other)]).

parse(String, false, _) ->
    ?refuse("an option in a list is a string \"option=value\", not ~ts", [shown(String)]);
parse(String, Text, Options) ->
    case binary:split(Text, <<"=">>) of
        [<<"allocators">>, Names] -> Options#{allocators => names(Names)};
        [<<"types">>, Names] -> Options#{types => names(Names)};
        [<<"min_size">>, Value] -> Options#{min_size => number(String, Value)};
        [<<"holders">>, Value] -> Options#{holders => number(String, Value)};
        [<<"force">>, <<"true">>] -> Options#{force => true};
        [<<"force">>, <<"false">>] -> Options#{force => false};
        [<<"sample">>, <<"none">>] -> Options#{sample => none};
        [<<"sample">>, <<"bytes:", Value/binary>>] -> Options#{sample => {bytes, number(String, Value)}};
        [<<"sample">>, <<"count:", Value/binary>>] -> Options#{sample => {count, number(String, Value)}};
        _ ->
            ?refuse("'~ts' is no option; options are allocators=A,B types=A,B min_size=BYTES "
                    "sample=bytes:N sample=count:N holders=N force=true", [shown_name(String)])
    end.

names(<<"all">>) -> all;
names(Names) -> binary:split(Names, <<",">>, [global, trim_all]).

number(String, Value) ->
    %% Longer ones are beyond every limit, and a million digits take seconds.
    try byte_size(Value) =< 30 andalso binary_to_integer(Value) of
        false -> ?refuse("the number in '~ts' is too large", [shown_name(String)]);
        Number -> Number
    catch
        error:badarg -> ?refuse("there is no whole number in '~ts'", [shown_name(String)])
    end.

%% One line of printable ASCII, which no terminal and no program prints as numbers.
sentence(Format, Arguments) ->
    lists:append([if C >= $\s, C =< $~ -> [C]; true -> io_lib:format("\\x{~.16B}", [C]) end
                  || C <- lists:flatten(io_lib:format(Format, Arguments))]).

%% A term of any size, in few words.
shown(Term) ->
    Text = lists:flatten(io_lib:format("~0P", [Term, 12])),
    case length(Text) > 80 of
        true -> lists:sublist(Text, 77) ++ "...";
        false -> Text
    end.

%% The same, of what should be a name.
shown_name(Term) ->
    case text(Term) of
        Text when is_binary(Text), byte_size(Text) =< 80 ->
            case unicode:characters_to_list(Text) of
                Name when is_list(Name) -> Name;
                _ -> shown(Term)
            end;
        _ -> shown(Term)
    end.
