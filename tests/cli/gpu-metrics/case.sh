# SPDX-License-Identifier: Apache-2.0
# What is sampled of a GPU, on stand-ins for libcupti and libcuda.
double=$BUILD/tests/pmsampling/double
[ -e "$double/libcupti.so.13" ] || {
    echo "the stand-ins are not built"
    exit 77
}
unset RF_PM_DOUBLE
RF_DOUBLE_VIOLATIONS=$PWD/violations RANGEFINDER_CUPTI=$double/libcupti.so.13
RF_DOUBLE_CUPTI_VERSION=130000 LD_LIBRARY_PATH=$double
RF_PM_DOUBLE_DRIVER=devices=0
export RF_DOUBLE_VIOLATIONS RANGEFINDER_CUPTI RF_DOUBLE_CUPTI_VERSION LD_LIBRARY_PATH
export RF_PM_DOUBLE_DRIVER
gpu_metrics()
{
    run rangefinder gpu-metrics "$@"
}
pct=avg.pct_of_peak_sustained_elapsed

# metrics
gpu_metrics --list --chip=GH100
gpu_metrics --chip gh100 --list 'DRAM__*throughput'
gpu_metrics --chip GH100 --list hit_rate
gpu_metrics --chip GH100 --list dram__bytes.sum.per_second
gpu_metrics --chip GH100 --list sm__cycle_active
gpu_metrics --chip GH100 --list hit_rate --json
gpu_metrics --chip GH100 --list --json
gpu_metrics --chip GH100 --list nothing --json

# sets
gpu_metrics --sets
gpu_metrics --set=GH100
gpu_metrics --set gb10x
gpu_metrics --set gh100 --chip AD102
gpu_metrics --set ga10b --json --chip=GH100
gpu_metrics --set gh10
gpu_metrics --set gb20x
gpu_metrics --set whatever --chip=GH100
RF_DOUBLE_CUPTI_VERSION=130500 gpu_metrics --set TriageCompute --chip=GH100
RF_DOUBLE_CUPTI_VERSION=130500 gpu_metrics --set TriageCompute --chip=GH100 --json
RF_DOUBLE_CUPTI_VERSION=130500 gpu_metrics --set TriageComputer --chip=GH100
gpu_metrics --set TriageCompute --chip=GH100
gpu_metrics --sets --json

# one pass?
gpu_metrics --chip GH100 --check sm__cycles_active.$pct
gpu_metrics --chip GH100 --check sm__cycles_active.$pct dram__bytes.sum.per_second
gpu_metrics --chip GH100 --check sm__throughput.$pct sm__cycles_active.avg
gpu_metrics --chip GH100 --check sm__cycle_active.avg sm__cycles_active sm__throughput.$pct \
    dram__bytes.sum
gpu_metrics --chip GH100 --check none
gpu_metrics --chip GH100 --json --check sm__cycle_active.avg sm__throughput.$pct dram__bytes.sum

# which chip
gpu_metrics --list
gpu_metrics --check sm__cycles_active.avg
gpu_metrics --list --chip GH10
gpu_metrics --list --chip GV100
RF_PM_DOUBLE=chip=AD102 RF_PM_DOUBLE_DRIVER=devices=1 gpu_metrics --list sm__throughput
RF_PM_DOUBLE=chip=GH100 RF_PM_DOUBLE_DRIVER=devices=1 gpu_metrics --set ga100
RF_PM_DOUBLE=fail=cuptiDeviceGetChipName:999 RF_PM_DOUBLE_DRIVER=devices=1 gpu_metrics --list

# no libcupti, or an old one
RANGEFINDER_CUPTI=/none/libcupti.so.13 gpu_metrics --list --chip GH100
RANGEFINDER_CUPTI=/none/libcupti.so.13 gpu_metrics --set GH100
RANGEFINDER_CUPTI=/none/libcupti.so.13 gpu_metrics --check a.avg
RANGEFINDER_CUPTI=$double/lacking/libcupti.so.12 RF_DOUBLE_CUPTI_VERSION=18 \
    gpu_metrics --list --chip GH100
RF_PM_DOUBLE=fail=cuptiProfilerHostInitialize:15 gpu_metrics --list --chip GH100

# usage
gpu_metrics
gpu_metrics --list --sets
gpu_metrics --list a b
gpu_metrics --sets a
gpu_metrics --set gh100 a
gpu_metrics --check
gpu_metrics --chips
gpu_metrics stop

cat violations 2>/dev/null
list
