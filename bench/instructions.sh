#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Instructions per annotation, counted by valgrind: without a tool, recorded, and armed (a run that
# waits for a capture to begin). Unlike times they are the same in every run, so that builds can be
# compared, one column each; the last column is the last build's count in relation to the first one's.
#
# usage: instructions.sh [BUILD...]      default: RF_BUILD
#
# RF_BENCH_EVENTS  annotations of each kind, by default 20000
# shellcheck source=bench/lib.sh
[ $# -gt 0 ] || set -- "${RF_BUILD:-$(dirname "$0")/../build}"
i=$#
while [ $i -gt 0 ]; do # lib.sh changes the folder
    first=$1
    shift
    set -- "$@" "$(realpath "$first")"
    i=$((i - 1))
done
RF_BUILD=$1
. "$(dirname "$0")/lib.sh"
command -v valgrind >/dev/null || { echo "instructions: skipped: no valgrind"; exit 77; }
events=${RF_BENCH_EVENTS:-20000}
cc=$(command -v "${CC:-cc}") || { echo "instructions: skipped: no C compiler"; exit 77; }

# count N MODE: lines "function instructions" of a run that makes N of each. What a function calls is
# in its count.
count()
{
    rm -f counts
    set -- "$1" "$2" valgrind -q --tool=callgrind --callgrind-out-file=counts --collect-atstart=no \
        '--toggle-collect=measured_*' ./instructions "$1"
    case $2 in
    no-tool) shift 2 && "$@" ;;
    recorded) shift 2 && profiled --nvtx-domain-exclude=excluded "$@" ;;
    armed) # it is an error that no capture begins
        shift 2
        "$rangefinder" profile -f true -o r -c nvtx -p 'a range that nobody begins' "$@" \
            2>/dev/null || true
        ;;
    esac
    [ -s counts ] || die "nothing was counted"
    awk '
        function name_of(line) {
            sub(/^[a-z]*=/, "", line)
            id = line
            sub(/ .*/, "", id)
            if (line ~ / /) {
                sub(/^[^ ]* /, "", line)
                name[id] = line
            }
            return name[id]
        }
        /^fn=/ { at = name_of($0) }
        /^cfn=/ { name_of($0) }
        /^[0-9+*-]/ && at ~ /^measured_/ { sum[at] += $2 }
        END { for (at in sum) printf "%s %d\n", at, sum[at] }' counts | sort
}

# column MODE: lines "function instructions" of one annotation; what comes once is not in it.
column()
{
    count 1000 "$1" >few
    count $((events + 1000)) "$1" >many
    join few many | awk -v n="$events" '{ sub(/measured_/, "", $1); printf "%s %.2f\n", $1, ($3 - $2) / n }'
}

n=0
for build; do
    n=$((n + 1))
    inject=$build/lib/librangefinder-inject.so
    rangefinder=$build/bin/rangefinder
    [ -f "$inject" ] || die "no build in '$build'"
    source=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$build/CMakeCache.txt")
    # the headers are those of the build, the program is always this one
    "$cc" -O2 -fPIE -I"$source/include" "$root/bench/instructions.c" -o instructions -ldl
    for mode in no-tool recorded armed; do
        column $mode | sed "s/^/$mode /" >>"column.$n"
    done
    echo "$n: $build"
done
awk -v n="$n" '
    FNR == 1 { file++ }
    file == 1 { order[++rows] = $1 " " $2 }
    { value[$1 " " $2, file] = $3 }
    END {
        printf "instructions per annotation; of ranges, begin and end\n  %-34s", ""
        for (i = 1; i <= n; i++)
            printf " %9s", i
        printf "%s\n", (n > 1 ? "   ratio" : "")
        for (row = 1; row <= rows; row++) {
            split(order[row], word, " ")
            gsub(/_/, " ", word[2])
            printf "  %-34s", word[2] ", " word[1]
            for (i = 1; i <= n; i++)
                printf " %9.2f", value[order[row], i]
            first = value[order[row], 1]
            printf "%s\n", (n > 1 && first ? sprintf(" %7.3f", value[order[row], n] / first) : "")
        }
    }' column.*
