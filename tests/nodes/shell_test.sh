#!/bin/sh
# SPDX-License-Identifier: MIT
# shell_test.sh CARRIERSCOPE SUITE SOURCES: what is typed in the shell of a node of another Debian suite, whose own compiler has
# compiled the modules, without a warning.
. "$(dirname "$0")/../harness/main.sh"
tests_program "$1"
suite=$2 sources=$3
folder=$(sh "$(dirname "$0")/fetch.sh" "$suite" amd64) || {
	echo "$folder"
	exit 77
}
plain_erl
mkdir "$work/ebin" "$work/test"
compiles() {
	# shellcheck disable=SC2016
	"$folder/erl" -noinput -eval '
		[Folder | Files] = init:get_plain_arguments(),
		[{ok, _} = compile:file(File, [debug_info, report, warnings_as_errors, {outdir, Folder}]) || File <- Files], halt().' \
		-extra "$@" >"$work/out" 2>&1 || fail "$suite does not compile: $(cat "$work/out")"
}
compiles "$work/ebin" "$sources"/provider/beam/carrierscope*.erl "$sources"/provider/beam/push/*.erl "$sources"/provider/beam/shell/*.erl
compiles "$work/test" "$sources/tests/beam/beam_shell.erl"
sh "$sources/tests/beam/shell.sh" "$folder/erl" "$work/ebin" "$work/test" "$program" binaries table idle fragmented answers ||
	fail "in the shell of $suite"
ends
