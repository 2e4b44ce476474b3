#!/bin/sh
# SPDX-License-Identifier: MIT
#
# build-libraries.sh: builds the libraries of Erlang nodes into priv beside it, for the Erlang that runs it.
# What rebar.config and mix.exs call.  Needs a C compiler, cmake, ninja or make, and liblttng-ust-dev.
# CSC_NIF_BUILD names the folder that it builds in; without it that is build/nif-VERSION of the sources.
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
sources=$(cd "$here/../.." && pwd -P)
for tool in cmake erl erlc; do
	command -v "$tool" >/dev/null || {
		echo "carrierscope: its libraries cannot be built: there is no $tool" >&2
		exit 1
	}
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
	echo "carrierscope: its libraries cannot be built; all of the output is in $log" >&2
	exit 1
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
