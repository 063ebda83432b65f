# SPDX-License-Identifier: Apache-2.0
# A capture can be opened as soon as it has ended, while the program runs; nothing is overwritten.
run rangefinder profile -q -c nvtx -p TRIG -o run act trigger:TRIG mark:in pop mark:after await:go &
pid=$!
wait_for test -f run.rf
events run.rf
run rangefinder profile -c nvtx -p TRIG -o run act trigger:TRIG pop
touch go
wait $pid
echo "= $?"
run rangefinder profile -q -f true -c nvtx -p TRIG --export=csv -o run act trigger:TRIG mark:two pop
events run.rf
# several: the first name is checked
run rangefinder profile -q -c nvtx -p TRIG --capture-range-end=repeat -o many act trigger:TRIG pop
run rangefinder profile -c nvtx -p TRIG --capture-range-end=repeat -o many act trigger:TRIG pop
list
