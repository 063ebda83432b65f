#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The same annotations recorded by other tools, in turn with ours, where they are installed.
#
#   Nsight Systems  the same program and the same NVTX calls. On Debian 12 it is in non-free:
#                   apt-get install nsight-systems (2022.4); NVIDIA has newer ones.
#   LTTng-UST       a pair of tracepoints of its own: apt-get install liblttng-ust-dev lttng-tools
#
# usage: peers.sh [nsys|lttng]...
# shellcheck source=bench/lib.sh
. "$(dirname "$0")/lib.sh"

n_turns=3

# Prints minimum and median of the ranges with 24 B text in the output of the bench programs.
pair_ns()
{
    awk -F'24 B text(, and pop)?' 'NF > 1 { split($2, n, " "); print n[1], n[2] }'
}

# best FILE: the least minimum and the least median of the lines.
best()
{
    awk 'NR == 1 || $1 < a { a = $1 } NR == 1 || $2 < b { b = $2 } END { print a, b }' "$1"
}

ours()
{
    profiled "$programs/bench_record" "$rounds" "$1" 1 | pair_ns >>"ours.$1"
}

# compare PEER MODE TARGET: rows of both, from ours.MODE and peer.MODE.
compare()
{
    ours_ns=$(best "ours.$2")
    peer_ns=$(best "peer.$2")
    # shellcheck disable=SC2086
    row "$2: rangefinder, ns" $ours_ns - -
    # shellcheck disable=SC2086
    row "$2: $1, ns; ratio to rangefinder" $peer_ns \
        "$(calc "${peer_ns%% *} / ${ours_ns%% *}")" "$3"
}

# ---- Nsight Systems ----

nsys_profile()
{
    nsys profile -t nvtx --sample=none --cpuctxsw=none -f true -o peer "$@"
}

nsys_recording()
{
    for mode in burst flat; do
        rm -f ours.$mode peer.$mode
        turn=0
        while [ $turn -lt $n_turns ]; do
            ours $mode
            nsys_profile "$programs/bench_record" "$rounds" $mode 1 2>/dev/null |
                pair_ns >>peer.$mode
            turn=$((turn + 1))
        done
        compare nsys $mode ">=$([ $mode = burst ] && echo 8 || echo 15)"
    done
}

# Waiting for a capture: what an annotation costs meanwhile, and what the trigger costs.
nsys_focused()
{
    rm -f ours.armed peer.armed ours.trigger peer.trigger
    turn=0
    while [ $turn -lt $n_turns ]; do
        "$rangefinder" profile -q -c nvtx -p never -o armed \
            "$programs/bench_record" "$rounds" burst 1 2>/dev/null | pair_ns >>ours.armed
        nsys_profile -c nvtx -p never "$programs/bench_record" "$rounds" burst 1 2>/dev/null |
            pair_ns >>peer.armed
        "$rangefinder" profile -q -f true -c nvtx -p TRIG --capture-range-end=repeat -o trigger \
            "$RF_BUILD/tests/nsys_recordings/cap2" 8 2>/dev/null | trigger_us >>ours.trigger
        nsys_profile -c nvtx -p TRIG --capture-range-end=repeat "$RF_BUILD/tests/nsys_recordings/cap2" 8 \
            2>/dev/null | trigger_us >>peer.trigger
        turn=$((turn + 1))
    done
    compare nsys armed -
    for edge in begins ends; do
        for who in ours peer; do
            sed -n "s/^$edge //p" $who.trigger | sort -n | awk '{ v[NR] = $1 }
                END { print v[1], v[int((NR + 1) / 2)] }' >$who.edge
        done
        row "the call that $edge a capture: rangefinder, us" $(cat ours.edge) - -
        row "the same: nsys, us; ratio to rangefinder" $(cat peer.edge) \
            "$(calc "$(cut -d' ' -f2 peer.edge) / $(cut -d' ' -f2 ours.edge)")" -
    done
}

# Microseconds of the triggering push and pop, as tests/data/nsys_recordings/cap2.c prints them.
trigger_us()
{
    awk '/^trigger push/ { printf "begins %.1f\nends %.1f\n", $3 * 1e6, $6 * 1e6 }'
}

# Start-up, the wait after the program, the export, memory: in ms and MiB, ratio to ours.
nsys_around()
{
    "$programs/spawn" 5 true -- "$rangefinder" profile -f true -o r true -- \
        nsys profile -t nvtx --sample=none --cpuctxsw=none -f true -o peer true >times.txt
    rows "profile true, ms"
    {
        echo
        RF_BENCH_END=$work/end "$programs/spawn" --end "$work/end" 3 \
            "$rangefinder" profile -f true -o r "$programs/pairs" 1000000 -- \
            nsys profile -t nvtx --sample=none --cpuctxsw=none -f true -o peer \
            "$programs/pairs" 1000000
    } >times.txt
    rows "end of 1,000,000 ranges to end of profile, ms"
    {
        echo
        "$programs/spawn" 3 "$rangefinder" export -t sqlite -f true -o r.sqlite r.rf -- \
            nsys export -t sqlite -f true -o peer.sqlite peer.nsys-rep
    } >times.txt
    rows "export -t sqlite of 1,000,000 ranges, ms"
    kib=$(profiled "$programs/bench_memory" pairs 1000000)
    peer_kib=$(nsys_profile "$programs/bench_memory" pairs 1000000 2>/dev/null |
        grep -E '^[0-9]+$')
    printf '\n%s -\n%s -\n' "$(calc "$kib / 1024")" "$(calc "$peer_kib / 1024")" >times.txt
    rows "memory of the program at 1,000,000 ranges, MiB"
}

# rows WHAT: lines 2 and 3 of times.txt are ours and theirs.
rows()
{
    ours_value=$(sed -n 2p times.txt)
    peer_value=$(sed -n 3p times.txt)
    # shellcheck disable=SC2086
    row "rangefinder: $1" $ours_value - -
    # shellcheck disable=SC2086
    row "nsys: $1" $peer_value "$(calc "${peer_value%% *} / ${ours_value%% *}")" -
}

peer_nsys()
{
    command -v nsys >/dev/null || { echo "nsys: skipped: not installed"; return 0; }
    title "$(nsys --version | sed 's/.*version //; s/^/nsys /')" "as each line says"
    nsys_recording
    if [ -x "$RF_BUILD/tests/nsys_recordings/cap2" ]; then
        nsys_focused
    else
        echo "  captures: skipped: the build has no tests/nsys_recordings/cap2"
    fi
    rm -f peer.nsys-rep
    nsys_profile true >nsys.log 2>&1 || true
    if [ -e peer.nsys-rep ]; then
        nsys_around
    else
        # Debian's nsys looks for its importer in a folder that another package does not fill
        echo "  nsys wrote no report: the rest is skipped; it said:"
        tr '\r' '\n' <nsys.log | tail -n 3 | sed 's/^/    /'
    fi
}

# ---- LTTng-UST ----

lttng_recording()
{
    lttng create rf_bench -o "$work/lttng" >/dev/null
    lttng enable-event -u 'rf_bench:*' -s rf_bench >/dev/null
    lttng start rf_bench >/dev/null
    for mode in burst flat; do
        rm -f ours.$mode peer.$mode
        turn=0
        while [ $turn -lt $n_turns ]; do
            ours $mode
            ./bench_lttng "$rounds" $mode | pair_ns >>peer.$mode
            turn=$((turn + 1))
        done
        compare LTTng-UST $mode ">=6"
    done
    lttng stop rf_bench 2>&1 | sed -n 's/^Warning: /  LTTng-UST: /p'
    lttng destroy rf_bench >/dev/null
    lttng_size
}

# What a pair takes in its files. Ours: compress.sh.
lttng_size()
{
    command -v babeltrace2 >/dev/null ||
        { echo "LTTng-UST: skipped: the size of its files: babeltrace2 is not installed"; return 0; }
    events=$(babeltrace2 lttng | wc -l)
    row "LTTng-UST: bytes per pair in its files" "$(calc "2 * $(du -sb lttng | cut -f1) / $events")" - - -
}

peer_lttng()
{
    command -v lttng >/dev/null || { echo "lttng: skipped: lttng-tools is not installed"; return 0; }
    echo '#include <lttng/tracepoint.h>' | "${CC:-cc}" -E - >/dev/null 2>&1 ||
        { echo "lttng: skipped: liblttng-ust-dev is not installed"; return 0; }
    "${CC:-cc}" -O2 -D_GNU_SOURCE -I"$root/bench" "$root/bench/bench_lttng.c" \
        "$root/bench/measure.c" -o bench_lttng -llttng-ust -ldl ||
        die "cannot compile bench_lttng.c"
    title "$(lttng --version | sed 's/.*) \([0-9.]*\).*/LTTng-UST \1/')" "ns per pair"
    export LTTNG_HOME="$work"
    daemon=
    if ! lttng list >/dev/null 2>&1; then
        lttng-sessiond --background --no-kernel --pidfile "$work/sessiond.pid" >/dev/null 2>&1 ||
            { echo "lttng: skipped: its session daemon does not start"; return 0; }
        daemon=$work/sessiond.pid
    fi
    lttng_recording
    [ -z "$daemon" ] || kill "$(cat "$daemon")"
}

[ $# -gt 0 ] || set -- nsys lttng
for peer in "$@"; do
    "peer_$peer"
done
