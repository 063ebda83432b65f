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
# what is gone is counted and said, by whoever reads the new file too
numbers='s/program [0-9]*/program PID/; s/[0-9][0-9,]* \(events\|blocks\)/N \1/; s/([0-9.]* k*B)/(SIZE)/; s/[0-9,]* ranges/N ranges/'
head -c $((size * 6 / 10)) run.rf >short.rf
run rangefinder recover short.rf 2>&1 | sed "$numbers"
rangefinder info short-recovered.rf 2>&1 | grep -E 'state|lost|damaged' | sed "$numbers"
what short-recovered.rf 2>/dev/null | sed 's/^.*processes/processes/'
cp run.rf hole.rf
head -c 300 /dev/zero | tr '\0' '\377' | dd of=hole.rf conv=notrunc bs=1 seek=$((size - 5000)) status=none
run rangefinder recover hole.rf 2>&1 | sed "$numbers"
rangefinder export -q -t jsonl -o - hole-recovered.rf 2>&1 | grep -c '"lost_events":0,'
rm hole.rf hole-recovered.rf short.rf short-recovered.rf
echo 'not a recording' >foreign.rf
: >empty.rf
mkdir folder
for file in foreign.rf empty.rf folder nothere.rf; do
    run rangefinder info $file
    run rangefinder recover $file
done
list
