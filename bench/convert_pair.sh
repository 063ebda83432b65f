#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The conversions of two builds, in turn, in one run: an import of nsys's and a recording to each form.
# Judged by processor time, since other work of the machine hardly adds to it, or by the clock where it does
# nothing else; a ratio above 1 means that NEW takes longer. MB: the most memory of any round.
#
# usage: convert_pair.sh OLD NEW [KERNELS [RANGES]]
#
# KERNELS, RANGES: what the import and the recording have; default: 100000 300000
# RF_BENCH_ROUNDS  rounds, by default 7
# RF_BENCH_TARGETS if set: OLD is a version that stepped through SQLite's rows on one thread (0.1), KERNELS
#                  1000000: the targets of what came after it, by the median of the clock
# RF_BENCH_CORES   1: on one core
# RF_BENCH_ONLY    if set: only conversions whose names match this extended regular expression
# RF_BENCH_COUNT   if set: instructions, counted once by valgrind, in the place of times; they hardly
#                  differ from run to run (5000 KERNELS are enough)
# shellcheck source=bench/lib.sh
[ $# -ge 2 ] || { sed -n 's/^# usage: /usage: /p' "$0" >&2; exit 2; }
RF_BENCH_ROUNDS=${RF_BENCH_ROUNDS:-7}
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
    echo "$what" | grep -qE -- "${RF_BENCH_ONLY:-.}" || return 0
    if [ -n "${RF_BENCH_COUNT:-}" ]; then
        counted "$@"
        return
    fi
    python3 -c '
import os, statistics, sys, time
what, rounds, builds, words = sys.argv[1], int(sys.argv[2]), sys.argv[3:5], sys.argv[5:]
cpu, wall, mb = ([], []), ([], []), [0, 0]
if os.environ.get("RF_BENCH_CORES") == "1":
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
nothing = [(os.POSIX_SPAWN_OPEN, n, "/dev/null", os.O_WRONLY, 0) for n in (1, 2)]
for _ in range(rounds):
    for i, build in enumerate(builds):
        name = ("old", "new")[i]
        if rounds > 1:
            os.sync()  # what earlier ones wrote would be written meanwhile
        begin = time.monotonic()
        pid = os.posix_spawn(build + "/bin/rangefinder",
                             ["rangefinder"] + [word.replace("BUILD", name) for word in words],
                             os.environ, file_actions=nothing)
        _, status, usage = os.wait4(pid, 0)
        if status != 0:
            sys.exit("%s: status %d of %s" % (what, status, build))
        cpu[i].append(usage.ru_utime + usage.ru_stime)
        wall[i].append(time.monotonic() - begin)
        mb[i] = max(mb[i], usage.ru_maxrss / 1024)
def target(value, most):
    return " %s%s" % (most, "" if value <= most else " MISSED")
targets = {"import: info": .55, "import: stats -r nvtx_gpu_proj_sum": .55, "import -> perfetto": .6,
           "import -> nsys2json": .7, "import -> json": .6, "import -> json.gz": .4}
one_core = os.environ.get("RF_BENCH_CORES") == "1"
row = "  %-34s" % what
for times in (cpu, wall):
    for of in (min, statistics.median):
        old, new = (1000 * of(side) for side in times)
        row += " %8.0f %8.0f %6.3f" % (old, new, new / old)
row += " %5.0f %5.0f" % tuple(mb)
if os.environ.get("RF_BENCH_TARGETS") and what in targets:
    row += "  target" + target(statistics.median(wall[1]) / statistics.median(wall[0]),
                               .75 if one_core else targets[what]) + "," + target(mb[1], 200) + " MB"
print(row)' "$what" "$rounds" "$RF_BUILD" "$new" "$@" || die "$what failed"
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
        printf "  %-34s %14d %14d %7.3f\n", what, n[1], n[2], n[2] / n[1]
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
    convert "$1 -> json.gz" "$2" -t json
    pair "$1: info" info "$2"
    pair "$1: stats" stats -q "$2"
    for report in nvtx_sum cuda_gpu_kern_sum cuda_api_sum nvtx_gpu_proj_sum; do
        pair "$1: stats -r $report" stats -q --allow-empty -r "$report" "$2"
    done
    pair "$1: summarize" summarize -q -f -o out.BUILD.rfsum "$2"
}

# convert WHAT FILE OPTIONS...
convert()
{
    what=$1 file=$2 ending=
    shift 2
    case $what in *.gz) ending=.gz ;; esac
    pair "$what" export -q -f "$@" -o "out.BUILD$ending" "$file"
    rm -f out.old* out.new*
}

"$root/bench/make_nsys.py" import.sqlite --kernels "${3:-100000}" >/dev/null 2>&1
profiled "$programs/pairs" "${4:-300000}"
printf 'old: %s\nnew: %s\n' "$RF_BUILD" "$new"
if [ -n "${RF_BENCH_COUNT:-}" ]; then
    command -v valgrind >/dev/null || die "valgrind counts"
    printf '  %-34s %14s %14s %7s\n' instructions old new ratio
else
    printf 'ms, %s rounds, in turn; load of the machine: %s\n' "$rounds" "$(cut -d ' ' -f 1-3 /proc/loadavg)"
    printf '  %-34s %24s %24s %24s %24s %11s\n' '' 'processor, least' 'processor, median' 'clock, least' \
        'clock, median' MB
    printf '  %-34s' ''
    printf ' %8s %8s %6s' old new ratio old new ratio old new ratio old new ratio
    printf ' %5s %5s\n' old new
fi
all_forms import import.sqlite
all_forms recording r.rf
