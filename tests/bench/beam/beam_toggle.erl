%% SPDX-License-Identifier: MIT
%% Hooks come and go under load for a long time, each time with other options; afterwards the node must count
%% what the hooks count.  Prints figures; ends with 1 if something does not hold.
-module(beam_toggle).
-export([main/1]).
-import(beam_stability, [resident_kib/0, carriers_kib/0, debug_kib/0, unbalanced/0]).

%% Longest time hooked, and between two hooks, in ms.
-define(HOOKED_MS, 900).
-define(BETWEEN_MS, 200).

%% The allocators whose calls are compared: reading the node's counters calls the others itself.
-define(COMPARED, [binary_alloc, ets_alloc, fix_alloc]).

%% A sixth of the time again the load runs unhooked: what it gains in memory is not of hooks.  The script makes
%% the session that is compared with.
main([Seconds, Seed, Script]) ->
    beam_case:halts(fun() -> runs(list_to_integer(Seconds), list_to_integer(Seed), Script) end).

runs(Seconds, Seed, Script) ->
    rand:seed(exsss, Seed),
    beam_load:run(5, 3000),
    _ = toggle(0),
    beam_load:quiet(),
    Start = memory(),
    Pids = beam_load:start(Seed),
    %% On a busy machine toggles would wait for the load most of the time.
    _ = process_flag(priority, high),
    {Toggles, Beside} = toggles(#{}, [], until(Seconds)),
    _ = process_flag(priority, normal),
    Control = unhooked([], until(Seconds div 6)),
    ok = beam_load:stop(Pids),
    beam_load:quiet(),
    beam_load:quiet(),
    io:format("toggles: ~b; ~0p~n", [lists:sum([N || {{hooked, _}, N} <- maps:to_list(Toggles)]), Toggles]),
    io:format("KiB resident, in carriers, for debuggers: ~0p before, ~0p afterwards~n", [Start, memory()]),
    grows("toggled", Seconds, Beside),
    grows("unhooked, afterwards", Seconds div 6, Control),
    [] = unbalanced(),
    "" = os:cmd(Script),
    [] = [Differs || Differs <- [compared(Name) || Name <- ?COMPARED], Differs =/= ok],
    ok.

until(Seconds) ->
    erlang:monotonic_time(millisecond) + 1000 * Seconds.

%% How often each kind of toggle was done, and KiB beside carriers, the last one first.
toggles(Done, Beside, Until) ->
    case erlang:monotonic_time(millisecond) < Until of
        true ->
            Kinds = toggle(length(Beside)),
            More = lists:foldl(fun(Kind, All) -> maps:update_with(Kind, fun(N) -> N + 1 end, 1, All) end, Done, Kinds),
            toggles(More, [beside() | Beside], Until);
        false ->
            {Done, Beside}
    end.

unhooked(Beside, Until) ->
    case erlang:monotonic_time(millisecond) < Until of
        true -> timer:sleep(?HOOKED_MS div 2), unhooked([beside() | Beside], Until);
        false -> Beside
    end.

%% One hook from its start to its end; what it was, as kinds.
toggle(Round) ->
    {Name, Options} = draw([{every_block, #{}}, {every_block, #{}},
                            {sample_64k, #{sample => {bytes, 65536}}}, {sample_512, #{sample => {bytes, 512}}},
                            {sample_count, #{sample => {count, 10}}}, {large, #{min_size => 1000}},
                            {types, #{sample => {count, 3}, types => [db_term, heap]}},
                            {allocators, #{allocators => [eheap_alloc, binary_alloc, driver_alloc]}}]),
    {ok, _} = carrierscope:start(Options),
    Meanwhile = meanwhile(draw([nothing, nothing, snapshot, repeated, traced])),
    _ = Round rem 5 =:= 0 andalso reloads(),
    timer:sleep(rand:uniform(?HOOKED_MS) - 1),
    ends(Meanwhile),
    {ok, #{hooked := false, allocs := Allocs}} = carrierscope:stop(),
    timer:sleep(rand:uniform(?BETWEEN_MS) - 1),
    [{hooked, Name}, {meanwhile, Meanwhile}, {recorded_by_a_session, Allocs > 0}].

meanwhile(snapshot) -> {ok, _} = carrierscope:snapshot(), snapshot;
meanwhile(repeated) -> ok = carrierscope:snapshot(#{every => 20}), repeated;
meanwhile(traced) -> erlang:trace(all, true, [running, {tracer, carrierscope_tracer, []}]), traced;
meanwhile(nothing) -> nothing.

ends(traced) -> erlang:trace(all, false, [all]);
ends(_) -> ok.

reloads() ->
    [begin
         {module, Module} = code:load_file(Module),
         %% A process that takes snapshots goes on in the new version at its next one.
         ok = beam_case:until(fun() -> code:soft_purge(Module) end)
     end || Module <- [carrierscope, carrierscope_nif]].

draw(List) ->
    lists:nth(rand:uniform(length(List)), List).

memory() ->
    {resident_kib(), carriers_kib(), debug_kib()}.

beside() ->
    {Resident, Carriers, Debug} = memory(),
    Resident - Carriers - Debug.

%% Medians of the quarters of the time.
grows(What, Seconds, Beside) ->
    Quarter = length(Beside) div 4,
    Medians = [lists:nth(Quarter div 2 + 1, lists:sort(lists:sublist(lists:reverse(Beside), 1 + N * Quarter, Quarter)))
               || N <- lists:seq(0, 3)],
    io:format("~s: KiB resident beside these, medians of the quarters: ~0p; from the second to the last ~.1f MiB a minute~n",
              [What, Medians, (lists:nth(4, Medians) - lists:nth(2, Medians)) / 1024 / (Seconds / 2 / 60)]).

%% Of one allocator alone, by the node's counters and by the hook's, over a load, at rest.
compared(Name) ->
    {ok, _} = carrierscope:start(#{allocators => [Name], force => true}),
    beam_load:quiet(),
    {Hook0, Node0} = counts(Name),
    beam_load:run(7, 3000),
    beam_load:quiet(),
    {Hook1, Node1} = counts(Name),
    {ok, _} = carrierscope:stop(),
    Hook = [B - A || {A, B} <- lists:zip(Hook0, Hook1)],
    Node = [B - A || {A, B} <- lists:zip(Node0, Node1)],
    io:format("~s, calls of alloc, free and realloc at rest: by the hook ~0p, by the node ~0p~n", [Name, Hook, Node]),
    %% A block that is resized by a scheduler whose instance does not have it is one that is made and one that is
    %% freed for the node.  A thread may still free what another one gave back: four calls at most were seen.
    Sums = fun([Allocs, Frees, Reallocs]) -> [Allocs + Reallocs, Frees + Reallocs] end,
    case [D || D <- [abs(A - B) || {A, B} <- lists:zip(Sums(Hook), Sums(Node))], D > 4] of
        [] when hd(Hook) > 1000 -> ok;
        _ -> {Name, Hook, Node}
    end.

counts(Name) ->
    #{allocs := Allocs, frees := Frees, reallocs := Reallocs} = carrierscope:info(),
    Prefix = lists:sublist(atom_to_list(Name), length(atom_to_list(Name)) - 5),
    Calls = [{Call, Giga * 1000000000 + Count}
             || {instance, _, Sections} <- erlang:system_info({allocator, Name}),
                {calls, All} <- Sections, {Call, Giga, Count} <- All],
    {[Allocs, Frees, Reallocs],
     [lists:sum([N || {Call, N} <- Calls, atom_to_list(Call) =:= Prefix ++ What])
      || What <- ["alloc", "free", "realloc"]]}.
