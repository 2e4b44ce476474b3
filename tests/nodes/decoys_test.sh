#!/bin/sh
# SPDX-License-Identifier: MIT
# decoys_test.sh BEAM_DIR ERL_NIF_DIR LIBRARY... : the search for the table of allocators, on images that
# are like an emulator, by several compilers; and on such that must be refused.
. "$(dirname "$0")/../harness/main.sh"
beam=$1
nif=$2
shift 2
libraries=$*
cc=${CC:-cc}

# finds EXPECTED FLAG...: what the image compiled so prints.
finds() {
	expected=$1
	shift
	# shellcheck disable=SC2086
	$cc -fvisibility=hidden -D_GNU_SOURCE -isystem "$nif" -I "$beam" -I "$beam/../diag" "$@" "$here/decoy.c" -rdynamic \
		-o "$work/decoy" $libraries -ldl >"$work/log" 2>&1 ||
		{ fail "$cc $* does not compile: $(head -n 5 "$work/log")"; return; }
	[ -z "${stripped:-}" ] || strip --strip-all "$work/decoy"
	got=$("$work/decoy" 2>&1)
	[ $? -eq 0 ] && [ "$got" = "$expected" ] || fail "$cc $* ${stripped:-}
  expected: $expected
  got:      $got"
}

twelve='searched: 12 functions, 9 sets of instances'
for cc in gcc clang; do
	command -v $cc >/dev/null || { echo "there is no $cc here"; continue; }
	for optimised in -O0 -O1 -O2 -Os; do
		stripped=
		finds "$twelve and the symbols of its file agree" $optimised -fPIE -pie
		stripped=stripped
		finds "$twelve agree" $optimised -fPIE -pie -Wl,-z,relro,-z,now
		finds "$twelve agree" $optimised -fno-pie -no-pie -Wl,-z,norelro
		# Through the global offset table.
		finds "$twelve agree" $optimised -fPIC -pie -fvisibility=default -fsemantic-interposition
	done
done
finds 'searched: 12 functions, 0 sets of instances agree' -O2 -DDECOY_NO_SETS
finds 'searched: 0 functions, 9 sets of instances agree' -O2 -DDECOY_NO_CODE

# Refused.
hides='the emulator hides its symbols, and'
finds "$hides neither its functions nor its instances confirm the table of allocators that was found" \
	-O2 -DDECOY_NO_CODE -DDECOY_NO_SETS
finds "$hides neither its functions nor its instances confirm the table of allocators that was found" \
	-O2 -DDECOY_NO_CODE -DDECOY_SETS_APART
finds "$hides has 2 tables of allocators, where one was expected" -O2 -DDECOY_TWO_TABLES
finds "$hides has 0 tables of allocators, where one was expected" -O2 -DDECOY_OUTSIDE
finds "$hides has 0 tables of allocators, where one was expected" -O2 -DDECOY_LONGER
finds "$hides 12 of its functions use another table of allocators than the one that was found" \
	-O2 -DDECOY_OTHER_IS_USED
finds "$hides has 2 lists of block types, where one was expected" -O2 -DDECOY_TWO_WORDS
finds "$hides has 0 lists of names that begin with 'invalid_allocator', where one was expected" \
	-O2 -DDECOY_MOVED_ANCHOR
finds "$hides has 2 lists of names that begin with 'invalid_allocator', where one was expected" \
	-O2 -DDECOY_TWO_NAMES
stripped=
finds "$hides its file says that the table of allocators is not where it was found" \
	-O2 -DDECOY_SYMBOL_ELSEWHERE
ends
