# SPDX-License-Identifier: Apache-2.0
# A limit of file sizes is told as one, nothing half-written stays, and nobody is killed by it.
rangefinder profile -q -o run act ranges:20000
(
    ulimit -f 100
    run rangefinder export -t csv -o run.csv run.rf
    run rangefinder recover -o copy.rf run.rf
    run rangefinder scrub -o scrubbed.rf run.rf
)
list
(
    ulimit -f 200
    # the program's own disposition is what it was
    rangefinder profile -q -o limited sh -c 'trap - XFSZ; head -c 300000 /dev/zero >big; echo "status $?"' 2>&1 |
        grep -v '^sh:' | sed 's/File size limit exceeded.*/killed/'
)
