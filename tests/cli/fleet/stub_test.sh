#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# stub_test.sh CARRIERSCOPE TRACE: `push` and `fleet` against servers that are slow, wrong, not there or not to be
# trusted: a bounded wait, one sentence, and no password where others could read it.  What is sent of holders.
. "$(dirname "$0")/../../harness/main.sh"
tests_program "$1"
trace=$2
stub=

cleanup() {
  [[ -z $stub ]] || kill "$stub" 2>/dev/null
}

needs node sqlite3
"$program" load -o "$work/run.db" "$trace" 2>"$work/err" || fail "the trace is not loaded"

# Of holders those of view holder are sent, the 20 largest: of a dump, and of samples by who made them.
"$program" load -o "$work/dump.db" "$here/../../readers/data/references.dump" 2>"$work/err" || fail "the dump is not loaded"
cp "$work/run.db" "$work/samples.db"
sqlite3 "$work/samples.db" "WITH RECURSIVE k(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM k WHERE n < 30)
  INSERT INTO sample_alloc_by_process (ts_ns, runtime_id, address, size_bytes, type_id, allocator_id, instance, weight_micro, process)
  SELECT s.last_ts_ns - 9, 1, 4096 * n, 1000 * n, 7, 4, 1, 4000000, iif(n % 5, n, 0) FROM source AS s, k" &&
  "$(dirname "$program")/../tests/harness/judge_file" "$work/samples.db" || fail "samples cannot be judged"
for name in dump samples; do
  "$program" push "$work/$name.db" -o "$work/$name.push" 2>"$work/err" || fail "$name: nothing is written"
  tr -d "\000" <"$work/$name.push" |
    awk -F"\t" 'NF == 13 && $13 ~ /^(exact|bound|estimate)$/ { print $7 "|" $10 "|" $11 "|" $12 "|" $13 }' >"$work/sent"
  sqlite3 "$work/$name.db" "SELECT row_number() OVER (ORDER BY bytes DESC), kind, name, bytes, quality FROM holder
    WHERE kind NOT IN ('nobody', 'temporary') AND bytes > 0 ORDER BY bytes DESC LIMIT 20" >"$work/held"
  [[ -s $work/held ]] && cmp -s "$work/sent" "$work/held" ||
    fail "$name: holders differ: $(diff "$work/sent" "$work/held")"
done

# begins_stub MODE...: $to is its address.
begins_stub() {
  cleanup
  rm -f "$work/port"
  mkfifo "$work/port"
  node "$here/stub.mjs" "$@" >"$work/port" 2>"$work/stub" &
  stub=$!
  read -r port <"$work/port" || skip "no server can be started here: $(cat "$work/stub")"
  to=http://127.0.0.1:$port/fleet
}

# refused TEXT ARGUMENT...: ends with 1, in one sentence, which has TEXT.
refused() {
  local text=$1
  shift
  timeout 400 "$program" "$@" >"$work/out" 2>"$work/err"
  local status=$?
  [[ $status -eq 1 ]] || fail "$* ends with $status, not 1"
  [[ $(wc -l <"$work/err") -eq 1 ]] && grep -qF -- "$text" "$work/err" || fail "$*: not one sentence with '$text'"
}

for mode in silent slow; do
  begins_stub $mode
  for command in "push $work/run.db" "fleet init" "fleet report leak"; do
    # shellcheck disable=SC2086
    refused 'did not answer in time (1 s)' $command --to "$to" --timeout 1
  done
done
begins_stub page
refused 'does not answer as a fleet does' push "$work/run.db" --to "$to"
refused 'does not answer as a fleet does' fleet report --to "$to"
refused 'is not ClickHouse' fleet init --to "$to"
# One that is a fleet's at first: a page took nothing.
for number in 1 2; do
  begins_stub proxy $number
  refused 'does not answer' push "$work/run.db" --to "$to"
done
# One that says nothing to an insertion, as a fleet does, and has nothing; one that takes small requests alone.
begins_stub loses
refused 'but has only 0 of' push "$work/run.db" --to "$to"
begins_stub proxy 99
refused 'does not answer as a fleet does' push "$work/run.db" --to "$to"
begins_stub full 2
refused 'takes no request as large as this one (status 413)' push "$work/run.db" --to "$to"
begins_stub redirect
refused 'it answers with status 302' push "$work/run.db" --to "$to"
begins_stub broken
refused 'cannot reach' push "$work/run.db" --to "$to"
cleanup
wait "$stub" 2>/dev/null
stub=
refused 'cannot reach' push "$work/run.db" --to "$to"

# How long rows are kept is told to a new server, also of tables that are there: a recording by when it came.
for version in 0 4; do
  rm -f "$work/asked"
  ROWS=$work/asked begins_stub tables $version
  "$program" fleet init --to "$to" --keep 30d 2>"$work/err" || fail "init --keep: $(cat "$work/err")"
  wanted=$([[ $version -eq 0 ]] && echo 0 || echo 5)
  [[ $(grep -c '^ALTER TABLE fleet\.[a-z_]* MODIFY TTL [a-z_]* + INTERVAL 30 DAY$' "$work/asked") -eq $wanted ]] || fail "tables of version $version: $(grep ALTER "$work/asked")"
  grep -q '^CREATE TABLE IF NOT EXISTS fleet.recording .* TTL pushed_at + INTERVAL 30 DAY$' "$work/asked" || fail "recordings are not kept by when they came"
  [[ $(grep -c '^CREATE TABLE .* TTL ' "$work/asked") -eq 5 ]] || fail "not all tables are bounded"
done
ROWS=$work/asked begins_stub tables 4
rm -f "$work/asked"
"$program" fleet upgrade --to "$to" 2>"$work/err" && ! grep ALTER "$work/asked" || fail "an upgrade changes how long rows are kept"
kill "$stub"
wait "$stub" 2>/dev/null
stub=
to=http://127.0.0.1:1/fleet

# Names and passwords.
printf 'me\nsecret\n' >"$work/open"
chmod 644 "$work/open"
refused 'other users can read' push "$work/run.db" --to "$to" --credentials "$work/open"
chmod 600 "$work/open"
refused 'in clear text; use https' push "$work/run.db" --to http://fleet.invalid:8123/fleet --credentials "$work/open"
refused 'in clear text; use https' push "$work/run.db" --to http://127.fleet.invalid:8123/fleet --credentials "$work/open"
# What is for this machine goes to no proxy.
http_proxy=http://127.0.0.1:9/ refused "port 1 after" push "$work/run.db" --to http://127.0.0.1:1/fleet --credentials "$work/open"
refused 'may not have a name or password' push "$work/run.db" --to http://me:secret@127.0.0.1:1/fleet
! grep -q secret "$work/err" || fail "the password is repeated"
for address in ftp://127.0.0.1/fleet http://127.0.0.1:1/ 'http://127.0.0.1:1/fl-eet' 'http://127.0.0.1:1/fleet?user=x' 'http://127.0.0.1:1/a;b'; do
  refused "'$address'" push "$work/run.db" --to "$address"
done

# A certificate that nobody vouches for.
if openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 \
  -keyout "$work/key" -out "$work/certificate" >"$work/log" 2>&1; then
  KEY=$work/key CERTIFICATE=$work/certificate begins_stub tls
  refused 'certificate' push "$work/run.db" --to "https://127.0.0.1:$port/fleet"
  refused 'does not answer as a fleet does' push "$work/run.db" --to "https://127.0.0.1:$port/fleet" --ca "$work/certificate"
else
  echo "not tested: there is no openssl here to make a certificate with"
fi
ends
