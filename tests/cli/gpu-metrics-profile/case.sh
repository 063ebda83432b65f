# SPDX-License-Identifier: Apache-2.0
# GPUs are sampled while a program is recorded: on stand-ins for libcupti and libcuda.
double=$BUILD/tests/pmsampling/double
[ -e "$double/libcupti.so.13" ] || {
    echo 'the stand-ins are not built'
    exit 77
}
export RANGEFINDER_CUPTI="$double/libcupti.so.13" LD_LIBRARY_PATH="$double"
export RF_DOUBLE_CUPTI_VERSION=130500 RF_DOUBLE_VIOLATIONS="$PWD/violations"

# How many samples there are differs from run to run.
sampled()
{
    double_options=$1
    shift
    echo "+ RF_PM_DOUBLE=$double_options rangefinder profile $*" >&2
    RF_PM_DOUBLE=realtime=1,$double_options rangefinder profile "$@" >out 2>&1
    echo "= $?" >&2
    sed -e 's/[0-9,]* samples of/N samples of/' -e 's/about [0-9,]* samples/about N samples/' \
        -e 's/wrote .*/wrote it/' out >&2
}

export RF_PM_DOUBLE_DRIVER=devices=2
sampled chip=GH100,devices=2 -o two --gpu-metrics-devices=all act push:a sleep:300 pop
rangefinder stats -r gpu_metrics_sum --format=csv two.rf | awk -F, '
    NR == 1 { print; next }
    { print $1 "," $2 "," ($3 > 2000 ? "enough" : $3) "," ($8 < 101 && $4 >= 0) }'
rangefinder stats two.rf | grep '\*\*'
sampled chip=AD102,devices=2 -o one --gpu-metrics-device=1 --gpu-metrics-frequency=1000 act sleep:300
rangefinder stats -r gpu_metrics_sum --format=csv one.rf | awk -F, '
    { print $1 "," $2 "," ($3 > 200 && $3 < 600) }'
sampled chip=GA100 -o old -t none --gpu-metrics-devices=0 act sleep:100
sampled chip=TU102 -o older -t none --gpu-metrics-devices=0 --gpu-metrics-frequency=1000 act sleep:100
sampled chip=GH100 -q -o quiet --gpu-metrics-devices=0 --gpu-metrics-set=GH100 act sleep:100

echo '--- full buffers'
sampled chip=GH100,capacity=300 -o full --gpu-metrics-devices=0 act sleep:500
rangefinder info full.rf | grep -c 'the hardware buffer was full'
sampled chip=GH100,capacity=300,overflow_flag=1 -o flag --gpu-metrics-devices=0 act sleep:500
rangefinder info flag.rf | grep -c 'the hardware buffer was full'
# after a restart samples come again; what is between is marked in the timeline
sampled chip=GH100,fail=cuptiPmSamplingDecodeData:8:1 -o once --gpu-metrics-devices=0 act sleep:500
rangefinder stats -r gpu_metrics_sum --format=csv once.rf | awk -F, '
    $3 < 1000 { print "not restarted:", $0 } END { print NR - 1, "metrics" }'
rangefinder export -q -t jsonl -o - once.rf | grep -c '"GPU metrics: about [1-9][0-9]* samples are missing'

echo '--- full images: what follows has no times, and so have samples after a stop'
sampled chip=GH100,rest=1,delay_ms=150,empty_last=2 -q -o torn --gpu-metrics-devices=0 \
    --gpu-metrics-frequency=200000 act sleep:600
rangefinder info --json torn.rf | sed 's/,"/\n"/g' | tr -d '"}]' | awk -F: '
    $1 == "n_counter_samples" { n += $2 / 19 }
    $1 == "rows" { lost += $2 }
    $1 == "end_ns" { all = $2 * 200000 / 1e9 }
    /not what a sampler writes/ { print }
    END { print (n > 100), (lost > 1000), (n + lost > 0.7 * all), (n + lost < 1.1 * all) }'
# what is lost at the end, if anything, came before the stop, not while the rest was read
sampled chip=GH100,decode_us=300 -q -o late --gpu-metrics-devices=0 act sleep:300 2>/dev/null
rangefinder info --json late.rf | sed 's/,"/\n"/g' | tr -d '"}]' | awk -F: '
    $1 == "n_counter_samples" { n += $2 / 19 }
    $1 == "rows" { lost += $2 }
    $1 == "end_ns" { all = $2 * 10000 / 1e9 }
    END { print (n > 500), (n + lost < 0.75 * all) }'
sampled chip=GH100,empty_last=2 -q -o tail --gpu-metrics-devices=0 act sleep:100
rangefinder stats -r gpu_metrics_sum --format=csv tail.rf | awk -F, '
    $4 < 0 { print "not sampled:", $0 } END { print NR - 1, "metrics" }'

echo '--- not possible'
RF_PM_DOUBLE_DRIVER=devices=0 sampled chip=GH100 -o a --gpu-metrics-devices=all act exit:5
RANGEFINDER_CUPTI=/nowhere sampled chip=GH100 -o b --gpu-metrics-devices=0 act exit:5
sampled chip=GH100,fail=cuptiPmSamplingEnable:999 -o c --gpu-metrics-devices=0 act mark:x
sampled chip=GH100,fail=cuptiPmSamplingStart:999 -o d --gpu-metrics-devices=0 act mark:x
sampled chip=GH100,fail=cuptiPmSamplingDecodeData:999 -o e --gpu-metrics-devices=0 act mark:x sleep:200
sampled chip=GV100 -o f --gpu-metrics-devices=0 act mark:x
sampled chip=GH100 -o g --gpu-metrics-devices=0 ./nowhere
sampled chip=GH100 -o h --gpu-metrics-devices=none act mark:x

echo '--- wrong'
sampled chip=GH100 -o z --gpu-metrics-devices=0,7 touch started
sampled chip=GH100 -o z --gpu-metrics-devices=gpu0 touch started
sampled chip=GH100 -o z --gpu-metrics-set=gh10 touch started
sampled chip=GH100 -o z --gpu-metrics-frequency=5 touch started
sampled chip=GH100 -o z --gpu-metrics-frequency=200001 touch started
list
[ ! -e violations ] || cat violations
