#!/bin/sh
# SPDX-License-Identifier: MIT
#
# dependency_test.sh rebar3|mix SOURCES FOLDER: a release of rebar3, or an application of mix, has provider/beam
# as a dependency: its libraries are built without network, and the module answers.  The release, in embedded
# mode, loads no library while it boots, so it boots without them.  FOLDER has a copy of the sources, of only
# what such a build needs, and what was built of it; both tools share it.
. "$(dirname "$0")/../harness/main.sh"
tool=$1
sources=$2
copy=$3/copy
needs erl erlc cmake "$tool"
plain_erl
export HOME="$work" LC_ALL=C.UTF-8 CSC_NIF_BUILD="$3/build" LTTNG_UST_REGISTER_TIMEOUT=0
# No network: no registry can be asked.
export http_proxy=http://127.0.0.1:9 https_proxy=http://127.0.0.1:9

# With their times, so that nothing is built twice.
rm -rf "$copy"
mkdir -p "$copy/provider"
for part in CMakeLists.txt tp provider/beam provider/diag provider/lttng; do
	cp -Rp "$sources/$part" "$copy/$part"
done
beam=$copy/provider/beam
rm -rf "$beam/priv" "$beam/_build"

# compiles COMMAND...: and the libraries are there then.
compiles() {
	"$@" >"$work/err" 2>&1 || fail "$*: exit status $?"
	[ -f "$beam/priv/carrierscope_nif.so" ] || fail "$*: built no library"
	: >"$work/err"
}

# answers COMMAND...: prints carrierscope:info(), and "tracer true" if that module was loaded with its library.
answers() {
	timeout 300 "$@" >"$work/out" 2>"$work/err" || fail "$tool: the node ends with $?: $(cat "$work/out")"
	: >"$work/err"
	grep -q 'hooked.*false' "$work/out" || fail "$tool: carrierscope:info() answers $(cat "$work/out")"
	grep -q 'tracer.*true' "$work/out" || fail "$tool: carrierscope_tracer is not loaded: $(cat "$work/out")"
}

case $tool in
rebar3)
	mkdir -p "$work/app/src" "$work/app/_checkouts"
	cd "$work/app" || exit 1
	cat >src/app.app.src <<-END
		{application, app, [{vsn, "1"}, {applications, [kernel, stdlib, carrierscope]}]}.
	END
	cat >rebar.config <<-END
		{deps, [carrierscope]}.
		{relx, [{release, {app, "1"}, [app, sasl]}, {include_erts, false}, {dev_mode, false}]}.
	END
	ln -s "$beam" _checkouts/carrierscope
	compiles rebar3 release
	release=_build/default/rel/app
	answers "$release/bin/app" foreground -noinput -eval '
		embedded = code:get_mode(),
		{ok, Maps} = file:read_file("/proc/self/maps"),
		nomatch = binary:match(Maps, [<<"carrierscope_nif.so">>, <<"carrierscope_tracer.so">>]),
		Info = carrierscope:info(),
		io:format("~0p~ntracer ~p~n", [Info, code:load_file(carrierscope_tracer) =:= {module, carrierscope_tracer}]),
		halt().'
	rm "$release"/lib/carrierscope-*/priv/*.so
	timeout 300 "$release/bin/app" foreground -noinput -eval '
		{error, "the library of carrierscope_nif is not loaded: " ++ _} = carrierscope:start(),
		io:format("refused~n"), halt().' >"$work/err" 2>&1
	grep -qx refused "$work/err" || fail 'the release does not boot without the libraries'
	: >"$work/err"
	;;
mix)
	mkdir -p "$work/app/lib"
	cd "$work/app" || exit 1
	cat >mix.exs <<-END
		defmodule App.MixProject do
		  use Mix.Project
		  def project, do: [app: :app, version: "1.0.0", deps: [{:carrierscope, path: "$beam"}]]
		  def application, do: []
		end
	END
	compiles mix compile
	answers mix run --no-compile -e '
		{:ok, _} = Application.ensure_all_started(:carrierscope)
		IO.inspect(:carrierscope.info())
		IO.puts("tracer #{Code.ensure_loaded?(:carrierscope_tracer)}")'
	;;
esac
ends
