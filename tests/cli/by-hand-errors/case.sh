# SPDX-License-Identifier: Apache-2.0
# What cannot be done, and says so.
for verb in start stop cancel status shutdown; do
    run rangefinder $verb
done
run rangefinder stop now
run rangefinder status run
run rangefinder shutdown --kill=nothing
run rangefinder shutdown run
run rangefinder sessions
run rangefinder sessions show
run rangefinder stop --session
run rangefinder launch
run rangefinder launch --trace=none act
rangefinder launch -q --session-new=run act touch:ready await:end &
pid=$!
wait_for test -f ready
run_quiet rangefinder start -h
run rangefinder start --sesion=run
run rangefinder status
run rangefinder stop
run rangefinder cancel
run rangefinder start
run rangefinder start
run_quiet rangefinder stop
run rangefinder stop
touch end
wait $pid
echo "= $?"
# one capture is all that a profile has
rangefinder profile -q --start-later=true --session-new=once -o once act touch:ready2 await:end2 &
pid=$!
wait_for test -f ready2
run rangefinder start
run_quiet rangefinder stop
run rangefinder start
run rangefinder status
touch end2
wait $pid
echo "= $?"
list
