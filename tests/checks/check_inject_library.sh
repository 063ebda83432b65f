#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The injected libraries load into any program: they need libc alone, and no newer one than that of
# old containers; they export only their entry points and cannot be unloaded.
set -eu
failed=0
command -v readelf >/dev/null || {
    echo "SKIP: readelf is not installed"
    exit 77
}

fail()
{
    echo "$(basename "$library"): $*"
    failed=1
}

# check NAME SYMBOL...: a library, and all that it exports, sorted
check()
{
    library=$build/lib/$1
    shift
    expected=$(printf '%s\n' "$@" | LC_ALL=C sort)
    dynamic=$(readelf -dW "$library")
    needed=$(printf '%s\n' "$dynamic" | sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p')
    for name in $needed; do
        case $name in
        libc.so.6 | libpthread.so.0 | libdl.so.2 | ld-linux-*) ;;
        *) fail "needs $name" ;;
        esac
    done

    # The oldest glibc for x86-64 that programs are still built for is 2.17 (2.17 is also the first
    # one for aarch64).
    versions=$(readelf -VW "$library" | grep -o 'GLIBC_[0-9.]*' | sort -u || true)
    for version in $versions; do
        minor=${version#GLIBC_2.}
        if [ "${minor%%.*}" -gt 17 ]; then
            fail "needs symbols of $version: $(readelf --dyn-syms -W "$library" | grep "$version" | awk '{print $8}' | tr '\n' ' ')"
        fi
    done

    exported=$(readelf --dyn-syms -W "$library" |
        awk '$5 != "LOCAL" && $7 != "UND" && $4 != "NOTYPE" && $7 ~ /^[0-9]+$/ { sub(/@.*/, "", $8); print $8 }' | LC_ALL=C sort)
    if [ "$exported" != "$expected" ]; then
        fail "exports" $exported
    fi
    printf '%s\n' "$dynamic" | grep -q 'FLAGS_1.*NODELETE' || fail "can be unloaded (no NODELETE)"
    printf '%s\n' "$dynamic" | grep -q 'TEXTREL' && fail "has text relocations"
    printf '%s\n' "$dynamic" | grep -qE '\((RPATH|RUNPATH)\)' && fail "has a run path"
    readelf -lW "$library" | grep -E 'GNU_STACK' | grep -q 'RWE' && fail "has an executable stack"
    return 0
}

build=$2
check librangefinder-inject.so InitializeInjection InitializeInjectionNvtx InitializeInjectionNvtx2 \
    InitializeInjectionNvtxExtension rangefinder_message \
    rangefinder_profiler_start rangefinder_profiler_stop rangefinder_range_parent \
    rangefinder_standby_begin \
    rangefinder_standby_copy rangefinder_standby_cuda rangefinder_standby_cuda_state \
    rangefinder_standby_end rangefinder_standby_start rangefinder_trigger_message
check librangefinder-chain.so InitializeInjectionNvtx InitializeInjectionNvtx2 \
    InitializeInjectionNvtxExtension rangefinder_profiler_start rangefinder_profiler_stop \
    rangefinder_range_parent rangefinder_trigger_message
check librangefinder-profiler.so cuProfilerStart cuProfilerStop cudaProfilerStart cudaProfilerStop dlsym
exit $failed
