#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# guess_test.sh CARRIERSCOPE TRACE: what a first-time user types: a target in place of a command, help and version,
# words that are nearly right, and times and sizes with units.
. "$(dirname "$0")/../harness/main.sh"
tests_program "$1"
trace=$(realpath "$2")
needs sqlite3
cd "$work" || exit 1
mkdir here && cd here || exit 1
ERL_EPMD_PORT=$(free_ports 1)
export ERL_EPMD_PORT HOME="$work"
(umask 377 && echo GUESS >"$HOME/.erlang.cookie")

# run STATUS ARGUMENT...: output in out, one line at most in err where it refuses.
run() {
  local wanted=$1 status
  shift
  "$program" "$@" >out 2>"$work/err" </dev/null
  status=$?
  [[ $status -eq $wanted ]] || fail "'$*' ends with $status, not $wanted"
  if [[ $wanted -eq 2 ]]; then
    [[ $(wc -l <"$work/err") -eq 1 && ! -s out ]] || fail "'$*' is refused in more than a line"
  fi
}
# says TEXT: on standard error.  has TEXT: on standard output.
says() {
  grep -qF -- "$1" "$work/err" || fail "no '$1'"
}
has() {
  grep -qF -- "$1" out || fail "no '$1' in: $(head -n 20 out)"
}
# next DATABASE: the answer names at least one command, and each of them prints something.
next() {
  local words count=0
  while read -ra words; do
    [[ ${words[2]} == TOPIC ]] && continue
    count=$((count + 1))
    "$program" "${words[@]:1}" >next 2>"$work/err" || fail "the next command fails: ${words[*]}"
    [[ -s next ]] && ! grep -qE '^No rows' next || fail "the next command prints nothing: ${words[*]}"
  done < <(tr -s ' \n' '  ' <out | grep -oE "carrierscope report [A-Za-z_]+ $1")
  [[ $count -gt 0 ]] || fail "no next command: $(cat out)"
}

# A trace is loaded beside, once; its database is reported.
run 0 "$trace"
database=$(basename "$trace").db
says "'$trace' is loaded into '$database'"
next "$database"
[[ -f $database ]] || fail 'there is no database'
cp out first
run 0 "$database"
cmp -s first out || fail 'a trace and its database have two answers'
run 1 "$trace"
says "'carrierscope $database' prints its answer, 'carrierscope load --force $trace' replaces it"
run 0 "$database" --format json
has '"verdict"'

# A dump, by its name and from standard input; a link to it; blanks and quotes in its name.
gunzip -c "$harness/../readers/data/otp27.dump.gz" >erl_crash.dump
run 0 erl_crash.dump
next erl_crash.dump.db
"$program" - <erl_crash.dump >out 2>"$work/err" || fail 'standard input is not taken'
next stdin.db
cp erl_crash.dump.db "it's a file.db"
run 0 "it's a file.db"
tr -s ' \n' '  ' <out | grep -qF " 'it'\\''s a file.db'," || fail "a name is no word of a shell: $(cat out)"
cp erl_crash.dump.db -- -x.db
run 0 ./-x.db
next ./-x.db

# What is none of them.
mkdir empty
mkfifo pipe
: >zero
echo hello >words.txt
run 1 empty
run 1 zero
run 1 words.txt
run 2 pipe
says 'neither a file nor a folder'
run 2 ./nowhere
says "there is no './nowhere'"
run 2 net://localhost/host/h/s
says 'carrierscope load net://localhost/host/h/s'
run 2 erl_crash.dump holders
says "'carrierscope report erl_crash.dump.db'"
run 2 frob
says "'frob' is not a command, a file or a node"
run 2 "$(printf 'x%.0s' {1..10000})"
says 'is not a command'
run 2 $'\033[31m\342\200\256'
LC_ALL=C grep -q $'\033' "$work/err" && fail 'a word acts on the terminal'
LC_ALL=C.UTF-8 run 2 ''
[[ -z $(find . -name '*.partial*' -o -name 'empty.db' -o -name 'words.txt.db') ]] || fail "something is left: $(ls)"

# A node is looked at, and not recorded, by a word.
run 1 shop@host
grep -q "shop@host\|erl_call" "$work/err" || fail "a node that is not there has no word: $(cat "$work/err")"
: >file@host
run 1 file@host
says "cannot load 'file@host'"

# Words that are nearly right.
run 2 recrod
says "did you mean 'carrierscope record'?"
run 2 verdict
says "did you mean 'carrierscope report FILE'?"
run 2 utilisation "$database"
says "did you mean 'carrierscope report utilisation $database'?"
run 2 "$database" report
says "did you mean 'carrierscope report $database'?"
run 2 report "$database" utilisation
says "did you mean 'carrierscope report utilisation $database'?"
run 1 report utilizaton "$database"
says "did you mean 'carrierscope report utilisation $database'?"
run 0 report finding "$database"
says "'finding' is a view of the database; the report is 'findings'"
run 2 report --limt 3 "$database"
says "unrecognized option '--limt'; did you mean '--limit'?; see 'carrierscope report --help'"
run 2 record --sampel=64KiB -- true
says "did you mean '--sample'?"
run 2 --hlep
says "did you mean '--help'?"
run 2 load --zzz x
says "unrecognized option '--zzz'; see 'carrierscope load --help'"
# The value of an option, and what follows --, are no options.
run 0 report -o --limt utilisation "$database"
[[ -s ./--limt ]] || fail "the value of -o was taken for an option"
run 0 report --output --limt -f utilisation -- "$database"

# Help and version.
run 0 help
"$program" --help >plain
cmp -s plain out || fail 'help is not --help'
for heading in Look Record Improve Share; do
  has " $heading:"
done
[[ $(awk 'length > 80' out) == '' ]] || fail 'a line of help is longer than 80 columns'
commands=$(sed -nE '/^Commands:/,/^$/s/^  ([a-z]+) +[a-z].*/\1/p' out)
[[ $(wc -l <<<"$commands") -gt 12 ]] || fail "these are the commands: $commands"
for command in $commands; do
  "$program" "$command" --help >plain 2>"$work/err" || fail "there is no help of $command"
  run 0 help "$command"
  cmp -s plain out || fail "help $command is not $command --help"
done
run 2 help recrod
says "did you mean 'carrierscope help record'?"
run 2 help record top
run 0 version
cp out plain
run 0 --version
cmp -s plain out || fail 'version is not --version'
run 2 version now

# Reports: the answer names the topics with rows, --all the reports with rows, whatever was loaded.
for other in "$database" erl_crash.dump.db; do
  run 0 "$other"
  read -ra topics <<<"$(tr -s ' \n' '  ' <out | sed -nE 's/.*carrierscope report TOPIC [^ ]*, of ([a-z, ]+).*/\1/p' | tr -d ,)"
  [[ ${#topics[@]} -gt 2 ]] || fail "$other: few topics: $(cat out)"
  run 0 report --all --format csv "$other"
  [[ $(head -n 1 out | tr -d '\r') == topic,report,meaning ]] || fail "--all: $(head -n 1 out)"
  tail -n +2 out | cut -d , -f 2 | sort >all
  tail -n +2 out | cut -d , -f 1 | grep -v '^answer$' | uniq >with_rows
  [[ $(printf '%s\n' "${topics[@]}") == "$(cat with_rows)" ]] || fail "$other: the topics are ${topics[*]}, not $(cat with_rows)"
  [[ $(wc -l <all) -gt 5 ]] || fail "$other: --all lists $(wc -l <all) reports"
  while read -r name; do
    sqlite3 "$other" "SELECT 1 FROM view_doc WHERE view = 'report_$name' AND column = ''" | grep -q 1 || fail "$name is no report"
  done <all
  sqlite3 "$other" "SELECT substr(view, 8) FROM view_doc WHERE column = '' AND view LIKE 'report!_%' ESCAPE '!' ORDER BY 1" >every
  comm -13 all every >unlisted
  while read -r name; do
    [[ $(sqlite3 "$other" "SELECT count(*) FROM (SELECT 1 FROM report_$name LIMIT 1)") == 0 ]] || fail "$other: $name has rows and is not listed"
  done <unlisted
done
# Each report has a topic: a mistyped name of any finds it.
while read -r name; do
  run 1 report "${name}q_" "$database"
  says "'carrierscope report $name $database'"
done <every
for topic in answer memory holders growth sizes time allocators flags recording board; do
  run 0 report "$topic" "$database"
done
run 0 report recording "$database"
cp out plain
run 0 report summary "$database"
cmp -s plain out || fail 'a topic is not its first report'
run 2 report --all utilisation "$database"

# Times and sizes.
refused() {
  run 2 "$@"
  says "such as"
}
refused record -s 2x -- true
refused record -s 0s -- true
refused record --snapshots 1.5s -- true
refused record --seconds 31d -- true
refused top --every 2h "$database"
refused top --every -1 "$database"
refused advise --budget 2d "$database"
refused replay --memory 3XiB "$database"
refused push --timeout 2h --to http://127.0.0.1:1/x "$database"
run 0 top --every 1m --count 1 "$database"
run 2 record -s 2m
says 'which node?'
run 2 keep -o "$work/kept"
says 'which node?'
run 2 keep shop stock -o "$work/kept"
says "one node at a time: 'shop' and 'stock'"
run 2 keep shop --pid 1 -o "$work/kept"
says 'exclude each other'

# What stands alone and cannot be run is the name of a node; what can is a command.
if command -v erl_call >/dev/null; then
  "$program" record "nobody$$" -s 1s --every-block --ebin "$work" >out 2>"$work/err" && fail 'a node that is not there was recorded'
  says "nobody$$"
  grep -q 'status 127' "$work/err" && fail 'a node was run as a command'
fi

# A name without a host, that epmd knows.
if command -v erl >/dev/null && command -v epmd >/dev/null && command -v erl_call >/dev/null; then
  names_nodes
  starts_node 'register(keeper, self()), receive stop -> ok end.'
  : >"$node"
  run 1 "$node"
  rm "$node"
  run 0 "$node"
  grep -q "^NORMAL: Nothing wrong in the 1[0-9][.0-9]* s" out || fail "a node is not read for ten seconds: $(head -n 4 out)"
  grep -q "^Memory .* resident [0-9.]* MiB" out || fail "no figures: $(cat out)"
  [[ $(tail -n 1 out) == "For sizes, lifetimes and flags, hook it for 30 s: carrierscope record $node" ]] || fail "no next command: $(tail -n 1 out)"
  run 2 "${node%?}"
  says "is not a command, a file or a node"
else
  echo 'PARTLY SKIPPED: a name that epmd knows (no Erlang)'
fi
: >"$work/err"
ends
