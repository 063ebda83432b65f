#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The recorder itself, built with sanitizers, inside programs built with them. (Elsewhere only the
# programs are: a recorder that people use is not instrumented.)
set -eu
source=$1
build=$2
double=$build/tests/cuda/double
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc=$(command -v gcc) || {
    echo "SKIP: gcc is not installed"
    exit 77
}
flags="-std=gnu11 -g -O1 -D_GNU_SOURCE -DRF_PRODUCT_VERSION=\"sanitized\" -I$source/src -I$source/include"
recorder=$(find "$source/src/record" "$source/src/cuda" -name '*.c')
export ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1

# sanitize NAME OPTION: builds the recorder and the programs.
sanitize()
{
    # shellcheck disable=SC2086
    $cc $flags -fPIC -shared -fvisibility=hidden -ftls-model=initial-exec -fno-stack-protector -w \
        "-fsanitize=$2" "-Wl,--version-script=$source/src/record/exports.map" \
        -o "$work/recorder-$1.so" $recorder "$source"/src/base/cupti_*.c || exit 1
    for program in basic text signals forks threads bogus exits focus focus_stress; do
        # shellcheck disable=SC2086
        $cc $flags "-fsanitize=$2" -o "$work/$program-$1" "$source/tests/record/$program.c" -pthread
    done
    # shellcheck disable=SC2086
    $cc $flags -I"$source/tests/nvtx3/stub/cuda" "-fsanitize=$2" -o "$work/cuda-$1" \
        "$source"/tests/cuda/double/app*.c -pthread \
        -L"$double/lib" -l:libcudart.so.12 -Wl,-rpath,"$double/lib"
}

# check NAME STATUS PROGRAM MODE [ARGUMENTS]
check()
{
    mkdir "$work/run"
    run "$@"
}

# focused NAME SETTINGS PROGRAM [ARGUMENTS]: the same in a focused run, whose trigger is "step"
focused()
{
    mkdir "$work/run"
    # shellcheck disable=SC2086
    "$build/tests/record/rf-control" "$work/run/s.rfdir" make triggers=1 message=step $2
    export RANGEFINDER_SESSION="$work/run/s.rfdir"
    name=$1
    shift 2
    run "$name" 0 "$@"
    unset RANGEFINDER_SESSION
}

# cuda NAME WHAT...: on the stand-ins for CUDA
cuda()
{
    export LD_LIBRARY_PATH="$double/lib" RANGEFINDER_CUPTI="$double/cupti/libcupti.so.12"
    export CUDA_INJECTION64_PATH="$work/recorder-$1.so" RF_DOUBLE_VIOLATIONS="$work/violations"
    shift
    "$@"
    unset LD_LIBRARY_PATH CUDA_INJECTION64_PATH
    if [ -s "$work/violations" ]; then
        cat "$work/violations"
        exit 1
    fi
}

run()
{
    name=$1
    expected=$2
    program=$3
    shift 3
    status=0
    (cd "$work/run" && NVTX_INJECTION64_PATH="$work/recorder-$name.so" "$work/$program-$name" "$@") \
        >"$work/out" 2>"$work/err" || status=$?
    for pool in "$work"/run/*.rfdir/*.pool; do # these may be links to shared memory
        [ ! -L "$pool" ] || rm -f "$(readlink "$pool")"
    done
    sessions=$(find "$work/run" -name '*.rfdir' | wc -l)
    rm -rf "$work/run"
    if [ $status -ne "$expected" ] || grep -qE 'Sanitizer|runtime error' "$work/err"; then
        echo "$name: $program $*: status $status, expected $expected"
        head -n 40 "$work/err"
        exit 1
    fi
    if [ "$sessions" -eq 0 ]; then
        echo "$name: $program $*: nothing was recorded"
        exit 1
    fi
}

echo 'int main(void) { return 0; }' >"$work/probe.c"
for sanitizer in address,undefined thread; do
    $cc -fsanitize=$sanitizer -o "$work/probe" "$work/probe.c" 2>/dev/null && "$work/probe" || {
        echo "SKIP: gcc cannot link with -fsanitize=$sanitizer"
        exit 77
    }
done

sanitize memory address,undefined
for mode in null null-attributes empty long invalid-utf8 wide sizes; do
    check memory 0 text $mode
done
for mode in handles types ends destroy objects; do
    check memory 0 bogus $mode
done
check memory 7 basic all
check memory 0 basic random
check memory 0 signals storm 200
check memory 0 forks fork
check memory 5 exits exit-now
check memory 0 exits pthread-exit

for settings in keeps_open=1 keeps_open=0 takes_unregistered=1; do
    focused memory $settings focus push=a start=b push=step@D pop=@D push=step push=x pop \
        start=step end=0 pop end=1 pop loop=200 "(" start=c push=d pop ")" thread "(" push=step ")" \
        tpush=step wpush=step pop pop fork "(" push=step mark=in ")" signal "(" start=step ")"
    focused memory $settings focus_stress storm 100
    focused memory $settings focus_stress long
done

cuda memory check memory 0 cuda init push=a launch=100 copy=64 set=64 graph=3 event sync pop \
    threads=4:launch=50+driver=5 sync fork=exit=exit
cuda memory check memory 7 cuda launch=100 exit=exit
cuda memory focused memory "triggers=2 cuda=31" cuda init launch=10 start launch=20 alloc=64 stop \
    launch=10 start launch=20 graph=3 event sync
cuda memory check memory 0 cuda stand-by init stream=1 begin=a push=a launch=100 copy=64 graph=3 \
    sync pop end launch=10 begin=b launch=10 sync fork=launch=1 end begin=c end
cuda memory check memory 0 cuda stand-by begin=a launch=100 sync end begin=b launch=10

sanitize threads thread
check threads 0 basic random
check threads 0 basic cross-thread
check threads 0 threads serial 300
check threads 0 threads parallel 100
check threads 0 threads domains
check threads 0 forks fork
check threads 0 signals storm 200
for settings in keeps_open=1 keeps_open=0; do
    focused threads $settings focus_stress storm 200
    focused threads $settings focus_stress triggers 4 4 50
    focused threads $settings focus spawn "(" push=step mark=a sleep=300 ")" start=step thread \
        "(" end=0 ")" fork "(" push=step ")" join
done
cuda threads check threads 0 cuda init push=a launch=100 copy=64 set=64 graph=3 event sync pop \
    threads=8:launch=100+driver=5 sleep=500 threads=8:launch=100 sync
cuda threads focused threads "triggers=2 cuda=31" cuda init start threads=4:launch=50 stop \
    threads=4:launch=50 sleep=100 start threads=4:launch=50+sync stop sync
cuda threads check threads 0 cuda stand-by sessions=s:40 threads=3:sleep=2+launch=300+driver=5 sleep=5 \
    threads=3:launch=300+sync join
