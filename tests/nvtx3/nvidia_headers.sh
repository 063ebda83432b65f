#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints the include folders that have NVIDIA's NVTX headers, version 3.2 or later, one a line; with the
# argument "wrappers" those that have nvtx3.hpp, of any version. It looks at those in NVTX_NVIDIA_INCLUDE
# (DIR:DIR), the CUDA toolkit, the system, the build's wheels, python3's packages. Exits with 77, and says
# so, where there are none.
root=$(cd "$(dirname "$0")/../.." && pwd)
found=
for dir in $(echo "${NVTX_NVIDIA_INCLUDE:-}" | tr : ' ') ${CUDA_HOME:+"$CUDA_HOME/include"} \
    /usr/local/cuda/include /usr/include "$root"/build/wheels/lib/python3*/*/nvidia/*/include \
    /usr/lib/python3*/site-packages/nvidia/nvtx/include \
    /usr/local/lib/python3*/*-packages/nvidia/nvtx/include; do
    dir=$(readlink -f "$dir") || continue
    case "$found " in *" $dir "*) continue ;; esac
    case ${1:-} in
    wrappers) [ -f "$dir/nvtx3/nvtx3.hpp" ] || continue ;;
    *) grep -qs NVTX_STATIC_CAST "$dir/nvtx3/nvToolsExt.h" || continue ;;
    esac
    found="$found $dir"
    printf '%s\n' "$dir"
done
[ -z "$found" ] || exit 0
echo "no NVTX 3.2 headers of NVIDIA's found (set NVTX_NVIDIA_INCLUDE)"
exit 77
