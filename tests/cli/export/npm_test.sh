#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# npm_test.sh CARRIERSCOPE DATA TRACE DUMP NODE NPM FOLDER: exports, read by packages of npm: pprof-format, and
# speedscope's own schema.  FOLDER keeps the packages.
. "$(dirname "$0")/../../harness/main.sh"
node=$5 npm=$6 folder=$7
. "$here/databases.sh"
. "$here/../../harness/npm_packages.sh"

installs "$npm" "$here/npm" "$folder" "$work/log" || skip "npm could not install what reads exports: $(tail -n 1 "$work/log")"

# reads FORMAT NAME SUMS: exits with 0 if a package reads it, and its sums are these.
reads() {
  export_to "$1" "$2"
  "$node" "$here/read.mjs" "$folder" "$1" "$work/$2.$1" "$3" >"$work/out" 2>&1 || fail "$2 as $1: $(cat "$work/out")"
}

held=$(query dump "SELECT sum(mbc_blocks + sbc_blocks + pool_blocks), sum(used) FROM instance_reading")
for format in pprof speedscope; do
  reads $format exact "$(sums exact)"
  reads $format sampled "$(sample_sums sampled)"
  reads $format dump "$held"
  reads $format hostile "$(sums exact)"
  # What it compares: other sums are an error.
  ! "$node" "$here/read.mjs" "$folder" $format "$work/exact.$format" "1 2 3 4" >"$work/out" 2>&1 ||
    fail "the reader of $format takes any sums"
done

ends
