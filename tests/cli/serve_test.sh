#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# serve_test.sh CARRIERSCOPE TRACE: `carrierscope serve`: the page in a browser, also of a database that grows; who is
# refused; nothing is written.
set -u
harness=$(dirname "$0")/../harness
# shellcheck source=../harness/program.sh
. "$harness/program.sh"
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
  for ((i = 0; i < 300; i++)); do
    port=$(sed -n 's,.* is shown on http://.*:\([0-9]*\)/ until an interrupt$,\1,p' "$work/log")
    [[ -n $port ]] && return
    grep -q 'built without libmicrohttpd' "$work/err" && skip 'built without libmicrohttpd'
    sleep 0.1
  done
  fail "serve $* does not listen"
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
grep -qi '^refresh:' "$work/answer" && fail 'a complete database is refreshed'
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

# One that grows is made again, and the page refreshes itself.
sqlite3 "$work/run.db" 'UPDATE source SET complete = 0'
serves
answers 200 GET / localhost
grep -qi '^refresh: 30' "$work/answer" || fail 'a growing database is not refreshed'
kill -INT $server
wait $server
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
