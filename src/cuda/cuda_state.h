/* SPDX-License-Identifier: Apache-2.0 */
/* The CUDA side of the recorder: its one state, and the functions between its files.
 *
 * The driver calls InitializeInjection() inside cuInit(); from then on CUPTI fills buffers of ours
 * (buffers.c), whose records become records of the thread that CUPTI calls us on (convert.c). One
 * thread of ours asks CUPTI for what it has, follows the captures of a focused run, and does all
 * that must not be done inside CUPTI's callbacks (flush_thread.c).
 *
 * A forked child has a copy of this state whose pid is not its own: it never calls CUPTI. No lock
 * of ours is held while CUPTI is called, but for the one that lets one thread at a time switch
 * kinds (switch_kinds.c), which no callback takes. */
#ifndef RF_CUDA_CUDA_STATE_H
#define RF_CUDA_CUDA_STATE_H

#include "base/cupti_library.h"
#include "cuda/cupti/cupti_abi.h"
#include "log/capture.h"
#include "log/cuda.h"
#include "record/focus/kept.h"
#include "record/focus/trigger.h"
#include "record/hooks.h"
#include "record/names/defs.h"
#include "record/names/interned.h"
#include "record/process/session_page.h"
#include "record/process/start.h"
#include "record/standby/standby_gate.h"
#include "record/stream/emit.h"
#include "record/stream/part.h"
#include "record/text.h"

enum rf_cuda_status { RF_CUDA_FRESH = 0, RF_CUDA_STARTING, RF_CUDA_STARTED, RF_CUDA_STOPPED };

struct rf_cuda {
    uint32_t status; /* enum rf_cuda_status; atomic */
    uint32_t pid;    /* whose all this is */
    uint32_t asks;   /* rf_control.cuda */
    uint32_t version;
    void *subscriber;
    struct rf_cupti cupti;
    struct rf_cupti_library cupti_file;

    /* what CUPTI and we gave each other; atomic */
    uint32_t n_requested;
    uint32_t n_completed;
    uint32_t n_inside;  /* completed buffers that are being read */
    uint32_t n_kernels; /* handles given out */
    uint32_t n_ends;    /* of captures */
    uint32_t n_foreign; /* buffers that CUPTI did not have from us */
    uint32_t has_context;
    uint64_t n_records;
    uint64_t n_timeless; /* pieces of work without a time */

    /* our thread */
    uint32_t thread_tid; /* atomic */
    uint32_t wake;       /* futex word: counts what it is woken for */
    uint32_t is_ending;  /* atomic */
    uint32_t has_ended;  /* atomic, futex word */
    uint32_t n_probes;   /* of its calls of cuDriverGetVersion(): those that CUPTI told us of;
                            atomic */
};

extern RF_HIDDEN struct rf_cuda rf_cuda;
extern RF_HIDDEN const struct rf_hooks rf_cuda_hooks;

/* Is CUPTI ours in this process? */
static inline bool rf_cuda_is_on(void)
{
    return __atomic_load_n(&rf_cuda.status, __ATOMIC_ACQUIRE) == RF_CUDA_STARTED &&
           rf_cuda.pid == rf_sys_getpid();
}

/* Buffers that CUPTI has. */
static inline uint32_t rf_cuda_n_outstanding(void)
{
    /* completed first: one that is requested meanwhile counts as outstanding */
    uint32_t n_completed = __atomic_load_n(&rf_cuda.n_completed, __ATOMIC_ACQUIRE);
    return __atomic_load_n(&rf_cuda.n_requested, __ATOMIC_ACQUIRE) - n_completed;
}

/* ---- buffers.c: CUPTI's callbacks for buffers ---- */

void rf_cuda_prepare_buffers(void);
void rf_cuda_release_buffers(void); /* those that CUPTI does not have */

/* Has CUPTI a buffer from before the last end of a capture? */
bool rf_cuda_has_older_buffers(void);
void rf_cuda_request(uint8_t **buffer, size_t *size, size_t *max_records);
void rf_cuda_complete(void *context, uint32_t stream, uint8_t *buffer, size_t size,
                      size_t valid_size);

/* ---- convert.c ---- */

/* Writes all records of a buffer to this thread's stream; their number. */
uint64_t rf_cuda_convert(uint8_t *buffer, size_t size);

/* Says that CUPTI dropped records. */
void rf_cuda_say_dropped(uint64_t n);

/* ---- cupti_names.c ---- */

/* Kernels of one buffer by the address of their names, which are CUPTI's and may have gone when the
 * next buffer comes. */
#define RF_CUDA_CACHED_NAMES 512u
struct rf_cuda_name_cache {
    const char *name[RF_CUDA_CACHED_NAMES];
    uint32_t handle[RF_CUDA_CACHED_NAMES];
};

uint32_t rf_cuda_kernel_handle(struct rf_cuda_name_cache *cache, const char *name);

/* Makes sure that a function's name is recorded. False: calls of it are not wanted. */
bool rf_cuda_see_function(int domain, uint32_t cbid);

/* Keeps CUPTI from recording calls that are not wanted; after its kinds were enabled. */
void rf_cuda_mute_functions(void);

/* Does this function, which was seen, launch work of the GPU? */
bool rf_cuda_is_launch(int domain, uint32_t cbid);
bool rf_cuda_is_graph_launch(int domain, uint32_t cbid);

/* ---- pending_work.c: in a focused run ---- */

/* A call that launches work, work that was done; in any order. is_graph: a whole one. */
void rf_cuda_note_launch(uint32_t correlation, uint64_t start, bool is_graph);
void rf_cuda_note_work(uint32_t correlation, bool is_graph);

/* A capture begins, or has ended: what is launched from then on is not waited for. */
void rf_cuda_note_capture(bool is_on);

/* What has been launched in the capture, and has not come. n_nameless: graphs that came and name no
 * call. */
struct rf_cuda_awaited {
    uint32_t n_graphs, n_others, n_nameless;
};
struct rf_cuda_awaited rf_cuda_count_awaited(void);
bool rf_cuda_is_work_awaited(void);
void rf_cuda_forget_launches(void);

/* ---- clock_pairs.c ---- */

/* Pairs CUPTI's clock with ours, if the last pair is old enough. */
void rf_cuda_add_clock(int64_t min_age_ns);

/* ---- cuda_definitions.c ---- */

void rf_cuda_see_device(const struct rf_cupti_device *record);
void rf_cuda_see_context(const struct rf_cupti_context *record);
void rf_cuda_see_stream(const struct rf_cupti_stream *record);
void rf_cuda_say_library(int driver);

/* What only the driver knows of devices; on our thread. */
void rf_cuda_ask_driver(void);

/* cuDriverGetVersion() of the driver that is mapped; 0: there is none. */
int rf_cuda_driver_version(void);

/* Has cuInit() succeeded in this process? Neither loads nor initialises anything. */
bool rf_cuda_is_driver_ready(void);

/* ---- cuda_objects.c ---- */

void rf_cuda_object_named(enum rf_object kind, uint64_t handle);

/* ---- switch_kinds.c ---- */

/* What tells of devices, contexts and streams, until all is disabled. is_late: also of those that
 * there are. */
void rf_cuda_enable_facts(bool is_late);

/* Enables what costs, if a capture is on, or there is nothing but one. Any thread; may wait for
 * another one that switches, but not for long. */
void rf_cuda_follow_capture(void);

/* Disables it when what the captures up to this phase launched has come, or is waited for no more
 * (is_forced: CUPTI gives its records as they are), unless another capture has begun. On our
 * thread. */
void rf_cuda_end_captures(uint32_t phase, bool is_forced);

/* Are kinds that cost enabled? */
bool rf_cuda_is_recording(void);

/* At the end of a session. */
void rf_cuda_disable_all(void);

/* Must CUPTI be left as it is, with kinds that are enabled? */
bool rf_cuda_keeps_kinds(void);

/* ---- inject_cuda.c ---- */

/* Subscribes to CUPTI and records. is_late: cuInit() has come to an end. False: that cannot be,
 * which is said. */
bool rf_cuda_start(bool is_late);

/* Records what is left, and leaves CUPTI to others: it can be started again. False: CUPTI does not
 * come back, which is said; it cannot. */
bool rf_cuda_stop(void);

/* Shall CUPTI zero the buffers that it gets? It does so by default, on the thread that launches. */
void rf_cuda_let_cupti_zero(bool shall);

/* ---- cuda_standby.c: in standby ---- */

/* cuInit() is at work: attaches to the session that is on, if it wants CUDA. */
void rf_cuda_join_session(void);
void rf_cuda_session_ends(void);

/* ---- flush_thread.c ---- */

bool rf_cuda_start_thread(void);
void rf_cuda_wake_thread(void);

/* Lets the thread write all that CUPTI has, and end. False: it did not come back in time. */
bool rf_cuda_stop_thread(void);

#endif
