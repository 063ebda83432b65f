# SPDX-License-Identifier: Apache-2.0
# Delay and duration; the program runs on.
# what the program waits for: "began" and "ended" are there when a capture has
watch()
{
    rm -f began ended
    (
        wait_for sh -c 'rangefinder status 2>/dev/null | grep -q captur' && touch began
        wait_for sh -c '! rangefinder status 2>/dev/null | grep -q capturing' && touch ended
    ) &
    run rangefinder profile "$@"
    wait
}
watch -y 1 -d 1.4 -o a \
    act push:whole mark:before await:began mark:in await:ended mark:after pop print:out exit:5
events a.rf
watch -q -d 1.2 -o b act mark:in await:ended mark:after
events b.rf
watch -q -y 1 -o c act mark:before await:began mark:in
events c.rf
# a duration that begins with a trigger
watch -q -c nvtx -p TRIG -d 1.3 -o d \
    act mark:before trigger:TRIG mark:in await:ended mark:after pop mark:after
events d.rf
# a trigger counts once the delay is over, also one that is open already
watch -q -c nvtx -p TRIG -y 1 -o e \
    act trigger:TRIG mark:before pop mark:before trigger:TRIG await:began mark:in pop mark:after
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
rm began ended
list
