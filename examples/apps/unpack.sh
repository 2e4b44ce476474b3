#!/bin/sh
# SPDX-License-Identifier: MIT
#
# unpack.sh PACKAGE [PROGRAM]: PACKAGE of this machine's Debian and all Erlang packages it depends on, Erlang itself
# too, unpacked into a folder, which is printed: DIR/PROGRAM there (usr/bin/erl) runs.
#
# Nothing is installed or configured, and no file outside the folder is changed.  Kept in $CSC_NODES, else
# $XDG_CACHE_HOME/carrierscope/nodes, else ~/.cache/carrierscope/nodes; what is there is not fetched again.
# Exit status 77, and a sentence that begins with SKIPPED: the packages cannot be fetched.
set -u
package=${1:?usage: unpack.sh PACKAGE [PROGRAM]}
program=${2:-usr/bin/erl}
cache=${CSC_NODES:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/carrierscope/nodes}
# shellcheck source=/dev/null
suite=$(. /etc/os-release 2>/dev/null && echo "${VERSION_CODENAME:-unnamed}")

skip() {
  echo "SKIPPED: $*"
  exit 77
}

for tool in apt-get apt-cache dpkg-query dpkg-deb; do
  command -v $tool >/dev/null || skip "there is no $tool here to fetch $package with"
done
root=$cache/$suite-$(dpkg --print-architecture)-$package
if [ -x "$root/$program" ]; then
  echo "$root"
  exit 0
fi
mkdir -p "$cache" || skip "there is no place for $package in $cache"
work=$(mktemp -d "$cache/.$package.XXXXXX") || skip "there is no place for $package in $cache"
trap 'rm -rf "$work"' EXIT

# wanted: the package, the Erlang packages it needs, and libraries that are not installed.
wanted() {
  {
    by_name
    apt-get -s install --no-install-recommends "$package" 2>/dev/null |
      awk '$1 == "Inst" && $2 ~ /^(lib|clickhouse)/ { print $2 }'
  } | sort -u
}

by_name() {
  apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces \
    --no-enhances "$package" 2>/dev/null | awk -v package="$package" '
      /^[^ ]/ { ours = $1 == package || $1 ~ /^(erlang|clickhouse|slurm)-/; if (ours && $1 !~ /-hipe$/) print $1 }
      ours && $1 ~ /^\|?(Pre)?Depends:$/ && $2 ~ /^lib/ { print $2 }' | sort -u |
    while read -r name; do
      case $name in lib*) ! dpkg-query -W -f '${Status}' "$name" 2>/dev/null | grep -q 'ok installed' || continue ;; esac
      echo "$name"
    done
}

# fetches: what is wanted, into $work/packages, by the lists of packages that apt has.
fetches() {
  rm -rf "$work/packages"
  mkdir "$work/packages"
  names=$(wanted)
  [ -n "$names" ] || { echo "apt has no package '$package'" >"$work/log"; return 1; }
  # shellcheck disable=SC2086
  (cd "$work/packages" && timeout 300 apt-get download -qq $names) >"$work/log" 2>&1
}

# Lists that are missing or too old are fetched beside apt's own, which only root may change.
fetches || {
  mkdir -p "$work/apt/lists/partial" "$work/apt/archives/partial"
  cat >"$work/apt.conf" <<-END
	Dir::State::lists "$work/apt/lists";
	Dir::Cache "$work/apt";
	APT::Sandbox::User "root";
	Acquire::Languages "none";
	Acquire::Retries "1";
	Acquire::http::Timeout "20";
	END
  export APT_CONFIG="$work/apt.conf"
  timeout 300 apt-get update -qq >"$work/log" 2>&1 && fetches
} || skip "$package and what it needs are not fetched: $(grep -v '^W:' "$work/log" | tail -n 1)"

for deb in "$work"/packages/*.deb; do
  dpkg-deb -x "$deb" "$work/root" || skip "'${deb##*/}' cannot be unpacked"
done
# Erlang's own start script knows no other place than the one it is installed in.
[ ! -e "$work/root/usr/lib/erlang/bin/erl" ] ||
  sed -i "s|^\( *ROOTDIR=\)/usr/lib/erlang\$|\1$root/usr/lib/erlang|" "$work/root/usr/lib/erlang/bin/erl"
# Another one may have been faster.
mv -T "$work/root" "$root" 2>/dev/null || [ -x "$root/$program" ] || skip "$root cannot be made"
echo "$root"
