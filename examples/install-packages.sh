#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# install-packages.sh KIND…: installs the packages of .packages that are used
# for one of the kinds (run, test, node, package, bench) and missing.
set -euo pipefail
cd "$(dirname "$0")/.."

missing=()
while read -r package kind _; do
  [[ -z $package || $package == \#* ]] && continue
  [[ " $* " == *" $kind "* ]] || continue
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
    # Elsewhere npm comes with node.
    { [[ $package == npm ]] && command -v npm >/dev/null; } ||
    missing+=("$package")
done < .packages
[[ ${#missing[@]} -eq 0 ]] && exit 0

if [[ $(id -u) -ne 0 ]]; then
  echo "these packages are missing, and only root can install them: ${missing[*]}" >&2
  exit 1
fi
echo "installing: ${missing[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq >&2
apt-get install -qq -y --no-install-recommends "${missing[@]}" >&2
