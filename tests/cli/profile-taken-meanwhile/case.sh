# SPDX-License-Identifier: Apache-2.0
# The name is taken while the program runs: neither recording is lost.
run rangefinder profile -o run sh -c 'act mark:a; echo mine >run.rf'
cat run.rf
what run-2.rf
mkdir left.rfdir
run rangefinder profile -q -o left act mark:a
what left.rf
list
# what is no file is said before the program runs
mkdir folder.rf
mkfifo pipe.rf
for name in folder pipe; do
    run rangefinder profile -f -o $name act touch:$name.ran
done
rm -r folder.rf pipe.rf
list
