# SPDX-License-Identifier: Apache-2.0
# The name is taken while the program runs: neither recording is lost.
run rangefinder profile -o run sh -c 'act mark:a; echo mine >run.rf'
cat run.rf
what run-2.rf
mkdir left.rfdir
run rangefinder profile -q -o left act mark:a
what left.rf
list
