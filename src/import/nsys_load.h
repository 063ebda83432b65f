/* SPDX-License-Identifier: Apache-2.0 */
/* An nsys export on its way to a recording. The steps, in order:
 *
 *     nsys_names.c    strings, the names of processes and threads, the session, the GPUs
 *     nsys_nvtx.c     NVTX_EVENTS
 *     nsys_calls.c    calls of CUDA and of the operating system; what correlation ids stand for
 *     nsys_gpu.c      kernels, copies, sets, graphs, waits
 *     nsys_extra.c    the rows of other tables
 *     nsys_counters.c what was sampled
 *     nsys_parts.c    several of these at a time
 *     nsys_join.c     what was read at a time becomes one
 *     nsys_finish.c   everything in its final order, and linked
 *     nsys_group.c    GPU work
 *     nsys_own_processes.c what our own databases say of processes
 *
 * Rows are read in the order of the file; what is out of order is sorted afterwards. */
#ifndef RF_IMPORT_NSYS_LOAD_H
#define RF_IMPORT_NSYS_LOAD_H

#include "import/nsys_rows.h"
#include "model/arrays.h"
#include "model/gpu/call_index.h"
#include "model/gpu/gpu_order.h"
#include "model/gpu/op_details.h"
#include "model/recording.h"

/* An id of a process in the file, globalPid, or of a thread, globalTid: hardware 8 bits, virtual
 * machine 8, process 24, thread 24. The bits above the thread are the key of the
 * process, so that processes of several machines stay apart. */
#define NSYS_TID_BITS 24
#define NSYS_TID_MASK 0xffffffu

struct nsys_process {
    uint64_t key; /* globalPid without the thread's bits */
    uint32_t pid, name;
    uint32_t default_domain;
    uint32_t place; /* in the recording: after nsys_finish() */
};

struct nsys_thread {
    uint32_t process, tid;
    uint32_t name;
    int64_t priority; /* of the name: lower ones win */
    bool is_named;    /* by nvtxNameOsThread */
    bool is_unsorted; /* its events */
    bool calls_unsorted;
    uint32_t place; /* in the recording: after nsys_finish() */
    struct rf_event *event;
    size_t n_events, event_room;
    struct rf_call *call;
    size_t n_calls, call_room;
};

/* What the tables of names say about a process or thread, whether or not it has events. */
struct nsys_name {
    uint32_t pid; /* of a process; 0: unknown */
    uint32_t name;
    int64_t priority;
};

/* A bit of the number of a string that stands among the strings of a part: see nsys_parts.c. */
#define NSYS_PART_STRING (UINT32_C(1) << 31)

/* What is on a track. */
enum nsys_track_use { NSYS_WORKS = 1, NSYS_WAITS = 2 };

struct nsys_parts;
struct nsys_layouts;
struct nsys_payloads;
struct nsys_nvtx_counters;
struct nsys_own_events;

struct nsys_load {
    rf_recording *rec;
    struct nsys_db db;
    const struct nsys_load *names; /* whose StringIds are used: its own, or of what it is part of */
    uint32_t *string_of;           /* by id; RF_NO_STRING: none */
    uint32_t n_string_of;
    struct rf_map sparse_string; /* ids too high for it */
    struct nsys_process *process;
    uint32_t n_processes;
    size_t process_room;
    struct rf_map process_of; /* key */
    struct nsys_thread *thread;
    uint32_t n_threads;
    size_t thread_room;
    struct rf_map thread_of; /* globalTid */
    uint64_t last_global_tid;
    uint32_t last_thread; /* RF_NO_INDEX: none yet */
    struct nsys_name *known;
    uint32_t n_known;
    size_t known_room;
    struct rf_map known_process, known_thread; /* key, globalTid; to known[] */
    struct rf_map domain_of;                   /* (process, id) */
    struct rf_map process_by_call;             /* correlation id; where work does not say it */
    bool has_process_by_call;
    size_t start_end_room;
    struct rf_call_index call_of; /* the calls of correlation ids, with threads of load */
    struct rf_track_finder tracks;
    uint8_t *track_use; /* enum nsys_track_use of the tracks of a part */
    uint32_t n_track_uses;
    size_t track_use_room;
    struct nsys_parts *parts; /* see nsys_parts.h; NULL: GPU work is not read yet */
    uint64_t *grid_id;        /* per piece of work; NULL: they are in the details */
    size_t op_room, grid_id_room, gpu_room;
    struct rf_op_details details;
    size_t extra_room, n_extra_values, extra_value_room;
    struct nsys_layouts *layouts; /* see nsys_layouts.c */
    bool has_own_layouts;         /* they name their processes: their rows are nothing more */
    struct nsys_nvtx_counters *nvtx_counters; /* see nsys_nvtx_counters.c; NULL: there are none */
    struct nsys_own_events *own_events;       /* see nsys_own_events.c; NULL: there are none */
    struct nsys_payloads *payloads;           /* see nsys_payloads.c; NULL: none yet */
    int64_t last_ns;                          /* of everything read, and of the recording that it
                                               * was exported of; RF_NO_TIME: nothing */
    bool leaves_out_work, leaves_out_calls;   /* no GPU work, no calls are read */
    bool needs_all; /* though what is left out is needed: all is to be read again */
};

/* To be released even if it fails; rf_close() frees its recording. */
int nsys_load_init(struct nsys_load *load, const char *path);
void nsys_load_release(struct nsys_load *load);

static inline int nsys_no_memory(const struct nsys_load *load)
{
    return nsys_db_no_memory(&load->db);
}

/* RF_OK where there was memory, otherwise the error. */
static inline int nsys_memory_status(const struct nsys_load *load, bool was_enough)
{
    return was_enough ? RF_OK : nsys_no_memory(load);
}

/* The index of a process or thread, which is added if it is new; RF_NO_INDEX: out of memory. */
uint32_t nsys_find_process(struct nsys_load *load, uint64_t key);
uint32_t nsys_find_thread(struct nsys_load *load, uint64_t global_tid);

/* Notes what is on a track; those before it were noted. Returns 0 or RF_ERR_NO_MEMORY. */
int nsys_use_track(struct nsys_load *load, uint32_t track, enum nsys_track_use use);

/* The thread of the row: a column with a globalTid. Without one it is thread 0 of process 0. */
uint32_t nsys_row_thread(struct nsys_load *load, struct nsys_row *row, int column);

/* Whether a time is within 146 years of the start of the session. The difference of any two such
 * times fits 64 bits. */
static inline bool nsys_is_time(int64_t ns)
{
    return ns > -((int64_t)1 << 62) && ns < (int64_t)1 << 62;
}

/* The start and end of a row; false: it has no start, and is to be left out. *end is RF_NO_TIME
 * where it is NULL, and never before *start; *is_clamped: it was. */
bool nsys_row_times(struct nsys_load *load, struct nsys_row *row, int start_column, int end_column,
                    int64_t *start, int64_t *end, bool *is_clamped);

/* Columns that name a process, in this order, and its key from the first of them. */
#define NSYS_MACHINE "hwId", "vmId", "processId"

static inline uint64_t nsys_row_process_key(struct nsys_row *row, int column)
{
    uint64_t machine = nsys_row_u32(row, column) & 0xff;
    uint64_t virtual_machine = nsys_row_u32(row, column + 1) & 0xff;
    return machine << 32 | virtual_machine << 24 | (nsys_row_u32(row, column + 2) & 0xffffff);
}

#endif
