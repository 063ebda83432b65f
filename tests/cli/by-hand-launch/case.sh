# SPDX-License-Identifier: Apache-2.0
# launch records nothing but what lies between a start and a stop, which may be repeated; each gives
# a recording that can be opened while the program runs.
rangefinder launch --session-new=run act \
    mark:before push:open touch:ready await:go1 mark:in pop push:cut touch:done1 await:go2 \
    mark:between pop touch:ready2 await:go3 mark:second touch:done2 await:end mark:after exit:7 \
    2>launch.err &
pid=$!
wait_for test -f ready
run rangefinder status
run rangefinder start
touch go1
wait_for test -f done1
run rangefinder status
run rangefinder stop
run rangefinder status
events report1.rf
touch go2
wait_for test -f ready2
run rangefinder start --session run
touch go3
wait_for test -f done2
run rangefinder stop --session=run
touch end
wait $pid
echo "= $?"
cat launch.err >&2
events report1.rf report2.rf
list
run rangefinder launch --session-new=never-started act mark:a
