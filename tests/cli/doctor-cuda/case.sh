# SPDX-License-Identifier: Apache-2.0
# What is said of CUDA, with stand-ins for NVIDIA's libraries, on a machine that has no GPU.
ls /dev/nvidia[0-9]* /proc/driver/nvidia/version /dev/dxg >gpu 2>/dev/null && {
    echo 'this machine has an NVIDIA GPU'
    exit 77
}
double=$BUILD/tests/cuda/double
[ -f "$double/lib/libcuda.so.1" ] || {
    echo 'the stand-ins of CUDA were not built'
    exit 77
}
# the lines of CUDA and the exit status
check()
{
    echo "+ $*"
    env LD_LIBRARY_PATH="$double/lib" "$@" rangefinder doctor >found
    echo "= $?"
    grep -E -A 1 '^[a-zA-Z]+ +(cu|gpu)' found | grep -vE '^(--|[a-zA-Z]+ +(nsys|self-test))'
}
check RANGEFINDER_CUPTI="$double/cupti/libcupti.so.12"
check RANGEFINDER_CUPTI="$double/cupti" RF_DOUBLE_DRIVER=12040
# versions that are known to be bad
check RANGEFINDER_CUPTI="$double/cupti" RF_DOUBLE_CUPTI_VERSION=130000
check RANGEFINDER_CUPTI="$double/cupti" RF_DOUBLE_CUPTI_VERSION=22
check RANGEFINDER_CUPTI=/no/such/libcupti.so
echo 'no library' >garbage
check RANGEFINDER_CUPTI="$PWD/garbage"
check RANGEFINDER_CUPTI="$double/lacking" CUDA_INJECTION64_PATH=/opt/tool/libtool.so
check RANGEFINDER_CUPTI="$double/cupti" CUDA_INJECTION64_PATH=none
check RANGEFINDER_CUPTI="$double/cupti" \
    CUDA_INJECTION64_PATH="$BUILD/lib/librangefinder-inject.so"
# a library whose loading kills whoever does it
mkdir bad
cat >bad.c <<'END'
#include <stdlib.h>
__attribute__((constructor)) static void die(void) { abort(); }
END
if cc -shared -fPIC -o bad/libcuda.so.1 bad.c 2>/dev/null; then
    check LD_LIBRARY_PATH="$PWD/bad"
else
    echo '+ no compiler'
fi
mkdir broken
cp garbage broken/libcuda.so.1
check LD_LIBRARY_PATH="$PWD/broken"
# none at all
if rangefinder doctor | grep -q '^[a-z]* *cuda .*libcuda'; then
    echo '+ LD_LIBRARY_PATH='
    echo '= 0'
    echo 'ok    cuda           no NVIDIA driver: CUDA is not recorded'
else
    check LD_LIBRARY_PATH=
fi
