# SPDX-License-Identifier: Apache-2.0
# The facts of a run, for programs: the end of each kind of run, and where they are refused.
command -v python3 >/dev/null || {
    echo 'python3 is not installed'
    exit 77
}
facts()
{
    python3 - "$@" <<'SHOW'
import json, os, sys
for path in sys.argv[1:]:
    facts = json.load(open(path))
    program = facts["program"]
    print(f"{path}: {facts['verb']}, status {facts['exit_status']}, program {os.path.basename(program['path'] or '?')} "
          f"{program['arguments'][1:]} ended with {program['exit_status']}, signal {program['signal']}, "
          f"started {program['pid'] is not None}, captures {facts['captures']}, removed {facts['n_removed']}, "
          f"lost {facts['lost'] and sum(facts['lost'].values())}, left {facts['session_directory']}")
    for one in facts["recordings"]:
        print(f"  {one['path']}: {one['kind']} {one['number']}, {one['n_ranges']} ranges, {one['n_marks']} marks of "
              f"{one['n_processes']} processes, cuda {one['cuda']}, lost {sum(one['lost'].values())}, "
              f"size {one['size_bytes'] == os.path.getsize(one['path'])}")
    print("  exports", [(one["path"], one["format"]) for one in facts["exports"]], "next", facts["next"],
          "empty", facts["empty_because"] is not None)
SHOW
}
run rangefinder profile -o whole --export=json,text --summary-json=whole.facts act push:a mark:b pop exit:3
facts whole.facts
# also where nothing is printed, and nothing recorded
run rangefinder profile -q -o 'it is' --summary-json='it is.facts' act push:a pop
run rangefinder profile -q -o empty --summary-json=empty.facts plain
run rangefinder profile -q -t none -o none --summary-json=none.facts act push:a pop
facts 'it is.facts' empty.facts none.facts
# captures, and one that never started
run rangefinder profile -q -o focus --summary-json=focus.facts -c nvtx -p step --capture-range-end=repeat \
    act trigger:step mark:m pop repeat:2
run rangefinder profile -q -o never --summary-json=never.facts -c nvtx -p other act trigger:step pop
facts focus.facts never.facts
# a ring with snapshots
rangefinder profile -q -o ring --ring=1M --summary-json=ring.facts --session-new=r \
    act push:a touch:ready await:end pop &
wait_for test -f ready
rangefinder snapshot --session=r >/dev/null
rangefinder snapshot --session=r >/dev/null
touch end
wait $!
facts ring.facts
# files one after another, of which the newest one is kept
run rangefinder profile -q -o long --split=100ms --keep=1 --summary-json=long.facts act mark:a sleep:400 mark:b
python3 - <<'SHOW'
import json, os
facts = json.load(open("long.facts"))
print([one["kind"] for one in facts["recordings"]], "removed some:", facts["n_removed"] > 0,
      "there:", all(os.path.exists(one["path"]) for one in facts["recordings"]))
SHOW
rm -f long.*.rf
# the program is not there, is killed, or the output cannot be written
run rangefinder profile -q -o gone --summary-json=gone.facts no-such-program
run rangefinder profile -q -o killed --summary-json=killed.facts act push:a kill:9
run rangefinder profile -q -o whole --summary-json=taken.facts act
facts gone.facts killed.facts taken.facts
run rangefinder profile -q -f -o full --summary-json=/dev/full act push:a pop
# its own name is taken, or is that of something else; nothing is started
run rangefinder profile -o x --summary-json=whole.facts act touch:started
run rangefinder profile -o x --summary-json=no/folder act touch:started
run rangefinder profile -o x --summary-json=x.rf act touch:started
run rangefinder profile -f -o x --export=json --summary-json=x.json act touch:started
run rangefinder profile -o x --summary-json=- act touch:started
run rangefinder profile -o x --summary-json='%q{NOTHING}.json' act touch:started
test -e started && echo 'it was started'
# a pattern; -f overwrites
RANK=3 run rangefinder profile -q -f -o 'whole.%r' --summary-json='facts.%r' act push:a pop
run rangefinder profile -q -f -o whole --summary-json=whole.facts act push:a pop
facts facts.3 whole.facts
list
