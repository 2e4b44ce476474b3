# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034
# Sourced by tests of the twin against the runtime, whose arguments are TWIN ERL BEAM_DIR: names these, and
# nodes without flags from the environment.
twin=$1
erl=$2
beams=$3

plain_erl
