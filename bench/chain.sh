#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a second tool costs (profile --chain): a push/pop pair in bursts, with a tool whose callbacks do
# nothing, alone and behind the recorder, by turns.
# shellcheck source=bench/lib.sh
. "$(dirname "$0")/lib.sh"
nothing=$programs/armed_nothing.so
turns=${RF_BENCH_TURNS:-5}

# the minimum of a pair, of the line that bench_record prints
pair() { awk -F'24 B text(, and pop)?' 'NF > 1 { split($2, n, " "); print n[1] }' | head -n 1; }
burst() { "$@" "$programs/bench_record" "$rounds" burst 1 2>/dev/null | pair; }
record() { burst "$rangefinder" profile -q -f true -t nvtx -o r "$@"; }

for _ in $(seq "$turns"); do
    burst env >>none
    burst env NVTX_INJECTION64_PATH="$nothing" >>nothing
    record >>ours
    record --chain="$nothing" >>chain
done
least() { sort -n "$1" | head -n 1; }
median() { sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
title "a push/pop pair with a text of 24 bytes" "ns"
for what in none nothing ours chain; do
    case $what in
    none) text="no tool" ;;
    nothing) text="a tool that does nothing" ;;
    ours) text="rangefinder" ;;
    chain) text="rangefinder --chain=a tool that does nothing" ;;
    esac
    row "$text" "$(least $what)" "$(median $what)" - -
done
for by in least median; do
    added=$(calc "$($by chain) - $($by ours)")
    row "added by the chain and that tool ($by)" "$added" - - -
done
