%% SPDX-License-Identifier: MIT
%% Those that grow, one for each mechanism.  Each follows two lines over time, of bytes added and of bytes
%% dropped since the beginning (lines/2), in objects of one size, oldest first, and counts what it has.
-module(growth_grower).
-export([prepared/1, overhead/2, term/2, nif_more/2, nif_less/1]).
%% Initial calls, the names of groups.
-export([holder/1, order_worker/1, session_worker/1, cart_worker/1, frame_reader/1, line_parser/1, packet_decoder/1,
         relay/1, proxy/1, forwarder/1, consumer/1]).

-define(WORKERS, 200).
%% Workers collect their garbage some times before they grow: what their heaps take then is no growth.
-define(WARM_MS, 5000).
%% Binaries of 100 KB that a process may have touched before it collects its garbage by itself.
-define(TOUCHES, 3).

%% The least that a byte of payload may take in the runtime, the most, and bytes more for each object.  Heaps are copied,
%% with room for what comes; binaries, rows, messages and timers have heads, and their allocator's.  Growth
%% that was touched and not kept is there until somebody collects it; code of modules is machine code, outside
%% the allocators where there is a JIT.
overhead(process, _) -> {1, 2.5, 0};
overhead(group, _) -> {1, 3, 0};
overhead(table, _) -> {1, 1.15, 200};
overhead(bintable, _) -> {1, 1.1, 300};
overhead(mailbox, 1) -> {1, 2.5, 300};
overhead(mailbox, 2) -> {1, 1.1, 400};
overhead(timers, _) -> {1, 1.15, 400};
overhead(atoms, _) -> {1, 1.3, 150};
overhead(modules, _) -> {0.5, 4, 0};
overhead(literals, _) -> {1, 1.2, 250};
overhead(nif, _) -> {0.98, 1.1, 8192};
overhead(pieces, _) -> {1, 1.1, 300};
overhead(uncollected, _) -> {0.9, 1.1, 1000};
overhead(nobody, _) -> {1, 1, 0}.

%% {Truth, Starts}: lines of the truth's head, and a function that begins the growth.
prepared(#{who := nobody}) ->
    {names("-", "-", "-", "-"), fun(_) -> ok end};
prepared(#{who := Who, name := N} = Cell) when Who =:= group; Who =:= pieces ->
    Names = case Who of
        group -> {order_worker, session_worker, cart_worker};
        pieces -> {frame_reader, line_parser, packet_decoder}
    end,
    Function = element(N, Names),
    Size = case Who of
        group -> term_bytes(256 + size(Cell, 512));
        pieces -> 20480
    end,
    {names(atom_to_list(Function), "group", mechanism(Who), "heap"),
     fun(Begin) ->
         [spawns(Cell, Function, grower(Cell#{fewer => ?WORKERS, function => Function, tick => 400 + Worker, late => Worker / ?WORKERS},
                                       Size, Begin + ?WARM_MS)) ||
             Worker <- lists:seq(1, ?WORKERS)],
         timer:sleep(?WARM_MS)
     end};
prepared(#{who := uncollected, name := N, rate := Rate, seconds := D} = Cell) ->
    Function = element(N, {relay, proxy, forwarder}),
    Processes = max(60, Rate * (D + 25) div (?TOUCHES * 102400)),
    {names(atom_to_list(Function), "group", "uncollected", "binary"),
     fun(Begin) ->
         Relays = [spawn(?MODULE, Function, [#{}]) || _ <- lists:seq(1, Processes)],
         spawn(?MODULE, holder, [(grower(Cell, 102400, Begin))#{name => none, relays => list_to_tuple(Relays)}])
     end};
prepared(#{who := Who, name := N, kind := Of} = Cell) ->
    Name = element(N, {ledger, cart_keeper, price_index}),
    Table = element(N, {sessions, presence, route_cache}),
    Size = case Who of
        process -> term_bytes(512 + size(Cell, 4096));
        table -> term_bytes(256 + size(Cell, 2048));
        bintable -> 1024 + size(Cell, 8192);
        mailbox -> term_bytes(512 + size(Cell, 2048));
        timers -> term_bytes(1024 + size(Cell, 4096));
        atoms -> 200;
        modules -> 1;
        literals -> term_bytes(2048 + size(Cell, 8192));
        nif -> element(N, {16384, 65536, 262144})
    end,
    G = (grower(Cell, Size, 0))#{name => Name, table => Table},
    {Shown, Kind, Type} = case Who of
        process -> {atom_to_list(Name), "process", "heap"};
        table -> {atom_to_list(Table), "table", "ets"};
        bintable -> {atom_to_list(Table), "table", "binary"};
        mailbox when Of =:= 1 -> {atom_to_list(Name), "process|queue", "message"};
        mailbox -> {atom_to_list(Name), "process|queue", "binary"};
        timers -> {atom_to_list(Name) ++ "|timer", "process|nobody", "message"};
        atoms -> {"", "atoms", "atom"};
        modules -> {"", "code", "code"};
        literals -> {"", "code", "literal"};
        nif -> {"", "outside", "-"}
    end,
    {names(Shown, Kind, mechanism(Who), Type), fun(Begin) -> starts(G#{begin_ms => Begin}) end}.

names(Who, Kind, Mechanism, Type) ->
    [{"who", Who}, {"kind", Kind}, {"mechanism", Mechanism}, {"type", Type}].

mechanism(process) -> "state";
mechanism(group) -> "state";
mechanism(bintable) -> "table_of_binaries";
mechanism(literals) -> "modules";
mechanism(nif) -> "outside";
mechanism(Who) -> atom_to_list(Who).

grower(#{who := Who, rate := Rate, counters := Counters} = Cell, Size, Begin) ->
    #{who => Who, size => Size, counters => Counters, begin_ms => Begin, cell => Cell,
      rate => Rate / maps:get(fewer, Cell, 1), tick => maps:get(tick, Cell, 50),
      %% Of many workers not all make an object at once.
      late => maps:get(late, Cell, 0), function => maps:get(function, Cell, holder), name => none,
      added => 0, dropped => 0, held => queue:new(), lives => 1}.

size(#{size := Share}, Bytes) -> round(Share * Bytes).

starts(#{who := table, table := Table} = G) ->
    spawn(?MODULE, holder, [G#{opens => Table}]);
%% The table is another one's than who makes the rows' binaries.
starts(#{who := bintable, table := Table, name := Name} = G) ->
    spawn(?MODULE, holder, [(idle(G))#{opens => Table, name => list_to_atom(atom_to_list(Name) ++ "_store")}]),
    timer:sleep(200),
    spawn(?MODULE, holder, [G#{name => parser}]);
starts(#{who := mailbox} = G) ->
    Consumer = spawn(?MODULE, consumer, [G]),
    spawn(?MODULE, holder, [G#{name => producer, consumer => Consumer}]);
starts(#{who := nif, cell := #{nif := Nif}} = G) ->
    ok = erlang:load_nif(Nif, 0),
    spawn(?MODULE, holder, [G]);
starts(#{who := modules} = G) ->
    {Beam, Text} = template(),
    %% What one takes is seen of the first.
    Before = erlang:memory(code),
    [loads(Beam, Text, N) || N <- lists:seq(90000001, 90000005)],
    Size = (erlang:memory(code) - Before) div 5,
    spawn(?MODULE, holder, [G#{template => {Beam, Text}, size => Size, begin_ms => erlang:monotonic_time(millisecond)}]);
starts(G) ->
    spawn(?MODULE, holder, [G]).

idle(#{cell := Cell} = G) ->
    G#{who => nobody, cell => Cell#{shape => steady}, rate => 0}.

%% Registered, if it has a name.
holder(#{name := Name} = G) ->
    Name =:= none orelse register(Name, self()),
    case G of
        #{opens := Table} -> Table = ets:new(Table, [named_table, public]);
        #{} -> ok
    end,
    loop(maps:remove(opens, G)).

order_worker(G) -> loop(G).
session_worker(G) -> loop(G).
cart_worker(G) -> loop(G).
frame_reader(G) -> loop(G).
line_parser(G) -> loop(G).
packet_decoder(G) -> loop(G).
relay(G) -> relays(G).
proxy(G) -> relays(G).
forwarder(G) -> relays(G).

%% Receives when it is told to, the oldest first, and counts itself: it may be late.
consumer(#{name := Name} = G) ->
    Name =:= none orelse register(Name, self()),
    receive
        {drop, N} ->
            [receive {job, _, _} -> ok end || _ <- lists:seq(1, N)],
            erlang:garbage_collect(),
            gone(N, G)
    end,
    consumer(G#{name => none}).

%% Touches a large binary and keeps nothing of it.
relays(G) ->
    receive
        {touch, Size} -> touches(Size);
        collect -> erlang:garbage_collect()
    end,
    relays(G).

touches(Size) ->
    Binary = binary:copy(<<3>>, Size),
    binary:at(Binary, Size - 1).

loop(#{tick := Tick, begin_ms := Begin} = G) ->
    timer:sleep(case erlang:monotonic_time(millisecond) < Begin of true -> min(20, Tick); false -> Tick end),
    loop(follows(G)).

follows(#{begin_ms := Begin, size := Size, late := Late, added := Added, dropped := Dropped} = G) ->
    Seconds = (erlang:monotonic_time(millisecond) - Begin) / 1000,
    {Up, Down} = lines(G, Seconds),
    %% No more than has come.
    More = max(0, trunc(Up / Size + Late) - Added),
    Less = max(0, min(trunc(Down / Size + Late * sign(Down)), Added + More) - Dropped),
    More1 = min(More, 20000),
    lives(drops(min(Less, Added + More1 - Dropped), adds(More1, G)), Seconds).

sign(Down) when Down > 0 -> 1;
sign(_) -> 0.

%% Bytes that were added, and dropped, so many seconds after the beginning.  The recording begins some seconds later.
lines(#{rate := Rate, cell := #{shape := Shape, period := Period, seconds := D} = Cell}, Seconds) ->
    Up = Rate * Seconds,
    case Shape of
        sawtooth -> {Up, Rate * Period * trunc(Seconds / Period)};
        steps -> {Rate * Period * trunc(Seconds / Period), 0};
        cache -> {Up, max(0, Up - Rate * D * maps:get(full, Cell))};
        ended -> {Rate * min(Seconds, 3 + D * maps:get(ends, Cell)), 0};
        fills ->
            Full = 3 + D * maps:get(ends, Cell),
            Left = max(0, 1 - Seconds / Full),
            {Rate * Full * (1 - Left * Left), 0};
        _ -> {Up, 0}
    end.

%% Owners that change: who has held it for a period hands all over to another one, and dies.
lives(#{cell := #{shape := owners, period := Period} = Cell, lives := Lives, name := Name, function := Function} = G,
      Seconds) ->
    %% Of a group not all at once.
    Late = erlang:phash2(self(), 1000) / 1000 * Period,
    IsOver = Seconds > Period * Lives + if Name =:= none -> Late; true -> 0 end,
    if
        IsOver ->
            Name =:= none orelse unregister(Name),
            Pid = spawns(Cell, Function, G#{lives => Lives + 1}),
            case G of
                #{who := table, table := Table} -> ets:give_away(Table, Pid, []);
                #{} -> ok
            end,
            exit(normal);
        true -> G
    end;
lives(G, _) -> G.

%% By itself, or as a behaviour is.
spawns(#{kind := 1}, Function, G) -> spawn(?MODULE, Function, [G]);
spawns(#{kind := 2}, Function, G) -> proc_lib:spawn(?MODULE, Function, [G]).

adds(0, G) -> G;
adds(N, #{who := Who, added := Added, held := Held, counters := Counters, size := Size} = G) ->
    Bytes = counted(Who, Size),
    counters:add(Counters, 1, Bytes),
    counters:add(Counters, 2, 1),
    adds(N - 1, G#{added => Added + 1, held => add(Who, G, Added + 1, Held)}).

%% A tenth of what there is at once, and then no garbage is left of it.
drops(0, G) -> G;
drops(N, #{added := Added, dropped := Dropped} = G) when N * 10 < Added - Dropped -> G;
drops(N, #{who := Who, held := Held, dropped := Dropped} = G) ->
    After = drop(Who, G, N, Dropped, Held),
    Who =:= mailbox orelse gone(N, G),
    G1 = G#{dropped => Dropped + N, held => After},
    erlang:garbage_collect(),
    G1.

gone(N, #{who := Who, size := Size, counters := Counters}) ->
    counters:sub(Counters, 1, N * counted(Who, Size)),
    counters:sub(Counters, 2, N).

%% Of modules the runtime counts.
counted(modules, _) -> 0;
counted(_, Size) -> Size.

add(Who, #{size := Size}, N, Held) when Who =:= process; Who =:= group ->
    queue:in(term(Size, N), Held);
add(pieces, #{size := Size}, N, Held) ->
    queue:in(binary:part(binary:copy(<<N:32>>, Size div 4), N rem 1000, 100), Held);
add(table, #{size := Size, table := Table}, N, Held) ->
    true = ets:insert(Table, {N, term(Size, N)}),
    Held;
add(bintable, #{size := Size, table := Table}, N, Held) ->
    true = ets:insert(Table, {N, binary:copy(<<N:8>>, Size)}),
    Held;
add(mailbox, #{size := Size, consumer := Consumer, cell := #{kind := 1}}, N, Held) ->
    Consumer ! {job, N, term(Size, N)},
    Held;
add(mailbox, #{size := Size, consumer := Consumer}, N, Held) ->
    Consumer ! {job, N, binary:copy(<<N:8>>, Size)},
    Held;
add(timers, #{size := Size, cell := #{shape := Shape}}, N, Held) ->
    Timer = erlang:send_after(7200000, self(), {expires, N, term(Size, N)}),
    if
        Shape =:= sawtooth; Shape =:= cache -> queue:in(Timer, Held);
        true -> Held
    end;
add(atoms, #{size := Size}, N, Held) ->
    Text = list_to_binary(io_lib:format("~b_~*..0b", [erlang:unique_integer([positive]), Size - 20, N])),
    _ = binary_to_atom(binary:part(<<Text/binary, 0:160>>, 0, Size), latin1),
    Held;
add(modules, #{template := {Beam, Text}}, N, Held) ->
    loads(Beam, Text, N),
    Held;
add(literals, #{size := Size, name := Name}, N, Held) ->
    persistent_term:put({Name, N}, term(Size, N)),
    Held;
add(nif, #{size := Size}, N, Held) ->
    ok = nif_more(N, Size),
    Held;
add(uncollected, #{size := Size, relays := Relays}, N, Held) ->
    element((N - 1) rem tuple_size(Relays) + 1, Relays) ! {touch, Size},
    Held.

drop(table, #{table := Table}, N, Dropped, Held) ->
    [ets:delete(Table, Key) || Key <- lists:seq(Dropped + 1, Dropped + N)],
    Held;
drop(bintable, G, N, Dropped, Held) ->
    drop(table, G, N, Dropped, Held);
drop(mailbox, #{consumer := Consumer}, N, _, Held) ->
    Consumer ! {drop, N},
    Held;
drop(timers, _, N, _, Held) ->
    {Old, New} = queue:split(N, Held),
    [erlang:cancel_timer(Timer) || Timer <- queue:to_list(Old)],
    New;
drop(nif, _, N, _, Held) ->
    ok = nif_less(N),
    Held;
drop(uncollected, #{relays := Relays}, _, _, Held) ->
    [Relay ! collect || Relay <- tuple_to_list(Relays)],
    Held;
drop(_, _, N, _, Held) ->
    element(2, queue:split(N, Held)).

%% Terms of 64 bytes for each element, none of them a literal.
term(Bytes, N) ->
    [{N, I, [I | N]} || I <- lists:seq(1, Bytes div 64)].

term_bytes(Bytes) -> Bytes div 64 * 64.

%% A module with functions of their own atoms and some code; its name is replaced in each copy.
template() ->
    Name = "growth_module_00000000",
    Functions = [list_to_atom("f" ++ integer_to_list(N)) || N <- lists:seq(1, 40)],
    Forms = [{attribute, 1, module, list_to_atom(Name)},
             {attribute, 1, export, [{Function, 1} || Function <- Functions]} |
             [{function, 1, Function, 1, [{clause, 1, [{var, 1, 'X'}], [], [body(Function)]}]} ||
                 Function <- Functions]],
    {ok, _, Beam} = compile:forms(Forms, [no_auto_import]),
    {Beam, list_to_binary(Name)}.

body(Function) ->
    {'case', 1, {var, 1, 'X'},
     [{clause, 1, [{integer, 1, N}], [], [{tuple, 1, [{atom, 1, Function}, {integer, 1, N}, {string, 1, "text"}]}]} ||
         N <- lists:seq(1, 20)] ++ [{clause, 1, [{var, 1, '_'}], [], [{atom, 1, none}]}]}.

loads(Beam, Text, N) ->
    Name = list_to_binary(io_lib:format("growth_module_~8..0b", [N])),
    {module, _} = code:load_binary(binary_to_atom(Name), "growth",
                                   binary:replace(Beam, Text, Name, [global])).

%% growth_nif.c: one more piece of so many bytes; the oldest pieces go.
nif_more(_, _) -> erlang:nif_error(not_loaded).
nif_less(_) -> erlang:nif_error(not_loaded).
