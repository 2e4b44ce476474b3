#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# first_steps_test.sh SOURCES: what the scripts for users print where something is missing: the native module, or
# /sys; and no line that installs runs tests.  LTTng is a stub here.
. "$(dirname "$0")/../harness/main.sh"
sources=$1
cd "$sources" || exit 1

# Steps of the workflows that README installs by.
for preset in $(sed -n '/^To install/,/^$/p' README.md | grep -o 'workflow --preset [a-z]*' | sed 's/.* //'); do
  grep "{ \"name\": \"$preset\", \"steps\"" CMakePresets.json >"$work/preset" || fail "there is no workflow '$preset'"
  ! grep -q '"type": "test"' "$work/preset" || fail "workflow '$preset', which installs, runs tests"
  echo "$preset" >>"$work/presets"
done
[[ $(sort -u "$work/presets" | tr '\n' ' ') == 'package release ' ]] || fail "README installs by $(cat "$work/presets")"

# prints COMMAND: with the functions that the scripts share, in build/.
prints() {
  (cd "$work" && . "$sources/examples/session-daemon.sh" && . <(sed '/session-daemon/d' "$sources/examples/parts.sh") &&
    session=some && build=$work/build && eval "$1") >"$work/out" 2>&1
}
mkdir -p "$work/build/provider/beam/ebin"
prints prints_next_node
grep -q 'was not built: erlang-base' "$work/out" && grep -q 'install-packages[.]sh run node && cmake --workflow --preset release$' "$work/out" ||
  fail "without the module: $(cat "$work/out")"
touch "$work/build/provider/beam/ebin/carrierscope_nif.so"
prints prints_next_node
grep -q 'examples/stock-node[.]sh$' "$work/out" || fail "with the module: $(cat "$work/out")"

# An LTTng that would write CTF 2 is asked for what every reader has; those before do not know the option.
mkdir "$work/versions"
for version in 2.9.4 2.13.9 2.14.0 2.15.0 2.16.1 3.0.0; do
  printf '#!/bin/sh\n[ "$1" = --version ] && echo "lttng (LTTng Trace Control) %s - a name" || echo "$@"\n' $version >"$work/versions/lttng"
  chmod +x "$work/versions/lttng"
  (PATH=$work/versions:$PATH && . examples/session-daemon.sh && creates_session some --output=there)
done >"$work/out"
option=' --trace-format=ctf-1.8'
printf 'create some --output=there%s\n' '' '' '' "$option" "$option" "$option" >"$work/want"
cmp -s "$work/want" "$work/out" || fail "sessions are made by: $(cat "$work/out")"

# LTTng that refuses a channel, as it does without /sys; where /sys may be hidden.
mkdir "$work/bin"
printf '#!/bin/sh\n[ "$1" != enable-channel ]\n' >"$work/bin/lttng"
chmod +x "$work/bin/lttng"
PATH=$work/bin:$PATH
prints has_processors || fail "with /sys: $(cat "$work/out")"
cat >"$work/hidden" <<END
mount -t tmpfs none /sys && session=some work=$work && . '$sources/examples/session-daemon.sh' && . <(sed '/session-daemon/d' '$sources/examples/parts.sh') && has_processors
END
if unshare -m --propagation private true 2>/dev/null; then
  ! unshare -m --propagation private "$BASH" "$work/hidden" >"$work/out" 2>&1 || fail 'without /sys LTTng is believed'
  grep -qx 'LTTng records nothing here, since there is no /sys: mount it (mount -t sysfs sysfs /sys)' "$work/out" ||
    fail "without /sys: $(cat "$work/out")"
else
  echo '/sys cannot be hidden here: not tried without it'
fi
ends
