#!/bin/sh
# SPDX-License-Identifier: MIT
#
# build-libraries.sh: builds the libraries of Erlang nodes into priv beside it, for the Erlang that runs it.
# What rebar.config and mix.exs call.  Needs the sources around this folder, a C compiler, cmake, ninja or make, and liblttng-ust-dev.
# Where one of these is missing it says so and succeeds: a node without libraries is read, but not hooked.
# CSC_NIF_BUILD names the folder that it builds in; without it that is build/nif-VERSION of the sources.
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
readings_only() {
	echo "carrierscope: $*; it reads nodes, and hooks none" >&2
	exit 0
}
sources=$(cd "$here/../.." && pwd -P)
[ -f "$sources/provider/beam/nif.c" ] && [ "$(cd "$sources/provider/beam" && pwd -P)" = "$here" ] ||
	readings_only "its libraries are not built: the sources around $here are missing"
for tool in cmake erl erlc; do
	command -v "$tool" >/dev/null || readings_only "its libraries are not built: there is no $tool"
done
answers=$(erl -noinput -eval '
	io:format("~ts ~s", [code:root_dir(), erlang:system_info(nif_version)]), halt().')
root=${answers% *}
build=${CSC_NIF_BUILD:-$sources/build/nif-${answers##* }}

log=$build/build-libraries.log
mkdir -p "$build"
if ! {
	cmake -S "$sources" -B "$build" -DCMAKE_BUILD_TYPE=Release -DCSC_ONLY_BEAM=ON -DBUILD_TESTING=OFF \
		-DCSC_ERLANG_ROOT="$root" -DCSC_ERL_NIF_DIR="$root/usr/include" &&
		cmake --build "$build" --target carrierscope_nif carrierscope_tracer
} >"$log" 2>&1; then
	tail -n 20 "$log" >&2
	readings_only "its libraries cannot be built; all of the output is in $log"
fi
mkdir -p "$here/priv"
for library in carrierscope_nif carrierscope_tracer; do
	file=$build/provider/beam/ebin/$library.so
	# A library that a node has mapped is not written to, but replaced.
	cmp -s "$file" "$here/priv/$library.so" || {
		cp "$file" "$here/priv/.$library.so"
		mv "$here/priv/.$library.so" "$here/priv/$library.so"
	}
done
