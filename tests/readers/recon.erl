%% SPDX-License-Identifier: MIT
%%
%% The published formulas of recon_alloc 2.5.6, evaluated on one snapshot, as rows that
%% SQL is compared with.  The formulas are those of SOURCES.md 18.4; no code of
%% recon's is used.
%%
%%   recon:snapshot(File, Form)     takes a snapshot of this node: recon, raw or binary
%%   recon:rows(File, RowsFile)     the figures of the snapshot in a file
%%   recon:outputs(File, RowsFile)  the figures that recon itself printed, from a file
%%   recon:compare(Rows, Rows)      halts with 0 if they are the same numbers
%%
%% A row is [Call, Keyword, Key..., Number], written as a term.
-module(recon).
-export([snapshot/2, rows/2, outputs/2, compare/2]).

-define(COUNTED, [temp_alloc, eheap_alloc, binary_alloc, ets_alloc, driver_alloc,
                  sl_alloc, ll_alloc, fix_alloc, std_alloc]).

%% Something of everything is allocated, freed and kept first.
snapshot(File, Form) ->
    Table = ets:new(table, [public]),
    [ets:insert(Table, {N, lists:seq(1, N rem 50)}) || N <- lists:seq(1, 20000)],
    Kept = [binary:copy(<<N:32>>, N rem 3000 + 100) || N <- lists:seq(1, 2000), N rem 7 =:= 0],
    Large = [binary:copy(<<1>>, 600000 + N) || N <- lists:seq(1, 5)],
    true = length(Kept) + length(Large) > 0,
    Allocators = erlang:system_info(alloc_util_allocators) ++ [sys_alloc, mseg_alloc, erts_mmap],
    Raw = [{A, erlang:system_info({allocator, A})} || A <- Allocators],
    Memory = erlang:memory(),
    Term = case Form of
               raw -> {Memory, Raw};
               _ -> {Memory, lists:append([flat(A, Is) || {A, Is} <- Raw])}
           end,
    ok = case Form of
             binary -> file:write_file(File, term_to_binary(Term, [compressed]));
             _ -> file:write_file(File, io_lib:format("~p.~n", [Term]))
         end,
    true = ets:info(Table, size) > 0,
    true = byte_size(hd(Kept)) + byte_size(hd(Large)) > 0.

flat(erts_mmap, Props) -> [{{erts_mmap, 0}, Props}];
flat(A, Instances) -> [{{A, N}, Props} || {instance, N, Props} <- Instances].

read(File) ->
    {ok, Bytes} = file:read_file(File),
    {Memory, All} = case Bytes of
                        <<131, _/binary>> -> binary_to_term(Bytes);
                        _ -> {ok, [Term]} = file:consult(File), Term
                    end,
    Flat = lists:append([case Entry of
                             {{_, _}, _} -> [Entry];
                             {A, Instances} -> flat(A, Instances)
                         end || Entry <- All]),
    {Memory, Flat}.

rows(File, RowsFile) ->
    {_, All} = read(File),
    Own = [{Key, Props} || {{A, _} = Key, Props} <- All, lists:member(A, ?COUNTED)],
    Rows = lists:append([figures(W, Own) || W <- [current, max]]) ++ hit_rates(All),
    write(RowsFile, Rows).

write(RowsFile, Rows) ->
    ok = file:write_file(RowsFile, [io_lib:format("~w.~n", [R]) || R <- lists:sort(Rows)]).

figures(W, Own) ->
    Sides = [{Key, side(W, Key, mbcs, Props), side(W, Key, sbcs, Props)} || {Key, Props} <- Own],
    Used = lists:sum([B1 + B2 || {_, {_, B1, _}, {_, B2, _}} <- Sides]),
    Allocated = lists:sum([C1 + C2 || {_, {_, _, C1}, {_, _, C2}} <- Sides]),
    [[memory, W, used, Used], [memory, W, allocated, Allocated],
     [memory, W, unused, Allocated - Used], [memory, W, usage, Used / Allocated]]
        ++ [[allocated_types, W, A, N] || {A, N} <- sums([{A, C1 + C2}
             || {{A, _}, {_, _, C1}, {_, _, C2}} <- Sides])]
        ++ [[allocated_instances, W, I, N] || {I, N} <- sums([{I, C1 + C2}
             || {{_, I}, {_, _, C1}, {_, _, C2}} <- Sides])]
        ++ lists:append([[[fragmentation, W, A, I, sbcs_usage, usage(B2, C2)],
                          [fragmentation, W, A, I, mbcs_usage, usage(B1, C1)],
                          [fragmentation, W, A, I, sbcs_block_size, B2],
                          [fragmentation, W, A, I, sbcs_carriers_size, C2],
                          [fragmentation, W, A, I, mbcs_block_size, B1],
                          [fragmentation, W, A, I, mbcs_carriers_size, C1]]
                         || {{A, I}, {_, B1, C1}, {_, B2, C2}} <- Sides])
        ++ [[average_block_sizes, W, A, mbcs, average(A, 2, Sides)] || A <- ?COUNTED]
        ++ [[average_block_sizes, W, A, sbcs, average(A, 3, Sides)] || A <- ?COUNTED]
        ++ [[sbcs_to_mbcs, W, A, I, ratio(N2, N1)]
            || {{A, I}, {N1, _, _}, {N2, _, _}} <- Sides].

%% {Blocks, BlockBytes, CarrierBytes}; now, the pool counts as multi-block carriers.
side(W, {A, _}, Name, Props) ->
    Section = proplists:get_value(Name, Props, []),
    {N, B, C} = {amount(W, A, blocks, Section), amount(W, A, blocks_size, Section),
                 carriers(W, Section)},
    case {W, Name} of
        {current, mbcs} ->
            Pool = proplists:get_value(mbcs_pool, Props, []),
            {N + amount(W, A, blocks, Pool), B + amount(W, A, blocks_size, Pool),
             C + carriers(W, Pool)};
        _ -> {N, B, C}
    end.

carriers(W, Section) -> value(W, lists:keyfind(carriers_size, 1, Section)).

%% Before OTP 23 and in recon's own snapshots a number, else a list by allocator.
amount(W, A, Key, Section) ->
    case lists:keyfind(Key, 1, Section) of
        {blocks, Types} when is_list(Types) -> of_type(W, A, count, Types);
        false when Key =:= blocks_size ->
            {blocks, Types} = lists:keyfind(blocks, 1, Section ++ [{blocks, []}]),
            of_type(W, A, size, Types);
        Found -> value(W, Found)
    end.

of_type(W, A, Key, Types) ->
    value(W, lists:keyfind(Key, 1, proplists:get_value(A, Types, []))).

value(_, false) -> 0;
value(_, {_, N}) -> N;
value(current, {_, N, _, _}) -> N;
value(max, {_, _, _, N}) -> N.

usage(0, 0) -> 1.0;
usage(B, C) -> B / C.

average(A, At, Sides) ->
    Of = [element(At, S) || {{B, _}, _, _} = S <- Sides, B =:= A],
    case lists:sum([N || {N, _, _} <- Of]) of
        0 -> 0;
        Count -> lists:sum([B || {_, B, _} <- Of]) / Count
    end.

ratio(0, 0) -> 0;
ratio(_, 0) -> infinity;
ratio(N2, N1) -> N2 / N1.

sums(Pairs) ->
    orddict:to_list(lists:foldl(fun({K, N}, D) -> orddict:update_counter(K, N, D) end,
                                orddict:new(), Pairs)).

hit_rates(All) ->
    lists:append([begin
         Kinds = proplists:get_all_values(memkind, Props),
         Kind = case Kinds of [K | _] -> K; [] -> [] end,
         Hits = proplists:get_value(cache_hits, proplists:get_value(status, Kind, [])),
         {mseg_alloc, Giga, Rest} =
             lists:keyfind(mseg_alloc, 1, proplists:get_value(calls, Kind)),
         Calls = Giga * 1000000000 + Rest,
         [[cache_hit_rates, current, I, hit_rate, usage(Hits, Calls)],
          [cache_hit_rates, current, I, hits, Hits], [cache_hit_rates, current, I, calls, Calls]]
     end || {{mseg_alloc, I}, Props} <- All]).

%% "=== call" and the term it gave, as recon itself printed it.
outputs(File, RowsFile) ->
    {ok, Bytes} = file:read_file(File),
    Parts = binary:split(Bytes, <<"=== ">>, [global]),
    write(RowsFile, lists:append([printed(P) || P <- Parts, P =/= <<>>])).

printed(Part) ->
    [Name, Text] = binary:split(Part, <<"\n">>),
    case re:run(Name, "^(\\w+)\\((?:(\\w+),)?(current|max)?\\)$", [{capture, all_but_first, list}]) of
        {match, [Call, What, W]} -> printed(Call, What, list_to_atom(W), parse(Text));
        {match, [Call]} -> printed(Call, "", current, parse(Text));
        nomatch -> []
    end.

parse(Text) ->
    {ok, Tokens, _} = erl_scan:string(binary_to_list(Text) ++ "."),
    {ok, Term} = erl_parse:parse_term(Tokens),
    Term.

printed("memory", "allocated_" ++ _ = What, W, List) ->
    [[list_to_atom(What), W, K, N] || {K, N} <- List];
printed("memory", What, W, N) -> [[memory, W, list_to_atom(What), N]];
printed("fragmentation", _, W, List) ->
    [[fragmentation, W, A, I, K, N] || {{A, I}, Props} <- List, {K, N} <- Props];
printed("average_block_sizes", _, W, List) ->
    [[average_block_sizes, W, A, K, N] || {A, Props} <- List, {K, N} <- Props];
printed("sbcs_to_mbcs", _, W, List) -> [[sbcs_to_mbcs, W, A, I, N] || {{A, I}, N} <- List];
printed("cache_hit_rates", _, _, List) ->
    [[cache_hit_rates, current, I, K, N] || {{instance, I}, Props} <- List, {K, N} <- Props];
printed(_, _, _, _) -> [].

%% Every row of the first is in the second, with the same number.
compare(One, Other) ->
    {ok, Expected} = file:consult(One),
    {ok, Got} = file:consult(Other),
    Known = maps:from_list([{lists:droplast(R), lists:last(R)} || R <- Got]),
    Wrong = [{R, maps:get(lists:droplast(R), Known, missing)} || R <- Expected,
             not same(lists:last(R), maps:get(lists:droplast(R), Known, missing))],
    [io:format("~w, but SQL says ~w~n", [R, G]) || {R, G} <- Wrong],
    io:format("~b of ~b figures are the same~n",
              [length(Expected) - length(Wrong), length(Expected)]),
    halt(case {Wrong, length(Expected) > 50} of {[], true} -> 0; _ -> 1 end).

%% Printing a float and reading it again may change its last bit.
same(A, B) when is_number(A), is_number(B) ->
    A == B orelse (is_float(B) andalso abs(A - B) =< 1.0e-13 * max(abs(A), abs(B)));
same(A, B) -> A =:= B.
