# SPDX-License-Identifier: Apache-2.0
# rangefinder is killed: the program runs on, and nothing that it recorded is lost.
rangefinder profile -o run sh -c 'echo $$ >act.pid; exec act ranges:5 touch:ready await:go ranges:7' &
pid=$!
wait_for test -f ready
run rangefinder info run.rfdir >/dev/null 2>&1
kill -9 $pid
wait $pid 2>/dev/null
run rangefinder recover run.rfdir 2>&1 | sed 's/process [0-9]*/process PID/'
touch go
wait_for has_ended "$(cat act.pid)"
rm act.pid
what run.rfdir
run rangefinder recover run.rfdir
what run.rf
list
