#!/bin/sh
# SPDX-License-Identifier: MIT
#
# install_test.sh BUILD SOURCES MADE TRACE: the packages of BUILD in MADE install into an empty root, work
# from there with the libraries of this machine, and leave nothing when they are removed; `cmake --install` and
# the tar have the same files; examples/container copies only what there is.
. "$(dirname "$0")/../harness/main.sh"
build=$1 sources=$2 made=$3 trace=$4
plain_erl
needs dpkg dpkg-deb babeltrace2 readelf

# runs WHAT COMMAND...: it succeeds; its output is $work/out.
runs() {
	what=$1
	shift
	"$@" >"$work/out" 2>"$work/err" || fail "$what: exit status $?"
	: >"$work/err"
}

# same WHAT EXPECTED GOT: two files of lines in any order.
same() {
	sort "$2" >"$work/expected"
	sort "$3" | diff "$work/expected" - >"$work/err" || fail "$1"
	: >"$work/err"
}

ls "$made"/*.deb >/dev/null 2>&1 || skip "no packages were made"
cd "$work" || exit 1
ln -s "$made" packages
program=$(echo packages/carrierscope_*.deb)
erlang=$(echo packages/carrierscope-erlang_*.deb)
tar=$(echo packages/carrierscope-*.tar.gz)
has_erlang=true
[ -f "$build/provider/beam/ebin/carrierscope.beam" ] || {
	has_erlang=false
	erlang=
	echo 'this build has no module carrierscope'
}

# An empty root, with a database of dpkg.
root=$work/root
db=$root/var/lib/dpkg
mkdir -p "$db/info" "$db/updates"
touch "$db/status" "$db/available"
fake=
if [ "$(id -u)" != 0 ]; then
	command -v fakeroot >/dev/null || skip "dpkg installs for root only, and there is no fakeroot here"
	fake=fakeroot
fi
root_dpkg() {
	$fake dpkg --root="$root" --log="$work/dpkg.log" --force-depends --force-not-root --force-script-chrootless "$@"
}
# shellcheck disable=SC2086
runs 'dpkg --install' root_dpkg --install "$program" $erlang
(cd "$root" && for sums in var/lib/dpkg/info/*.md5sums; do md5sum --quiet -c "$sums" || exit 1; done) ||
	fail 'md5sums differ'
(cd "$root" && find . -type f ! -path './var/*') | sed 's,^[.]/usr/,,' >installed

# Where other programs look for these.
usr=$root/usr
plugins=$(babeltrace2 list-plugins | sed -nE 's,^ *Path: /usr/(.*)/babeltrace-plugin-ctf.so$,\1,p')
applications=
[ $has_erlang = false ] || applications=$(erl -noinput -eval 'io:put_chars(code:lib_dir()), halt().' | sed 's,^/usr/,,')
for file in bin/carrierscope bin/carrierscope-twin "$plugins/babeltrace-plugin-carrierscope.so" \
	share/man/man1/carrierscope.1.gz share/man/man1/carrierscope-twin.1.gz share/man/man7/carrierscope-schema.7.gz \
	share/man/man7/babeltrace2-sink.carrierscope.sqlite.7.gz share/bash-completion/completions/carrierscope \
	share/bash-completion/completions/carrierscope-twin share/zsh/vendor-completions/_carrierscope \
	share/fish/vendor_completions.d/carrierscope.fish lib/systemd/system/carrierscope-keep@.service \
	share/doc/carrierscope/examples/monitoring/carrierscope.rules.yml share/doc/carrierscope/examples/monitoring/dashboard.json \
	share/doc/carrierscope/examples/fleet/dashboard.json \
	share/doc/carrierscope/copyright share/doc/carrierscope/changelog.gz \
	share/doc/carrierscope/answer.schema.json share/doc/carrierscope/examples/workloads/load-peak.workload; do
	[ -s "$usr/$file" ] || fail "not installed: $file"
done
for file in "$usr"/bin/* "$usr/$plugins"/*.so "$usr/$applications"/*/priv/*.so; do
	! readelf -d "$file" 2>/dev/null | grep -E 'R(UN)?PATH' || fail "$file looks for libraries in a build"
done

# apt takes the half for nodes along.
dpkg-deb -f "$program" Recommends | tr ',' '\n' | grep -qx ' *carrierscope-erlang' ||
	fail "Recommends: $(dpkg-deb -f "$program" Recommends)"

# They run from there.
runs 'installed carrierscope' "$usr/bin/carrierscope" load -o run.db "$trace"
runs 'installed carrierscope' "$usr/bin/carrierscope" report summary run.db
runs 'installed twin' "$usr/bin/carrierscope-twin" --no-trace --scale=1 \
	--workload "$usr/share/doc/carrierscope/examples/workloads/load-peak.workload"
runs 'installed plugin' babeltrace2 --plugin-path="$usr/$plugins" "$trace" -c sink.carrierscope.sqlite -p 'path="bt.db"'
[ -s bt.db ] || fail 'the installed plugin writes no database'

# The application is where Erlang looks, and has its own libraries; the manual page names all of the module.
if [ $has_erlang = true ]; then
	ERL_LIBS=$usr/$applications LTTNG_HOME=$work LTTNG_UST_REGISTER_TIMEOUT=0 runs 'installed application' \
		erl -noinput -eval '
			ok = application:load(carrierscope),
			{ok, Modules} = application:get_key(carrierscope, modules),
			[{module, _} = code:ensure_loaded(Module) || Module <- Modules],
			{ok, _} = carrierscope:start(#{sample => {bytes, 65536}}),
			{ok, Info} = carrierscope:stop(),
			{error, Options} = carrierscope:start(#{no_option => 1}),
			[_, Names] = string:split(Options, "options are "),
			[io:format("page ~ts~n", [Key]) || Key <- maps:keys(Info)],
			[io:format("page ~ts~n", [Name]) || Name <- string:lexemes(Names, ", "), Name =/= "and"],
			io:format("nif ~s~n", [erlang:system_info(nif_version)]), halt().'
	{
		sed -n 's/^page //p' out
		# start/0 as start(), snapshot/1 as snapshot(.
		sed -n '/^-export/,/[.]$/{p;/[.]$/q;}' "$sources/provider/beam/carrierscope.erl" |
			grep -oE '[a-z]+/[0-9]' | sed 's,/0$,(),; s,/[0-9]$,(,'
	} >words
	[ "$(grep -c . words)" -gt 15 ] || fail "only these words were found: $(cat words)"
	zcat "$usr/share/man/man3/carrierscope.3.gz" | sed 's/^[.]TP$//; s/\\-/-/g' >page
	while read -r word; do
		grep -qF -- "$word" page || fail "carrierscope(3) has no '$word'"
	done <words
	[ "$(dpkg-deb -f "$erlang" Provides)" = "carrierscope-erlang-nif (= $(sed -n 's/^nif //p' out))" ] ||
		fail "Provides: $(dpkg-deb -f "$erlang" Provides)"
fi

# An installed program finds the module that is installed with it: it gets as far as the cookie of the node.
if [ $has_erlang = true ]; then
	for command in "record -o none.db" "top --count 1" "keep -o none"; do
		# shellcheck disable=SC2086
		HOME=$work timeout 400 "$usr/bin/carrierscope" $command --node nobody@127.0.0.1 >out 2>&1
		! grep -q 'is not installed beside this program' out || fail "installed $command: $(cat out)"
		grep -q 'cookie' out || fail "installed $command does not come to the node: $(cat out)"
	done
fi

# The same files otherwise; none of it needs a test to run.
sed 's/[.]gz$//' installed >plain
runs 'cmake --install' cmake --install "$build" --prefix "$work/prefix"
(cd prefix && find . -type f -o -type l) | sed 's,^[.]/,,' >prefix.files
same 'cmake --install installs other files than the packages' plain prefix.files
mkdir tar
runs tar tar -xzf "$tar" -C tar --strip-components=1
(cd tar && find . -type f) | sed 's,^[.]/,,' >tar.files
same 'the tar has other files than the packages' plain tar.files
runs 'the tar' tar/bin/carrierscope load -o tar.db "$trace"
for preset in release package; do
	grep "\"name\": \"$preset\", \"steps\"" "$sources/CMakePresets.json" | grep -q '"build"' || fail "no workflow '$preset'"
	! grep "\"name\": \"$preset\", \"steps\"" "$sources/CMakePresets.json" | grep '"test"' || fail "workflow '$preset' tests"
done

# What the Dockerfile copies is there.
dockerfile=$sources/examples/container/Dockerfile
grep '^COPY ' "$dockerfile" | while read -r _ first rest; do
	case $first in
	--from=*)
		grep -q "^FROM .* AS ${first#--from=}\$" "$dockerfile" || echo "there is no stage ${first#--from=}"
		;;
	*) rest="$first $rest" ;;
	esac
	set -f
	# shellcheck disable=SC2086
	set -- $rest
	set +f
	while [ $# -gt 1 ]; do
		case $first$1 in
		--from=*/src/build/release/packages/*) where=packages/${1##*/} ;;
		--from=*/opt/carrierscope/*) where=tar/${1#/opt/carrierscope/} ;;
		--from=*) where=$1 ;;
		*) where=$sources/$1 ;;
		esac
		# A pattern, which may have no match.
		for file in $where; do
			[ -e "$file" ] || [ $has_erlang = false ] || echo "COPY: there is no $1"
		done
		echo "$1" >>copied
		shift
	done
done >"$work/err"
[ ! -s "$work/err" ] || fail 'the Dockerfile'
[ "$(grep -c . copied)" -ge 12 ] || fail "only $(grep -c . copied) COPY paths were found"

# Nothing stays.
runs 'dpkg --purge' root_dpkg --purge carrierscope ${erlang:+carrierscope-erlang}
left=$(cd "$root" && find . ! -path './var*' ! -name .)
[ -z "$left" ] || fail "left behind: $left"
ends
