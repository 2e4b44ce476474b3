#!/bin/sh
# SPDX-License-Identifier: MIT
#
# hex_test.sh SOURCES: provider/beam as a package of hex: made and taken apart by the library of hex that is in rebar3 (hex's own
# tasks of mix come from its registry alone), with what hex asks of metadata; from its files, without a C compiler and
# cmake, rebar3 and mix build an application that reads a node.
. "$(dirname "$0")/../harness/main.sh"
sources=$1
needs erl escript rebar3
plain_erl
export HOME="$work" LC_ALL=C.UTF-8 LTTNG_UST_REGISTER_TIMEOUT=0
export http_proxy=http://127.0.0.1:9 https_proxy=http://127.0.0.1:9

# All programs of this machine but those that compile C.
mkdir "$work/programs"
for folder in /usr/local/bin /usr/bin /bin; do
	for program in "$folder"/*; do
		case ${program##*/} in
		cmake* | cc | gcc* | c++* | c[89]9* | g++* | clang* | *-gcc* | *-g++* | ninja | make | gmake) ;;
		*) [ -e "$work/programs/${program##*/}" ] || ln -s "$program" "$work/programs" ;;
		esac
	done
done
export PATH="$work/programs"
! command -v cmake && ! command -v cc && ! command -v gcc || fail 'a C compiler is left'

cat >"$work/make.escript" <<'END'
#!/usr/bin/env escript
main([Rebar, Folder, Work]) ->
    {ok, Parts} = escript:extract(Rebar, []),
    {ok, _} = zip:unzip(proplists:get_value(archive, Parts), [{cwd, Work ++ "/rebar"}]),
    true = code:add_patha(Work ++ "/rebar/rebar/ebin"),
    {ok, [{application, Name, Keys}]} = file:consult(Folder ++ "/src/carrierscope.app.src"),
    [Description, Version, Licenses, Links, Names] = [proplists:get_value(Key, Keys) || Key <- [description, vsn, licenses, links, files]],
    %% What hex.pm refuses, by its documentation: no description or a long one, no version of semver, no licence, links that are no pairs.
    true = length(Description) > 0 andalso length(Description) =< 300,
    {match, _} = re:run(Version, "^[0-9]+[.][0-9]+[.][0-9]+$"),
    ["MIT"] = Licenses,
    true = is_list(Links),
    Files = lists:append([found(Folder, File) || File <- Names]),
    Metadata = #{<<"name">> => atom_to_binary(Name, utf8), <<"app">> => atom_to_binary(Name, utf8), <<"version">> => list_to_binary(Version),
                 <<"description">> => list_to_binary(Description), <<"licenses">> => [list_to_binary(L) || L <- Licenses], <<"links">> => maps:from_list(Links),
                 <<"build_tools">> => [<<"rebar3">>, <<"mix">>], <<"requirements">> => #{}, <<"files">> => [list_to_binary(F) || {F, _} <- Files]},
    {ok, #{tarball := Tarball, inner_checksum := Checksum}} = r3_hex_tarball:create(Metadata, Files),
    true = byte_size(Tarball) < 8 * 1024 * 1024,
    {ok, #{inner_checksum := Checksum, metadata := #{<<"name">> := <<"carrierscope">>, <<"licenses">> := [<<"MIT">>]}}} =
        r3_hex_tarball:unpack(Tarball, Work ++ "/carrierscope"),
    io:format("~b files, ~b bytes~n", [length(Files), byte_size(Tarball)]).

found(Folder, Name) ->
    Path = filename:join(Folder, Name),
    case filelib:is_dir(Path) of
        true -> {ok, Inner} = file:list_dir(Path), lists:append([found(Folder, filename:join(Name, File)) || File <- lists:sort(Inner)]);
        false -> true = filelib:is_regular(Path), [{Name, Path}]
    end.
END
escript "$work/make.escript" "$(command -v rebar3 | xargs readlink -f)" "$sources/provider/beam" "$work" >"$work/out" 2>"$work/err" ||
	fail "no package is made: $(cat "$work/out")"
cat "$work/out"
(cd "$sources/provider/beam" && find . -name '*.erl' -o -name '*.ex' | sort) >"$work/modules"
(cd "$work/carrierscope" && find . -name '*.erl' -o -name '*.ex' | sort) | diff "$work/modules" - >"$work/err" || fail 'the package lacks modules'
: >"$work/err"

# What an application that has only this can say of its node.
reads='
	{error, "the library of carrierscope_nif is not loaded" ++ _} = carrierscope:start(),
	[#{mib := MiB} | _] = carrierscope:holders(3), true = MiB > 0,
	[#{usage := _} | _] = carrierscope:fragmentation(),
	{ok, _} = carrierscope:record(#{seconds => 1, file => "run.csp"}),
	{ok, {docs_v1, _, _, _, _, _, [_ | _]}} = code:get_doc(carrierscope),
	io:format("reads~n"), halt().'

mkdir -p "$work/app/src" "$work/app/_checkouts"
cd "$work/app" || exit 1
echo '{application, app, [{vsn, "1"}, {applications, [kernel, stdlib, carrierscope]}]}.' >src/app.app.src
echo '{deps, [carrierscope]}.' >rebar.config
cp -R "$work/carrierscope" _checkouts/carrierscope
rebar3 compile >"$work/log" 2>&1 || fail "rebar3 does not build the package: $(cat "$work/log")"
grep -q 'carrierscope: its libraries are not built: .*; it reads nodes, and hooks none$' "$work/log" || fail "what is missing is not said: $(cat "$work/log")"
ERL_LIBS=$work/app/_build/default/checkouts timeout 400 erl -noinput -eval "$reads" >"$work/out" 2>&1
grep -qx reads "$work/out" || fail "built by rebar3, it does not read a node: $(cat "$work/out")"

if command -v mix >/dev/null; then
	mkdir -p "$work/mix/lib"
	cd "$work/mix" || exit 1
	cat >mix.exs <<-END
		defmodule App.MixProject do
		  use Mix.Project
		  def project, do: [app: :app, version: "1.0.0", deps: [{:carrierscope, path: "../carrierscope"}]]
		  def application, do: []
		end
	END
	mix compile >"$work/log" 2>&1 || fail "mix does not build the package: $(cat "$work/log")"
	# What the guide says to type in iex, with seconds for minutes; Kino is not here.
	sed -n '/^## In iex/,/^## /{/^```elixir/,/^```/p}' "$sources/analyzer/guide/elixir.md" | grep '^Carrierscope' | grep -v 'start\|stop' |
		sed "s,seconds: 60,seconds: 1,; s,/tmp/node[.]csp,$work/node.csp,; s/^/IO.inspect(/; s/\$/, label: \"typed\")/" >"$work/typed.exs"
	[ "$(grep -c Carrierscope "$work/typed.exs")" -ge 5 ] || fail "the guide has only $(cat "$work/typed.exs")"
	timeout 400 mix run --no-compile "$work/typed.exs" >"$work/out" 2>&1
	[ "$(grep -c '^typed: [{[]' "$work/out")" = "$(grep -c . "$work/typed.exs")" ] && ! grep -q 'typed: {:error' "$work/out" ||
		fail "what the guide of Elixir has is not answered: $(cat "$work/out")"
	timeout 400 mix run --no-compile -e '
		{:error, "the library of carrierscope_nif is not loaded" <> _} = Carrierscope.start()
		for what <- [:holders, :fragmentation] do
		  rows = [first | _] = Carrierscope.table(what)
		  true = Enum.all?(rows, &(Map.keys(&1) == Map.keys(first)))
		  true = Enum.all?(rows, fn row -> Enum.all?(Map.values(row), &(is_number(&1) or is_binary(&1) or is_atom(&1))) end)
		end
		true = is_list(Carrierscope.table(:growth))
		{:ok, sentence, %{class: class}} = Carrierscope.verdict(seconds: 5, file: "verdict.csp")
		true = String.starts_with?(sentence, String.upcase(to_string(class)) <> ": ")
		{:error, "there is no library telemetry" <> _} = Carrierscope.telemetry() |> then(fn {:error, s} -> {:error, to_string(s)} end)
		{:docs_v1, _, :elixir, _, _, _, docs} = Code.fetch_docs(Carrierscope)
		[] = for {{:function, name, _}, _, _, :none, _} <- docs, do: name
		{:docs_v1, _, :erlang, _, _, _, _} = Code.fetch_docs(:carrierscope)
		IO.puts("reads")' >"$work/out" 2>&1
	grep -qx reads "$work/out" || fail "built by mix, it does not read a node: $(cat "$work/out")"
	# What mix makes of its description, hex packs.
	(cd "$work/carrierscope" && timeout 400 mix run --no-compile --no-start -e '
		package = Mix.Project.config()[:package]
		{:ok, [{_, _, keys}]} = :file.consult("src/carrierscope.app.src")
		true = package[:files] == Enum.map(keys[:files], &to_string/1)
		["MIT"] = package[:licenses]
		true = is_map(package[:links])
		IO.puts("the same")') >"$work/out" 2>&1
	grep -qx 'the same' "$work/out" || fail "mix has another package: $(cat "$work/out")"
else
	echo 'SKIPPED: there is no mix here; rebar3 alone was tried'
fi
ends
