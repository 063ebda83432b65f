# SPDX-License-Identifier: Apache-2.0
# What the measuring scripts share; they read it with ". bench/lib.sh".
#
# RF_BUILD  the release build, by default build/ of this repository
# RF_BENCH_ROUNDS  rounds of each measurement, by default 9
# RF_BENCH_FOLDER  where the files are made that are measured, by default beside the build: a disk.
#     /dev/shm measures without one.
# shellcheck shell=sh disable=SC2034

set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
RF_BUILD=$(realpath -m "${RF_BUILD:-$root/build}")
rounds=${RF_BENCH_ROUNDS:-9}
rangefinder=$RF_BUILD/bin/rangefinder
inject=$RF_BUILD/lib/librangefinder-inject.so
programs=$RF_BUILD/bench
unset NVTX_INJECTION64_PATH NVTX_INJECTION32_PATH RANGEFINDER_SESSION RF_BENCH_END

die()
{
    echo "$(basename "$0"): $*" >&2
    exit 1
}

[ -x "$rangefinder" ] && [ -x "$programs/spawn" ] || die "no build in '$RF_BUILD'; run ./dev build"

# Not in /tmp, which is no disk everywhere. What is in it goes with the script.
work=$(realpath "${RF_BENCH_FOLDER:-$RF_BUILD/bench}")/work.$$
mkdir -p "$work"
cd "$work"

forget_sessions()
{
    for pool in "$work"/*.rfdir/*.pool; do
        [ ! -L "$pool" ] || rm -f "$(readlink "$pool")"
    done
    rm -rf "$work"/*.rfdir
}
trap 'forget_sessions; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# by_hand COMMAND...: recorded without the command line; the recording is thrown away.
by_hand()
{
    NVTX_INJECTION64_PATH=$inject "$@"
    forget_sessions
}

# profiled COMMAND...: recorded by the command line into r.rf.
profiled()
{
    "$rangefinder" profile -f true -o r "$@" 2>profile.log || {
        cat profile.log >&2
        die "rangefinder profile failed"
    }
}

# title TEXT UNIT: the head of a table like that of measure.c.
title()
{
    printf '%s (%s)\n  %-58s %9s %9s %7s %7s\n' "$1" "$2" "" min median ratio target
}

# row WHAT MIN MEDIAN RATIO TARGET: "-" where there is none; the ratio is judged, or else the
# minimum. TARGET may begin with >=.
row()
{
    awk -v what="$1" -v min="$2" -v median="$3" -v ratio="$4" -v target="$5" 'BEGIN {
        printf "  %-58s %9s %9s %7s %7s", what, min, median, ratio == "-" ? "" : ratio,
               target == "-" ? "" : target
        if (target != "-") {
            value = ratio == "-" ? min : ratio
            at_least = sub(/^>=/, "", target)
            holds = at_least ? value + 0 >= target + 0 : value + 0 <= target + 0
            printf "  %s", holds ? "holds" : "MISSED"
        }
        printf "\n"
    }'
}

# calc EXPRESSION: a number with two decimals.
calc()
{
    awk "BEGIN { printf \"%.2f\", $1 }"
}
