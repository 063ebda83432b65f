# SPDX-License-Identifier: Apache-2.0
# The report in its forms, and where it goes.
rangefinder profile -q -o run act ranges:3 mark:m
run rangefinder stats -f csv run.rf | cut -d, -f3,9-
run_quiet rangefinder stats run.rf
run_quiet rangefinder stats -r nvtxsum --format column run.rf
run rangefinder stats -o . run.rf
run rangefinder stats -o . run.rf
run rangefinder stats -o . --force-overwrite run.rf
run rangefinder stats -o other -f json run.rf
run rangefinder stats -o table.txt run.rf
run rangefinder stats -q -r nvtx_sum -f json -o "@grep -c Instances" run.rf
run rangefinder stats -q -r nvtx_sum -o "@exit 3" run.rf
python3 -m json.tool other_nvtx_sum.json >/dev/null && echo json
list
