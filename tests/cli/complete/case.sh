# SPDX-License-Identifier: Apache-2.0
# What can follow on a command line; shells ask for it.
run rangefinder complete -- re
run rangefinder complete -- recover --c
run rangefinder complete -- recover --compress=
run rangefinder complete -- profile --overflow=
run rangefinder complete -- profile -t cuda,n
run rangefinder complete -- profile -o ''
run rangefinder complete -- profile ''
run rangefinder complete -- profile ./program --help
run rangefinder complete -- profile --delay ''
run rangefinder complete -- help sho
run rangefinder complete -- status nobody
run rangefinder complete -- nothing ''
run rangefinder complete --
