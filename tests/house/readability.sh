#!/bin/bash
# SPDX-License-Identifier: MIT
#
# readability.sh [--measure] FILE...: Flesch reading ease, words of a sentence (median, 95th percentile) and figures in
# a hundred words, of prose: without headings, code, tables, pictures and lists of links.  Without --measure each file
# must keep the bounds that it prints.
#
# Syllables are groups of vowels, without a silent e at the end; a word in code counts as one word of two.
set -u
measure=
[[ ${1-} == --measure ]] && measure=1 && shift
[[ $# -gt 0 ]] || { echo "usage: readability.sh [--measure] FILE..." >&2; exit 2; }

prose() {
  awk '
    /^ *```/ { fenced = !fenced; print "."; next }
    fenced || /^ *\|/ || /^#/ || /^!\[/ || /^<!--/ || /^More: / { print "."; next }
    /^ *$/ { print "."; next }
    { sub(/^ *([*-]|[0-9]+\.) +/, ". "); print }' "$1" |
    sed -E 's/!\[[^]]*\]\([^)]*\)//g; s/\[([^]]*)\]\([^)]*\)/\1/g; s/`[^`]*`/codes/g; s/\*+//g' | tr '\n' ' ' |
    sed -E 's/`[^`]*`/codes/g; s/([.!?])["”)]? +/\1\n/g; s/:  ?/:\n/g' | grep '[a-zA-Z]'
}

status=0
for file in "$@"; do
  [[ -r $file ]] || { echo "cannot read '$file'" >&2; exit 1; }
  prose "$file" | awk -v file="$file" -v measure="$measure" '
    {
      count = 0
      for (i = 1; i <= NF; i++) {
        word = tolower($i)
        if (word ~ /[0-9]/) figures++
        if (word !~ /[a-z0-9]/) continue
        count++
        gsub(/[^a-z]/, "", word)
        if (length(word) > 3) sub(/(es|ed|e)$/, "", word)
        n = gsub(/[aeiouy]+/, "x", word)
        syllables += n < 1 ? 1 : n
      }
      if (count > 0) { words += count; lengths[++sentences] = count }
    }
    END {
      if (sentences == 0) { print file ": no prose"; exit 1 }
      for (i = 2; i <= sentences; i++) {
        value = lengths[i]
        for (j = i - 1; j > 0 && lengths[j] > value; j--) lengths[j + 1] = lengths[j]
        lengths[j + 1] = value
      }
      median = lengths[int((sentences + 1) / 2)]
      most = lengths[int(sentences * 0.95 + 0.999)]
      ease = 206.835 - 1.015 * words / sentences - 84.6 * syllables / words
      share = 100 * figures / words
      bad = ease < 65 || median > 14 || most > 26 || share > 3
      if (measure || bad)
        printf "%s: reading ease %.0f (65 at least), words of a sentence %d and %d (14, 26 at most), %.1f figures in 100 words (3 at most)\n",
          file, ease, median, most, share
      exit !measure && bad
    }' || status=1
done
exit $status
