#!/bin/sh
# SPDX-License-Identifier: MIT
#
# make_test.sh BUILD MADE: makes the packages of BUILD in the folder MADE.
. "$(dirname "$0")/../harness/main.sh"
build=$1
made=$2
needs cpack dpkg-shlibdeps file
rm -rf "$made"
# Faster than xz, which is what users get.
cpack --config "$build/CPackConfig.cmake" -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip -B "$made" >"$work/err" 2>&1 ||
	fail "cpack: exit status $?"
expected='carrierscope-[0-9]*.tar.gz carrierscope_*.deb'
[ ! -f "$build/provider/beam/ebin/carrierscope.beam" ] || expected="$expected carrierscope-erlang_*.deb"
cd "$made" || exit 1
for pattern in $expected; do
	# shellcheck disable=SC2086
	[ -f "$(echo $pattern)" ] || fail "there is no $pattern"
done
ends
