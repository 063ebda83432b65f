# SPDX-License-Identifier: Apache-2.0
# A recording within a recording: the inner one gets what its program does.
run rangefinder profile -q -o outer sh -c 'act mark:out; rangefinder profile -q -o inner act mark:in'
what outer.rf
what inner.rf
run rangefinder profile -o many sh -c 'for i in 0 1 2 3 4 5 6 7 8 9; do act mark:a & act mark:b; done; wait'
rangefinder info many.rf | grep -A 1 ^events
