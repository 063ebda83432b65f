/* SPDX-License-Identifier: Apache-2.0 */
/* The samples of NVTX's counters (docs/format.md, section 11) on their way to struct rf_counter,
 * and events with times of their own.
 * The steps:
 *
 *     nvtx_samples.c     when the streams were decoded, their samples once; with nvtx_data.c, the
 *                        bytes of records, nvtx_tracks.c, whose they are, nvtx_layout.c, where
 *                        values lie in them, nvtx_number.c, what they are, and nvtx_time.c, when
 *                        they were taken
 *     nvtx_counters.c    the samples of each counter as columns; with nvtx_scope.c, its scope
 *
 * nvtx_memory.h has those of memory, whose counters go the same way; and of events:
 *
 *     nvtx_submitted.c   with the samples, deferred events and batches of them
 *     nvtx_dated.c       with the payloads of events, which are dated by theirs; with nvtx_dates.c,
 *                        what payloads say
 *     nvtx_entries.c     with the events, counters in their payloads
 *     nvtx_deferred.c    deferred events on their threads */
#ifndef RF_MODEL_NVTX_NVTX_LOAD_H
#define RF_MODEL_NVTX_NVTX_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "model/nvtx/nvtx_memory.h"

/* How a sample is read. */
enum rf_nvtx_sample_kind {
    RF_NVTX_SAMPLE_INTEGER,
    RF_NVTX_SAMPLE_REAL,
    RF_NVTX_SAMPLE_UNCHANGED, /* the value of the sample before */
    RF_NVTX_SAMPLE_NONE,
};

struct rf_nvtx_sample {
    int64_t ns;
    uint64_t bits;
    uint8_t kind;  /* enum rf_nvtx_sample_kind */
    uint8_t flags; /* enum rf_sample_flags */
};

/* The samples of one counter: of a group one entry, and of a scope that is the thread those of one
 * thread. */
struct rf_nvtx_track {
    uint32_t counter; /* in rf_nvtx_load.counter */
    uint32_t entry;   /* of its layout */
    uint32_t thread;  /* in rf_load.thread, later in rf_recording.thread; RF_NO_INDEX: any */
    uint32_t shared;  /* the track that has its samples, if the scope of its entry is no thread */
    struct rf_nvtx_sample *sample; /* NULL where samples are left out */
    size_t n, room;
    struct rf_sample_sum *sum;  /* with RF_OPEN_SAMPLE_SUMS; NULL: there are no samples */
    int64_t last_ns;            /* of them: the latest so far */
    struct rf_nvtx_sample kept; /* ... and the value that an unchanged sample has */
    bool is_unsorted, has_unchanged;
};

/* A counter, or a group, as one process uses it. */
struct rf_nvtx_use {
    uint32_t definition; /* see rf_nvtx_find() */
    uint32_t domain;     /* index */
    struct rf_nvtx_layout *layout;
    uint64_t time_domain;
    uint64_t scope;
    bool is_entry;  /* of payloads: definition is that of their schema */
    bool is_memory; /* of a heap: it has no definition */
};

/* A deferred event. */
struct rf_nvtx_submitted {
    uint64_t group;   /* see payload_records.h */
    uint64_t scope;   /* of its batch; 0: none */
    int64_t ns;       /* when it was submitted */
    uint32_t process; /* index */
    uint32_t thread;  /* that submitted it: in rf_load.thread */
    uint32_t domain;  /* index */
};

/* A push/pop range whose times are not those of its calls. */
struct rf_nvtx_dated {
    uint32_t thread, event; /* in rf_load.thread, in its events */
};

/* All zero: nothing was read. */
struct rf_nvtx_load {
    struct rf_nvtx_use *counter;
    uint32_t n_counters;
    size_t counter_room;
    struct rf_map counter_of; /* (process << 32 | domain, id) to counter */
    struct rf_nvtx_track *track;
    uint32_t n_tracks;
    size_t track_room;
    struct rf_map entry_of; /* (domain << 32 | definition of a schema, name) to counter */
    struct rf_map track_of; /* (counter, thread) to the first of its tracks */
    uint64_t n_samples;
    struct rf_nvtx_submitted *submitted;
    uint32_t n_submitted;
    size_t submitted_room;
    struct rf_nvtx_dated *dated;
    uint32_t n_dated;
    size_t dated_room;
    struct rf_nvtx_memory memory;
};

#endif
