# SPDX-License-Identifier: Apache-2.0
# Patterns in the name of the output.
VAR=value
export VAR
run rangefinder profile -q -o 'v-%q{VAR}-100%%' act mark:a
run rangefinder profile -q -o 'h-%h' act mark:a
[ -f "h-$(uname -n).rf" ] && mv "h-$(uname -n).rf" host.rf
run rangefinder profile -q -o 'p-%p' sh -c 'echo $$ >pid; act mark:a'
[ -f "p-$(cat pid).rf" ] && mv "p-$(cat pid).rf" pid.rf
run rangefinder profile -q -o 'n%n' act mark:a
run rangefinder profile -q -o 'n%n' act mark:a
run rangefinder profile -q -o 'a.b.c' act mark:a
run rangefinder profile -o '%q{NOT_THERE}' act touch:started
run rangefinder profile -o '%q' act touch:started
run rangefinder profile -o '%z' act touch:started
run rangefinder profile -o 'folder/' act touch:started
mkdir folder
run rangefinder profile -q -o folder/inside act mark:a
run rangefinder profile -q -o "$PWD/folder/absolute" act mark:a
run rangefinder profile -o folder/ act touch:started
for output in . .. folder/.. -; do
    run rangefinder profile -o "$output" act touch:started
done
list
