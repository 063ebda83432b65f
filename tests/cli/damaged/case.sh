# SPDX-License-Identifier: Apache-2.0
# What is damaged is refused with the place, leaves nothing behind, and can be recovered.
rangefinder profile -q -o run act ranges:1000 mark:m
size=$(wc -c <run.rf)
head -c $((size - 100)) run.rf >cut.rf
for verb in info stats "export -t csv"; do
    run rangefinder $verb cut.rf 2>&1 | sed 's/[0-9]\{3,\}/N/g'
done
run rangefinder recover cut.rf
what cut-recovered.rf
run rangefinder recover -o "it's named" cut.rf
run rangefinder recover cut.rf
echo 'not a recording' >foreign.rf
: >empty.rf
mkdir folder
for file in foreign.rf empty.rf folder nothere.rf; do
    run rangefinder info $file
    run rangefinder recover $file
done
list
