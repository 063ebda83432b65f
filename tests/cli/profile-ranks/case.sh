# SPDX-License-Identifier: Apache-2.0
# A rank in the name, and ranks that are not recorded.
unset RANK LOCAL_RANK WORLD_SIZE OMPI_COMM_WORLD_RANK MV2_COMM_WORLD_RANK PMI_RANK PMIX_RANK SLURM_PROCID
echo '-- no rank'
run rangefinder profile -o run.%r act mark:m
run rangefinder profile --ranks 0 act mark:m
run rangefinder profile --session-new=train%r act mark:m
echo '-- wrong lists'
for ranks in 4, 3-1 every:0 every:2x every: odd; do
    RANK=0 run rangefinder profile --ranks "$ranks" act mark:m
done
echo '-- ranks 0, 2 and 3 of 5'
for rank in 0 1 2 3 4; do
    RANK=$rank WORLD_SIZE=5 run rangefinder profile -q --ranks 0,2-3 -o list.%r act mark:m
done
list
echo '-- each third of 5, as Slurm numbers them'
for rank in 0 1 2 3 4; do
    SLURM_PROCID=$rank run rangefinder profile -q --ranks=every:3 -o every.%r act mark:m
done
list
echo '-- a rank that is left out: the program alone'
export RANK=1
run rangefinder profile --ranks 0 -e A=B,C=D sh -c 'echo "$A $C ${NVTX_INJECTION64_PATH-unset}"; exit 7'
run rangefinder profile --ranks 0 -o missing/run sh -c 'echo runs'
run rangefinder profile --ranks 0 no-such-program
run rangefinder profile --ranks 0 ./case
: >not-executable
run rangefinder profile --ranks 0 ./not-executable
echo '-- within a recorded program: not recorded either'
run rangefinder profile -q -o outer sh -c 'rangefinder profile --ranks 0 act ranges:3; env | grep -c RANGEFINDER_SESSION; act ranges:1'
run rangefinder info outer.rf | grep '^events'
echo '-- two processes of one rank: no name is taken twice'
run rangefinder profile -q -o twice.%r sh -c 'rangefinder profile -q -o twice.%r act mark:inner; act mark:outer'
list
run rangefinder profile -q -o twice.%r act mark:third
echo '-- ranks that overwrite each other'
WORLD_SIZE=2 run rangefinder profile -q -f true -o one act mark:m
WORLD_SIZE=2 run rangefinder profile -q -f true -o one.%r act mark:m
WORLD_SIZE=2 run rangefinder profile -q -f true --ranks 1 -o one act mark:m
WORLD_SIZE=1 run rangefinder profile -q -f true -o one act mark:m
