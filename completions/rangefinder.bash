# SPDX-License-Identifier: Apache-2.0
# Completions of rangefinder and nsys2json for bash. Installed in share/bash-completion/completions; or
# read it with ". rangefinder.bash". What can follow is asked of the program itself.
# shellcheck shell=bash

# Sets the array words to the words of a command line as the shell understands them, without their
# quotes. The last one may be unfinished, or empty.
_rangefinder_split()
{
    local line=$1 i char quote='' word='' is_begun=''
    words=()
    for ((i = 0; i < ${#line}; i++)); do
        char=${line:i:1}
        case $quote$char in
            \'\' | \"\") quote='' ;;
            \'?) word+=$char ;;
            \\ | \"\\)
                i=$((i + 1))
                # between double quotes a backslash stays before what it does not quote
                [[ -z $quote || ${line:i:1} == [\"\\\$\`] ]] || word+=\\
                word+=${line:i:1}
                ;;
            \"?) word+=$char ;;
            [\'\"]) quote=$char ;;
            [[:space:]])
                [[ -z $is_begun ]] || words+=("$word")
                word='' is_begun=''
                continue
                ;;
            *) word+=$char ;;
        esac
        is_begun=1
    done
    words+=("$word")
}

# The files whose names begin with $1: folders, and those with one of the endings in $2 if there are
# any; all files where none is there.
_rangefinder_files()
{
    local begun=$1 pattern='' home='' path ending
    local -a paths=() found=()
    if [[ $begun == \~/* ]]; then
        home=$HOME
        begun=$home${begun:1}
    fi
    [[ -z $begun ]] || printf -v pattern %q "$begun"
    mapfile -t paths < <(compgen -G "$pattern*")
    for path in "${paths[@]}"; do
        [[ -d $path ]] && found+=("$path") && continue
        for ending in $2; do
            [[ $path != *"$ending" ]] || found+=("$path")
        done
    done
    [[ -n $2 && ${#found[@]} -gt 0 ]] || found=("${paths[@]}")
    for path in "${found[@]}"; do
        [[ -z $home ]] || path="~${path#"$home"}"
        COMPREPLY+=("$path")
    done
}

_rangefinder()
{
    local line=${COMP_LINE:0:COMP_POINT} replaced=$2 before program kind word
    local -a words lines
    # what readline replaces: the last word, or what stands in it behind a quote, = or :
    while [[ $replaced == [=:]* ]]; do replaced=${replaced:1}; done
    _rangefinder_split "${line%"$replaced"}"
    before=${words[${#words[@]}-1]}
    _rangefinder_split "$line"
    word=${words[${#words[@]}-1]}
    program=${words[0]}
    [[ $program != \~/* ]] || program=$HOME${program:1}
    COMPREPLY=()
    mapfile -t lines < <("$program" complete -- "${words[@]:1}" 2>/dev/null)
    for line in "${lines[@]}"; do
        kind=${line%%$'\t'*}
        case $kind in
            @files) _rangefinder_files "${word#"$before"}" "${line#@files}" ;;
            @commands)
                mapfile -t COMPREPLY < <(compgen -c -- "$word")
                _rangefinder_files "$word" ''
                ;;
            *) COMPREPLY+=("${kind#"$before"}") ;;
        esac
        [[ $kind != @* ]] || compopt -o filenames 2>/dev/null
        [[ $kind != *[=,:] ]] || compopt -o nospace 2>/dev/null
    done
}
# bash looks for the name that it finds behind the last /, with its quote
complete -F _rangefinder rangefinder "rangefinder'" 'rangefinder"' nsys2json "nsys2json'" 'nsys2json"'
