#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# answer_test.sh CARRIERSCOPE ROOT NODE NPM FOLDER: the answer as data, of each kind of input, keeps to its schema, and is
# what the other reports say.
. "$(dirname "$0")/../harness/main.sh"
carrierscope=$1 root=$2 node_js=$3 npm=$4 folder=$5
. "$harness/npm_packages.sh"
needs sqlite3
installs "$npm" "$here/export/npm" "$folder" "$work/log" || skip "npm could not install what checks schemas: $(tail -n 1 "$work/log")"
answers=()

# loads INPUT NAME: $work/NAME.db
loads() {
  local input=$1
  case $input in
  *.tar.gz)
    rm -rf "$work/trace" && mkdir "$work/trace" && tar xzf "$input" -C "$work/trace" || return 1
    input=$work/trace
    ;;
  esac
  "$carrierscope" load --quiet --salvage -f -o "$work/$2.db" "$input" >"$work/log" 2>&1
}

# answer NAME
answer() {
  "$carrierscope" report --format json "$work/$1.db" >"$work/$1.json" 2>"$work/err" || fail "$1: $(cat "$work/err")"
  answers+=("$work/$1.json")
}

# says NAME PATH VALUE: what the answer has there (SQLite's path), NULL: it is there and null.
says() {
  local got
  got=$(sqlite3 :memory: "SELECT ifnull(json_extract(a, '$2'), iif(json_type(a, '$2') = 'null', 'NULL', 'not there')) FROM (SELECT readfile('$work/$1.json') AS a)")
  [[ $got == "$3" ]] || fail "$1: $2 is '$got', not '$3'"
}

for input in "$root"/tests/data/cases/*.tar.gz "$root"/tests/data/hook/*.tar.gz "$root"/examples/traces/*.tar.gz \
  "$root"/tests/readers/data/*; do
  name=$(basename "$input")
  # What cannot be loaded has no answer, which its own tests say.
  loads "$input" "$name" && answer "$name"
done
((${#answers[@]} >= 30)) || fail "there are ${#answers[@]} answers only"

# A node of which little was recorded.
says all.tar.gz '$.verdict' unknown
says all.tar.gz '$.record_seconds' 30.0
says all.tar.gz '$.memory.resident.likely' 49577984
# In words what may be anything since is no estimate, and a lower end alone is one.
"$carrierscope" report "$work/damaged-truncated.tar.gz.db" >"$work/text" 2>"$work/err"
grep -q 'carriers perhaps 23.2 MiB, in use perhaps 11.9 MiB' "$work/text" || fail "a damaged recording: $(cat "$work/text")"
"$carrierscope" report "$work/late-attach.tar.gz.db" >"$work/text" 2>"$work/err"
grep -q 'carriers at least 768.0 KiB' "$work/text" || fail "a late recording: $(cat "$work/text")"
# A dump: its processes, no growth, which one reading cannot show.
says otp27.dump.gz '$.power_bytes_per_s' NULL
says otp27.dump.gz '$.growth' '[]'
says otp27.dump.gz '$.record_seconds' 30.0
# Nothing of an allocator.
says vm.args '$.verdict' unknown
says vm.args '$.memory.carriers.low' NULL
# A board is not recorded, and has no carriers.
says board.log '$.record_seconds' NULL
says board.log '$.verdict' fragmentation
[[ $(grep -c 'carriers (carrierscope' "$work/board.log.json") == 0 ]] || fail 'a board is told of carriers'

# An empty recording; nothing at all.
cp "$work/vm.args.db" "$work/nothing.db"
sqlite3 "$work/nothing.db" 'DELETE FROM source; DELETE FROM judgement' || fail 'cannot empty a database'
answer nothing
says nothing '$.verdict' unknown
says nothing '$.sentence' 'Nothing was loaded.'

# Names that act on a terminal are written out, and stay what they are.
cp "$work/otp27.dump.gz.db" "$work/named.db"
sqlite3 "$work/named.db" "UPDATE process_sample SET name = 'a\"b' || char(27, 8238, 10) || '[31m'; DELETE FROM judgement" || fail 'cannot name a process'
answer named
! LC_ALL=C grep -q $'[\x01-\x09\x0b-\x1f\x7f]' "$work/named.json" || fail 'control characters are in the answer'

# Several places: the first is what report begins with.
"$carrierscope" load --quiet -f -o "$work/two.db" "$root/tests/readers/data/otp27.dump.gz" >"$work/log" 2>&1 &&
  "$carrierscope" load --quiet --append -o "$work/two.db" "$root/tests/readers/data/otp20-32bit.dump" >"$work/log" 2>&1 || fail "two dumps: $(cat "$work/log")"
answer two
first=$("$carrierscope" report "$work/two.db" 2>/dev/null | tr '\n' ' ' | tr -s ' ')
sentence=$(sqlite3 :memory: "SELECT json_extract(readfile('$work/two.json'), '\$.sentence')")
[[ $first == *"$sentence"* ]] || fail "the terminal does not say '$sentence'"
[[ $(sqlite3 -readonly "$work/two.db" 'SELECT count(*), min(rank), max(rank) FROM answer') == '2|1|2' ]] || fail 'there is no answer for each of two dumps'

# Where the schema is stricter than the program, or the other way round, somebody is wrong.
cp "$here/answer_check.mjs" "$folder/"
"$node_js" "$folder/answer_check.mjs" "$root/analyzer/answer.schema.json" "${answers[@]}" || fail 'answers do not keep to the schema'
sed 's/"node":[^,]*,//' "$work/vm.args.json" >"$work/less.json"
! "$node_js" "$folder/answer_check.mjs" "$root/analyzer/answer.schema.json" "$work/less.json" >/dev/null || fail 'an answer without node is taken'

# Every row is the same object as tables have it.
for name in all.tar.gz otp27.dump.gz board.log; do
  got=$(sqlite3 -readonly "$work/$name.db" "SELECT count(*) FROM answer AS a JOIN verdict AS v ON v.level <> 'allocator' AND v.source_id = a.source_id
    AND v.runtime_id IS a.runtime_id AND v.snapshot_id IS a.snapshot_id AND a.json ->> '\$.sentence' = v.sentence
    AND a.json ->> '\$.verdict' = replace(v.verdict, ' ', '_')")
  [[ $got -ge 1 && $got == $(sqlite3 -readonly "$work/$name.db" 'SELECT count(*) FROM answer') ]] || fail "$name: answers are not the verdicts"
done

# On a screen of 80 columns and 24 lines the answer is whole: at most 20 lines, and the prompt.
for file in "$work"/*.db; do
  "$carrierscope" report "$file" >"$work/out" 2>"$work/err" || fail "report $file: $(cat "$work/err")"
  [[ $(wc -l <"$work/out") -le 20 ]] || fail "$file: $(wc -l <"$work/out") lines"
  ! LC_ALL=C.UTF-8 grep -qE '.{81}' "$work/out" || fail "$file: more than 80 columns: $(LC_ALL=C.UTF-8 grep -E '.{81}' "$work/out")"
done

# The page begins with the same: who grew, who holds most, what to do, what is not known.
pages=0 texts=0
for name in "$work"/*.db; do
  ((pages < 16)) || break
  "$carrierscope" report --format html "$name" >"$work/page" 2>"$work/err" || { grep -q 'no HTML' "$work/err" && break; fail "a page of $name: $(cat "$work/err")"; }
  pages=$((pages + 1))
  # Markup apart, as text.
  sed -n '/<section id="verdicts"/,/<\/section>/p' "$work/page" | sed 's/<[^>]*>/ /g; s/&lt;/</g; s/&gt;/>/g; s/&quot;/"/g; s/&#39;/'"'"'/g; s/&amp;/\&/g' | tr -s ' \n' '  ' >"$work/card"
  while IFS= read -r text; do
    texts=$((texts + 1))
    grep -qF -- "$(tr -s ' ' <<<"$text")" "$work/card" || fail "the page of $name lacks '$text': $(cat "$work/card")"
  done < <(sqlite3 -readonly "$name" "SELECT json ->> '\$.sentence' FROM answer WHERE rank = 1 UNION ALL SELECT json ->> '\$.evidence' FROM answer WHERE rank = 1
    UNION ALL SELECT * FROM (SELECT g.value ->> '\$.who' FROM answer, json_each(answer.json, '\$.growth') AS g WHERE rank = 1 ORDER BY g.key LIMIT 3)
    UNION ALL SELECT * FROM (SELECT g.value ->> '\$.who' FROM answer, json_each(answer.json, '\$.holders') AS g WHERE rank = 1 ORDER BY g.key LIMIT 3)" | grep .)
done
echo "$pages pages, $texts texts"
[[ $pages -eq 0 || $texts -ge 26 ]] || fail "$texts texts only were compared"

echo "${#answers[@]} answers"
ends
