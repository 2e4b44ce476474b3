#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Builds and tests everything.  Installs the packages it needs from .packages
# when they are missing (as root).  Ends with ctest's summary.
set -euo pipefail
cd "$(dirname "$0")/.."

examples/install-packages.sh run test node

# Static analysis and layout, then the sanitizers, then the build that is tested in full.
cmake --workflow --preset tidy
cmake --workflow --preset asan
cmake --workflow --preset tsan
cmake --workflow --preset fuzz
cmake --workflow --preset dev
