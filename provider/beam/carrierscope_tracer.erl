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

%% In priv or beside this module, as that of carrierscope_nif.
init() ->
    Ebin = filename:dirname(code:which(?MODULE)),
    Priv = filename:join([filename:dirname(Ebin), "priv", ?MODULE_STRING]),
    erlang:load_nif(case erl_prim_loader:read_file_info(Priv ++ ".so") of
                        {ok, _} -> Priv;
                        error -> filename:join(Ebin, ?MODULE_STRING)
                    end, 0).

enabled(_Tag, _State, _Tracee) -> erlang:nif_error(not_loaded).
trace(_Tag, _State, _Tracee, _Term, _Options) -> erlang:nif_error(not_loaded).
