#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The conversions of two builds, in turn, in one run: an import of nsys's and a recording to each form.
# Judged by processor time, since other work of the machine hardly adds to it; a ratio above 1 means
# that NEW takes longer.
#
# usage: convert_pair.sh OLD NEW [KERNELS [RANGES]]
#
# KERNELS, RANGES: what the import and the recording have; default: 100000 300000
# RF_BENCH_ROUNDS  rounds, by default 9
# RF_BENCH_COUNT   if set: instructions, counted once by valgrind, in the place of times; they hardly
#                  differ from run to run (5000 KERNELS are enough)
# shellcheck source=bench/lib.sh
[ $# -ge 2 ] || { sed -n 's/^# usage: /usage: /p' "$0" >&2; exit 2; }
RF_BUILD=$(realpath "$1")
new=$(realpath "$2")
. "$(dirname "$0")/lib.sh"
[ -x "$new/bin/rangefinder" ] || die "no build in '$new'"
command -v python3 >/dev/null || die "python3 measures"

# pair WHAT ARGUMENTS...: of rangefinder. BUILD stands for "old" or "new".
pair()
{
    what=$1
    shift
    if [ -n "${RF_BENCH_COUNT:-}" ]; then
        counted "$@"
        return
    fi
    python3 -c '
import os, statistics, sys, time
what, rounds, builds, words = sys.argv[1], int(sys.argv[2]), sys.argv[3:5], sys.argv[5:]
cpu, wall = ([], []), ([], [])
nothing = [(os.POSIX_SPAWN_OPEN, n, "/dev/null", os.O_WRONLY, 0) for n in (1, 2)]
for _ in range(rounds):
    for i, build in enumerate(builds):
        name = ("old", "new")[i]
        begin = time.monotonic()
        pid = os.posix_spawn(build + "/bin/rangefinder",
                             ["rangefinder"] + [word.replace("BUILD", name) for word in words],
                             os.environ, file_actions=nothing)
        _, status, usage = os.wait4(pid, 0)
        if status != 0:
            sys.exit("%s: status %d of %s" % (what, status, build))
        cpu[i].append(usage.ru_utime + usage.ru_stime)
        wall[i].append(time.monotonic() - begin)
numbers = [1000 * x for side in cpu for x in (min(side), statistics.median(side))]
print("  %-30s %9.1f %9.1f %9.1f %9.1f %7.3f %7.3f %9.1f %9.1f" % (
    what, *numbers, numbers[2] / numbers[0], numbers[3] / numbers[1],
    1000 * min(wall[0]), 1000 * min(wall[1])))' "$what" "$rounds" "$RF_BUILD" "$new" "$@" || die "$what failed"
}

# counted ARGUMENTS...: the row $what of instructions
counted()
{
    for build in "$RF_BUILD" "$new"; do
        valgrind --tool=callgrind --callgrind-out-file=/dev/null "$build/bin/rangefinder" \
            "$@" 2>&1 >/dev/null |
            sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
    done >counts
    awk -v what="$what" '{ n[NR] = $1 } END {
        if (NR != 2 || n[1] == 0)
            exit 1
        printf "  %-30s %14d %14d %7.3f\n", what, n[1], n[2], n[2] / n[1]
    }' counts || die "$what: nothing was counted"
}

# all_forms WHAT FILE
all_forms()
{
    for form in sqlite json perfetto jsonl csv text; do
        convert "$1 -> $form" "$2" -t $form
    done
    convert "$1 -> kineto" "$2" --flavor=kineto
    convert "$1 -> nsys2json" "$2" --compat=nsys2json \
        --activity-type=kernel,nvtx,nvtx-kernel,cuda-api
    pair "$1: info" info "$2"
    pair "$1: stats" stats -q "$2"
}

# convert WHAT FILE OPTIONS...
convert()
{
    what=$1 file=$2
    shift 2
    pair "$what" export -q -f "$@" -o out.BUILD "$file"
    rm -f out.old out.new
}

"$root/bench/make_nsys.py" import.sqlite --kernels "${3:-100000}" >/dev/null 2>&1
profiled "$programs/pairs" "${4:-300000}"
printf 'old: %s\nnew: %s\n' "$RF_BUILD" "$new"
if [ -n "${RF_BENCH_COUNT:-}" ]; then
    command -v valgrind >/dev/null || die "valgrind counts"
    printf '  %-30s %14s %14s %7s\n' instructions old new ratio
else
    printf 'ms of processor time, %s rounds, in turn\n' "$rounds"
    printf '  %-30s %19s %19s %15s %19s\n' '' 'old' 'new' 'new / old' 'wall clock, least'
    printf '  %-30s %9s %9s %9s %9s %7s %7s %9s %9s\n' '' min median min median min median old new
fi
all_forms import import.sqlite
all_forms recording r.rf
