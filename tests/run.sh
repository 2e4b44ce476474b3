#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Builds and tests everything.  Installs the packages it needs from .packages
# when they are missing (as root).  Ends with ctest's summary.
set -euo pipefail
cd "$(dirname "$0")/.."

examples/install-packages.sh run test node

# Static analysis.
cmake --workflow --preset tidy
# The sanitizers: that of threads and the fuzzers have long tests of one thread, which leave a processor to the other.
beside=0
{ cmake --workflow --preset tsan && cmake --workflow --preset fuzz; } >build/beside.log 2>&1 &
cmake --workflow --preset asan || beside=$?
wait $! || beside=$?
cat build/beside.log
[[ $beside -eq 0 ]] || exit "$beside"
# The build that is tested in full.
cmake --workflow --preset dev
