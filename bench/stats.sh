#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Summing up a long recording: the time and the most memory of `stats -r nvtx_sum`, and of a
# recording of three times as many ranges. Then the summaries of a job of many ranks, and the reports
# of GPU work.
#
# usage: stats.sh [RANGES [SUMMARIES [KERNELS]]]
#
# RANGES: by default 100000000; four times as many ranges take 12 GB of disk. 0: none of this.
# SUMMARIES: by default 1000. KERNELS: by default 1000000. The targets are those of the defaults.
# shellcheck source=bench/lib.sh
RF_BENCH_ROUNDS=${RF_BENCH_ROUNDS:-3}
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || die "python3 measures time and memory"
ranges=${1:-100000000}

# sum_up FILE: what spent.py prints.
sum_up()
{
    "$root/bench/spent.py" "$rounds" "$rangefinder" stats -q -r nvtx_sum "$1" || die "cannot sum up $1"
}

long_recordings()
{
    title "nvtx_sum of push/pop ranges of two threads" "s, MB"
    for factor in 1 3; do
        n=$((ranges * factor))
        profiled --overflow=block "$programs/pairs" $n 2
        # shellcheck disable=SC2046
        set -- $(sum_up r.rf)
        row "$n ranges, s" "$1" "$2" - $([ $factor = 1 ] && echo 4 || echo -)
        row "  of the processor, s" "$3" - - -
        row "  memory, MB" "$5" - - 500
        [ $factor = 3 ] || first=$3
    done
    row "three times as many, processor" "$3" - "$(calc "$3 / $first")" 3.3
}

# spent COMMAND...: the least and the median time in seconds.
spent()
{
    "$root/bench/spent.py" "$rounds" "$@" | cut -d' ' -f1-2 || die "cannot run $*"
}

# summaries N: of N ranks.
summaries()
{
    python3 "$root/bench/make_nsys.py" --kernels 500 job.sqlite 2>/dev/null ||
        die "cannot make a database"
    "$rangefinder" summarize -q job.sqlite -o one
    for n in "$1" $(($1 * 4)); do
        python3 "$root/bench/make_summaries.py" one.rfsum "job$n" "$n"
    done
    title "summaries of a job of $1 ranks" s
    # shellcheck disable=SC2046
    set -- "$1" $(spent "$rangefinder" summarize -q -f --merge "job$1" -o merged)
    row "summarize --merge" "$2" "$3" - 2
    least=$2
    # shellcheck disable=SC2046
    set -- "$1" $(spent "$rangefinder" summarize -q -f --merge "job$(($1 * 4))" -o merged)
    row "  of four times as many" "$2" "$3" "$(calc "$2 / $least")" 4.8
    # shellcheck disable=SC2046
    set -- "$1" $(spent "$rangefinder" stats -q -r nvtx_sum --sum-inputs "job$1")
    row "stats --sum-inputs" "$2" "$3" "$(calc "$2 / $least")" -
    # shellcheck disable=SC2046
    set -- "$1" $(spent "$rangefinder" summarize -q -f "job$1" -o apart)
    row "summarize, each apart" "$2" "$3" "$(calc "$2 / $least")" -
}

# kernels N: reports of the database of a job with N kernels, in processor time.
kernels()
{
    python3 "$root/bench/make_nsys.py" --kernels "$1" kernels.sqlite 2>/dev/null ||
        die "cannot make a database"
    title "reports of $1 kernels, with opening, against nvtx_gpu_proj_sum" "s of the processor"
    base=
    for report in nvtx_gpu_proj_sum nvtx_gpu_proj_trace nvtx_kern_sum cuda_api_gpu_sum cuda_gpu_sum \
        cuda_gpu_kern_sum cuda_gpu_kern_gb_sum cuda_gpu_mem_time_sum cuda_gpu_mem_size_sum \
        cuda_gpu_trace cuda_kern_exec_sum cuda_kern_exec_trace; do
        # shellcheck disable=SC2046
        set -- $("$root/bench/spent.py" "$rounds" "$rangefinder" stats -q -f csv -r "$report" \
            kernels.sqlite)
        base=${base:-$3}
        row "$report" "$3" "$4" "$(calc "$3 / $base")" 2
    done
}

[ "$ranges" = 0 ] || long_recordings
summaries "${2:-1000}"
kernels "${3:-1000000}"
