#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How large the C sources are, by folder: files, lines, functions, and the lines of functions from
# their opening brace to the closing one. Two source trees that are formatted alike can be compared.
#
# usage: code_size.sh [DIR]...      default: this source tree
set -eu
[ $# -gt 0 ] || set -- "$(dirname "$0")/.."

# functions FOLDER: the lines of each function. In this style the braces of functions, and of nothing
# else that begins with one, stand alone at the beginning of a line.
functions()
{
    find "$1" -name '*.[ch]' -exec awk '
        FNR == 1 { begin = 0 }
        /^\{$/ { begin = FNR }
        /^\}$/ && begin { print FNR - begin + 1; begin = 0 }' {} + | sort -n
}

# row WHAT FOLDER
row()
{
    functions "$2" | awk -v what="$1" -v files="$(find "$2" -name '*.[ch]' | wc -l)" \
        -v lines="$(find "$2" -name '*.[ch]' -exec cat {} + | wc -l)" '
        { size[NR] = $1; under += $1 < 30 }
        function at(share) { i = int(share * NR + 0.999999); return size[i < 1 ? 1 : i] }
        END {
            printf "  %-28s %6d %7d", what, files, lines
            if (NR > 0)
                printf " %10d %8.1f %7d %6d %8d", NR, 100 * under / NR, at(0.5), at(0.95), size[NR]
            printf "\n"
        }'
}

for dir; do
    cd "$dir"
    echo "$PWD:"
    printf '  %-28s %6s %7s %10s %8s %7s %6s %8s\n' "" files lines functions '% <30' median p95 longest
    for folder in src/* python/*; do
        [ -n "$(find "$folder" -name '*.[ch]' 2>/dev/null)" ] || continue
        row "$folder" "$folder"
        for part in "$folder"/*/; do
            [ -z "$(find "$part" -name '*.[ch]' 2>/dev/null)" ] || row "  ${part%/}" "$part"
        done
    done
    row "src" src
    row "python" python
    row "include" include
    row "tests" tests
    cd "$OLDPWD"
done
