#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# text_awk_import.sh TRACE DATABASE carrier|block: what one would write with a
# shell: babeltrace2's text, cut up by awk, read by sqlite3's .import.  The same
# tables as python_bt2.py makes, but for addresses, which stay text (0x7F...).
# Prints the number of rows.
set -euo pipefail

if [ $# -ne 3 ]; then
  echo 'usage: text_awk_import.sh TRACE DATABASE carrier|block' >&2
  exit 2
fi
trace=$1 database=$2 kind=$3

# Words of a line: 1 [seconds.ns] 4 provider:event: 13 vpid 16 vtid, then the fields.
case $kind in
carrier)
  columns='time_ns INTEGER, name TEXT, vpid INTEGER, vtid INTEGER, type TEXT,
    instance INTEGER, size INTEGER, mbc_carriers INTEGER, mbc_carriers_size INTEGER,
    mbc_blocks INTEGER, mbc_blocks_size INTEGER, sbc_carriers INTEGER,
    sbc_carriers_size INTEGER, sbc_blocks INTEGER, sbc_blocks_size INTEGER'
  # shellcheck disable=SC2016
  program='$4 ~ /^org_erlang_otp:carrier_/ {
    gsub(/[][",.]/, "")
    sub(/:$/, "", $4)
    print $1, $4, $13, $16, $24, $27, $30, $33, $36, $39, $42, $45, $48, $51, $54
  }'
  ;;
block)
  columns='time_ns INTEGER, name TEXT, vpid INTEGER, vtid INTEGER, address TEXT,
    size_bytes INTEGER, type_id INTEGER, allocator_id INTEGER, instance INTEGER'
  # shellcheck disable=SC2016
  program='$4 ~ /^carrierscope:block_/ {
    gsub(/[][",.]/, "")
    sub(/:$/, "", $4)
    print $1, $4, $13, $16, $21, $24, $27, $30, $33
  }'
  ;;
*)
  echo "text_awk_import.sh: no such kind: '$kind'" >&2
  exit 2
  ;;
esac

sqlite3 "$database" "CREATE TABLE $kind ($columns)"
babeltrace2 --clock-seconds "$trace" |
  awk -v OFS='\t' "$program" |
  sqlite3 -cmd 'PRAGMA synchronous = OFF' -cmd '.mode tabs' "$database" \
    ".import /dev/stdin $kind" >/dev/null
sqlite3 "$database" "SELECT count(*) FROM $kind"
