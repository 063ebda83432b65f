#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How fast an export of Nsight Systems is converted, and with how much memory, next to the script
# nsys2json.py where its path is given, in turn on the same files; and how fast ranges are projected, next
# to nsys where it is installed, on files of at most 20,000 kernels.
#
# usage: convert.sh [NSYS2JSON.PY [KERNELS...]]
#
# NSYS2JSON.PY: "" is none; default: what RF_NSYS2JSON names
# KERNELS: how many kernels the files have; default: 100000 1000000
# RF_BENCH_ROUNDS  rounds of what is ours, by default 9; the script runs once
# shellcheck source=bench/lib.sh
script=${1-${RF_NSYS2JSON:-}}
script=${script:+$(realpath "$script")}
[ $# -eq 0 ] || shift
. "$(dirname "$0")/lib.sh"
[ -z "$script" ] || [ -f "$script" ] || die "no script '$script'"
command -v python3 >/dev/null || die "python3 makes the files"
[ $# -gt 0 ] || set -- 100000 1000000

# once COMMAND...: seconds, MB and seconds of processor time of one run, which begins when what earlier
# ones wrote is on the disk. The last are what counts where a machine does other work, too.
once()
{
    [ "$rounds" -eq 1 ] || sync
    python3 -c '
import os, sys, time
begin = time.monotonic()
pid = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(pid, 0)
print("%.3f %.0f %.3f" % (time.monotonic() - begin, usage.ru_maxrss / 1024,
                          usage.ru_utime + usage.ru_stime))
sys.exit(status != 0)' "$@" || die "$1 failed"
}

# several COMMAND...: the least seconds, the median, the most MB, and the least and the median
# processor time of all rounds.
several()
{
    i=0
    while [ $i -lt "$rounds" ]; do
        once "$@"
        i=$((i + 1))
    done >runs
    echo "$(sort -n runs | awk '{ s[NR] = $1; if ($2 > mb) mb = $2 }
        END { print s[1], s[int((NR + 1) / 2)], mb }')" \
        "$(sort -n -k 3 runs | awk '{ s[NR] = $3 } END { print s[1], s[int((NR + 1) / 2)] }')"
}

# compare WHAT RATIO MB COMMAND...: rows of time, which is to be RATIO times as fast as the script's,
# processor time and memory; theirs, theirs_cpu: seconds of the script. It runs once, so that what it
# is compared with is our median.
compare()
{
    what=$1 ratio=$2 target=$3
    shift 3
    several "$@" >ours
    read -r least median mb cpu cpu_median <ours
    if [ -n "$theirs" ]; then
        row "$what: seconds" "$least" "$median" "$(calc "$theirs / $median")" "$ratio"
        row "$what: seconds of processor time" "$cpu" "$cpu_median" \
            "$(calc "$theirs_cpu / $cpu_median")" -
    else
        row "$what: seconds" "$least" "$median" - -
        row "$what: seconds of processor time" "$cpu" "$cpu_median" - -
    fi
    row "$what: MB" "$mb" "$mb" - "$target"
}

# The name of nsys's report of projected ranges; nothing where nsys is not installed.
nsys_report()
{
    command -v nsys >/dev/null || return 0
    reports=$(nsys stats --help-reports 2>/dev/null || true)
    case $reports in
    *nvtx_gpu_proj_trace*) echo nvtx_gpu_proj_trace ;;
    *nvtxgpuproj*) echo nvtxgpuproj ;;
    esac
}

for kernels; do
    "$root/bench/make_nsys.py" t.sqlite --kernels "$kernels"
    title "$kernels kernels; ratio: times as fast as the script" "s, MB"
    # the targets are those of a million kernels
    limit=-
    wide=-
    faster=-
    full=-
    packed=-
    [ "$kernels" -lt 1000000 ] || faster='>=100' full='>=60' packed='>=100'
    [ "$kernels" -ne 1000000 ] || limit=200 wide=200
    for form in 'kernel nvtx-kernel' 'kernel nvtx nvtx-kernel cuda-api'; do
        theirs=
        if [ -n "$script" ]; then
            # the words of $form are arguments
            # shellcheck disable=SC2086
            once python3 "$script" -f t.sqlite -o theirs.json -t $form >ours
            read -r theirs mb theirs_cpu <ours
            row "nsys2json.py, $form" "$theirs" "$theirs" - -
            row "nsys2json.py, $form: seconds of processor time" "$theirs_cpu" - - -
            row "nsys2json.py, $form: MB" "$mb" "$mb" - -
        fi
        # shellcheck disable=SC2086
        compare "nsys2json, $form" "$faster" "$limit" \
            "$RF_BUILD/bin/nsys2json" -f t.sqlite -o ours.json -t $form
        [ -z "$script" ] || cmp theirs.json ours.json || die "the results differ"
        limit=$wide
    done
    compare "export -t json" "$full" "$limit" "$rangefinder" export -q -f -t json -o ours.json t.sqlite
    ! "$rangefinder" export -h | grep -q perfetto ||
        compare "export -t perfetto" "$packed" "$limit" \
            "$rangefinder" export -q -f -t perfetto -o ours.pftrace t.sqlite
    theirs=
    compare "sqlite3_step through the same columns, nothing else" - - "$programs/bench_steps" t.sqlite
    # nsys's own projection: its time grows with ranges times calls
    report=$(nsys_report)
    if [ -n "$report" ] && [ "$kernels" -le 20000 ]; then
        once sh -c "nsys stats --report $report --format csv t.sqlite >theirs.csv 2>&1" >ours
        read -r theirs _ theirs_cpu <ours
        row "nsys stats --report $report: seconds" "$theirs" "$theirs" - -
        compare "stats -r nvtx_gpu_proj_trace" - - \
            sh -c "'$rangefinder' stats -r nvtx_gpu_proj_trace --format csv t.sqlite >ours.csv"
    fi
    rm -f ./*.json ./*.pftrace ./*.csv t.sqlite
done
