/* SPDX-License-Identifier: Apache-2.0 */
/* Calls, GPU work and counters of a recording, and the projection of ranges onto GPU work. A part
 * of rangefinder.h, which includes it. */
#ifndef RANGEFINDER_GPU_WORK_H
#define RANGEFINDER_GPU_WORK_H

#include "rangefinder/rangefinder.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Calls and GPU work ----
 *
 * What is known beyond annotations: of a program that uses CUDA, or from another profiler's file.
 * Every list is empty where there is none. */

/* What the times of a call or of GPU work are not. In recordings of our own; an import counts it by
 * rf_skipped_at(). */
enum rf_time_flags {
    RF_TIME_NO_START = 1, /* it has no start: taken as empty, at its end */
    RF_TIME_NO_END = 2,   /* it has no end: taken as empty. With NO_START: it stands where its call
                           * ends, or where it was written */
    RF_TIME_CLAMPED = 4,  /* its end lay before its start: taken as empty */
    RF_TIME_BEFORE_CALL = 8, /* GPU work that begins before the call that caused it */
};

enum rf_call_kind {
    RF_CALL_CUDA_RUNTIME = 1, /* cudaLaunchKernel, ... */
    RF_CALL_CUDA_DRIVER = 2,  /* cuLaunchKernel, ... */
    RF_CALL_OS = 3,           /* a function of the operating system's libraries: read, poll, ... */
};

/* One call on a thread of the CPU; 40 bytes. */
struct rf_call {
    int64_t start_ns;
    int64_t end_ns;       /* >= start_ns */
    uint32_t name;        /* string */
    uint32_t correlation; /* names the call in its process; 0: none */
    uint32_t first_op;    /* of the GPU work that it caused: index into rf_gpu_ops(); the others
                           * follow by next_op; RF_NO_INDEX: none. SYNC is not among them */
    int32_t result;       /* what it returned */
    uint8_t kind;         /* enum rf_call_kind */
    uint8_t flags;        /* enum rf_time_flags */
    uint8_t event_class;  /* OS: as nsys numbers them: 27 a call; 31, 32 one of which it saw the
                           * start  or the end alone */
    uint8_t reserved[5];
};

/* The calls of a thread, sorted by start_ns, an enclosing call before what it encloses. *n: how
 * many. NULL where there are none. */
RF_API const struct rf_call *rf_thread_calls(const rf_recording *rec, uint32_t thread, size_t *n);

/* A GPU of the machine. */
struct rf_gpu {
    uint32_t id;   /* as the driver numbers it on the machine */
    uint32_t name; /* string: "NVIDIA H100 80GB HBM3" */
    uint32_t chip; /* string: "GH100"; may be none */
    uint32_t uuid; /* string; may be none */
    uint64_t memory_bytes;
    uint32_t n_multiprocessors;
    uint32_t capability_major, capability_minor;
    uint32_t bus;                 /* string: where on the PCI bus, "0000:3b:00.0"; may be none */
    uint32_t first_fact, n_facts; /* what else is known of it: for rf_gpu_fact_at() */
};

RF_API uint32_t rf_n_gpus(const rf_recording *rec);
RF_API const struct rf_gpu *rf_gpu_at(const rf_recording *rec, uint32_t i);

/* A fact of a GPU. */
struct rf_gpu_fact {
    uint32_t name;  /* string: as nsys's databases call it, "l2CacheSize" */
    uint32_t text;  /* string; RF_NO_STRING: it is the number */
    int64_t number; /* in the units of those databases */
};

/* NULL past the last. */
RF_API const struct rf_gpu_fact *rf_gpu_fact_at(const rf_recording *rec, uint32_t i);

/* A GPU as a process numbers it: CUDA_VISIBLE_DEVICES gives it other numbers than the machine's. */
struct rf_gpu_device {
    uint32_t process;           /* index */
    uint32_t device;            /* as in struct rf_gpu_track */
    uint32_t gpu;               /* index for rf_gpu_at(), or RF_NO_INDEX */
    uint32_t uuid;              /* string; may be none */
    uint32_t n_multiprocessors; /* that the process may use; 0: unknown */
    uint32_t name; /* string: given with nvtxNameCudaDevice or nvtxNameCuDevice; may be none */
};

/* Sorted by process, device. */
RF_API uint32_t rf_n_gpu_devices(const rf_recording *rec);
RF_API const struct rf_gpu_device *rf_gpu_device_at(const rf_recording *rec, uint32_t i);

/* A context of CUDA, or a green context, which is a part of one. */
struct rf_gpu_context {
    uint32_t process; /* index */
    uint32_t device;
    uint32_t context;
    uint32_t green_context;             /* 0: it is a whole one */
    uint32_t null_stream;               /* id of its default stream; RF_NO_INDEX: unknown */
    uint32_t n_multiprocessors, n_tpcs; /* 0: unknown */
    uint32_t tpc_mask;                  /* string; may be none */
    uint32_t name;                      /* string: given with nvtxNameCuContext; may be none */
};

/* Those that were made known, whether they did work or not. Sorted by process, device, context,
 * green context. */
RF_API uint32_t rf_n_gpu_contexts(const rf_recording *rec);
RF_API const struct rf_gpu_context *rf_gpu_context_at(const rf_recording *rec, uint32_t i);

/* A stream that was made known, whether it did work or not. */
struct rf_gpu_stream {
    uint32_t process; /* index */
    uint32_t context;
    uint32_t stream;
    uint32_t device; /* of the context; RF_NO_INDEX: unknown */
    uint32_t name;   /* string: given with nvtxNameCudaStream or nvtxNameCuStream; may be none */
    int32_t priority;
    uint8_t flag; /* as CUPTI numbers it: 1 default, 2 non-blocking, 3 the default stream of its
                   * context; 0: unknown */
    uint8_t has_priority; /* 0: it is not known */
    uint8_t reserved[2];
};

/* Sorted by process, context, stream. */
RF_API uint32_t rf_n_gpu_streams(const rf_recording *rec);
RF_API const struct rf_gpu_stream *rf_gpu_stream_at(const rf_recording *rec, uint32_t i);

/* A stream of a context of a device, in one process: where GPU work runs in order. */
struct rf_gpu_track {
    uint32_t process; /* index */
    uint32_t device;  /* id of the GPU as the process sees it */
    uint32_t context;
    uint32_t green_context; /* 0: none */
    uint32_t stream;
    uint32_t first_op, n_ops; /* its work, sorted by start */
};

/* Sorted by process, device, context, stream. */
RF_API uint32_t rf_n_gpu_tracks(const rf_recording *rec);
RF_API const struct rf_gpu_track *rf_gpu_track_at(const rf_recording *rec, uint32_t i);

/* What a process means by a device; NULL: nothing is known. */
RF_API const struct rf_gpu_device *rf_gpu_device_of(const rf_recording *rec, uint32_t process,
                                                    uint32_t device);

/* The GPU that a process means by a device: the one that it says, or else the one of that id; NULL:
 * nothing is known. */
RF_API const struct rf_gpu *rf_gpu_of(const rf_recording *rec, uint32_t process, uint32_t device);

/* The context and the stream of a track; NULL: nothing more is known of it. */
RF_API const struct rf_gpu_context *rf_gpu_context_of(const rf_recording *rec,
                                                      const struct rf_gpu_track *track);
RF_API const struct rf_gpu_stream *rf_gpu_stream_of(const rf_recording *rec,
                                                    const struct rf_gpu_track *track);

enum rf_gpu_op_kind {
    RF_OP_KERNEL = 1,
    RF_OP_MEMCPY = 2,
    RF_OP_MEMSET = 3,
    RF_OP_GRAPH = 4, /* a whole graph, traced as one */
    RF_OP_SYNC = 5,  /* a wait of the CPU or of a stream; no work */
};

/* One piece of GPU work; 56 bytes. */
struct rf_gpu_op {
    int64_t start_ns;
    int64_t end_ns;       /* >= start_ns */
    uint32_t track;       /* index */
    uint32_t name;        /* string: of a kernel its short name; otherwise RF_NO_STRING */
    uint32_t correlation; /* of the call; 0: none */
    uint32_t thread;      /* index of the thread that called; RF_NO_INDEX: unknown */
    uint32_t call;        /* index into rf_thread_calls() of it; RF_NO_INDEX: unknown, or a filter
                           * leaves the calls out */
    uint32_t next_op;     /* of the same call: index, or RF_NO_INDEX */
    uint32_t detail;      /* KERNEL: index for rf_kernel_at(); MEMCPY, MEMSET: for rf_transfer_at();
                           * SYNC: for rf_wait_at(); GRAPH: id of the executable graph;
                           * RF_NO_INDEX: nothing more is known */
    uint32_t graph;       /* id of the graph that it belongs to; 0: none or unknown */
    uint8_t kind;         /* enum rf_gpu_op_kind */
    uint8_t sync_type; /* SYNC: as CUPTI numbers it: 1 event, 2 stream wait, 3 stream, 4 context */
    uint8_t flags;     /* enum rf_time_flags */
    uint8_t reserved[5];
};

/* All GPU work, by track, then start. *n: how many. */
RF_API const struct rf_gpu_op *rf_gpu_ops(const rf_recording *rec, size_t *n);

/* What only kernels have. */
struct rf_kernel {
    uint32_t demangled, mangled; /* strings; may be none */
    uint32_t grid[3], block[3];
    uint32_t registers; /* per thread */
    uint32_t static_shared_bytes, dynamic_shared_bytes;
    uint32_t local_bytes_per_thread;
    uint64_t local_bytes; /* in all */
    uint64_t graph_node;  /* 0: none */
    uint8_t launch_type, cache_config, shared_limit_config, reserved;
    uint32_t shared_executed_bytes;
    uint32_t cluster[3];     /* of blocks; 0: unknown, also below */
    uint32_t cluster_policy; /* how clusters are scheduled, as CUPTI numbers it */
    uint32_t max_potential_cluster_size, max_active_clusters;
    uint32_t shared_requested_percent;
    uint32_t reserved2;
    uint64_t grid_id; /* of the launch, as the driver numbers them; 0: unknown */
};

RF_API const struct rf_kernel *rf_kernel_at(const rf_recording *rec, uint32_t i);

/* What only copies and sets have. */
struct rf_transfer {
    uint64_t bytes;
    uint64_t graph_node;   /* 0: none */
    uint32_t value;        /* MEMSET */
    uint32_t peer_device;  /* MEMCPY between devices: the other one; RF_NO_INDEX */
    uint8_t copy_kind;     /* MEMCPY: as CUPTI numbers it: 1 HtoD, 2 DtoH, 8 DtoD, 10 PtoP, ... */
    uint8_t source_memory; /* enum of CUPTI: 0 pageable, 1 pinned, 2 device, ... MEMSET: memory */
    uint8_t target_memory;
    uint8_t migration_cause; /* of managed memory: 1 user, 2 coherence, 3 prefetch, ...; 0: none */
    uint32_t reserved;
    uint32_t source_device, source_context; /* where it is said; RF_NO_INDEX */
    uint32_t target_device, target_context;
    uint64_t address;  /* of managed memory that migrates; 0: none */
    uint32_t n_copies; /* that one record stands for; 0: it does not say */
    uint32_t reserved2;
};

RF_API const struct rf_transfer *rf_transfer_at(const rf_recording *rec, uint32_t i);

/* What only waits have: the event that was waited for. */
struct rf_wait {
    uint32_t event; /* id; 0xffffffff: none */
    uint32_t reserved;
    uint64_t event_sync; /* which record of that event; 0: it does not say */
};

RF_API const struct rf_wait *rf_wait_at(const rf_recording *rec, uint32_t i);

/* What else profilers record, a row each. */
enum rf_extra_kind {
    RF_EXTRA_CUDA_EVENT = 1,     /* an event was recorded in a stream */
    RF_EXTRA_MEMORY = 2,         /* memory was allocated or released */
    RF_EXTRA_MEMORY_POOL = 3,    /* a pool was created, trimmed, destroyed */
    RF_EXTRA_CPU_PAGE_FAULT = 4, /* of managed memory */
    RF_EXTRA_GPU_PAGE_FAULT = 5,
    RF_EXTRA_GRAPH = 6, /* a call that made a graph */
    RF_EXTRA_GRAPH_NODE = 7,
    RF_EXTRA_HOST_NODE = 8, /* a function of the host that ran in a stream's order */
    RF_EXTRA_HOST_CALLBACK = 9,
    RF_EXTRA_DECOMPRESSION = 10,
    RF_EXTRA_OVERHEAD = 11, /* of CUDA and CUPTI: full command buffers, loading, ... */
    RF_EXTRA_JIT = 12,
    RF_EXTRA_PROFILER = 13, /* time that the profiler itself took */
    RF_EXTRA_CUDNN = 14,
    RF_EXTRA_CUBLAS = 15,
    RF_EXTRA_MPI_MESSAGE = 16,
    RF_EXTRA_MPI_COLLECTIVE = 17,
    RF_EXTRA_MPI_WAIT = 18,
    RF_EXTRA_MPI_OTHER = 19,
    RF_EXTRA_MPI_RANK = 20,
    RF_EXTRA_OPENACC_DATA = 21,
    RF_EXTRA_OPENACC_LAUNCH = 22,
    RF_EXTRA_OPENACC_OTHER = 23,
    RF_EXTRA_DIAGNOSTIC = 24,     /* what the profiler had to say */
    RF_EXTRA_PAYLOAD_SCHEMA = 25, /* how extended payloads of NVTX are laid out */
    RF_EXTRA_PAYLOAD_ENTRY = 26,
    RF_EXTRA_PAYLOAD_ENUM = 27,
    RF_EXTRA_PAYLOAD_ENUM_ENTRY = 28,
};

/* One of them; 64 bytes. What else a kind knows are its values: rf_extra_value(). */
struct rf_extra {
    int64_t start_ns;   /* of CUDA_EVENT: when the call that recorded it began; RF_NO_TIME: none */
    int64_t end_ns;     /* >= start_ns; RF_NO_TIME: it is a moment */
    size_t first_value; /* for rf_extra_value() */
    uint32_t name;      /* string; RF_NO_STRING: it has none */
    uint32_t process;   /* index; RF_NO_INDEX: of none, also below */
    uint32_t thread;    /* index; of a row that names a call: who called */
    uint32_t device, context, stream;
    uint32_t green_context; /* 0: none */
    uint32_t correlation;   /* of the call; 0: none */
    uint32_t has;           /* bit i: it has value i */
    uint8_t kind;           /* enum rf_extra_kind */
    uint8_t reserved[3];
};

/* All of them, by start; those without a time first. *n: how many. NULL where there are none. */
RF_API const struct rf_extra *rf_extras(const rf_recording *rec, size_t *n);

/* "memory", "cuda_event", ...; NULL for a kind that this version does not have. */
RF_API const char *rf_extra_kind_name(int kind);

enum rf_extra_value_type { RF_VALUE_NONE = 0, RF_VALUE_NUMBER = 1, RF_VALUE_STRING = 2 };

/* The name of value i of a kind, as nsys's databases call it: "memKind". NULL past the last. */
RF_API const char *rf_extra_value_name(int kind, unsigned i);

/* Value i of a row: its type, and the number, or the string's id, in *value. RF_VALUE_NONE: the row
 * does not have it. */
RF_API int rf_extra_value(const rf_recording *rec, const struct rf_extra *extra, unsigned i,
                          int64_t *value);

/* One quantity over time: a hardware counter of a GPU, or one of a program. Sample i has the value
 * from the sample before up to ns[i]. The columns are the recording's; counters that were sampled
 * together may have the same ns. */
struct rf_counter {
    uint32_t name;     /* string: "SMs Active [Throughput %]" */
    uint32_t set;      /* string: what it was sampled with: "General Metrics for NVIDIA GH100"; may
                        * be none */
    uint32_t device;   /* GPU, as rf_gpu.id; RF_NO_INDEX: of no GPU */
    uint32_t process;  /* index; RF_NO_INDEX: of the whole machine */
    const int64_t *ns; /* by time; NULL: there are no samples */
    const double *value; /* always numbers; NULL likewise */
    size_t n_samples;
    int is_derived; /* it was reckoned from rows of RF_EXTRA_MEMORY */
};

RF_API uint32_t rf_n_counters(const rf_recording *rec);

/* By device, process and set, then as the file numbers them; NULL past the last. */
RF_API const struct rf_counter *rf_counter_at(const rf_recording *rec, uint32_t i);

/* What an import left out, or had to change: one entry per table and reason. */
struct rf_skipped {
    const char *table;  /* its name in the file */
    const char *reason; /* "no start: left out" */
    uint64_t n_rows;
};

/* NULL past the last. */
RF_API const struct rf_skipped *rf_skipped_at(const rf_recording *rec, uint32_t i);

/* ---- Projection: the GPU work under a range ----
 *
 * A range covers the calls of its own thread that lie wholly inside it, edges included, and the GPU
 * work of those calls is the range's; so it is every enclosing range's. That is the rule of nsys's
 * nvtx_gpu_proj_trace. A range that ended on another thread covers nothing and encloses nothing,
 * unless by_process is set: then it covers the calls of all threads of its process. Waits
 * (RF_OP_SYNC) are no work. docs/projection.md has the details. */

struct rf_project_options {
    int by_process;   /* attribute ranges that ended on another thread, too */
    int kernels_only; /* kernels and whole graphs count, copies and sets do not */
};

/* What one range caused. */
struct rf_projection {
    uint32_t thread, event; /* the range: rf_thread_events(thread)[event] */
    int64_t start_ns;       /* of the first piece of work */
    int64_t end_ns;         /* of the last one */
    uint64_t busy_ns;       /* sum of the work's durations; stops at its largest value */
    uint32_t n_calls;       /* that caused the work; the launch of a graph is one */
    uint32_t n_ops;
    int by_process; /* it ended on another thread: the calls are those of the whole process */
};

typedef struct rf_projections rf_projections;

/* Computes all projections. options may be NULL. The caller frees *out, which is NULL on failure,
 * before closing the recording. Any number of threads may read the result at once. */
RF_API int rf_project(const rf_recording *rec, const struct rf_project_options *options,
                      rf_projections **out, struct rf_err *err);

/* NULL is accepted. */
RF_API void rf_projections_free(rf_projections *projections);

/* The ranges that caused work, by thread, then event. *n: how many. NULL where there are none. */
RF_API const struct rf_projection *rf_projections_all(const rf_projections *projections, size_t *n);

/* The projection of a range, or NULL: it caused no work. */
RF_API const struct rf_projection *rf_projection_of(const rf_projections *projections,
                                                    uint32_t thread, uint32_t event);

/* The innermost (shortest) range over the call that caused a piece of work, waits included: index
 * into the events of the thread that called, or RF_NO_INDEX. op: index into rf_gpu_ops(). The
 * ranges around it: rf_range_parent(). by_process and kernels_only change nothing here. */
RF_API uint32_t rf_projection_owner(const rf_projections *projections, uint32_t op);

/* The innermost (shortest) range of the same thread, of any domain, that encloses a range: index
 * into the thread's events, or RF_NO_INDEX. Of ranges with the same start and end, each is inside
 * the one before it. */
RF_API uint32_t rf_range_parent(const rf_projections *projections, uint32_t thread, uint32_t event);

/* How much of the GPU's work lies under any range. */
struct rf_coverage {
    uint64_t n_ops, n_covered;
    uint64_t busy_ns, covered_ns; /* sums of durations; they stop at their largest value */
};

RF_API void rf_projection_coverage(const rf_projections *projections, struct rf_coverage *out);

#ifdef __cplusplus
}
#endif
#endif
