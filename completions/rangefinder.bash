# SPDX-License-Identifier: Apache-2.0
# Completions of rangefinder for bash. Installed in share/bash-completion/completions; or read it
# with ". rangefinder.bash". What can follow is asked of rangefinder itself.
# shellcheck shell=bash

_rangefinder()
{
    local line=${COMP_LINE:0:COMP_POINT} word before kind
    local -a words lines
    read -ra words <<<"$line"
    [[ $line != *[[:space:]] ]] || words+=("")
    COMPREPLY=()
    mapfile -t lines < <("${words[0]}" complete -- "${words[@]:1}" 2>/dev/null)
    word=${words[${#words[@]}-1]}
    # readline takes what stands behind the last = or : for the word
    before=${word%"${word##*[=:]}"}
    for line in "${lines[@]}"; do
        kind=${line%%$'\t'*}
        case $kind in
            @files) mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "${word##*[=:]}") ;;
            @commands) mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -c -f -- "$word") ;;
            *) COMPREPLY+=("${kind#"$before"}") ;;
        esac
        [[ $kind != @* ]] || compopt -o filenames 2>/dev/null
        [[ $kind != *[=,:] ]] || compopt -o nospace 2>/dev/null
    done
}
complete -F _rangefinder rangefinder
