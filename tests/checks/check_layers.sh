#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Includes follow the arrows of ARCHITECTURE.md, section "Who may call whom": a line gives each folder
# those to its left, and "FOLDER: HEADER..." are the only headers of model/ that FOLDER may include.
set -eu

# The lines of the section that are meant for this script.
lines()
{
    sed -n '/^## Who may call whom/,/^## Why/s/^    //p' "$1/ARCHITECTURE.md"
}

# Prints "FOLDER FOLDER-IT-MAY-INCLUDE..." for every folder that an arrow names, a line of the text
# for each line that it stands on.
arrows()
{
    lines "$1" | grep -v ':' | sed 's/   .*//' | awk -F'<-' '{
        below = ""
        for (i = 1; i <= NF; i++) {
            gsub(/[{},]/, " ", $i)
            n = split($i, names, " ")
            for (k = 1; k <= n; k++) print names[k] below
            for (k = 1; k <= n; k++) below = below " " names[k]
        }
    }'
}

# The includes of a folder that name another folder, but for the public headers: FILE:LINE:INCLUDE.
includes()
{
    grep -rnE --include='*.[ch]' '^ *# *include *["<]([a-z_0-9]+/|\.\./)' "$1" |
        grep -vE '["<](rangefinder|nvtx3|sys|netinet|arpa|linux|net)/' || true
}

# Prints what is wrong with the tree $1.
check()
(
    cd "$1"
    arrows . >"$work/arrows"
    for folder in src/*/ python/*/; do
        folder=${folder%/}
        [ -n "$(find "$folder" -name '*.[ch]' | head -1)" ] || continue
        name=${folder#src/}
        grep -qE "^$name( |\$)" "$work/arrows" || {
            echo "$folder stands in no line of ARCHITECTURE.md"
            continue
        }
        may=$(awk -v name="$name" '$1 == name' "$work/arrows" | tr ' ' '\n' | sort -u | tr '\n' '|')
        wrong=$(includes "$folder" | grep -vE "[\"<](${may%|})/" || true)
        [ -z "$wrong" ] || printf '%s may include only %s\n%s\n' "$folder" "${may%|}" "$wrong"
    done
    # an arrow to a folder that was renamed would allow nothing, and forbid nothing
    for name in $(cut -d' ' -f1 "$work/arrows" | sort -u); do
        [ -d "src/$name" ] || [ -d "$name" ] || echo "ARCHITECTURE.md names $name, which is no folder"
    done

    lines . | grep ':' | while IFS=: read -r name headers; do
        includes "src/$name" | sed -n 's/^\(.*\)["<]\(model\/[^">]*\)[">].*/\2 \1/p' |
            while read -r header place; do
                case " $headers " in
                *" $header "*) ;;
                *) echo "$place: $header is not among the headers of model/ for $name" ;;
                esac
            done
        for header in $headers; do
            [ -f "src/$header" ] || echo "ARCHITECTURE.md names $header, which is not there"
        done
    done
    for name in export stats; do
        lines . | grep -q "^$name: " || echo "ARCHITECTURE.md does not say what $name uses of model/"
    done

    # What runs inside the profiled program uses neither the public library nor its errors.
    for folder in src/record src/cuda src/interpose; do
        ! grep -rn '"rangefinder/\|"base/error.h"\|"base/output.h"' "$folder" ||
            echo "$folder uses what belongs to the reader library"
    done

    # File names are unique over the tree of sources.
    repeated=$(find src -name '*.[ch]' | sed 's:.*/::' | sort | uniq -d)
    [ -z "$repeated" ] || echo "file names that occur twice: $repeated"
)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
found=$(check "$1")
[ -z "$found" ] || {
    printf '%s\n' "$found"
    exit 1
}

# A wrong include is found in a folder of a folder, in python/, and of a header that is not declared.
mkdir "$work/tree"
cp -R "$1/ARCHITECTURE.md" "$1/src" "$1/python" "$work/tree"
mkdir -p "$work/tree/src/model/sub"
echo '#include "cli/say.h"' >"$work/tree/src/model/sub/up.c"
echo '#include "cli/say.h"' >"$work/tree/python/session/up.c"
echo '#include "model/sub/down.h"' >"$work/tree/src/export/private.c"
echo '#include "../log/layout.h"' >"$work/tree/src/base/beside.c"
echo '#include "rangefinder/rangefinder.h"' >"$work/tree/src/cuda/reader.c"
mkdir "$work/tree/src/nowhere"
: >"$work/tree/src/nowhere/one.c"
found=$(check "$work/tree")
for name in model/sub/up.c python/session/up.c private.c beside.c cuda/reader.c src/nowhere; do
    printf '%s\n' "$found" | grep -q "$name" || {
        echo "what is wrong with $name is not found"
        exit 1
    }
done
