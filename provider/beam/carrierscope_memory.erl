%% SPDX-License-Identifier: MIT
%% @private
%% Whether a node has room for what records it: LTTng's ring buffers are mapped into each process that a
%% session records.  They are compared with the memory that is free.
-module(carrierscope_memory).
-export([check/1, buffers/0, free/0, share/0, facts/1, watch/0, look/1, look_anew/1, unread/1]).
%% For carrierscope_snapshot.
-export([begins/0, of_process/2, mappings/2, limit_facts/0]).
%% For carrierscope_push.
-export([resident/1]).
%% For tests.
-export([free/1, share/1, watch/1, refusal/2, warning/2, limit_facts/1, tables/1]).
%% By its full name, which outlasts loads of this module: a watch keeps it.
-export([read_again/1]).

%% Buffers may take this part of what is free, in percent.
-define(MOST_PERCENT, 10).

%% Who looks each second looks for new limits each so many times.
-define(LOOKS, 60).

%% Bytes of a file that is looked at each second: what is wanted stands at the begin.
-define(LOOKED_AT, 8192).

%% From here on, a limit of control groups of version 1 means that there is none.
-define(NO_LIMIT, (1 bsl 60)).

%% What walks through all pages of the process is done again when so many times the time has gone by that it took, and so many us.
-define(OF_PROCESS, {300, 3000000}).
-define(MAPPINGS, {200, 10000000}).

%% Names of mappings that are recorded.
-define(MOST_NAMES, 20).

-define(EXPORTS, [{<<"limit">>, <<"export_limit">>}, {<<"entries">>, <<"export_count">>}]).

%% Limits are looked for each so many ms, and who is asked for one has so many ms to answer.
-define(LIMITS_MS, 60000).
-define(ANSWER_MS, 200).

-type read() :: fun((binary()) -> {ok, binary()} | {error, term()}).
%% Bytes, and the file that limits them.
-type free() :: {non_neg_integer(), binary()} | unknown.
-type share() :: non_neg_integer() | unknown.
%% A limit of a control group of this version, and the file that has it.
-type limited() :: {Limit :: non_neg_integer(), 1 | 2, Group :: binary(), File :: binary()}.
-opaque watch() :: #{read := read(), limited := [limited()], looks := non_neg_integer()}.
-export_type([watch/0]).

%% @doc Before a start.  What is not known, and what is forced, is not refused.
-spec check(IsForced :: boolean()) -> ok | {error, string()}.
check(IsForced) ->
    Buffers = buffers(),
    case not IsForced andalso refusal(Buffers, free()) of
        false -> checked(Buffers);
        Sentence -> {error, Sentence}
    end.

%% @doc The facts that a snapshot with these rows records besides, which are logged as well: a session may
%% have begun after the start.
-spec facts([tuple()]) -> [{fact, binary(), binary()}].
facts(Rows) ->
    Last = persistent_term:get(?MODULE, 0),
    [begin
         logger:warning("carrierscope: ~ts", [Sentence]),
         {fact, <<"memory_warning\0">>, list_to_binary([Sentence, 0])}
     end || {memory, _, <<"own_buffers_mapped\0">>, Buffers} <- Rows, Buffers =/= Last,
            ok <- [checked(Buffers)], Buffers > Last, Sentence <- warning(Buffers, free())].

%% The same buffers are not looked at again.
checked(unknown) -> ok;
checked(Buffers) -> persistent_term:put(?MODULE, Buffers).

%% @doc A recording begins: what is read seldom is read by its first snapshot.
-spec begins() -> ok.
begins() ->
    lists:foreach(fun(What) -> application:unset_env(carrierscope, What) end, [of_process_due, mappings_due, limits]).

%% @doc Rows of figures of the whole process, if they are due or always: the system walks through its pages for them.
-spec of_process(non_neg_integer(), boolean()) -> [tuple()].
of_process(Id, IsForced) ->
    due(of_process_due, ?OF_PROCESS, IsForced,
        fun() ->
            [{memory, Id, Key, Bytes}
             || {_, _, _, Anonymous, LazyFree, Swapped} <- carrierscope_native:mappings(false),
                {Key, Bytes} <- [{<<"os_anonymous\0">>, Anonymous}, {<<"os_lazyfree\0">>, LazyFree}, {<<"os_swapped\0">>, Swapped}]]
        end).

%% @doc What is mapped, by name, and how full the tables are of which only a text of some ms tells: if that is due, or always.
-spec mappings(non_neg_integer(), boolean()) -> [tuple()].
mappings(Id, IsForced) ->
    due(mappings_due, ?MAPPINGS, IsForced,
        fun() ->
            Each = lists:reverse(lists:keysort(3, carrierscope_native:mappings(true))),
            {Most, Others} = lists:split(min(?MOST_NAMES, length(Each)), Each),
            [{mapping, Id, Name, Mapped, Resident, Anonymous} || {Name, Mapped, Resident, Anonymous, _, _} <- Most ++ sum(Others)] ++
                [{fact, <<Key/binary, 0>>, <<Value/binary, 0>>} || {Key, Value} <- tables(erlang:system_info(info))]
        end).

sum([]) -> [];
sum(Each) ->
    [lists:foldl(fun({_, M, R, A, L, S}, {Name, Ms, Rs, As, Ls, Ss}) -> {Name, Ms + M, Rs + R, As + A, Ls + L, Ss + S} end,
                 {<<"others\0">>, 0, 0, 0, 0, 0}, Each)].

due(What, {Times, Least}, IsForced, Read) ->
    Begin = erlang:monotonic_time(microsecond),
    case application:get_env(carrierscope, What) of
        {ok, Due} when Due > Begin, not IsForced -> [];
        _ ->
            Rows = Read(),
            End = erlang:monotonic_time(microsecond),
            application:set_env(carrierscope, What, End + max(Least, Times * (End - Begin))),
            Rows
    end.

%% @doc Facts of tables of modules and of the functions that code calls by name, as system_info(info) and a crash dump print them;
%% the latter is export_staged_index on OTP 29.
-spec tables(binary()) -> [{binary(), binary()}].
tables(Text) ->
    [{Fact, Value} || {Table, Facts} <- [{<<"module_code">>, [{<<"limit">>, <<"module_limit">>}]},
                                         {<<"export_list">>, ?EXPORTS}, {<<"export_staged_index">>, ?EXPORTS}],
                      [_, Rest] <- [binary:split(Text, <<"=index_table:", Table/binary, $\n>>)],
                      Line <- lists:sublist(binary:split(Rest, <<"\n">>, [global]), 3),
                      [Key, Value] <- [binary:split(Line, <<": ">>)], {Known, Fact} <- Facts, Known =:= Key,
                      _ <- integers(Value)].

%% @doc Facts: what limits the memory of this node, in bytes, as it was a minute ago at most.
-spec limit_facts() -> [{binary(), binary()}].
limit_facts() ->
    Now = erlang:monotonic_time(millisecond),
    case application:get_env(carrierscope, limits) of
        {ok, {Until, Facts}} when Until > Now -> Facts;
        _ ->
            Facts = limit_facts(fun read/1),
            application:set_env(carrierscope, limits, {Now + ?LIMITS_MS, Facts}),
            Facts
    end.

%% @doc The same, of files that Read yields.  Of control groups the least limit.
-spec limit_facts(read()) -> [{binary(), binary()}].
limit_facts(Read) ->
    Groups = lists:sort([{Limit, File} || {Limit, _, _, File} <- limited(Read)]),
    [{<<"machine_memory">>, integer_to_binary(1024 * Kib)} || Kib <- value(<<"MemTotal:">>, <<"/proc/meminfo">>, Read)] ++
        lists:append([[{<<"memory_limit">>, integer_to_binary(Limit)}, {<<"memory_limit_file">>, File}]
                      || {Limit, File} <- lists:sublist(Groups, 1)]) ++
        [{<<"rabbitmq_memory_limit">>, integer_to_binary(Bytes)} || Bytes <- watermark()].

%% The high watermark of RabbitMQ, by its own process, which may be busy.
watermark() ->
    case whereis(vm_memory_monitor) of
        undefined -> [];
        _ ->
            {Pid, Monitor} = spawn_monitor(fun() -> exit({shutdown, {limit, vm_memory_monitor:get_memory_limit()}}) end),
            receive
                {'DOWN', Monitor, process, _, {shutdown, {limit, Bytes}}} when is_integer(Bytes) -> [Bytes];
                {'DOWN', Monitor, process, _, _} -> []
            after ?ANSWER_MS -> exit(Pid, kill), demonitor(Monitor, [flush]), []
            end
    end.

%% @doc Bytes of ring buffers that are mapped into this process: of all sessions, channels and processors.
-spec buffers() -> non_neg_integer() | unknown.
buffers() ->
    proplists:get_value(own_buffers_mapped, carrierscope_native:own_memory(), unknown).

%% @doc false, or why nothing should be recorded.
-spec refusal(non_neg_integer() | unknown, free()) -> false | string().
refusal(Buffers, Free) ->
    is_too_much(Buffers, Free) andalso
        figures(Buffers, Free, ", or start with the option force => true (in a string: force=true)").

%% @doc [Sentence] if a session has begun whose buffers are too large.
-spec warning(non_neg_integer(), free()) -> [string()].
warning(Buffers, Free) ->
    [figures(Buffers, Free, ", or end the session") || is_too_much(Buffers, Free)].

is_too_much(unknown, _) -> false;
is_too_much(_, unknown) -> false;
is_too_much(Buffers, {Free, _}) -> 100 * Buffers > ?MOST_PERCENT * Free.

figures(Buffers, {Free, File}, Else) ->
    lists:flatten(
      io_lib:format("LTTng's ring buffers take ~.1f MiB in this node, more than ~b % of the ~.1f MiB that are "
                    "free (~ts): make the session's channels smaller (--subbuf-size, --num-subbuf)~ts",
                    [Buffers / 1048576, ?MOST_PERCENT, Free / 1048576, File, Else])).

%% @doc What the machine, a control group of this process, or one around that leaves, whichever is least.
%% Pages of files that nobody uses are free.
-spec free() -> free().
free() ->
    free(fun read/1).

%% @doc The same, of files that Read yields.
-spec free(read()) -> free().
free(Read) ->
    free_of(limits(limited(Read), Read), Read).

free_of(Limits, Read) ->
    Found = available(Read) ++ [{max(0, Limit - Used), File} || {Limit, Used, File} <- Limits],
    case Found of
        [] -> unknown;
        _ -> lists:min(Found)
    end.

%% @doc How much of its limit a control group uses, in percent: of this process's group and those around it the one that is fullest.
-spec share() -> share().
share() ->
    share(fun read/1).

%% @doc The same, of files that Read yields.
-spec share(read()) -> share().
share(Read) ->
    share_of(limits(limited(Read), Read)).

share_of(Limits) ->
    case [100 * Used div Limit || {Limit, Used, _} <- Limits, Limit > 0] of
        [] -> unknown;
        Shares -> lists:max(Shares)
    end.

%% @doc For a process that looks each second: files stay open, and limits are those of a minute ago at most.
-spec watch() -> watch().
watch() ->
    watch(fun ?MODULE:read_again/1).

%% @doc The same, of files that Read yields.
-spec watch(read()) -> watch().
watch(Read) ->
    #{read => Read, limited => [], looks => 0}.

%% @doc Resident bytes of this process, what is free, and the share of a control group.
-spec look(watch()) -> {non_neg_integer() | unknown, free(), share(), watch()}.
look(#{looks := 0, read := Read} = Watch) ->
    look(Watch#{limited := limited(Read), looks := ?LOOKS});
look(#{looks := Looks, limited := Limited, read := Read} = Watch) ->
    Limits = limits(Limited, Read),
    {resident(Read), free_of(Limits, Read), share_of(Limits), Watch#{looks := Looks - 1}}.

%% @doc The same with the limits of now, for who is about to raise an alarm.
-spec look_anew(watch()) -> {non_neg_integer() | unknown, free(), share(), watch()}.
look_anew(Watch) ->
    look(Watch#{looks := 0}).

%% @doc What cannot be read of what look/1 answers, each with the file and why: resident is not known, nor is free, and limited may
%% be, or is not, below a limit of a control group.
-spec unread(watch()) -> [{resident | free | limited, binary(), atom()}].
unread(#{read := Read}) ->
    [{resident, File, Why} || {File, Why} <- failure(<<"/proc/self/statm">>, Read)] ++
        [{free, File, Why} || {File, Why} <- failure(<<"/proc/meminfo">>, Read)] ++
        [{limited, File, Why} || {File, Why} <- unread_groups(Read)].

unread_groups(Read) ->
    case lists:append([failure(File, Read) || File <- [<<"/proc/self/cgroup">>, <<"/proc/self/mountinfo">>]]) of
        [] ->
            [{<<"/proc/self/mountinfo">>, no_groups} || groups(Read) =:= [], is_in_group(Read)] ++
                %% The outermost group has no limit.
                [Failed || {Version, Group} <- groups(Read), Name <- limit_names(Version),
                           {_, Why} = Failed <- failure(within_group(Group, Name), Read), Why =/= enoent] ++
                [Failed || {_, Version, Group, _} <- limited(Read), Failed <- failure(within_group(Group, used_name(Version)), Read)];
        Failed -> Failed
    end.

%% Of version 2, or one that counts memory.
is_in_group(Read) ->
    [] =/= [Line || Line <- lines(<<"/proc/self/cgroup">>, Read), [_, Kinds | _] <- [binary:split(Line, <<":">>, [global])],
                    Kinds =:= <<>> orelse is_of_memory(Kinds)].

failure(File, Read) ->
    case Read(File) of
        {ok, _} -> [];
        {error, Why} -> [{File, Why}]
    end.

%% @doc Bytes, of pages of 4 KiB: all systems that have hooks.
-spec resident(read()) -> non_neg_integer() | unknown.
resident(Read) ->
    case [words(Line) || Line <- lines(<<"/proc/self/statm">>, Read)] of
        [[_, Pages | _]] -> 4096 * binary_to_integer(Pages);
        _ -> unknown
    end.

%% Tests name a folder in which the files of the kernel lie that say how much there is.
read(File) ->
    file:read_file(of_kernel(File)).

of_kernel(<<"/proc/self/statm">> = File) -> File;
of_kernel(File) ->
    iolist_to_binary([os:getenv("CARRIERSCOPE_KERNEL_FILES", ""), File]).

%% @private
%% What is wanted at each look stays open.
read_again(File) ->
    case lists:member(filename:basename(File), [<<"statm">>, <<"meminfo">>, <<"memory.stat">>, used_name(1), used_name(2)]) of
        true -> read_open(File, get({?MODULE, File}));
        false -> read(File)
    end.

read_open(File, undefined) ->
    case file:open(of_kernel(File), [read, raw, binary]) of
        {ok, Open} -> put({?MODULE, File}, Open), read_open(File, Open);
        Error -> Error
    end;
read_open(File, Open) ->
    case file:pread(Open, 0, ?LOOKED_AT) of
        {ok, Text} -> {ok, Text};
        Failed ->
            _ = file:close(Open),
            erase({?MODULE, File}),
            case Failed of eof -> {ok, <<>>}; Error -> Error end
    end.

available(Read) ->
    File = <<"/proc/meminfo">>,
    [{1024 * Kib, File} || Kib <- value(<<"MemAvailable:">>, File, Read)].

%% [{Limit, Used, File of the limit}]: pages of files that nobody uses are not counted.
limits(Limited, Read) ->
    [{Limit, Used, File} || {Limit, Version, Group, File} <- Limited, Used <- used(Version, Group, Read)].

used(Version, Group, Read) ->
    Idle = case Version of 1 -> <<"total_inactive_file">>; 2 -> <<"inactive_file">> end,
    [max(0, Bytes - lists:sum(value(Idle, within_group(Group, <<"memory.stat">>), Read)))
     || Bytes <- number(within_group(Group, used_name(Version)), Read)].

used_name(1) -> <<"memory.usage_in_bytes">>;
used_name(2) -> <<"memory.current">>.

limit_names(1) -> [<<"memory.limit_in_bytes">>];
limit_names(2) -> [<<"memory.max">>, <<"memory.high">>].

%% Limits of control groups that there are.
limited(Read) ->
    [{Limit, Version, Group, File}
     || {Version, Group} <- groups(Read),
        Name <- limit_names(Version),
        File <- [within_group(Group, Name)],
        Limit <- number(File, Read), Limit < ?NO_LIMIT].

within_group(Group, Name) ->
    <<Group/binary, $/, Name/binary>>.

%% [{Version, Directory}] of this process's groups that may limit memory, and of all around them.
groups(Read) ->
    Mounts = lists:append([mount(words(Line)) || Line <- lines(<<"/proc/self/mountinfo">>, Read)]),
    [{Version, Group}
     || Line <- lines(<<"/proc/self/cgroup">>, Read),
        %% Number:kinds:path; version 2 has no kinds.
        [_, KindsAndPath] <- [binary:split(Line, <<":">>)],
        [Kinds, Path] <- [binary:split(KindsAndPath, <<":">>)],
        {Version, Root, Point} <- Mounts, Kinds =:= <<>> andalso Version =:= 2 orelse
            Version =:= 1 andalso is_of_memory(Kinds),
        Group <- around(Point, within(Root, Path))].

is_of_memory(Kinds) ->
    lists:member(<<"memory">>, binary:split(Kinds, <<",">>, [global])).

%% [{Version, Root, Directory}], of a line of mountinfo.
mount([_, _, _, Root, Point | Rest]) ->
    case lists:dropwhile(fun(Word) -> Word =/= <<"-">> end, Rest) of
        [_, <<"cgroup2">> | _] -> [{2, Root, Point}];
        [_, <<"cgroup">>, _, Options] -> [{1, Root, Point} || is_of_memory(Options)];
        _ -> []
    end;
mount(_) -> [].

%% The names in Path below what is mounted; none where that is elsewhere, as a container may see it.
within(Root, Path) ->
    Names = names(Path),
    Above = names(Root),
    case not lists:member(<<"..">>, Names) andalso lists:prefix(Above, Names) of
        true -> lists:nthtail(length(Above), Names);
        false -> []
    end.

names(Path) ->
    binary:split(Path, <<"/">>, [global, trim_all]).

around(Point, []) -> [Point];
around(Point, [Name | Names]) -> [Point | around(<<Point/binary, $/, Name/binary>>, Names)].

%% [Bytes] of a line "NAME BYTES ...".
value(Name, File, Read) ->
    [Value || Line <- lines(File, Read), [Found, Text | _] <- [words(Line)], Found =:= Name,
              Value <- integers(Text)].

number(File, Read) ->
    lists:append([integers(Line) || Line <- lines(File, Read)]).

integers(Text) ->
    try [binary_to_integer(Text)] catch error:badarg -> [] end.

words(Line) ->
    binary:split(Line, <<" ">>, [global, trim_all]).

%% None if the file cannot be read.
lines(File, Read) ->
    case Read(File) of
        {ok, Text} -> binary:split(Text, <<"\n">>, [global, trim_all]);
        {error, _} -> []
    end.
