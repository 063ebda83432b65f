# SPDX-License-Identifier: Apache-2.0
# Snapshots of one flight recorder have events in common: what adds recordings up says so.
rangefinder profile -q --ring=1M --snapshot-on=mark:now -o r act ranges:25 mark:now sleep:400 ranges:5 2>/dev/null
rangefinder profile -q --ring=1M -o other act ranges:5
rangefinder why 'twenty*' r.rf r.snapshot1.rf 2>&1 | grep overlap
run rangefinder stats -q --sum-inputs -r nvtx_sum -f csv -o sum.csv r.rf r.snapshot1.rf
run_quiet rangefinder compare -q r.rf -- r.snapshot1.rf
run rangefinder summarize -q -o sum r.rf other.rf r.snapshot1.rf
run rangefinder export -q -o merged.sqlite r.rf r.snapshot1.rf
# neither adds them up
run rangefinder stats -q -r nvtx_sum -f csv -o each.csv r.rf r.snapshot1.rf
# not of one recorder, or the same one twice
run rangefinder summarize -q -o apart r.rf other.rf
run rangefinder stats -q --sum-inputs -r nvtx_sum -f csv -o once.csv r.rf r.rf
