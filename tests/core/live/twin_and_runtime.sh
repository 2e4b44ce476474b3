# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034
# Sourced by tests of the twin against the runtime, whose arguments are TWIN ERL BEAM_DIR: names these, with
# what tests/harness/checks.sh has, and nodes without flags from the environment.
twin=$1
erl=$2
beams=$3

# shellcheck source=../../harness/checks.sh
. "$(dirname "$0")/../../harness/checks.sh"
plain_erl
