/* SPDX-License-Identifier: Apache-2.0 */
/* What is recorded of CUDA (docs/format.md, section 9): the words of an RF_REC_CUDA record, by
 * kind.
 *
 * Times are those of CUPTI's clock, as CUPTI gave them, in nanoseconds; 0: it gave none. Pairs of
 * that clock and ours (RF_CUDA_DEF_CLOCK) convert them. A record ends with its last word that is
 * not zero, but has word 1: what it does not have is zero. */
#ifndef RF_LOG_CUDA_H
#define RF_LOG_CUDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rf_cuda_kind {
    RF_CUDA_API = 1,
    RF_CUDA_KERNEL = 2,
    RF_CUDA_MEMCPY = 3,
    RF_CUDA_MEMSET = 4,
    RF_CUDA_SYNC = 5,
    RF_CUDA_GRAPH = 6, /* a whole graph, traced as one */
    RF_CUDA_MEMORY = 7,
    RF_CUDA_EVENT = 8,
    RF_CUDA_OVERHEAD = 9,
    RF_CUDA_DROPPED = 10, /* records that CUPTI had no room for, or that are not complete */
};

/* What the summary of a run counts, in its order: the kind; as rf_gpu_op_kind_name() calls it, if
 * it is GPU work; the count for programs; the words for people. */
#define RF_CUDA_SUMMARY(ROW)                                                                       \
    ROW(RF_CUDA_API, NULL, "n_calls", "call", "calls")                                             \
    ROW(RF_CUDA_KERNEL, "kernel", "n_kernels", "kernel", "kernels")                                \
    ROW(RF_CUDA_GRAPH, "graph", "n_graphs", "graph launch", "graph launches")                      \
    ROW(RF_CUDA_MEMCPY, "memcpy", "n_copies", "memcpy", "memcpys")                                 \
    ROW(RF_CUDA_MEMSET, "memset", "n_sets", "memset", "memsets")                                   \
    ROW(RF_CUDA_MEMORY, NULL, "n_allocations", "allocation", "allocations")                        \
    ROW(RF_CUDA_SYNC, "sync", "n_syncs", "synchronization", "synchronizations")                    \
    ROW(RF_CUDA_EVENT, NULL, "n_cuda_events", "event", "events")

/* rf_cuda_head.flags */
#define RF_CUDA_IS_PEER 1u /* MEMCPY: the ids of both sides are there */

/* Words 0 and 1. */
struct rf_cuda_head {
    uint64_t word0; /* docs/format.md, section 4; its time is when this was written */
    uint8_t kind;   /* enum rf_cuda_kind */
    uint8_t flags;
    uint16_t reserved;
    uint32_t correlation; /* names the call in its process; 0: none */
};

struct rf_cuda_api {
    struct rf_cuda_head head;
    uint64_t start, end;
    uint32_t tid;
    uint32_t function; /* RF_CUDA_DEF_FUNCTION: CUPTI's callback id; bit 31: of the driver */
    uint32_t result;
    uint32_t reserved;
};
#define RF_CUDA_DRIVER_FUNCTION 0x80000000u

struct rf_cuda_kernel {
    struct rf_cuda_head head;
    uint64_t start, end;
    uint32_t device, context;
    uint32_t stream, name; /* RF_CUDA_DEF_KERNEL */
    uint32_t grid[3], block[3];
    uint16_t registers; /* per thread */
    uint8_t launch_type, cache_config;
    uint32_t static_shared;
    uint32_t dynamic_shared, shared_executed;
    uint32_t local_per_thread, shared_limit_config;
    uint64_t local_total;
    int64_t grid_id;
    uint64_t graph_node;
    uint32_t graph;
    uint32_t cluster[3];
    uint32_t max_potential_cluster, max_active_clusters;
    uint32_t channel, channel_type;
};

struct rf_cuda_memcpy {
    struct rf_cuda_head head;
    uint64_t start, end;
    uint64_t bytes;
    uint32_t device, context;
    uint32_t stream;
    uint8_t copy_kind, source_memory, target_memory, flags;
    uint64_t graph_node;
    uint32_t graph, n_copies;
    uint32_t source_device, source_context; /* with RF_CUDA_IS_PEER */
    uint32_t target_device, target_context;
};

struct rf_cuda_memset {
    struct rf_cuda_head head;
    uint64_t start, end;
    uint64_t bytes;
    uint32_t device, context;
    uint32_t stream, value;
    uint16_t memory, flags;
    uint32_t graph;
    uint64_t graph_node;
};

struct rf_cuda_sync {
    struct rf_cuda_head head;
    uint64_t start, end;
    uint32_t type; /* as CUPTI numbers it: 1 event, 2 stream wait, 3 stream, 4 context */
    uint32_t context;
    uint32_t stream, event; /* UINT32_MAX: none */
    uint64_t event_sync;
    uint32_t result, reserved;
};

struct rf_cuda_graph {
    struct rf_cuda_head head;
    uint64_t start, end;
    uint32_t device, context;
    uint32_t stream, graph;
    uint32_t end_device, end_context;
};

struct rf_cuda_memory {
    struct rf_cuda_head head;
    uint64_t time;
    uint64_t address, bytes, pc;
    uint32_t device, context;
    uint32_t stream;
    uint8_t operation; /* as CUPTI numbers it: 1 allocation, 2 release */
    uint8_t memory;    /* kind of memory: 1 pageable, 2 pinned, 3 device, ... */
    uint8_t is_async, pool_type;
    uint64_t pool_address, pool_threshold, pool_size, pool_used;
    uint32_t name, reserved; /* RF_CUDA_DEF_KERNEL: name of the variable; 0: none */
};

struct rf_cuda_event {
    struct rf_cuda_head head;
    uint32_t event, context;
    uint32_t stream, device;
    uint64_t device_time;
    uint64_t event_sync;
};

struct rf_cuda_overhead {
    struct rf_cuda_head head;
    uint64_t start, end;
    uint32_t overhead_kind; /* as CUPTI numbers it */
    uint32_t object_kind;   /* 1 process, 2 thread, 3 device, 4 context, 5 stream */
    uint32_t object[3];     /* process, thread; or device, context, stream */
    uint32_t reserved;
};

struct rf_cuda_dropped {
    struct rf_cuda_head head;
    uint64_t n;
};

/* Whether words 2 and 3 of a kind are start and end. */
static inline bool rf_cuda_has_times(uint64_t kind)
{
    return kind == RF_CUDA_OVERHEAD || (kind >= RF_CUDA_API && kind <= RF_CUDA_GRAPH);
}

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

#define RF_CUDA_MAX_WORDS (sizeof(union rf_cuda_record) / 8)

/* ---- Definitions: RF_REC_CUDA_DEF ----
 *
 * struct rf_def: domain holds the kind, index and value its key.
 *
 * | kind     | index       | value                     | detail         | text             |
 * | FUNCTION | as API      | -                         | -              | its name         |
 * | KERNEL   | handle from 1 | -                       | -              | mangled name     |
 * | DEVICE   | device id   | -                         | -              | facts            |
 * | CONTEXT  | context id  | device id                 | null stream id | facts            |
 * | STREAM   | stream id   | context id                | -              | facts            |
 * | CLOCK    | -           | CUPTI's clock at head's   | error, ns      | -                |
 * | LIBRARY  | -           | -                         | -              | facts            |
 * | OBJECT   | object's id | its handle in the program | enum rf_object | facts            |
 *
 * Facts are lines NAME=VALUE, in any order. DEVICE: name, pci, uuid, memory, multiprocessors,
 * capability (9.0), and what else is known, by the name of nsys's column in TARGET_INFO_GPU.
 * CONTEXT: api, process. STREAM: priority, flag. LIBRARY: path, version (cuptiGetVersion), driver
 * (cuDriverGetVersion). OBJECT: context. Kernels and functions of a forked process are its own. The
 * last definition of a key holds. */
enum rf_cuda_def {
    RF_CUDA_DEF_FUNCTION = 1,
    RF_CUDA_DEF_KERNEL = 2,
    RF_CUDA_DEF_DEVICE = 3,
    RF_CUDA_DEF_CONTEXT = 4,
    RF_CUDA_DEF_STREAM = 5,
    RF_CUDA_DEF_CLOCK = 6,
    RF_CUDA_DEF_LIBRARY = 7,
    RF_CUDA_DEF_OBJECT = 8,
};

/* ---- What the session wants: bits of rf_control.cuda ---- */

#define RF_CUDA_IS_WANTED    1u  /* -t cuda */
#define RF_CUDA_GRAPH_NODES  2u  /* --cuda-graph-trace=node; else whole graphs, where they can be */
#define RF_CUDA_MEMORY_USAGE 4u  /* --cuda-memory-usage=true */
#define RF_CUDA_EVENT_TRACE  8u  /* --cuda-event-trace=true */
#define RF_CUDA_ALL_APIS     16u /* --cuda-trace-all-apis=true */

/* The state of CUDA in a process: rf_pool_header.cuda_state. */
enum rf_cuda_state {
    RF_CUDA_NONE = 0, /* the driver was not initialised, or CUDA is not wanted */
    RF_CUDA_ON = 1,   /* CUDA is recorded, when a capture is on; cuda_phase counts */
    RF_CUDA_OFF = 2,  /* CUDA cannot be recorded, or has ended */
};

_Static_assert(sizeof(struct rf_cuda_head) == 16, "docs/format.md 9");
_Static_assert(sizeof(struct rf_cuda_api) == 48, "docs/format.md 9");
_Static_assert(sizeof(struct rf_cuda_kernel) == 152, "docs/format.md 9");
_Static_assert(sizeof(struct rf_cuda_memcpy) == 88, "docs/format.md 9");
_Static_assert(sizeof(struct rf_cuda_memset) == 72, "docs/format.md 9");
_Static_assert(sizeof(struct rf_cuda_sync) == 64, "docs/format.md 9");
_Static_assert(sizeof(struct rf_cuda_graph) == 56, "docs/format.md 9");
_Static_assert(sizeof(struct rf_cuda_memory) == 104, "docs/format.md 9");
_Static_assert(sizeof(struct rf_cuda_event) == 48, "docs/format.md 9");
_Static_assert(sizeof(struct rf_cuda_overhead) == 56, "docs/format.md 9");
_Static_assert(sizeof(struct rf_cuda_dropped) == 24, "docs/format.md 9");
#endif
