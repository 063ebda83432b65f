#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What `rangefinder top` costs: its own processor time and memory, and what the watched program notices,
# by alternating runs with it and without it.
# usage: top.sh [SECONDS] [THREADS]
# shellcheck source=bench/lib.sh
. "$(dirname "$0")/lib.sh"

seconds=${1:-3}
threads=${2:-1000}
export RANGEFINDER_RUNTIME_DIR="$work/run"

# watched RATE THREADS OPTIONS...: a run that is watched; adds to ns.on, cpu.txt and memory.txt.
watched()
{
    rate=$1
    n=$2
    shift 2
    rm -f go top.jsonl
    # shellcheck disable=SC2016
    "$rangefinder" profile -q -f true -o r --session-new=bench "$@" \
        sh -c 'until [ -e go ]; do sleep 0.02; done; exec "$@"' sh "$programs/bench_top" "$rate" "$seconds" "$n" >out.txt 2>profile.log &
    run=$!
    until "$rangefinder" status --session=bench >/dev/null 2>&1; do
        kill -0 $run 2>/dev/null || die "rangefinder profile failed"
        sleep 0.02
    done
    python3 "$root/bench/spent.py" -o top.jsonl 1 "$rangefinder" top --json bench >spent.txt &
    top=$!
    until [ -s top.jsonl ]; do
        kill -0 $top 2>/dev/null || die "top failed"
        sleep 0.02
    done
    touch go
    wait $top || die "top failed"
    wait $run || { cat profile.log >&2; die "rangefinder profile failed"; }
    cat out.txt >>ns.on
    awk '{ printf "%.1f\n", $3 / $1 * 100 }' spent.txt >>cpu.txt
    awk '{ print $5 }' spent.txt >>memory.txt
}

unwatched()
{
    rate=$1
    n=$2
    shift 2
    "$rangefinder" profile -q -f true -o r "$@" "$programs/bench_top" "$rate" "$seconds" "$n" >>ns.off 2>profile.log ||
        { cat profile.log >&2; die "rangefinder profile failed"; }
}

least() { sort -n "$1" | sed -n 1p; }
middle() { sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# measure WHAT RATE THREADS OPTIONS...
measure()
{
    what=$1
    shift
    rm -f ns.on ns.off cpu.txt memory.txt
    i=0
    while [ $i -lt "$rounds" ]; do
        unwatched "$@"
        watched "$@"
        i=$((i + 1))
    done
    row "$what: top, % of a core" "$(least cpu.txt)" "$(middle cpu.txt)" - -
    row "$what: top, memory in MB" "$(least memory.txt)" "$(middle memory.txt)" - -
    row "$what: ns per range, not watched" "$(least ns.off)" "$(middle ns.off)" - -
    row "$what: ns per range, watched" "$(least ns.on)" "$(middle ns.on)" \
        "$(calc "$(least ns.on) / $(least ns.off)")" 1.05
}

title "rangefinder top, runs of $seconds s" "min, median of $rounds"
measure "1,000,000 ranges/s" 1000000 0
measure "10,000 ranges/s beside $threads threads" 10000 "$threads"
measure "1,000,000 ranges/s into --ring=64M" 1000000 0 --ring=64M
