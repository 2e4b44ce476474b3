#!/bin/sh
# SPDX-License-Identifier: MIT
# fetch.sh SUITE ARCHITECTURE [PACKAGE...]: an Erlang node of another Debian suite, unpacked from its packages
# and those that are named.
#
# Prints the folder that has it: `erl` there starts it, with the loader and the libraries of its own suite.
# Nothing is installed, and apt's own configuration, lists and caches are left alone.  Kept in
# $CSC_NODES, else $XDG_CACHE_HOME/carrierscope/nodes, else ~/.cache/carrierscope/nodes; what is there is
# not fetched again.  Exit status 77, and a sentence that begins with SKIPPED: it cannot be had here.
set -u
suite=$1
architecture=$2
shift 2
more=$*
mirror=${CSC_DEBIAN_MIRROR:-http://deb.debian.org/debian}
cache=${CSC_NODES:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/carrierscope/nodes}
# Of another list of packages another folder.
node=$cache/$suite-$architecture-2${more:+-more}
packages='erlang-base erlang-runtime-tools libc6 libgcc-s1 libstdc++6 libsystemd0 libtinfo6 zlib1g libsctp1 libcap2 libatomic1'" $more"

skip() {
	echo "SKIPPED: $*"
	exit 77
}

if [ -x "$node/erl" ]; then
	echo "$node"
	exit 0
fi
for tool in apt-get dpkg-deb; do
	command -v $tool >/dev/null || skip "there is no $tool here to fetch a node of $suite with"
done
mkdir -p "$cache" || skip "there is no place for a node in $cache"
work=$(mktemp -d "$cache/.$suite-$architecture.XXXXXX") || skip "there is no place for a node in $cache"
trap 'rm -rf "$work"' EXIT

# A world of apt of its own.  A mirror may lag: its date is not checked, its signature is.
apt=$work/apt
mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial" "$apt/etc/apt.conf.d" \
	"$apt/etc/preferences.d" "$apt/etc/sources.list.d"
: >"$apt/status"
cat >"$apt/apt.conf" <<-END
	Dir::State "$apt/state";
	Dir::State::status "$apt/status";
	Dir::Cache "$apt/cache";
	Dir::Etc "$apt/etc";
	Dir::Etc::trustedparts "/usr/share/keyrings/";
	APT::Architecture "$architecture";
	APT::Architectures { "$architecture"; };
	APT::Sandbox::User "root";
	Acquire::Languages "none";
	Acquire::GzipIndexes "true";
	Acquire::Check-Valid-Until "false";
	Acquire::Retries "1";
	Acquire::http::Timeout "20";
END
echo "deb $mirror $suite main" >"$apt/etc/sources.list"
export APT_CONFIG="$apt/apt.conf"
timeout 400 apt-get update -qq >"$work/log" 2>&1 && ! grep -q '^[EW]: ' "$work/log" ||
	skip "packages of Debian $suite cannot be reached: $(tail -n 1 "$work/log")"
mkdir "$work/packages" "$work/node" "$work/node/root"
# shellcheck disable=SC2086
(cd "$work/packages" && timeout 400 apt-get download -qq $packages) >"$work/log" 2>&1 ||
	skip "packages of Debian $suite are not fetched: $(tail -n 1 "$work/log")"
for package in "$work"/packages/*.deb; do
	dpkg-deb -x "$package" "$work/node/root" || skip "$package is not unpacked"
done

# Suites before bookworm have these beside usr, and a link from the root to the loader.
root=$work/node/root
if [ -d "$root/lib" ]; then
	cp -a "$root/lib/." "$root/usr/lib/"
	mkdir -p "$root/usr/lib64"
	cp "$root"/lib/*-linux-gnu/ld-[0-9]*.so "$root/usr/lib64/ld-linux-x86-64.so.2" 2>/dev/null
fi

# The node's programs name a loader that is another one here: each becomes a script that runs it by its own.
root=$node/root
case $architecture in
amd64) loader=$root/usr/lib64/ld-linux-x86-64.so.2 libraries=$root/usr/lib/x86_64-linux-gnu emulation= ;;
arm64)
	loader=$root/usr/lib/ld-linux-aarch64.so.1 libraries=$root/usr/lib/aarch64-linux-gnu
	emulation=$(command -v qemu-aarch64-static || command -v qemu-aarch64) ||
		skip 'there is no qemu-aarch64 here (Debian: qemu-user-static)'
	;;
*) skip "nodes of $architecture are not known" ;;
esac
bin=$(cd "$work/node" && echo root/usr/lib/erlang/erts-*/bin)
for program in beam.smp erl_child_setup inet_gethost erlexec epmd; do
	mv "$work/node/$bin/$program" "$work/node/$bin/$program.real"
	cat >"$work/node/$bin/$program" <<-END
		#!/bin/sh
		exec $emulation $loader --inhibit-cache --library-path $libraries:$node/more $node/$bin/$program.real "\$@"
	END
	chmod +x "$work/node/$bin/$program"
done
# What else its libraries are, a NIF's for one, is put there.
mkdir "$work/node/more"
cat >"$work/node/erl" <<-END
	#!/bin/sh
	ROOTDIR=$root/usr/lib/erlang BINDIR=$node/$bin EMU=beam PROGNAME=erl
	export ROOTDIR BINDIR EMU PROGNAME
	exec $node/$bin/erlexec "\$@"
END
chmod +x "$work/node/erl"
# Another one may have been faster.
mv -T "$work/node" "$node" 2>/dev/null || [ -x "$node/erl" ] || skip "$node cannot be made"
echo "$node"
