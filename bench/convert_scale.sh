#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Whether converting an export of Nsight Systems takes time and memory in proportion to what is in
# it: files that grow in one respect, in five forms. Where a row's numbers per kernel are those of
# the row above, that form is linear there.
#
# usage: convert_scale.sh [KERNELS...]
#
# KERNELS: how many kernels the first files have, by default 10000 20000 40000; 20000000 take 3 GB
#     of disk, 4 GB of memory and an hour. The other files grow from the first of these sizes:
#   threads  KERNELS/5 kernels, 8 to 1000 more threads that hold a range all the time
#   open     200 kernels for each range that is open from the start to the end, 50 of them to 1600
#   shared   1 to 8 processes that use one GPU
#   ranges   KERNELS/10 kernels and 0 to 160 ranges before each
# Only some of the tables: RF_SCALE='kernels threads open shared ranges'
#
# Time is that of the processor, user and system, the least of RF_BENCH_ROUNDS runs (by default 3):
# other work on the machine disturbs it less. MB: the most memory that was in use.
# shellcheck source=bench/lib.sh
RF_BENCH_ROUNDS=${RF_BENCH_ROUNDS:-3}
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || die "python3 makes the files"
[ $# -gt 0 ] || set -- 10000 20000 40000
first=$1
tables=${RF_SCALE:-kernels threads open shared ranges}

# cost COUNT COMMAND...: microseconds for each of COUNT, and MB.
cost()
{
    python3 -c '
import os, sys
rounds, count, least, most = int(sys.argv[1]), int(sys.argv[2]), None, 0
for _ in range(rounds):
    out = os.open("/dev/null", os.O_WRONLY)
    pid = os.posix_spawnp(sys.argv[3], sys.argv[3:], os.environ,
                          file_actions=[(os.POSIX_SPAWN_DUP2, out, 1)])
    os.close(out)
    _, status, usage = os.wait4(pid, 0)
    if status != 0:
        sys.exit(1)
    seconds = usage.ru_utime + usage.ru_stime
    least = seconds if least is None else min(least, seconds)
    most = max(most, usage.ru_maxrss)
print("%.3f %.0f" % (least * 1e6 / count, most / 1024))' "$rounds" "$@" || die "$2 failed"
}

# head WHAT UNIT
head()
{
    printf '%s (microseconds of the processor per %s, MB)\n' "$1" "$2"
    printf '  %-34s %9s %6s %9s %6s %9s %6s %9s %6s %9s %6s\n' '' nsys2json MB json MB \
        perfetto MB proj_sum MB info MB
}

# forms LABEL COUNT: a row for t.sqlite.
forms()
{
    # the words are numbers
    # shellcheck disable=SC2046,SC2183
    printf '  %-34s %9s %6s %9s %6s %9s %6s %9s %6s %9s %6s\n' "$1" \
        $(cost "$2" "$RF_BUILD/bin/nsys2json" -f t.sqlite -o -) \
        $(cost "$2" "$rangefinder" export -q -t json -o - t.sqlite) \
        $(cost "$2" "$rangefinder" export -q -t perfetto -o - t.sqlite) \
        $(cost "$2" "$rangefinder" stats -q -r nvtx_gpu_proj_sum t.sqlite) \
        $(cost "$2" "$rangefinder" info t.sqlite)
    rm -f t.sqlite
}

make()
{
    "$root/bench/make_nsys.py" t.sqlite "$@" 2>made.txt || { cat made.txt >&2; die "no file"; }
}

grow_kernels()
{
    head kernels kernel
    for n; do
        make --kernels "$n"
        forms "$n" "$n"
    done
}

grow_threads()
{
    head "threads inside a range, $((first / 5)) kernels" "kernel and range"
    for n in 8 32 128 1000; do
        make --kernels "$((first / 5))" --idle-threads "$n"
        forms "$n" "$((first / 5 + $(sed 's/.* \([0-9]*\) ranges/\1/' made.txt)))"
    done
}

grow_open()
{
    head "open ranges, 200 kernels for each" kernel
    for n in 50 100 200 400 800 1600; do
        make --kernels "$((n * 200))" --long-ranges "$n"
        forms "$n" "$((n * 200))"
    done
}

grow_shared()
{
    head "processes on one GPU, $first kernels" kernel
    for n in 1 2 4 8; do
        make --kernels "$first" --processes "$n" --same-device
        forms "$n" "$first"
    done
}

grow_ranges()
{
    head "ranges, $((first / 10)) kernels" "kernel and range"
    for n in 0 20 40 80 160; do
        make --kernels "$((first / 10))" --small-ranges "$n"
        ranges=$(sed 's/.* \([0-9]*\) ranges/\1/' made.txt)
        forms "$ranges" "$((first / 10 + ranges))"
    done
}

for table in $tables; do
    case $table in
    kernels | threads | open | shared | ranges) "grow_$table" "$@" ;;
    *) die "no table '$table'" ;;
    esac
done
