# SPDX-License-Identifier: Apache-2.0
# The same on NVIDIA's libcupti, with every one that is found here: what is printed is the same.
grep -q '^RF_SANITIZE:[A-Z]*=.' "$BUILD/CMakeCache.txt" && {
    echo "CUPTI loads its parts in a way that sanitizers refuse"
    exit 77
}
command -v python3 >/dev/null || {
    echo "python3 is not installed"
    exit 77
}
cat >ask <<'END_OF_ASK'
#!/bin/sh
pct=avg.pct_of_peak_sustained_elapsed
for set in tu10x:TU102 ga100:GA100 ga10x:GA102 gh100:GH100 ad10x:AD102; do
    rangefinder gpu-metrics --set "${set%:*}" --chip "${set#*:}" --json | python3 -c '
import json, sys
told = json.load(sys.stdin)
states = [row["state"] for row in told["metrics"]]
print(told["set"], told["chip"], *("%d %s" % (states.count(s), s) for s in sorted(set(states))))'
done
rangefinder gpu-metrics --list --chip gh100 |
    grep -x -e sm__cycles_active -e sm__throughput -e dram__read_throughput -e pcie__read_bytes
rangefinder gpu-metrics --list --chip GH100 --json sm__cycles_active | python3 -c '
import json, sys
told = [m for m in json.load(sys.stdin)["metrics"] if m["name"] == "sm__cycles_active"][0]
print(told["name"], told["type"], told["hw_unit"], told["unit"], len(told["submetrics"]) >= 44,
      told["description"] != "")'
rangefinder gpu-metrics --list --chip GH100 sm__cycles_active.avg.per_second | head -n 2
rangefinder gpu-metrics --chip GH100 --check sm__throughput.$pct sm__cycles_active.avg \
    sm__cycle_active.avg >out
echo "status $?"
sed -e 's/; the others take [1-9][0-9]* passes/; the others take N passes/' -e 's/; did.*active.avg.*/; did you mean/' out
rangefinder gpu-metrics --chip GH100 --check sm__cycles_active.avg gr__cycles_active.sum
echo "status $?"
rangefinder gpu-metrics --chip GH100 --check TriageCompute.sm__throughput.$pct
echo "status $?"
rangefinder gpu-metrics --list --chip GH10 2>&1 | sed 's/of CUDA [0-9.]*/of CUDA N/'
END_OF_ASK
cat >each <<'END_OF_EACH'
#!/bin/sh
sh ./ask >"answer.$$" 2>&1
grep -q 'cannot sample' "answer.$$" || exit 0
rm "answer.$$"
exit 77
END_OF_EACH
chmod +x each
sh "$SOURCE/tests/pmsampling/run_real.sh" ./each || exit $?
for answer in answer.*; do
    [ -n "${first-}" ] || {
        first=$answer
        cat "$first"
    }
    cmp "$first" "$answer"
done
