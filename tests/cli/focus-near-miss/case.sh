# SPDX-License-Identifier: Apache-2.0
# A near miss is said while the program runs, once.
rangefinder profile -c nvtx -p TRIG -o a act push:TRIG pop push:TRIG pop await:go 2>said &
pid=$!
wait_for grep -q nvtx-capture-unregistered said
cat said
touch go
wait $pid
echo "= $?"
cat said
# it was there, but captures had not been allowed yet
rangefinder launch --session-new=s -c nvtx -p TRIG@own -o b act domain:own trigger:TRIG pop touch:before await:end 2>said &
pid=$!
wait_for test -f before
rangefinder start --session=s >/dev/null
touch end
wait $pid
echo "= $?"
grep 'the range' said
