/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA records and definitions (docs/format.md, section 9) on their way to calls and GPU work. The
 * steps, in order:
 *
 *     cuda_load.c     definitions; then, when the streams were decoded, their CUDA records once
 *     cuda_records.c  one record
 *     cuda_extra.c    the rows of other kinds
 *     cuda_focus.c    of a focused recording, what lies in a capture
 *     threads.c       whose calls they are
 *     cuda_link.c     the order of the GPU work, and the calls that caused it */
#ifndef RF_MODEL_CUDA_CUDA_LOAD_H
#define RF_MODEL_CUDA_CUDA_LOAD_H

#include "log/cuda.h"
#include "model/arrays.h"
#include "model/gpu/call_index.h"
#include "model/cuda/cuda_clock.h"
#include "model/cuda/cuda_names.h"
#include "model/gpu/gpu_order.h"

struct rf_load;

/* Who called, as CUPTI says it. */
struct rf_cuda_caller {
    uint32_t process, tid;
    struct rf_call *call;
    size_t n, room;
    uint8_t is_unsorted;
    uint8_t is_object; /* a row of overhead is of it */
};

/* What had to be changed or left out: rf_skipped_at(). */
enum rf_cuda_note {
    RF_NOTE_CALL_TIME,
    RF_NOTE_CALL_ORDER,
    RF_NOTE_NO_TIME,
    RF_NOTE_NO_START,
    RF_NOTE_NO_END,
    RF_NOTE_ORDER,
    RF_NOTE_BEFORE_CALL,
    RF_NOTE_NO_NAME,
    RF_NOTE_NO_CLOCK,
    RF_NOTE_SHORT,
    RF_NOTE_UNKNOWN,
    RF_NOTE_METRICS_LOST,
    RF_NOTE_METRICS_BAD,
    RF_NOTE_METRICS_NO_NUMBER,
    RF_N_NOTES
};

/* All zero, but for init: nothing was read. */
struct rf_cuda_load {
    struct rf_cuda_clock *clock; /* per process */
    struct rf_cuda_names names;
    struct rf_cuda_caller *caller;
    uint32_t n_callers, last_caller;
    size_t caller_room;
    struct rf_map caller_of; /* (process, tid) */
    struct rf_track_finder tracks;
    struct rf_record_pool kernels, transfers, waits;
    size_t op_room, extra_room, n_extra_values, extra_value_room;
    size_t line; /* of the timeline, found last */
    uint64_t n_notes[RF_N_NOTES];
    int has_records;
};

void rf_cuda_load_init(struct rf_cuda_load *cuda);
void rf_cuda_load_release(struct rf_cuda_load *cuda, uint32_t n_processes);

/* Takes a definition of the type RF_REC_CUDA_DEF. text: string. */
int rf_load_cuda_define(struct rf_load *load, uint32_t process, const struct rf_def *def,
                        uint32_t text, uint64_t ticks, int64_t ns);

/* Reads the records. What was read has its process, but no thread and no call yet. */
int rf_load_cuda(struct rf_load *load);

/* When the calls are in rec->calls, and rec->info is set: everything in its final order. */
int rf_load_cuda_link(struct rf_load *load);

/* ---- Between the steps ---- */

/* A record whole: the words that it lacks are zero. */
union rf_cuda_record {
    struct rf_cuda_head head;
    struct rf_cuda_api api;
    struct rf_cuda_kernel kernel;
    struct rf_cuda_memcpy memcpy;
    struct rf_cuda_memset memset;
    struct rf_cuda_sync sync;
    struct rf_cuda_graph graph;
    struct rf_cuda_memory memory;
    struct rf_cuda_event event;
    struct rf_cuda_overhead overhead;
    struct rf_cuda_dropped dropped;
};

/* written_ns: when it was written, which is after what it tells of. */
int rf_cuda_take_record(struct rf_load *load, uint32_t process, const union rf_cuda_record *record,
                        int64_t written_ns);
int rf_cuda_take_extra(struct rf_load *load, uint32_t process, const union rf_cuda_record *record,
                       int64_t written_ns);

/* A time of CUPTI's clock in a process, in the recording's nanoseconds. */
int64_t rf_cuda_ns(struct rf_load *load, uint32_t process, uint64_t cupti_ns);

/* The index of a caller, which is added if it is new; RF_NO_INDEX: out of memory. */
uint32_t rf_cuda_find_caller(struct rf_cuda_load *cuda, uint32_t process, uint32_t tid);

/* Sorts the calls of every caller. */
int rf_cuda_sort_calls(struct rf_cuda_load *cuda);

/* Of a focused recording: removes what lies in no capture. The calls are sorted. */
int rf_cuda_leave_out(struct rf_load *load);

#endif
