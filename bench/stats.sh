#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Summing up a long recording: the time and the most memory of `stats -r nvtx_sum`, `summarize` and
# `info`, and of a recording of three times as many ranges; the same of kernels, if the stand-ins of
# the tests for CUDA were built, with the sums of GPU work; the tables that people see; parts that filters select; a dozen of 96 MB, each of which costs what each of
# a thousand does; five runs compared with five. Then the summaries of a job of many ranks, and
# the reports of GPU work, also by nsys where it is installed.
#
# usage: stats.sh [RANGES [SUMMARIES [KERNELS [STARTS]]]]
#
# RANGES: by default 100000000; four times as many ranges take 12 GB of disk. 0: none of this, nor the
#     dozen.
# SUMMARIES: by default 1000. KERNELS: by default 1000000; 0: none of this. STARTS: start/end ranges, by default 20000000; 0: none. The targets are those of the defaults.
# shellcheck source=bench/lib.sh
RF_BENCH_ROUNDS=${RF_BENCH_ROUNDS:-3}
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || die "python3 measures time and memory"
ranges=${1:-100000000}

# measured COMMAND...: what spent.py prints.
measured()
{
    "$root/bench/spent.py" "$rounds" "$rangefinder" "$@" || die "cannot sum up: $*"
}

# long_recording RANGES FACTOR: makes it, and reads it in both ways. First of all, the shorter one.
long_recording()
{
    n=$(($1 * $2)) target=$([ "$2" = 1 ] && echo 4 || echo -)
    profiled --overflow=block "$programs/pairs" $n 2
    for way in "stats -q -r nvtx_sum r.rf" "summarize -q -f r.rf -o long" "info r.rf"; do
        memory=500
        [ "$way" != "info r.rf" ] || {
            target=$([ "$2" = 1 ] && echo 0.5 || echo -)
            memory=$([ "$2" = 1 ] && echo 64 || echo -)
        }
        # shellcheck disable=SC2046,SC2086
        set -- "$1" "$2" $(measured $way)
        row "${way%% *}, $n ranges, s" "$3" "$4" - "$target"
        row "  of the processor, s" "$5" - - -
        row "  memory, MB" "$7" - - "$memory"
        processor="$processor $5"
    done
}

long_recordings()
{
    processor=
    title "push/pop ranges of two threads: nvtx_sum, a summary, and info" "s, MB"
    long_recording "$ranges" 1
    long_recording "$ranges" 3
    # shellcheck disable=SC2086
    set -- $processor
    row "three times as many: stats, processor" "$4" - "$(calc "$4 / $1")" 3.3
    row "three times as many: summarize, processor" "$5" - "$(calc "$5 / $2")" 3.3
    row "three times as many: info, processor" "$6" - "$(calc "$6 / $3")" 3.3
}

# tables RANGES: the tables of people, of ranges of two threads, against nvtx_sum, which programs get.
tables()
{
    profiled --overflow=block "$programs/pairs" "$1" 2
    title "tables of $1 push/pop ranges of two threads" s
    base=
    clock=$([ "$1" = 10000000 ] && echo 0.65 || echo -)
    for way in "-r nvtx_sum:" "-q:1.5" "-r nvtx_tree:-"; do
        # shellcheck disable=SC2046,SC2086
        set -- "$1" $(measured stats -q ${way%:*} r.rf)
        [ -n "$base" ] || row "stats ${way%:*}, s" "$2" "$3" - "$clock"
        base=${base:-$4}
        row "stats ${way%:*}, processor" "$4" "$5" "$(calc "$4 / $base")" "$(echo "${way#*:}" | sed 's/^$/-/')"
    done
}

# filtered RANGES: parts of push/pop ranges of two threads, against the sum of all of them.
filtered()
{
    profiled --overflow=block "$programs/pairs" "$1" 2
    title "nvtx_sum and a summary of parts of $1 push/pop ranges of two threads" "s of the processor, MB"
    for way in "stats -q -r nvtx_sum" "summarize -q -f -o part"; do
        # shellcheck disable=SC2046,SC2086
        set -- "$1" $(measured $way r.rf)
        base=$4
        row "${way%% *}, all" "$4" "$5" - -
        for part in --filter-time=50ms/ --filter-name=a* --filter-thread=pairs --cut-ranges=leave-out \
            "--filter-nvtx=a message of 24 bytes ab/1000"; do
            # shellcheck disable=SC2046,SC2086
            set -- "$1" $(measured $way "$part" r.rf)
            row "${way%% *} ${part%%=*}" "$4" "$5" "$(calc "$4 / $base")" -
            row "  memory, MB" "$6" - - 500
        done
    done
}

# captured RANGES: a capture of push/pop ranges, and of three times as many.
captured()
{
    title "one capture of push/pop ranges" "s of the processor, MB"
    for n in "$1" $((3 * $1)); do
        profiled --overflow=block -c nvtx -p step --nvtx-capture-unregistered=true "$programs/captures" 1 20000 "$n"
        for way in "stats -q -r nvtx_sum" "stats -q -r self_time" "summarize -q -f -o part"; do
            # shellcheck disable=SC2046,SC2086
            set -- "$1" $(measured $way r.rf)
            row "$way, $n ranges" "$4" "$5" - -
            row "  memory, MB" "$6" - - 64
        done
    done
}

# inputs N: a folder of N recordings of 96 MB.
inputs()
{
    mkdir job
    for i in $(seq "$1"); do
        profiled --overflow=block "$programs/pairs" 2000000 2
        mv r.rf "job/$i.rf"
    done
    title "summarize $1 inputs of 96 MB" "s, MB"
    # shellcheck disable=SC2046
    set -- "$1" $(measured summarize -q -f job -o inputs)
    row "of the processor, each" "$(calc "$4 / $1")" "$(calc "$5 / $1")" - 0.25
    row "  memory, MB" "$6" - - 300
    rm -r job
}

# runs N: five runs against five, of N ranges each.
runs()
{
    for i in 1 2 3 4 5; do
        for side in a b; do
            profiled --overflow=block "$programs/pairs" "$1" 2
            mv r.rf "$side$i.rf"
        done
    done
    title "compare five runs with five, of $1 ranges each" "s, MB"
    # shellcheck disable=SC2046
    set -- $(measured compare -q -f json a1.rf a2.rf a3.rf a4.rf a5.rf -- b1.rf b2.rf b3.rf b4.rf b5.rf)
    row "compare" "$1" "$2" - 5
    row "  memory, MB" "$5" - - -
    rm a?.rf b?.rf
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
        cuda_gpu_trace cuda_kern_exec_sum cuda_kern_exec_trace breakdown breakdown_steps \
        critical gpu_gaps gpu_gaps:gap=0 launch_latency; do
        # shellcheck disable=SC2046
        set -- $("$root/bench/spent.py" "$rounds" "$rangefinder" stats -q -f csv -r "$report" \
            kernels.sqlite)
        base=${base:-$3}
        row "$report" "$3" "$4" "$(calc "$3 / $base")" 2
    done
    peer
}

# work N: a recording of N kernels in 3 ranges for 10, which the stand-ins of the tests pretend to run.
work()
{
    double=$RF_BUILD/tests/cuda/double
    RANGEFINDER_CUPTI=$double/cupti/libcupti.so.12 profiled --overflow=block -t cuda,nvtx \
        "$double/app" copy=4096 duration=200 \
        "repeat=$(($1 / 10)):push=step+launch=2+push-value=1:forward+launch=4+pop+push-value=2:backward+launch=3+pop+launch+pop" \
        set=100 sync
    title "a recording of $1 kernels" "s of the processor, MB"
    for way in "stats -q -f csv -r cuda_gpu_kern_sum r.rf" "stats -q -f csv -r cuda_api_gpu_sum r.rf" \
        "stats -q -f csv -r cuda_gpu_kern_gb_sum r.rf" "stats -q -f csv -r cuda_kern_exec_sum r.rf" \
        "stats -q -f csv -r nvtx_gpu_proj_sum r.rf" "stats -q -f csv -r nvtx_kern_sum r.rf" \
        "stats -q -f csv -r cuda_gpu_kern_sum --filter-time=50ms/ r.rf" \
        "stats -q -f csv -r nvtx_kern_sum --filter-time=50ms/ r.rf" "summarize -q -f --filter-time=50ms/ r.rf -o part" \
        "stats -q -f csv -r nvtx_gpu_proj_sum --filter-payload=1 r.rf" \
        "stats -q -f csv -r cuda_gpu_kern_sum --filter-payload=1 r.rf" \
        "summarize -q -f --filter-payload=1 r.rf -o part" \
        "stats -q -f csv -r nvtx_gpu_proj_sum --cut-ranges=leave-out r.rf" \
        "summarize -q -f --cut-ranges=leave-out r.rf -o part" \
        "summarize -q -f r.rf -o work" "info r.rf"; do
        memory=64
        case $way in "summarize"*"--cut-ranges"*) memory=96 ;; esac
        # shellcheck disable=SC2046,SC2086
        set -- "$1" $(measured $way)
        row "$(echo "$way" | sed 's/ -q//; s/ -f csv//; s/ -f / /; s/ -r / /; s/ r.rf.*//')" "$4" "$5" - -
        row "  memory, MB" "$6" - - "$memory"
    done
}

# peer: nsys, once, on the same database and on its own names of the same reports.
peer()
{
    command -v nsys >/dev/null || {
        echo "nsys is not installed: no peer"
        return 0
    }
    names=$(nsys stats --help-reports 2>/dev/null || true)
    title "the same reports by $(nsys --version); ratio: times as fast" "s of the processor"
    for pair in nvtx_sum:nvtxsum cuda_api_sum:cudaapisum cuda_gpu_kern_gb_sum:gpukernsum \
        cuda_gpu_mem_time_sum:gpumemtimesum cuda_gpu_trace:gputrace cuda_kern_exec_sum:kernexecsum; do
        report=${pair%:*} theirs=${pair%:*}
        case $names in *"$report"*) ;; *) theirs=${pair#*:} ;; esac
        # shellcheck disable=SC2046
        set -- $("$root/bench/spent.py" "$rounds" "$rangefinder" stats -q -f csv -r "$report" \
            kernels.sqlite) $("$root/bench/spent.py" 1 nsys stats -q --report "$theirs" \
            --format csv kernels.sqlite || true)
        if [ $# = 10 ]; then
            row "$report" "$3" "$4" "$(calc "$8 / $3")" '>=1'
            row "  nsys: $theirs" "$8" - - -
        else
            row "  nsys: $theirs failed" - - - -
        fi
    done
}

# starts N: start/end ranges that their own thread ends, or another one, or both twice; push/pop ranges in
# a start/end range, or with payloads.
starts()
{
    title "$1 ranges of two threads, which overlap, lie in one that stays open, or have payloads" "s of the processor, MB"
    for how in own other twice inside payload; do
        profiled --overflow=block "$programs/starts" "$1" 2 $how
        for way in "stats -q -r nvtx_sum r.rf" "summarize -q -f r.rf -o starts"; do
            # shellcheck disable=SC2046,SC2086
            set -- "$1" $(measured $way)
            row "$how: ${way%% *}" "$4" "$5" - -
            row "  memory, MB" "$6" - - 500
        done
    done
}

[ "$ranges" = 0 ] || {
    long_recordings
    tables $((ranges / 10))
    filtered $((ranges / 5))
    captured $((ranges / 25))
    inputs 12
    runs 1000000
}
summaries "${2:-1000}"
[ "${3:-1000000}" = 0 ] || {
    kernels "${3:-1000000}"
    [ ! -x "$RF_BUILD/tests/cuda/double/app" ] || {
        work "${3:-1000000}"
        work $((${3:-1000000} * 3))
    }
}
[ "${4:-20000000}" = 0 ] || starts "${4:-20000000}"
