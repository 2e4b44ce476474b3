%% SPDX-License-Identifier: MIT
%% Which process allocates a block.
-module(beam_process).
-export([processes/1]).

%% Processes make blocks of sizes that nobody else asks for: binaries, more of them as samples, and the
%% heap of one that is collected on dirty schedulers.  Prints their identifiers, and that of a port that
%% only lives while it is hooked.
processes(_) ->
    %% Numbers of 15 bits, where an emulator has no longer ones, begin anew with another serial.
    [receive {'DOWN', Monitor, _, _, _} -> ok end || _ <- lists:seq(1, 40000),
                                                   {_, Monitor} <- [spawn_monitor(fun() -> ok end)]],
    {ok, #{process_found_by := "two processes and a dirty scheduler agree: byte " ++ _,
           port_found_by := "two ports agree: byte " ++ _}} = carrierscope:start(),
    Holder = runs(fun() -> binaries(200, 10007) end),
    Other = runs(fun() -> binaries(300, 20011) end),
    Large = runs(fun() -> numbers(4000000) end),
    [ok = asked(Pid) || Pid <- [Holder, Other, Large]],
    beam_case:work(),
    %% What a port reads is allocated while its driver runs and no process.
    Port = open_port({spawn, "cat"}, [binary]),
    true = port_command(Port, <<0:80000>>),
    receive {Port, {data, _}} -> ok end,
    {ok, _} = carrierscope:snapshot(),
    true = port_close(Port),
    {ok, #{allocs := Allocs}} = carrierscope:stop(),
    true = Allocs > 1000,
    {ok, _} = carrierscope:start(#{sample => {count, 2}, allocators => [binary_alloc]}),
    Sampled = runs(fun() -> binaries(4000, 5003) end),
    ok = asked(Sampled),
    {ok, _} = carrierscope:stop(),
    {ok, _} = carrierscope:start(#{min_size => 30000, allocators => [binary_alloc]}),
    Some = runs(fun() -> binaries(50, 40009) end),
    ok = asked(Some),
    {ok, _} = carrierscope:stop(),
    io:format("~w ~w ~w ~w ~w ~w~n", [Holder, Other, Large, Sampled, Some, Port]).

%% A process that keeps what the function yields until the node ends.
runs(Fun) ->
    spawn(fun() ->
                  receive {From, go} ->
                          Kept = Fun(),
                          From ! {self(), done},
                          receive never -> Kept end
                  end
          end).

asked(Pid) ->
    Pid ! {self(), go},
    receive {Pid, done} -> ok end.

binaries(Count, Bytes) ->
    [binary:copy(<<N>>, Bytes) || N <- lists:seq(1, Count)].

numbers(N) -> numbers(N, []).

numbers(0, List) -> List;
numbers(N, List) -> numbers(N - 1, [N | List]).
