#!/bin/sh
# SPDX-License-Identifier: MIT
#
# dependency_test.sh SOURCES: an application of rebar3, and one of mix, has provider/beam as a dependency: its
# libraries are built without network, and the module answers.  Of a copy of the sources, which has only what
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
	echo '{deps, [carrierscope]}.' >"$work/rebar/rebar.config"
	ln -s "$beam" "$work/rebar/_checkouts/carrierscope"
	(cd "$work/rebar" && rebar3 compile) >"$work/err" 2>&1 || fail "rebar3: exit status $?"
	[ -f "$beam/priv/carrierscope_nif.so" ] || fail "rebar3 built no library"
	: >"$work/err"
	answers rebar3 erl -noinput -pa "$work"/rebar/_build/default/*/carrierscope/ebin -eval '
		{ok, _} = application:ensure_all_started(carrierscope),
		io:format("~0p~ntracer ~p~n", [carrierscope:info(), code:ensure_loaded(carrierscope_tracer) =:=
			{module, carrierscope_tracer}]), halt().'
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
