/* SPDX-License-Identifier: Apache-2.0 */
/* A session of NVTXW, which is written as a session directory with one process, and packed when it
 * ends. A stream is a thread of that process: its records have the stream's payloads, by which
 * readers find their times (docs/format.md, section 11.3).
 *
 * Locks: session->lock for what is registered; stream->lock for what one stream writes. A stream's
 * lock is taken first, that of the list of sessions before both. A forked process takes none of its
 * parent's sessions. What a handle points to lives as long as the process, and the library stays
 * loaded, so that a handle that is used too late is refused; nvtxwFinalize() frees the rest. */
#ifndef RF_NVTXW_NVTXW_STATE_H
#define RF_NVTXW_NVTXW_STATE_H

#include <limits.h>
#include <pthread.h>
#include <stdbool.h>

#include "base/map.h"
#include "log/time_relations.h"
#include "nvtxw/nvtxw_abi.h"
#include "record/payload/schema_layout.h"
#include "session/session_dir.h"

/* What all records and definitions have as their time: their own is in their payloads. */
#define NVTXW_TICKS ((uint64_t)1 << 40)

/* Tids of streams are above those that a kernel gives, and fit the 24 bits of nsys's ids. */
#define NVTXW_FIRST_TID  0x400001u
#define NVTXW_MOST_TIDS  0xbffffeu
#define NVTXW_STATIC_IDS ((uint64_t)1 << 24)
#define NVTXW_OWN_IDS    ((uint64_t)1 << 32)

/* The times of one time domain that were written. */
struct nvtxw_extent {
    struct rf_time_domain of; /* in a stream only its id */
    int64_t first, last;
    /* In a stream: */
    bool is_ns;
    bool is_ordered; /* the order that the stream promises can be checked */
    uint64_t skid;   /* in ticks */
    bool has_latest;
    int64_t latest;
};

struct nvtxw_extents {
    struct nvtxw_extent *extent;
    struct rf_map index_of; /* (place, id) */
    size_t n, room;
};

/* A schema, as far as checking, dating and following the pointers of events needs it; or an enum,
 * which has a layout alone. */
struct nvtxw_schema {
    uint64_t id;
    struct rf_def *def;      /* with its text */
    struct rf_schema layout; /* in def */
    uint64_t size;           /* of an event; 0: it varies, or is not said */
    bool is_dynamic;
    uint64_t place_size, align; /* where an entry has it as its type; size 0: not known */
    size_t n_stamps, stamp_room;
    struct nvtxw_stamp {
        uint64_t offset, time_domain; /* time_domain 0: that of the stream */
        uint64_t role, type;
    } * stamp;
};

struct nvtxw_counter {
    uint64_t id, schema, time_domain;
    uint64_t size; /* of a sample; 0: not known */
};

struct nvtxw_domain {
    struct nvtxw_session *session;
    uint32_t number;     /* as in records: 0 the default domain */
    char *name;          /* NULL: the default domain */
    struct rf_map id_of; /* (kind, id) to the index in its array, for those that have one */
    struct nvtxw_schema **schema; /* and enums */
    struct nvtxw_counter **counter;
    size_t n_schemas, schema_room, n_counters, counter_room;
};

struct nvtxw_session {
    pthread_mutex_t lock;
    bool is_open, has_ended; /* is_open: atomic; changed under the lock */
    uint32_t fork_number;    /* of the process that began it: see nvtxw_is_ours() */
    struct session_dir dir;
    char output[PATH_MAX];
    bool can_overwrite, has_own_name;
    int defs_fd, log_fd, pool_fd;
    uint64_t defs_size;
    struct nvtxw_domain **domain;
    size_t n_domains, domain_room;
    struct nvtxw_stream **stream;
    size_t n_streams, stream_room;
    struct nvtxw_stream **slot; /* RF_MAX_SLOTS: whose it is, or NULL */
    uint64_t *slot_seq;         /* parts of each slot so far */
    struct rf_pool_header *pool;
    uint32_t n_strings, n_resources;
    uint64_t n_ids;
    struct rf_map domain_of; /* of a schema or enum that the session gave an id: (0, id) */
    struct rf_time_relations relations;
    struct nvtxw_extents extents;
    /* With the list locked: */
    struct nvtxw_session *next; /* of all that began */
    bool is_finished;           /* whoever ended it uses it no more */
    bool is_released;
};

/* How often this process was forked from another one since the first session began. */
uint32_t nvtxw_fork_number(void);

/* Whether the session is open, and not that of a process that forked: then nothing of it may be
 * locked, since a thread that is not there may hold the lock. */
bool nvtxw_is_ours(const struct nvtxw_session *session);

/* The list of all sessions is locked with this. */
void nvtxw_lock_all(void);
void nvtxw_unlock_all(void);

/* Waits, with the list locked, until a session has ended: whoever ends one wakes all. */
void nvtxw_wait_all(void);
void nvtxw_wake_all(void);

#endif
