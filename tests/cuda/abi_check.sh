#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# abi_check.sh SOURCES COMPILER: compiles abi_check.c with every version of CUPTI's headers that is
# here: of $RF_CUPTI_INCLUDE (folders, with colons between), $CUDA_HOME, toolkits, Debian's
# libcupti-dev, and the packages of the Python in $PATH. cuda.h is in the same folder, or beside it
# as NVIDIA's Python packages have it.
set -eu
sources=$1
compiler=$2

packages()
{
    python3 -c 'import site, sys
for folder in [*site.getsitepackages(), site.getusersitepackages()]:
    print(folder)' 2>/dev/null | sed 's:$:/nvidia:'
}

candidates()
{
    printf '%s\n' "${RF_CUPTI_INCLUDE:-}" | tr ':' '\n'
    for toolkit in ${CUDA_HOME:+"$CUDA_HOME"} /usr/local/cuda /usr/local/cuda-*; do
        printf '%s\n' "$toolkit/include" "$toolkit/extras/CUPTI/include"
    done
    echo /usr/include
    packages | while read -r folder; do
        printf '%s\n' "$folder"/cuda_cupti/include "$folder"/cu[1-9]*/include
    done
}

folders=$(candidates | while read -r folder; do
    [ -f "$folder/cupti_activity.h" ] && readlink -f "$folder"
done | sort -u)
[ -n "$folders" ] || {
    echo "SKIP: no headers of CUPTI: cupti_activity.h was looked for in \$RF_CUPTI_INCLUDE, toolkits, /usr/include and Python's packages"
    exit 77
}

# The last structure of each kind: -DNEWEST_KERNEL=CUpti_ActivityKernel9
newest()
{
    for kind in Kernel Memcpy MemcpyPtoP Memset Synchronization GraphTrace Memory CudaEvent \
        Overhead Context Device; do
        number=$(cat "$1"/cupti_activity*.h |
            sed -n "s/^} *CUpti_Activity$kind\([0-9]*\);.*/\1/p" | sort -n | tail -n 1)
        printf -- '-DNEWEST_%s=CUpti_Activity%s%s\n' "$(echo $kind | tr '[:lower:]' '[:upper:]')" \
            $kind "$number"
    done
}

failed=0
for folder in $folders; do
    version=$(sed -n 's/^#define CUPTI_API_VERSION *\([0-9]*\).*/\1/p' "$folder/cupti_version.h")
    if [ "$version" -lt 18 ]; then
        echo "$folder: version $version is older than CUDA 11.8: left out"
        continue
    fi
    # Headers that are not ours may warn as they like.
    # shellcheck disable=SC2046
    if "$compiler" -std=gnu11 -fsyntax-only -Wall -Werror "-I$sources/src" \
        $(newest "$folder") -isystem "$folder" -isystem "$folder/../../cuda_runtime/include" \
        -isystem "$folder/../../../include" "$sources/tests/cuda/abi_check.c"; then
        echo "$folder: version $version agrees"
    else
        echo "$folder: version $version: FAILED"
        failed=1
    fi
done
exit $failed
