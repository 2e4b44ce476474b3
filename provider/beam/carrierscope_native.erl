%% SPDX-License-Identifier: MIT
%% @private
%% What a reading asks of the native half.  A process that reads without it (stands_in/1) has carrierscope_push, which asks the
%% node itself; so has the module that is pushed into other nodes, in which this one is not.
-module(carrierscope_native).
-export([stands_in/1, allocators/0, emit/1, jit_debug/0, own_memory/0, mappings/1, facts/1, rows/4]).

-define(EMIT, {?MODULE, emit}).

%% @doc From now on this process reads without the native half: what it emits are rows for Emit.
-spec stands_in(fun(([tuple()]) -> ok)) -> ok.
stands_in(Emit) ->
    put(?EMIT, Emit),
    ok.

-spec emit([tuple()]) -> ok.
emit(Rows) ->
    case get(?EMIT) of
        undefined -> carrierscope_nif:emit(Rows);
        Emit -> Emit(Rows)
    end.

%% @doc Numbers of allocators, as figures have them.
-spec allocators() -> [{non_neg_integer(), atom()}].
allocators() ->
    case get(?EMIT) =:= undefined andalso carrierscope_nif:names() of
        {ok, Allocators, _} -> Allocators;
        %% Of an emulator that does not export its numbers: ours, which the snapshot records with the names.
        _ -> carrierscope_push:allocators()
    end.

-spec jit_debug() -> non_neg_integer() | unknown.
jit_debug() -> (of_this(carrierscope_nif)):jit_debug().

-spec own_memory() -> [{atom(), non_neg_integer()}].
own_memory() -> (of_this(carrierscope_nif)):own_memory().

-spec mappings(boolean()) -> [tuple()].
mappings(HasNames) -> (of_this(carrierscope_nif)):mappings(HasNames).

%% @doc Of what this recording takes itself.
-spec facts([tuple()]) -> [{fact, binary(), binary()}].
facts(Rows) -> (of_this(carrierscope_memory)):facts(Rows).

-spec rows(non_neg_integer(), [tuple()], [{non_neg_integer(), atom()}], map()) -> [tuple()].
rows(Id, Rows, Numbers, Limits) -> (of_this(carrierscope_functions)):rows(Id, Rows, Numbers, Limits).

of_this(Module) ->
    case get(?EMIT) of
        undefined -> Module;
        _ -> carrierscope_push
    end.
