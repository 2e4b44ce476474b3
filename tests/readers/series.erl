%% SPDX-License-Identifier: MIT
%% Readings of this node while it holds more and more, the same, or no more than at first:
%%
%%   series:snapshots(Kind, Folder)   writes 1.terms ... 6.terms as recon's snapshots
%%   series:dump(N, File)             dies with N times 12 MB of binaries, leaving a dump
-module(series).
-export([snapshots/2, dump/2]).

snapshots(Kind, Folder) ->
    lists:foreach(
        fun(N) ->
            put(held, hold(Kind, N, get(held))),
            erlang:garbage_collect(),
            Name = filename:join(Folder, integer_to_list(N) ++ ".terms"),
            ok = file:write_file(Name, io_lib:format("~p.~n", [snapshot()]))
        end,
        lists:seq(1, 6)).

hold(leak, _, Held) -> [binaries(120), Held];
hold(stable, 1, _) -> [[], binaries(120)];
hold(stable, N, [_ | Held]) -> [binaries(120 * ((N + 2) rem 3)) | Held];
hold(plateau, N, Held) when N < 3 -> [binaries(120), Held];
hold(plateau, _, Held) -> Held.

binaries(Count) ->
    [binary:copy(<<N:8>>, 100000) || N <- lists:seq(1, Count)].

snapshot() ->
    Names = erlang:system_info(alloc_util_allocators) ++ [sys_alloc, mseg_alloc],
    {erlang:memory(),
     [{{Name, N}, Terms} || Name <- Names, Instances <- [erlang:system_info({allocator, Name})],
                            is_list(Instances), {instance, N, Terms} <- Instances]}.

dump(N, File) ->
    put(held, binaries(120 * N)),
    os:putenv("ERL_CRASH_DUMP", File),
    erlang:halt("reading " ++ integer_to_list(N)).
