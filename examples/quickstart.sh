#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# From a fresh machine to a first answer: installs what is missing, builds,
# loads a recorded trace of a real Erlang node through babeltrace2, and prints
# who holds the memory and how well it is used.
#
# The trace in examples/traces is of OTP 24 built with LTTng: a node that fills
# binary_alloc with small binaries and then frees four of five.
set -euo pipefail
cd "$(dirname "$0")/.."

examples/install-packages.sh run
log=$(mktemp)
if ! { cmake --preset release -DBUILD_TESTING=OFF && cmake --build --preset release; } >"$log" 2>&1; then
  tail -n 30 "$log" >&2
  echo "the build failed; all of its output is in $log" >&2
  exit 1
fi
rm -f "$log"
bin=$PWD/build/release/analyzer

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar xzf examples/traces/binary-fragmentation-pool.tar.gz -C "$work"
trace=$work/binary-fragmentation-pool/trace
database=${1:-quickstart.db}

echo "== babeltrace2 loads the trace into $database"
babeltrace2 --plugin-path="$bin" "$trace" \
  -c sink.carrierscope.sqlite -p "path=\"$database\",force=yes"

echo
echo "== How well is the memory used?   carrierscope report utilisation $database"
"$bin/carrierscope" report utilisation "$database"

echo
echo "== Is it in the pool?             carrierscope report pool $database"
"$bin/carrierscope" report pool "$database"

echo
echo "== When was the peak?             carrierscope report peaks $database"
"$bin/carrierscope" report peaks "$database" --limit 8

echo
echo "== Can the recording be trusted?  carrierscope report summary $database"
"$bin/carrierscope" report summary "$database"

echo
echo "More: $bin/carrierscope report $database lists all reports;"
echo "      sqlite3 $database < examples/queries.sql asks ten questions of an operator."
