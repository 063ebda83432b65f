# SPDX-License-Identifier: Apache-2.0
# What a case.sh can use. Also on PATH: rangefinder, and the programs of apps/. SOURCE and BUILD are
# the two trees; the current directory is empty.

# Runs a command; shows it on both streams, so that they can be read side by side, and its status.
run()
{
    echo "+ $*"
    echo "+ $*" >&2
    "$@"
    echo "= $?"
}

# The same without its standard output.
run_quiet()
{
    echo "+ $*"
    echo "+ $*" >&2
    "$@" >/dev/null
    echo "= $?"
}

# The files of the current directory, one per line.
list()
{
    echo "files: $(find . -mindepth 1 | sed 's|^\./||' | sort | tr '\n' ' ')"
}

# What is in a recording, without what differs from run to run.
what()
{
    command -v python3 >/dev/null || {
        echo 'python3 is not installed'
        exit 77
    }
    rangefinder info --json "$1" | python3 -c '
import json, sys
info = json.load(sys.stdin)
print("ranges %d, marks %d, cut %s, lost %d, processes %s, domains %s" % (
    info["n_ranges"], info["n_marks"], json.dumps(info["cut"]), info["n_lost_records"],
    sorted(p["name"] or "?" for p in info["processes"]),
    sorted({d["name"] or "-" for d in info["domains"] if d["n_events"] > 0})))'
}

# Waits until a command succeeds, for minutes if need be.
wait_for()
{
    tries=10000
    until "$@" 2>/dev/null; do
        tries=$((tries - 1))
        [ $tries -gt 0 ] || {
            echo "waited in vain for: $*"
            return 1
        }
        sleep 0.02
    done
}

# Whether a process has ended; a zombie has.
has_ended()
{
    case $(sed -n 's/^State:[[:space:]]*//p' "/proc/$1/status" 2>/dev/null) in
    '' | Z*) true ;;
    *) false ;;
    esac
}

# The marks and ranges of recordings, in the order of their starts; with why they are cut.
events()
{
    for file; do
        echo "$file: $(rangefinder export -q -t csv -o - "$file" | python3 -c '
import csv, sys
for row in csv.DictReader(sys.stdin):
    if row["type"] in ("push_pop", "start_end", "mark"):
        cut = [c for c in (row["cut"],) if c]
        if "cut_at_start" in row["flags"]:
            cut.insert(0, "began before")
        print(row["name"] + (" [%s]" % ", ".join(cut) if cut else ""), end="; ")')"
    done
}
