%% SPDX-License-Identifier: MIT
%% Cases of start, stop and what they refuse.
-module(beam_start).
-export([start_stop/1, sampling/1, drained/1, refusal/1, hidden/1, unheard/1, plainly/1, hooked_at_boot/1]).
-import(beam_case, [work/0]).

%% Start and stop, and what is refused.
start_stop(_) ->
    #{hooked := false, hook_id := 0} = carrierscope:info(),
    {error, "nothing is hooked"} = carrierscope:stop(),
    refused(),
    {ok, #{hooked := true, hook_id := 1, sample := none, types := all}} = carrierscope:start(),
    {error, "the allocators are hooked already, by carrierscope:start in process <" ++ _} = carrierscope:start(),
    work(),
    {ok, #{hooked := false, allocs := Allocs, frees := Frees, untracked := 0}} =
        carrierscope:stop(),
    true = Allocs > 1000,
    true = Frees > 100,
    %% What is not chosen is not recorded.
    {ok, #{allocators := [ets_alloc], min_size := 100}} =
        carrierscope:start(#{allocators => [ets_alloc], min_size => 100}),
    work(),
    {ok, #{hook_id := 2, allocs := Large}} = carrierscope:stop(),
    true = Large > 1000,
    {ok, #{types := 1}} = carrierscope:start(#{types => ["db_segment"]}),
    work(),
    {ok, #{hook_id := 3}} = carrierscope:stop(),
    %% Whoever records may say so.
    {error, "option 'by' is a name, not 7"} = carrierscope:start(#{by => 7}),
    {ok, #{sample := {count, 7}, by := "a test \\x{F6}", since := [_ | _], listening := true} = Info} =
        carrierscope:start(["sample=count:7", "allocators=ets_alloc,binary_alloc", {by, "a test \x{F6}"}]),
    false = is_map_key(warning, Info),
    {error, "the allocators are hooked already, by a test \\x{F6}, since 20" ++ _} = carrierscope:start(),
    work(),
    {ok, _} = carrierscope:stop().

%% A known set of blocks, in full and as samples of both kinds.
sampling(_) ->
    [begin
         {ok, _} = carrierscope:start(#{sample => Sample, types => [db_term]}),
         Table = ets:new(known, [public]),
         %% Sizes of a wide range: what lies in a row is 8 bytes a list element and more.
         [ets:insert(Table, {N, binary:copy(<<0>>, 1 + N rem 61), lists:seq(1, N * N rem 97)})
          || N <- lists:seq(1, 40000)],
         [ets:delete(Table, N) || N <- lists:seq(1, 40000, 2)],
         {ok, #{untracked := 0}} = carrierscope:stop(),
         ets:delete(Table)
     end || Sample <- [none, {bytes, 4096}, {count, 16}]].

%% Every sampled block that is freed was recorded, and nothing stays.
drained(_) ->
    {ok, _} = carrierscope:start(#{sample => {bytes, 2000}, types => [db_term, db_segment]}),
    beam_load:run(4, 1500),
    {ok, #{untracked := 0}} = carrierscope:stop().

%% An emulator that is not as it should be.
refusal([Sentence]) ->
    {error, Sentence} = carrierscope:start(),
    #{hooked := false, allocators := []} = carrierscope:info(),
    {error, "nothing is hooked"} = carrierscope:stop(),
    work(),
    %% What the node says of itself needs no symbols.
    {ok, _} = carrierscope:snapshot().

%% The table is searched: its functions must be those that are exported.
hidden(_) ->
    #{table_found_by := "searched" ++ _} = carrierscope:info(),
    plainly([]).

%% The same where no session records.
unheard(_) ->
    {ok, #{hooked := true}} = carrierscope:start(),
    work(),
    {ok, _} = carrierscope:snapshot(),
    {ok, #{hooked := false, allocs := 0, table_found_by := Way}} = carrierscope:stop(),
    work(),
    #{process_found_by := Process, port_found_by := Port} = carrierscope:info(),
    {ok, #{stack_found_by := Stack}} = carrierscope:start(#{sample => {bytes, 65536}}),
    {ok, _} = carrierscope:stop(),
    io:format("~ts~n~ts~n~ts~n~ts~n", [Way, Process, Port, Stack]).

plainly(_) ->
    {ok, #{hooked := true}} = carrierscope:start(),
    work(),
    {ok, #{allocs := Allocs, table_found_by := Way}} = carrierscope:stop(),
    true = Allocs > 1000,
    io:format("~ts~n", [Way]).

%% Hooked by -run or ERL_FLAGS before this.
hooked_at_boot([Sample]) ->
    #{hooked := true, sample := Found} = carrierscope:info(),
    Sample = lists:flatten(io_lib:format("~w", [Found])),
    work(),
    {ok, #{allocs := Allocs}} = carrierscope:stop(),
    true = Allocs > 0.

%% Whatever is asked wrongly is answered by one line that names the option and what it may be, and
%% nothing is begun.
refused() ->
    [try
         {error, Sentence} = Ask(),
         true = length(Sentence) < 400,
         true = lists:all(fun(C) -> C >= $\s andalso C =< $~ end, Sentence),
         {true, _} = {string:str(Sentence, Part) > 0, Sentence}
     catch
         Class:Reason -> error({N, Part, Class, Reason})
     end || {N, {Ask, Part}} <- lists:zip(lists:seq(1, length(asked_wrongly())), asked_wrongly())],
    #{hooked := false, hook_id := 0} = carrierscope:info(),
    undefined = whereis(carrierscope_snapshots).

asked_wrongly() ->
    Most = "from 2 to 1099511627776, not ",
    [{fun() -> carrierscope:start(Options) end, Part}
     || {Options, Part} <-
            [{#{allocators => [no_alloc]}, "there is no allocator 'no_alloc'; there are sys_alloc, temp_alloc,"},
             {#{allocators => []}, "option 'allocators' is all or a list of names, not []"},
             {#{allocators => ets_alloc}, "option 'allocators' is all or a list of names, not ets_alloc"},
             {#{allocators => [ets_alloc | binary_alloc]}, "option 'allocators' is all"},
             {#{allocators => [[x], {}, 1]}, "option 'allocators': there is no allocator '[x]'"},
             {#{types => ["no type"]}, "option 'types': there is no block type 'no type'"},
             {#{types => [<<255>>]}, "option 'types': there is no block type '<<\"\\x{FF}\">>'"},
             {#{types => [[16#d800]]}, "option 'types': there is no block type '[55296]'"},
             {#{types => [[1024]]}, "option 'types': there is no block type '\\x{400}'"},
             {#{types => [lists:duplicate(1000000, $x)]}, "option 'types': there is no block type"},
             {#{types => 7}, "option 'types' is all or a list of names, not 7"},
             {#{types => lists:seq(1, 1000)}, "option 'types': there is no block type '1'"},
             {#{sample => {bytes, 1 bsl 70}}, Most ++ "{bytes,1180591620717411303424}"},
             {#{sample => {count, 1 bsl 63}}, Most ++ "{count,9223372036854775808}"},
             {#{sample => {bytes, 1 bsl 100000}}, Most},
             {#{sample => {bytes, 0}}, Most ++ "{bytes,0}"},
             {#{sample => {bytes, 2.5}}, Most ++ "{bytes,2.5}"},
             {#{sample => often}, "option 'sample' is none, {bytes, N} or {count, N} with N " ++ Most ++ "often"},
             {#{holders => 1001}, "option 'holders' is a number from 0 to 1000, not 1001"},
             {["holders=all"], "there is no whole number in 'holders=all'"},
             {#{min_size => -1}, "option 'min_size' is a number of bytes from 0 to 1099511627776, not -1"},
             {#{min_size => 1 bsl 70}, "option 'min_size' is a number of bytes"},
             {#{samples => none}, "there is no option 'samples'; options are allocators, types, min_size, sample, stacks, probes, holders, events, force and by"},
             {#{{a, [1]} => none}, "there is no option '{a,[1]}'"},
             {["sample=bytes:x"], "there is no whole number in 'sample=bytes:x'"},
             {["sample=bytes:" ++ lists:duplicate(100000, $9)], "is too large"},
             {["sample=bytes:1"], Most ++ "{bytes,1}"},
             {["allocators=no_alloc"], "there is no allocator 'no_alloc'"},
             {["allocators="], "option 'allocators' is all or a list of names, not []"},
             {["nothing"], "'nothing' is no option"},
             {[nothing, 1], "'nothing' is no option"},
             {[1], "an option in a list is a string \"option=value\", not 1"},
             {["types=heap" | x], "options are a map or a list"},
             {nothing, "options are a map or a list of strings \"option=value\", not nothing"}]] ++
    [{fun() -> carrierscope:snapshot(Options) end, Part}
     || {Options, Part} <-
            [{#{every => 0}, "snapshot takes #{every => Ms} with Ms from 1 to 4294967295, "},
             {#{every => 1 bsl 40}, "not #{every => 1099511627776}"},
             {#{every => 50, more => 1}, "snapshot takes #{every => Ms}"},
             {#{functions => 1}, "#{functions => true}, some of these, #{instrument => true}"},
             {#{holders => -1}, "#{holders => N} with N to 1000, "},
             {#{instrument => false}, "not #{instrument => false}"},
             {#{}, "not #{}"},
             {now, "not now"},
             {stop, "no snapshots are taken"}]].
