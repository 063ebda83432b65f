#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A flight recorder: what a range costs with and without the ring, what a ring of 64 MB takes, how
# long a snapshot of it needs and holds the program up, and how soon a hang is noticed.
# usage: ring.sh [SIZE_MB [SECONDS]]
# shellcheck source=bench/lib.sh
. "$(dirname "$0")/lib.sh"
mb=${1:-64}
seconds=${2:-4}
export RANGEFINDER_RUNTIME_DIR="$work/runtime"

# least FILE, median FILE: of the numbers in it
least()
{
    sort -g "$1" | sed -n 1p
}

median()
{
    sort -g "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

ring()
{
    "$rangefinder" profile -q -f --ring="${mb}M" -o r "$@"
}

title "push/pop in bursts of 500" ns
for _ in $(seq "$rounds"); do
    "$rangefinder" profile -q -f -o r "$programs/bench_ring" pairs >>off
    ring "$programs/bench_ring" pairs >>on
    ring --snapshot-on=slow:a*:1s --snapshot-on=open:a*:1s "$programs/bench_ring" pairs >>rules
done
row "rangefinder profile" "$(least off)" "$(median off)" - -
row "--ring" "$(least on)" "$(median on)" "$(calc "$(least on) / $(least off)")" 1.05
row "--ring with two rules of these ranges" "$(least rules)" "$(median rules)" \
    "$(calc "$(least rules) / $(least off)")" 1.05

# held: MiB of the session's logs and pools
held()
{
    for link in "$work"/r.rfdir/*.log "$work"/r.rfdir/*.pool; do
        stat -L -c %b "$link"
    done | awk '{ n += $1 } END { printf "%.1f\n", n * 512 / 1048576 }'
}

echo
title "a ring of $mb MB that is full" "as said"
ring --session-new=bench-ring "$programs/bench_ring" fill $((mb * 5 / 4)) ready end &
while [ ! -e ready ]; do sleep 0.01; done
sleep 0.1
row "logs and pools, 1 thread, MiB" "$(held)" "$(held)" - "$(calc "$mb + 4 + 0.16")"
for _ in $(seq "$rounds"); do
    before=$(date +%s%N)
    "$rangefinder" snapshot bench-ring >snapshot
    echo "$(($(date +%s%N) - before))" | awk '{ print $1 / 1e6 }' >>taken
    rm -f "$(cat snapshot)"
done
row "a snapshot, from the command to the file, ms" "$(least taken)" "$(median taken)" - 150
touch end
wait

echo
title "1,000,000 events per second, $seconds s: a push and pop, not preempted" us
paced()
{
    ring --session-new=bench-ring "$programs/bench_ring" paced 500000 "$seconds" >"$1" &
    job=$!
    sleep 0.3
    while kill -0 $job 2>/dev/null; do
        [ "$1" = quiet ] || "$rangefinder" snapshot bench-ring >snapshot 2>/dev/null || true
        sleep 0.3
        rm -f r.snapshot*.rf
    done
    wait $job
}
for _ in $(seq $(((rounds + 2) / 3))); do
    paced quiet
    paced taking
    cut -d' ' -f1 quiet >>quiet_p
    cut -d' ' -f2 quiet >>quiet_max
    cut -d' ' -f1 taking >>taking_p
    cut -d' ' -f2 taking >>taking_max
done
row "99.99 %, no snapshot" "$(least quiet_p)" "$(median quiet_p)" - -
row "99.99 %, a snapshot every 0.3 s" "$(least taking_p)" "$(median taking_p)" - 20
row "the longest, no snapshot" "$(least quiet_max)" "$(median quiet_max)" - -
row "the longest, a snapshot every 0.3 s" "$(least taking_max)" "$(median taking_max)" - -

echo
title "a range that is open too long, noticed after" ms
for ms in 100 1000; do
    rm -f late
    for _ in $(seq $(((rounds + 2) / 3))); do
        rm -f end r.snapshot1.rf
        ring --snapshot-on=open:request:${ms}ms "$programs/bench_ring" hang end &
        while [ ! -e r.snapshot1.rf ]; do sleep 0.01; done
        touch end
        wait
        "$rangefinder" info --json r.snapshot1.rf |
            sed -n 's/.*"value_ns":\([0-9]*\).*/\1/p' | awk '{ print $1 / 1e6 }' >>late
    done
    row "open:request:${ms}ms" "$(least late)" "$(median late)" - $((ms + ms / 10 + 100))
done
