#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# abi_check.sh SOURCES COMPILER: compiles abi_check.c with the headers of every CUPTI of CUDA 12.6 or
# later that is here: of $RF_CUPTI_INCLUDE (folders, with colons between), toolkits, and Python's
# packages.
set -eu
sources=$1
compiler=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
: >"$work/string" # cupti_profiler_host.h of some versions includes this header of C++

candidates()
{
    printf '%s\n' "${RF_CUPTI_INCLUDE:-}" | tr ':' '\n'
    for toolkit in ${CUDA_HOME:+"$CUDA_HOME"} /usr/local/cuda /usr/local/cuda-*; do
        printf '%s\n' "$toolkit/include" "$toolkit/extras/CUPTI/include"
    done
    python3 -c 'import site
for folder in [*site.getsitepackages(), site.getusersitepackages()]:
    print(folder)' 2>/dev/null | while read -r folder; do
        printf '%s\n' "$folder"/nvidia/cuda_cupti/include "$folder"/nvidia/cu[1-9]*/include \
            "$folder"/nvidia/cuda_runtime/include
    done
}

with() # FILE: the candidates that have it
{
    candidates | while read -r folder; do
        [ -f "$folder/$1" ] && readlink -f "$folder"
    done | sort -u
}

driver=$(with cuda.h | sed 's/^/-isystem /')
failed=0
n=0
for folder in $(with cupti_pmsampling.h); do
    version=$(sed -n 's/^#define CUPTI_API_VERSION *\([0-9]*\).*/\1/p' "$folder/cupti_version.h")
    # shellcheck disable=SC2086
    if "$compiler" -std=gnu11 -fsyntax-only -Wall -Werror "-I$sources/src" -isystem "$work" \
        -isystem "$folder" $driver "$sources/tests/pmsampling/abi_check.c"; then
        echo "$folder: version $version agrees"
    else
        echo "$folder: version $version: FAILED"
        failed=1
    fi
    n=$((n + 1))
done
if [ $n -eq 0 ] || [ -z "$driver" ]; then
    echo "SKIP: no headers of CUPTI 12.6 or later with cuda.h: looked for in \$RF_CUPTI_INCLUDE, toolkits and Python's packages"
    exit 77
fi
exit $failed
