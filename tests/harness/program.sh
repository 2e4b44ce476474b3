# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Sourced by tests (POSIX sh) of the program CARRIERSCOPE, their first argument, from a folder beside this
# one: $program, with the plugin beside it, and what checks.sh has.
program=$1
export CARRIERSCOPE_PLUGIN_DIR="${CARRIERSCOPE_PLUGIN_DIR-$(dirname "$program")}"
# shellcheck source=checks.sh
. "${harness:-$(dirname "$0")/../harness}/checks.sh"
