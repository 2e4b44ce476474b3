%% SPDX-License-Identifier: MIT
%% @private
%% The Erlang functions on the stacks of sampled processes: how stacks are read is tried before a hook, and which stacks
%% were met is emitted while it is there.
-module(carrierscope_stacks).
-behaviour(gen_server).
-export([tries/0, begins/0, finish/0, lines/1, rehearse/0]).
-export([init/1, handle_call/3, handle_cast/2, handle_info/2]).
%% For trials: other modules of the node call them.
-export([trial/2, deep/2, held/2, elsewhere/2]).

%% A trial by so many processes, each with another stack and another heap.
-define(TRIALS, [{3, 400}, {11, 5000}, {29, 60}]).

%% Words of the heap that a trial leaves free: else it may be collected, and be another one, between the question how large it is and its use.
-define(FREE_WORDS, 1000).

%% ms between looks for stacks that were not met before.
-define(PAUSE, 500).

%% ms after which all are emitted again: a ring has the last of what it was given.
-define(AGAIN, 300000).

%% ms that a trial may take.
-define(PATIENCE, 5000).

%% Whether stacks can be read; carrierscope_nif:info/0 then says how, or why not.
tries() ->
    case carrierscope_nif:try_stack(forget) of
        ok ->
            Witnesses = lists:usort(lists:append([witnesses(Depth, Words) || {Depth, Words} <- ?TRIALS])),
            Places = [{Address, Header} || {Header, Address, _, _} <- Witnesses],
            Names = [Name || {_, _, Name, _} <- Witnesses],
            %% Before OTP 24 there was no other emulator than the one that interprets.
            Found = try erlang:system_info(emu_flavor) of
                        jit -> carrierscope_nif:try_stack(Places);
                        _ -> []
                    catch
                        error:badarg -> []
                    end,
            AreNamed = Found =/= [] andalso [shown(Function) || Function <- Found] =:= Names,
            _ = carrierscope_nif:try_stack({lines, [{Address, Header, Line, File} || {Header, Address, _, {Line, File}} <- Witnesses, AreNamed]}),
            _ = carrierscope_nif:try_stack(AreNamed),
            AreNamed;
        busy -> false
    end.

%% [{Header, Address, Name, {Line, File} | unknown}] of the functions that a process of ours has called.
witnesses(Depth, Words) ->
    {Pid, Monitor} = spawn_opt(?MODULE, trial, [Depth, Words], [monitor, {min_heap_size, 2 * Words + ?FREE_WORDS}]),
    receive {'DOWN', Monitor, process, _, {tried, Backtrace, [_ | Trace]}} -> with_lines(tl(addresses(Backtrace)), Trace);
            {'DOWN', Monitor, process, _, _} -> []
    after ?PATIENCE -> exit(Pid, kill), demonitor(Monitor, [flush]), []
    end.

%% Calls of functions of several modules, and a heap that has survived a collection of garbage.
trial(Depth, Words) ->
    Kept = lists:seq(1, Words),
    erlang:garbage_collect(self(), [{type, minor}]),
    [{Backtrace, Trace, _}] = lists:map(fun(_) -> maps:fold(fun(_, D, _) -> held(D, Kept) end, none, #{depth => Depth}) end, [one]),
    exit({tried, Backtrace, Trace}).

held(Depth, Kept) ->
    Backtrace = lists:foldl(fun(_, _) -> elsewhere(Depth, length(Kept)) end, none, [one]),
    _ = length(Kept),
    Backtrace.

deep(0, _) ->
    %% What is answered is kept until the end, so that the frame of this function stays as large as it is.
    {stack_size, Stack} = process_info(self(), stack_size),
    {heap_size, Heap} = process_info(self(), heap_size),
    _ = carrierscope_nif:try_stack({Stack, Heap}),
    {backtrace, Backtrace} = process_info(self(), backtrace),
    {current_stacktrace, Trace} = process_info(self(), current_stacktrace),
    {Backtrace, Trace, Stack};
deep(Depth, Left) ->
    Backtrace = deep(Depth - 1, Left + 1),
    _ = Left + 1,
    id(Backtrace).

id(Term) -> Term.

%% Of lines such as "0x00007f8e9f1a2640 Return addr 0x00007f8ea08211ac (lists:map/2 + 404)".
addresses(Backtrace) ->
    case re:run(Backtrace, "Return addr 0x([0-9a-f]+) \\((.+) \\+ ([0-9]+)\\)", [global, {capture, all_but_first, list}]) of
        {match, Lines} ->
            [begin
                 Address = list_to_integer(At, 16),
                 {Address - list_to_integer(Offset), Address, Name, unknown}
             end || [At, Name, Offset] <- Lines];
        nomatch -> []
    end.

%% Of a stack trace, which has equal addresses that follow each other once.  The innermost function is left out of both: it asked at two lines.
with_lines([{_, _, Name, _} = Again, {_, _, Name, _} = Next | Functions], Trace) when Again =:= Next ->
    with_lines([Next | Functions], Trace);
with_lines([{Header, Address, Name, _} = Function | Functions], [{M, F, A, Location} | Trace]) ->
    case {shown({M, F, A}), Location} of
        {Name, [{file, File}, {line, Line}]} -> [{Header, Address, Name, {Line, File}} | with_lines(Functions, Trace)];
        {Name, _} -> [Function | with_lines(Functions, Trace)];
        _ -> [Function | Functions]
    end;
with_lines(Functions, []) -> Functions;
with_lines([], _) -> [].

shown({Module, Function, Arity}) -> lists:flatten(io_lib:format("~w:~w/~b", [Module, Function, Arity]));
shown(undefined) -> none.

%% Emits what is met, from now on and until nothing is hooked or finish/0.
begins() ->
    gen_server:start({local, ?MODULE}, ?MODULE, [], []).

%% Emits what was met, and ends.
finish() ->
    try gen_server:call(?MODULE, finish, infinity)
    catch exit:_ -> ok
    end.

%% @private
init([]) ->
    {ok, #{sessions => none, known => #{}, again => now_ms() + ?AGAIN}, ?PAUSE}.

%% @private
handle_call(finish, _, State) ->
    _ = emit(State),
    {stop, normal, ok, State}.

%% @private
handle_cast(_, State) ->
    {noreply, State, ?PAUSE}.

%% @private
handle_info(_, State) ->
    case element(1, carrierscope_nif:info()) of
        true -> {noreply, emit(forgets(State, now_ms())), ?PAUSE};
        false -> {stop, normal, State}
    end.

forgets(#{again := Again} = State, Now) when Now >= Again -> State#{known := #{}, again := Now + ?AGAIN};
forgets(State, _) -> State.

now_ms() -> erlang:monotonic_time(millisecond).

emit(State) ->
    emit(0, State).

%% To a session that has come, all of them once more.
emit(Place, #{sessions := Sessions, known := Known} = State) ->
    case carrierscope_nif:stacks(Place) of
        {Next, _, Sessions, _, Stacks} ->
            New = [Stack || {Id, _, _, _, _} = Stack <- Stacks, not is_map_key(Id, Known)],
            _ = carrierscope_nif:emit(lists:append([rows(Stack) || Stack <- New])),
            Now = State#{known := lists:foldl(fun({Id, _, _, _, _}, Ids) -> Ids#{Id => true} end, Known, New)},
            case Next of
                0 -> Now;
                _ -> emit(Next, Now)
            end;
        {_, _, Others, _, _} ->
            emit(0, State#{sessions := Others, known := #{}})
    end.

rows({Id, Frames, Functions, _, Place}) ->
    rows({Id, Frames, Functions, lines(Place)});
rows({Id, Frames, Functions, Lines}) ->
    [row(Id, Place, Frames, Function, Line)
     || {Place, Function, Line} <- lists:zip3(lists:seq(0, length(Functions) - 1), Functions, Lines)].

row(Id, Place, Frames, {Address, undefined}, _) ->
    {frame, Id, Place, Frames, Address, <<0>>, <<0>>, 0, <<0>>, <<0>>};
row(Id, Place, Frames, {Address, {Module, Function, Arity}}, Line) ->
    {frame, Id, Place, Frames, Address, text(Module), text(Function), Arity, application(Module), <<Line/binary, 0>>}.

%% Of each function of the stack at a place, such as <<"shop_cache.erl:41">>; <<>>: not known.
lines(Place) ->
    [line(Line) || Line <- carrierscope_nif:stack_lines(Place)].

line(undefined) -> <<>>;
line({Line, File}) ->
    case unicode:characters_to_binary(filename:basename(File)) of
        Name when is_binary(Name) -> <<Name/binary, $:, (integer_to_binary(Line))/binary>>;
        _ -> <<>>
    end.

application(Module) ->
    case application:get_application(Module) of
        {ok, Name} -> text(Name);
        undefined -> <<0>>
    end.

text(Name) -> <<(atom_to_binary(Name, utf8))/binary, 0>>.

%% What is made for good, before the hook.
rehearse() ->
    rows({1, 3, [{16#1000, {?MODULE, rehearse, 0}}, {16#1000, {?MODULE, rehearse, 0}}, {16#1000, undefined}], [line({1, "a/b.erl"}), <<>>, line(undefined)]}).

%% A function whose lines are of another file than those of its module.
-file("carrierscope_trial.hrl", 1000).
elsewhere(Depth, Left) ->
    Backtrace = deep(Depth, Left),
    id(Backtrace).
