#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# documents.sh CARRIERSCOPE SOURCES: what README and the guide say to type exists: each command of ours in code, its
# options, and the report that it asks for; each link leads to a file that is there, and to a heading of it.
set -u
program=$1
cd "$2" || exit 1
status=0
bad() {
  echo "$*" >&2
  status=1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '+MBas aobf\n' >"$work/vm.args"
"$program" load -q -o "$work/rules.db" "$work/vm.args"
commands=" $("$program" --help | sed -nE 's/^  ([a-z]+)  .*/\1/p' | tr '\n' ' ')"
reports=" $(sqlite3 "$work/rules.db" "SELECT group_concat(substr(name, 8), ' ') FROM sqlite_schema WHERE name GLOB 'report_*'") memory time recording sizes map "

# typed FILE: lines of code that begin with the program, of fences and of single words of code.
typed() {
  awk '/^```/ { on = !on; next } on { print }' "$1" | grep -E '^(\$ )?carrierscope ' | sed -E 's/^\$ //'
  awk '/^```/ { on = !on; next } !on' "$1" | grep -oE '`carrierscope [^`]*`' | tr -d '`'
}

# Nothing but words, so that nothing is expanded.
words() {
  sed -E "s/\"[^\"]*\"/STRING/g; s/'[^']*'/STRING/g; s/ [#|].*//; s/ && .*//; s/;.*//" <<<"$1"
}

known=$(for command in $commands; do "$program" "$command" --help 2>/dev/null | sed -nE "s/^ +(-([^ ]), )?(--[a-z-]+).*/$command \3\n$command -\2/p"; done)
count=0
for file in README.md analyzer/guide/*.md; do
  while IFS= read -r line; do
    count=$((count + 1))
    read -ra word <<<"$(words "$line")"
    command=${word[1]-}
    # A file or the name of a node.
    [[ $commands == *" $command "* ]] || {
      [[ ${#word[@]} -eq 2 ]] || bad "$file: '$line': there is no command '$command'"
      continue
    }
    for ((i = 2; i < ${#word[@]}; i++)); do
      [[ ${word[i]} != -- ]] || break
      [[ ${word[i]} != -* || ${word[i]} == - ]] || grep -qxF -e "$command ${word[i]%%=*}" <<<"$known" ||
        bad "$file: '$line': $command has no option ${word[i]}"
    done
    [[ $command != report || ${word[2]-} == -* || ${word[2]-} == *.db || ${word[2]-} == [A-Z]* || $reports == *" ${word[2]-} "* ]] ||
      bad "$file: '$line': there is no report ${word[2]}"
  done < <(typed "$file")
  while IFS= read -r link; do
    [[ $link != http* ]] || continue
    to=${link%%#*}
    heading=${link#"$to"}
    [[ -n $to ]] && to=$(dirname "$file")/$to || to=$file
    [[ -e $to ]] || bad "$file: there is no '$to'"
    [[ -z $heading ]] || sed -nE 's/^#+ +//p' "$to" | tr '[:upper:]' '[:lower:]' | sed -E "s/[^a-z0-9 -]//g; s/ /-/g" | grep -qxF -e "${heading#\#}" ||
      bad "$file: '$to' has no heading '$heading'"
  done < <(grep -oE '\]\([^)]*\)' "$file" | sed 's/^](//; s/)$//')
done
[[ $count -gt 50 ]] || bad "only $count commands were found"
for file in README.md:90 NEWS.md:40 ARCHITECTURE.md:150; do
  [[ $(wc -l <"${file%:*}") -le ${file#*:} ]] || bad "${file%:*} has $(wc -l <"${file%:*}") lines, more than ${file#*:}"
done
exit $status
