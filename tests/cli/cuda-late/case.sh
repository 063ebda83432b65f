# SPDX-License-Identifier: Apache-2.0
# A process that never hands over what its GPU did in a capture: waited for, not for ever, and once.
double=$BUILD/tests/cuda/double
[ -f "$double/lib/libcuda.so.1" ] || {
    echo 'the stand-ins of CUDA were not built'
    exit 77
}
LD_LIBRARY_PATH=$double/lib
RANGEFINDER_CUPTI=$double/cupti
export LD_LIBRARY_PATH RANGEFINDER_CUPTI
RF_DOUBLE_FLUSH_HANGS=2
export RF_DOUBLE_FLUSH_HANGS
began=$(date +%s)
run rangefinder profile -q -o a -c nvtx -p step --nvtx-capture-unregistered \
    --capture-range-end=repeat-shutdown:2 --kill=sigkill \
    "$double/app" init push=step launch=5 pop launch=1 push=step launch=5 pop sleep=20000
took=$(($(date +%s) - began))
[ $took -ge 4 ] && [ $took -le $((9 * ${RF_TEST_SLOW:-1})) ] && echo 'five seconds' || echo "$took seconds"
list
