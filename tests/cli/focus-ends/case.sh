# SPDX-License-Identifier: Apache-2.0
# What happens when a capture has ended.
run rangefinder profile -c nvtx -p TRIG --capture-range-end=stop-shutdown -o a \
    act trigger:TRIG mark:in pop mark:after sleep:30000 print:never
events a.rf
run rangefinder profile -c nvtx -p TRIG --kill=sigkill -o b \
    act trigger:TRIG mark:in pop mark:after sleep:30000 print:never
run rangefinder profile -q -c nvtx -p TRIG --capture-range-end=stop-shutdown --kill=none -o c \
    act trigger:TRIG mark:in pop mark:after sleep:100 print:out
run rangefinder profile -c nvtx -p TRIG --capture-range-end=repeat:2 -o d \
    act push:round trigger:TRIG mark:in pop mark:between pop repeat:5
events d.1.rf d.2.rf
run rangefinder profile -q -c nvtx -p TRIG --capture-range-end=repeat-shutdown:2 -o e \
    act trigger:TRIG mark:in pop sleep:100 repeat:500
run rangefinder profile -q -c nvtx -p TRIG --capture-range-end=repeat -o f \
    act trigger:TRIG mark:in pop repeat:4
events f.4.rf
run rangefinder profile -q -c nvtx -p TRIG --capture-range-end=none -o g \
    act mark:no trigger:TRIG mark:in pop mark:in
events g.rf
# the program's own ending wins
run rangefinder profile -q -c nvtx -p TRIG --capture-range-end=stop-shutdown -o h \
    sh -c 'exec 2>/dev/null; trap "exit 9" TERM; act trigger:TRIG pop; while :; do sleep 0.05; done'
run rangefinder profile -q -d 1 --kill=10 -o j sh -c 'exec 2>/dev/null; trap "exit 4" USR1; act mark:in; while :; do sleep 0.05; done'
run rangefinder profile -q -d 1 --kill=sigterm -o i act mark:in sleep:30000
list
