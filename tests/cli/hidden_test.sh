#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# hidden_test.sh CARRIERSCOPE TRACE: a database whose texts all have an escape sequence, a C1 control character and marks of
# direction: no output in text has them, CSV only where it is asked for, JSON escapes them.
. "$(dirname "$0")/../harness/main.sh"
tests_program "$1"
needs sqlite3 perl
db=$work/run.db

# Texts that a node, its machine or a file chose.
texts='source.path trace.hostname trace.name trace.tracer runtime.hostname runtime.procname thread.procname load_problem.sentence
  crash_dump.slogan crash_dump.time_text crash_dump.calling_thread crash_dump.taints process_sample.name process_sample.initial_call
  process_sample.current_call process_sample.state ets_sample.name allocated_area.name process_name.name process_name.label
  process_name.initial_call process_name.current_function process_name.application snapshot_table.name snapshot_port.name
  name_type.name name_class.name emulator_flag.value boot_flag.value node_fact.value runtime_fact.value event_count.event
  event_count.provider extra_field.value option.value logged_failure.type cpu_task.name alarm.detail lost_interval.file
  snapshot_function.origin snapshot_function.application'
# hides DATABASE: such characters behind each of them, and behind sentences of views.  What was judged of them is judged anew.
hides() {
  for text in $texts; do
    sqlite3 "$1" "UPDATE OR IGNORE ${text%.*} SET ${text#*.} =
      ${text#*.} || 'h' || char(27) || '[31m' || char(155) || 'x' || char(8238, 8294, 8233, 127, 13, 7) WHERE ${text#*.} <> ''" ||
      fail "$text cannot be changed"
  done
  sqlite3 "$1" 'DROP VIEW empty_report' \
    "CREATE VIEW empty_report AS SELECT name AS view, 'none h' || char(27, 8238, 13) AS reason
     FROM (SELECT 'report_temporary' AS name UNION ALL SELECT 'report_board' UNION ALL SELECT 'report_alarms')" \
    'DELETE FROM judgement'
}
"$program" load -q -o "$db" "$2" || fail 'the trace is not loaded'
"$program" load -q -o "$work/dump.db" "$(dirname "$0")/../readers/data/references.dump" || fail 'the dump is not loaded'
hides "$db"
hides "$work/dump.db"

hidden='\x1b|\x7f|\x07|\xc2[\x80-\x9f]|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]|\xd8\x9c'
# has_hidden FILE: bytes of such characters, a carriage return that ends no line among them.
has_hidden() {
  perl -0777 -ne "exit !(/$hidden|\r(?!\n)/)" "$1"
}
shown=0
# clean COMMAND...: its output has none.
clean() {
  "$program" "$@" >"$work/out" 2>"$work/err"
  [[ $? -le 3 ]] || fail "$* ends in an error: $(cat "$work/err")"
  for part in out err; do
    ! has_hidden "$work/$part" || fail "$* has hidden characters: $(LC_ALL=C grep -aEm 1 $'\e' "$work/$part" | cat -v | head -c 300)"
  done
  ! grep -q 'h.\{1,8\}\[31m' "$work/out" || ((shown++))
}

for file in "$db" "$work/dump.db"; do
  clean report "$file"
  clean info "$file"
  clean check "$file"
  clean top --once "$file"
  clean diff "$file" "$file"
  for report in $(sqlite3 "$file" "SELECT substr(name, 8) FROM sqlite_schema WHERE type = 'view' AND name LIKE 'report\_%' ESCAPE '\'"); do
    clean report "$report" "$file"
    clean report "$report" "$file" --format csv
    clean report "$report" "$file" --format json
  done
  for format in openmetrics datasette html; do
    clean report --format $format "$file"
  done
  for format in folded speedscope csv; do
    clean export --to $format "$file"
  done
done
[[ $shown -ge 20 ]] || fail "only $shown outputs show the texts: the test tests nothing"

# As they are, where that is asked for.
"$program" report dump "$work/dump.db" --format csv --raw >"$work/out" || fail 'raw'
has_hidden "$work/out" || fail 'raw is not raw'
"$program" export "$db" --to csv --raw >"$work/out" || fail 'raw'
has_hidden "$work/out" || fail 'raw is not raw'
"$program" export "$db" --to folded --raw >"$work/out" 2>"$work/err"
[[ $? -eq 2 && $(wc -l <"$work/err") -eq 1 ]] || fail '--raw of folded'
rm -f "$work"/*
ends
