# SPDX-License-Identifier: Apache-2.0
# The ranges of a name that are captured, by number.
steps='trigger:step mark:in pop mark:between repeat:6'
run rangefinder profile -c nvtx -p step --capture-steps=2-3 -o a act $steps
events a.rf
rangefinder stats -q a.rf | grep -o 'the capture took'
rangefinder export -q -t html -o - a.rf | grep -o 'the capture took'
run rangefinder profile -q -c nvtx -p step --capture-steps=0 -o b act $steps
events b.rf
echo '-- too few'
run rangefinder profile -c nvtx -p step --capture-steps=4-9 -o c act $steps
run rangefinder profile -c nvtx -p step --capture-steps=6-9 -o d act $steps
echo '-- with what ends captures'
run rangefinder profile -q -c nvtx -p step --capture-steps=5 --capture-range-end=none -o e act $steps
events e.rf
run rangefinder profile -q -c nvtx -p step --capture-steps=1-2 --capture-range-end=stop-shutdown -o f \
    act $steps await:never
events f.rf
echo '-- a process that is killed within its steps does not keep the capture on'
run rangefinder profile -q -c nvtx -p step --capture-steps=1-9 -o g \
    sh -c 'exec 2>/dev/null; act trigger:step pop trigger:step mark:in pop kill:9; until test -e g.rf; do sleep 0.02; done; act trigger:step mark:out pop'
events g.rf
echo '-- the ranks of a job'
for rank in 0 1 2; do
    RANK=$rank run rangefinder profile -q -c nvtx -p step --capture-steps=1-2 -o rank%r act $steps
    events rank$rank.rf
done
echo '-- what does not fit'
for options in '-c nvtx -p step --capture-steps=3-2' '-c nvtx -p step --capture-steps=3-' '-c nvtx -p step --capture-steps=-3' \
    '-c nvtx -p step --capture-steps=one' '-c nvtx -p step --capture-steps=1-99999999999' '--capture-steps=1-2' \
    '-c cudaProfilerApi --capture-steps=1-2' '-y 1 -c nvtx -p step --capture-steps=1-2' \
    '-c nvtx -p step --capture-steps=1-2 --start-later' '-c nvtx -p step --capture-steps=1-2 --capture-range-end=repeat:2'; do
    run rangefinder profile $options -o x act touch:started
done
list
