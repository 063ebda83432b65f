# SPDX-License-Identifier: Apache-2.0
# The program's environment: as it was, plus what was asked for and what loads the recorder.
shown='^(A|B|C|NVTX[A-Z0-9_]*|RANGEFINDER_[^R][A-Z_]*)=' # not RANGEFINDER_RUNTIME_DIR of run.sh
A=before
export A
run rangefinder profile -q -o a sh -c "env | grep -E '$shown' | sort"
run rangefinder profile -q -o b -e A=1,2,B=3 --env-var=C=x=y sh -c "env | grep -E '$shown' | sort"
run rangefinder profile -q -o c -n false -e B=1 /usr/bin/env
run rangefinder profile -q -o d -t none sh -c "env | grep -E '$shown' | sort"
run rangefinder profile -o e -e A act touch:started
run rangefinder profile -q -o e -e "PATH=$BUILD/tests/cli/apps" act mark:a
# what was ignored, blocked or closed stays so
show='grep -E "^Sig(Blk|Ign|Cgt)" /proc/self/status; ls /proc/self/fd | wc -l'
compare()
{
    sh -c "$show" >without
    rangefinder profile -q -f -o f sh -c "$show" >with
    diff without with && echo "the same $1"
}
compare 'as it is'
trap '' HUP INT PIPE CHLD
compare 'with ignored signals'
compare 'without standard input' <&-
