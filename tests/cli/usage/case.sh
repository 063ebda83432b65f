# SPDX-License-Identifier: Apache-2.0
# Wrong usage is told from failure, and says what was probably meant.
without_verbs() # `cli.man` compares the list with the pages
{
    run "$@" >text
    sed '/^verbs:/,/^$/s/^  [a-z].*//' text | cat -s
    rm text
}
without_verbs rangefinder
without_verbs rangefinder help
without_verbs rangefinder --help
run rangefinder version
run rangefinder --version
run rangefinder proifle
run rangefinder frobnicate
run rangefinder help stast
run rangefinder profile
run rangefinder profile --outptu=x act
run rangefinder profile --frobnicate act
run rangefinder profile -Z act
run rangefinder profile --output
run rangefinder profile --force-overwrite=perhaps act
run rangefinder export
run rangefinder export a.rf b.rf
run rangefinder export -t sqlit a.rf
run rangefinder stats -r nvtx_summ a.rf
run rangefinder stats -f tabel a.rf
run rangefinder info --json=maybe a.rf
run rangefinder export nothere.rf
list
# what cannot be written is no success
rangefinder version >&-
echo "= $?"
rangefinder version >/dev/full
echo "= $?"
