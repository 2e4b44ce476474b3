# SPDX-License-Identifier: MIT
#
# From the table of core_bench.sh: whether the core is as fast as the runtime it copies, for each strategy, and with
# 4-byte words as with 8-byte words.

function goal(title, limit, measured) {
  printf "| %s | at most %.2f | %s | %s |\n", title, limit, measured,
    measured !~ /^[0-9.]+$/ ? "n/a" : measured + 0 <= limit ? "PASS" : "MISS"
}

BEGIN {
  FS = " *[|] *"
  print "\n| goal | limit | measured | |"
  print "|---|---:|---:|---|"
}

NF >= 12 && $2 != "strategy" && $2 !~ /^-/ {
  goal("core: " $2 ", x live ERTS", 1.0, $11)
  goal("core: " $2 ", 32 bit x 64 bit", 1.1, $12)
}
