#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The arrows of includes point one way: a folder of src includes only the folders below it.
#
#     base <- log <- record <- {cuda, interpose}    (runs inside the profiled program)
#     base <- log <- model <- {import, export, stats} <- cli
#     base <- pmsampling <- cli
#     base <- log <- session <- cli
set -eu
cd "$1/src"
failed=0

# allow FOLDER "FOLDERS IT MAY INCLUDE"
allow()
{
    [ -d "$1" ] || return 0
    pattern=$(printf '%s' "$1 $2" | tr ' ' '|')
    wrong=$(grep -rnE --include='*.[ch]' '^ *# *include *"[a-z_0-9]+/' "$1" |
        grep -vE "\"($pattern|rangefinder|nvtx3)/" || true)
    # a header is named by its path below src, never by ../
    wrong="$wrong$(grep -rnE --include='*.[ch]' '^ *# *include *"\.\./' "$1" || true)"
    if [ -n "$wrong" ]; then
        printf 'src/%s may include only: %s\n%s\n' "$1" "$1 $2" "$wrong"
        failed=1
    fi
}

allow base ""
allow log "base"
allow record "base log"
allow cuda "base log record"
allow interpose "log record"
allow model "base log"
allow import "base log model"
allow export "base log model"
allow stats "base log model"
allow pmsampling "base"
allow session "base log"
allow cli "base log model import export stats pmsampling session"

for folder in */; do
    case $folder in
    base/ | log/ | record/ | cuda/ | interpose/ | model/ | import/ | export/ | stats/ | pmsampling/ | session/ | cli/) ;;
    *) echo "src/$folder has no place in the order of folders" && failed=1 ;;
    esac
done

# What runs inside the profiled program uses neither the public library nor its errors.
if grep -n '"rangefinder/\|"base/error.h"\|"base/output.h"' -r record interpose; then
    echo "src/record or src/interpose uses what belongs to the reader library"
    failed=1
fi

# File names are unique over the tree of sources.
repeated=$(find . -name '*.[ch]' | sed 's:.*/::' | sort | uniq -d)
if [ -n "$repeated" ]; then
    echo "file names that occur twice: $repeated"
    failed=1
fi
exit $failed
