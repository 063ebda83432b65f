#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compressed recordings: bytes per range, beside other tools' files of the same program; whether one
# core keeps up with a thread that records without pause; how long they take to read.
#
# usage: compress.sh [RANGES]        1,000,000 ranges, unless said otherwise
# shellcheck source=bench/lib.sh
. "$(dirname "$0")/lib.sh"

n=${1:-1000000}

# field NAME FILE: a number that info says of a recording.
field()
{
    "$rangefinder" info --json "$2" | sed -n "s/^.*\"$1\":\([0-9]*\),.*/\1/p"
}

# per_range FILE
per_range()
{
    calc "$(wc -c <"$1") / $n"
}

# size_of KIND GAP_NS TARGET: of a recording that is made compressed, and compressed behind it.
size_of()
{
    profiled --compress "$programs/gaps" "$n" "$2" "$1"
    made=$(per_range r.rf)
    "$rangefinder" recover --compress=false -f true -o plain.rf r.rf >recover.log 2>&1 ||
        die "$(cat recover.log)"
    "$rangefinder" recover --compress -f true -o small.rf plain.rf >recover.log 2>&1 ||
        die "$(cat recover.log)"
    row "$1, gaps to $2 ns: plain" "$(per_range plain.rf)" - - -
    row "$1, gaps to $2 ns: profile --compress" "$made" - - -
    row "$1, gaps to $2 ns: recover --compress" "$(per_range small.rf)" - - "$3"
}

title "files of $n push/pop ranges" "bytes per range"
size_of names 0 4
size_of names 300 4
size_of names 1000 4 # two gaps of 0 to 2,500 ticks alone are 2.8 bytes, and 3.6 to 25,000; one name of 50 is 0.7
size_of names 10000 4
size_of nested 300 4
size_of nested 1000 4
size_of torch 1000 8

# The last program once more, by others; LTTng's are in peers.sh.
if command -v nsys >/dev/null; then
    nsys profile -t nvtx --sample=none --cpuctxsw=none -f true -o peer "$programs/gaps" "$n" 1000 \
        torch >nsys.log 2>&1 || true
    for file in peer.nsys-rep peer.qdstrm; do
        [ ! -f $file ] || row "torch, gaps to 1000 ns: nsys, .${file#peer.}" "$(per_range $file)" - - -
    done
else
    echo "  SKIP: nsys is not installed"
fi
"$rangefinder" export -t perfetto -f true -o peer.pftrace plain.rf
row "torch, gaps to 1000 ns: as a trace of Perfetto" "$(per_range peer.pftrace)" - - -

title "a thread that records without pause, $n ranges" "as each line says"
for option in false true; do
    for round in $(seq "$rounds"); do
        profiled "--compress=$option" "$programs/pairs" "$n"
        echo "$(field n_stalls r.rf) $(per_range r.rf) $(field n_lost_records r.rf)"
    done | sort -n >"flat.$option"
    row "calls that waited for room, of $((2 * n)): --compress=$option" \
        "$(head -n 1 "flat.$option" | cut -d' ' -f1)" \
        "$(sed -n "$((rounds / 2 + 1))p" "flat.$option" | cut -d' ' -f1)" - -
    row "bytes per range in the file: --compress=$option" \
        "$(cut -d' ' -f2 "flat.$option" | sort -n | head -n 1)" \
        "$(cut -d' ' -f2 "flat.$option" | sort -n | sed -n "$((rounds / 2 + 1))p")" - -
    row "lost, at worst: --compress=$option" \
        "$(cut -d' ' -f3 "flat.$option" | sort -n | tail -n 1)" - - 0
done

title "reading them, $n ranges" "ms; ratio to plain"
profiled "$programs/gaps" "$n" 1000 names
mv r.rf plain.rf
"$rangefinder" recover --compress -f true -o small.rf plain.rf >recover.log 2>&1
for verb in "info" "stats -r nvtx_sum" "stats -r nvtx_pushpop_trace"; do
    # shellcheck disable=SC2086
    plain=$("$programs/spawn" "$rounds" "$rangefinder" $verb plain.rf)
    # shellcheck disable=SC2086
    small=$("$programs/spawn" "$rounds" "$rangefinder" $verb small.rf)
    # shellcheck disable=SC2086
    row "$verb: plain" $plain - -
    # shellcheck disable=SC2086
    row "$verb: compressed" $small "$(calc "${small%% *} / ${plain%% *}")" 1.3
done
