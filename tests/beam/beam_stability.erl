%% SPDX-License-Identifier: MIT
%% Hooks come and go under load, and nothing grows.
-module(beam_stability).
-export([stability/1]).
%% For tests/bench/beam.
-export([resident_kib/0, carriers_kib/0, debug_kib/0, unbalanced/0]).

%% Hooks come and go every second under load, with other options each time; the module is loaded
%% again now and then.  At the end the allocators' books must balance, and nothing may have grown.
stability([Seconds]) ->
    beam_load:run(5, 3000),
    toggle(1, 500),
    beam_load:quiet(),
    {Start, StartCarriers} = {resident_kib(), carriers_kib()},
    StartDebug = debug_kib(),
    Pids = beam_load:start(6),
    Until = erlang:monotonic_time(second) + list_to_integer(Seconds),
    Beside = toggles([], Until),
    Rounds = length(Beside),
    ok = beam_load:stop(Pids),
    beam_load:quiet(),
    beam_load:quiet(),
    {End, EndCarriers} = {resident_kib(), carriers_kib()},
    EndDebug = debug_kib(),
    io:format("~b rounds, KiB resident (in carriers, for debuggers): ~b (~b, ~b) before, ~b (~b, ~b) after~n",
              [Rounds, Start, StartCarriers, StartDebug, End, EndCarriers, EndDebug]),
    true = Rounds > 0,
    [] = unbalanced(),
    %% Beside these, a bare node under this load goes up and down by some 30 MiB, and up for its first
    %% minutes: segments kept, freed carriers.
    true = End - EndCarriers - EndDebug < Start - StartCarriers - StartDebug + 98304,
    true = settles(lists:reverse(Beside)).

%% KiB resident beside carriers in each round, the last one first.
toggles(Beside, Until) ->
    Round = length(Beside),
    case erlang:monotonic_time(second) < Until of
        true ->
            {Resident, Carriers, Debug} = {resident_kib(), carriers_kib(), debug_kib()},
            Round rem 60 =/= 0 orelse io:format("~b: ~b (~b, ~b)~n", [Round, Resident, Carriers, Debug]),
            toggle(Round, 1000),
            toggles([Resident - Carriers - Debug | Beside], Until);
        false -> Beside
    end.

%% In a long run the last quarter is in the middle where the second one was, but for what schedulers'
%% arenas of malloc gain under this load, with hooks or without.  What a bare OTP 25 loses with each load
%% of a module, 9 KiB for debuggers (jit.h), some 17 MiB a minute here, is taken off before.
settles(Beside) when length(Beside) < 200 ->
    true;
settles(Beside) ->
    Quarter = length(Beside) div 4,
    [Second, Last] = [lists:nth(Quarter div 2, lists:sort(lists:sublist(Beside, From, Quarter)))
                      || From <- [Quarter + 1, 3 * Quarter + 1]],
    io:format("KiB resident beside carriers, median of the second quarter ~b, of the last ~b~n",
              [Second, Last]),
    Last - Second < 16384.

toggle(Round, Ms) ->
    Options = lists:nth(1 + Round rem 6,
                        [#{}, #{sample => {bytes, 65536}}, #{events => single}, #{min_size => 1000},
                         #{sample => {count, 10}, types => [db_term, heap]},
                         #{allocators => [eheap_alloc, binary_alloc, driver_alloc]}]),
    {ok, _} = carrierscope:start(Options),
    timer:sleep(Ms div 2),
    {ok, _} = carrierscope:snapshot(),
    case Round rem 5 of
        0 ->
            %% Who has answered may still be in it for a moment.
            [begin {module, Module} = code:load_file(Module), beam_case:until(fun() -> code:soft_purge(Module) end) end
             || Module <- [carrierscope, carrierscope_nif]];
        _ ->
            ok
    end,
    timer:sleep(Ms div 2),
    {ok, _} = carrierscope:stop().

%% Memory of its own: LTTng's buffers are shared, and come and go with sessions.
resident_kib() ->
    {ok, Status} = file:read_file("/proc/self/status"),
    {match, [Number]} = re:run(Status, "RssAnon:\\s+([0-9]+)", [{capture, all_but_first, list}]),
    list_to_integer(Number).

%% What the JIT keeps for debuggers; not in carriers.
debug_kib() ->
    case carrierscope_nif:jit_debug() of
        undefined -> 0;
        Bytes -> Bytes div 1024
    end.

%% What the runtime holds for its allocators.
carriers_kib() ->
    Names = erlang:system_info(alloc_util_allocators),
    lists:sum([Bytes || {_, Instances} <- erlang:system_info({allocator, Names}),
                        is_list(Instances), {instance, _, Sections} <- Instances,
                        {Section, Terms} <- Sections,
                        lists:member(Section, [mbcs, sbcs, mbcs_pool]),
                        Term <- Terms, element(1, Term) =:= carriers_size,
                        Bytes <- [element(2, Term)]]) div 1024.

%% Allocators whose blocks are not what calls of alloc less calls of free make; what fix_alloc
%% keeps of freed objects is counted as blocks.  Looked at five times, since reading allocates.
unbalanced() ->
    lists:foldl(fun(_, []) -> [];
                   (_, Before) ->
                        timer:sleep(100),
                        Now = [Name || {Name, Difference} <- balances(), Difference =/= 0,
                                       Name =/= fix_alloc],
                        [Name || Name <- Before, lists:member(Name, Now)]
                end, erlang:system_info(alloc_util_allocators), lists:seq(1, 5)).

balances() ->
    Numbers = [{0, Name} || Name <- erlang:system_info(alloc_util_allocators)],
    [{Name, sum(Name, Rows)}
     || {_, Name} <- Numbers,
        Rows <- [carrierscope_snapshot:rows(0, lists:keyreplace(Name, 2, Numbers, {1, Name}))]].

sum(Name, Rows) ->
    Prefix = lists:sublist(atom_to_list(Name), length(atom_to_list(Name)) - 5),
    Alloc = list_to_binary([Prefix, "alloc", 0]),
    Free = list_to_binary([Prefix, "free", 0]),
    lists:sum([case {Section, Key} of
                   {<<"calls\0">>, Alloc} -> Value;
                   {<<"calls\0">>, Free} -> -Value;
                   {_, <<"blocks\0">>} -> -Value;
                   _ -> 0
               end || {instance, _, 1, _, Section, Key, Value, _, _} <- Rows]).
