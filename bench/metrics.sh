#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a long recording of GPU metrics costs its readers: time, and the most memory in use.
#
# usage: metrics.sh [SAMPLES [METRICS]]     by default 2000000 of 19: 200 s at 10 kHz, 336 MB
# shellcheck source=bench/lib.sh
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || die "python3 makes the recording"
samples=${1:-2000000}
metrics=${2:-19}

NVTX_INJECTION64_PATH=$inject "$programs/pairs" 1000 >/dev/null
mv ./*.rfdir m.rfdir
"$root/bench/make_metrics.py" m.rfdir --samples "$samples" --metrics "$metrics" 2>made.txt ||
    { cat made.txt >&2; die "no recording"; }
"$rangefinder" recover -o m.rf m.rfdir 2>log || { cat log >&2; die "rangefinder recover failed"; }
forget_sessions

# measure WHAT COMMAND...: its seconds, those of the processor, and MB.
measure()
{
    what=$1
    shift
    numbers=$("$root/bench/spent.py" "$rounds" "$@") || die "$what failed"
    # the words are numbers
    # shellcheck disable=SC2086
    set -- $numbers
    row "$what: seconds" "$1" "$2" - -
    row "$what: seconds of processor time" "$3" "$4" - -
    row "$what: MB" "$5" "$5" - -
}

title "$samples samples of $metrics metrics, $(($(wc -c <m.rf) / 1000000)) MB" "s, MB"
measure info "$rangefinder" info m.rf
measure "stats -r nvtx_sum" "$rangefinder" stats -q -r nvtx_sum m.rf
measure "stats -r gpu_metrics_sum" "$rangefinder" stats -q -r gpu_metrics_sum m.rf
measure "export -t perfetto" "$rangefinder" export -q -t perfetto -o - m.rf
