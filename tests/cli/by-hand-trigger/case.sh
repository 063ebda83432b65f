# SPDX-License-Identifier: Apache-2.0
# A session that was told what begins a capture looks for it after `start`; stop ends such a capture
# too, and a `start` where a trigger is waited for does not wait.
rangefinder launch --session-new=run -c nvtx -p step --nvtx-capture-unregistered act \
    push:step mark:early pop touch:ready await:go1 \
    mark:between push:step mark:in pop mark:after touch:done1 await:go2 \
    push:step mark:long touch:done2 await:go3 mark:later pop touch:done3 await:end \
    2>launch.err &
pid=$!
wait_for test -f ready
run rangefinder status
run rangefinder start
run rangefinder status
touch go1
wait_for test -f report1.rf
events report1.rf
run rangefinder stop
touch go2
wait_for test -f done2
run rangefinder status
run rangefinder stop
touch go3
wait_for test -f done3
run rangefinder start
run rangefinder status
run rangefinder stop
touch end
wait $pid
echo "= $?"
cat launch.err >&2
events report1.rf report2.rf report3.rf
run rangefinder launch --session=run act touch:started
list

# profile waits for its delay, or for its trigger
rangefinder profile -q --session-new=late -o late -y 100 act touch:ready4 await:go4 mark:in touch:done4 \
    await:end4 &
pid=$!
wait_for test -f ready4
run rangefinder status
run rangefinder start
touch go4
wait_for test -f done4
run rangefinder stop
touch end4
wait $pid
echo "= $?"
events late.rf
