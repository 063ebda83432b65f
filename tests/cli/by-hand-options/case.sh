# SPDX-License-Identifier: Apache-2.0
# The options of start: names are those of the terminal where it was typed, in its folder and with
# its variables; a duration; what nsys has and we do not.
mkdir program 'my 50% folder'
(cd program && exec rangefinder launch -q -o run --session-new=s act touch:../ready await:../end) &
pid=$!
wait_for test -f ready
cd 'my 50% folder'
export WHERE=here%p
run rangefinder start -o '%q{WHERE}-%%-%n'
run rangefinder stop
run rangefinder start -o '%q{WHERE}-%%-%n'
run rangefinder stop
touch taken.rf
run rangefinder start -o taken
run rangefinder start -o taken -f true
run rangefinder stop
test -s taken.rf && echo "overwritten"
run rangefinder start -o nowhere/at/all
run rangefinder start -o 'names-nothing/'
run rangefinder start -f
cd ..
run rangefinder start -d 0.05
wait_for test -f program/run.4.rf
run rangefinder stop
run rangefinder start -d never
run rangefinder start -c nvtx
run rangefinder start -p step
run rangefinder start --capture-range=none --stop-on-exit=true -s none --session-new new
run rangefinder start program
run rangefinder start --sample process-tree --cpuctxsw=none --stats=true --sampling-frequency 100
run rangefinder stop
touch end
wait $pid
echo "= $?"
list
