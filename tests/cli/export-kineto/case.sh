# SPDX-License-Identifier: Apache-2.0
# The flavor of PyTorch's profiler: the rank, and what does not go together.
RANK=5 WORLD_SIZE=8 rangefinder profile -q -o run act ranges:3 mark:m
run rangefinder export --flavor=kineto -o five.json run.rf
sed -n '2,5p' five.json
run rangefinder export --flavor=kineto --rank=12 -o twelve.json.gz run.rf
gzip -dc twelve.json.gz | sed -n '4p'
env -u RANK rangefinder profile -q -o other act ranges:1
run rangefinder export -q --flavor=kineto -o - other.rf | sed -n '3,4p'
run rangefinder export -q --flavor=perfetto -o plain.json run.rf
run rangefinder export --flavor=kineto -t csv run.rf
run rangefinder export --flavor=kineto -t json,csv run.rf
run rangefinder export --flavor=kineto --compat=nsys2json run.rf
run rangefinder export --flavor=torch run.rf
run rangefinder export --rank=1 -t json run.rf
run rangefinder export --flavor=kineto --rank=-1 run.rf
run rangefinder export --flavor=kineto --rank=first run.rf
list
