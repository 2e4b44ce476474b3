#!/bin/sh
# SPDX-License-Identifier: MIT
# boot_lines.sh ERL EBIN BEAMS: the line of provider/beam/README.md for a node's boot, which it never ends.  No
# session daemon answers.
. "$(dirname "$0")/../harness/main.sh"
own_daemon "$@"
erl=$1
ebin=$2
beams=$3
plain_erl
export LTTNG_HOME="$work"

# line DIR OPTIONS: that of README, with another folder and other options.
line() {
	sed -n "/^-pa DIR -eval /{s!DIR!$1!; s!boot([^;]*);!boot($2);!p}" "$here/../../provider/beam/README.md"
}

# boots APPLICATION BOOTED SENTENCE ARGUMENT...: a node with these arguments boots; what it records when its
# application starts and when it has booted, and how what is logged begins, in one line; nothing is, if empty.
boots() {
	expected="application: $1
booted: $2"
	sentence=$3
	shift 3
	(cd "$work" && "$erl" -noinput "$@" -pa "$beams" -run beam_boot ends) >"$work/out" 2>&1 ||
		fail "with '$*' the boot ends with $?: $(cat "$work/out")"
	[ "$(grep -e '^application: ' -e '^booted: ' "$work/out")" = "$expected" ] ||
		fail "with '$*', not $expected: $(cat "$work/out")"
	# That nobody listens is said of each that records.
	grep -v '^carrierscope: no session of LTTng listens' "$work/out" >"$work/ours"
	logged=$(grep '^carrierscope' "$work/ours")
	[ "${logged#"$sentence"}" != "$logged" ] || [ -z "$sentence$logged" ] ||
		fail "with '$*', not '$sentence...': $(cat "$work/out")"
	[ "$(grep -c '^carrierscope' "$work/ours")" -le 1 ] || fail "with '$*', more than one line: $logged"
}

(cd "$work" && "$erl" -noinput -pa "$beams" -run beam_boot release "$beams") >"$work/out" 2>&1 ||
	fail "no release: $(cat "$work/out")"
mkdir "$work/alone" "$work/no_library"
cp "$ebin/carrierscope.beam" "$work/alone"
cp "$ebin"/*.beam "$work/no_library"
[ -n "$(line x y)" ] || fail 'README has no line'

# release DIR OPTIONS BOOTED SENTENCE: of a release with the line in its vm.args; what it names at boot alone is
# loaded by itself, and its applications start before.
release() {
	printf '# Of a release.\n-mode embedded\n%s\n' "$(line "$1" "$2")" >"$work/vm.args"
	boots none "$3" "$4" -boot boot_release -args_file "$work/vm.args"
}
release "$ebin" '[{sample,{count,3}}]' '{sample,{count,3}}' ''
release "$ebin" '' '{sample,none}' ''
release "$work/nothing" '' none 'carrierscope records nothing because loading it failed with nofile'
release "$work/alone" '' refused 'carrierscope: module carrierscope_hook is not loaded: nofile'
release "$work/no_library" '' refused 'carrierscope: the library of carrierscope_nif is not loaded: '
release "$ebin" '[{sample,often}]' nothing "carrierscope: option 'sample' is none, {bytes, N} or {count, N}"
release "$ebin" '[{sample,none}|x]' nothing 'carrierscope: options are a map or a list'

# As words that a script makes of a variable, before and after what starts the application; in the environment.
set -f
application="-pa $work -pa $beams -eval application:start(beam_boot)"
words=$(line "$ebin" '[{sample,{count,3}}]')
# shellcheck disable=SC2086
{
	boots '{sample,{count,3}}' '{sample,{count,3}}' '' $words $application
	boots none '{sample,{count,3}}' '' $application $words
	export ERL_AFLAGS="$words"
	boots '{sample,{count,3}}' '{sample,{count,3}}' '' $application
	ERL_AFLAGS=$(line "$work/nothing" '')
	boots none none 'carrierscope records nothing because' $application
}
unset ERL_AFLAGS

# A unit of systemd: what its own parser makes of the line, by a dry run, which is refused to root.
as_nobody() {
	if [ "$(id -u)" = 0 ]; then
		chown -R nobody "$1" && setpriv --reuid=nobody --regid=nogroup --clear-groups "$2" "$1"
	else
		"$2" "$1"
	fi
}
if [ -x /lib/systemd/systemd ]; then
	unit=$(mktemp -d)
	trap 'rm -rf "$work" "$unit"' EXIT
	printf '[Service]\nEnvironment="ERL_AFLAGS=%s"\nExecStart=/bin/true\n' "$words" >"$unit/node.service"
	printf '#!/bin/sh\nexport XDG_RUNTIME_DIR="$1" HOME="$1" SYSTEMD_UNIT_PATH="$1:/usr/lib/systemd/user"\n%s\n' \
		'exec timeout 400 /lib/systemd/systemd --user --test --unit=node.service' >"$unit/dry_run"
	chmod 755 "$unit/dry_run"
	as_nobody "$unit" "$unit/dry_run" >"$work/out" 2>&1
	grep -qxF "Environment: ERL_AFLAGS=$words" <<-END || fail "systemd reads the line otherwise: $(tail -n 3 "$work/out")"
		$(sed -n 's/^[[:space:]]*\(Environment:\)/\1/p' "$work/out")
	END
fi
ends
