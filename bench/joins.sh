#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Reports that join ranges, calls and GPU work as a recording is read: the time and the most memory of
# `stats -r nvtx_gpu_proj_sum`, `stats -r nvtx_kern_sum` (of threads and by process) and `summarize`, for N and for three times as many
# kernels in each kind of ranges. The stand-ins of the tests for CUDA pretend to run the kernels.
#
# usage: joins.sh [KERNELS [KIND...]]
#
# KERNELS: by default 1000000. KIND: nested, starts, crossing, domains, long, flight, crowd, capture, kernels, nccl; by default all.
# flight: 60 start/end ranges are open at a time, of which the first one ends first, with 30 kernels each. crowd: 10 each.
# capture: nested, all in one capture of cudaProfilerApi, also with sums of its calls and GPU work, and `info`.
# elsewhere, where a thread of its own ends each start/end range: only when named, since a hundred thousand
# threads take more than all else. RF_BENCH_BEFORE=FILE: the command line of an earlier version, whose figures come beside.
# shellcheck source=bench/lib.sh
RF_BENCH_ROUNDS=${RF_BENCH_ROUNDS:-3}
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || die "python3 measures time and memory"
kernels=${1:-1000000}
[ $# = 0 ] || shift
double=$RF_BUILD/tests/cuda/double
[ -x "$double/app" ] || die "no stand-ins for CUDA in '$double': they are built with the tests"

# requests N: a turn of 60 ranges, each of which ends when the next turn begins it anew, with N kernels.
requests()
{
    for i in $(seq 60); do
        printf '%send-range=%s+start-range=%s:request+launch=%s' "$([ "$i" = 1 ] || echo +)" "$i" "$i" "$1"
    done
}

# steps KIND N: what the program does for N kernels, 3 ranges for 10 of them.
steps()
{
    n=$(($2 / 10))
    case $1 in
    nested) echo "repeat=$n:push=step+launch=2+push=forward+launch=4+pop+push=backward+launch=3+pop+launch+pop" ;;
    capture) echo "start $(steps nested "$2") sync stop" ;;
    starts) echo "repeat=$n:start-range=1:step+launch=2+push=forward+launch=4+pop+start-range=2:backward+launch=3+end-range=2+launch+end-range=1" ;;
    crossing) echo "repeat=$n:start-range=1:step+launch=2+start-range=2:load+launch=4+end-range=1+start-range=3:send+launch=3+end-range=2+launch+end-range=3" ;;
    domains) echo "repeat=$n:push=step+launch=2+push-in=load+launch=4+pop+push=send+launch=3+pop-in+launch+pop" ;;
    long) echo "start-range=9:all repeat=$n:start-range=1:step+launch=2+start-range=2:load+launch=4+end-range=1+launch=3+end-range=2+launch end-range=9" ;;
    flight) echo "$(seq -f start-range=%g:request 60) repeat=$((n / 180 + 1)):$(requests 30) $(seq -f end-range=%g 60)" ;;
    crowd) echo "$(seq -f start-range=%g:request 60) repeat=$((n / 60 + 1)):$(requests 10) $(seq -f end-range=%g 60)" ;;
    elsewhere) echo "repeat=$n:start-range=1:request+push=step+launch=6+pop+push=forward+launch=4+pop+end-elsewhere=1" ;;
    kernels) echo "repeat=$n:push=step+launch=5+collective+launch=4+pop" ;;
    nccl) echo "repeat=$n:push=step+launch=5+push-nccl=ncclAllReduce+collective+pop-nccl+launch=4+pop" ;;
    *) die "no such kind: $1" ;;
    esac
}

# captures KIND: options of profile.
captures()
{
    [ "$1" != capture ] || echo -c cudaProfilerApi --capture-range-end=stop
}

# measured COMMAND...: what spent.py prints.
measured()
{
    "$root/bench/spent.py" "$rounds" "$@" || die "cannot sum up: $*"
}

# reports COMMAND...: of r.rf. The ratio is to the version before.
reports()
{
    for way in "$@"; do
        before='' memory=''
        if [ -n "${RF_BENCH_BEFORE:-}" ]; then # which may refuse
            # shellcheck disable=SC2046,SC2086
            set -- $("$root/bench/spent.py" "$rounds" "$RF_BENCH_BEFORE" $way 2>/dev/null)
            before=${3:-} memory=${5:-}
        fi
        # shellcheck disable=SC2046,SC2086
        set -- $(measured "$rangefinder" $way)
        row "$(echo "$way" | sed 's/ -q -f csv//; s/ -r//; s/ -q.*//; s/ r.rf//')" "$3" "$4" \
            "$([ -z "$before" ] && echo - || calc "$3 / $before")" -
        row "  memory, MB" "$5" - - 96
        [ -z "$memory" ] || row "  before: s, MB" "$before" "$memory" - -
    done
}

for kind in ${*:-nested starts crossing domains long flight crowd capture kernels nccl}; do
    for n in "$kernels" $((kernels * 3)); do
        # shellcheck disable=SC2046
        RANGEFINDER_CUPTI=$double/cupti/libcupti.so.12 profiled $(captures "$kind") --overflow=block -t cuda,nvtx \
            "$double/app" duration=200 $(steps "$kind" "$n") sync
        title "$kind: $n kernels" "s of the processor, MB; ratio: to the version before"
        reports "stats -q -f csv -r nvtx_gpu_proj_sum r.rf" "stats -q -f csv -r nvtx_kern_sum r.rf" \
            "stats -q -f csv --fold-numbers -r nvtx_kern_sum r.rf" "stats -q -f csv -r nvtx_kern_sum:base r.rf" \
            "stats -q -f csv --by-process -r nvtx_gpu_proj_sum r.rf" "stats -q -f csv --by-process -r nvtx_kern_sum r.rf" \
            "summarize -q -f r.rf -o work"
        [ "$kind" != capture ] ||
            reports "stats -q -f csv -r cuda_gpu_kern_sum r.rf" "stats -q -f csv -r cuda_api_gpu_sum r.rf" \
                "stats -q -f csv -r cuda_kern_exec_sum r.rf" "info r.rf"
    done
done
