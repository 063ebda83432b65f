# SPDX-License-Identifier: Apache-2.0
# Without a command line, by the variable alone.
NVTX_INJECTION64_PATH=$BUILD/lib/librangefinder-inject.so act ranges:5 print:hello
directory=$(echo rangefinder-*.rfdir)
mv "$directory" run.rfdir
what run.rfdir
run rangefinder recover run.rfdir
what run.rf
list
