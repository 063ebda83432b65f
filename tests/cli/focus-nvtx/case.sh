# SPDX-License-Identifier: Apache-2.0
# A range begins and ends a capture. The program runs on; its output and status are its own.
run rangefinder profile -c nvtx -p TRIG -o a \
    act mark:before push:open trigger:TRIG mark:in push:inside pop pop mark:after pop print:out exit:3
events a.rf
run rangefinder profile -q -c nvtx -p TRIG@Dom -o b \
    act trigger:TRIG mark:no pop domain:Dom trigger:TRIG mark:yes pop mark:no
events b.rf
run rangefinder profile -q -c nvtx -p 'TRIG@*' -o c \
    act mark:no domain:Any trigger:TRIG mark:yes domain: trigger:TRIG domain:Any pop domain: mark:yes \
    pop mark:no
events c.rf
run rangefinder profile -q -c nvtx -p 'a\@b@c\@d' -o d act domain:c@d trigger:a@b mark:yes pop mark:no
events d.rf
run rangefinder profile -q -c nvtx -p TRIG --nvtx-capture-unregistered -o e \
    act mark:no start:TRIG mark:yes end mark:no
events e.rf
run rangefinder profile -q -c nvtx -p TRIG -e NSYS_NVTX_PROFILER_REGISTER_ONLY=0 -o f \
    act mark:no push:TRIG mark:yes pop mark:no
events f.rf
# ranges that reach into the capture: true starts, and none without --keep-open-ranges
run rangefinder profile -q -c nvtx -p TRIG --keep-open-ranges=false -o g \
    act push:open start:open2 mark:no trigger:TRIG mark:yes end pop mark:no pop
events g.rf
# the trigger's domain is not recorded
run rangefinder profile -q -c nvtx -p TRIG@Dom --nvtx-domain-exclude=Dom -o h \
    act mark:no domain:Dom trigger:TRIG domain: mark:yes domain:Dom pop domain: mark:no
events h.rf
# left open: the capture ends with the program
run rangefinder profile -q -c nvtx -p TRIG -o i act mark:no trigger:TRIG mark:yes
events i.rf
list
