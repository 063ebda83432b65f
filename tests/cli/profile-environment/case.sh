# SPDX-License-Identifier: Apache-2.0
# The program's environment: as it was, plus what was asked for and what loads the recorder.
shown='^(A|B|C|NVTX|RANGEFINDER)'
A=before
export A
run rangefinder profile -q -o a sh -c "env | grep -E '$shown' | sort"
run rangefinder profile -q -o b -e A=1,2,B=3 --env-var=C=x=y sh -c "env | grep -E '$shown' | sort"
run rangefinder profile -q -o c -n false -e B=1 /usr/bin/env
run rangefinder profile -q -o d -t none sh -c "env | grep -E '$shown' | sort"
run rangefinder profile -o e -e A act touch:started
run rangefinder profile -q -o e -e "PATH=$BUILD/tests/cli/apps" act mark:a
# what was ignored, blocked or closed stays so
run rangefinder profile -q -o f sh -c 'grep -E "^Sig(Blk|Ign|Cgt)" /proc/self/status'
trap '' HUP INT
run rangefinder profile -q -o g sh -c 'grep -E "^Sig(Blk|Ign)" /proc/self/status'
run rangefinder profile -q -o h sh -c 'ls /proc/self/fd | wc -l'
