# SPDX-License-Identifier: MIT
#
# Asks what bash has, so that one reader of --help serves all shells; files where that has nothing.
function __carrierscope_complete
    set -l words (commandline -opc)
    set -l token (commandline -ct)
    set -l before ''
    set -l parts (string match -r '^(--[a-z-]+)=(.*)' -- $token)
    if test (count $parts) -eq 3
        set before $parts[2]=
        set words $words $parts[2] = $parts[3]
    else
        set words $words $token
    end
    set -l offered (command bash -c '. "$1"; shift; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _carrierscope "$1"
        printf "%s\n" "${COMPREPLY[@]}"' bash @CSC_BASH_COMPLETION@ $words 2>/dev/null | string match -r '.+')
    if test (count $offered) -gt 0
        printf "$before%s\n" $offered
    else
        __fish_complete_path $token
    end
end
complete -c carrierscope -f -a '(__carrierscope_complete)'
complete -c carrierscope-twin -f -a '(__carrierscope_complete)'
