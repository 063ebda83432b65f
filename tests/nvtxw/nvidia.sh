#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# nvidia.sh SOURCE BUILD CC: builds nvidia.c with the headers of NVIDIA's that are found, and compares
# what it writes with nvidia.expected. Headers of NVTXW are in the PyPI package nvidia-nvtx.
set -eu
source=$1 build=$2 cc=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n=0
# Functions that NVIDIA's headers have and nvidia.c does not call: members of the table, and helpers but
# for those that call each other and that stand in the loader's source file.
not_called() {
    sed -n '/struct nvtxwInterface_v2$/,/^}/s/.*(\*\([A-Z][A-Za-z]*\))(.*/->\1(/p' "$1/nvtxw3.h" >"$work/functions"
    [ "$(wc -l <"$work/functions")" -eq 21 ] || echo "the table has other members"
    sed -n 's/^nvtxwResultCode_t \(nvtxw[A-Za-z0-9]*(\).*/\1/p' "$1"/nvtxw3_*helpers.h | sort -u |
        grep -v Impl >>"$work/functions"
    [ "$(wc -l <"$work/functions")" -gt 45 ] || echo "the helpers were not found"
    while read -r name; do
        grep -qF -e "$name" "$source/tests/nvtxw/nvidia.c" || echo "$name"
    done <"$work/functions"
}
for folder in $(sh "$source/tests/nvtx3/nvidia_headers.sh" || true); do
    [ -e "$folder/nvtxw3/nvtxw3_event_helpers.h" ] || continue
    missing=$(not_called "$folder/nvtxw3")
    [ -z "$missing" ] || {
        echo "nvidia.c does not call: $missing"
        exit 1
    }
    "$cc" -D_GNU_SOURCE -Wall -Werror -Wno-unused-function -I"$folder" -I"$source/src" \
        "$source/tests/nvtxw/nvidia.c" -o "$work/nvidia" -ldl
    rm -f "$work/a.rf"
    "$work/nvidia" "$build/lib/librangefinder-nvtxw.so" "$work/a.rf"
    "$build/bin/rangefinder" export -t jsonl -f -o - "$work/a.rf" |
        sed -n 's/,"pid.*"name":/ /;s/,"payload_type":"[a-z]*"//;s/^{"type":"\(push_pop\|start_end\|mark\|sample\|resource\)",//p' >"$work/out"
    diff "$source/tests/nvtxw/nvidia.expected" "$work/out"
    n=$((n + 1))
done
[ "$n" -gt 0 ] || {
    echo "SKIP: no headers of NVIDIA's of NVTXW (set NVTX_NVIDIA_INCLUDE)"
    exit 77
}
