# SPDX-License-Identifier: Apache-2.0
# Every way to give a value that nsys has.
run rangefinder profile --output=a act mark:a
run rangefinder profile --output b act mark:b
run rangefinder profile -o c act mark:c
run rangefinder profile -od act mark:d
run rangefinder profile -o=e act mark:e
run rangefinder profile -f true -o a act mark:a
run rangefinder profile -ftrue -oa act mark:a
run rangefinder profile -f -o a act mark:a
run rangefinder profile --force-overwrite -o a -- act mark:a
run rangefinder profile --force-overwrite=true -o a.rf act -o mark:a
run rangefinder profile --force-overwrite true -o x.nsys-rep act mark:a
run rangefinder profile -f false -o a act mark:a
list
