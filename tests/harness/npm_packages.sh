# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# installs NPM SOURCE FOLDER LOG: packages of the lock file in SOURCE, kept in FOLDER; what was fetched before is
# used again, without a network.  Status 1: they cannot be had, and LOG has why.
installs() {
  local npm=$1 source=$2 folder=$3 log=$4
  mkdir -p "$folder"
  ! cmp -s "$source/package-lock.json" "$folder/installed" || return 0
  cp "$source/package.json" "$source/package-lock.json" "$folder/"
  (cd "$folder" && { "$npm" ci --ignore-scripts --no-audit --no-fund --offline >"$log" 2>&1 ||
    timeout 400 "$npm" ci --ignore-scripts --no-audit --no-fund >"$log" 2>&1; }) || return 1
  cp "$folder/package-lock.json" "$folder/installed"
}
