# SPDX-License-Identifier: Apache-2.0
# The README's thirty seconds, with the command line that was installed. ./train is there.
timed "the first recording" rangefinder profile ./train
grep -q "wrote 'report1.rf': .*, 20 ranges and 1 mark of 1 process, nothing lost" log || fail "$(cat log)"
timed "the first table" rangefinder stats report1.rf
grep -q ' :step$' log && grep -q ' :load$' log || fail "$(cat log)"
since_begin "from nothing to the first table"
timed "the exports" rangefinder export -t json,sqlite report1.rf
[ -s report1.json ] && [ -s report1.sqlite ] || fail "nothing was exported"
timed "a compressed recording" rangefinder profile --compress -o packed ./train
expect ' :step' rangefinder stats packed.rf
expect 'ok    self-test' rangefinder doctor
# a home in which nothing can be written
expect ', nothing lost' env HOME=/proc rangefinder profile -o home ./train
began=$(date +%s%N)
for _ in 1 2 3 4 5 6 7 8 9 10; do
    rangefinder --version >/dev/null
done
echo "rangefinder --version: $((($(date +%s%N) - began) / 10000)) us each"
