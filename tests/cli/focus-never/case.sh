# SPDX-License-Identifier: Apache-2.0
# A capture that never started: said why, exit status 3, and no file.
run rangefinder profile -c nvtx -p TRIG -o a act mark:TRIG push:other pop
run rangefinder profile -c nvtx -p TRIG -o a act push:TRIG pop push:TRIG pop
run rangefinder profile -c nvtx -p TRIG -o a act domain:Dom trigger:TRIG pop
run rangefinder profile -c nvtx -p TRIG@Dom -o a act trigger:TRIG pop
run rangefinder profile -c nvtx -p TRIG -o a act trigger:Trig pop
run rangefinder profile -c nvtx -p TRIG -o a act trigger:TRIGGER pop exit:7
run rangefinder profile -c nvtx -p TRIG -o a plain
run rangefinder profile -y 60 -o a act mark:m
run rangefinder profile -y 60 -c nvtx -p TRIG -o a act trigger:TRIG pop
run rangefinder profile --start-later -o a act mark:m
run rangefinder profile -q -c nvtx -p TRIG -o a act trigger:other pop
list
