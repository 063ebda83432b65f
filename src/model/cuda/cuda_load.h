/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA records and definitions (docs/format.md, section 9) on their way to calls and GPU work. The
 * steps, in order:
 *
 *     cuda_load.c      definitions; then, when the streams were decoded, their CUDA records once
 *     cuda_records.c   one record
 *     cuda_extra.c     the rows of other kinds
 *     cuda_callers.c   the calls by the threads that made them
 *     cuda_captures.c  of a focused recording, what lies in a capture
 *     threads.c        whose calls they are
 *     cuda_link.c      the order of the GPU work, and the calls that caused it
 *
 * Where sums alone are asked for, cuda_sums.c takes the records as the streams are decoded; where
 * sums of work and the calls that caused it are, or work of captures, cuda_stream.c reads them:
 * with cuda_window.c, which call caused which work; with range_replay.c and range_stack.c, which
 * ranges it lies in, and with replayed_collectives.c, which of them are collectives; into
 * named_work.c, path_work.c, projected_work.c, linked_sums.c and launch_sums.h, what that adds up
 * to; with captured_rows.c, which rows of other kinds lie in a capture. */
#ifndef RF_MODEL_CUDA_CUDA_LOAD_H
#define RF_MODEL_CUDA_CUDA_LOAD_H

#include <stdbool.h>

#include "log/cuda.h"
#include "model/arrays.h"
#include "model/gpu/call_index.h"
#include "model/cuda/cuda_clock.h"
#include "model/cuda/cuda_names.h"
#include "model/gpu/gpu_order.h"
#include "model/gpu/op_details.h"

struct rf_load;
struct rf_record;
struct rf_cuda_stream;

/* Who called, as CUPTI says it. */
struct rf_cuda_caller {
    uint32_t process, tid;
    struct rf_call *call;
    size_t n, room;
    uint8_t is_unsorted;
    uint8_t is_object; /* a row of overhead is of it */
    uint8_t is_known;  /* thread is set, where calls are not kept (cuda_stream.c) */
    uint32_t thread;   /* in load->thread; RF_NO_INDEX: several had this tid */
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
    RF_NOTE_COUNTER_UNKNOWN,
    RF_NOTE_COUNTER_SCHEMA,
    RF_NOTE_COUNTER_SIZE,
    RF_NOTE_COUNTER_PLACED,
    RF_NOTE_EVENT_LEFT_OUT,
    RF_NOTE_EVENT_SIZE,
    RF_NOTE_EVENT_PLACED,
    RF_NOTE_EVENT_OUTSIDE,
    RF_NOTE_COUNTER_OUTSIDE,
    RF_NOTE_EVENT_FAR,
    RF_NOTE_COUNTER_FAR,
    RF_NOTE_HEAP_UNKNOWN,
    RF_NOTE_HEAP_GONE,
    RF_NOTE_REGION_UNKNOWN,
    RF_NOTE_REGION_TWICE,
    RF_NOTE_MEMORY_NULL, /* from here on as enum rf_memory_call */
    RF_NOTE_MEMORY_VERSION,
    RF_NOTE_MEMORY_ELEMENT,
    RF_NOTE_MEMORY_COUNT,
    RF_NOTE_MEMORY_TYPE,
    RF_NOTE_MEMORY_OTHER,
    RF_NOTE_MEMORY_FIRST, /* from here on by the numbers of the functions */
    RF_NOTE_MEMORY_LAST = RF_NOTE_MEMORY_FIRST + 9,
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
    struct rf_op_details details;
    size_t op_room, grid_id_room, extra_room, n_extra_values, extra_value_room;
    size_t line; /* of the timeline, found last */
    uint64_t n_notes[RF_N_NOTES];
    struct rf_cuda_stream *stream; /* see cuda_stream.h; NULL: what was recorded is kept */
    bool has_records;
};

void rf_cuda_load_init(struct rf_cuda_load *cuda);
void rf_cuda_load_release(struct rf_cuda_load *cuda, uint32_t n_processes);

/* Takes a definition of the type RF_REC_CUDA_DEF. text: string. */
int rf_load_cuda_define(struct rf_load *load, uint32_t process, const struct rf_def *def,
                        uint32_t text, uint64_t ticks, int64_t ns);

/* Reads the records. What was read has its process, but no thread and no call yet. */
int rf_load_cuda(struct rf_load *load);

#endif
