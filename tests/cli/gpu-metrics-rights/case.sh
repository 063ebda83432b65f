# SPDX-License-Identifier: Apache-2.0
# The driver lets only administrators read counters, by a /proc/driver of our own: that is found
# before CUPTI is asked, which here would say something else. Not for a process that may.
double=$BUILD/tests/pmsampling/double
[ -e "$double/libcupti.so.13" ] || {
    echo "the stand-ins are not built"
    exit 77
}
command -v setpriv >/dev/null || {
    echo "setpriv is not installed"
    exit 77
}
unshare -m mount -t tmpfs tmpfs /proc/driver 2>/dev/null || {
    echo "this user may not mount a file system on /proc/driver"
    exit 77
}
RF_DOUBLE_VIOLATIONS=$PWD/violations RANGEFINDER_CUPTI=$double/libcupti.so.13
LD_LIBRARY_PATH=$double RF_PM_DOUBLE=chip=GH100,fail=cuptiPmSamplingEnable:7:-1
export RF_DOUBLE_VIOLATIONS RANGEFINDER_CUPTI LD_LIBRARY_PATH RF_PM_DOUBLE
# record VALUE COMMAND...: with RmProfilingAdminOnly: VALUE, through COMMAND. Who has the counters
# is left out: other tests that run now may be among them.
record()
{
    echo "RmProfilingAdminOnly: $1${2:+, without rights}"
    # shellcheck disable=SC2016
    unshare -m sh -c 'mount -t tmpfs tmpfs /proc/driver && mkdir /proc/driver/nvidia &&
        echo "RmProfilingAdminOnly: $0" >/proc/driver/nvidia/params && exec "$@"' "$@" \
        rangefinder gpu-metrics record -o x --duration 0.1 2>&1 |
        cut -d, -f1 | sed 's/ in use already: .*/ in use already/'
}
record 1 setpriv --bounding-set -all --inh-caps -all
record 1
record 0 setpriv --bounding-set -all --inh-caps -all
[ ! -e violations ] || cat violations
