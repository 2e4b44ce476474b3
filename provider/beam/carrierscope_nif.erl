%% SPDX-License-Identifier: MIT
%% @private
%% The native half of module carrierscope, and nothing else.
%%
%% Where a load of a module with on_load is refused, OTP 25 keeps the old code, but local funs of it then
%% jump to nowhere, and the node dies.  So this module has no fun, and all else is in modules that have no
%% on_load.  Calls come from carrierscope:nif/2, which first sees that the module is there.
%%
%% Loading it connects to LTTng's session daemon, which takes some ten milliseconds on the scheduler that
%% loads it; LTTNG_UST_REGISTER_TIMEOUT (ms, 3000 if not set) bounds it.
-module(carrierscope_nif).
-export([start/1, stop/0, info/0, names/0, emit/1, jit_debug/0, own_memory/0, mappings/1, beats/1, try_process/3, try_port/2,
         try_stack/1, stacks/1, stack_lines/1]).
-on_load(init/0).

%% What is answered is for the log alone; why a load was refused is kept for carrierscope:nif/2.
%%
%% A release in embedded mode loads all modules while it boots, and ends where one of them fails.  So
%% nothing is done then, and the first call of module carrierscope loads this one again.
init() ->
    case is_wanted() of
        true -> load();
        false -> persistent_term:put({?MODULE, postponed}, true)
    end.

%% A call of module carrierscope comes later than the start of the kernel application.
is_wanted() ->
    element(1, init:get_status()) =/= starting orelse lists:keymember(kernel, 1, application:which_applications()).

load() ->
    Path = case os:getenv("CARRIERSCOPE_NIF") of
               false -> library();
               Given -> filename:rootname(Given, ".so")
           end,
    case erlang:load_nif(Path, 0) of
        ok -> persistent_term:erase({?MODULE, postponed}), ok;
        {error, {_, Text}} = Error -> persistent_term:put(?MODULE, Text), Error
    end.

%% In priv, where it is installed and where rebar3 and mix have it, or beside this module, as a build leaves
%% it.  erl_prim_loader answers at any time of a boot.
library() ->
    Ebin = filename:dirname(code:which(?MODULE)),
    Priv = filename:join([filename:dirname(Ebin), "priv", ?MODULE_STRING]),
    case erl_prim_loader:read_file_info(Priv ++ ".so") of
        {ok, _} -> Priv;
        error -> filename:join(Ebin, ?MODULE_STRING)
    end.

start(_Order) -> erlang:nif_error(not_loaded).
stop() -> erlang:nif_error(not_loaded).
info() -> erlang:nif_error(not_loaded).
names() -> erlang:nif_error(not_loaded).
emit(_Rows) -> erlang:nif_error(not_loaded).
jit_debug() -> erlang:nif_error(not_loaded).
own_memory() -> erlang:nif_error(not_loaded).
mappings(_) -> erlang:nif_error(not_loaded).
beats(_Pid) -> erlang:nif_error(not_loaded).
try_process(_Numbers, _Serials, _Others) -> erlang:nif_error(not_loaded).
try_port(_Numbers, _Others) -> erlang:nif_error(not_loaded).
try_stack(_Argument) -> erlang:nif_error(not_loaded).
stacks(_Place) -> erlang:nif_error(not_loaded).
stack_lines(_Place) -> erlang:nif_error(not_loaded).
