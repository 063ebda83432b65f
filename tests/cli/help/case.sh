# SPDX-License-Identifier: Apache-2.0
# Every verb explains itself, and 'help VERB' prints the same.
for verb in profile export stats info recover doctor advise help version; do
    run rangefinder $verb -h
done
for verb in $(rangefinder help | sed -n '/^verbs:/,/^$/s/^  \([a-z0-9-]*\) .*/\1/p'); do
    rangefinder "$verb" -h >one
    rangefinder "$verb" --help >two
    rangefinder help "$verb" >three
    cmp one two
    cmp one three
    grep -q "^usage: rangefinder $verb " one || echo "$verb has no help"
done
