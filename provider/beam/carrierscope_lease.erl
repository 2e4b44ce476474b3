%% SPDX-License-Identifier: MIT
%% @private
%% Lets go of the hooks when nobody wants them any more: a recorder or keeper was killed, or does not ask.
%%
%% Two loads of a module in a row end each process that runs in its older code.  So this one waits in gen_server, and what
%% takes time is done by other processes, whose end it sees.
-module(carrierscope_lease).
-behaviour(gen_server).
-export([guard/1, drop/1]).
-export([starts/1, begun/0, awaits/3, is_wanted/0, finish/0, ends/0]).
-export([os_pid/0, recorder/1, follows/2, is_there/1, is_parent/1, tells/2]).
-export([init/1, handle_call/3, handle_cast/2, handle_info/2]).
-export([work/1]).

-define(RECORDER, carrierscope_recorder).

%% ms between looks for a session, so many of them, and until it listens; for how long an answer is kept.
-define(PAUSE, 100).
-define(TRIES, 600).
-define(SETTLE, 300).
-define(KEPT, 600000).

%% The hooks end with process Of.
guard(Of) ->
    {ok, Guard} = gen_server:start(?MODULE, {guard, Of}, []),
    Guard.

%% What guard/1 or starts/1 began is not wanted any more: nothing is hooked.
drop(Lease) ->
    gen_server:cast(Lease, drop).

%% For a recorder that is about to hook: {ok, Lease}.  From begun/0 on the hooks end when is_wanted/0 was not called for so long,
%% and until then with the caller.  false: another recorder is at it.
starts(LeaseMs) ->
    starts(LeaseMs, #{}).

starts(LeaseMs, Followed) ->
    is_free() andalso
        case gen_server:start({local, ?RECORDER}, ?MODULE, {start, LeaseMs, self(), Followed}, []) of
            {ok, _} = Started -> Started;
            _ -> false
        end.

%% The same for a recorder that started this node and does not ask: it is looked for each second.  The hooks end when it has ended,
%% or was not seen for so long.
follows(Recorder, LeaseMs) ->
    starts(LeaseMs, #{recorder => Recorder}).

%% "OsPid Start File", as its environment has it: a process, when it started, in ticks since the boot of the machine, and a file
%% that it reads; none: there is no such text.
recorder(Text) ->
    try [list_to_integer(Word) || Word <- string:tokens(Text, " ")] of
        [Pid, Start, File] -> {Pid, Start, File};
        _ -> none
    catch
        error:badarg -> none
    end.

%% A process that nobody has waited for yet is gone, as is another one of the same pid; unknown: it cannot be read.
is_there(none) ->
    false;
is_there({Pid, Start, _}) ->
    case stat(integer_to_list(Pid)) of
        {ok, [State | Fields]} -> not lists:member(State, ["Z", "X"]) andalso lists:nth(19, Fields) =:= integer_to_list(Start);
        {error, Reason} when Reason =:= enoent; Reason =:= esrch -> false;
        {error, _} -> unknown
    end.

%% The node's process, as it sees itself, and the namespace that this number is of: outside of a container it has another one.
os_pid() ->
    case file:read_link("/proc/self/ns/pid") of
        {ok, "pid:[" ++ Number} -> os:getpid() ++ "@" ++ lists:takewhile(fun(C) -> C >= $0 andalso C =< $9 end, Number);
        _ -> os:getpid()
    end.

%% Whether it started this very process, and not one that started it.
is_parent({Pid, _, _}) ->
    case stat(os:getpid()) of
        {ok, [_, Parent | _]} -> Parent =:= integer_to_list(Pid);
        _ -> false
    end.

%% Fields of /proc/PID/stat from the third on.  The second one, a name, may have blanks and brackets in it.
stat(Pid) ->
    case file:read_file("/proc/" ++ Pid ++ "/stat") of
        {ok, Text} -> {ok, string:tokens(lists:last(string:split(binary_to_list(Text), ")", all)), " ")};
        Error -> Error
    end.

%% A line into the file that it reads; a node of another user than its recorder may not.
tells({Pid, _, File} = Recorder, Line) ->
    Path = lists:flatten(io_lib:format("/proc/~b/fd/~b", [Pid, File])),
    case is_there(Recorder) =:= true andalso file:read_link(Path) of
        {ok, "/memfd:carrierscope" ++ _} -> _ = file:write_file(Path, [Line, $\n], [append]), ok;
        _ -> ok
    end.

begun() ->
    gen_server:cast(?RECORDER, begun).

%% Hooks as soon as a session maps its buffers, and lets go after Ms.
awaits(Options, LeaseMs, Ms) ->
    is_free() andalso element(1, gen_server:start({local, ?RECORDER}, ?MODULE, {await, Options, LeaseMs, Ms}, [])) =:= ok.

is_wanted() ->
    gen_server:cast(?RECORDER, is_wanted).

%% "csc-ok" when what awaits/3 began is over, or why nothing was recorded.
finish() ->
    try gen_server:call(?RECORDER, finish, infinity)
    catch exit:_ -> "csc-error the hooks are gone"
    end.

%% Somebody has unhooked.
ends() ->
    gen_server:cast(?RECORDER, ends).

%% One that hooks nothing, such as one whose answer nobody has fetched, gives way.
is_free() ->
    case whereis(?RECORDER) of
        undefined -> true;
        Pid ->
            Monitor = monitor(process, Pid),
            try gen_server:call(Pid, gives_way, infinity) of
                true -> receive {'DOWN', Monitor, process, _, _} -> true end;
                false -> demonitor(Monitor, [flush]), false
            catch
                exit:_ -> demonitor(Monitor, [flush]), true
            end
    end.

%% Phases: bound (to a process, until it has begun), awaits and settles (a session), hooks, lasts, unhooks, over.
%% until: when a phase has lasted long enough; finisher: who asked for the end.

%% @private
init({guard, Of}) ->
    {ok, #{phase => bound, monitor => monitor(process, Of), lease => infinity}};
init({start, LeaseMs, Starter, Followed}) ->
    {ok, Followed#{phase => bound, monitor => monitor(process, Starter), lease => LeaseMs}};
init({await, Options, LeaseMs, Ms}) ->
    turns(#{phase => awaits, lease => LeaseMs, options => Options, for => Ms, before => carrierscope_memory:buffers(),
            tries => ?TRIES, until => now_ms() + ?PAUSE}, ok).

%% @private
handle_call(finish, _, #{phase := Phase} = State) when Phase =:= awaits; Phase =:= settles ->
    {stop, normal, "csc-error no session of LTTng began in time", State};
handle_call(finish, _, #{phase := over, answer := Answer} = State) ->
    {stop, normal, Answer, State};
handle_call(finish, From, #{phase := lasts} = State) ->
    turns(unhooks(State#{finisher => From}), noreply);
handle_call(finish, From, State) ->
    turns(State#{finisher => From}, noreply);
handle_call(gives_way, _, #{phase := Phase} = State) when Phase =:= bound; Phase =:= hooks; Phase =:= unhooks ->
    {reply, false, State, left(State)};
handle_call(gives_way, _, State) ->
    {stop, normal, true, State}.

%% @private
handle_cast(drop, State) ->
    {stop, normal, State};
%% What is being hooked was not there yet.
handle_cast(ends, #{phase := Phase} = State) when Phase =/= bound, Phase =/= hooks ->
    {stop, normal, State};
handle_cast(begun, #{phase := bound, monitor := Monitor, lease := LeaseMs} = State) ->
    _ = demonitor(Monitor, [flush]),
    _ = beats(),
    turns(State#{phase := lasts, until => now_ms() + LeaseMs}, noreply);
handle_cast(is_wanted, #{phase := lasts, lease := LeaseMs} = State) ->
    turns(State#{until := min(now_ms() + LeaseMs, maps:get(last, State, infinity))}, noreply);
handle_cast(_, State) ->
    turns(State, noreply).

%% @private
handle_info(timeout, State) ->
    due_if(State);
%% Each second while something is hooked.
handle_info(beat, State) ->
    due_if(looks(State));
handle_info({'DOWN', Monitor, process, _, Reason}, #{monitor := Monitor, phase := Phase} = State) ->
    ended(Phase, Reason, State);
handle_info(_, State) ->
    turns(State, noreply).

%% The node's own timers are early where its time was set forward and is not corrected.
due_if(State) ->
    case left(State) of
        0 -> due(State);
        _ -> turns(State, noreply)
    end.

due(#{phase := awaits, before := Before, tries := Tries} = State) ->
    case carrierscope_memory:buffers() > Before of
        true -> turns(State#{phase := settles, until := now_ms() + ?SETTLE}, noreply);
        false when Tries =:= 0 -> over("csc-error no session of LTTng began in time", State);
        false -> turns(State#{tries := Tries - 1, until := now_ms() + ?PAUSE}, noreply)
    end;
due(#{phase := settles, options := Options} = State) ->
    turns(works({start, Options}, State#{phase := hooks}), noreply);
due(#{phase := lasts} = State) ->
    _ = is_map_key(options, State) orelse
        logger:warning("carrierscope: its recorder has not ~s for ~b ms, nothing is hooked any more",
                       [case State of #{recorder := _} -> "been seen"; _ -> "asked" end, maps:get(lease, State)]),
    turns(unhooks(State), noreply);
due(State) ->
    {stop, normal, State}.

%% Who is looked for does not ask.
looks(#{phase := lasts, recorder := Recorder, lease := LeaseMs} = State) ->
    case is_there(Recorder) of
        true -> State#{until := now_ms() + LeaseMs};
        unknown -> State;
        false ->
            logger:warning("carrierscope: its recorder has ended, nothing is hooked any more"),
            unhooks(State#{unboots => true})
    end;
looks(State) ->
    State.

%% The node's own timers stand still where its time was set back and is not corrected (+c false).
beats() ->
    try carrierscope_nif:beats(self()) catch _:_ -> ok end.

ended(hooks, {?MODULE, ok}, #{lease := LeaseMs, for := Ms} = State) ->
    Last = now_ms() + Ms,
    _ = beats(),
    Lasting = State#{phase := lasts, last => Last, until := min(now_ms() + LeaseMs, Last)},
    turns(case Lasting of #{finisher := _} -> unhooks(Lasting); _ -> Lasting end, noreply);
ended(hooks, {?MODULE, Error}, State) ->
    over(Error, State);
ended(unhooks, {?MODULE, Answer}, State) ->
    over(maps:get(failed, State, Answer), State);
ended(unhooks, Reason, State) when Reason =/= killed ->
    over("csc-error the node could not let go of its hooks", State);
%% Whoever hooked, or was to let go, was ended before it had.
ended(hooks, _, State) ->
    turns(unhooks(State#{failed => "csc-error who hooked the node was ended before it had"}), noreply);
ended(_, _, State) ->
    turns(unhooks(State), noreply).

unhooks(State) ->
    works({stop, is_map_key(unboots, State)}, State#{phase := unhooks}).

%% Who asks for the answer may be there already, or come later.
over(Answer, #{finisher := From} = State) ->
    gen_server:reply(From, Answer),
    {stop, normal, State};
over(Answer, #{options := _} = State) ->
    turns(State#{phase := over, answer => Answer, until := now_ms() + ?KEPT}, noreply);
over(_, State) ->
    {stop, normal, State}.

works(What, State) ->
    {_, Monitor} = spawn_monitor(?MODULE, work, [What]),
    State#{monitor => Monitor}.

%% @private
work({start, Options}) -> exit({?MODULE, carrierscope_recorder:hooks(Options)});
work({stop, Unboots}) ->
    Answer = carrierscope_recorder:unhooks(),
    _ = Unboots andalso carrierscope_recorder:unboot(),
    exit({?MODULE, Answer}).

turns(State, Kind) ->
    {Kind, State, left(State)}.

left(#{phase := Phase, until := Until}) when Phase =/= hooks, Phase =/= unhooks -> max(0, Until - now_ms());
left(_) -> infinity.

%% Of the system's clock that nobody sets.
now_ms() ->
    os:perf_counter(millisecond).
