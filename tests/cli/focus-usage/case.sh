# SPDX-License-Identifier: Apache-2.0
# What is wrong with the options is said before the program is started.
try()
{
    run rangefinder profile "$@" -o x act touch:started
}
try -c nvtx
try -p X
try -c nvtxx -p X
try -c nvtx -p ''
try -c nvtx -p a@b@c
try -c nvtx -p a@
try -c nvtx -p a --capture-range-end=repeat:0
try -c nvtx -p a --capture-range-end=repeat-shutdown
try -c nvtx -p a --capture-range-end=stop:1
try -c nvtx -p a --capture-range-end=foo
try -c nvtx -p a --trace=none
try -y abc
try -d -1
try -d 1e3
try -d 1 --capture-range-end=repeat:3
run rangefinder launch -y 1 act touch:started
try -d 1 --kill=foo
try -c hotkey -y 1
try --hotkey-capture=F5
try --nvtx-capture-unregistered
try --capture-range-end=stop
try --start-later -y 1
try --capture-rnage=nvtx -p a
list
