# SPDX-License-Identifier: Apache-2.0
# What a GPU does with its time, of a recording of our own, and of the database that it is exported to.
command -v python3 >/dev/null || exit 77
double=$BUILD/tests/cuda/double
[ -f "$double/lib/libcuda.so.1" ] || {
    echo 'the stand-ins of CUDA were not built'
    exit 77
}
LD_LIBRARY_PATH=$double/lib
RANGEFINDER_CUPTI=$double/cupti
export LD_LIBRARY_PATH RANGEFINDER_CUPTI
PATH=$double:$PATH
rangefinder profile -q -o a -t cuda,nvtx --cuda-event-trace=true app push=step launch=5 copy=1000 sync pop \
    push=step launch=9 event sync pop push=step launch=3 graph=3 sync pop
rangefinder export -q -t sqlite -o a.sqlite a.rf
for report in breakdown breakdown_steps gpu_gaps:gap=0 launch_latency critical; do
    rangefinder stats -q -f json -r $report a.rf >"$report.json"
    rangefinder stats -q -f json -r $report a.sqlite | cmp - "$report.json" && echo "$report: the same of the database"
done
python3 - <<'CHECK'
import json

def rows(name):
    with open(name + ".json") as file:
        return json.load(file)

times = [column for column in rows("breakdown_steps")[0] if column.endswith("(ns)")][2:]
steps = rows("breakdown_steps")
print("steps:", [row["Step"] for row in steps], "times that add up:",
      all(sum(row[time] for time in times) == row["Duration (ns)"] for row in steps))
idle = {reason: sum(row["Time (ns)"] for row in rows("breakdown") if row["What"] == reason)
        for reason in ("idle, waiting for the host", "idle, launching", "idle, other")}
gaps = rows("gpu_gaps:gap=0")
print("gaps that are the idle time:",
      list(idle.values()) == [sum(row[column] for row in gaps) for column in ("Host (ns)", "Launch (ns)", "Other (ns)")])
print("launches:", sum(row["Count"] for row in rows("launch_latency")))
waits = rows("critical")
print("waits:", sum(row["Last"] for row in waits), "in", sorted({(row["Function"], row["Range"]) for row in waits}))
CHECK
rangefinder stats -r critical a.rf | grep 'is not recorded' || echo 'of every wait it is recorded what it waits for'
