#!/bin/sh
# SPDX-License-Identifier: MIT
#
# dependency_test.sh SOURCES: a release of rebar3, and an application of mix, have provider/beam as a dependency:
# its libraries are built without network, and the module answers.  The release in embedded mode loads no library
# while it boots, so that it boots without them.  Of a copy of the sources, which has only what
# such a build may need.
set -u
sources=$1
# shellcheck source=../harness/checks.sh
. "$(dirname "$0")/../harness/checks.sh"
needs erl erlc cmake
command -v rebar3 >/dev/null || command -v mix >/dev/null || skip "there is neither rebar3 nor mix here"
plain_erl
export HOME="$work" LC_ALL=C.UTF-8 CSC_NIF_BUILD="$work/build" LTTNG_UST_REGISTER_TIMEOUT=0
# No network: no registry can be asked.
export http_proxy=http://127.0.0.1:9 https_proxy=http://127.0.0.1:9

mkdir -p "$work/copy/provider" "$work/rebar/src" "$work/rebar/_checkouts" "$work/mix/lib"
for part in CMakeLists.txt tp provider/beam provider/diag provider/lttng; do
	cp -R "$sources/$part" "$work/copy/$part"
done
beam=$work/copy/provider/beam
rm -rf "$beam/priv" "$beam/_build"

# answers HOW COMMAND...: the module is loaded with its libraries, those of the application's priv.
answers() {
	how=$1
	shift
	"$@" >"$work/out" 2>"$work/err" || fail "$how: exit status $?"
	: >"$work/err"
	grep -q 'hooked.*false' "$work/out" || fail "$how: carrierscope:info() answers $(cat "$work/out")"
	grep -q 'tracer.*true' "$work/out" || fail "$how: carrierscope_tracer is not loaded: $(cat "$work/out")"
}

if command -v rebar3 >/dev/null; then
	cat >"$work/rebar/src/app.app.src" <<-END
		{application, app, [{vsn, "1"}, {applications, [kernel, stdlib, carrierscope]}]}.
	END
	cat >"$work/rebar/rebar.config" <<-END
		{deps, [carrierscope]}.
		{relx, [{release, {app, "1"}, [app, sasl]}, {include_erts, false}, {dev_mode, false}]}.
	END
	ln -s "$beam" "$work/rebar/_checkouts/carrierscope"
	(cd "$work/rebar" && rebar3 release) >"$work/err" 2>&1 || fail "rebar3: exit status $?"
	[ -f "$beam/priv/carrierscope_nif.so" ] || fail "rebar3 built no library"
	: >"$work/err"
	release=$work/rebar/_build/default/rel/app
	answers 'the release' timeout 120 "$release/bin/app" foreground -noinput -eval '
		embedded = code:get_mode(),
		{ok, Maps} = file:read_file("/proc/self/maps"),
		nomatch = binary:match(Maps, [<<"carrierscope_nif.so">>, <<"carrierscope_tracer.so">>]),
		Info = carrierscope:info(),
		io:format("~0p~ntracer ~p~n", [Info, code:load_file(carrierscope_tracer) =:= {module, carrierscope_tracer}]),
		halt().'
	# It boots without its libraries, too.
	rm "$release"/lib/carrierscope-*/priv/*.so
	timeout 120 "$release/bin/app" foreground -noinput -eval '
		{error, "the library of carrierscope_nif is not loaded: " ++ _} = carrierscope:start(),
		io:format("refused~n"), halt().' >"$work/err" 2>&1
	grep -qx refused "$work/err" || fail 'a release without the libraries'
	: >"$work/err"
else
	echo 'SKIPPED in part: there is no rebar3 here'
fi

if command -v mix >/dev/null; then
	cat >"$work/mix/mix.exs" <<-END
		defmodule App.MixProject do
		  use Mix.Project
		  def project, do: [app: :app, version: "1.0.0", deps: [{:carrierscope, path: "$beam"}]]
		  def application, do: []
		end
	END
	rm -rf "$beam/priv"
	(cd "$work/mix" && mix compile) >"$work/err" 2>&1 || fail "mix: exit status $?"
	[ -f "$beam/priv/carrierscope_nif.so" ] || fail "mix built no library"
	: >"$work/err"
	cd "$work/mix" || exit 1
	answers mix mix run --no-compile -e '
		{:ok, _} = Application.ensure_all_started(:carrierscope)
		IO.inspect(:carrierscope.info())
		IO.puts("tracer #{Code.ensure_loaded?(:carrierscope_tracer)}")'
else
	echo 'SKIPPED in part: there is no mix here'
fi
ends
