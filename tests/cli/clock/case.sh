# SPDX-License-Identifier: Apache-2.0
# The clock can be forced.
RANGEFINDER_CLOCK=monotonic rangefinder profile -q -o run act ranges:10
rangefinder info run.rf | grep '^clock'
what run.rf
