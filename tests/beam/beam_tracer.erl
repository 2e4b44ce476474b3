%% SPDX-License-Identifier: MIT
%% OTP's own trace events, to a session.
-module(beam_tracer).
-export([tracer/1]).
%% Traced.
-export([returns/1, fails/1]).

%% Trace flags of the runtime, to a session.
tracer(_) ->
    Main = self(),
    Tracer = {tracer, carrierscope_tracer, []},
    Pid = spawn(fun() -> traced(Main) end),
    1 = erlang:trace(Pid, true, [procs, running, send, 'receive', garbage_collection, call, Tracer]),
    0 = erlang:trace(new_ports, true, [ports, running_ports, Tracer]),
    [erlang:trace_pattern({?MODULE, Name, 1}, [{'_', [], [{exception_trace}]}], [local])
     || Name <- [returns, fails]],
    Monitor = monitor(process, Pid),
    Pid ! go,
    receive {Pid, Child, Port, _} -> ok end,
    receive {'DOWN', Monitor, process, Pid, finished} -> ok end,
    %% Loaded again in between, and another file is refused.
    {module, _} = code:load_file(carrierscope_tracer),
    beam_case:until(fun() -> code:soft_purge(carrierscope_tracer) end),
    io:format("~w ~w ~w ~w~n", [Main, Pid, Child, Port]).

%% A process that does what a trace can have; the pids are printed.
traced(Main) ->
    receive go -> ok end,
    true = register(traced_name, self()),
    true = unregister(traced_name),
    Child = spawn_link(fun() -> receive stop -> ok end end),
    true = unlink(Child),
    Child ! stop,
    Port = open_port({spawn, "cat"}, [binary]),
    true = port_close(Port),
    3 = returns(3),
    too_bad = try fails(x) catch error:Reason -> Reason end,
    erlang:garbage_collect(),
    %% Goes out, and in again, as a port that is opened quickly does not make it.
    receive after 10 -> ok end,
    receive after 10 -> ok end,
    Main ! {self(), Child, Port, lists:duplicate(300, $x)},
    exit(finished).

returns(N) -> N.

fails(_) -> error(too_bad).
