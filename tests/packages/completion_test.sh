#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# completion_test.sh bash|zsh|fish CARRIERSCOPE TWIN FILE TRACE: the shell's completion, which is FILE, has each command,
# each option, each report and the values of --format; of zsh and fish, a few.  What there is comes from other texts than
# those that completion reads: from error messages, from --usage and from a database.
. "$(dirname "$0")/../harness/main.sh"
shell=$1
carrierscope=$2
twin=$3
file=$4
trace=$5

# Zsh, at a terminal of its own: types a line and a tab, and waits for what must appear.
if [[ $shell == zsh ]]; then
  needs zsh
  cd "$work" || exit 1
  mkdir functions programs
  cp "$file" functions/_carrierscope
  ln -s "$carrierscope" "$twin" programs
  cat >zsh.zsh <<'END'
zmodload zsh/zpty
path=($PWD/programs $path)
zpty -b shell zsh -f -i
zpty -w shell 'TERM=dumb; fpath=('$PWD'/functions $fpath); autoload -U compinit; compinit -u -D; echo rea""dy'
zpty -r -m shell seen '*ready*'
appears() {
  print -r "$1 ..."
  zpty -n -w shell $'\C-u'"$1"$'\t'
  zpty -r -m shell seen "$2" || exit 1
}
appears 'carrierscope ' '*check*diff*info*load*report*'
appears 'carrierscope load --salv' '*--salvage*'
appears 'carrierscope report --format=openm' '*--format=openmetrics*'
appears 'carrierscope advise --objective ' '*average*end*peak*rss*'
appears 'carrierscope report utilis' '*utilis*ation*'
appears 'carrierscope-twin --memory-l' '*--memory-limit=*'
print done
END
  HOME=$work timeout 400 zsh -f zsh.zsh >zsh.out 2>"$work/err"
  [[ $(tail -n 1 zsh.out) == done ]] || fail "zsh: $(tail -n 1 zsh.out)"
  ends
fi

# Fish asks what bash has, where that is installed.
if [[ $shell == fish ]]; then
  needs fish
  cd "$work" || exit 1
  sed "s,bash [^ ]*/completions/carrierscope,bash ${file%fish}bash," "$file" >completion.fish
  grep -q "${file%fish}bash" completion.fish || fail 'fish does not ask what bash has'
  mkdir programs
  ln -s "$carrierscope" "$twin" programs
  touch some.db
  cat >ask.fish <<'END'
source completion.fish
for line in 'carrierscope rep' 'carrierscope load --salv' 'carrierscope advise --objective ' 'carrierscope report --format=openm' 'carrierscope report som' 'carrierscope-twin --memory-l'
    complete -C $line | string join ' '
end
END
  HOME=$work PATH=$work/programs:$PATH fish ask.fish >fish.out 2>"$work/err"
  printf '%s\n' 'replay report' --salvage 'average end peak rss' --format=openmetrics some.db --memory-limit= >wanted
  sort_words() { while read -r line; do tr ' ' '\n' <<<"$line" | sort | paste -sd ' '; done; }
  diff wanted <(sort_words <fish.out) >"$work/err" || fail 'fish'
  ends
fi

# shellcheck disable=SC1090
. "$file"

# completed WORD...: what is offered for the last word, one on each line; the first is the program.
completed() {
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
  _carrierscope "$1"
  printf '%s\n' "${COMPREPLY[@]}" | sort
}

# same WHAT EXPECTED GOT: two sorted lists.
same() {
  [[ -n $2 ]] || fail "$1: nothing to expect"
  diff <(echo "$2") <(echo "$3") >"$work/err" || fail "$1: expected and completed differ"
  : >"$work/err"
}

# listed LEAD: "LEADone, two or three…" of standard input, as lines.
listed() {
  sed -nE "s/.*$1([^);]*).*/\1/p" | sed -E 's/,| or / /g' | tr -s ' ' '\n' | sort
}

options() {
  "$@" --usage | sed -E 's/--to (FORMAT|URL)//g' | grep -oE -- '--[a-z-]+=?' | sort
}

commands=$("$carrierscope" 2>&1 | listed 'no command given \(')
same commands "$commands" "$(completed "$carrierscope" '')"
for command in $commands; do
  same "options of $command" "$(options "$carrierscope" "$command")" \
    "$(completed "$carrierscope" "$command" --)"
done
same 'options of the twin' "$(options "$twin")" "$(completed "$twin" --)"

for command in report check info; do
  same "$command --format" "$("$carrierscope" "$command" --format=bogus x 2>&1 | listed '; use ')" \
    "$(completed "$carrierscope" "$command" --format = '')"
done
for command in report check info; do
  same "$command --format and a blank" "$(completed "$carrierscope" "$command" --format = '')" "$(completed "$carrierscope" "$command" --format '')"
done
same 'values of --for' "$("$carrierscope" advise --for none x 2>&1 | listed 'for --for: use ')" "$(completed "$carrierscope" advise --for '')"
same 'what help takes' "$commands" "$(completed "$carrierscope" help '')"
same 'a beginning' json "$(completed "$carrierscope" report --format = j)"

"$carrierscope" load -q -o "$work/run.db" "$trace" || fail "no database"
cd "$work" || exit 1
same reports "$({ sqlite3 run.db "SELECT substr(name, 8) FROM sqlite_schema WHERE name GLOB 'report_*'"; echo run.db; } | sort)" \
  "$(completed "$carrierscope" report '')"
same 'a database' run.db "$(completed "$carrierscope" report peaks r | grep -x run.db)"
ends
