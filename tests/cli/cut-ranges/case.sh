# SPDX-License-Identifier: Apache-2.0
# Ranges whose end was not recorded: they count, are left out, or are counted in a column.
command -v python3 >/dev/null || exit 77
rangefinder profile -q -o run act push:outer push:op pop push:op
rangefinder profile -q -o other act push:outer pop
for way in count leave-out mark; do
    echo "$way:"
    rangefinder stats -q -f csv -r nvtx_sum --cut-ranges=$way run.rf | cut -d, -f3,9- | sort
    rangefinder stats -q -f csv -r self_time --cut-ranges=$way run.rf | cut -d, -f6,9 | sort
done
rangefinder stats -q -f csv -r nvtx_pushpop_sum --quantiles=50 --cut-ranges=mark run.rf | cut -d, -f3,10- | sort
rangefinder stats -q -f csv -r nvtx_sum --cut-ranges=mark run.rf other.rf | cut -d, -f6,12- | sort
rangefinder stats -q -f csv -r nvtx_pushpop_trace --cut-ranges=leave-out run.rf | cut -d, -f6,9
rangefinder summarize -q --cut-ranges=leave-out -o part run.rf
rangefinder stats -q -f csv -r nvtx_sum part.rfsum | cut -d, -f6,12-
rangefinder info --json part.rfsum | python3 -c 'import json, sys; print(json.load(sys.stdin)["inputs"][0]["filter"])'
run rangefinder stats --cut-ranges=maybe run.rf
run rangefinder summarize --cut-ranges=mark run.rf
run rangefinder stats -r nvtx_sum --cut-ranges=mark part.rfsum
run rangefinder stats -r nvtx_sum --cut-ranges=leave-out part.rfsum
run rangefinder stats -r nvtx_sum --cut-ranges=mark --sum-inputs run.rf
