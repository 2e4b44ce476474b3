#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# example_test.sh BUILD EXAMPLES NAME: EXAMPLES/NAME.sh records, loads and answers with the programs of
# BUILD.  NAME is quickstart or stock-node.
. "$(dirname "$0")/../harness/main.sh"
own_daemon "$@"
build=$1 examples=$2 name=$3

# shown TEXT...: each is in what the script prints.
shown() {
  for text; do
    grep -qE -- "$text" "$work/out" || fail "$name prints no '$text'"
  done
}

needs lttng lttng-sessiond babeltrace2 sqlite3
if [[ $name == stock-node ]]; then
  needs erl erlc
  [[ -f $build/provider/beam/ebin/carrierscope.beam ]] || skip "this build has no module carrierscope"
fi
"$BASH" "$examples/$name.sh" --build-dir "$build" "$work/$name.db" >"$work/out" 2>"$work/err"
status=$?
[[ $status -eq 0 ]] || fail "$name ends with $status: $(tail -n 5 "$work/out")"
mv "$work/err" "$work/err.seen"

case $name in
quickstart)
  shown '^FRAGMENTATION: ' 'binary_alloc' 'Figures: exact'
  # Its last lines: what records a node, or how to get it.
  if [[ -f $build/provider/beam/ebin/carrierscope_nif.so ]]; then
    shown 'stock-node[.]sh$'
  else
    shown 'was not built: erlang-base' 'install-packages[.]sh run node'
  fi
  verdict=fragmentation
  ;;
stock-node)
  shown 'Erlang/OTP' '^[A-Z][A-Z ,]*: ' 'ets_alloc|binary_alloc' '<0\.[0-9]+\.0>' 'total'
  ! grep -q "Failed to eval" "$work/err.seen" "$work/out" || fail "the node ends with 'Failed to eval'"
  verdict=
  ;;
esac
for query in "SELECT complete AND lost_events = 0 FROM source|1" \
  "SELECT count(*) > 1000 FROM block_event|1"; do
  got=$(sqlite3 "$work/$name.db" "${query%|*}")
  [[ $got == "${query#*|}" ]] || fail "$name: ${query%|*}: '$got'"
done

# The page, where the build has one.
if grep -q 'the page with all figures' "$work/out"; then
  page=$work/$name.html
  [[ -s $page ]] || fail "there is no page '$page'"
  verdict=${verdict:-$(sqlite3 "$work/$name.db" "SELECT verdict FROM verdict WHERE level = 'runtime'")}
  grep -qi -- "$verdict" "$page" || fail "the page has no verdict '$verdict'"
  if command -v node >/dev/null && command -v chromium >/dev/null; then
    node "$(dirname "$0")/../page/page_test.mjs" chromium "$build/analyzer/carrierscope" "$work/$name.db" ||
      fail 'the page in a browser'
  else
    echo 'the page is not drawn: node or chromium is missing'
  fi
else
  grep -q 'node\|npm' "$work/err.seen" || fail "there is no page: $(cat "$work/err.seen")"
  echo 'the page is not looked at: this build has none'
fi
ends
