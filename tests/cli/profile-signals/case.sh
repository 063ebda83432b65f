# SPDX-License-Identifier: Apache-2.0
# A signal that is sent to rangefinder is passed on to the program, and the recording is finished.
rangefinder profile -q -o run act push:open touch:ready sleep:10000 &
pid=$!
wait_for test -f ready
kill -TERM $pid
wait $pid
echo "= $?"
what run.rf
rangefinder profile -q -o trap sh -c 'trap "act mark:trapped; exit 5" TERM; act mark:a touch:set;
    while :; do sleep 0.02; done' &
pid=$!
wait_for test -f set
kill -TERM $pid
wait $pid
echo "= $?"
what trap.rf
list
