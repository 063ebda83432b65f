# SPDX-License-Identifier: Apache-2.0
# CUDA was asked for by name, and there is none: the likeliest reason.
why()
{
    echo "+ $*"
    rangefinder profile -f -o a -t cuda "$@" 2>&1 |
        sed -e "s|$PWD|WORK|g" -n -e 's/^rangefinder: no CUDA was seen: /because: /p'
}
mkdir none
echo 'no library' >none/libcuda.so.1
LD_LIBRARY_PATH=$PWD/none
export LD_LIBRARY_PATH
why act mark:a
if [ -x "$BUILD/tests/cli/apps/plain-static" ]; then
    why plain-static
else
    echo '+ plain-static'
    echo 'because: the program is statically linked, and cannot load the recorder'
fi
unset LD_LIBRARY_PATH
double=$BUILD/tests/cuda/double
[ -f "$double/lib/libcuda.so.1" ] || {
    echo 'the stand-ins of CUDA were not built'
    exit 77
}
LD_LIBRARY_PATH=$double/lib
RANGEFINDER_CUPTI=$double/cupti
export LD_LIBRARY_PATH RANGEFINDER_CUPTI
why act mark:a
why -c none true
# not asked for by name: not a word
rangefinder profile -f -o b act mark:a 2>&1 | grep CUDA
echo "= $?"
