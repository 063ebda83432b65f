#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How fast Perfetto's trace processor (tests/perfetto/trace_processor.py: in WebAssembly, as in a
# browser) loads our trace of an export of Nsight Systems, and with how much memory, next to the
# JSON that nsys2json makes of the same file: its four activities, about 2.5 slices per kernel. Of
# less.pftrace the work of the GPU has no details, as in that JSON; same.pftrace and same.fxt have no more
# than that JSON: its ranges, calls, kernels and projected ranges, of which nsys2json leaves some out. Rows are slices, flows and
# arguments: what the trace processor makes of a trace.
#
# usage: load.sh [KERNELS]
#
# KERNELS: default: 800000, which is 2 million slices
# RF_BENCH_ROUNDS  rounds, by default 9
# RF_BENCH_ONLY    traces to load, theirs.json among them
# RF_BENCH_BEFORE  another build to compare with: its trace is before.pftrace
# shellcheck source=bench/lib.sh
. "$(dirname "$0")/lib.sh"
kernels=${1:-800000}
command -v python3 >/dev/null || die "python3 makes the file"

# the least and the median of a column of a file
least_of() { sort -n -k "$1" "$2" | awk -v k="$1" 'NR == 1 { print $k }'; }
median_of() { sort -n -k "$1" "$2" | awk -v k="$1" '{ v[NR] = $k } END { print v[int((NR + 1) / 2)] }'; }

"$root/bench/make_nsys.py" t.sqlite --kernels "$kernels"
"$RF_BUILD/bin/nsys2json" -f t.sqlite -o theirs.json -t kernel nvtx nvtx-kernel cuda-api
"$rangefinder" export -q -o ours.pftrace t.sqlite
"$rangefinder" export -q --no-details -o less.pftrace t.sqlite
"$rangefinder" export -q --no-details --no-flows --activity=nvtx,runtime,kernel -o same.pftrace t.sqlite
"$rangefinder" export -q --no-details --no-flows --activity=nvtx,runtime,kernel -o same.fxt t.sqlite
"$rangefinder" export -q -o ours.fxt t.sqlite
"$rangefinder" export -q -o ours.json t.sqlite
traces=${RF_BENCH_ONLY:-theirs.json ours.json ours.pftrace less.pftrace same.pftrace ours.fxt same.fxt}
[ -z "${RF_BENCH_BEFORE:-}" ] || {
    "$RF_BENCH_BEFORE/bin/rangefinder" export -q -o before.pftrace t.sqlite
    traces="$traces before.pftrace"
}
for _ in $(seq "$rounds"); do
    for trace in $traces; do
        python3 "$root/bench/load.py" "$trace" >line || {
            # 77: there is no trace processor, as it said
            cat line
            exit 1
        }
        cat line >>"$trace.runs"
    done
done
title "a trace of $kernels kernels; ratio: to theirs.json, which nsys2json makes" "s, MB, MB on disk, rows"
for what in "1 seconds" "4 seconds of processor time" "2 MB"; do
    k=${what%% *}
    for trace in $traces; do
        ratio=$(calc "$(median_of "$k" "$trace.runs") / $(median_of "$k" theirs.json.runs)")
        row "$trace: ${what#* }" "$(least_of "$k" "$trace.runs")" "$(median_of "$k" "$trace.runs")" "$ratio" -
    done
done
for trace in $traces; do
    mb=$(calc "$(wc -c <"$trace") / 1e6")
    row "$trace: MB on disk" "$mb" "$mb" - -
    for what in "3 slices" "5 flows" "6 arguments"; do
        k=${what%% *}
        row "$trace: ${what#* }" "$(least_of "$k" "$trace.runs")" "$(median_of "$k" "$trace.runs")" - -
    done
    awk '{ print 1e6 * $4 / ($3 + $5 + $6) }' "$trace.runs" >"$trace.each"
    row "$trace: microseconds of the processor per row" "$(least_of 1 "$trace.each")" \
        "$(median_of 1 "$trace.each")" \
        "$(calc "$(median_of 1 "$trace.each") / $(median_of 1 theirs.json.each)")" -
done
