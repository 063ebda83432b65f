/* SPDX-License-Identifier: Apache-2.0 */
/* A recording in memory, and its parts while it is being loaded. The steps, in order:
 *
 *     definitions.c   processes, strings, domains, and the calls that name things; with
 *                     handles.c, what handles stand for, and namings.c, those calls by thread
 *     streams.c       every stream once, by several workers where it pays; with decode.c,
 *                     records to events, one array per thread; pops find their pushes
 *     merge.c         threads whose records stand in several streams
 *     handles.c       the order of the domains that were met in records
 *     pair.c          start/end ranges, and the ends of what was cut
 *     focus.c         of a focused recording, the events that lie in a capture
 *     cuda_load.c     what CUDA did: see cuda_load.h; with cuda_places.c, where
 *     threads.c       the final list of threads, their names, the naming calls as events
 *     metrics_load.c  samples of GPU metrics as counters; with samples.c, their columns
 *     cuda_link.c     the calls that caused GPU work
 *
 * Every index into an array here fits 32 bits; RF_NO_INDEX is none. */
#ifndef RF_MODEL_MODEL_H
#define RF_MODEL_MODEL_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "log/reader.h"
#include "log/records.h"
#include "model/cuda/cuda_load.h"
#include "model/cuda/cuda_places.h"
#include "model/gpu/gpu_places.h"
#include "model/map.h"
#include "model/strings.h"
#include "model/load/timeline.h"
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

/* How a file that was imported numbers a counter. */
struct rf_counter_origin {
    int64_t type, source; /* typeId, sourceId */
    uint32_t metric;
    uint8_t is_soc; /* of the system on the chip, not of the GPU */
};

struct rf_recording {
    struct rf_info info;
    char *path;
    struct rf_control control;
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
    struct rf_kernel *kernel;
    uint32_t n_kernels;
    struct rf_transfer *transfer;
    uint32_t n_transfers;
    struct rf_wait *wait;
    uint32_t n_waits;
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
    const rf_recording *source; /* of a filtered one: owns what is not its own; or NULL */
    int hides_calls;            /* calls are there for the projection only */
};

/* An offset from UTC in seconds as a file gives it; 0 where no place has it. */
static inline int32_t rf_utc_offset(int64_t offset_s)
{
    return offset_s > -86400 && offset_s < 86400 ? (int32_t)offset_s : 0;
}

#define RF_OS_CALL_CLASS 27 /* rf_call.event_class of whole calls of the system's functions */

/* Counts what the events of all threads are, into info. */
void rf_recording_count_events(rf_recording *rec);

/* rf_open() of a .rf file or session directory. */
int rf_recording_open(const char *path, unsigned flags, rf_recording **out, struct rf_err *err);

/* Frees what gpu_work.c hands out. */
void rf_recording_release_work(rf_recording *rec);

/* Frees a recording that rf_filter() made. */
void rf_recording_release_filtered(rf_recording *rec);

/* rf_thread_calls(), with those that are not shown. */
const struct rf_call *rf_recording_calls(const rf_recording *rec, uint32_t thread, size_t *n);

/* ---- While loading ---- */

/* The kind of an event that lies in no capture, until it is removed. */
#define RF_EVENT_LEFT_OUT 0

struct rf_window {
    int64_t begin_ns, end_ns; /* both inside; INT64_MAX: it is open */
    uint32_t number;          /* of the capture in the run, from 1 */
};

/* What of a focused recording is shown. */
struct rf_focus {
    int is_focused;
    int keeps_open;      /* ranges that began outside of captures are known */
    int64_t last_end_ns; /* of the last window; INT64_MIN: there is none */
    uint32_t n;
    struct rf_window window[RF_MAX_WINDOWS]; /* by time */
};

/* What the loader knows of a process beyond struct rf_process; the same index. */
struct rf_load_process {
    uint32_t number;
    uint32_t fork_of; /* index, always smaller than its own, or RF_NO_INDEX */
    uint64_t fork_ticks;
    uint32_t default_domain;
    uint32_t first_stream, n_streams;
    int64_t last_ns;      /* its last record or definition */
    int64_t loss_ns;      /* its last loss; RF_NO_TIME: none */
    int64_t end_ns;       /* where what it left open is cut */
    uint8_t end_cut;      /* enum rf_cut */
    uint8_t is_exit_seen; /* exit() was called */
};

/* What a handle stands for. */
struct rf_load_handle {
    uint64_t ticks;  /* when it was defined */
    uint32_t value;  /* string (RF_NO_STRING: NULL), or domain */
    uint64_t domain; /* of a string: its domain's handle */
};

/* A definition that is shown as an event of the calling thread. */
struct rf_load_naming {
    struct rf_event event;
    uint32_t process, tid;
};

/* nvtxNameOsThread. */
struct rf_load_thread_name {
    int64_t ns;
    uint32_t process, tid, name;
};

/* The destruction of a domain. */
struct rf_load_destroy {
    uint32_t domain;
    int64_t ns;
};

/* A place in a stream from which the records of one thread follow. */
struct rf_load_segment {
    uint32_t next;   /* index of the thread's next one, or RF_NO_INDEX */
    uint32_t stream; /* index */
    struct rf_stream_cursor at;
};

/* The open ranges of a thread in one domain: events linked by their field link. */
struct rf_load_stack {
    uint32_t domain;
    uint32_t top; /* event, or RF_NO_INDEX */
};

struct rf_load_end {
    uint64_t id;
    int64_t ns;
};

/* A PARENT record. */
struct rf_load_parent {
    uint64_t id, parent;
};

/* A thread while it is decoded. */
struct rf_load_thread {
    uint32_t process, tid, serial;
    uint32_t stream; /* that its first segment is in */
    uint32_t worker; /* whose strings its events use */
    uint32_t first_segment, last_segment;
    struct rf_event *memory; /* n_head free places, then the events */
    struct rf_event *event;  /* the first one */
    size_t n, room;
    uint32_t n_head; /* for the calls that name things, which are put in last */
    struct rf_load_stack *stack;
    uint32_t n_stacks, last_stack;
    size_t stack_room;
    struct rf_map stack_of; /* by domain, once there are many */
    struct rf_load_end *end;
    size_t n_ends, end_room;
    struct rf_load_parent *parent;
    uint32_t n_parents;
    size_t parent_room;
    int64_t first_ns; /* where its records begin; INT64_MAX: it has none */
    int64_t last_ns;  /* its last record */
    int64_t end_ns;   /* its THREAD_END; RF_NO_TIME: none */
    uint64_t n_unmatched;
    uint32_t system_name;
    struct rf_call *call; /* by start */
    size_t n_calls;
    uint8_t wrote_cuda;  /* CUDA records stand in its stream: it may have nothing of its own */
    uint8_t is_merged;   /* it has segments in several streams */
    uint8_t is_unsorted; /* an event starts before the one before it */
    uint8_t has_ties;    /* an event starts when the one before it does */
    uint8_t has_starts;  /* start/end ranges are among its events */
    uint8_t is_needed;   /* it is listed though it has no events */
};

/* A range begun with nvtxRangeStart, by its number in the stream. */
struct rf_load_start {
    uint64_t counter;
    uint32_t thread; /* index of the struct rf_load_thread */
    uint32_t event;
};

struct rf_load_stream {
    const struct rf_log_part *part;
    size_t n_parts;
    uint32_t process, slot;
    struct rf_load_start *start;
    size_t n_starts, start_room;
    int64_t loss_ns; /* its last loss; RF_NO_TIME: none */
    int64_t last_ns;
    uint64_t n_cuda; /* CUDA records */
    uint64_t n_lost_records, lost_bytes, n_lost_parts, n_damaged_bytes;
};

struct rf_load {
    rf_recording *rec;
    struct rf_log log;
    struct rf_timeline timeline;
    struct rf_focus focus;
    struct rf_load_process *process;
    struct rf_load_handle *handle;
    uint32_t n_handles;
    size_t handle_room;
    struct rf_map string_of;      /* (process, handle) to handle[] */
    struct rf_map domain_of;      /* the same for domains */
    struct rf_map domain_by_name; /* (process, string; 2^32 for NULL) to domain */
    struct rf_map bad_domain;     /* (process, handle) to domain */
    struct rf_map own_domain;     /* (process, domain of one that it was forked from) to domain */
    struct rf_map gone; /* (process, domain's handle) to handle[]: first destroyed there */
    struct rf_cuda_places cuda_places;
    struct rf_cuda_load cuda;
    int has_no_details;            /* RF_OPEN_NO_DETAILS */
    int has_no_samples;            /* RF_OPEN_NO_SAMPLES */
    struct rf_map object;          /* (process | kind << 32, handle) to domain */
    uint32_t n_defined_domains;    /* those behind them were met in records */
    uint64_t *domain_ticks;        /* per domain: when it was created; n as rec->n_domains */
    uint64_t *domain_gone;         /* the same: when it was first destroyed; UINT64_MAX: never */
    struct rf_load_naming *naming; /* by process, tid, time */
    uint32_t n_namings;
    size_t naming_room;
    struct rf_load_thread_name *thread_name;
    uint32_t n_thread_names;
    size_t thread_name_room;
    struct rf_load_destroy *destroy; /* by domain, time */
    uint32_t n_destroys;
    size_t destroy_room;
    uint32_t *inherited; /* domains that a process uses, but its parent created */
    uint32_t n_inherited;
    size_t inherited_room;
    struct rf_load_stream *stream; /* by process, slot */
    uint32_t n_streams;
    struct rf_load_thread **thread;
    uint32_t n_threads;
    size_t thread_room;
    struct rf_map thread_of; /* (process << 32 | serial, tid) to thread[] */
    struct rf_load_segment *segment;
    uint32_t n_segments;
    size_t segment_room;
    pthread_mutex_t mutex; /* of what the decoders share: domains, threads, segments */
};

int rf_load_definitions(struct rf_load *load);
int rf_load_decode(struct rf_load *load);
int rf_load_merge(struct rf_load *load);
int rf_load_order_domains(struct rf_load *load);
int rf_load_pair(struct rf_load *load);
int rf_load_threads(struct rf_load *load);
int rf_load_metrics(struct rf_load *load);

/* ---- Captures (focus.c) ---- */

/* Takes the windows from the control page; the timeline must be there. */
void rf_load_init_focus(struct rf_load *load);

/* Whether a time lies in a window. */
int rf_focus_has(const struct rf_focus *focus, int64_t ns);

/* Whether a stretch of time lies in a window, partly at least. */
int rf_focus_overlaps(const struct rf_focus *focus, int64_t from_ns, int64_t to_ns);

/* Whether a window began or ended between two times. *cut_ns: where what was open at the first one
 * stops being known. */
int rf_focus_edge(const struct rf_focus *focus, int64_t from_ns, int64_t to_ns, int64_t *cut_ns);

/* Gives events that lie in no window the kind RF_EVENT_LEFT_OUT, and cuts the others to fit. All
 * ranges have their ends. */
void rf_load_choose(struct rf_load *load);

/* Removes what was left out; events have other places then. */
void rf_load_leave_out(struct rf_load *load);

/* ---- Handles (handles.c) ---- */

/* Notes what a handle stands for. map: load->string_of or load->domain_of. */
int rf_load_add_handle(struct rf_load *load, struct rf_map *map, uint32_t process, uint64_t handle,
                       uint64_t ticks, uint32_t value);

/* Appends a domain. Returns its index, or RF_NO_INDEX. */
uint32_t rf_load_add_domain(struct rf_load *load, const struct rf_domain *domain, uint64_t ticks,
                            uint32_t parent);

/* Finds or makes the domain of a name in a process; one that was destroyed is not found. *is_new:
 * it was made. RF_NO_INDEX: out of memory. */
uint32_t rf_load_named_domain(struct rf_load *load, uint32_t process, uint32_t name, uint64_t ticks,
                              int *is_new);

/* What a string handle stands for in a process and those it was forked from; NULL: nothing.
 * *gone_ticks: from then on it is not valid, since its domain was destroyed; UINT64_MAX: never. */
const struct rf_load_handle *rf_load_find_string(const struct rf_load *load, uint32_t process,
                                                 uint64_t handle, uint64_t *gone_ticks);

/* A string of a domain was registered; a domain was destroyed. */
int rf_load_add_string(struct rf_load *load, uint32_t process, uint64_t handle, uint64_t domain,
                       uint64_t ticks, uint32_t text);
int rf_load_add_gone(struct rf_load *load, uint32_t process, uint64_t handle, uint32_t domain,
                     uint64_t ticks);

/* The domain that a handle stands for; one is made where the process used a handle of the process
 * that it was forked from, or one that is not valid. RF_NO_INDEX: out of memory. Not while other
 * threads decode, but under the mutex. */
uint32_t rf_load_domain(struct rf_load *load, uint32_t process, uint64_t handle);

enum rf_load_object { RF_LOAD_RESOURCE = 1, RF_LOAD_SYNC = 2 };

/* The domain of a resource or sync object; the default domain where the handle is not valid. */
uint32_t rf_load_object_domain(const struct rf_load *load, uint32_t process,
                               enum rf_load_object kind, uint64_t handle);

/* ---- Namings (namings.c) ---- */

/* Adds an event of the thread tid. */
int rf_load_add_naming(struct rf_load *load, uint32_t process, uint32_t tid,
                       const struct rf_event *event);

void rf_load_sort_destroys(struct rf_load *load);

/* Sorts load->naming; done again when more was added. */
void rf_load_sort_namings(struct rf_load *load);

/* When a domain that a range used was destroyed after ns; RF_NO_TIME: it was not. */
int64_t rf_load_destroyed_ns(const struct rf_load *load, uint32_t domain, int64_t ns);

/* A thread that has no records. Returns its index in load->thread, or RF_NO_INDEX. Not while other
 * threads decode, but under the mutex. */
uint32_t rf_load_add_thread(struct rf_load *load, uint32_t process, uint32_t tid, uint32_t serial);

/* How many namings the thread tid of a process called. */
uint32_t rf_load_count_namings(const struct rf_load *load, uint32_t process, uint32_t tid);

/* Sorts events by start; those that start together stay in their order. Returns 0 or
 * RF_ERR_NO_MEMORY. */
int rf_sort_events(struct rf_event *event, size_t n);
/* Sorts events that start together: the longest first. */
int rf_sort_enclosing(struct rf_event *event, size_t n);

#endif
