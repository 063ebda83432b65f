# SPDX-License-Identifier: Apache-2.0
# Which files verbs wrote, for programs.
command -v python3 >/dev/null || {
    echo 'python3 is not installed'
    exit 77
}
show()
{
    python3 -c '
import json, os, sys
text = sys.stdin.read()
document = json.loads(text) if text else None
if document is None:
    print("nothing was printed")
else:
    print(document["verb"], "next", document["next"])
    for one in document["files"]:
        print(" ", one["path"], one["format"], "was there" if one["was_there"] else "is new",
              "null" if one["size_bytes"] is None else one["size_bytes"] == os.path.getsize(one["path"]))'
}
printed()
{
    echo "+ $*"
    "$@" 2>said >document
    echo "= $?"
    show <document
    grep 'next:' said
}
rangefinder profile -q -o 'a run' act push:a pop
rangefinder profile -q -o other act push:a pop
printed rangefinder export --json -t json,csv 'a run.rf'
printed rangefinder export --json -q -t text -o /dev/null 'a run.rf'
printed rangefinder export --json -o both.json 'a run.rf' other.rf
printed rangefinder export --json=false -q -t jsonl 'a run.rf'
# what fails prints nothing
printed rangefinder export --json -t json 'a run.rf'
run rangefinder export --json -t json -o - 'a run.rf'
printed rangefinder scrub --json 'a run.rf'
rangefinder export -q other.rf
printed rangefinder scrub --json other.sqlite
# what was left behind, is there already, and was damaged
NVTX_INJECTION64_PATH=$BUILD/lib/librangefinder-inject.so act push:a pop 2>/dev/null
mv rangefinder-*.rfdir left.rfdir
printed rangefinder recover --json --keep left.rfdir
printed rangefinder recover --json left.rfdir
printed rangefinder recover --json left.rfdir
printed rangefinder recover --json -o whole other.rf
# a session
rangefinder launch -q -o live --session-new=s act touch:ready await:end repeat:1 &
wait_for test -f ready
printed rangefinder stop --json --session=s
rangefinder start --session=s 2>/dev/null
printed rangefinder stop --json --session=s >stopped
sed "s|$PWD|FOLDER|" stopped
touch end
wait $!
rm ready end
rangefinder profile -q -o ring --ring=1M --session-new=r act push:a touch:ready await:end pop &
wait_for test -f ready
printed rangefinder snapshot --json --session=r >taken
sed "s|$PWD|FOLDER|" taken
touch end
wait $!
