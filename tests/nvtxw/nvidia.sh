#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# nvidia.sh SOURCE BUILD CC: builds nvidia.c with the headers of NVIDIA's that are found, and compares
# what it writes with nvidia.expected. Headers of NVTXW are in the PyPI package nvidia-nvtx.
set -eu
source=$1 build=$2 cc=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n=0
for folder in $(sh "$source/tests/nvtx3/nvidia_headers.sh" || true); do
    [ -e "$folder/nvtxw3/nvtxw3_event_helpers.h" ] || continue
    "$cc" -D_GNU_SOURCE -Wall -Werror -Wno-unused-function -I"$folder" -I"$source/src" \
        "$source/tests/nvtxw/nvidia.c" -o "$work/nvidia" -ldl
    rm -f "$work/a.rf"
    "$work/nvidia" "$build/lib/librangefinder-nvtxw.so" "$work/a.rf"
    "$build/bin/rangefinder" export -t jsonl -f -o - "$work/a.rf" |
        sed -n 's/,"pid.*"name":/ /;s/,"payload_type.*//;s/^{"type":"\(push_pop\|start_end\|mark\|sample\)",//p' >"$work/out"
    diff "$source/tests/nvtxw/nvidia.expected" "$work/out"
    n=$((n + 1))
done
[ "$n" -gt 0 ] || {
    echo "SKIP: no headers of NVIDIA's of NVTXW (set NVTX_NVIDIA_INCLUDE)"
    exit 77
}
