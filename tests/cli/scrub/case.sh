# SPDX-License-Identifier: Apache-2.0
# A scrubbed copy has the same events, and nothing of the machine.
RANK=secret-rank rangefinder profile -q -o run act push:work mark:here pop print:secret-argument
private()
{
    strings -n 4 "$1" 2>/dev/null | grep -c -e secret -e "$PWD"
}
[ "$(private run.rf)" -gt 0 ] && echo 'the recording has what is private'
run rangefinder scrub run.rf
private run-scrubbed.rf
run rangefinder scrub run.rf
run rangefinder scrub -f true run.rf
what run.rf
what run-scrubbed.rf
events run.rf run-scrubbed.rf
rangefinder info --json run-scrubbed.rf | python3 -c '
import json, sys
info = json.load(sys.stdin)
print(repr(info["host"]), [(p["args"], p["cwd"], p["env"]) for p in info["processes"]])'
run rangefinder scrub -o named run.rf
run rangefinder scrub missing.rf
rangefinder summarize -q run.rf
run rangefinder scrub run.rfsum
mkdir folder
for output in '' folder/ . .. -; do
    run rangefinder scrub -o "$output" run.rf
    run rangefinder recover -o "$output" run.rf
    run rangefinder export -q -t json,csv -o "$output" run.rf
done
find . -name '.?*'
# The same of the recording as a database.
run rangefinder export -t sqlite run.rf
[ "$(private run.sqlite)" -gt 0 ] && echo 'the database has what is private'
run rangefinder scrub run.sqlite
private run-scrubbed.sqlite
events run.sqlite run-scrubbed.sqlite
