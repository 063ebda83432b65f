/* SPDX-License-Identifier: Apache-2.0 */
/* Stand-ins for libcuda, libcudart and libcupti, for tests on machines without a GPU. They are
 * never installed. What they do is what we believe NVIDIA's do: they show that the recorder does
 * what we believe CUPTI wants, and prove nothing about CUPTI.
 *
 * libcuda has the simulated GPU: streams whose work runs one after the other, on a clock that goes
 * with CLOCK_REALTIME. libcudart is thin over it. libcupti attaches itself to libcuda (struct
 * double_hooks) and makes activity records of what it is told, laid out byte by byte as the version
 * does that RF_DOUBLE_CUPTI_VERSION names. libcuda notes what really happened in the file
 * RF_DOUBLE_TRUTH, one JSON object a line; libcupti notes every breach of CUPTI's rules in the file
 * RF_DOUBLE_VIOLATIONS. */
#ifndef RF_TESTS_DOUBLE_H
#define RF_TESTS_DOUBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DOUBLE_EXPORT __attribute__((visibility("default")))

enum double_domain { DOUBLE_DRIVER = 1, DOUBLE_RUNTIME = 2 };

/* Callback ids, as CUPTI numbers them. */
enum {
    CBID_cudaGetLastError = 10,
    CBID_cudaGetDevice = 17,
    CBID_cudaMalloc = 20,
    CBID_cudaFree = 22,
    CBID_cudaMemcpy = 31,
    CBID_cudaMemcpyAsync = 41,
    CBID_cudaMemsetAsync = 51,
    CBID_cudaStreamCreate = 129,
    CBID_cudaStreamSynchronize = 131,
    CBID_cudaEventCreate = 133,
    CBID_cudaEventRecord = 135,
    CBID_cudaEventSynchronize = 137,
    CBID_cudaStreamWaitEvent = 147,
    CBID_cudaMemcpyPeerAsync = 161,
    CBID_cudaDeviceReset = 164,
    CBID_cudaDeviceSynchronize = 165,
    CBID_cudaProfilerStart = 171,
    CBID_cudaProfilerStop = 172,
    CBID_cudaLaunchKernel = 211,
    CBID_cudaGraphLaunch = 311,
    CBID_cudaPushCallConfiguration = 502,
    CBID_cudaPopCallConfiguration = 503,
    CBID_cudaLaunchKernelByHandle = 505,

    CBID_cuDriverGetVersion = 2,
    CBID_cuDeviceGetAttribute = 9,
    CBID_cuDeviceGetPCIBusId = 332,
    CBID_cuCtxGetCurrent = 304,
    CBID_cuLaunchKernel = 307,
    CBID_cuProfilerStart = 308,
    CBID_cuProfilerStop = 309,
    CBID_cuMemcpyHtoDAsync = 277,
    CBID_cuMemsetD32Async = 220,
    CBID_cuStreamSynchronize = 126,
};

/* The name of a callback id as CUPTI gives it, or NULL. */
const char *double_callback_name(enum double_domain domain, uint32_t cbid);

/* ---- Handles of the simulated driver ---- */

struct double_context {
    uint32_t id, device;
    uint32_t null_stream;
};

struct double_stream {
    uint32_t id;
    struct double_context *context;
    uint64_t ready; /* when the work given to it so far will have ended; libcuda's lock */
};

struct double_event {
    uint32_t id;
    uint64_t ready;
};

/* What a "kernel" is in programs that use the doubles: the function pointer that is launched. */
struct double_kernel {
    const char *name; /* mangled */
    uint64_t duration_ns;
    uint16_t registers;
};

struct double_graph {
    uint32_t id;
    uint32_t n_nodes;
    const struct double_kernel *kernel;
};

/* ---- What libcuda tells libcupti ---- */

struct double_call {
    enum double_domain domain;
    uint32_t cbid;
    uint32_t correlation;
    uint32_t result;
    uint64_t start, end; /* the true clock */
    struct double_context *context;
    bool is_traced; /* libcupti's */
};

enum double_op_kind {
    OP_KERNEL = 1,
    OP_MEMCPY,
    OP_PEER_COPY,
    OP_MEMSET,
    OP_SYNC,
    OP_GRAPH,
    OP_MEMORY,
    OP_EVENT,
};

/* Work on the GPU, or something else that has a record. */
struct double_op {
    enum double_op_kind kind;
    uint32_t correlation;
    uint64_t start, end; /* the true clock; SYNC: of the wait; MEMORY: start alone */
    uint32_t device, context, stream;
    const char *name;
    uint32_t grid[3], block[3];
    uint32_t shared;
    uint16_t registers;
    uint8_t copy_kind; /* as CUPTI numbers them */
    uint8_t sync_type;
    uint64_t bytes, address;
    uint32_t value;
    uint32_t event;
    uint32_t graph;
    uint64_t node; /* of a graph; not 0: reported node by node */
    uint32_t target_device;
    uint8_t is_release;
};

struct double_hooks {
    void (*call)(struct double_call *call, bool is_exit);
    void (*op)(const struct double_op *op);
    void (*context)(struct double_context *context);
    void (*stream)(struct double_stream *stream);
};

/* ---- What libcuda exports beside the driver's functions, for the other two ---- */

/* now(): the true clock: CLOCK_REALTIME. begin(), end(): one call of the API; to be paired. */
struct double_gpu {
    uint64_t (*now)(void);
    bool (*is_exiting)(void); /* exit() runs */
    uint32_t (*n_devices)(void);
    struct double_context *(*context)(uint32_t device); /* NULL: not made yet */
    void (*each_stream)(void (*take)(struct double_stream *stream));
    void (*attach)(const struct double_hooks *hooks);

    uint32_t (*initialize)(void); /* cuInit(0) and a context on device 0 */
    void (*begin)(struct double_call *call, enum double_domain domain, uint32_t cbid);
    uint32_t (*end)(struct double_call *call, uint32_t result);

    uint32_t (*launch)(struct double_call *call, const struct double_kernel *kernel,
                       const uint32_t grid[3], const uint32_t block[3], uint32_t shared,
                       struct double_stream *stream);
    uint32_t (*copy)(struct double_call *call, uint64_t bytes, uint8_t copy_kind,
                     struct double_stream *stream);
    uint32_t (*copy_peer)(struct double_call *call, uint64_t bytes, uint32_t source,
                          uint32_t target, struct double_stream *stream);
    uint32_t (*set)(struct double_call *call, uint64_t bytes, uint32_t value,
                    struct double_stream *stream);
    uint32_t (*launch_graph)(struct double_call *call, const struct double_graph *graph,
                             struct double_stream *stream);
    uint32_t (*synchronize)(struct double_call *call, struct double_stream *stream);
    uint32_t (*synchronize_all)(struct double_call *call);
    uint32_t (*synchronize_event)(struct double_call *call, struct double_event *event);
    uint32_t (*wait_event)(struct double_call *call, struct double_stream *stream,
                           struct double_event *event);
    uint32_t (*record_event)(struct double_call *call, struct double_event *event,
                             struct double_stream *stream);
    uint32_t (*memory)(struct double_call *call, uint64_t address, uint64_t bytes, bool is_release);
    struct double_stream *(*new_stream)(struct double_call *call);
    struct double_event *(*new_event)(void);
};

typedef const struct double_gpu *(*double_gpu_function)(void);
/* double_gpu_function rf_double_gpu; */

/* ---- Settings ---- */

/* A number from the environment, or other. */
uint64_t double_setting(const char *name, uint64_t other);

#endif
