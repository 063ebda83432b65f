# SPDX-License-Identifier: Apache-2.0
# The exit status is the program's, or 128 and the signal.
run_quiet rangefinder profile -q -o a act mark:a
run_quiet rangefinder profile -q -o b act mark:a exit:1
run_quiet rangefinder profile -q -o c act mark:a exit:255
run_quiet rangefinder profile -q -o d act push:open mark:a kill:9
run_quiet rangefinder profile -q -o e act push:open mark:a kill:15
run_quiet rangefinder profile -q -o f act mark:a kill:2
what d.rf
run rangefinder info --json d.rf | grep -o '"root_[a-z]*":[0-9]*' | grep -v pid
list
