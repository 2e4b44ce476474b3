%% SPDX-License-Identifier: MIT
%% @doc What processes and ports do, as the events of OTP's own LTTng tracer (provider
%% `org_erlang_dyntrace`), on a runtime that was built without it:
%%
%%   erlang:trace(all, true, [procs, running, {tracer, carrierscope_tracer, []}]).
%%   erlang:trace(new_ports, true, [ports, running_ports, {tracer, carrierscope_tracer, []}]).
%%   erlang:trace(Pid, true, [send, 'receive', garbage_collection, {tracer, carrierscope_tracer, []}]).
%%   erlang:trace(Pid, true, [call, {tracer, carrierscope_tracer, []}]), erlang:trace_pattern(...).
%%
%% An erl_tracer module.  An event that no session has enabled is dropped before its term is made.
%% Beside the block events of module carrierscope, process_scheduled on the same thread says whose
%% blocks they are.
%%
%% Do not load it where OTP's own is there (an emulator built --with-dynamic-trace=lttng): both
%% would emit everything.
-module(carrierscope_tracer).
-export([enabled/3, trace/5]).
-on_load(init/0).

init() ->
    erlang:load_nif(filename:join(filename:dirname(code:which(?MODULE)), "carrierscope_tracer"), 0).

enabled(_Tag, _State, _Tracee) -> erlang:nif_error(not_loaded).
trace(_Tag, _State, _Tracee, _Term, _Options) -> erlang:nif_error(not_loaded).
