# SPDX-License-Identifier: Apache-2.0
# A program is recorded: its output and status are its own, the rest is on standard error.
run rangefinder profile -o run act print:hello push:outer mark:m pop ranges:10 exit:3
what run.rf
run rangefinder profile act mark:one
run rangefinder profile act mark:two
list
run rangefinder profile -q -o quiet act mark:one
run rangefinder profile -o sh sh -c 'act mark:one; act mark:two; exec act push:three pop'
what sh.rf
