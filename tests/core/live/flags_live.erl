%% SPDX-License-Identifier: MIT
%% Random +M command lines, given to this runtime's launcher and to carrierscope-twin:
%%   erl -noinput -run flags_live main Erl Twin Seed Count
%% Both must refuse the same ones with the same words, and have the same settings with the others.
-module(flags_live).
-export([main/1]).

-define(SCHEDULERS, "2").

main([Erl, Twin, Seed, Count]) ->
    First = list_to_integer(Seed),
    Last = First + list_to_integer(Count) - 1,
    Results = [compare(Erl, Twin, N) || N <- lists:seq(First, Last)],
    Same = [K || {same, K} <- Results],
    [Taken, Refused, Crashed] = [length([K || K <- Same, K =:= Kind])
                                 || Kind <- [taken, refused, crashed]],
    io:format("~b command lines: ~b taken, ~b refused, ~b crash the runtime, ~b differ~n",
              [length(Results), Taken, Refused, Crashed, length(Results) - length(Same)]),
    halt(case Same of
             _ when length(Same) < length(Results) -> 1;
             %% Of both kinds there must be some.
             _ when Taken * 5 < length(Results); Refused =:= 0 -> 1;
             _ -> 0
         end).

compare(Erl, Twin, Seed) ->
    rand:seed(exsss, Seed),
    %% The last one is whole: what has no value takes the next argument, whatever that is.
    Flags = lists:append([flag() || _ <- lists:seq(1, 1 + rand:uniform(4))]) ++ ["+MSe", "true"],
    Ours = ours(Twin, Flags),
    Real = real(Erl, Flags, Ours),
    case same(Real, Ours) of
        true ->
            {same, case Real of {refused, _} -> refused; {taken, _} -> taken; _ -> crashed end};
        false ->
            io:format("~b: ~s~n  runtime: ~0p~n  twin:    ~0p~n",
                      [Seed, lists:join($\s, Flags), difference(Real, Ours),
                       difference(Ours, Real)]),
            {differs, Seed}
    end.

same(crashed, _) -> true;
%% It does not even start.
same({refused, _}, crashes) -> true;
same(Same, Same) -> true;
%% bad "Mu" parameter; bad "Mua" value: best: the runtime names what it had understood, the twin all.
same({refused, Real}, {refused, Ours}) ->
    case {string:split(Real, "\" "), string:split(Ours, "\" ")} of
        {[A, What], [B, What]} -> lists:prefix(A, B);
        _ -> false
    end;
same(_, _) -> false.

difference({taken, A}, {taken, B}) -> A -- B;
difference(A, _) -> A.

%% --- What the runtime says.

%% What the twin refuses because the runtime crashes on it later must crash it: 300 carriers are
%% made from sys_alloc.
real(Erl, Flags, crashes) ->
    Make = "[binary:copy(<<1>>,600000)||_<-lists:seq(1,300)]",
    real(Erl, Flags ++ ["+MBe", "true", "+MBsbct", "512", "+MBmmsbc", "0"],
         "L=" ++ Make ++ ",300=length(L),");
real(Erl, Flags, {_, _}) -> real(Erl, Flags, "");
real(Erl, Flags, Before) ->
    Code = Before ++ "{_,_,F,S}=erlang:system_info(allocator),"
        "io:format(\"~0p.~n\",[{F,S}]),"
        "[case erlang:system_info({allocator,A}) of false -> ok;"
        " L -> [io:format(\"~0p.~n\",[{A,I,O}]) || {instance,I,P} <- L, {options,O} <- P, I < 2]"
        " end || {A,_} <- S, not lists:member(A,[sys_alloc,mseg_alloc,alloc_util,erts_mmap,"
        "lock_physical_memory])], halt().",
    Arguments = ["20", Erl, "+S", ?SCHEDULERS | Flags]
        ++ ["-noinput", "-boot", "start_clean", "-eval", Code],
    case run(os:find_executable("timeout"), Arguments) of
        {0, Text} ->
            [{Features, Settings} | Instances] = terms(Text),
            {taken, lists:sort([{features, Features} | flat(Settings)])
                 ++ lists:sort([later(A, O) || {A, 1, O} <- Instances])};
        %% A terminal's sentences end with a carriage return as well.
        %% It dies of a signal: there is nothing to be equal to.
        {Status, _} when Status > 128 -> crashed;
        {_, Text} -> {refused, string:trim(hd(string:split(Text, "\n")), trailing, "\r")}
    end.

flat(Settings) ->
    lists:append([case placed(T) of
                      {A, [_ | _] = L} -> [{A, O} || O <- L];
                      Other -> [Other]
                  end || T <- Settings]).

%% How much of a super carrier its descriptors take depends on where the system has put it.
placed({erts_mmap, [{scs, Scs}, Sco, Scrpm, {scrfsd, N}]}) ->
    {erts_mmap, [{total, Scs + 64 * N}, Sco, Scrpm]};
placed(Other) -> Other.

%% What instances behind the first may have of their own.
later(A, Options) ->
    {A, later, [T || {K, _} = T <- Options, lists:member(K, [acful, acul, acnl, acfml, cp, as])]}.

%% --- What the twin says.

ours(Twin, Flags) ->
    case run(Twin, ["--print-options", "--otp", "25", "--schedulers", ?SCHEDULERS, "--" | Flags]) of
        {0, Text} ->
            Lines = string:split(Text, "\n", all),
            [{_, _, Features, Settings}] = terms([[L, $\n] || L <- Lines, hd(L ++ "%") =/= $%]),
            Later = [hd(terms(string:replace(L, "1..2", "1") ++ "."))
                     || "% " ++ L <- Lines, string:find(L, ",1..2,") =/= nomatch],
            {taken, lists:sort([{features, Features} | flat(Settings)])
                 ++ lists:sort([later(A, O) || {A, 1, O} <- Later])};
        {_, "carrierscope-twin: " ++ Text} ->
            %% "bad "+MBas" value: worst (it takes ...)"
            Line = hd(string:split(Text, "\n")),
            Sentence = hd(string:split(Line, " (it takes ")),
            %% "bad "+MTacul" parameter: not for temp_alloc"
            Plain = case string:split(Sentence, " parameter: ") of
                        [Name, _] -> Name ++ " parameter";
                        _ -> Sentence
                    end,
            case string:find(Line, "the runtime crashes on it") of
                nomatch -> {refused, lists:flatten(string:replace(Plain, "\"+M", "\"M"))};
                _ -> crashes
            end;
        Other -> Other
    end.

terms(Text) ->
    {ok, Tokens, _} = erl_scan:string(lists:flatten(Text)),
    parse(Tokens).

parse([]) -> [];
parse(Tokens) ->
    {Term, Rest} = lists:splitwith(fun(T) -> element(1, T) =/= dot end, Tokens),
    {ok, Parsed} = erl_parse:parse_term(Term ++ [hd(Rest)]),
    [Parsed | parse(tl(Rest))].

run(Program, Arguments) ->
    Port = open_port({spawn_executable, Program},
                     [{args, Arguments}, exit_status, stderr_to_stdout,
                      {env, [{"ERL_CRASH_DUMP_SECONDS", "0"}]}]),
    collect(Port, "").

collect(Port, Text) ->
    receive
        {Port, {data, More}} -> collect(Port, Text ++ More);
        {Port, {exit_status, Status}} -> {Status, Text}
    end.

%% --- Flags.

one(List) -> lists:nth(rand:uniform(length(List)), List).

flag() ->
    {Name, Kind} =
        case rand:uniform(10) of
            1 -> one(shared());
            2 -> one(unknown());
            _ ->
                {P, K} = one(parameters()),
                {[one("TSDLHBERFIZuuuu") | P], K}
        end,
    give("+M" ++ Name, value(Kind)).

%% Glued or as the next argument; now and then without a value, which takes the next flag then.
give(Flag, Value) ->
    case rand:uniform(60) of
        1 -> [Flag];
        N when N < 20 -> [Flag ++ Value];
        _ -> [Flag, Value]
    end.

parameters() ->
    [{"as", strategy}, {"as", strategy}, {"asbcst", kib}, {"atags", bool}, {"acul", limit},
     {"acul", limit}, {"acful", limit}, {"acnl", amount}, {"acfml", amount}, {"cp", pool},
     {"e", bool}, {"e", bool}, {"lmbcs", kib}, {"mbcgs", amount}, {"mbsd", amount}, {"mmbcs", size},
     {"mmmbc", amount}, {"mmsbc", amount}, {"ramv", bool}, {"rmbcmt", percent},
     {"rsbcmt", percent}, {"rsbcst", percent}, {"sbct", kib}, {"smbcs", kib}, {"t", bool}].

shared() ->
    [{"uycs", kib}, {"ummc", amount}, {"usac", bool}, {"Mamcbf", kib}, {"Mrmcbf", percent},
     {"Mmcs", amount}, {"Mscs", mib}, {"Msco", bool}, {"Mscrpm", bool}, {"Mscrfsd", descriptors},
     {"Iscs", mib}, {"Ytt", kib}, {"Ytp", kib}, {"Ye", bool}, {"ea", setup}, {"lpm", lpm},
     {"dai", dirty}].

unknown() ->
    [{"Qx", amount}, {"Bfoo", amount}, {"Xe", bool}, {"Mscmgc", amount}, {"it", bool},
     {"Mlp", bool}, {"umadtn", bool}, {"ucci", amount}, {"B", amount}, {"M", amount}].

%% Mostly what is taken.
value(Kind) ->
    case rand:uniform(12) of
        1 -> one(["", "x", "-1", "12x", "0x10", "true", "1.5", " 7", "+3", "99999999999999999999",
                  "18446744073709551615", "18446744073709551616", "de", "101", "100x"]);
        _ -> good(Kind)
    end.

%% Not "chaosff", which test_alloc alone takes: it chooses at random, and the twin has no such thing.
good(strategy) ->
    one(["bf", "aobf", "gf", "af", "aoff", "aoffcbf", "aoffcaobf", "ageffcaoff", "ageffcbf",
         "ageffcaobf", "best"]);
good(bool) -> one(["true", "false"]);
good(limit) -> one(["0", "1", "60", "100", "de", "45"]);
good(percent) -> one(["0", "1", "50", "100", "101", "70000"]);
good(amount) -> one(["0", "1", "2", "5", "1000", "123456", "18446744073709551615"]);
good(kib) ->
    one(["0", "1", "4", "16", "100", "512", "8192", "1000000", "18014398509481983",
         "18014398509481984", "18014398509481985"]);
good(size) -> one(["0", "1", "4", "16", "100", "512", "8192"]);
good(mib) -> one(["0", "1", "2", "4", "5", "64", "1024", "17592186044416", "17592186044417"]);
good(descriptors) -> one(["0", "10", "100", "1000", "65536", "65537", "1000000000"]);
good(pool) -> one(["B", "D", "E", "F", "H", "L", "R", "S", "@", ":", "T", "BB", "b"]);
good(setup) -> one(["min", "max", "config", "r9c", "r9d"]);
%% Not "all": whether memory can be locked depends on limits of the machine.
good(lpm) -> one(["no", "some"]);
good(dirty) -> one(["max", "0", "1", "2", "x"]).
