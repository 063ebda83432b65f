# SPDX-License-Identifier: Apache-2.0
# Steps: of a recording, and the same of its summary.
unset RANK LOCAL_RANK WORLD_SIZE OMPI_COMM_WORLD_RANK MV2_COMM_WORLD_RANK PMI_RANK PMIX_RANK
unset SLURM_PROCID
rangefinder profile -q -o run act push:run push:'step 1' push:load pop push:op pop push:op pop pop \
    push:'step 2' push:load pop push:op sleep:30 pop pop push:'step 3' mark:m pop push:'step 4' push:op pop pop pop
rangefinder profile -q -o killed act push:epoch push:step pop push:step pop push:step push:op kill:9
RANK=3 rangefinder profile -q -o other act push:epoch push:step pop push:step pop push:step pop pop
# within a capture: the first step began before it, the last one goes on behind it
rangefinder profile -q -c nvtx -p TRIG --nvtx-capture-unregistered -o focused act push:step push:before pop \
    start:TRIG push:op_1 pop push:op_2 pop pop push:step push:op_3 pop pop push:step end push:after pop pop
steps() { run rangefinder stats -q -r steps -f csv "$@" | cut -d, -f"$columns"; }
own=1,12,13 joined=1,3,4,15,16 # Step, Name, Cut; before them Input, Rank
columns=$own
steps run.rf
steps killed.rf
steps focused.rf
rangefinder stats -q -r steps -f csv run.rf | grep '^2,' | cut -d, -f1,7,12
# the summary has the same rows
gunzip -c "$SOURCE/tests/data/nsys_exports/c_real_h100_2gpu.sqlite.gz" >gpu.sqlite
for input in run.rf killed.rf focused.rf gpu.sqlite; do
    rangefinder summarize -q -f $input -o one
    rangefinder stats -q -r steps -f csv $input | sort >of_recording
    rangefinder stats -q -r steps -f csv one.rfsum | cut -d, -f4- | sort >of_summary
    cmp of_recording of_summary && wc -l <of_summary
    rangefinder stats -q -r steps -f csv --sum-inputs $input | cut -d, -f4- | sort >of_sum
    cmp of_recording of_sum
    # with numbers folded
    rangefinder summarize -q -f --fold-numbers $input -o one
    rangefinder stats -q -r steps -f csv --fold-numbers $input | sort >of_recording
    rangefinder stats -q -r steps -f csv one.rfsum | cut -d, -f4- | sort >of_summary
    cmp of_recording of_summary
done
rm of_recording of_summary of_sum gpu.sqlite
columns=12
steps --fold-numbers run.rf | sort -u
columns=$own
# a range that is asked for, and the first ones
rangefinder summarize -q -f --step=op run.rf -o one
rangefinder stats -q -r steps -f csv one.rfsum | cut -d, -f4- >of_summary
rangefinder stats -q -r steps -f csv --step=op run.rf | cmp - of_summary
rangefinder stats -q -r steps -f csv --step=op --sum-inputs run.rf | cut -d, -f4- | cmp - of_summary
rm of_summary
columns=$joined
steps one.rfsum
run rangefinder summarize -f --step=nothing run.rf -o none
run rangefinder summarize -f --step=op one.rfsum -o none
run rangefinder stats -q -r steps --step=op one.rfsum
run rangefinder summarize -f --max-steps=3 run.rf -o one
run rangefinder stats -q -r steps one.rfsum | grep -e summar
run rangefinder summarize --max-steps=x run.rf -o none
steps one.rfsum
# side by side, and added up in either order
rangefinder summarize -q -f killed.rf other.rf -o apart
steps apart.rfsum
rangefinder summarize -q -f --merge killed.rf other.rf -o one
rangefinder summarize -q -f other.rf killed.rf -o reversed
rangefinder summarize -q -f --merge reversed.rfsum -o two
cmp one.rfsum two.rfsum
steps one.rfsum
run rangefinder info one.rfsum | sed 's/ on [^ ,]*/ on HOST/'
# the pace of ranks: of several recordings, and of their summaries, whatever the way
for rank in 0 1 2; do
    RANK=$rank rangefinder profile -q -f -o rank$rank act push:step pop push:step sleep:$((40 * rank)) pop push:step pop
done
pace() { run rangefinder stats -q -r pace -f csv "$@" | cut -d, -f4,5,10,12-13,14- | sed 's/,[0-9]\{2,\}/,NS/g'; }
pace rank0.rf rank1.rf rank2.rf | sed '/^[13],/d'
rangefinder summarize -q -f rank1.rf rank0.rf rank2.rf -o ranks
rangefinder summarize -q -f --merge rank1.rf rank0.rf rank2.rf -o merged
rangefinder stats -q -r pace -f csv rank0.rf rank1.rf rank2.rf | cut -d, -f4- >of_recordings
rangefinder stats -q -r pace -f csv ranks.rfsum | cut -d, -f4- | cmp of_recordings -
rangefinder stats -q -r pace -f csv merged.rfsum | cut -d, -f4- | cmp of_recordings -
rm of_recordings
list
