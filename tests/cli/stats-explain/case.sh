# SPDX-License-Identifier: Apache-2.0
# What columns mean.
run rangefinder stats --explain nvtxsum
run rangefinder stats --explain nvtx_sums
run rangefinder stats --explain ALL | grep -c '^nvtx_sum:'
