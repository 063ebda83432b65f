# SPDX-License-Identifier: Apache-2.0
# Delay and duration; the program runs on.
run rangefinder profile -y 0.3 -d 0.4 -o a \
    act push:whole mark:before sleep:500 mark:in sleep:500 mark:after pop print:out exit:5
events a.rf
run rangefinder profile -q -d 0.2 -o b act mark:in sleep:500 mark:after
events b.rf
run rangefinder profile -q -y 0.2 -o c act mark:before sleep:500 mark:in
events c.rf
# a duration that begins with a trigger
run rangefinder profile -q -c nvtx -p TRIG -d 0.3 -o d \
    act mark:before sleep:100 trigger:TRIG mark:in sleep:600 mark:after pop mark:after
events d.rf
# a trigger counts once the delay is over, also one that is open already
run rangefinder profile -q -c nvtx -p TRIG -y 0.3 -o e \
    act trigger:TRIG mark:before pop mark:before trigger:TRIG sleep:600 mark:in pop mark:after
events e.rf
# a capture is as long as was asked for, in milliseconds, whatever else the machine does
length()
{
    for file; do
        rangefinder info --json "$file" | python3 -c '
import json, sys
(capture,) = json.load(sys.stdin)["captures"]
print(round((capture["end_ns"] - capture["begin_ns"]) / 1e6, 2))'
    done
}
length a.rf b.rf d.rf
list
