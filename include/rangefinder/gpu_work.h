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
 * What a recording knows beyond annotations: of a program that uses CUDA, or from another
 * profiler's file. Lists are empty where there is nothing. */

/* What is wrong with the times of a call or of GPU work. Only recordings of our own have these; for
 * an import rf_skipped_at() counts such rows. */
enum rf_time_flags {
    RF_TIME_NO_START = 1,    /* it has no start: it is empty, at its end */
    RF_TIME_NO_END = 2,      /* it has no end: it is empty, at its start. With NO_START: it stands
                              * where its call ends, or where it was written */
    RF_TIME_CLAMPED = 4,     /* its end lay before its start: it is empty */
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
    uint32_t correlation; /* identifies the call in its process; 0: none */
    uint32_t first_op;    /* the first GPU work that it caused: index into rf_gpu_ops(); the others
                           * follow by rf_gpu_op.next_op; RF_NO_INDEX: none. SYNC is not among
                           * them */
    int32_t result;       /* what it returned */
    uint8_t kind;         /* enum rf_call_kind */
    uint8_t flags;        /* enum rf_time_flags */
    uint8_t event_class;  /* OS: as nsys numbers them: 27 a call; 31, 32 a call of which it saw only
                           * the start, or only the end */
    uint8_t reserved[5];
};

/* The calls of a thread, sorted by start_ns, an enclosing call before what it encloses. *n: how
 * many. NULL where there are none. */
RF_API const struct rf_call *rf_thread_calls(const rf_recording *rec, uint32_t thread, size_t *n);

/* Call i of rf_thread_calls(); NULL past the last. */
RF_API const struct rf_call *rf_thread_call_at(const rf_recording *rec, uint32_t thread, size_t i);

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
    uint32_t first_fact, n_facts; /* what else is known about it: see rf_gpu_fact_at() */
};

/* The GPUs of the machine. */
RF_API uint32_t rf_n_gpus(const rf_recording *rec);
RF_API const struct rf_gpu *rf_gpu_at(const rf_recording *rec, uint32_t i);

/* One property of a GPU. */
struct rf_gpu_fact {
    uint32_t name;  /* string: as nsys's databases call it, "l2CacheSize" */
    uint32_t text;  /* string: its value; RF_NO_STRING: `number` is the value */
    int64_t number; /* in the units of those databases */
};

/* By rf_gpu.first_fact and what follows. NULL past the last. */
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

/* The devices of all processes, sorted by process, device. */
RF_API uint32_t rf_n_gpu_devices(const rf_recording *rec);
RF_API const struct rf_gpu_device *rf_gpu_device_at(const rf_recording *rec, uint32_t i);

/* A context of CUDA, or a green context, which is a part of one. */
struct rf_gpu_context {
    uint32_t process; /* index */
    uint32_t device;
    uint32_t context;
    uint32_t green_context;             /* 0: it is a whole context */
    uint32_t null_stream;               /* id of its default stream; RF_NO_INDEX: unknown */
    uint32_t n_multiprocessors, n_tpcs; /* 0: unknown */
    uint32_t tpc_mask;                  /* string; may be none */
    uint32_t name;                      /* string: given with nvtxNameCuContext; may be none */
};

/* The contexts that CUDA reported, with or without work, sorted by process, device, context, green
 * context. */
RF_API uint32_t rf_n_gpu_contexts(const rf_recording *rec);
RF_API const struct rf_gpu_context *rf_gpu_context_at(const rf_recording *rec, uint32_t i);

/* A stream that CUDA reported, with or without work. */
struct rf_gpu_stream {
    uint32_t process; /* index */
    uint32_t context;
    uint32_t stream;
    uint32_t device; /* of the context; RF_NO_INDEX: unknown */
    uint32_t name;   /* string: given with nvtxNameCudaStream or nvtxNameCuStream; may be none */
    int32_t priority;
    uint8_t flag; /* as CUPTI numbers it: 1 default, 2 non-blocking, 3 the default stream of its
                   * context; 0: unknown */
    uint8_t has_priority; /* 0: priority is not known */
    uint8_t reserved[2];
};

/* The streams, sorted by process, context, stream. */
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

/* The tracks, sorted by process, device, context, stream. */
RF_API uint32_t rf_n_gpu_tracks(const rf_recording *rec);
RF_API const struct rf_gpu_track *rf_gpu_track_at(const rf_recording *rec, uint32_t i);

/* The device that a process has under this number; NULL: nothing is known about it. */
RF_API const struct rf_gpu_device *rf_gpu_device_of(const rf_recording *rec, uint32_t process,
                                                    uint32_t device);

/* The GPU that a process has under this device number: the GPU that the process reported, or else
 * the GPU with that id. NULL: nothing is known about it. */
RF_API const struct rf_gpu *rf_gpu_of(const rf_recording *rec, uint32_t process, uint32_t device);

/* The context and the stream of a track; NULL: nothing more is known about it. */
RF_API const struct rf_gpu_context *rf_gpu_context_of(const rf_recording *rec,
                                                      const struct rf_gpu_track *track);
RF_API const struct rf_gpu_stream *rf_gpu_stream_of(const rf_recording *rec,
                                                    const struct rf_gpu_track *track);

enum rf_gpu_op_kind {
    RF_OP_KERNEL = 1,
    RF_OP_MEMCPY = 2,
    RF_OP_MEMSET = 3,
    RF_OP_GRAPH = 4, /* a whole graph, traced as one */
    RF_OP_SYNC = 5,  /* a wait of the CPU or of a stream; not work */
};

/* "kernel", "memcpy", "memset", "graph", "sync": what every export calls a kind of GPU work;
 * "unknown" for a kind that this version does not have. */
RF_API const char *rf_gpu_op_kind_name(int kind);

/* One piece of GPU work; 56 bytes. */
struct rf_gpu_op {
    int64_t start_ns;
    int64_t end_ns;       /* >= start_ns */
    uint32_t track;       /* index */
    uint32_t name;        /* string: the short name of a kernel; otherwise RF_NO_STRING */
    uint32_t correlation; /* of the call; 0: none */
    uint32_t thread;      /* index of the thread that called; RF_NO_INDEX: unknown */
    uint32_t call;        /* index into rf_thread_calls() of that thread; RF_NO_INDEX: unknown, or a
                           * filter leaves the calls out */
    uint32_t next_op;     /* the next work of the same call: index, or RF_NO_INDEX */
    uint32_t detail;      /* KERNEL: index for rf_kernel_at(); MEMCPY, MEMSET: for rf_transfer_at();
                           * SYNC: for rf_wait_at(); GRAPH: id of the executable graph;
                           * RF_NO_INDEX: nothing more is known */
    uint32_t graph;       /* id of the graph that it belongs to; 0: none or unknown */
    uint8_t kind;         /* enum rf_gpu_op_kind */
    uint8_t sync_type; /* SYNC: as CUPTI numbers it: 1 event, 2 stream wait, 3 stream, 4 context */
    uint8_t flags;     /* enum rf_time_flags */
    uint8_t reserved;
    uint32_t graph_end; /* GRAPH: 1 + index for rf_graph_end_at(); 0: it ended where it began */
};

/* All GPU work, by track, then start. *n: how many. */
RF_API const struct rf_gpu_op *rf_gpu_ops(const rf_recording *rec, size_t *n);

/* Piece i of rf_gpu_ops(); NULL past the last. */
RF_API const struct rf_gpu_op *rf_gpu_op_at(const rf_recording *rec, size_t i);

/* What only its kind of work has: a struct rf_kernel, rf_transfer, rf_wait or rf_graph_end, which
 * the recording owns. NULL: nothing more is known. */
RF_API const void *rf_gpu_op_detail(const rf_recording *rec, const struct rf_gpu_op *op);

/* What only kernels have. */
struct rf_kernel {
    uint32_t demangled, mangled; /* strings; may be none */
    uint32_t grid[3], block[3];
    uint32_t registers; /* per thread */
    uint32_t static_shared_bytes, dynamic_shared_bytes;
    uint32_t local_bytes_per_thread;
    uint64_t local_bytes; /* in all */
    uint64_t graph_node;  /* 0: none */
    uint8_t launch_type, cache_config, shared_limit_config;
    uint8_t channel_type; /* 1 compute, 2 asynchronous copy, 3 decompression; 0: unknown */
    uint32_t shared_executed_bytes;
    uint32_t cluster[3];     /* in blocks; 0: unknown, likewise in the members below */
    uint32_t cluster_policy; /* how clusters are scheduled, as CUPTI numbers it */
    uint32_t max_potential_cluster_size, max_active_clusters;
    uint32_t shared_requested_percent;
    uint32_t channel; /* of the hardware, that it was launched through */
    uint64_t grid_id; /* of the launch, as the driver numbers them; 0: unknown */
};

/* By rf_gpu_op.detail. NULL past the last. */
RF_API const struct rf_kernel *rf_kernel_at(const rf_recording *rec, uint32_t i);

/* What only copies and sets have. */
struct rf_transfer {
    uint64_t bytes;
    uint64_t graph_node;     /* 0: none */
    uint32_t value;          /* MEMSET */
    uint32_t peer_device;    /* MEMCPY between devices: the other one; RF_NO_INDEX: none */
    uint8_t copy_kind;       /* MEMCPY: as CUPTI numbers it: 1 HtoD, 2 DtoH, 8 DtoD, 10 PtoP, ... */
    uint8_t source_memory;   /* enum of CUPTI: 0 pageable, 1 pinned, 2 device, ... */
    uint8_t target_memory;   /* MEMSET: the same as source_memory */
    uint8_t migration_cause; /* of managed memory: 1 user, 2 coherence, 3 prefetch, ...; 0: none */
    uint32_t activity_flags; /* as CUPTI numbers them: 1 asynchronous */
    uint32_t source_device, source_context; /* RF_NO_INDEX: unknown, likewise below */
    uint32_t target_device, target_context;
    uint64_t address;  /* of managed memory that migrates; 0: none */
    uint32_t n_copies; /* that this record stands for; 0: unknown */
    uint32_t reserved2;
};

/* By rf_gpu_op.detail. NULL past the last. */
RF_API const struct rf_transfer *rf_transfer_at(const rf_recording *rec, uint32_t i);

/* What only waits have: the event that was waited for, and how it ended. */
struct rf_wait {
    uint32_t event;      /* id; 0xffffffff: none */
    uint32_t result;     /* of the wait, as CUDA numbers errors; 0: success, or unknown */
    uint64_t event_sync; /* which record of that event; 0: unknown */
};

/* By rf_gpu_op.detail. NULL past the last. */
RF_API const struct rf_wait *rf_wait_at(const rf_recording *rec, uint32_t i);

/* Where a whole graph ended, if not on the device and in the context where it began. */
struct rf_graph_end {
    uint32_t device, context;
};

/* By rf_gpu_op.graph_end - 1. NULL past the last. */
RF_API const struct rf_graph_end *rf_graph_end_at(const rf_recording *rec, uint32_t i);

/* Everything else that profilers record, one row each. */
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
    RF_EXTRA_OPENMP_THREAD = 29, /* events of OpenMP, by their kind */
    RF_EXTRA_OPENMP_PARALLEL = 30,
    RF_EXTRA_OPENMP_SYNC_REGION_WAIT = 31,
    RF_EXTRA_OPENMP_SYNC_REGION = 32,
    RF_EXTRA_OPENMP_TASK = 33,
    RF_EXTRA_OPENMP_MASTER = 34,
    RF_EXTRA_OPENMP_REDUCTION = 35,
    RF_EXTRA_OPENMP_TASK_CREATE = 36,
    RF_EXTRA_OPENMP_TASK_SCHEDULE = 37,
    RF_EXTRA_OPENMP_CANCEL = 38,
    RF_EXTRA_OPENMP_MUTEX_WAIT = 39,
    RF_EXTRA_OPENMP_CRITICAL_SECTION = 40,
    RF_EXTRA_OPENMP_MUTEX_RELEASED = 41,
    RF_EXTRA_OPENMP_LOCK_INIT = 42,
    RF_EXTRA_OPENMP_LOCK_DESTROY = 43,
    RF_EXTRA_OPENMP_WORKSHARE = 44,
    RF_EXTRA_OPENMP_DISPATCH = 45,
    RF_EXTRA_OPENMP_FLUSH = 46,
    RF_EXTRA_NIC_METRIC = 47, /* a network card's counter over some time, of the whole machine */
    RF_EXTRA_NIC_METRIC_NAME = 48, /* which counter that is */
    RF_EXTRA_NIC_ID = 49,          /* which card that is */
    RF_EXTRA_NIC = 50,             /* a network card */
    RF_EXTRA_NVTX_HEAP = 51,       /* a heap of NVTX's memory extension */
    RF_EXTRA_NVTX_REGION = 52,     /* a region of one; it ends where it was unregistered */
    RF_EXTRA_SYSCALL = 53,         /* a system call, of nsys's databases */
};

/* One row; 64 bytes. rf_extra_value() gives the values that only its kind has. */
struct rf_extra {
    int64_t start_ns;   /* of CUDA_EVENT: when the call that recorded it began; RF_NO_TIME: none */
    int64_t end_ns;     /* >= start_ns; RF_NO_TIME: it is a moment */
    size_t first_value; /* for rf_extra_value() */
    uint32_t name;      /* string; RF_NO_STRING: it has none */
    uint32_t process;   /* index; RF_NO_INDEX: none, likewise below */
    uint32_t thread;    /* index; where the row names a call: the thread that called */
    uint32_t device, context, stream;
    uint32_t green_context; /* 0: none */
    uint32_t correlation;   /* of the call; 0: none */
    uint32_t has;           /* bit i: it has value i */
    uint8_t kind;           /* enum rf_extra_kind */
    uint8_t reserved[3];
};

/* All rows by start; rows without a time come first. *n: how many. NULL where there are none. */
RF_API const struct rf_extra *rf_extras(const rf_recording *rec, size_t *n);

/* How many calls, pieces of GPU work and rows of rf_extras() there are, by kind. */
struct rf_work_counts {
    size_t size; /* of this struct: RF_WORK_COUNTS_INIT sets it */
    uint64_t n_cuda_calls;
    uint64_t n_os_calls;    /* of functions of the operating system */
    uint64_t n_ops[256];    /* by enum rf_gpu_op_kind */
    uint64_t n_extras[256]; /* by enum rf_extra_kind */
};
#define RF_WORK_COUNTS_INIT                                                                        \
    {                                                                                              \
        sizeof(struct rf_work_counts), 0, 0, {0},                                                  \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }

/* Counts them; with RF_OPEN_WORK_COUNTS it tells what was counted and is not kept. Returns RF_OK,
 * or RF_ERR_USAGE where rec or out is NULL, or out has no size of this struct. */
RF_API int rf_work_counts_of(const rf_recording *rec, struct rf_work_counts *out);

/* Row i of rf_extras(); NULL past the last. */
RF_API const struct rf_extra *rf_extra_at(const rf_recording *rec, size_t i);

/* "memory", "cuda_event", ...; NULL for a kind that this version does not have. */
RF_API const char *rf_extra_kind_name(int kind);

enum rf_extra_value_type { RF_VALUE_NONE = 0, RF_VALUE_NUMBER = 1, RF_VALUE_STRING = 2 };

/* The name of value i of a kind, as nsys's databases call it: "memKind". NULL past the last. */
RF_API const char *rf_extra_value_name(int kind, unsigned i);

/* The type of value i of a row (enum rf_extra_value_type); *value is the number or the string's id.
 * RF_VALUE_NONE: the row does not have the value, and *value is 0. */
RF_API int rf_extra_value(const rf_recording *rec, const struct rf_extra *extra, unsigned i,
                          int64_t *value);

/* What the values of a counter of NVTX are. */
enum rf_counter_value_type {
    RF_COUNTER_ABSOLUTE = 0,
    RF_COUNTER_DELTA = 1,             /* to the sample before */
    RF_COUNTER_DELTA_SINCE_START = 2, /* to the beginning */
};

/* For which times a sample of it stands. */
enum rf_counter_interpolation {
    RF_COUNTER_UNTIL_NEXT = 0, /* up to the next sample; also where the program said nothing */
    RF_COUNTER_SINCE_LAST = 1, /* from the sample before */
    RF_COUNTER_LINEAR = 2,     /* a straight line to the next sample */
    RF_COUNTER_POINT = 3,      /* only its own time */
};

/* Of a sample: bits. */
enum rf_sample_flags {
    RF_SAMPLE_NO_VALUE = 1, /* the program had no value: a gap */
    RF_SAMPLE_PLACED = 2,   /* it has no time, or one of an unknown clock: it stands where it was
                             * recorded */
    RF_SAMPLE_REAL = 4,     /* its value is not among the integers */
};

enum rf_counter_number { RF_COUNTER_REAL = 0, RF_COUNTER_INT64 = 1, RF_COUNTER_UINT64 = 2 };

/* A limit of a counter's values. */
struct rf_counter_limit {
    double value;    /* the nearest one */
    int64_t integer; /* exactly, if number is one of integers; bit by bit a uint64_t where it says
                      * so */
    uint64_t number; /* enum rf_counter_number: the type that the program gave it */
};

/* What a counter of NVTX has besides. */
struct rf_nvtx_counter {
    uint32_t domain;      /* index */
    uint32_t thread;      /* index: its scope is that thread; RF_NO_INDEX: its scope is another */
    uint32_t description; /* string; none here and below: RF_NO_STRING */
    uint32_t unit;        /* string */
    uint32_t scope;     /* string: the path of its scope, or "thread", "process", "machine", ... */
    uint8_t value_type; /* enum rf_counter_value_type */
    uint8_t interpolation; /* enum rf_counter_interpolation */
    uint8_t number;        /* enum rf_counter_number: the type that the program gave it */
    uint8_t has_limits;    /* 1: min, 2: max */
    struct rf_counter_limit min, max; /* that the program gave; in the same way as values */
    uint64_t scale_numerator, scale_denominator; /* of the unit; 1 where it has none */
    double factor; /* a value times this is in the unit: the scale, and for fixed-point numbers the
                    * largest one as 1 */
    const int64_t *integer; /* the values as whole numbers, exactly; bit by bit a uint64_t where
                             * number says so; NULL: it has none */
    const uint8_t *flags;   /* enum rf_sample_flags of each sample; NULL: none has any */
};

/* One quantity over time: a hardware counter of a GPU, or a counter of a program. value[i] holds
 * for the time from ns[i - 1] to ns[i], unless nvtx says otherwise. The recording owns the columns;
 * counters that were sampled together may share ns. */
struct rf_counter {
    uint32_t name;     /* string: "SMs Active [Throughput %]"; "GROUP.ENTRY" of NVTX's groups */
    uint32_t set;      /* string: what it was sampled with: "General Metrics for NVIDIA GH100"; may
                        * be none */
    uint32_t device;   /* rf_gpu.id; RF_NO_INDEX: it belongs to no GPU */
    uint32_t process;  /* index; RF_NO_INDEX: the whole machine */
    const int64_t *ns; /* by time; NULL: there are no samples */
    const double *value; /* finite numbers; of NVTX's counters also others, and NAN where there is
                          * no value; NULL likewise */
    size_t n_samples;
    int is_derived;                     /* it was computed from rows of RF_EXTRA_MEMORY */
    const struct rf_nvtx_counter *nvtx; /* NULL: it is no counter of NVTX */
};

/* "absolute", "delta", "delta_since_start"; "until_next", ... NULL for others. */
RF_API const char *rf_counter_value_type_name(int value_type);
RF_API const char *rf_counter_interpolation_name(int interpolation);

/* The counters, by device, process and set, then in the order of the file. */
RF_API uint32_t rf_n_counters(const rf_recording *rec);
RF_API const struct rf_counter *rf_counter_at(const rf_recording *rec, uint32_t i);

/* What an import left out or changed: one entry per table and reason. */
struct rf_skipped {
    const char *table;  /* its name in the file */
    const char *reason; /* "no start: left out" */
    uint64_t n_rows;
};

/* Entry i; NULL past the last. */
RF_API const struct rf_skipped *rf_skipped_at(const rf_recording *rec, uint32_t i);

/* ---- Projection: the GPU work under a range ----
 *
 * A range covers the calls of its own thread that lie wholly inside it, edges included. The GPU
 * work of those calls belongs to the range, and to every range around it. That is the rule of
 * nsys's nvtx_gpu_proj_trace. A range that ended on another thread covers nothing and encloses
 * nothing, unless by_process is set: then it covers the calls of all threads of its process. Waits
 * (RF_OP_SYNC) are not work. docs/projection.md has the details. */

struct rf_project_options {
    size_t size;      /* of this struct: RF_PROJECT_OPTIONS_INIT sets it */
    int by_process;   /* ranges that ended on another thread cover the calls of their process */
    int kernels_only; /* kernels and whole graphs count, copies and sets do not */
};

#define RF_PROJECT_OPTIONS_INIT                                                                    \
    {                                                                                              \
        sizeof(struct rf_project_options), 0, 0                                                    \
    }

/* The GPU work of one range; 48 bytes. */
struct rf_projection {
    uint32_t thread, event; /* the range: rf_thread_events(thread)[event] */
    int64_t start_ns;       /* of the first piece of work */
    int64_t end_ns;         /* of the last one */
    uint64_t busy_ns;       /* sum of the work's durations; UINT64_MAX where it overflows */
    uint32_t n_calls;       /* calls that caused the work; the launch of a graph is one */
    uint32_t n_ops;
    int by_process; /* it ended on another thread: the calls are those of the whole process */
    uint32_t reserved;
};

typedef struct rf_projections rf_projections;

/* Computes all projections, and how the ranges of each thread nest. The caller frees *out, which is
 * NULL on failure, before it closes the recording. Any number of threads may read the result at
 * once. */
RF_API int rf_project(const rf_recording *rec, const struct rf_project_options *options,
                      rf_projections **out, struct rf_err *err);

/* Frees projections. */
RF_API void rf_projections_free(rf_projections *projections);

/* The ranges that caused work, by thread, then event. *n: how many. NULL where there are none. */
RF_API const struct rf_projection *rf_projections_all(const rf_projections *projections, size_t *n);

/* Projection i of rf_projections_all(); NULL past the last. */
RF_API const struct rf_projection *rf_projection_at(const rf_projections *projections, size_t i);

/* The projection of a range, or NULL: it caused no work. */
RF_API const struct rf_projection *rf_projection_of(const rf_projections *projections,
                                                    uint32_t thread, uint32_t event);

/* The innermost (shortest) range that covers the call of a piece of work, waits included: index
 * into the events of the thread that called, or RF_NO_INDEX. op: index into rf_gpu_ops().
 * rf_range_parent() gives the ranges around it. by_process and kernels_only do not change it. */
RF_API uint32_t rf_projection_owner(const rf_projections *projections, uint32_t op);

/* The innermost (shortest) range of the same thread that covers a call, with or without GPU work:
 * index into the thread's events, or RF_NO_INDEX. call: index into rf_thread_calls() of the thread.
 * by_process does not change it. */
RF_API uint32_t rf_call_owner(const rf_projections *projections, uint32_t thread, uint32_t call);

/* ---- How the ranges of a thread nest ----
 *
 * A range is inside another one if it lies wholly inside, edges included, whatever their domains.
 * Ranges of several domains, and start/end ranges, may cross: overlap, with neither inside the
 * other. A range that ended on another thread is inside none, and none is inside it. */

/* The innermost (shortest) range around a range: index into the thread's events, or RF_NO_INDEX. Of
 * ranges with the same start and end, each is inside the one before it. */
RF_API uint32_t rf_range_parent(const rf_projections *projections, uint32_t thread, uint32_t event);

/* The children of a range, which are the ranges that have it as parent, one by one by start: the
 * first where `previous` is RF_NO_INDEX, otherwise the one after `previous`. RF_NO_INDEX: there are
 * no more. */
RF_API uint32_t rf_range_next_child(const rf_projections *projections, uint32_t thread,
                                    uint32_t event, uint32_t previous);

/* How many ranges there are around a range: 0 for an outermost one, and for what is no range. */
RF_API uint32_t rf_range_depth(const rf_projections *projections, uint32_t thread, uint32_t event);

/* The time of a range that none of its children covers, in nanoseconds. Children that cross each
 * other count once where they overlap; so the result is never negative, as the duration less the
 * children's durations can be. Ranges that cross this range are not its children and take nothing
 * from it. RF_NO_TIME: the event is no range. */
RF_API int64_t rf_range_self_ns(const rf_projections *projections, uint32_t thread, uint32_t event);

/* How much of the GPU's work lies under any range. */
struct rf_coverage {
    size_t size; /* of this struct: RF_COVERAGE_INIT sets it */
    uint64_t n_ops, n_covered;
    uint64_t busy_ns, covered_ns; /* sums of durations; UINT64_MAX where they overflow */
};

#define RF_COVERAGE_INIT                                                                           \
    {                                                                                              \
        sizeof(struct rf_coverage), 0, 0, 0, 0                                                     \
    }

/* Fills *out, as far as out->size reaches. Returns RF_OK, or RF_ERR_USAGE where out->size is not
 * set. */
RF_API int rf_projection_coverage(const rf_projections *projections, struct rf_coverage *out);

#ifdef __cplusplus
}
#endif
#endif
