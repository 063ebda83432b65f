/* SPDX-License-Identifier: Apache-2.0 */
/* librangefinder: read recordings of annotated programs.
 *
 *     struct rf_err err;
 *     rf_recording *rec;
 *     if (rf_open("run.rf", 0, &rec, &err) < 0) { fprintf(stderr, "%s\n", err.text); return 1; }
 *     struct rf_cursor *cursor;
 *     struct rf_event_at at;
 *     rf_cursor_new(rec, &cursor, &err);
 *     while (rf_cursor_next(cursor, &at))
 *         printf("%lld %s\n", (long long)at.event->start_ns, rf_string(rec, at.event->name, NULL));
 *     rf_cursor_free(cursor);
 *     rf_close(rec);
 *
 * Everything that a recording hands out is owned by it and lives until rf_close(). An opened
 * recording never changes: any number of threads may read it at once; a cursor belongs to one
 * thread. Functions return 0, or a negative enum rf_error with the details in *err, which may be
 * NULL. Nothing here prints, exits or keeps global state. Times are nanoseconds. */
#ifndef RANGEFINDER_RANGEFINDER_H
#define RANGEFINDER_RANGEFINDER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define RF_API __attribute__((visibility("default")))
#else
#define RF_API
#endif

/* ---- Errors ---- */

enum rf_error {
    RF_OK = 0,
    RF_ERR_IO = -1,          /* the system refused: open, read, write, map */
    RF_ERR_NO_MEMORY = -2,   /* out of memory */
    RF_ERR_FORMAT = -3,      /* not a recording, or one of another version */
    RF_ERR_DAMAGED = -4,     /* truncated or changed: offset says where */
    RF_ERR_EXISTS = -5,      /* the output is there already and may not be overwritten */
    RF_ERR_USAGE = -6,       /* an argument is not valid */
    RF_ERR_UNSUPPORTED = -7, /* this build or machine cannot do it */
};

struct rf_err {
    int code;        /* enum rf_error */
    uint64_t offset; /* byte offset in the file, where it applies; otherwise 0 */
    char text[1024]; /* one line: what failed, on what, what to do next */
};

/* The name of an error code, "RF_ERR_IO"; "unknown error" for any other number. */
RF_API const char *rf_error_name(int code);

/* The version of the library, "MAJOR.MINOR.PATCH". */
RF_API const char *rf_version(void);

/* ---- Opening ---- */

typedef struct rf_recording rf_recording;

enum rf_open_flags {
    RF_OPEN_SALVAGE = 1, /* read what can be read of a damaged file; what was skipped is counted */
    RF_OPEN_NO_DETAILS = 2, /* leave out what only kernels, copies, sets and waits have: the field
                             * detail of all GPU work is RF_NO_INDEX. An import is faster then */
    RF_OPEN_NO_SAMPLES = 4, /* leave out what was sampled: those counters are there and have no
                             * samples. Long recordings of GPU metrics take little memory then */
};

/* Opens a recording: a .rf file, a SQLite database that nsys exported, a .nsys-rep (which needs
 * nsys on the PATH: it exports it to a temporary file), or a session directory, which may still be
 * written to (the result shows it as it was at this moment). flags: enum rf_open_flags. *out is
 * NULL on failure. The caller closes it with rf_close(). */
RF_API int rf_open(const char *path, unsigned flags, rf_recording **out, struct rf_err *err);

/* Frees a recording and everything it handed out. NULL is accepted. */
RF_API void rf_close(rf_recording *rec);

/* ---- What a recording is about ---- */

struct rf_info {
    const char *path;
    const char *product;    /* who made it */
    const char *host;       /* name of the machine */
    int64_t epoch_utc_ns;   /* CLOCK_REALTIME at time 0 of this recording */
    int64_t epoch_mono_ns;  /* CLOCK_MONOTONIC at time 0 */
    int32_t utc_offset_s;   /* of the local time zone, east positive */
    const char *clock_name; /* "tsc", "cntvct" or "monotonic" */
    double clock_hz;        /* ticks per second of that clock, as measured over the run */
    int64_t end_ns;         /* end of the session; open ranges are cut here */
    uint64_t n_events;      /* of all threads */
    uint64_t n_ranges;
    uint64_t n_marks;
    uint64_t n_cut;          /* ranges whose end was not recorded */
    uint64_t n_lost_records; /* events that could not be recorded */
    uint64_t lost_bytes;
    uint64_t n_lost_parts;       /* blocks of events (up to 64 KiB) that are missing */
    uint64_t n_lost_defs;        /* names and registered strings that could not be recorded */
    uint64_t n_failed_processes; /* processes that could not be recorded at all */
    uint64_t n_stalls;           /* parts that a thread had to write itself */
    uint64_t stall_ns;
    uint64_t n_unmatched_ends; /* pops without push, ends of ranges that are not open */
    uint64_t n_foreign_ends;   /* ends of ranges that another process began */
    uint64_t n_damaged_bytes;  /* skipped by RF_OPEN_SALVAGE, or when the file was recovered */
    uint64_t size_bytes;       /* of the recording on disk */
    int is_live;               /* the session was still running when it was opened */
    int is_finished;           /* a packed file, or a directory whose session ended normally */
    uint32_t root_pid;         /* the program started by `profile`; 0: unknown */
    int root_signal;           /* the signal that ended it; 0: none or unknown */
    int root_status;           /* its exit status, when root_signal is 0 */
    int is_root_ended;         /* 0: it is not known how it ended, or that it has */
    int is_focused;            /* only captures were asked for: see rf_capture_at() */
    uint64_t n_cut_at_start;   /* ranges that were open when a capture began */
    int64_t epoch_boot_ns;     /* CLOCK_BOOTTIME at time 0; 0: unknown */
    uint64_t n_bad_times;      /* calls and GPU work with enum rf_time_flags */
    uint64_t n_cuda_dropped;   /* records that CUPTI had no room for */
    uint64_t n_samples;        /* of counters; RF_OPEN_NO_SAMPLES does not change it */
    uint64_t n_lost_about;     /* of n_lost_records: an estimate, of what is damaged or missing */
    int is_end_missing;        /* and nothing says how many events it held */
    int was_live;              /* a packed file: processes of it still ran when it was packed */
    int is_import;             /* read from a SQLite database: an export of nsys, or of ours */
};

RF_API const struct rf_info *rf_get_info(const rf_recording *rec);

/* A capture of a focused recording. What lies in none is not shown; a range is, if any of it lies
 * in one. */
struct rf_capture_info {
    int64_t begin_ns;
    int64_t end_ns;  /* what happened at both edges is inside; where is_open, the session's end */
    uint32_t number; /* of the capture in its run, from 1 */
    int is_open;     /* it had not ended */
};

/* The captures by time; none, where the whole run was recorded. */
RF_API uint32_t rf_n_captures(const rf_recording *rec);
RF_API const struct rf_capture_info *rf_capture_at(const rf_recording *rec, uint32_t i);

/* Messages that the recorder left for people: lines without newline. NULL past the last. */
RF_API const char *rf_message_at(const rf_recording *rec, size_t i);

/* ---- Strings ---- */

#define RF_NO_STRING UINT32_MAX

/* The bytes of string id, NUL-ended; *size (may be NULL) excludes the NUL. Bytes are as the
 * program gave them: mostly UTF-8, nothing is checked. RF_NO_STRING or an unknown id: NULL. */
RF_API const char *rf_string(const rf_recording *rec, uint32_t id, size_t *size);

/* How many strings there are; ids are 0 .. n-1. */
RF_API uint32_t rf_n_strings(const rf_recording *rec);

/* ---- Processes, threads, domains ---- */

#define RF_NO_INDEX UINT32_MAX

/* One process image: a program that calls exec becomes another one. */
struct rf_process {
    uint32_t pid; /* in its own pid namespace */
    uint32_t ppid;
    uint32_t parent;  /* index of the process it was forked from, or RF_NO_INDEX */
    uint32_t name;    /* string: file name of the executable */
    uint32_t exe;     /* string: its path */
    uint32_t command; /* string: arguments joined by spaces, quoted where needed */
    uint32_t cwd;     /* string */
    uint32_t n_args;
    const uint32_t *args; /* strings: the arguments */
    uint32_t n_env;
    const uint32_t *env; /* strings NAME=VALUE: an allow-list, never the whole environment */
    uint64_t start_time; /* clock ticks after boot, of /proc/PID/stat */
    uint64_t pid_ns;     /* inode of its pid namespace */
    int64_t first_ns;    /* when its recording began */
    int64_t exit_ns;     /* when it called exit or returned from main; RF_NO_TIME: it did not */
    uint64_t n_lost_records;
};

#define RF_NO_TIME INT64_MIN

RF_API uint32_t rf_n_processes(const rf_recording *rec);
RF_API const struct rf_process *rf_process_at(const rf_recording *rec, uint32_t i);

struct rf_thread {
    uint32_t process; /* index */
    uint32_t tid;
    uint32_t
        serial;       /* numbers the threads of a process, since the system uses a tid again; 0:
                       * it has no events of its own: it was named, named something, or called CUDA */
    uint32_t name;    /* string: given by nvtxNameOsThread, or else the system's; may be none */
    int is_named;     /* the name was given by nvtxNameOsThread */
    int64_t first_ns; /* first event; RF_NO_TIME: it has none */
    int64_t end_ns;   /* when it ended; RF_NO_TIME: not seen */
    uint64_t n_events;
    int has_priority;
    int32_t priority; /* of its name, as nsys has it: the system's number, or 0 for a given name */
};

RF_API uint32_t rf_n_threads(const rf_recording *rec);
RF_API const struct rf_thread *rf_thread_at(const rf_recording *rec, uint32_t i);

/* A domain of a process. Two domains of one name in one process are the same. Every process has
 * the default domain, with id 0 and no name. */
struct rf_domain {
    uint32_t process; /* index */
    uint32_t id;      /* 0 default; 1, 2, ... in the order of creation; an invalid handle used by
                       * the program stands as it is, as far as it fits */
    uint32_t name;    /* string, or RF_NO_STRING: default, NULL or an invalid handle */
    int is_valid;     /* 0: the program used a handle that no nvtxDomainCreate returned */
    uint64_t handle;  /* what the program passed, where is_valid is 0 */
};

RF_API uint32_t rf_n_domains(const rf_recording *rec);
RF_API const struct rf_domain *rf_domain_at(const rf_recording *rec, uint32_t i);

/* The name that category id was given last in this domain, or RF_NO_STRING. */
RF_API uint32_t rf_category_name(const rf_recording *rec, uint32_t domain, uint32_t category);

/* ---- Events ---- */

enum rf_event_kind {
    RF_EVENT_PUSH_POP = 1,  /* a range on a thread's stack */
    RF_EVENT_START_END = 2, /* a range with an id; link: see rf_start_end_at() */
    RF_EVENT_MARK = 3,
    RF_EVENT_CATEGORY = 4,    /* category was named: name */
    RF_EVENT_THREAD_NAME = 5, /* the thread named_tid was named */
    RF_EVENT_DOMAIN_CREATE = 6,
    RF_EVENT_DOMAIN_DESTROY = 7,
    RF_EVENT_OBJECT_NAME = 8,       /* a CUDA or OpenCL object was named: object_kind, handle */
    RF_EVENT_RESOURCE = 9,          /* nvtxDomainResourceCreate: resource_index, identifier_type,
                                     * identifier */
    RF_EVENT_RESOURCE_DESTROY = 10, /* resource_index, handle */
    RF_EVENT_SYNC_CREATE = 11,      /* nvtxDomainSyncUserCreate: sync_index */
    RF_EVENT_SYNC_DESTROY = 12,     /* sync_index, handle */
    RF_EVENT_SYNC = 13,             /* sync_index, sync_operation, handle */
};

/* What a thread did with a synchronization object of its own (nvtxDomainSyncUser...). */
enum rf_sync_operation {
    RF_SYNC_OPERATION_ACQUIRE_START = 1,
    RF_SYNC_OPERATION_ACQUIRE_FAILED = 2,
    RF_SYNC_OPERATION_ACQUIRE_SUCCESS = 3,
    RF_SYNC_OPERATION_RELEASING = 4,
};

enum rf_event_flags {
    RF_EVENT_HAS_COLOR = 1,
    RF_EVENT_HAS_CATEGORY = 2,
    RF_EVENT_REGISTERED = 4,   /* the message is a registered string */
    RF_EVENT_BAD_HANDLE = 8,   /* a registered string that does not exist: name is "0x..." */
    RF_EVENT_FOREIGN_END = 16, /* another process passed this range's id to nvtxRangeEnd: it ended
                                * the range, unless the range's own process did */
    RF_EVENT_CLAMPED = 32,     /* its end lay before its start, by clocks of two threads */
    RF_EVENT_CUT_AT_START = 64 /* it was open when the first capture that it is in began; start_ns
                                * is its true start all the same */
};

/* Why the end of a range is not the program's own. */
enum rf_cut {
    RF_CUT_NONE = 0,
    RF_CUT_THREAD_ENDED = 1,
    RF_CUT_PROCESS_ENDED = 2,
    RF_CUT_KILLED = 3, /* the process ended without exit: signal, _exit, crash */
    RF_CUT_EXEC = 4,   /* the process became another program */
    RF_CUT_CAPTURE_ENDED = 5,
    RF_CUT_DOMAIN_DESTROYED = 6,
    RF_CUT_LIVE = 7, /* still open: the session was running */
    RF_CUT_LOST = 8, /* events of this thread were lost, its end among them */
};

enum rf_payload_type {
    RF_TYPE_NONE = 0,
    RF_TYPE_UINT64 = 1,
    RF_TYPE_INT64 = 2,
    RF_TYPE_DOUBLE = 3,
    RF_TYPE_UINT32 = 4, /* in the low half */
    RF_TYPE_INT32 = 5,  /* in the low half */
    RF_TYPE_FLOAT = 6,  /* in the low half */
    RF_TYPE_OTHER = 7,  /* eight bytes of a type that this version does not know */
    RF_TYPE_JSON = 8,   /* an extended payload, as JSON: payload is a string */
    RF_TYPE_BINARY = 9, /* an extended payload that was not decoded: payload is a string, the text
                         * that nsys has for its bytes */
};

enum rf_object_kind {
    RF_NAMED_CU_DEVICE = 1,
    RF_NAMED_CU_CONTEXT,
    RF_NAMED_CU_STREAM,
    RF_NAMED_CU_EVENT,
    RF_NAMED_CUDA_DEVICE,
    RF_NAMED_CUDA_STREAM,
    RF_NAMED_CUDA_EVENT,
    RF_NAMED_CL_DEVICE,
    RF_NAMED_CL_CONTEXT,
    RF_NAMED_CL_QUEUE,
    RF_NAMED_CL_MEM,
    RF_NAMED_CL_SAMPLER,
    RF_NAMED_CL_PROGRAM,
    RF_NAMED_CL_EVENT,
};

/* One event; 48 bytes. The kind of an event says which member of a union it has; kinds that no
 * member names have none of that union. */
struct rf_event {
    int64_t start_ns; /* after the recording's time 0 */
    int64_t end_ns;   /* ranges: >= start_ns, always set (cut says if it was estimated); others:
                       * RF_NO_TIME */
    union {
        uint64_t payload; /* ranges, MARK: bits of the value; payload_type says how to read them */
        uint64_t named_tid;  /* THREAD_NAME: the system's number of the thread */
        uint64_t handle;     /* OBJECT_NAME: of the CUDA or OpenCL object. RESOURCE_DESTROY,
                              * SYNC_DESTROY, SYNC: as the program passed it */
        uint64_t identifier; /* RESOURCE: as the program passed it */
    };
    uint32_t name;   /* string, or RF_NO_STRING: no message, or NULL */
    uint32_t domain; /* index for rf_domain_at() */
    union {
        uint32_t category;    /* ranges, MARK: see RF_EVENT_HAS_CATEGORY. CATEGORY: its number */
        uint32_t object_kind; /* OBJECT_NAME: enum rf_object_kind */
        uint32_t identifier_type; /* RESOURCE: as the program passed it */
        uint32_t sync_operation;  /* SYNC: enum rf_sync_operation */
    };
    union {
        uint32_t color;          /* ranges, MARK: ARGB; see RF_EVENT_HAS_COLOR */
        uint32_t resource_index; /* RESOURCE, RESOURCE_DESTROY: both name one object by it. In its
                                  * process */
        uint32_t sync_index;     /* SYNC_CREATE, SYNC_DESTROY, SYNC: likewise */
    };
    uint32_t link;        /* START_END: index for rf_start_end_at() */
    uint8_t kind;         /* enum rf_event_kind */
    uint8_t flags;        /* enum rf_event_flags */
    uint8_t payload_type; /* enum rf_payload_type */
    uint8_t cut;          /* enum rf_cut of the end */
};

/* The events of a thread (ranges belong to the thread that began them), sorted by start_ns, an
 * enclosing range before what it encloses. *n: how many. NULL where there are none. */
RF_API const struct rf_event *rf_thread_events(const rf_recording *rec, uint32_t thread, size_t *n);

/* What only start/end ranges have. */
struct rf_start_end {
    uint64_t id;         /* as nvtxRangeStart returned it */
    uint64_t number;     /* 1, 2, ... in the order of starts in its process */
    uint32_t end_thread; /* index of the thread that ended it; its own where cut */
    uint32_t parent;     /* 1 + link of the start/end range whose part it is, as the program said;
                          * its own: of none; 0: the program said nothing */
};

RF_API const struct rf_start_end *rf_start_end_at(const rf_recording *rec, uint32_t link);

/* The name of a cut reason, "thread ended"; "" for RF_CUT_NONE. */
RF_API const char *rf_cut_name(int cut);

/* ---- All events in order ---- */

struct rf_cursor;

struct rf_event_at {
    const struct rf_event *event;
    uint32_t thread; /* index for rf_thread_at() */
};

/* A cursor over the events of all threads, by start time; among equals by thread, then as
 * rf_thread_events(). The caller frees it before closing the recording. */
RF_API int rf_cursor_new(const rf_recording *rec, struct rf_cursor **out, struct rf_err *err);

/* Gives the next event; returns 0 at the end. */
RF_API int rf_cursor_next(struct rf_cursor *cursor, struct rf_event_at *at);

/* NULL is accepted. */
RF_API void rf_cursor_free(struct rf_cursor *cursor);

/* ---- A part of a recording ---- */

/* What is to stay; NULL: no such filter. What several of them name lies in all of them. */
struct rf_filter_options {
    /* "START/END", after time 0, either may be missing: seconds, or with s, ms, us, ns. Ranges,
     * calls and GPU work that lie partly inside stay whole. */
    const char *time;
    /* "MESSAGE[@DOMAIN][/INDEX]": what lies in the time of these ranges, on all threads and GPUs.
     * "@" alone is the default domain; without one any is. INDEX, from 0, is one of them by start;
     * without it all are meant. */
    const char *nvtx;
    const char *processes;  /* "PID|NAME,..." */
    const char *gpus;       /* "ID,...": GPU work of these GPUs only, as its process numbers them */
    const char *activities; /* "nvtx,api,osrt,gpu,...": also runtime, driver, of gpu kernel, memcpy,
                             * memset, graph, sync, and cuda-event, memory, gpu-metrics, overhead,
                             * library (MPI, cuBLAS, cuDNN, OpenACC) */
    const char *names;      /* of ranges and marks: a name, where * is anything, or "/REGEX/", found
                             * anywhere in it: of Perl (PCRE2) or Python. RF_ERR_USAGE where looking
                             * for it takes too long */
    const char *kernels;    /* of kernels: the same; the short or the full name */
};

/* Makes a recording that holds what a filter leaves of another one; everything that takes a
 * recording takes it. Names that the program gave (domains, categories, objects) stay. Work of
 * calls that are left out is no range's; where no calls are to be shown at all, projections know
 * them still. *out is NULL on failure; RF_ERR_USAGE: a filter is not valid, or names a process, GPU
 * or range that is not there. The caller closes it before rec, which it uses. */
RF_API int rf_filter(const rf_recording *rec, const struct rf_filter_options *options,
                     rf_recording **out, struct rf_err *err);

/* ---- Writing it out ---- */

enum rf_nsys2json_activity {
    RF_NSYS2JSON_KERNEL = 1,
    RF_NSYS2JSON_NVTX = 2,
    RF_NSYS2JSON_NVTX_KERNEL = 4, /* from the first to the last kernel that a range launched */
    RF_NSYS2JSON_CUDA_API = 8,
};

/* What the command nsys2json has options for. */
struct rf_nsys2json_options {
    unsigned activities; /* enum rf_nsys2json_activity; 0: KERNEL and NVTX_KERNEL */
    /* Ranges whose name begins with none of these are left out; none: all are shown. As SQLite's
     * LIKE compares: without the case of ASCII letters, '_' any character, '%' any number. */
    const char *const *prefixes;
    size_t n_prefixes;
    /* A JSON object from regular expressions (Python's; see rf_filter_options) to colors of
     * chrome://tracing: the first one that is found in a range's name gives its color. NULL:
     * none. */
    const char *color_scheme;
};

/* What the flavor of PyTorch's profiler (Kineto) needs beyond the recording. */
struct rf_kineto_options {
    int64_t rank; /* of the process in its job; -1: what RANK, SLURM_PROCID or
                   * OMPI_COMM_WORLD_RANK says in the recording, or else 0 */
};

struct rf_export_options {
    const char *format; /* "sqlite", "json"; rf_export_format_at() has all of them */
    const char *output; /* path; "-": standard output (not for sqlite); a name that ends in
                         * ".gz" is compressed (not for sqlite) */
    int can_overwrite;
    /* Called now and then with the share done, 0 to 1, or NULL. Returns non-zero to stop. */
    int (*progress)(void *context, double done);
    void *progress_context;
    /* Format "json": the layout of the script nsys2json, byte for byte. NULL: our own. */
    const struct rf_nsys2json_options *nsys2json;
    /* Format "json": as PyTorch's profiler writes it, for what analyzes its traces. NULL: not. */
    const struct rf_kineto_options *kineto;
    /* Format "perfetto": GPU work and GPU counters as the events that Perfetto has for them since
     * v55, in place of ordinary tracks and flows, which every version shows. */
    int gpu_events;
    /* Formats "json" (not its flavors) and "perfetto": annotations that have a category lie on a
     * track of that category. */
    int tracks_by_category;
    /* Formats "json" (not its flavors) and "perfetto": as rf_project_options.by_process. What such
     * ranges caused is marked by the argument "by process", "by_process". */
    int by_process;
    /* Formats "csv" and "text": names as they are. Otherwise control characters, and those that
     * turn the direction of text, stand as \x1b and \u202e, and in CSV an apostrophe stands before
     * what a spreadsheet would take for a formula: = + - @. The other formats are exact in any
     * case. */
    int is_raw;
};

/* Writes a recording in another format. The file appears under its name only when it is complete:
 * a failed export leaves nothing. */
RF_API int rf_export(const rf_recording *rec, const struct rf_export_options *options,
                     struct rf_err *err);

/* The formats as name and one-line description; NULL past the last. */
RF_API const char *rf_export_format_at(size_t i, const char **description);

/* The format that a file's name asks for by its ending, with or without ".gz" behind it: "json" for
 * "run.json.gz". NULL: none. */
RF_API const char *rf_export_format_of(const char *path);

/* What the names of a format's files end in: "pftrace" for "perfetto". NULL for a format that is
 * not known. */
RF_API const char *rf_export_extension(const char *format);

/* Removes the temporary files of what is being written or opened: for the handler of a signal that
 * ends the program. Safe in signal handlers; what is being written fails, or is without a name. */
RF_API void rf_remove_unfinished(void);

/* Copies a SQLite database that nsys or rf_export() wrote, without command lines, environment,
 * paths, output, and the names of host and user. Events, and the names that the program gave, stay;
 * of a table that is not known, its numbers. The file appears only when it is complete. */
RF_API int rf_scrub_export(const char *input, const char *output, int can_overwrite,
                           struct rf_err *err);

struct rf_report_options {
    const char *report; /* "nvtx_sum" */
    const char *format; /* "table", "csv", "json" */
    const char *output; /* path or "-" */
    int can_overwrite;
    int by_process; /* of GPU work by range: as rf_project_options.by_process. Such ranges have the
                     * style "StartEnd (process)" */
    int is_raw;     /* formats "table", "csv": as rf_export_options.is_raw */
    unsigned width; /* of the terminal that a "table" is for: longer names are cut; 0: none is */
    /* Called before the report is computed, with 0, and before it is written, with 1; or NULL. Its
     * result is not used. */
    int (*progress)(void *context, double done);
    void *progress_context;
};

/* Computes a table of statistics and writes it. RF_ERR_UNSUPPORTED: it would have to look at too
 * much; how to ask for less is in err. */
RF_API int rf_report(const rf_recording *rec, const struct rf_report_options *options,
                     struct rf_err *err);

/* The reports as name and one-line description; NULL past the last. */
RF_API const char *rf_report_at(size_t i, const char **description);

/* Whether the i-th report belongs to what is shown where none is asked for: 1; -1: it would, but
 * the recording has nothing of what it is about; 0: it is shown on request only. */
RF_API int rf_report_is_default(const rf_recording *rec, size_t i);

/* What rf_open() may leave out for a report: flags of enum rf_open_flags. 0 for a name that is not
 * known. */
RF_API unsigned rf_report_open_flags(const char *name);

#ifdef __cplusplus
}
#endif

#include "rangefinder/gpu_work.h"
#endif
