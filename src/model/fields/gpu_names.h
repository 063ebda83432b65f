/* SPDX-License-Identifier: Apache-2.0 */
/* The words that every text format uses for calls and GPU work. */
#ifndef RF_MODEL_FIELDS_GPU_NAMES_H
#define RF_MODEL_FIELDS_GPU_NAMES_H

#include "base/sink.h"
#include "rangefinder/rangefinder.h"

static inline int64_t rf_call_duration_ns(const struct rf_call *call)
{
    return (int64_t)((uint64_t)call->end_ns - (uint64_t)call->start_ns);
}

static inline int64_t rf_op_duration_ns(const struct rf_gpu_op *op)
{
    return (int64_t)((uint64_t)op->end_ns - (uint64_t)op->start_ns);
}

/* "cuda_runtime", "cuda_driver", "osrt"; "unknown" for a kind that this version does not have. */
const char *rf_call_kind_name(int kind);

/* "HtoD", "DtoD", ... as CUPTI's numbers mean it. */
const char *rf_copy_kind_name(int kind);

/* "Pageable", "Device", ... as the numbers of nsys's databases mean it. */
const char *rf_memory_kind_name(int kind);

/* "Event sync", "Stream wait", ... */
const char *rf_sync_type_name(int type);

/* What the times are not, by enum rf_time_flags, as words with '+' between them: "no_start",
 * "no_end", "clamped", "before_call". Nothing for most. */
void rf_sink_time_flags(struct rf_sink *sink, uint8_t flags);

/* The word of a bit of them; NULL past the last. */
const char *rf_time_flag_name(unsigned bit);

/* Where GPU work ran, with the name that the program gave it: "GPU 0 (trainer)", "context 1",
 * "stream 13 (compute)"; "any stream" for RF_NO_INDEX, which waits for whole contexts have. what:
 * "GPU" and so on; name: string, may be none. Of a long name the beginning. Returns to. */
#define RF_PLACE_NAME_SIZE 112
char *rf_place_name(const rf_recording *rec, const char *what, uint32_t id, uint32_t name,
                    char to[RF_PLACE_NAME_SIZE]);

/* The names given to what a track runs on; RF_NO_STRING: none. */
uint32_t rf_track_device_name(const rf_recording *rec, const struct rf_gpu_track *track);
uint32_t rf_track_context_name(const rf_recording *rec, const struct rf_gpu_track *track);
uint32_t rf_track_stream_name(const rf_recording *rec, const struct rf_gpu_track *track);

/* A kernel's parameters; NULL where the work is no kernel or nothing is known. */
const struct rf_kernel *rf_op_kernel(const rf_recording *rec, const struct rf_gpu_op *op);

/* The particulars of a copy, a set and the like; NULL where there are none. */
const struct rf_transfer *rf_op_transfer(const rf_recording *rec, const struct rf_gpu_op *op);

/* Fetches what rf_gpu_op_detail() returns for the work that stands a few places behind piece k of a
 * track: it lies scattered, and waiting for it would take longer than writing the row. */
void rf_track_fetch_ahead(const rf_recording *rec, const struct rf_gpu_track *track, uint32_t k);

/* A name of the model as bytes, or what stands for work that has no name of its own: "Memcpy HtoD
 * (Pageable -> Device)", "Memset (Device)", "Graph 3", "Stream sync". The result is valid until
 * buffer is used again. */
const char *rf_op_label(const rf_recording *rec, const struct rf_gpu_op *op, char buffer[128],
                        size_t *size);

#endif
