#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What annotations cost while no tool is attached: instructions per nvtxRangePushA/nvtxRangePop
# pair, counted by valgrind, with our headers and, where a CUDA toolkit is found, NVIDIA's.
# The count of an empty loop is subtracted. Fails if ours needs more than NVIDIA's plus one.
#
# usage: bench/nvtx_no_tool.sh        CC, CXX and NVTX_NVIDIA_INCLUDE override what is found
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset NVTX_INJECTION64_PATH NVTX_INJECTION32_PATH || true

nvidia=${NVTX_NVIDIA_INCLUDE:-}
for dir in ${CUDA_HOME:+"$CUDA_HOME/include"} /usr/local/cuda/include /usr/local/cuda-*/include; do
    [ -z "$nvidia" ] && [ -f "$dir/nvtx3/nvToolsExt.h" ] && nvidia=$dir
done
command -v valgrind >/dev/null || { echo "nvtx_no_tool: skipped: no valgrind"; exit 77; }

cat >"$work/pair.c" <<'END'
#include <nvtx3/nvToolsExt.h>
int main(int argc, char **argv)
{
    long i, n = atol(argv[argc - 1]);
    for (i = 0; i < n; i++) {
#ifdef ANNOTATE
        nvtxRangePushA("pair");
        __asm__ volatile("" ::: "memory");
        nvtxRangePop();
#endif
        __asm__ volatile("" ::: "memory");
    }
    return 0;
}
END
cp "$work/pair.c" "$work/pair.cc"

# count PROGRAM N: instructions of the whole run
count() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$1" "$2" 2>&1 |
        sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

# per_round COMPILER SOURCE INCLUDE FLAG: instructions per round, times 1000
per_round() {
    "$1" -O2 -fPIE -I"$3" $4 "$work/$2" -o "$work/pair" -ldl
    few=$(count "$work/pair" 10000)
    many=$(count "$work/pair" 60000)
    echo $(((many - few) / 50))
}

# per_mille N: N/1000 as text
per_mille() { printf "%d.%03d" $(($1 / 1000)) $(($1 % 1000)); }

failed=0
for language in "${CC:-cc} pair.c" "${CXX:-c++} pair.cc"; do
    set -- $language
    command -v "$1" >/dev/null || continue
    empty=$(per_round "$1" "$2" "$here/include" "")
    ours=$(($(per_round "$1" "$2" "$here/include" -DANNOTATE) - empty))
    echo "$1 $2: rangefinder $(per_mille $ours) instructions per pair"
    if [ -n "$nvidia" ]; then
        theirs=$(($(per_round "$1" "$2" "$nvidia" -DANNOTATE) - empty))
        echo "$1 $2: nvidia      $(per_mille $theirs) instructions per pair"
        [ "$ours" -le $((theirs + 1000)) ] || failed=1
    fi
done
[ -n "$nvidia" ] || echo "no CUDA toolkit found: nothing to compare with"
exit $failed
