/* SPDX-License-Identifier: Apache-2.0 */
/* A recording while it is being loaded. load_recording.c takes the steps, in this order:
 *
 *     definitions.c      processes, strings, domains, and the calls that name things; with
 *                        handles.c, what handles stand for, and namings.c, those calls by thread
 *     selecting.c        what a filter selects of a recording that is summed up
 *     streams.c          every stream once, by several workers where it pays; with decode.c,
 *                        records to events, one array per thread; pops find their pushes
 *                        with payload_records.c, the bytes of payloads; payload_tests.c, what a
 *                        filter asks of them
 *     nvtx_samples.c     samples of NVTX's counters: see nvtx_load.h
 *                        with counting.c, parts that need not be decoded
 *     merge.c            threads whose records stand in several streams
 *     handles.c          the order of the domains that were met in records
 *     pair.c             start/end ranges, and the ends of what was cut; with range_ids.c, which
 *                        range an id is of
 *     payload_records.c  the payloads of events, and what they say about them
 *     nvtx_deferred.c    events that were submitted later than they happened: see nvtx_load.h
 *     start_ends.c       the numbers of start/end ranges; with capture_windows.c, of a focused
 *                        recording, the events that lie in a capture
 *     cuda_load.c        what CUDA did: see cuda_load.h; with cuda_places.c, where
 *     threads.c          the final list of threads, their names, the naming calls as events
 *     metrics_load.c     samples of GPU metrics as counters; with samples.c, their columns
 *     nvtx_counters.c    the samples of NVTX as counters
 *     cuda_link.c        the calls that caused GPU work
 *     summing.c          what ranges add up to, where that is all that is asked for; with
 *                        path_walk.c, by the ranges around them, and early_ends.c, start/end
 *                        ranges that end while streams are decoded */
#ifndef RF_MODEL_LOAD_LOAD_H
#define RF_MODEL_LOAD_LOAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "log/reader.h"
#include "log/records.h"
#include "model/cuda/cuda_load.h"
#include "model/cuda/cuda_places.h"
#include "model/load/capture_windows.h"
#include "model/load/selecting.h"
#include "model/load/timeline.h"
#include "base/map.h"
#include "base/sparse_bits.h"
#include "model/nvtx/nvtx_load.h"
#include "model/recording.h"
#include "model/sums/range_sums.h"
#include "model/sums/work_sums.h"

/* What the loader knows of a process beyond struct rf_process; the same index. */
struct rf_load_process {
    uint32_t number;
    uint32_t fork_of; /* index, always smaller than its own, or RF_NO_INDEX */
    uint64_t fork_ticks;
    uint32_t default_domain;
    uint32_t first_stream, n_streams;
    int64_t last_ns;    /* its last record or definition */
    int64_t loss_ns;    /* its last loss; RF_NO_TIME: none */
    int64_t end_ns;     /* where what it left open is cut */
    uint8_t end_cut;    /* enum rf_cut */
    bool is_exit_seen;  /* exit() was called */
    bool is_alive_seen; /* it went on behind what was recorded of it */
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

/* The payloads of an end. */
struct rf_load_end_payload {
    uint32_t end;   /* index of the struct rf_load_end */
    uint64_t group; /* see payload_records.h */
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
    struct rf_load_end_payload *end_payload; /* by end */
    uint32_t n_end_payloads;
    size_t end_payload_room;
    struct rf_load_parent *parent;
    uint32_t n_parents;
    size_t parent_room;
    int64_t first_ns;     /* where its records begin; INT64_MAX: it has none */
    int64_t last_ns;      /* its last record */
    int64_t end_ns;       /* its THREAD_END; RF_NO_TIME: none */
    int64_t kept_from_ns; /* see rf_thread */
    uint64_t n_unmatched;
    uint32_t system_name;
    struct rf_call *call; /* by start */
    size_t n_calls;
    size_t n_summed, enough; /* see summing.c */
    size_t n_kept;           /* see path_walk.h, likewise below */
    int64_t settled_ns;
    int64_t first_event_ns; /* where n_summed > 0: the first event of all */
    size_t n_selected;      /* of those that were taken out; see selecting.h, likewise below */
    int64_t first_selected_ns;
    bool is_selected;
    bool wrote_cuda;     /* CUDA records stand in its stream: it may have nothing of its own */
    bool is_merged;      /* it has segments in several streams */
    bool is_unsorted;    /* an event starts before the one before it */
    bool has_ties;       /* an event starts when the one before it does */
    bool has_dated;      /* push/pop ranges among them have times that payloads say */
    bool has_starts;     /* start/end ranges are among its events */
    bool is_waiting;     /* it has ends; see early_ends.c, likewise below */
    bool has_early_ends; /* its ranges were given ends, or its ends to ranges (early_ends.c) */
    bool is_needed;      /* it is listed though it has no events */
    uint32_t place;      /* in the recording's list, once there is one */
};

/* A range begun with nvtxRangeStart, by its number in the stream. */
struct rf_load_start {
    uint64_t counter;
    uint32_t thread; /* index of the struct rf_load_thread */
    uint32_t event;
};

/* Numbers of ranges, from begin up to end. */
struct rf_load_numbers {
    uint64_t begin, end;
};

struct rf_load_stream {
    const struct rf_log_part *part;
    size_t n_parts;
    uint32_t process, slot;
    struct rf_load_start *start;
    size_t n_starts, start_room;
    struct rf_sparse_bits elsewhere;  /* numbers of ranges that other threads ended, where work is
                                       * joined with ranges as it is read */
    struct rf_map cut_in;             /* likewise, in a focused recording: by number of a range, see
                                       * rf_note_cut() */
    uint64_t first_start, next_start; /* numbers that were seen; see early_ends.c, likewise below */
    struct rf_load_numbers *unseen;   /* ... but for these */
    size_t n_unseen, unseen_room;
    bool has_taken;          /* ranges of it were taken out */
    bool is_ended_elsewhere; /* a record of another stream ended one of its ranges */
    int64_t last_taken_ns;   /* the latest end of those that were taken out */
    int64_t loss_ns;         /* its last loss; RF_NO_TIME: none */
    int64_t last_ns;
    uint64_t n_cuda; /* CUDA records */
    uint64_t n_ext;  /* EXT records */
    uint64_t n_lost_records, lost_bytes, n_lost_parts, n_damaged_bytes;
};

/* What the events were that are in sums. */
struct rf_summed {
    uint64_t n_events, n_ranges, n_marks, n_cut, n_cut_at_start;
    uint64_t n_cut_by[RF_CUT_REASONS];
    uint64_t *of_domain; /* ranges and marks, by domain; the first n_domains */
    size_t n_domains;
};

struct rf_load_payloads;

struct rf_load {
    rf_recording *rec;
    struct rf_log log;
    struct rf_timeline timeline;
    double drift; /* by which times are stretched */
    struct rf_capture_windows windows;
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
    struct rf_nvtx_load nvtx;
    bool has_no_details;       /* RF_OPEN_NO_DETAILS */
    bool grid_ids_apart;       /* RF_OPEN_GRID_IDS_APART */
    bool has_no_cuda;          /* RF_OPEN_SUMS: calls and GPU work are not kept */
    bool sums_work;            /* ... but added up: see cuda_sums.h */
    bool sums_linked;          /* the same of captures: see linked_sums.h */
    bool streams_work;         /* RF_OPEN_WORK_COUNTS, and with sums of work: see cuda_stream.h */
    bool sums_launches;        /* RF_OPEN_LAUNCHES */
    bool sums_projected;       /* RF_OPEN_RANGE_WORK: see projected_work.h */
    bool adds_projected;       /* the same beside RF_OPEN_PATHS */
    bool has_no_range_kernels; /* RF_OPEN_NO_RANGE_KERNELS */
    bool by_process;           /* RF_OPEN_BY_PROCESS, with RF_OPEN_RANGE_WORK */
    bool folds_numbers;        /* RF_OPEN_FOLD_NUMBERS */
    enum rf_kernel_naming kernel_naming; /* of RF_OPEN_RANGE_WORK */
    bool needs_work;                     /* ... which cannot be: it is to be read again, and kept */
    bool needs_ranges;                   /* ... unless ranges are */
    bool keeps_work;                     /* ... and it is */
    bool has_no_samples;                 /* RF_OPEN_NO_SAMPLES */
    bool sums_samples;                   /* RF_OPEN_SAMPLE_SUMS, where they are left out */
    bool sums_ranges;                    /* RF_OPEN_SUMS, RF_OPEN_COUNTS */
    const char *group_by;  /* with RF_OPEN_SUMS: rf_filter_options.group_by; NULL: none */
    bool counts_only;      /* RF_OPEN_COUNTS */
    bool sums_paths;       /* RF_OPEN_PATHS: by the ranges around them; sums_ranges is set too */
    bool has_no_paths;     /* ... which cannot be had (atomic) */
    bool has_crossing;     /* ... and some ranges cross */
    bool keeps_events;     /* ... but not while they are decoded */
    bool has_wrong_ends;   /* early ends cannot stand (atomic) */
    bool needs_one_worker; /* too many ends wait for other workers (atomic) */
    bool has_one_worker;
    uint32_t n_workers;
    bool needs_samples; /* their order matters: it is to be read again, with all samples */
    bool is_wrong;      /* it is to be read again, with keeps_events, or all samples */
    struct rf_sums sums, last_sums; /* last_sums: of what was kept until all was decoded */
    struct rf_sums gpu_sums;        /* GPU work by the ranges around its calls (cuda_stream.c) */
    struct rf_summed n_summed, n_selected;
    struct rf_selection selection;
    struct rf_map object;          /* (process | kind << 32, handle) to domain */
    uint32_t n_defined_domains;    /* those behind them were met in records */
    uint32_t *met_place;           /* per domain that was met: its place now; NULL: the same */
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
    int64_t first_destroy_ns;
    uint32_t *inherited; /* domains that a process uses, but its parent created */
    uint32_t n_inherited;
    size_t inherited_room;
    struct rf_load_payloads **payloads; /* of each decoder that met any */
    uint32_t n_payloads;
    size_t payloads_room;
    struct rf_load_stream *stream; /* by process, slot */
    uint32_t n_streams;
    struct rf_load_start *made_start; /* start/end ranges that no START record began */
    size_t n_made_starts, made_start_room, start_end_room;
    struct rf_load_thread **thread;
    uint32_t n_threads;
    size_t thread_room;
    struct rf_map thread_of; /* (process << 32 | serial, tid) to thread[] */
    struct rf_load_segment *segment;
    uint32_t n_segments;
    size_t segment_room;
    pthread_mutex_t mutex; /* of what the decoders share: domains, threads, segments */
};

#endif
