# SPDX-License-Identifier: Apache-2.0
# A capture that is cancelled leaves nothing behind; the next one is not disturbed.
rangefinder launch --session-new=run act touch:ready await:go1 mark:cancelled touch:done1 \
    await:go2 mark:kept touch:done2 await:end 2>launch.err &
pid=$!
wait_for test -f ready
run rangefinder start -o gone
touch go1
wait_for test -f done1
run rangefinder cancel
run rangefinder start
touch go2
wait_for test -f done2
run rangefinder stop
touch end
wait $pid
echo "= $?"
cat launch.err >&2
events report1.rf
list
