# SPDX-License-Identifier: Apache-2.0
# Domains can be picked and left out.
set -- domain:NCCL ranges:3 domain: ranges:5 domain:a,b ranges:7 domain:default ranges:11
run rangefinder profile -q -o all act "$@"
what all.rf
run rangefinder profile -q -o some --nvtx-domain-include=NCCL,default act "$@"
what some.rf
run rangefinder profile -q -o escaped '--nvtx-domain-include=a\,b,\default' act "$@"
what escaped.rf
run rangefinder profile -q -o rest --nvtx-domain-exclude=NCCL act "$@"
what rest.rf
run rangefinder profile -o none --nvtx-domain-include=nosuch act "$@"
run rangefinder profile -o x --nvtx-domain-include=a --nvtx-domain-exclude=b act touch:started
run rangefinder profile -o x --nvtx-domain-include=, act touch:started
list
