/* SPDX-License-Identifier: Apache-2.0 */
/* The meanings of columns that several reports have. What is None is said after "None: ". */
#ifndef RF_STATS_COLUMN_MEANINGS_H
#define RF_STATS_COLUMN_MEANINGS_H

#define RF_MEANS_PID "id of the process"
#define RF_MEANS_TID "id of the thread"
#define RF_MEANS_STYLE                                                                             \
    "PushPop or StartEnd; StartEnd (process) counts for all threads of its process, with "         \
    "--by-process"
#define RF_MEANS_RANGE                                                                             \
    "domain:message of the range; :message in the default domain; (null) without a message"
#define RF_MEANS_RANGE_ID "number of the range among the events of the recording by start, from 1"
#define RF_MEANS_PARENT_ID                                                                         \
    "RangeId of the shortest range of its thread around it; None: no such range"
#define RF_MEANS_RANGE_STACK  "RangeId of each range from the outermost one to this one, as :6:7"
#define RF_MEANS_N_CHILDREN   "number of ranges directly inside it"
#define RF_MEANS_LEVEL        "number of ranges around it, of the same thread"
#define RF_MEANS_KERNEL       "demangled name of the kernel, or a shorter one where that is not known"
#define RF_MEANS_GRID         "blocks of the grid in x, y and z"
#define RF_MEANS_BLOCK        "threads of a block in x, y and z"
#define RF_MEANS_GRID_OF(n)   "blocks of the grid in its " n " dimension; None: no kernel"
#define RF_MEANS_BLOCK_OF(n)  "threads of a block in its " n " dimension; None: no kernel"
#define RF_MEANS_FUNCTION     "name of the function that was called, without the ending _vNNNN"
#define RF_MEANS_DEVICE       "number of the GPU in the process"
#define RF_MEANS_GPU_ID       "number of the GPU in the machine"
#define RF_MEANS_METRIC       "name of the metric"
#define RF_MEANS_COUNTER      "domain:name of the counter"
#define RF_MEANS_COUNTER_UNIT "unit of its figures, as the program gave it; empty: none"
#define RF_MEANS_STDDEV                                                                            \
    "standard deviation of the durations, of a sample (n - 1); 0 of one duration"
#define RF_MEANS_OPERATION "what a copy or set is called, as in [CUDA memcpy Host-to-Device]"

#endif
