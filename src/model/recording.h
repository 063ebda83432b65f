/* SPDX-License-Identifier: Apache-2.0 */
/* A recording in memory. Every index into an array here fits 32 bits; RF_NO_INDEX is none. */
#ifndef RF_MODEL_RECORDING_H
#define RF_MODEL_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "log/layout.h"
#include "model/gpu/gpu_places.h"
#include "base/map.h"
#include "model/fields/fields.h"
#include "model/private_access.h"
#include "model/strings.h"
#include "rangefinder/rangefinder.h"

struct rf_thread_events {
    struct rf_event *event;
    size_t n;
    void *memory; /* that event points into */
};

struct rf_thread_calls {
    struct rf_call *call;
    size_t n;
};

struct rf_recording {
    struct rf_info info;
    struct rf_ring_info ring;   /* size_bytes of 0: it was none */
    struct rf_piece_info piece; /* number 0: it is none */
    char *path;
    struct rf_control control;
    uint64_t epoch_ticks;   /* the counter at time 0; 0: unknown */
    uint32_t n_clock_steps; /* see rf_clock.n_steps */
    int64_t clock_step_ns;
    double drift; /* see rf_opened_drift() */
    struct rf_strings strings;
    struct rf_process *process;
    uint32_t n_processes;
    uint32_t *list; /* arguments and environment of all processes */
    struct rf_thread *thread;
    struct rf_thread_events *events; /* per thread */
    uint32_t n_threads;
    struct rf_domain *domain;
    uint32_t *domain_parent; /* per domain: the one it was inherited from, or RF_NO_INDEX */
    uint32_t n_domains;
    size_t domain_room;
    struct rf_map category;         /* (domain, id) to string */
    struct rf_start_end *start_end; /* those of ranges that were left out are not used */
    uint32_t n_start_end;
    struct rf_capture_info *capture;
    uint32_t n_captures;
    struct rf_thread_calls *calls; /* per thread; NULL: none has any */
    struct rf_gpu *gpu;
    uint32_t n_gpus;
    struct rf_gpu_places places;
    struct rf_gpu_track *track;
    uint32_t n_tracks;
    struct rf_gpu_op *op;
    size_t n_ops;
    struct rf_detail_array {
        void *detail;
        uint32_t n;
    } detail[RF_MAX_KINDS]; /* of GPU work, by rf_row_kind.detail_of */
    uint64_t *grid_id;      /* of kernels, by rf_gpu_op.graph_end - 1: see RF_OPEN_GRID_IDS_APART */
    size_t n_grid_ids;
    struct rf_extra *extra; /* by start */
    size_t n_extras;
    int64_t *extra_value; /* the values that they have, one behind the other */
    struct rf_counter *counter;
    struct rf_counter_origin *counter_origin; /* per counter; NULL: it is our own recording */
    uint32_t n_counters;
    void **column; /* memory that their samples stand in */
    size_t n_columns, column_room;
    struct rf_skipped *skipped;
    uint32_t n_skipped;
    struct rf_nvtx_definitions *nvtx; /* see payload/nvtx_definitions.h; NULL: there are none */
    struct rf_sums *sums;             /* see sums/range_sums.h; NULL: there are none */
    uint32_t group_by;              /* 1 + string: rf_filter_options.group_by of `sums`; 0: none */
    struct rf_sums *paths;          /* likewise, by the ranges around them */
    struct rf_sums *named_work;     /* see private_access.h; NULL: there are none */
    struct rf_work_sums *work_sums; /* see sums/work_sums.h; NULL: there are none */
    struct rf_projected_sums *projected_sums; /* see sums/projected_sums.h; NULL: there are none */
    struct rf_launch_sums *launch_sums;       /* see sums/launch_sums.h; NULL: there are none */
    struct rf_streamed_collectives *collectives; /* NULL: ranges and work have them */
    struct rf_selected *selected; /* see filter/selected.h; NULL: there are no sums, or of all */
    struct rf_work_counts *work_counts; /* of what is not kept; NULL: all is */
    struct rf_payloads *payloads;       /* see payload/payload_sets.h; NULL: there are none */
    const rf_recording *source;         /* of a filtered one: owns what is not its own; or NULL */
    bool hides_calls;                   /* calls are there for the projection only */
};

/* An offset from UTC in seconds as a file gives it; 0 where no place has it. */
static inline int32_t rf_utc_offset(int64_t offset_s)
{
    return offset_s > -86400 && offset_s < 86400 ? (int32_t)offset_s : 0;
}

/* Counts what the events of all threads are, into info. */
void rf_recording_count_events(rf_recording *rec);

#endif
