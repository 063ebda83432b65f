# SPDX-License-Identifier: Apache-2.0
# Sampling without a program, on stand-ins for libcupti and libcuda.
double=$BUILD/tests/pmsampling/double
[ -e "$double/libcupti.so.13" ] || {
    echo "the stand-ins are not built"
    exit 77
}
command -v python3 >/dev/null || {
    echo "python3 is not installed"
    exit 77
}
RF_DOUBLE_VIOLATIONS=$PWD/violations RANGEFINDER_CUPTI=$double/libcupti.so.13
RF_DOUBLE_CUPTI_VERSION=130000 LD_LIBRARY_PATH=$double
RF_PM_DOUBLE=realtime=1,devices=2,chip=GH100 RF_PM_DOUBLE_DRIVER=devices=2
export RF_DOUBLE_VIOLATIONS RANGEFINDER_CUPTI RF_DOUBLE_CUPTI_VERSION LD_LIBRARY_PATH
export RF_PM_DOUBLE RF_PM_DOUBLE_DRIVER
record()
{
    run rangefinder gpu-metrics record "$@" 2>err
    sed -e 's/[0-9,]* samples of/N samples of/; s/about [0-9,]* samples/about N samples/' err >&2
    rm err
}

# The stand-in's sample k has the value k % 100 + metric / 16; the first one is left out.
samples()
{
    rangefinder export -q -t sqlite -f true -o db "$1"
    python3 - "$2" <<'END_OF_PYTHON'
import sqlite3, sys
ns = int(sys.argv[1])
db = sqlite3.connect("db")
for gpu, in db.execute("SELECT DISTINCT typeId & 255 FROM GPU_METRICS ORDER BY 1").fetchall():
    metrics = db.execute("SELECT metricId, metricName FROM TARGET_INFO_GPU_METRICS"
                         " WHERE typeId & 255 = ? ORDER BY metricId", (gpu,)).fetchall()
    wrong, counts = 0, set()
    for place, (metric, _) in enumerate(metrics):
        rows = db.execute("SELECT timestamp, value FROM GPU_METRICS WHERE metricId = ? AND"
                          " typeId & 255 = ? ORDER BY 1", (metric, gpu)).fetchall()
        counts.add(len(rows))
        for k in range(1, len(rows)):
            wrong += abs(rows[k][0] - rows[k - 1][0] - ns) > ns / 20
            wrong += abs(rows[k][1] - (k + 1) % 100 - place / 16) > 0.51
    print("GPU %d: %d metrics, %s; %d wrong" % (
        gpu, len(metrics), "samples of all" if len(counts) == 1 and min(counts) > 20 else counts,
        wrong))
END_OF_PYTHON
    rm -f db
}

record -o all --duration 0.3
samples all.rf 100000
record -q -o one -d 0.3 --gpu-metrics-devices=1 --gpu-metrics-frequency=1000
samples one.rf 1000000
record -o one -d 0.1
record -q -f true -o one -d 0.1 --gpu-metrics-devices=0 --gpu-metrics-frequency=20000
samples one.rf 50000

# decodes that stop early, for no reason: nothing stays behind
RF_PM_DOUBLE=$RF_PM_DOUBLE,stops_early=1000000 record -q -o early -d 0.3 --gpu-metrics-devices=0
samples early.rf 100000
# a GPU that lacks counters of its chip, as one of a virtual machine without NVLink
RF_PM_DOUBLE=$RF_PM_DOUBLE,lacking=nvl record -o some -d 0.3 --gpu-metrics-devices=0
samples some.rf 100000
# a hardware buffer that is full, and a CUPTI that is undone where sampling is restarted
RF_PM_DOUBLE=$RF_PM_DOUBLE,capacity=300,finalizes=1 record -q -o full -d 0.3 --gpu-metrics-devices=0

# the same while what came is evaluated: that has an end before
RF_PM_DOUBLE=$RF_PM_DOUBLE,capacity=300,overflow_flag=1,evaluate_us=1000 record -q -o busy -d 0.3 \
    --gpu-metrics-devices=0
# several GPUs whose samples take time to decode: each has a thread, which is quick enough
RF_PM_DOUBLE=realtime=1,devices=4,chip=GH100,decode_us=80 RF_PM_DOUBLE_DRIVER=devices=4 \
    record -q -o four -d 2.5

# Ctrl-C
rangefinder gpu-metrics record -o until --gpu-metrics-frequency=1000 2>err &
wait_for test -s until.rfdir/metrics.log
sleep 0.2
kill -INT $!
wait $!
echo "= $?"
sed 's/[0-9,]* samples of/N samples of/' err
rm err
samples until.rf 1000000

# under nohup the end of the terminal does not end it
(
    trap '' HUP
    exec rangefinder gpu-metrics record -q -o long -d 20 --gpu-metrics-frequency=1000
) &
wait_for test -s long.rfdir/metrics.log
sleep 0.2
kill -HUP $!
sleep 0.5
test -d long.rfdir && echo "it goes on"
kill -TERM $!
wait $!
echo "= $?"
samples long.rf 1000000

# what cannot be
record -o x --gpu-metrics-devices=2
record -o x --gpu-metrics-devices=none
record -o x --gpu-metrics-set=gh10
record -o x --gpu-metrics-frequency=5
record -o x --duration=soon
record -o none/x -d 1
record -o x ls
RF_PM_DOUBLE_DRIVER=devices=0 record -o x
RF_PM_DOUBLE=devices=2,fail=cuptiPmSamplingEnable:35 record -o x
RANGEFINDER_CUPTI=/none/libcupti.so.13 record -o x

# the man page has the options that -h has
rangefinder gpu-metrics record -h | sed -n 's/^  \(-.,\|   \) --\([a-z-]*\).*/\2/p' |
    sort >help
sed -n '/^\.SH RECORD/,/^\.SH [^R]/p' "$BUILD/man/rangefinder-gpu-metrics.1" |
    sed -n '/^\.TP/{n;s/.*\\fB\\-\\-\([a-z\\-]*\)\\fR.*/\1/p;}' | sed 's/\\//g' | sort >man
diff help man && echo "$(wc -l <man) options in the man page"
rm help man

cat violations 2>/dev/null
list
