#!/bin/sh
# SPDX-License-Identifier: MIT
#
# lintian_test.sh MADE: Debian's checker finds no error and no warning in the packages of the folder MADE.
. "$(dirname "$0")/../harness/main.sh"
needs lintian
lintian --allow-root --fail-on error,warning --tag-display-limit 0 "$1"/*.deb >"$work/err" 2>&1 ||
	fail "lintian: exit status $?"
ends
