# SPDX-License-Identifier: Apache-2.0
# What the cases use. They run in a clean root, in /test, with the packages there.

export begin_ns="${begin_ns:-$(date +%s%N)}" # of the case, also in what it runs

# since_begin WHAT: how long a user has waited so far
since_begin()
{
    echo "$1: $((($(date +%s%N) - begin_ns) / 1000000)) ms"
}

# timed WHAT COMMAND...: what a user waits for
timed()
{
    what=$1
    shift
    began=$(date +%s%N)
    "$@" >log 2>&1 || { cat log; fail "$what: $*"; }
    echo "$what: $((($(date +%s%N) - began) / 1000000)) ms"
}

fail()
{
    echo "FAILED: $*"
    exit 1
}

# expect TEXT COMMAND...: its output has the text
expect()
{
    text=$1
    shift
    "$@" >log 2>&1 || { cat log; fail "$*"; }
    grep -qF -- "$text" log || { cat log; fail "no '$text' in what was printed by: $*"; }
}
