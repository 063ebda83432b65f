#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every measurement, as short as it can be: do they work? What they measure does not matter here.
# shellcheck source=bench/lib.sh
. "$(dirname "$0")/lib.sh"

# expect WHAT N COMMAND...: the command ends well and prints at least N lines with a number that is
# no zero.
expect()
{
    what=$1
    n=$2
    shift 2
    "$@" >out.txt 2>err.txt || { cat out.txt err.txt; die "$what: failed"; }
    found=$(grep -v 'nan\|inf' out.txt | grep -c '^.* [0-9.]*[1-9]' || true)
    [ "$found" -ge "$n" ] || { cat out.txt err.txt; die "$what: $found lines, expected $n"; }
}

expect record 8 profiled "$programs/bench_record" 1 burst
expect "record flat" 2 by_hand "$programs/bench_record" 1 flat 1
expect threads 3 profiled "$programs/bench_threads" 1
for mode in keep drop; do
    expect "armed, $mode" 14 "$programs/bench_armed" $mode "$inject" "$programs/armed_nothing.so" 1
    forget_sessions
done
expect "flat, profiled" 4 profiled "$programs/bench_flat" . 1 20
expect "flat, by hand" 4 by_hand "$programs/bench_flat" . 1 20
RF_BENCH_ROUNDS=1 expect top 8 "$root/bench/top.sh" 1 20
expect stalls 2 profiled "$programs/bench_stalls" 0.2
expect first 2 profiled "$programs/bench_first" threads 20
for mode in live one-by-one pairs; do
    [ "$(profiled "$programs/bench_memory" $mode 3)" -gt 0 ] || die "memory $mode: no number"
done
expect "spawn, two commands" 2 sh -c "'$programs/spawn' 1 true -- true | sed 's/^/ /'"
RF_BENCH_END=$work/end expect "spawn, end of the program" 1 sh -c \
    "'$programs/spawn' --end '$work/end' 1 '$programs/pairs' 1000 2 | sed 's/^/ /'"
RF_BENCH_ROUNDS=1 expect ring 11 "$root/bench/ring.sh" 1 0.5
RF_BENCH_ROUNDS=1 expect convert 4 "$root/bench/convert.sh" '' 1000
if python3 -c 'import sys; sys.path.insert(0, sys.argv[1]); import trace_processor; trace_processor.need()' \
    "$root/tests/perfetto" >/dev/null; then
    RF_BENCH_ROUNDS=1 expect load 6 "$root/bench/load.sh" 100
    RF_BENCH_ROUNDS=1 expect open 3 "$root/bench/open.sh" 1000
fi
RF_BENCH_ROUNDS=1 RF_SCALE='kernels shared' expect "convert, scale" 5 \
    "$root/bench/convert_scale.sh" 1000
RF_BENCH_ROUNDS=1 expect "convert, two builds" 18 \
    "$root/bench/convert_pair.sh" "$RF_BUILD" "$RF_BUILD" 1000 1000
expect "code size" 10 "$root/bench/code_size.sh" "$root"
! command -v valgrind >/dev/null || RF_BENCH_EVENTS=1000 expect instructions 21 \
    "$root/bench/instructions.sh" "$RF_BUILD"
RF_BENCH_ROUNDS=1 RF_BENCH_EVENTS=1000 expect filters 3 "$root/bench/filter.sh"
RF_BENCH_ROUNDS=1 expect captures 3 "$root/bench/captures.sh" 100
RF_BENCH_ROUNDS=1 expect compress 20 "$root/bench/compress.sh" 2000
[ ! -x "$RF_BUILD/tests/cuda/double/app" ] ||
    RF_BENCH_ROUNDS=1 expect joins 48 "$root/bench/joins.sh" 3000
RF_BENCH_ROUNDS=1 expect stats 20 "$root/bench/stats.sh" 300000 10 2000
RF_BENCH_ROUNDS=1 expect answers 22 "$root/bench/answers.sh" 1000
expect clocks 6 "$root/bench/clocks.sh" 3 100 1
RF_BENCH_ROUNDS=1 expect metrics 4 "$root/bench/metrics.sh" 1500 3
[ ! -d "$RF_BUILD/python/rangefinder" ] || {
    RF_BENCH_ROUNDS=1 expect python 15 "$root/bench/python.sh"
    RF_BENCH_ROUNDS=1 RF_BENCH_EVENTS=1000 expect columns 2 "$root/bench/columns.sh"
}
[ ! -d "$RF_BUILD/python/rangefinder" ] || RF_BENCH_ROUNDS=1 expect fleet 8 "$root/bench/fleet.sh" 25 300
! "$programs/spawn" 1 false 2>/dev/null || die "spawn: a command that fails went unnoticed"
echo "all measurements work"
