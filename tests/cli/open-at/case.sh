# SPDX-License-Identifier: Apache-2.0
# The link of --at: where the page is to begin, and which track it is to pin.
command -v python3 >/dev/null || {
    echo 'python3 is not installed'
    exit 77
}
mkdir -p viewer/v1.0-abc
echo "<body data-perfetto_version='{\"stable\":\"v1.0-abc\"}'>" >viewer/index.html
echo '{"resources": {}}' >viewer/v1.0-abc/manifest.json
cat >show.py <<'END'
import json, re, sys
from urllib.parse import unquote

link = open("link").read().rstrip("\n")
print(re.sub(r":\d+/", ":PORT/", re.sub(r"/[0-9a-f]{32}/", "/TOKEN/", link)) if len(sys.argv) > 1 else
      "plain" if re.fullmatch(r"[!-~]+", link) and not set("<>\"'\\`{}") & set(link) else repr(link))
parameters = dict(part.split("=", 1) for part in link.split("?", 1)[1].split("&"))
commands = json.loads(unquote(parameters["startupCommands"]))
print([[command["id"].split(".")[-1]] + command["args"] for command in commands])
END
# $1: the range; then further options and the recording
link()
{
    printf '+ --at=%s\n' "$1" | cat -v
    at=$1
    shift
    rm -f link
    rangefinder open --no-browser --at="$at" "$@" >link 2>said &
    pid=$!
    wait_for test -s link || cat said
    python3 show.py $show | sed "$hide"
    kill $pid
    wait $pid 2>/dev/null
}
hide=
show=whole
golden=$SOURCE/tests/golden/v1.4.rf
link outer --offline=viewer "$golden"
link outer --online --port="$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')" "$golden"
echo '--- tracks: of a domain, of start/end ranges in a recording of several processes'
show=
link registered@lib --offline=viewer "$golden"
link 'domain goes@lib/0' --offline=viewer "$golden"
echo '--- the first, one by its number, the slowest'
hide='s/ [0-9][0-9]*\(\$\)/ TID\1/; s/\^act/^THREAD/; s/\]\[*[0-9][0-9]*\[^\]\$/]TID[^]$/'
rangefinder profile -q -o run act push:step sleep:1 pop push:step sleep:50 push:inner pop pop push:step sleep:2 pop start:request end:
cat >which.py <<'END'
import csv, sys

link = open("link").read()
at = lambda name: int(link.split("&%s=" % name)[1].split("&")[0])
durations = [int(row["end_ns"]) - int(row["start_ns"]) for row in csv.DictReader(sys.stdin)
             if row["type"] == "push_pop" and row["name"] == "step"]
print("the longest:" if sys.argv[1] == "slowest:step" else "number",
      at("dur") == max(durations) if sys.argv[1] == "slowest:step" else durations.index(at("dur")),
      "in view:", at("visStart") <= at("ts"), at("ts") + at("dur") <= at("visEnd"))
END
for range in step step/0 step/1 step/2 slowest:step; do
    link "$range" --offline=viewer run.rf
    rangefinder export -q -t csv -o - run.rf | python3 which.py "$range"
done
link request --offline=viewer run.rf
echo '--- several recordings: the first that has the range, or the slowest of all'
rangefinder profile -q -o later act push:step sleep:80 pop push:other pop start:request end:
cat >same.py <<'END'
import sys

def at(path):
    link = open(path).read()
    return [int(link.split("&%s=" % name)[1].split("&")[0]) for name in ("ts", "dur")]

one, merged = at("link." + sys.argv[1]), at("link")
# clocks of one machine: the traces' times are the same, except for how exactly CLOCK_BOOTTIME was read
print(sys.argv[1], "same duration:", one[1] == merged[1], "same time:", abs(one[0] - merged[0]) < 1000000)
END
for range in step slowest:step other; do
    case $range in step) of=run ;; *) of=later ;; esac
    link "$range" --offline=viewer $of.rf >/dev/null
    mv link link.$of
    link "$range" --offline=viewer run.rf later.rf
    python3 same.py $of
done
link request --offline=viewer run.rf later.rf
run rangefinder open --no-browser --offline=viewer --at=stap run.rf later.rf
run rangefinder open --no-browser --offline=viewer --at=step/7 run.rf later.rf
echo '--- the recording of the lowest rank, wherever it is named; those without one come last'
for rank in 1 0; do
    RANK=$rank rangefinder profile -q -o "rank$rank" act push:step sleep:$((20 - 10 * rank)) pop push:rank$rank pop push:step pop
done
for range in step step/1 rank1; do
    case $range in rank1) of=rank1 ;; *) of=rank0 ;; esac
    link "$range" --offline=viewer $of.rf >/dev/null
    mv link link.$of
    for inputs in 'rank0.rf rank1.rf' 'rank1.rf rank0.rf' 'rank1.rf later.rf rank0.rf'; do
        # the words of $inputs are arguments
        # shellcheck disable=SC2086
        link "$range" --offline=viewer $inputs | grep -v TID
        python3 same.py $of
    done
done
rm -f link.* rank?.rf
echo '--- names that mean something elsewhere'
hide='s/[0-9][0-9]*\[^\]\$/TID[^]$/'
for name in '<script>alert(1)</script>' '"],"x":["' "'&url=#%00" '(a+)+$[\' "$(printf 'esc\033[31m')" "$(printf 'bidi\342\200\256 \360\237\230\200')" "$(printf 'wrong \377')"; do
    rangefinder profile -q -f -o hostile act domain:"$name" push:"$name" pop
    link "$name" --offline=viewer hostile.rf
done
long=$(printf 'é%.0s' $(seq 400))
rangefinder profile -q -f -o hostile act domain:"$long" push:"$long" pop
link "$long" --offline=viewer hostile.rf | sed 1d
echo '--- what does not exist'
run rangefinder open --no-browser --offline=viewer --at=stap run.rf
run rangefinder open --no-browser --offline=viewer --at=slowest:stpe@nowhere/1 run.rf
run rangefinder open --no-browser --offline=viewer --at=step@nowhere run.rf
run rangefinder open --no-browser --offline=viewer --at=something run.rf
run rangefinder open --no-browser --offline=viewer --at=step/3 run.rf
run rangefinder open --no-browser --offline=viewer --at= run.rf
run rangefinder open --no-browser --offline=viewer --at=slowest:step/0 run.rf
run rangefinder open --no-browser --offline=viewer --at=slowest:step/2 run.rf later.rf
rangefinder export -q -o run.pftrace run.rf
run rangefinder open --no-browser --offline=viewer --at=step run.pftrace
rm later.rf
list
