# SPDX-License-Identifier: Apache-2.0
# Another tool that wants the program's CUDA calls is not replaced, and not in the way of NVTX.
see='echo "$CUDA_INJECTION64_PATH"; od -An -tu4 -j 308 -N 4 "$RANGEFINDER_SESSION/session"'
export CUDA_INJECTION64_PATH=/opt/tool/libtool.so
run rangefinder profile -o a sh -c "$see"
run rangefinder profile -q -o b sh -c "$see"
run rangefinder profile -o c -t cuda,nvtx act touch:started
run rangefinder profile -o d -t nvtx sh -c "$see"
export CUDA_INJECTION64_PATH=none
run rangefinder profile -o e sh -c "$see"
run rangefinder profile -q -o f -t cuda sh -c "$see"
export CUDA_INJECTION64_PATH=
run rangefinder profile -o g sh -c "$see"
export CUDA_INJECTION64_PATH="$BUILD/lib/librangefinder-inject.so"
run rangefinder profile -o h sh -c "$see"
run rangefinder profile -o i -e CUDA_INJECTION64_PATH=/opt/tool/libtool.so -t cuda act touch:started
# one recording within another
unset CUDA_INJECTION64_PATH
run rangefinder profile -q -o j rangefinder profile -q -t cuda -o k sh -c "$see"
list
