#!/bin/sh
# SPDX-License-Identifier: MIT
#
# release_test.sh SOURCES MADE: preset release, built and packaged twice, in two folders below MADE: the packages are the same,
# byte by byte; each program and library in them is hardened.
. "$(dirname "$0")/../harness/main.sh"
sources=$1 made=$2
needs cpack dpkg-shlibdeps dpkg-deb file readelf objdump

# As Debian sets it: when the sources changed last.
SOURCE_DATE_EPOCH=1764000000
export SOURCE_DATE_EPOCH
rm -rf "$made"
mkdir -p "$made"
for build in one two; do
	{
		cmake -S "$sources" --preset release -B "$made/$build" &&
			cmake --build "$made/$build" -j2 &&
			cpack --config "$made/$build/CPackConfig.cmake" -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip -B "$made/$build/packages"
	} >"$work/err" 2>&1 || fail "build $build: exit status $?"
	: >"$work/err"
done

found=0
for package in "$made"/one/packages/*.deb "$made"/one/packages/*.tar.gz; do
	[ -f "$package" ] || continue
	found=$((found + 1))
	cmp "$package" "$made/two/packages/$(basename "$package")" >"$work/err" 2>&1 || fail "two builds make two $(basename "$package")"
	: >"$work/err"
done
[ "$found" -ge 2 ] || fail "only $found packages"

# has WHAT FILE PATTERN COMMAND...: its output has a line of the pattern.
has() {
	what=$1 file=$2 pattern=$3
	shift 3
	"$@" "$file" >"$work/out" 2>/dev/null
	grep -Eq -- "$pattern" "$work/out" || fail "$(basename "$file") has no $what"
}
files=0
for package in "$made"/one/packages/*.deb; do
	dpkg-deb -x "$package" "$made/root" || fail "$package cannot be unpacked"
done
for file in $(find "$made/root" -type f -perm /111 -o -type f -name '*.so'); do
	file "$file" | grep -q ELF || continue
	files=$((files + 1))
	has 'relocations that are read-only' "$file" GNU_RELRO readelf -lW
	has 'binding at its start' "$file" 'BIND_NOW|FLAGS.* NOW' readelf -dW
	has 'stack protector' "$file" __stack_chk_fail readelf -sW --dyn-syms
	case $(basename "$file") in
	carrierscope_tracer.so) ;; # calls nothing that could be checked
	*) has 'checked functions of the C library' "$file" '__[a-z]*(printf|mem|str|read)[a-z]*_chk' readelf -sW --dyn-syms ;;
	esac
	case $(uname -m) in
	x86_64) has 'marks of where a branch may lead' "$file" endbr64 objdump -d ;;
	esac
	case $file in
	*.so) ;;
	*) has 'position of its own choice' "$file" 'Type: +DYN' readelf -hW ;;
	esac
done
# A node may be of an older system: glibc 2.28 is that of Debian 10 and RHEL 8.  LTTng is found at run time.
for name in carrierscope_nif carrierscope_tracer; do
	file=$(find "$made/root" -name $name.so)
	newest=$(objdump -T "$file" | sed -n 's/.*(\?GLIBC_\([0-9.]*\))\?.*/\1/p' | sort -V | tail -n 1)
	[ "$(printf '%s\n2.28\n' "$newest" | sort -V | tail -n 1)" = 2.28 ] || fail "$name needs glibc $newest"
	! readelf -dW "$file" | grep -q 'NEEDED.*lttng' || fail "$name does not load where LTTng is missing"
done
[ "$files" -ge 3 ] || fail "only $files programs and libraries"
# What leaves no mark in a file.
flags='-fstack-clash-protection'
lines=$(grep -c '"command":' "$made/one/compile_commands.json")
[ "$(grep '"command":' "$made/one/compile_commands.json" | grep -c -- "$flags")" -eq "$lines" ] || fail "not all is compiled with $flags"
ends
