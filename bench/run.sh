#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Everything that is measured, one script after another; ./dev bench builds and runs this.
#
# usage: bench/run.sh [NAME]...     NAME: record, armed, captures, flat, stalls, first, memory, startup,
#     files, compress, reader, columns, filter, metrics, peers, nvtx_no_tool, convert, kineto,
#     python, ring, top, cuda; all of them without one; answers, convert_scale, fleet, joins, merge, stats
#     and instructions only when named
#
# To compare two builds: instructions.sh BUILD BUILD and convert_pair.sh BUILD BUILD; code_size.sh
# counts lines and functions.
#
# Nothing here passes or fails: a line whose number misses its target says so. Numbers are judged by
# their minimum of at least 9 rounds; on a machine that does other work the medians say little.
set -eu
cd "$(dirname "$0")"

[ $# -gt 0 ] || set -- nvtx_no_tool record armed captures flat stalls first memory startup files compress reader \
    columns filter metrics peers convert kineto python ring top cuda

cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | sed -n 1p)
echo "machine: ${cpu:-$(uname -m)}, $(nproc) cores, Linux $(uname -r)," \
    "load $(cut -d' ' -f1 /proc/loadavg), $(date -u +%Y-%m-%d)"
for name in "$@"; do
    [ -x "./$name.sh" ] || { echo "run.sh: no measurement '$name'" >&2; exit 2; }
done
for name in "$@"; do
    echo
    echo "== $name"
    "./$name.sh" || echo "$name: stopped with status $?"
done
