%% SPDX-License-Identifier: MIT
%% @doc Who holds the memory of this node, and who grows; and its blocks, recorded as LTTng events (provider `carrierscope`).
%%
%%   carrierscope:verdict().                  after 10 s: leak, growth, fragmentation, pooled, normal or unknown
%%   carrierscope:holders(10).
%%   carrierscope:growth(10, 5000).
%%   carrierscope:fragmentation().
%%   carrierscope:record(#{seconds => 60, file => "/tmp/node.csp"}).
%%
%% These need neither LTTng nor a library.  What follows does:
%%
%%   carrierscope:start().                    every block
%%   carrierscope:start(#{sample => {bytes, 65536}}).
%%   carrierscope:code(10).                   which functions made what is live, by these samples
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
%% The native half is module carrierscope_nif, loaded by the first call of any of the latter.
-module(carrierscope).
-export([start/0, start/1, boot/0, boot/1, stop/0, info/0, snapshot/0, snapshot/1, verdict/0, verdict/1, holders/1, growth/2, code/1,
         fragmentation/0, fragmentation/1, record/1, telemetry/0]).
%% For carrierscope_snapshot.
-export([repeat/1]).

-type sample() :: none | {bytes, pos_integer()} | {count, pos_integer()}.
-type name() :: atom() | binary() | string().
-type options() :: #{allocators => all | [name()],
                     types => all | [name()],
                     min_size => non_neg_integer(),
                     sample => sample(),
                     stacks => boolean(),
                     probes => boolean(),
                     holders => non_neg_integer(),
                     events => batches | single,
                     force => boolean(),
                     by => string() | binary()}.
-export_type([options/0]).

%% The most that `receive ... after` takes.
-define(MOST_MS, 4294967295).

-define(UNHEARD, "no session of LTTng listens to this node: nothing is recorded until one does").

%% Holders of memory that a snapshot records of each kind.
-define(HOLDERS, 50).

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
%%   stacks      false: samples do not name the Erlang functions that allocated (default true, where they can be read)
%%   probes      true: samples fire the probes otel_memory:alloc and free, by which profilers of the machine see them (default false)
%%   holders     of each kind so many holders of memory are listed by the snapshots that start/1 and stop/0 take
%%               (default 50; 0: none), as by snapshot(#{holders => N})
%%   events      batches (default): every block is a record of a batch, where the system can do that; single:
%%               an event of its own, as older sessions and programs want it
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
    warns(answer(fun() -> carrierscope_hook:hook(Options) end));
start(Strings) ->
    log(warns(answer(fun() -> carrierscope_hook:hook(carrierscope_options:parse(Strings)) end))).

%% @doc The same as boot([]).
-spec boot() -> ok.
boot() ->
    boot([]).

%% @doc start(Options) while a node boots, which goes on in any case: that nothing is recorded, and why,
%% is logged in one sentence.
-spec boot(options() | [string() | binary() | {atom(), term()}]) -> ok.
boot(Options) ->
    try
        _ = log(warns(answer(fun() -> carrierscope_hook:hook(if is_map(Options) -> Options; true -> carrierscope_options:parse(Options) end) end))),
        ok
    catch
        Class:Reason ->
            _ = log({error, carrierscope_options:sentence("nothing is recorded: start ended with ~w: ~ts", [Class, carrierscope_options:shown(Reason)])}),
            ok
    end.

%% @doc Unhooks, ends what snapshot(#{every => Ms}) began, and says what was recorded.
-spec stop() -> {ok, map()} | {error, string()}.
stop() ->
    %% Also where the native half is lost.
    HasEnded = end_snapshots(),
    answer(fun() ->
                   WasHooked = carrierscope_hook:reading(),
                   Top = application:get_env(carrierscope, holders, ?HOLDERS),
                   _ = carrierscope_stacks:finish(),
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
%% machine or a control group leaves; both in bytes, or unknown.  lttng: whether LTTng's library is there, without which
%% nothing is hooked.  listening: whether some session would record it; of
%% what is hooked also by whom, and since when.  events: how every block is recorded, batches or single, and events_why: how
%% or why not; lost: records that found no room.
-spec info() -> map() | {error, string()}.
info() ->
    answer(fun() -> carrierscope_hook:info() end).

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
is_asked(holders, Top) -> carrierscope_options:is_holders(Top);
is_asked(functions, Wanted) -> is_boolean(Wanted);
is_asked(_, _) -> false.

-spec not_asked(term()) -> no_return().
not_asked(Other) ->
    carrierscope_options:refuse("snapshot takes #{every => Ms} with Ms from 1 to ~b, #{holders => N} with N to ~b, #{functions => true}, "
            "some of these, #{instrument => true}, #{instrument => Options}, or stop, not ~ts",
            [?MOST_MS, carrierscope_options:most_holders(), carrierscope_options:shown(Other)]).

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

%% @doc The same as verdict(#{}).
-spec verdict() -> {ok, Sentence :: string(), Verdict :: map()} | {error, string()}.
verdict() ->
    verdict(#{}).

%% @doc What is wrong with this node, in a sentence and as a map, by readings of 10 s.  It hooks nothing, and needs neither LTTng nor a
%% library.
%%
%%   1> carrierscope:verdict().
%%   {ok,"LEAK: <0.85.0> keeper gains 1.91 MiB/s (1.90 to 1.93) of binaries, and has not fallen back in 10.0 s.",
%%       #{class => leak, ...}}
%%
%% class is one of
%%
%%   leak            one holder gains half or more of what an allocator does: who, id, bytes_per_s => {Low, Rate, High}
%%   growth          something grows, and no holder is known to have half of it, or others give as much back
%%   fragmentation   an allocator's carriers are empty by more than half: allocator, empty_bytes
%%   pooled          memory is in half-empty carriers that schedulers handed back
%%   normal          nothing grew faster than unseen_bytes_per_s
%%   unknown         the readings do not tell; the sentence has what does
%%
%% A load that swings more slowly than it was looked at grows, as far as can be seen: ask for more seconds than a swing takes.
%%
%% Beside it: growers, who grew, the fastest first; fragmented, [{Allocator, EmptyMiB}]; pooled_mib; seconds; snapshots.
%%
%% These are the rules of the program carrierscope, which says more of the same readings: mechanism, limit, remedy.
%%
%% Options:
%%   seconds   that it reads, from 5 to 600 (default 10)
%%   file      a new file for the readings, as of record/1
%%   force     true: also where less than 64 MiB of memory are free (default false)
-spec verdict(#{seconds => pos_integer(), file => file:name_all(), force => boolean()}) ->
          {ok, Sentence :: string(), Verdict :: map()} | {error, string()}.
verdict(Options) ->
    shell_answer(fun() -> carrierscope_shell:verdict(Options) end).

%% @doc The N holders of most memory, the largest first: processes, groups of processes that began with one call, tables, ports.
%% bytes is heap and binaries of a process, each binary counted for each that refers to it; binary_bytes are among them.  At
%% most 50,000 processes are looked at.
-spec holders(pos_integer()) -> [map()] | {error, string()}.
holders(N) ->
    shell_answer(fun() -> carrierscope_shell:holders(N) end).

%% @doc The N holders that gained most in Ms milliseconds, the fastest first: grown_bytes, mib_per_s.  Two looks tell no leak from a
%% load that swings: verdict/1 does.  Of a holder that was not among the first thousand of its kind it is what it gained at least.
-spec growth(pos_integer(), pos_integer()) -> [map()] | {error, string()}.
growth(N, Ms) ->
    shell_answer(fun() -> carrierscope_shell:growth(N, Ms) end).

%% @doc The N functions that made most of what is live, while samples are recorded (start/1, or the program's record or keep): by
%% the samples since then.  function is the innermost on the stack that is not of OTP or Elixir, source_line where it made most of it
%% (empty: not known), by_calling the innermost of all where
%% that is another; live_bytes => {Low, Likely, High} with bounds of 95 %; made_mib is what it has made since.
-spec code(pos_integer()) -> [map()] | {error, string()}.
code(N) ->
    shell_answer(fun() -> carrierscope_code:code(N) end).

%% @doc The same as fragmentation(allocators).
-spec fragmentation() -> [map()] | {error, string()}.
fragmentation() ->
    fragmentation(allocators).

%% @doc What is empty in the carriers of each allocator, or of each of their instances; the most first.  Names are those of recon_alloc:
%% mbcs_usage, mbcs_block_size, mbcs_carriers_size of carriers for many blocks, sbcs_... of those for one; the same of the
%% pool of abandoned carriers; sizes in bytes.  usage is blocks of carriers, unused_mib and unused_words are what is left of them.
%% A row mseg_alloc is what the node has from the system and no allocator has: the cache of segments, and what alignment takes.
%%
%% Reading this resets "maximum since last read" of erlang:system_info({allocator, _}).
-spec fragmentation(allocators | instances) -> [map()] | {error, string()}.
fragmentation(By) ->
    shell_answer(fun() -> carrierscope_shell:fragmentation(By) end).

%% @doc Writes readings into a new file, which the program carrierscope reads on any machine: carrierscope FILE.  It returns when the
%% time is over, and ends with the process that called it.
%%
%% Options:
%%   file      a file that is not there yet; others than this node's user cannot read it
%%   seconds   (default 60)
%%   every     ms between two snapshots (default 1000); a snapshot takes a tenth of the time at most
%%   force     true: also where less than 64 MiB of memory are free (default false)
-spec record(#{file := file:name_all(), seconds => pos_integer(), every => pos_integer(), force => boolean()}) ->
          {ok, map()} | {error, string()}.
record(Options) ->
    shell_answer(fun() -> carrierscope_shell:record(Options) end).

%% @doc Tells the library telemetry, if this node has it, what allocators have: for the list of a telemetry_poller,
%% {carrierscope, telemetry, []}.  All measurements are in bytes.
%%
%%   [carrierscope, memory]      carriers, blocks, unused, pool, cache, resident, free
%%   [carrierscope, allocator]   carriers, blocks, unused, pool; metadata allocator
-spec telemetry() -> ok | {error, string()}.
telemetry() ->
    shell_answer(fun() -> carrierscope_shell:telemetry() end).

%% @hidden
%% One of those: {ok, _}, or {error, _}, which ends them.
repeat({Ms, Top, Asked}) ->
    try
        log(answer(fun() -> carrierscope_snapshot:record(limits(Top, Ms, Asked)) end))
    catch
        Class:Reason -> log({error, carrierscope_options:sentence("no more snapshots are taken: ~w: ~ts", [Class, carrierscope_options:shown(Reason)])})
    end.

%% A release has loaded the native half without its library while it booted: as if it had not been loaded.
forgets_stub() ->
    persistent_term:erase({carrierscope_nif, postponed}) andalso code:delete(carrierscope_nif).

%% What Do yields, with the native half at hand.
answer(Do) ->
    plain_answer(fun() ->
                         _ = forgets_stub(),
                         loads(),
                         Do()
                 end).

%% The same without it.
shell_answer(Do) ->
    plain_answer(fun() ->
                         loads([carrierscope_native, carrierscope_memory, carrierscope_snapshot, carrierscope_holders, carrierscope_rabbitmq,
                                carrierscope_push, carrierscope_options, carrierscope_top, carrierscope_trend, carrierscope_level, carrierscope_verdict,
                                carrierscope_shell, carrierscope_hook, carrierscope_code]),
                         Do()
                 end).

%% A sentence that was thrown becomes the answer.
plain_answer(Do) ->
    try Do()
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
    loads([carrierscope_hook, carrierscope_options, carrierscope_native]),
    _ = erlang:module_loaded(carrierscope_nif) orelse carrierscope_hook:first_program(),
    loads([carrierscope_nif, carrierscope_memory, carrierscope_snapshot, carrierscope_scan, carrierscope_holders,
           carrierscope_rabbitmq, carrierscope_functions, carrierscope_push, carrierscope_recorder, carrierscope_lease,
           carrierscope_stacks]).

loads(Modules) ->
    lists:foreach(fun(Module) -> loaded(Module, erlang:module_loaded(Module) orelse code:ensure_loaded(Module)) end, Modules).

%% Without another module of ours, which may be missing as well.
loaded(_, true) ->
    ok;
loaded(_, {module, _}) ->
    ok;
%% A release loads by itself only what is named at boot.
loaded(Module, {error, embedded}) ->
    loaded(Module, code:load_file(Module));
loaded(Module, {error, on_load_failure}) ->
    missing("the library of ~ts is not loaded: ~ts~ts", [Module, persistent_term:get(Module, "the reason is in the log"), of_musl()]);
loaded(Module, {error, Reason}) ->
    missing("module ~ts is not loaded: ~0p; it lies beside carrierscope.beam", [Module, Reason]).

%% Its loader says only what that of another C library is called.
of_musl() ->
    case string:find(erlang:system_info(system_architecture), "musl") of
        nomatch -> "";
        _ -> "; this node is of musl, and needs a library that was compiled for musl"
    end.

-spec missing(string(), [term()]) -> no_return().
missing(Format, Arguments) ->
    throw({?MODULE, lists:flatten(io_lib:format(Format, Arguments))}).

warns({ok, #{listening := false} = Info}) -> {ok, Info#{warning => ?UNHEARD}};
warns(Answer) -> Answer.

%% -run throws results away.
log({error, Sentence} = Error) ->
    logger:error("carrierscope: ~ts", [Sentence]),
    Error;
log({ok, #{warning := Sentence}} = Result) ->
    logger:warning("carrierscope: ~ts", [Sentence]),
    Result;
log(Result) ->
    Result.
