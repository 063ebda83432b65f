# SPDX-License-Identifier: Apache-2.0
# GPU metrics of captures, and of a run that was killed: on stand-ins for libcupti and libcuda.
double=$BUILD/tests/pmsampling/double
[ -e "$double/libcupti.so.13" ] || {
    echo 'the stand-ins are not built'
    exit 77
}
command -v python3 >/dev/null || {
    echo 'python3 is not installed'
    exit 77
}
export RANGEFINDER_CUPTI="$double/libcupti.so.13" LD_LIBRARY_PATH="$double"
export RF_DOUBLE_CUPTI_VERSION=130500 RF_DOUBLE_VIOLATIONS="$PWD/violations"
export RF_PM_DOUBLE=realtime=1,chip=GH100

# Whether the samples of a recording fill its captures and nothing else.
look()
{
    rangefinder export -t sqlite "$1" -o "$1.sqlite" -f 2>/dev/null >&2
    rangefinder info --json "$1" >info.json
    python3 - "$1.sqlite" info.json <<'EOF'
import json, sqlite3, sys
captures = json.load(open(sys.argv[2]))["captures"]
db = sqlite3.connect(sys.argv[1])
metric, = db.execute("SELECT min(metricId) FROM GPU_METRICS").fetchone()
times = [ns for ns, in db.execute("SELECT timestamp FROM GPU_METRICS WHERE metricId = ?"
                                  " ORDER BY timestamp", (metric,))]
outside = times
for capture in captures:
    begin, end = capture["begin_ns"], capture["end_ns"]
    inside = [ns for ns in times if begin <= ns <= end + 100000]
    outside = [ns for ns in outside if ns not in set(inside)]
    print("capture of %d samples or more: %s" % (500, len(inside) >= 500))
print("metrics:", db.execute("SELECT count(*) FROM TARGET_INFO_GPU_METRICS").fetchone()[0],
      "outside of captures:", len(outside))
EOF
}

run_quiet rangefinder profile -q -o nvtx -c nvtx -p work --nvtx-capture-unregistered=true \
    --capture-range-end=repeat --gpu-metrics-devices=0 \
    act sleep:200 push:work sleep:200 pop sleep:200 push:work sleep:200 pop sleep:100
list
look nvtx.1.rf
look nvtx.2.rf

# A flight recorder's snapshot has the samples of the slow step, though they are decoded later.
run_quiet env RF_PM_DOUBLE=$RF_PM_DOUBLE,delay_ms=400 rangefinder profile -q -o fly --ring=16M \
    --snapshot-on=slow:slow:1ms --gpu-metrics-devices=0 act sleep:100 push:slow sleep:300 pop sleep:3000
rangefinder export -q -t sqlite -o fly.sqlite fly.snapshot1.rf
python3 - <<'EOF'
import sqlite3
db = sqlite3.connect("fly.sqlite")
end, = db.execute("SELECT max(end) FROM NVTX_EVENTS WHERE text = 'slow'").fetchone()
last, = db.execute("SELECT max(timestamp) FROM GPU_METRICS").fetchone()
print("samples up to the end of the slow step:", last >= end)
EOF

echo '--- killed'
rangefinder profile -q -o killed --gpu-metrics-devices=0 act push:a sleep:100 touch:there await:never &
pid=$!
has_samples()
{
    rangefinder stats -r gpu_metrics_sum --format=csv killed.rfdir |
        awk -F, 'NR > 1 && $3 > 1500 { found = 1 } END { exit !found }'
}
wait_for test -e there
wait_for has_samples
kill -9 $pid
wait $pid 2>/dev/null
: >never
sleep 0.2
size=$(stat -c %s killed.rfdir/metrics.log)
truncate -s $((size - 100)) killed.rfdir/metrics.log
rangefinder recover -q killed.rfdir >/dev/null 2>&1 || rangefinder recover killed.rfdir >/dev/null 2>&1
rangefinder stats -r gpu_metrics_sum --format=csv killed.rf | awk -F, '
    NR > 1 { n++; if ($3 < 1000) print "few samples:", $0 } END { print n, "metrics" }'
[ ! -e killed.rfdir ] && echo 'the directory is gone'
[ ! -e violations ] || cat violations
