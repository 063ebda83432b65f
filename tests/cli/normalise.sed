# What differs from run to run.
s/[0-9][0-9.]* [kMGT]\{0,1\}B\b/SIZE/g
s/[0-9][0-9.]* [nmu]\{0,1\}s\b/TIME/g
s/[0-9][0-9.]* MHz/HZ/g
s/\([rR]\)angefinder [0-9][0-9]*\.[0-9][0-9]*\.[0-9][0-9]*/\1angefinder VERSION/g
s/[0-9]\{4\}-[0-9][0-9]-[0-9][0-9] [0-9:.]*/DATE/g
s/(pid [0-9][0-9]*)/(pid PID)/g
s/rangefinder-[0-9a-f]\{32\}/SOCKET/g
# depends on the machine
s/\(no CUDA was seen: \).*/\1REASON/
# where root has the build under a folder of its own
/librangefinder-inject.so' cannot be read by other users: /d
