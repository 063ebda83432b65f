# SPDX-License-Identifier: Apache-2.0
# shutdown saves what is being captured, ends the program and returns when all is over. That it was
# asked for makes it no failure.
rangefinder launch --session-new=run act mark:before touch:ready await:go1 mark:in touch:done1 \
    await:never 2>launch.err &
pid=$!
wait_for test -f ready
run rangefinder start
touch go1
wait_for test -f done1
run rangefinder shutdown
test -f report1.rf && echo "saved before shutdown returned"
wait $pid
echo "= $?"
cat launch.err >&2
events report1.rf

# a run that is recorded whole
rangefinder profile -q -o whole --session-new=whole act mark:whole touch:ready2 await:never &
pid=$!
wait_for test -f ready2
run rangefinder shutdown --kill=none
run rangefinder shutdown --kill=15
wait $pid
echo "= $?"
events whole.rf

# the program runs on
rangefinder launch -q -o on --session-new=on act touch:ready3 await:go3 mark:in touch:done3 \
    await:go4 mark:after exit:5 &
pid=$!
wait_for test -f ready3
run rangefinder start
touch go3
wait_for test -f done3
run rangefinder shutdown --kill=none
wait_for test -f on.1.rf
run rangefinder start
run rangefinder status
touch go4
wait $pid
echo "= $?"
events on.1.rf

# the program ignores what it is sent
rangefinder launch -q -o deaf --session-new=deaf sh -c \
    'trap "" TERM; act mark:deaf touch:ready4; while :; do sleep 0.05; done' &
pid=$!
wait_for test -f ready4
rangefinder start 2>start.err
rangefinder shutdown 2>shutdown.err &
waiter=$!
wait_for test -f deaf.1.rf
run rangefinder shutdown --kill=9
wait $waiter
echo "= $?"
cat shutdown.err
wait $pid
echo "= $?"
list
