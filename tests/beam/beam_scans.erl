%% SPDX-License-Identifier: MIT
%% A node that is asked for the answers of module instrument: what it got is printed to FILE as an
%% operator would, beside the events that it emits.  erl ... -run beam_scans main FILE
-module(beam_scans).
-export([main/1]).

main([File]) ->
    {module, instrument} = code:ensure_loaded(instrument),
    beam_load:run(12, 500),
    [1 = erlang:trace_pattern({instrument, Name, 1}, [{'_', [], [{return_trace}]}], [global])
     || Name <- [carriers, allocations]],
    %% Not unless asked for, and not with what instrument refuses.
    {{ok, _}, []} = traced(fun() -> carrierscope:snapshot() end),
    {{error, "instrument damages" ++ _}, []} =
        traced(fun() -> carrierscope:snapshot(#{every => 50, instrument => true}) end),
    {{error, "instrument refuses these options"}, _} =
        traced(fun() -> carrierscope:snapshot(#{instrument => #{histogram_start => x}}) end),
    Printed =
        [begin
             {{ok, _}, Answers} = traced(fun() -> carrierscope:snapshot(#{instrument => Asked}) end),
             [{carriers, {ok, {_, [_ | _]}}}, {allocations, {ok, _}}] = Answers,
             [io_lib:format("~p~n", [Answer]) || {_, Answer} <- Answers]
         end || Asked <- [true, #{histogram_start => 300, histogram_width => 7}]],
    ok = file:write_file(File, [erlang:system_info(system_version), Printed]),
    halt(0).

%% What a function yields, and what instrument answered it.
traced(Function) ->
    Self = self(),
    Pid = spawn_link(fun() -> receive go -> ok end, Self ! {self(), Function()} end),
    1 = erlang:trace(Pid, true, [call]),
    Pid ! go,
    Result = receive {Pid, Made} -> Made end,
    Delivered = erlang:trace_delivered(Pid),
    receive {trace_delivered, Pid, Delivered} -> ok end,
    {Result, answers(Pid)}.

answers(Pid) ->
    receive
        {trace, Pid, return_from, {_, Name, 1}, Answer} -> [{Name, Answer} | answers(Pid)];
        {trace, Pid, call, _} -> answers(Pid)
    after 0 -> []
    end.
