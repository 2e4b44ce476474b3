%% SPDX-License-Identifier: MIT
%% Cases of LTTng's ring buffers beside the memory that is free.
-module(beam_memory).
-export([free_memory/1, refused_buffers/1, late_buffers/1]).
-import(beam_case, [work/0]).

%% What files leave, and what is made of it.
free_memory(_) ->
    lists:foreach(
      fun({Name, Files, Free}) -> {Name, Free} = {Name, carrierscope_memory:free(files(Files))} end, machines()),
    Free = {100 bsl 20, <<"/proc/meminfo">>},
    %% A tenth is taken.
    [false = carrierscope_memory:refusal(Buffers, Of)
     || {Buffers, Of} <- [{0, {0, <<>>}}, {10 bsl 20, Free}, {unknown, Free}, {1 bsl 40, unknown}, {unknown, unknown}]],
    "LTTng's ring buffers take 20.5 MiB in this node, more than 10 % of the 100.0 MiB that are free "
        "(/proc/meminfo): make the session's channels smaller (--subbuf-size, --num-subbuf), or start "
        "with the option force => true (in a string: force=true)" =
        carrierscope_memory:refusal(41 bsl 19, Free),
    [] = carrierscope_memory:warning(10 bsl 20, Free),
    ["LTTng's ring buffers take 0.0 MiB in this node, more than 10 % of the 0.0 MiB" ++ _] =
        carrierscope_memory:warning(1, {0, <<"/memory.max">>}),
    %% This machine has its files.
    {Bytes, _} = carrierscope_memory:free(),
    true = is_integer(Bytes),
    #{own_buffers := Buffers, free_memory := Left} = carrierscope:info(),
    true = is_integer(Buffers) andalso is_integer(Left),
    looked_at_each_second(),
    limits().

%% Facts of what limits a node, and of tables that only a text has.
limits() ->
    Limits = [{Name, carrierscope_memory:limit_facts(files(Files))} || {Name, Files, _} <- machines()],
    [] = proplists:get_value("no such files", Limits),
    [{<<"machine_memory">>, <<"4096000">>}] = proplists:get_value("the machine alone", Limits),
    [{<<"machine_memory">>, <<"4096000">>}, {<<"memory_limit">>, <<"600000">>}, {<<"memory_limit_file">>, <<"/cg/a/memory.max">>}] =
        proplists:get_value("a group around this one", Limits),
    [_, {<<"memory_limit">>, <<"450000">>}, {_, <<"/cg/a/b/memory.high">>}] =
        proplists:get_value("a lower limit from which it is slowed down", Limits),
    [_, {<<"memory_limit">>, <<"1000000">>}, {_, <<"/cg/memory/y:z/memory.limit_in_bytes">>}] =
        proplists:get_value("groups of version 1, as a container sees them", Limits),
    [{<<"module_limit">>, <<"9">>}, {<<"export_limit">>, <<"524288">>}, {<<"export_count">>, <<"2944">>}] =
        carrierscope_memory:tables(<<"=index_table:module_code\nsize: 4\nlimit: 9\nentries: 1\n"
                                     "=index_table:export_list\nsize: 3072\nlimit: 524288\nentries: 2944\n=hash_table:x\nsize: 9\n">>),
    [{<<"export_limit">>, <<"8">>}, {<<"export_count">>, <<"7">>}] =
        carrierscope_memory:tables(<<"=index_table:export_staged_index\nsize: 9\nlimit: 8\nentries: 7\n"
                                     "=index_table:export_staged_index\nsize: 9\nlimit: 8\nentries: 6\n">>),
    [[] = carrierscope_memory:tables(Text)
     || Text <- [<<>>, <<"=index_table:export_list">>, <<"=index_table:export_list\nlimit: \nentries: x\n\n">>]],
    [_, _, _] = carrierscope_memory:tables(erlang:system_info(info)).

%% Who looks each second finds the same; limits are those of its first look for a while, what is used is that of each.
looked_at_each_second() ->
    lists:foreach(
      fun({Name, Files, Free}) ->
              {unknown, Found, Share, Watch} = carrierscope_memory:look(carrierscope_memory:watch(files(Files))),
              {Name, Free, Free} = {Name, Found, element(2, carrierscope_memory:look(Watch))},
              {Name, Share} = {Name, carrierscope_memory:share(files(Files))}
      end, machines()),
    {_, Groups, {120000, _}} = lists:keyfind("a group around this one", 1, machines()),
    put(files, Groups#{"/proc/self/statm" => "90 11 3 1 0 2 0\n"}),
    {11 * 4096, {120000, _}, 80, First} = looks(carrierscope_memory:watch(fun(File) -> (files(get(files)))(File) end), 1),
    put(files, Groups#{"/cg/a/memory.max" => "1200000\n", "/cg/a/memory.current" => "260000\n"}),
    {unknown, {360000, _}, 40, Second} = looks(First, 1),
    %% Who is about to raise an alarm looks for new limits, and has them from then on.
    {unknown, {960000, _}, 20, Third} = carrierscope_memory:look_anew(Second),
    {unknown, {960000, _}, 20, _} = looks(Third, 1),
    {unknown, {960000, _}, 20, _} = looks(Second, 60),
    %% This machine's own files, kept open.
    {Resident, {Bytes, _}, _, Own} = looks(carrierscope_memory:watch(), 1),
    {Again, {Left, _}, _, _} = looks(Own, 100),
    [] = [Number || Number <- [Resident, Bytes, Again, Left], not (is_integer(Number) andalso Number > 0)],
    More = binary:copy(<<1>>, 32 bsl 20),
    {Grown, _, _, _} = looks(Own, 1),
    {true, _, _} = {Grown >= Again + (16 bsl 20), Again, Grown},
    32 bsl 20 = byte_size(More),
    %% What is wanted once a minute is not among them.
    [] = [File || {{carrierscope_memory, File}, _} <- get(),
                  not lists:member(filename:basename(File), [<<"statm">>, <<"meminfo">>, <<"memory.stat">>, <<"memory.current">>,
                                                             <<"memory.usage_in_bytes">>])],
    unread(Groups).

%% What cannot be read is named; a group without a limit, and the outermost one, which has none, are no such thing.
unread(Groups) ->
    Statm = Groups#{"/proc/self/statm" => "90 11 3 1 0 2 0\n"},
    [] = unread_of(Statm),
    [{resident, <<"/proc/self/statm">>, enoent}] = unread_of(Groups),
    [{free, <<"/proc/meminfo">>, enoent}] = unread_of(maps:remove("/proc/meminfo", Statm)),
    [{limited, <<"/cg/a/memory.current">>, enoent}] = unread_of(maps:remove("/cg/a/memory.current", Statm)),
    [{limited, <<"/cg/a/memory.max">>, eacces}] = unread_of(Statm#{"/cg/a/memory.max" => eacces}),
    [{limited, <<"/proc/self/cgroup">>, eacces}] = unread_of(Statm#{"/proc/self/cgroup" => eacces}),
    [{limited, <<"/proc/self/mountinfo">>, no_groups}] = unread_of(Statm#{"/proc/self/mountinfo" => ""}),
    [] = unread_of(Statm#{"/proc/self/mountinfo" => "", "/proc/self/cgroup" => "3:cpu:/\n"}),
    [_, _, _, _] = unread_of(#{}).

unread_of(Files) -> carrierscope_memory:unread(carrierscope_memory:watch(files(Files))).

looks(Watch, 1) -> carrierscope_memory:look(Watch);
looks(Watch, Count) -> looks(element(4, carrierscope_memory:look(Watch)), Count - 1).

files(Files) ->
    fun(File) ->
            case maps:find(binary_to_list(File), Files) of
                {ok, Why} when is_atom(Why) -> {error, Why};
                {ok, Text} -> {ok, list_to_binary(Text)};
                error -> {error, enoent}
            end
    end.

machines() ->
    V1 = "/proc/self/mountinfo",
    Plain = #{"/proc/meminfo" => "MemTotal:       4000 kB\nMemFree:          10 kB\nMemAvailable:    2000 kB\n"},
    Two = Plain#{V1 => "31 23 0:27 / /sys rw - sysfs sysfs rw\n"
                       "35 24 0:30 / /cg rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n",
                 "/proc/self/cgroup" => "0::/a/b\n",
                 "/cg/a/memory.max" => "600000\n", "/cg/a/memory.current" => "500000\n",
                 "/cg/a/memory.stat" => "anon 7\ninactive_file 20000\nactive_file 9\n",
                 "/cg/a/b/memory.max" => "max\n", "/cg/a/b/memory.current" => "400000\n"},
    One = Plain#{V1 => "36 35 0:32 /docker/x /cg/memory rw,relatime - cgroup cgroup rw,memory\n"
                       "37 35 0:33 / /cg/cpu rw,relatime - cgroup cgroup rw,cpu\n",
                 "/proc/self/cgroup" => "5:cpu,cpuacct:/\n4:hugetlb,memory:/docker/x/y:z\n0::/\n",
                 "/cg/memory/memory.limit_in_bytes" => "9223372036854771712\n",
                 "/cg/memory/memory.usage_in_bytes" => "1\n",
                 "/cg/memory/y:z/memory.limit_in_bytes" => "1000000\n",
                 "/cg/memory/y:z/memory.usage_in_bytes" => "900000\n",
                 "/cg/memory/y:z/memory.stat" => "inactive_file 5\ntotal_inactive_file 30000\n"},
    [{"no such files", #{}, unknown},
     {"empty files", #{"/proc/meminfo" => "", "/proc/self/cgroup" => "x\n\n::\n", V1 => "1 2\n- -\n"}, unknown},
     {"the machine alone", Plain, {2048000, <<"/proc/meminfo">>}},
     {"a group around this one", Two, {120000, <<"/cg/a/memory.max">>}},
     {"a lower limit from which it is slowed down", Two#{"/cg/a/b/memory.high" => "450000\n"},
      {50000, <<"/cg/a/b/memory.high">>}},
     {"a group beyond its limit", Two#{"/cg/a/b/memory.max" => "300000\n"}, {0, <<"/cg/a/b/memory.max">>}},
     {"a group with more than the machine", Two#{"/cg/a/memory.max" => "60000000\n"}, {2048000, <<"/proc/meminfo">>}},
     {"a limit without what is used", maps:remove("/cg/a/memory.current", Two), {2048000, <<"/proc/meminfo">>}},
     {"groups of version 1, as a container sees them", One, {130000, <<"/cg/memory/y:z/memory.limit_in_bytes">>}},
     {"a path that is not below what is mounted",
      One#{"/proc/self/cgroup" => "4:memory:/../other\n",
           "/cg/memory/memory.limit_in_bytes" => "5000\n"}, {4999, <<"/cg/memory/memory.limit_in_bytes">>}}].

%% The session's buffers are too large for the little that is free, as File says.
refused_buffers([File]) ->
    {error, "LTTng's ring buffers take " ++ Rest} = carrierscope:start(),
    {_, true} = {Rest, lists:suffix(" (" ++ File ++ "): make the session's channels smaller (--subbuf-size, "
                                    "--num-subbuf), or start with the option force => true (in a string: "
                                    "force=true)", Rest)},
    {error, "LTTng's ring buffers take " ++ _} = carrierscope:start(#{force => false}),
    {error, "LTTng's ring buffers take " ++ _} = carrierscope:start(["sample=bytes:500"]),
    ok = carrierscope:boot([]),
    #{hooked := false, hook_id := 0, own_buffers := Buffers, free_memory := Free} = carrierscope:info(),
    {_, _, true} = {Buffers, Free, 10 * Buffers > Free},
    {ok, #{hooked := true}} = carrierscope:start(["force=true"]),
    {ok, _} = carrierscope:stop(),
    %% Nothing is begun by a snapshot: it is taken, and what was forced is no news.
    {ok, _} = carrierscope:snapshot().

%% A session that begins after the start, by the script Begins.
late_buffers([Begins]) ->
    {ok, #{own_buffers := 0}} = carrierscope:start(),
    {ok, _} = carrierscope:snapshot(),
    "" = os:cmd(Begins),
    beam_case:until(fun() -> maps:get(own_buffers, carrierscope:info()) > 0 end),
    %% Until it records: its buffers are mapped before.
    beam_case:until(fun() -> work(), maps:get(allocs, carrierscope:info()) > 0 end),
    {ok, _} = carrierscope:snapshot(),
    {ok, _} = carrierscope:snapshot(),
    {ok, _} = carrierscope:stop().
