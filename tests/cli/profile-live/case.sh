# SPDX-License-Identifier: Apache-2.0
# A session directory is a recording, also while the program runs.
rangefinder profile -o run act ranges:5 push:open touch:ready await:go &
pid=$!
wait_for test -f ready
what run.rfdir
run rangefinder recover run.rfdir
run rangefinder recover --keep -o copy.rf run.rfdir
what copy.rf
run rangefinder export -q -t csv -o live.csv run.rfdir
touch go
wait $pid
echo "= $?"
what run.rf
list
