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
%% In a release, code:load_file(carrierscope_tracer) comes first: while it boots, nothing is loaded.
%%
%% Do not load it where OTP's own is there (an emulator built --with-dynamic-trace=lttng): both
%% would emit everything.
-module(carrierscope_tracer).
-export([enabled/3, trace/5]).
-on_load(init/0).

%% Where the library is, and that nothing is done while a release boots: as in carrierscope_nif.
init() ->
    Ebin = filename:dirname(code:which(?MODULE)),
    Priv = filename:join([filename:dirname(Ebin), "priv", ?MODULE_STRING]),
    IsWanted = element(1, init:get_status()) =/= starting
        orelse lists:keymember(kernel, 1, application:which_applications()),
    case erl_prim_loader:read_file_info(Priv ++ ".so") of
        _ when not IsWanted -> ok;
        {ok, _} -> erlang:load_nif(Priv, 0);
        error -> erlang:load_nif(filename:join(Ebin, ?MODULE_STRING), 0)
    end.

enabled(_Tag, _State, _Tracee) -> erlang:nif_error(not_loaded).
trace(_Tag, _State, _Tracee, _Term, _Options) -> erlang:nif_error(not_loaded).
