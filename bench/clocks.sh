#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How exactly hosts are put on one timeline by barriers, in jobs whose true times are known: offsets to
# 1 s, drift to 100 ppm. The residual is the largest error of any time of any host.
#
# usage: clocks.sh [HOSTS [BARRIERS [JOBS]]]     by default 8, 1000 and 20: the targets are those of it
# shellcheck source=bench/lib.sh
. "$(dirname "$0")/lib.sh"

hosts=${1:-8} barriers=${2:-1000} jobs=${3:-20}
title "$hosts hosts, $barriers barriers, $jobs jobs" "residual / jitter, ends before a start, s"
"$programs/bench_clocks" "$hosts" "$barriers" "$jobs" >"$work/rows" || die "bench_clocks failed"
while read -r jitter ratio false_order seconds; do
    row "jitter 0 to $((2 * jitter)) us: residual" "$ratio" - - 3
    row "  ends before the last start" "$false_order" - - 0
    row "  of the processor, a job" "$seconds" - - -
done <"$work/rows"
