#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run_real.sh PROGRAM: runs it with every libcupti of CUDA 12.6 or later that is on the machine: what
# RANGEFINDER_CUPTI names, and those of Python's packages and the toolkits; in RF_CUPTI_LIBRARIES
# (paths, separated by colons) there may be more. Exits with 77 where there is none.
set -u
program=$1
status=77

named()
{
    printf '%s\n' "${RANGEFINDER_CUPTI:-}"
    printf '%s\n' "${RF_CUPTI_LIBRARIES:-}" | tr ':' '\n'
    for python in python3 python; do
        command -v $python >/dev/null && $python - <<'END' 2>/dev/null
import glob, site, sys
for folder in dict.fromkeys(sys.path + site.getsitepackages()):
    for pattern in ("nvidia/cuda_cupti/lib", "nvidia/cu1?/lib"):
        for path in sorted(glob.glob(f"{folder}/{pattern}/libcupti.so.1[2-9]")):
            print(path)
END
    done
    ls -d /usr/local/cuda*/lib64/libcupti.so.1[2-9] \
        /usr/local/cuda*/extras/CUPTI/lib64/libcupti.so.1[2-9] 2>/dev/null
}

seen=
for library in $(named | xargs -r -n 1 readlink -f | sort -u); do
    case ":$seen:" in *":$library:"*) continue ;; esac
    seen=$seen:$library
    RANGEFINDER_CUPTI=$library "$program"
    case $? in
    0) [ $status -eq 77 ] && status=0 ;;
    77) ;;
    *) status=1 ;;
    esac
done
[ $status -eq 77 ] && echo "SKIP: there is no libcupti of CUDA 12.6 or later (pip install nvidia-cuda-cupti-cu12)"
exit $status
