#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Memory that recording adds to the program: its resident size with the recorder less that of the
# same run without a tool.
# shellcheck source=bench/lib.sh
. "$(dirname "$0")/lib.sh"

# growth ARGUMENT...: KiB; the smaller of three, since what a run touches by chance only adds.
growth()
{
    least=
    for _ in 1 2 3; do
        bare=$("$programs/bench_memory" "$@")
        with=$(profiled "$programs/bench_memory" "$@")
        n=$((with - bare))
        [ -n "$least" ] && [ "$least" -le $n ] || least=$n
    done
    echo "$least"
}

printf 'memory that recording adds (KiB)\n  %-58s %9s %9s\n' "" growth target
line()
{
    printf '  %-58s %9s %9s  %s\n' "$1" "$2" "$3" \
        "$([ "$2" -le "$3" ] && echo holds || echo MISSED)"
}
for n in 1 8 64 512; do
    line "$n live threads, 5,000 ranges each" "$(growth live $n)" $((4096 + 160 * n))
done
line "10,000 threads one after another, peak" "$(growth one-by-one 10000)" 16384
line "one thread, 1,000,000 ranges, peak" "$(growth pairs 1000000)" $((4096 + 160))
