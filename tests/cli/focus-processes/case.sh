# SPDX-License-Identifier: Apache-2.0
# The session captures while any process has a trigger open; one that is killed does not keep it on.
run rangefinder profile -q -c nvtx -p TRIG -o a sh -c '
    act mark:no1 trigger:TRIG touch:first await:second mark:in1 pop mark:in1b touch:done await:last mark:no1 &
    while [ ! -e first ]; do sleep 0.01; done
    act mark:in2 trigger:TRIG touch:second await:done mark:in2 pop mark:no2 touch:last
    wait'
events a.rf
run rangefinder profile -q -c nvtx -p TRIG --capture-range-end=repeat -o b sh -c '
    exec 2>/dev/null
    act trigger:TRIG mark:one kill:9
    while [ ! -e b.1.rf ]; do sleep 0.01; done
    act mark:no trigger:TRIG mark:two pop'
events b.1.rf b.2.rf
list
