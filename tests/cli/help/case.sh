# SPDX-License-Identifier: Apache-2.0
# Every verb explains itself, and 'help VERB' prints the same.
for verb in profile export stats info recover doctor help version; do
    run rangefinder $verb -h
    rangefinder $verb --help >one
    rangefinder help $verb >two
    cmp one two
done
