/* SPDX-License-Identifier: Apache-2.0 */
/* The pieces of the Perfetto format (docs/perfetto.md). Inside to outside:
 *   proto.c                       the wire format
 *   export_perfetto_turns.c       two threads that write in turns
 *   export_perfetto_packets.c     packets, and what is said once and then referred to by number
 *   export_perfetto_tracks.c      processes, threads, tracks, and ranges that nest on them
 *   export_perfetto_fields.c      the fields of calls, GPU work and instants
 *   export_perfetto_nvtx.c        what annotations hold
 *   export_perfetto_domains.c     tracks of domains and categories
 *   export_perfetto_scopes.c      annotations on tracks of the places where they were
 *   export_perfetto_threads.c     annotations and calls of threads, start/end ranges
 *   export_perfetto_projection.c  ranges as the GPU saw them
 *   export_perfetto_gpu.c         work of the GPU
 *   export_perfetto_counters.c    what was sampled
 *   export_perfetto_time.c        the times of the trace
 *   export_perfetto_view.c        where a range is in the trace
 *   export_perfetto.c             the recording, the GPUs, and the order of all this */
#ifndef RF_EXPORT_PERFETTO_EXPORT_PERFETTO_H
#define RF_EXPORT_PERFETTO_EXPORT_PERFETTO_H

#include "base/error.h"
#include "export/export.h"
#include "export/perfetto/proto.h"
#include "export/shown_ids.h"

/* ---- Field numbers of Perfetto's messages, as its .proto files have them ---- */

enum { PF_TRACE_PACKET = 1 };

enum pf_packet_field {
    PF_PACKET_CLOCK_SNAPSHOT = 6,
    PF_PACKET_TIMESTAMP = 8,
    PF_PACKET_SEQUENCE_ID = 10,
    PF_PACKET_TRACK_EVENT = 11,
    PF_PACKET_INTERNED_DATA = 12,
    PF_PACKET_SEQUENCE_FLAGS = 13,
    PF_PACKET_GPU_COUNTERS = 52,
    PF_PACKET_RENDER_STAGE = 53,
    PF_PACKET_TRACK_DESCRIPTOR = 60,
    PF_PACKET_FIRST_ON_SEQUENCE = 87,
    PF_PACKET_GPU_INFO = 128,
};

enum pf_event_field {
    PF_EVENT_CATEGORY_IIDS = 3,
    PF_EVENT_ANNOTATIONS = 4,
    PF_EVENT_TYPE = 9,
    PF_EVENT_NAME_IID = 10,
    PF_EVENT_TRACK_UUID = 11,
    PF_EVENT_NAME = 23,
    PF_EVENT_COUNTER_VALUE = 30,
    PF_EVENT_DOUBLE_COUNTER_VALUE = 44,
    PF_EVENT_FLOW_IDS = 47,
    PF_EVENT_TERMINATING_FLOW_IDS = 48,
    PF_EVENT_GPU_CORRELATION = 3000,
    PF_EVENT_GPU_API = 3001,
};

enum pf_event_type { PF_BEGIN = 1, PF_END = 2, PF_INSTANT = 3, PF_COUNTER = 4 };

enum { PF_API_CUDA = 4 };

/* ---- What is interned ---- */

/* Each set has numbers of its own. The order is that of the table in export_perfetto_packets.c. */
enum pf_set {
    PF_CATEGORIES,  /* enum pf_category, pf_category_of_work() */
    PF_NAMES,       /* enum pf_fixed_name, then the recording's strings */
    PF_ANNOTATIONS, /* enum pf_key */
    PF_VALUES,      /* the recording's strings */
    PF_ARGS,        /* enum pf_key: the same words, for kernels */
    PF_CONTEXTS,
    PF_SPECS,
    PF_KERNELS, /* the recording's strings */
    PF_COUNTERS,
    PF_N_SETS
};

enum pf_category {
    PF_CAT_NVTX = 1,
    PF_CAT_SYNC,
    PF_CAT_CUDA,
    PF_CAT_OS,
    PF_CAT_FIRST_WORK, /* five kinds of GPU work; see pf_category_of_work() */
    PF_CAT_PROJECTION = PF_CAT_FIRST_WORK + 5,
    PF_CAT_RECORDING,
    PF_CAT_FURTHER_WORK,
};

/* The category of GPU work. Kinds that were added later follow the other categories, whose numbers
 * stay. */
static inline unsigned pf_category_of_work(unsigned kind)
{
    unsigned category = PF_CAT_FIRST_WORK + kind - 1;
    return category < PF_CAT_PROJECTION ? category
                                        : category - PF_CAT_PROJECTION + PF_CAT_FURTHER_WORK;
}

/* Each key and its word in the trace. */
#define PF_KEYS(X)                                                                                 \
    X(DOMAIN, "domain")                                                                            \
    X(CATEGORY, "category")                                                                        \
    X(CATEGORY_NAME, "category_name")                                                              \
    X(COLOR, "color")                                                                              \
    X(PAYLOAD, "payload")                                                                          \
    X(MESSAGE, "message")                                                                          \
    X(RANGE, "range")                                                                              \
    X(PARENT, "parent")                                                                            \
    X(END_THREAD, "end_thread")                                                                    \
    X(CUT, "cut")                                                                                  \
    X(FLAGS, "flags")                                                                              \
    X(SYNC, "sync")                                                                                \
    X(HANDLE, "handle")                                                                            \
    X(CALLS, "calls")                                                                              \
    X(WORK, "gpu_ops")                                                                             \
    X(BUSY, "busy_ns")                                                                             \
    X(KERNEL, "kernel")                                                                            \
    X(NVTX_RANGE, "nvtx_range")                                                                    \
    X(RANGE_START, "range_start_ns")                                                               \
    X(RANGE_DURATION, "range_duration_ns")                                                         \
    X(HOST, "host")                                                                                \
    X(EXPORTED_BY, "exported_by")                                                                  \
    X(RECORDED_BY, "recorded_by")                                                                  \
    X(START_UTC, "start_utc")                                                                      \
    X(CLOCK, "clock")                                                                              \
    X(CUT_RANGES, "cut_ranges")                                                                    \
    X(CUT_AT_START, "ranges_cut_at_start")                                                         \
    X(LOST, "lost_events")                                                                         \
    X(NUMBER, "number")                                                                            \
    X(IS_OPEN, "is_open")                                                                          \
    X(BY_PROCESS, "by_process")                                                                    \
    X(THREAD, "thread")                                                                            \
    X(TIME, "recording_time_ns")                                                                   \
    X(INPUT, "input")                                                                              \
    X(CLOCK_METHOD, "clock_method")                                                                \
    X(CLOCK_SHIFT, "clock_shift_ns")                                                               \
    X(CLOCK_UNCERTAINTY, "clock_uncertainty_ns")                                                   \
    X(RANK, "rank")

enum pf_key {
    PF_KEY_NONE,
#define NAME_OF_KEY(name, word) PF_KEY_##name,
    PF_KEYS(NAME_OF_KEY)
#undef NAME_OF_KEY
        PF_KEY_LAST /* the words for fields of calls and GPU work follow (export_perfetto_fields.c)
                     */
};

#define PF_MAX_KEYS 128 /* a key is one byte in the trace */

enum pf_fixed_name {
    PF_NAME_NULL = 1,
    PF_NAME_RECORDING,
    PF_NAME_CAPTURE,
    PF_NAME_LAST,
    PF_NAME_FIRST_STRING = 16
};

/* ---- The writer ---- */

struct pf_definition {
    uint64_t iid;
    uint32_t set;
};

/* What the reader of the trace knows by number at this point. Forgotten now and then, so that
 * neither side's memory grows with the trace. */
struct pf_interning {
    uint64_t *bits[PF_N_SETS];
    struct pf_definition *defined;
    size_t n_defined;
    size_t text_bytes;
    uint64_t generation; /* how often it was forgotten; 0: nothing was said yet */
};

struct pf_turns;

#define PF_MAX_HEAD 16

struct pf_writer {
    struct rf_export_job *job;
    struct pf_turns *turns; /* NULL: there is only this writer yet */
    int half;               /* 0 or 1 */
    const rf_recording *rec;
    struct rf_sink *sink;
    bool gpu_events; /* GPU work and counters are events of their own kinds */
    bool by_category;
    int status;                /* the first error */
    int64_t base_ns;           /* trace time of the recording's time 0 */
    int64_t begin_ns;          /* of what is shown */
    uint8_t head[PF_MAX_HEAD]; /* that every packet of the half has; see pf_begin_packet() */
    size_t head_size;
    struct rf_proto packet;   /* the packets that were not written yet; the last one grows */
    size_t packet_begin;      /* of the last one */
    struct rf_proto interned; /* what it defines */
    struct pf_interning known;
    const char *keys[PF_MAX_KEYS]; /* by enum pf_key */
    uint32_t n_keys;
    struct rf_sink words; /* where texts are put together */
    struct rf_shown_ids ids;
    uint32_t n_strings;
    uint64_t first_uuid; /* of the processes, then the threads */
    uint64_t next_uuid;
    uint64_t first_sequence; /* the two halves are sequences of packets */
    uint64_t first_process;  /* place of the first one in the list of all inputs' */
    uint64_t first_flow;     /* id of the flow to the first piece of GPU work */
    uint32_t first_gpu;      /* with gpu_events: what the numbers of GPUs are raised by */
    const char *arch;        /* "sm_90", where all GPUs are; otherwise NULL */
    char arch_text[16];
    bool has_start_end;
    bool has_scopes;             /* of annotations, which are not on their threads' tracks then */
    rf_projections *projections; /* NULL: no GPU work */
    const struct pf_annotations *annotations;
};

/* The number of a GPU among the events of their own kinds. */
static inline uint64_t pf_gpu_id(const struct pf_writer *to, uint32_t device)
{
    return (to->first_gpu + (uint64_t)device) & INT32_MAX;
}

static inline int pf_fail(struct pf_writer *to, int status)
{
    if (to->status == RF_OK)
        to->status = status;
    return to->status;
}

static inline int pf_fail_memory(struct pf_writer *to)
{
    return pf_fail(to, rf_fail(to->job->err, RF_ERR_NO_MEMORY, "out of memory"));
}

#endif
