#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# serve_test.sh CARRIERSCOPE TRACE: `carrierscope serve`: the page in a browser, also of a database that grows, of several,
# and their metrics; who is refused; slow clients, a page that is never made; nothing is written.
. "$(dirname "$0")/../harness/main.sh"
tests_program "$1"
needs sqlite3
server=
cleanup() {
  [[ -z $server ]] || kill -9 "$server" 2>/dev/null
}

"$program" load -q -o "$work/run.db" "$2" || fail 'the trace is not loaded'
"$program" report --format html -o "$work/page.html" "$work/run.db" 2>"$work/err" || skip "there is no page: $(cat "$work/err")"
sum=$(cksum <"$work/run.db")

# serves ARGUMENT...: a server in the background, until it listens; $port.
serves() {
  : >"$work/log"
  "$program" serve "$work/run.db" --port 0 "$@" >"$work/log" 2>"$work/err" &
  server=$!
  for ((i = 0; i < 3000; i++)); do
    port=$(sed -n 's,.* on http://.*:\([0-9]*\)/ (metrics: http://.*/metrics); Ctrl-C stops$,\1,p' "$work/log")
    [[ -n $port ]] && return
    grep -q 'built without libmicrohttpd' "$work/err" && skip 'built without libmicrohttpd'
    sleep 0.1
  done
  fail "serve $* does not listen"
}
# changes SQL...: of run.db, once nobody reads it.
changes() {
  sqlite3 -cmd '.timeout 100000' "$work/run.db" "$@" || fail "not changed: $*"
}
# requests METHOD PATH HOST: the answer in $work/answer.
requests() {
  exec 3<>"/dev/tcp/127.0.0.1/$port" || return
  printf '%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n' "$1" "$2" "$3" >&3
  cat <&3 >"$work/answer"
  exec 3<&-
}
# answers CODE METHOD PATH HOST
answers() {
  local code=$1
  shift
  requests "$@"
  grep -q "^HTTP/1.1 $code " "$work/answer" || fail "$*: not $code: $(head -n 1 "$work/answer")"
}

serves
answers 200 GET / "127.0.0.1:$port"
grep -qi '^content-type: text/html' "$work/answer" || fail 'not a page'
grep -qi '^refresh:' "$work/answer" && fail 'a page loses what was chosen'
sed '1,/^\r$/d' "$work/answer" | diff - "$work/page.html" >/dev/null || fail 'not the page of the report'
answers 200 GET / localhost
answers 200 GET / '[::1]:80'
answers 200 HEAD / 127.0.0.1
[[ $(sed '1,/^\r$/d' "$work/answer" | wc -c) -eq 0 ]] || fail 'HEAD has a body'
for host in "evil.example" "evil.example:$port" "127.0.0.1.evil.example" "localhost.evil.example" "127.0.0.1@evil.example" \
  "[::1].evil.example" "" ":" "127.0.0.1:80x"; do
  answers 403 GET / "$host"
done
answers 405 POST / localhost
answers 405 PUT /run.db localhost
answers 404 GET /run.db localhost
answers 404 GET /../../etc/passwd localhost
for path in '/%2e%2e/%2e%2e/etc/passwd' '//etc/passwd' '/run.db%00.html' '/?run.db' '/;ls' "/$(printf 'a%.0s' {1..3000})" '/%' '/%zz' '\' '*'; do
  requests GET "$path" localhost
  [[ $path == '/?run.db' ]] || ! grep -q '^HTTP/1.1 200 ' "$work/answer" || fail "$path: a page"
  ! grep -q 'root:\|SQLite format' "$work/answer" || fail "$path: a file"
done
# Two at once, and what is no request: it goes on.
for ((i = 0; i < 8; i++)); do
  (exec 3<>"/dev/tcp/127.0.0.1/$port" && printf 'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' >&3 &&
    sed '1,/^\r$/d' <&3 | cmp -s - "$work/page.html" && : >"$work/same.$i") &
  readers[i]=$!
done
wait "${readers[@]}"
[[ $(ls "$work"/same.* | wc -l) -eq 8 ]] || fail 'readers at the same time get other pages'
(exec 3<>"/dev/tcp/127.0.0.1/$port" && printf '\0\377\r\n\r\n' >&3)
answers 200 GET / localhost
# On loopback alone.
grep -q ' 0100007F:' <(awk -v port="$(printf %04X "$port")" '$2 ~ ":" port "$" && $4 == "0A"' /proc/net/tcp | sed 's/^/ /') ||
  fail 'it does not listen on 127.0.0.1 alone'

"$program" serve "$work/run.db" --port "$port" >"$work/out" 2>"$work/err"
[[ $? -eq 1 && $(wc -l <"$work/err") -eq 1 ]] || fail 'a port that is in use'
grep -q 'cannot listen on 127.0.0.1 port' "$work/err" || fail 'no reason'

if command -v chromium >/dev/null; then
  chromium --headless --no-sandbox --disable-gpu --user-data-dir="$work/chromium" --dump-dom "http://127.0.0.1:$port/" \
    >"$work/dom" 2>"$work/err" || fail 'the browser fails'
  grep -q '<svg\|<canvas' "$work/dom" || fail 'the browser draws nothing'
fi
kill -TERM $server
wait $server || fail 'a signal is a failure'
[[ $(cksum <"$work/run.db") == "$sum" ]] || fail 'the database was written'

# The metrics of one are those of the report; a node's name is a label.
serves
answers 200 GET /metrics localhost
grep -qi '^content-type: application/openmetrics-text' "$work/answer" || fail 'metrics are no OpenMetrics'
"$program" report --format openmetrics "$work/run.db" >"$work/metrics"
sed '1,/^\r$/d' "$work/answer" | cmp -s - "$work/metrics" || fail '/metrics is not what the report prints'
! grep -vqE '^(#|carrierscope_[a-z_]+\{node=")' "$work/metrics" || fail "a metric without its node: $(grep -vE '^(#|carrierscope_[a-z_]+\{node=")' "$work/metrics" | head -n 2)"
! grep -q 'file="' "$work/metrics" || fail 'the only file is a label'
kill -TERM $server
wait $server

# Several: a list of them, the page of each, the metrics of all with their files, and one that is no longer there.
cp "$work/run.db" "$work/<b>other.db"
serves "$work/<b>other.db"
grep -q '^2 databases on ' "$work/log" || fail "of two it prints $(cat "$work/log")"
answers 200 GET / localhost
grep -q '<a href="/1/">.*run[.]db</a>' "$work/answer" && grep -q '<a href="/2/">.*&lt;b&gt;other[.]db</a>' "$work/answer" ||
  fail "the list of databases: $(cat "$work/answer")"
sentence=$(sqlite3 "$work/run.db" "SELECT substr(json ->> '\$.sentence', 1, 30) FROM answer WHERE rank = 1")
[[ $(grep -cF "$sentence" "$work/answer") -eq 2 ]] || fail "the list has no '$sentence'"
answers 200 GET /1/ localhost
sed '1,/^\r$/d' "$work/answer" | diff - "$work/page.html" >/dev/null || fail 'the first page is not that of the report'
answers 200 GET /2/ localhost
for path in /0/ /3/ /1 /01/ /1x/ /-1/ /18446744073709551617/; do
  answers 404 GET "$path" localhost
done
answers 200 GET /metrics localhost
for file in "$work/run.db" "$work/<b>other.db"; do
  grep -qF "carrierscope_carriers_bytes{file=\"$file\",node=\"" "$work/answer" || fail "no metric of $file"
done
[[ $(sed '1,/^\r$/d' "$work/answer" | grep -c '^# TYPE carrierscope_carriers_bytes ') -eq 1 ]] || fail 'a family is there twice'
rm "$work/<b>other.db"
answers 200 GET / localhost
grep -q 'other[.]db</a></td><td></td><td></td><td>cannot be read' "$work/answer" || grep -q 'other[.]db</a>.*cannot be read' "$work/answer" ||
  fail 'a database that is gone is not named'
answers 200 GET /metrics localhost
grep -q '^carrierscope_carriers_bytes' "$work/answer" || fail 'one that is gone takes the metrics of the others along'
kill -TERM $server
wait $server

# `open` starts a browser where there is a display, and serves anyhow.
mkdir "$work/bin"
printf '#!/bin/sh\necho "$1" >"%s"\n' "$work/opened" >"$work/bin/xdg-open"
chmod +x "$work/bin/xdg-open"
for display in '' :9; do
  rm -f "$work/opened"
  : >"$work/log"
  DISPLAY=$display PATH=$work/bin:$PATH "$program" open "$work/run.db" --port 0 >"$work/log" 2>"$work/err" &
  server=$!
  for ((i = 0; i < 1000; i++)); do
    grep -q ' on http://' "$work/log" && [[ -z $display || -s $work/opened ]] && break
    sleep 0.1
  done
  url=$(sed -n 's/.* on \(http:[^ ]*\) .*/\1/p' "$work/log")
  [[ $url == http://127.0.0.1:*/ ]] || fail "open prints $(cat "$work/log")"
  [[ $(cat "$work/opened" 2>/dev/null) == "${display:+$url}" ]] || fail "with display '$display' it opens '$(cat "$work/opened" 2>/dev/null)'"
  kill -TERM $server
  wait $server || fail 'open ends with a failure'
done
server=

# One that takes the place of another is shown.
serves
answers 200 GET / localhost
sqlite3 "$work/run.db" ".backup '$work/other.db'" "ATTACH '$work/other.db' AS o" "UPDATE o.runtime SET procname = 'taken-over'" \
	'DELETE FROM o.judgement'
mv "$work/other.db" "$work/run.db"
answers 200 GET / localhost
grep -q 'taken-over' "$work/answer" || fail 'the page of a database that was replaced is shown'
kill -TERM $server
wait $server

# Who has what was made is told so, until the database changes.
# polls CODE: asks with the tag of the last answer.
polls() {
  exec 3<>"/dev/tcp/127.0.0.1/$port" || return
  printf 'GET / HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: %s\r\nConnection: close\r\n\r\n' "$tag" >&3
  cat <&3 >"$work/answer"
  exec 3<&-
  [[ $# -eq 0 ]] || grep -q "^HTTP/1.1 $1 " "$work/answer" || fail "a poll: not $1: $(head -n 1 "$work/answer")"
  tag=$(sed -n 's/^[Ee][Tt][Aa][Gg]: \([^\r]*\)\r$/\1/p' "$work/answer")
}
sqlite3 "$work/run.db" 'UPDATE source SET complete = 0'
serves
tag=none
polls 200
[[ $tag == '"carrierscope-'*'"' ]] || fail "a page has the tag '$tag'"
polls 304
[[ $(sed '1,/^\r$/d' "$work/answer" | wc -c) -eq 0 ]] || fail '304 has a body'
sleep 2.5
polls 304
changes "UPDATE glossary SET meaning = 'changed' WHERE term = 'block'"
for ((i = 0; i < 1000; i++)); do
  polls
  ! grep -q '^HTTP/1.1 200 ' "$work/answer" || break
  sleep 0.1
done
grep -q '>changed</td>' "$work/answer" || fail 'a poll does not see what has changed'

# A database that changes all the time: pages take a tenth of the time, and one more that was begun before.
# cpu_ms: of the server until now.
cpu_ms() {
  awk -v ticks="$(getconf CLK_TCK)" '{ sub(/^.*\) /, ""); print int(($12 + $13) * 1000 / ticks) }' "/proc/$server/stat"
}
one=$(cpu_ms)
changes "UPDATE glossary SET meaning = 'once more' WHERE term = 'block'"
# A page stays for ten times what it took.
for ((i = 0; i < 2000; i++)); do
  polls
  ! grep -q '^HTTP/1.1 200 ' "$work/answer" || break
  sleep 0.1
done
((i < 2000)) || fail 'a change is never seen'
one=$(($(cpu_ms) - one))
before=$(cpu_ms)
begin=$(date +%s%N)
for ((i = 0; i < 60; i++)); do
  changes "UPDATE glossary SET meaning = 'number $i' WHERE term = 'block'"
  polls
  sleep 0.1
done
((ms = ($(date +%s%N) - begin) / 1000000, used = $(cpu_ms) - before))
echo "of $ms ms pages and answers take $used ms; one page takes $one ms"
((used < ms / 10 + 2 * one + 200)) || fail "pages take $used of $ms ms, one takes $one ms"
kill -INT $server
wait $server
server=

# In a browser: new data, and all that was chosen stays.
if command -v chromium >/dev/null && command -v node >/dev/null; then
  serves
  node "$here/../page/live_test.mjs" chromium "http://127.0.0.1:$port/" "$work/run.db" || failures=$((failures + 1))
  kill -TERM $server
  wait $server
  server=
fi

# The last changes of a database in WAL mode are in its log, while another program has it open.
sqlite3 "$work/run.db" 'UPDATE source SET complete = 1' 'PRAGMA journal_mode = WAL' >"$work/out"
serves
answers 200 GET / localhost
exec 4> >(exec sqlite3 "$work/run.db" >"$work/out" 2>&1)
writer=$!
echo "UPDATE runtime SET procname = 'in-the-log';" >&4
is_in_the_log() { [[ -s $work/run.db-wal && $(sqlite3 "$work/run.db" 'SELECT DISTINCT procname FROM runtime') == in-the-log ]]; }
waits is_in_the_log || fail 'nothing is in the log of the database'
answers 200 GET / localhost
grep -q 'in-the-log' "$work/answer" || fail 'the page is older than the log of the database'
kill -TERM $server
wait $server
exec 4>&-
wait $writer
sqlite3 "$work/run.db" 'PRAGMA journal_mode = DELETE' >"$work/out"

# now_ms: milliseconds.
now_ms() {
  echo $(($(date +%s%N) / 1000000))
}
# ends_at_once SIGNAL: the server ends within a second; more on a busy machine.
ends_at_once() {
  local begin
  begin=$(now_ms)
  kill "-$1" $server
  wait $server || fail "SIG$1 is a failure"
  ((ms = $(now_ms) - begin))
  ((ms < 60000)) || fail "SIG$1 takes $ms ms"
}

# answers_soon CODE COMMAND...: after the command, the first page in less than the 5 s that others are waited for at least, in
# one of five tries: a machine may be busy.
answers_soon() {
  local code=$1 try begin
  shift
  for try in 1 2 3 4 5; do
    "$@"
    begin=$(now_ms)
    answers "$code" GET / localhost
    ((ms = $(now_ms) - begin, ms >= 4000)) || return 0
  done
  fail "answer $code takes $ms ms in try $try, while others wait"
}

slow=()
goes_away() {
  local fd
  for fd in "${slow[@]}"; do
    exec {fd}<&-
  done
  slow=()
}
# Twenty clients that send a part of a request.
asks_slowly() {
  local i
  goes_away
  for ((i = 0; i < 20; i++)); do
    exec {fd}<>"/dev/tcp/127.0.0.1/$port"
    slow+=("$fd")
    printf 'GET / HTTP/1.1\r\nHost: local' >&"$fd"
  done
}

# Slow clients hold nobody: neither those that send a request byte by byte nor those that read no answer.
serves
answers_soon 200 asks_slowly
last=${slow[-1]}
# A byte each second puts nothing off.
begin=$(now_ms)
(
  trap '' PIPE
  while printf x >&"$last" && (($(now_ms) - begin < 180000)); do
    sleep 1
  done
) 2>/dev/null
((ms = $(now_ms) - begin))
((ms < 120000)) || fail "a request that never ends is waited for: $ms ms"
goes_away
ends_at_once INT

# A page that is never made: others are answered, the seventeenth who waits for it at once; a signal ends it.
# Not a view that is made anew where a judgement is missing, as it is here: it would hide this one.
sqlite3 "$work/run.db" 'DROP TABLE glossary' 'CREATE VIEW glossary AS
  WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)
  SELECT x AS term, x AS meaning FROM n WHERE x < 0'
serves
waiters=()
for ((i = 0; i < 16; i++)); do
  exec {fd}<>"/dev/tcp/127.0.0.1/$port"
  waiters+=("$fd")
  printf 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n' >&"$fd"
done
# They wait once the server has read what they ask.
has_read_all() {
  [[ $(cat /proc/net/tcp | awk -v port="$(printf %04X "$port")" '$2 ~ ":" port "$" && $4 == "01" && $5 ~ /:0+$/ { count++ } END { print count + 0 }') -ge 16 ]]
}
waits has_read_all || fail 'the server does not read'
sleep 1
answers_soon 503 true
grep -qi '^retry-after:' "$work/answer" || fail 'the seventeenth is not told to try again'
ends_at_once TERM
for fd in "${waiters[@]}"; do
  exec {fd}<&-
done
server=

# `top` hears a signal, too.  Without figures it reads the last counters.
sqlite3 "$work/run.db" 'DELETE FROM figure' 'DROP VIEW utilisation_now_allocator' 'CREATE VIEW utilisation_now_allocator AS
  WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)
  SELECT 1 AS source_id, 1 AS runtime_id, x AS vpid, 1 AS allocator, 1 AS carriers_bytes, 1 AS blocks_bytes FROM n WHERE x < 0'
"$program" top --once "$work/run.db" >"$work/out" 2>"$work/err" &
server=$!
# It hears TERM (bit 14) once it says so.
hears_signals() {
  local caught
  caught=$(sed -n 's/^SigCgt:[^0-9a-f]*/0x/p' "/proc/$server/status" 2>/dev/null)
  ((${caught:-0} >> 14 & 1)) || ! kill -0 $server 2>/dev/null
}
waits hears_signals
sleep 1
begin=$(now_ms)
kill -TERM $server || fail "top ended: $(cat "$work/err")"
wait $server
status=$?
((ms = $(now_ms) - begin))
[[ $status -eq 130 && ! -s $work/out && ! -s $work/err ]] || fail "top that was ended: $status, $(cat "$work/out" "$work/err")"
((ms < 60000)) || fail "top ends $ms ms after a signal"
server=

refused() {
  local wanted=$1 text=$2
  shift 2
  local before
  before=$(left)
  "$program" serve "$@" >"$work/out" 2>"$work/err"
  local status=$?
  [[ $status -eq $wanted && $(wc -l <"$work/err") -eq 1 ]] || fail "serve $* ends with $status"
  grep -q -- "$text" "$work/err" || fail "serve $*: no '$text'"
  [[ $(left) == "$before" ]] || fail "serve $*: left behind: $(left)"
}
refused 1 'is not an address' "$work/run.db" --address example.com
refused 1 'none.db' "$work/none.db"
refused 1 'is not a carrierscope database' "$work/page.html"
refused 2 'a database is needed' --port 0
refused 2 'a number from 0' "$work/run.db" --port 70000
rm -f "$work/err"
ends
