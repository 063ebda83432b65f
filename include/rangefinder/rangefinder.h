/* SPDX-License-Identifier: Apache-2.0 */
/* librangefinder reads recordings of annotated programs.
 *
 *     #include <inttypes.h>
 *     #include <rangefinder/rangefinder.h>
 *     #include <stdio.h>
 *
 *     int main(int argc, char **argv)
 *     {
 *         struct rf_err err;
 *         struct rf_event_at at;
 *         rf_recording *rec = NULL;
 *         rf_cursor *cursor = NULL;
 *         int status = rf_open(argc > 1 ? argv[1] : NULL, 0, &rec, &err);
 *         if (status == RF_OK)
 *             status = rf_cursor_new(rec, &cursor, &err);
 *         if (status != RF_OK)
 *             fprintf(stderr, "%s\n", err.text);
 *         while (rf_cursor_next(cursor, &at)) {
 *             const char *name = rf_string(rec, at.event->name, NULL);
 *             printf("%" PRId64 " %s\n", at.event->start_ns, name != NULL ? name : "");
 *         }
 *         rf_cursor_free(cursor);
 *         rf_close(rec);
 *         return status == RF_OK ? 0 : 1;
 *     }
 *
 * Ownership: a recording owns everything that it hands out, until rf_close().
 *
 * Threads: an opened recording does not change. Any number of threads may read it at once. A cursor
 * belongs to one thread. The library prints nothing, never exits, and keeps no global state.
 *
 * Errors: functions that can fail return 0 (RF_OK) or a negative enum rf_error. The details are in
 * *err, which may be NULL.
 *
 * NULL: every function accepts NULL for every pointer. A NULL recording is an empty one: counts
 * are 0, look-ups return NULL, RF_NO_STRING or RF_NO_INDEX. NULL options of rf_filter() and
 * rf_project() are the defaults. Where a function that returns an enum rf_error needs the argument,
 * the result is RF_ERR_USAGE. An output such as *n or *size is not written where it is NULL.
 *
 * Units: times are nanoseconds after time 0 of the recording, sizes are bytes, unless the name says
 * otherwise.
 *
 * Growth: docs/compatibility.md says what later versions may change. In short: begin options with
 * their INIT macro, and leave structs that the library hands out where they are.
 *
 * The headers need C11 or C++11. */
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

/* ---- Version ---- */

#define RF_VERSION_MAJOR 0
#define RF_VERSION_MINOR 2
#define RF_VERSION_PATCH 0

/* The version as one number that grows: 1.2.3 is 10203. */
#define RF_VERSION_NUMBER (RF_VERSION_MAJOR * 10000 + RF_VERSION_MINOR * 100 + RF_VERSION_PATCH)

/* The version of the library that runs, "MAJOR.MINOR.PATCH". */
RF_API const char *rf_version(void);

/* The version of the library that runs, as RF_VERSION_NUMBER is the version of the header. */
RF_API int rf_version_number(void);

/* Whether the library that runs serves a program that was compiled with the header of version
 * `number`: 1 where it has the same major version and is not older, otherwise 0. A program asks
 * rf_is_compatible(RF_VERSION_NUMBER) where the library may be older than its header. */
RF_API int rf_is_compatible(int number);

/* ---- Errors ---- */

enum rf_error {
    RF_OK = 0,
    RF_ERR_IO = -1,          /* the system refused: open, read, write, map */
    RF_ERR_NO_MEMORY = -2,   /* out of memory */
    RF_ERR_FORMAT = -3,      /* not a recording, or one of another version */
    RF_ERR_DAMAGED = -4,     /* truncated or changed: offset says where */
    RF_ERR_EXISTS = -5,      /* the output exists already and may not be overwritten */
    RF_ERR_USAGE = -6,       /* an argument is not valid */
    RF_ERR_UNSUPPORTED = -7, /* this build or machine cannot do it */
    RF_ERR_NOT_FOUND = -8,   /* the recording does not have the range, the process, ... that was
                              * asked for */
};

/* The details of an error. This struct keeps its size in all versions. */
struct rf_err {
    int code;        /* enum rf_error */
    uint64_t offset; /* byte offset in the file, where it applies; otherwise 0 */
    char text[1024]; /* one line: what failed, on what, what to do next */
};

/* The name of an error code, "RF_ERR_IO"; "unknown error" for any other number. */
RF_API const char *rf_error_name(int code);

/* ---- Opening ---- */

/* An opened recording. */
typedef struct rf_recording rf_recording;

enum rf_open_flags {
    RF_OPEN_SALVAGE = 1,    /* read what can be read of a damaged file; rf_info.n_damaged_bytes
                             * counts the rest */
    RF_OPEN_NO_DETAILS = 2, /* leave out what only kernels, copies, sets and waits have:
                             * rf_gpu_op.detail is RF_NO_INDEX. An import is faster */
    RF_OPEN_NO_SAMPLES = 4, /* leave out the values of sampled counters: the counters are there and
                             * have no samples. Long recordings of GPU metrics take little memory */
    RF_OPEN_SUMS = 8,       /* a long recording is to be summed up alone: it has no events, calls
                             * and GPU work, and reports whose rf_report_open_flags() have this
                             * flag know what they add up to. Memory does not grow with its
                             * length. rf_info.n_bad_times and rf_skipped_at() say nothing of CUDA,
                             * unless it is a recording of captures.
                             * With RF_OPEN_COUNTS its ranges are counted and not summed up */
    RF_OPEN_COUNTS = 16,    /* ranges and marks are to be counted alone: a recording of Rangefinder
                             * has no events, and no report of its ranges. All else that it says is
                             * the same. Takes less time and memory the more there are: of parts
                             * whose counts stand in the file the bytes are not read */
    RF_OPEN_PATHS = 32,     /* a long recording is to be given to rf_summary_add() alone: mostly it
                             * has no events, and memory does not grow with its length. Where that
                             * cannot be it is opened as without this flag */
    RF_OPEN_NO_STEPS = 128, /* with RF_OPEN_PATHS: rf_summary_add() is not to look for steps, so
                             * that shorter recordings are worth summing up as they are read */
    RF_OPEN_VERIFY = 64,    /* with RF_OPEN_COUNTS: check and count the bytes of all parts */
    RF_OPEN_SAMPLE_SUMS = 256, /* with RF_OPEN_NO_SAMPLES: rf_summary_add() is to know what the
                                * samples add up to. Memory does not grow with their number, unless
                                * some repeat a value and they are not recorded by time */
    RF_OPEN_PAGES = 512,    /* read the large tables of a SQLite database from its pages, or fail.
                             * Without this flag and the next one they are where that is possible */
    RF_OPEN_LIBRARY = 1024, /* read all tables by SQLite's library */
    RF_OPEN_NO_WORK = 2048, /* with RF_OPEN_SUMS: calls and GPU work are not summed up either; of a
                             * SQLite database they are not read, unless a range ends with them */
    RF_OPEN_WORK_COUNTS = 4096, /* a recording of Rangefinder has no calls of CUDA, no GPU work and
                                 * no rows of rf_extras() but those of memory: rf_work_counts_of()
                                 * knows how many there are. All else that it says is the same.
                                 * Memory does not grow with their number, unless work and its call
                                 * were recorded far from each other */
    RF_OPEN_LAUNCHES = 8192,    /* a long recording is to be given to reports alone whose
                                 * rf_report_open_flags() have this flag: it has what launches of
                                 * kernels add up to. Memory likewise */
    RF_OPEN_RANGE_WORK = 16384, /* the same of the GPU work of ranges. Where that cannot be found as
                                 * it is read, it is opened as without this flag. With
                                 * RF_OPEN_PATHS: rf_summary_add() is to know it, too */
    RF_OPEN_NO_RANGE_KERNELS = 32768, /* with RF_OPEN_RANGE_WORK: not of each kernel under a range,
                                       * likewise with the next two */
    RF_OPEN_RANGE_WORK_BASE = 524288, /* RF_OPEN_RANGE_WORK with kernels by their base names, */
    RF_OPEN_RANGE_WORK_MANGLED = 1048576, /* and by their mangled ones. Of these three the first
                                           * that is set holds */
    RF_OPEN_FOLD_NUMBERS = 2097152, /* with one of them: for rf_report_options.fold_numbers above 0
                                     * alone */
    RF_OPEN_BY_PROCESS = 4194304    /* with one of them: for rf_report_options.by_process alone.
                                     * Where other threads ended ranges, all ranges are kept in
                                     * memory, and calls and work are not */
};

/* Opens a recording. path names one of: a .rf file; a SQLite database that nsys exported; a
 * .nsys-rep (nsys must be on the PATH: it exports the report to a temporary file); a trace of
 * torch.profiler, or another one in the Trace Event Format, .json or .json.gz; a session directory.
 * A session directory may still be written to: the result shows it as it was at this moment. flags:
 * enum rf_open_flags. *out is NULL on failure. The caller closes it with rf_close(). */
RF_API int rf_open(const char *path, unsigned flags, rf_recording **out, struct rf_err *err);

/* Frees a recording and everything that it handed out. */
RF_API void rf_close(rf_recording *rec);

/* ---- What a recording is about ---- */

#define RF_CUT_REASONS 16 /* room for enum rf_cut */

/* The whole recording in numbers. */
struct rf_info {
    const char *path;
    const char *product;    /* the program that wrote it */
    const char *host;       /* name of the machine */
    int64_t epoch_utc_ns;   /* CLOCK_REALTIME at time 0 of this recording */
    int64_t epoch_mono_ns;  /* CLOCK_MONOTONIC at time 0 */
    int32_t utc_offset_s;   /* of the local time zone, east positive */
    const char *clock_name; /* "tsc", "cntvct" or "monotonic" */
    double clock_hz;        /* ticks per second of that clock, as measured over the run */
    int64_t end_ns;         /* end of the session; open ranges are cut here */
    uint64_t n_events;      /* on all threads */
    uint64_t n_ranges;
    uint64_t n_marks;
    uint64_t n_cut;          /* ranges whose end was not recorded */
    uint64_t n_lost_records; /* events that could not be recorded */
    uint64_t lost_bytes;
    uint64_t n_lost_parts;       /* blocks of events (up to 64 KiB) that are missing */
    uint64_t n_lost_defs;        /* names and registered strings that could not be recorded */
    uint64_t n_failed_processes; /* processes that could not be recorded at all */
    uint64_t n_stalls;           /* parts that a thread of the program had to write itself */
    uint64_t stall_ns;
    uint64_t n_unmatched_ends; /* pops without push, ends of ranges that are not open */
    uint64_t n_foreign_ends;   /* ends of ranges that another process began */
    uint64_t n_damaged_bytes;  /* skipped by RF_OPEN_SALVAGE, or when the file was recovered */
    uint64_t size_bytes;       /* of the recording on disk */
    int is_live;               /* the session was still running when it was opened */
    int is_finished;           /* a packed file, or a directory whose session ended normally */
    uint32_t root_pid;         /* the program that `profile` started; 0: unknown */
    int root_signal;           /* the signal that ended it; 0: none or unknown */
    int root_status;           /* its exit status, where root_signal is 0 */
    int is_root_ended;         /* 0: it runs, or how it ended is not known */
    int is_focused;            /* only captures were recorded: see rf_capture_at() */
    uint64_t n_cut_at_start;   /* ranges that were open when a capture began */
    int64_t epoch_boot_ns;     /* CLOCK_BOOTTIME at time 0; 0: unknown */
    uint64_t n_bad_times;      /* calls and GPU work with enum rf_time_flags */
    uint64_t n_cuda_dropped;   /* records that CUPTI had no room for, or that are incomplete */
    uint64_t n_samples;        /* of counters; RF_OPEN_NO_SAMPLES does not change it */
    uint64_t n_lost_about;   /* the part of n_lost_records that is an estimate, for what is damaged
                              * or missing */
    int is_end_missing;      /* the file lost its end, and the number of events there is unknown */
    int was_live;            /* a packed file: some of its processes still ran when it was packed */
    int is_import;           /* read from a database of nsys or rf_export(), or a trace in JSON */
    uint64_t n_time_calls;   /* calls for time domains of NVTX, which are not recorded */
    uint64_t n_memory_calls; /* calls of NVTX's memory extension that are not recorded: while no
                              * capture was on; before format 1.8 all */
    int32_t rank;            /* those of its processes, as far as they agree; else -1 */
    int32_t local_rank;
    int32_t world_size;
    uint64_t n_cut_by[RF_CUT_REASONS]; /* n_cut by enum rf_cut; of RF_CUT_NONE 0 */
    uint64_t n_uncaptured; /* calls that submitted deferred events of NVTX, or samples with times,
                            * while no capture was on: they are not recorded */
    const char *ranks; /* which ranks of the job were to be recorded, as `profile --ranks` had it:
                        * "0,8-15", "every:16". "": all, or it is not known */
    const char *import_reader; /* what read the large tables of an import: "pages", or "library":
                                * SQLite's; "json": it is a trace. NULL: it is no import */
    const char *import_why;    /* why it was not "pages"; NULL: it was, or it is no database */
    uint64_t expanded_bytes;   /* what size_bytes would be if nothing in it were compressed */
};

/* The numbers of a recording; NULL for NULL. */
RF_API const struct rf_info *rf_get_info(const rf_recording *rec);

/* A capture of a focused recording. The recording shows events, calls and GPU work of captures
 * only, and every range that lies partly in one. */
struct rf_capture_info {
    int64_t begin_ns;
    int64_t end_ns;  /* both edges belong to the capture; where is_open, the session's end */
    uint32_t number; /* of the capture in its run, from 1 */
    int is_open;     /* it had not ended */
};

/* The captures by time. There are none where the whole run was recorded. */
RF_API uint32_t rf_n_captures(const rf_recording *rec);
RF_API const struct rf_capture_info *rf_capture_at(const rf_recording *rec, uint32_t i);

/* What a flight recorder (`profile --ring`) held. */
struct rf_ring_info {
    uint64_t size_bytes; /* of the ring, as asked for */
    int64_t keep_ns;     /* how long it kept events at most; 0: any time */
    uint64_t n_recycled; /* records that were dropped for newer ones, and their bytes */
    uint64_t recycled_bytes;
    int64_t kept_from_ns; /* since when all events of all threads are there; 0: from the beginning.
                           * See rf_thread */
    uint32_t snapshot;    /* its number, from 1; 0: the recording was made when the program ended */
    int64_t asked_ns;     /* of a snapshot: when it was asked for, likewise below; RF_NO_TIME */
    const char *reason;   /* why: of a person or the program */
    const char *rule;     /* as --snapshot-on has it; "": none */
    int64_t value_ns;     /* what the rule measured; RF_NO_TIME: nothing */
};

/* NULL: nothing was recycled on purpose, or NULL. The recording owns it. */
RF_API const struct rf_ring_info *rf_get_ring(const rf_recording *rec);

/* One of several files that a long run was written to (rangefinder profile --split). A range that
 * goes on in the next file is in both, with its true start; who adds up several files counts it
 * where it ends: its cut is RF_CUT_LIVE where it does not. Sums of this library do so. */
struct rf_piece_info {
    uint32_t number;                           /* of the file, from 1 */
    uint8_t goes_on;                           /* 1: there is a next one */
    int64_t begin_ns;                          /* when the file began */
    uint64_t n_removed;                        /* files that had been removed to make room */
    uint64_t n_removed_records, removed_bytes; /* what they held */
};

/* NULL: it is no such file, or NULL. The recording owns it. */
RF_API const struct rf_piece_info *rf_get_piece(const rf_recording *rec);

/* Message i that the recorder left for people: a line without newline. NULL past the last. */
RF_API const char *rf_message_at(const rf_recording *rec, size_t i);

/* ---- Strings ---- */

#define RF_NO_STRING UINT32_MAX

/* The bytes of string `id`, NUL-ended. *size excludes the NUL. The bytes are as the program gave
 * them: mostly UTF-8, but nothing is checked. NULL, and size 0, for RF_NO_STRING and unknown ids.
 */
RF_API const char *rf_string(const rf_recording *rec, uint32_t id, size_t *size);

/* How many strings there are; ids are 0 .. n-1. */
RF_API uint32_t rf_n_strings(const rf_recording *rec);

/* ---- Processes, threads, domains ---- */

#define RF_NO_INDEX UINT32_MAX
#define RF_NO_TIME  INT64_MIN

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
    int32_t rank;           /* in its job, from 0; -1: it is not known, likewise below. Source: the
                             * environment that its launcher (torchrun, mpiexec, srun) gave it, or
                             * MPI_RANKS of nsys */
    int32_t local_rank;     /* among those of its machine */
    int32_t world_size;     /* processes of the job */
    uint64_t n_annotations; /* ranges and marks */
    uint32_t cpu;           /* string: the name of the processor; may be none */
    uint32_t n_cpus;        /* threads of it that the process may use; 0: unknown */
};

/* The processes of the session. */
RF_API uint32_t rf_n_processes(const rf_recording *rec);
RF_API const struct rf_process *rf_process_at(const rf_recording *rec, uint32_t i);

struct rf_thread {
    uint32_t process; /* index */
    uint32_t tid;
    uint32_t serial;  /* numbers the threads of a process, since the system uses a tid again. 0: the
                       * thread has no events; it was named, named something, or called CUDA */
    uint32_t name;    /* string: given by nvtxNameOsThread, or else the system's; may be none */
    int is_named;     /* the name was given by nvtxNameOsThread */
    int64_t first_ns; /* first event; RF_NO_TIME: it has none */
    int64_t end_ns;   /* when it ended; RF_NO_TIME: not seen */
    uint64_t n_events;
    int has_priority;
    int32_t priority; /* of its name, as nsys has it: the system's number, or 0 for a given name */
    int64_t kept_from_ns; /* of a flight recorder: since when all its events are there; of what was
                           * before, only ranges that were open then. 0: from its beginning */
};

/* The threads of all processes. */
RF_API uint32_t rf_n_threads(const rf_recording *rec);
RF_API const struct rf_thread *rf_thread_at(const rf_recording *rec, uint32_t i);

/* A domain of a process. Domains of one name in one process are one domain. Every process has the
 * default domain, with id 0 and no name. */
struct rf_domain {
    uint32_t process; /* index */
    uint32_t id;      /* 0 default; 1, 2, ... in the order of creation. Of an invalid handle that
                       * the program used: its value, as far as it fits */
    uint32_t name;    /* string, or RF_NO_STRING: default, NULL or an invalid handle */
    int is_valid;     /* 0: the program used a handle that no nvtxDomainCreate returned */
    uint64_t handle;  /* what the program passed, where is_valid is 0 */
    uint64_t n_annotations; /* ranges and marks */
};

/* The domains of all processes. */
RF_API uint32_t rf_n_domains(const rf_recording *rec);
RF_API const struct rf_domain *rf_domain_at(const rf_recording *rec, uint32_t i);

/* The name that `category` was given last in the domain with this index, or RF_NO_STRING. */
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
    RF_EVENT_FOREIGN_END = 16, /* another process passed this range's id to nvtxRangeEnd. That ended
                                * the range, unless the range's own process ended it */
    RF_EVENT_CLAMPED = 32,     /* its end lay before its start, by clocks of two threads */
    RF_EVENT_CUT_AT_START = 64, /* it was open when the first capture that holds it began; start_ns
                                 * is its true start all the same */
    RF_EVENT_BAD_PAYLOAD = 128, /* a payload could not be decoded whole: what could not is shown as
                                 * bytes */
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
    RF_CUT_LOST = 8, /* events of this thread were lost, the end among them */
};

enum rf_payload_type {
    RF_TYPE_NONE = 0,
    RF_TYPE_UINT64 = 1,
    RF_TYPE_INT64 = 2,
    RF_TYPE_DOUBLE = 3,
    RF_TYPE_UINT32 = 4,    /* in the low half */
    RF_TYPE_INT32 = 5,     /* in the low half */
    RF_TYPE_FLOAT = 6,     /* in the low half */
    RF_TYPE_OTHER = 7,     /* eight bytes of a type that this version does not know */
    RF_TYPE_JSON = 8,      /* an extended payload, as JSON: payload is a string */
    RF_TYPE_BINARY = 9,    /* an extended payload that cannot be decoded: payload is a string, the
                            * bytes    that nsys has for it */
    RF_TYPE_EXTENDED = 10, /* payloads of NVTX's payload extension: see rf_visit_payloads() */
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

/* The events of a thread, sorted by start_ns, an enclosing range before what it encloses. A range
 * belongs to the thread that began it. *n: how many. NULL where there are none. */
RF_API const struct rf_event *rf_thread_events(const rf_recording *rec, uint32_t thread, size_t *n);

/* Event i of rf_thread_events(); NULL past the last. */
RF_API const struct rf_event *rf_thread_event_at(const rf_recording *rec, uint32_t thread,
                                                 size_t i);

/* What only start/end ranges have. */
struct rf_start_end {
    uint64_t id;            /* as nvtxRangeStart returned it */
    uint64_t number;        /* 1, 2, ... in the order of starts in its process */
    uint32_t end_thread;    /* index of the thread that ended it; its own where cut */
    uint32_t parent;        /* 1 + link of the start/end range that the program named as its parent.
                             * 1 + its own link: the program said that it has none. 0: the program
                             * said nothing */
    uint32_t parent_number; /* the number of that parent, or its own: likewise; 0 */
    uint32_t reserved;
};

/* By rf_event.link. NULL past the last. */
RF_API const struct rf_start_end *rf_start_end_at(const rf_recording *rec, uint32_t link);

/* The name of a cut reason, "thread ended"; "" for RF_CUT_NONE. */
RF_API const char *rf_cut_name(int cut);

/* ---- Payloads ---- */

enum rf_value_kind {
    RF_VALUE_END = 0,    /* of the OBJECT or ARRAY that began last */
    RF_VALUE_OBJECT = 1, /* values with names follow, up to its END */
    RF_VALUE_ARRAY = 2,  /* values without names follow, up to its END; at most `count` */
    RF_VALUE_UNSIGNED = 3,
    RF_VALUE_SIGNED = 4,
    RF_VALUE_REAL = 5,
    RF_VALUE_DIGITS = 6, /* an integer that 64 bits do not hold: `text` is its decimal digits */
    RF_VALUE_TEXT = 7,   /* UTF-8, as far as the program kept to it; not NUL-ended */
    RF_VALUE_BYTES = 8,
    RF_VALUE_ADDRESS = 9, /* of the program; what it points to was not recorded */
    RF_VALUE_NULL = 10,   /* a pointer or handle that is NULL */
};

enum rf_value_flags {
    RF_VALUE_BAD = 1,    /* the bytes of what could not be decoded */
    RF_VALUE_HIDDEN = 2, /* the program asks viewers to leave it out */
    RF_VALUE_FLOAT = 4,  /* REAL: a float holds it */
    RF_VALUE_ENUM = 8,   /* of an enum: `text` is the name, or the names of flags with | between;
                          * without a name it is UNSIGNED. `number` is the value */
    RF_VALUE_JSON = 16,  /* only in columns, see rf_payload_cell(): `text` is JSON, NUL-ended */
    RF_VALUE_SIZE_SHIFT = 8, /* ENUM: flags >> 8 is its size in bytes; `number` has no more bits,
                              * and is negative if the program's enum is signed and the top one is
                              * set, which NVTX does not tell */
};

/* A value of a payload. Text and bytes are valid during the call. */
struct rf_value {
    uint32_t kind;           /* enum rf_value_kind */
    uint32_t flags;          /* enum rf_value_flags */
    const char *name;        /* in an OBJECT: of the entry; its number where it has no name. Of a
                              * payload: of its schema, or NULL. In an ARRAY: NULL */
    const char *description; /* of the entry; or NULL */
    uint64_t type;           /* NVTX_PAYLOAD_ENTRY_TYPE_..., or the id of a schema or enum */
    uint64_t entry_flags;    /* NVTX_PAYLOAD_ENTRY_FLAG_... */
    size_t count;            /* TEXT, BYTES, DIGITS: bytes; ARRAY: values; OBJECT: entries */
    union {
        uint64_t number; /* UNSIGNED, ADDRESS, values of enums */
        int64_t integer; /* SIGNED */
        double real;     /* REAL */
    };
    union {
        const char *text;     /* TEXT, DIGITS */
        const uint8_t *bytes; /* BYTES */
    };
};

/* Receives values in order. Returns 0, or what rf_visit_payloads() is to return. */
typedef int rf_value_visitor(void *context, const struct rf_value *value);

enum rf_visit_flags {
    RF_VISIT_SHOWN = 1, /* without entries that the program asks viewers to leave out */
};

/* Decodes the payloads of an event whose payload_type is RF_TYPE_EXTENDED, value by value: its
 * payload, or an ARRAY of its payloads where it has several. The payloads that the end of a range
 * was given stand behind those of its begin. The value of a schema with one entry without a name is
 * that of the entry; a length and an array in a schema without a name are the array. flags: enum
 * rf_visit_flags. Returns 0, what the visitor returned, or RF_ERR_NO_MEMORY. Visits nothing of any
 * other event. Any number of threads may call it at once. */
RF_API int rf_visit_payloads(const rf_recording *rec, const struct rf_event *event, unsigned flags,
                             rf_value_visitor *visitor, void *context);

/* A payload as the program passed it. */
struct rf_payload_bytes {
    uint64_t schema;         /* id, or NVTX_PAYLOAD_ENTRY_TYPE_... */
    const char *schema_name; /* or NULL */
    uint64_t size;           /* in bytes, as the program gave it */
    uint64_t n_bytes;        /* that were recorded */
    const uint8_t *bytes;    /* as long as the recording that was opened */
    uint32_t is_of_end;      /* the end of the range was given it; 0: its begin, or a mark */
    uint32_t reserved;
};

/* Payload i of an event whose payload_type is RF_TYPE_EXTENDED, in the order of
 * rf_visit_payloads(). Returns 1; 0 past the last, and then *out is zeros. */
RF_API int rf_payload_at(const rf_recording *rec, const struct rf_event *event, uint32_t i,
                         struct rf_payload_bytes *out);

/* Writes the payloads of an event as JSON, the text that the format "jsonl" has for them, and a NUL
 * behind it, into `room` bytes; what has no room is left out. flags: enum rf_visit_flags. Returns
 * how long the whole text is, without the NUL; 0: the event has none; SIZE_MAX: out of memory. text
 * may be NULL where room is 0. */
RF_API size_t rf_payload_json(const rf_recording *rec, const struct rf_event *event, unsigned flags,
                              char *text, size_t room);

/* ---- Columns of payloads ---- */

/* A value has a path: the names of the entries that lead to it, from the outermost struct on, with
 * dots between: "comm.id". An entry without a name has its number; a payload that is one value has
 * the empty path. An array is one value, whose text is JSON. Each path that payloads of a recording
 * have is a column; so are the paths of payloads that are JSON text (RF_TYPE_JSON). What could not
 * be decoded (RF_EVENT_BAD_PAYLOAD) is in no column. */
typedef struct rf_payload_columns rf_payload_columns;

/* What values a column has. Where payloads differ, numbers of several types become one that holds
 * all of them: INT64 or UINT64, TEXT if neither does, DOUBLE if some are fractions (which rounds
 * integers beyond 2^53); numbers and texts become TEXT; what is an array in some payloads is
 * JSON in all. */
enum rf_payload_column_type {
    RF_VALUES_INT64 = 1,
    RF_VALUES_UINT64 = 2,
    RF_VALUES_DOUBLE = 3,
    RF_VALUES_TEXT = 4, /* also names of enums, true and false, integers of more than 64 bits,
                         * addresses "0x...", and bytes as hexadecimal digits */
    RF_VALUES_JSON = 5,
};

struct rf_payload_column {
    const char *path; /* UTF-8 */
    uint32_t type;    /* enum rf_payload_column_type */
    uint32_t reserved;
};

/* Finds the columns that the payloads of a recording have, in the order in which the events of its
 * threads come to them: `most` at most; 0: 1000. The caller frees them before it closes the
 * recording. *out is NULL on failure. */
RF_API int rf_payload_columns_new(const rf_recording *rec, uint32_t most, rf_payload_columns **out,
                                  struct rf_err *err);

/* NULL past the last. */
RF_API const struct rf_payload_column *rf_payload_column_at(const rf_payload_columns *columns,
                                                            uint32_t i);

/* Path i of those that would have been too many columns; NULL past the last. *has_more (may be
 * NULL): there are still further ones, or some of more than 4096 bytes. */
RF_API const char *rf_payload_path_left_out(const rf_payload_columns *columns, uint32_t i,
                                            int *has_more);

RF_API void rf_payload_columns_free(rf_payload_columns *columns);

/* Memory for reading values. Each thread that reads has its own. */
typedef struct rf_payload_cells rf_payload_cells;

/* The caller frees them before the columns. *out is NULL on failure. */
RF_API int rf_payload_cells_new(const rf_payload_columns *columns, rf_payload_cells **out,
                                struct rf_err *err);

/* The value of an event of the recording in a column: SIGNED, UNSIGNED, REAL or TEXT, as the
 * column's type says; NULL: it has none. Where several of its payloads have the path, it is that of
 * the first one. Text is valid until the next call. Returns RF_OK, RF_ERR_NO_MEMORY, or
 * RF_ERR_USAGE for a column that there is not. */
RF_API int rf_payload_cell(rf_payload_cells *cells, const struct rf_event *event, uint32_t column,
                           struct rf_value *value);

RF_API void rf_payload_cells_free(rf_payload_cells *cells);

/* ---- All events in order ---- */

typedef struct rf_cursor rf_cursor;

/* An event and its thread. This struct keeps its size in all versions. */
struct rf_event_at {
    const struct rf_event *event;
    uint32_t thread; /* index for rf_thread_at() */
};

/* Makes a cursor over the events of all threads, by start time; among equals by thread, then as
 * rf_thread_events(). The caller frees it before it closes the recording. *out is NULL on
 * failure. */
RF_API int rf_cursor_new(const rf_recording *rec, rf_cursor **out, struct rf_err *err);

/* Gives the next event; returns 0 at the end. */
RF_API int rf_cursor_next(rf_cursor *cursor, struct rf_event_at *at);

/* Frees a cursor. */
RF_API void rf_cursor_free(rf_cursor *cursor);

/* ---- A part of a recording ---- */

/* What stays. NULL members filter nothing; what stays passes all that are set. */
struct rf_filter_options {
    size_t size; /* of this struct: RF_FILTER_OPTIONS_INIT sets it */
    /* "START/END", after time 0; either may be missing. Seconds, or with a unit: s, ms, us, ns.
     * Ranges, calls and GPU work that lie partly inside stay whole. */
    const char *time;
    /* "MESSAGE[@DOMAIN][/INDEX]": what lies in the time of these ranges, on all threads and GPUs.
     * "@" alone is the default domain; without it every domain is meant. INDEX, from 0, chooses
     * one of them by start; without it all are meant. */
    const char *nvtx;
    const char *processes;  /* "PID|NAME,..." */
    const char *gpus;       /* "ID,...": GPU work of these GPUs only, as its process numbers them */
    const char *activities; /* "nvtx,api,osrt,gpu,...". api is also runtime, driver; gpu is also
                             * kernel, memcpy, memset, graph, sync; more: cuda-event, memory,
                             * gpu-metrics, overhead, library (MPI, cuBLAS, cuDNN, OpenACC) */
    const char *names;   /* of ranges and marks. A name, where * stands for anything; or "/REGEX/"
                          * of Perl (PCRE2) or Python, found anywhere in the name. RF_ERR_USAGE
                          * where the search takes too long */
    const char *kernels; /* of kernels, likewise: matches the short or the full name */
    /* Ranges and marks with these values in their payloads, each "NAME=VALUE", "NAME=MIN..MAX",
     * "NAME" (it has one), or "VALUE" or "MIN..MAX" of a payload that is one value. NAME is a path
     * (see rf_payload_columns), or "payload" for such a payload. Numbers are decimal or 0x..., MIN
     * or MAX may be missing; text is compared as a whole; enums by name or number. All of them are
     * to fit. RF_ERR_NOT_FOUND where no payload of the recording has the path. */
    const char *const *payloads;
    size_t n_payloads;
    const char *ranks;   /* "0,8-15": the processes of these ranks */
    const char *threads; /* "TID|NAME,...": their events and calls, and the GPU work of their calls;
                          * GPU work whose call is unknown does not stay */
    int without_cut;     /* ranges whose end, or whose begin in a capture, was not recorded do not
                          * stay (rf_event.cut, RF_EVENT_CUT_AT_START) */
    /* Filters nothing: with RF_OPEN_SUMS rf_open_selected() adds up ranges by their values at this
     * path of their payloads, for rf_report_options.group_by */
    const char *group_by;
};

#define RF_FILTER_OPTIONS_INIT                                                                     \
    {                                                                                              \
        sizeof(struct rf_filter_options), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, \
            NULL, 0, NULL                                                                          \
    }

/* Makes a recording of what a filter leaves of another one. Every function that takes a recording
 * takes it. Names that the program gave (domains, categories, objects) stay. GPU work whose call
 * is left out belongs to no range; but where a filter hides all calls, projections still know them.
 * *out is NULL on failure. RF_ERR_USAGE: a filter is not valid. RF_ERR_NOT_FOUND: it names a
 * process, thread, GPU, range or payload that the recording does not have, or only ranks that it
 * does not have. RF_ERR_USAGE also where it was opened for sums, but not by rf_open_selected() for
 * this filter. The caller closes *out before rec, which it uses. */
RF_API int rf_filter(const rf_recording *rec, const struct rf_filter_options *options,
                     rf_recording **out, struct rf_err *err);

struct rf_alignment; /* see rangefinder/clocks.h */

/* Opens a recording for rf_filter() with these options, and with no others: where a flag says that
 * it is to be summed up, that is what the filter leaves. Flags of sums that cannot be filtered have
 * no effect. alignment: as rf_open_aligned(), or NULL; options NULL: all of it. */
RF_API int rf_open_selected(const char *path, unsigned flags, const struct rf_alignment *alignment,
                            const struct rf_filter_options *options, rf_recording **out,
                            struct rf_err *err);

/* ---- Export ---- */

enum rf_nsys2json_activity {
    RF_NSYS2JSON_KERNEL = 1,
    RF_NSYS2JSON_NVTX = 2,
    RF_NSYS2JSON_NVTX_KERNEL = 4, /* from the first to the last kernel that a range launched */
    RF_NSYS2JSON_CUDA_API = 8,
};

/* The options of the command nsys2json. */
struct rf_nsys2json_options {
    size_t size;         /* of this struct: RF_NSYS2JSON_OPTIONS_INIT sets it */
    unsigned activities; /* enum rf_nsys2json_activity; 0: KERNEL and NVTX_KERNEL */
    /* Only ranges whose name begins with one of these are shown; without prefixes all are. They
     * compare as SQLite's LIKE does: ASCII letters without case, '_' is any character, '%' any
     * number of them. */
    const char *const *prefixes;
    size_t n_prefixes;
    /* A JSON object from regular expressions (as in rf_filter_options.names) to colors of
     * chrome://tracing: the first expression found in a range's name gives its color. NULL: no
     * colors. */
    const char *color_scheme;
};

#define RF_NSYS2JSON_OPTIONS_INIT                                                                  \
    {                                                                                              \
        sizeof(struct rf_nsys2json_options), 0, NULL, 0, NULL                                      \
    }

/* What the layout of PyTorch's profiler (Kineto) needs beyond the recording. */
struct rf_kineto_options {
    size_t size;  /* of this struct: RF_KINETO_OPTIONS_INIT sets it */
    int64_t rank; /* of the process in its job. -1: that of the first process of the recording that
                   * has one (rf_process.rank), or else 0 */
};

#define RF_KINETO_OPTIONS_INIT                                                                     \
    {                                                                                              \
        sizeof(struct rf_kineto_options), -1                                                       \
    }

struct rf_export_options {
    size_t size;        /* of this struct: RF_EXPORT_OPTIONS_INIT sets it */
    const char *format; /* "perfetto", "json", ...: rf_export_format_at() lists them */
    const char *output; /* path; "-": standard output (not for sqlite); a name that ends in ".gz" is
                         * compressed (not for sqlite). NULL: `write` receives the bytes */
    int can_overwrite;  /* an existing file is replaced; otherwise it is RF_ERR_EXISTS */
    /* Called now and then with the share done, 0 to 1; or NULL. Returns non-zero to stop:
     * RF_ERR_IO. */
    int (*progress)(void *context, double done);
    void *progress_context;
    /* Format "json": the layout of the script nsys2json, byte for byte. NULL: our own layout. */
    const struct rf_nsys2json_options *nsys2json;
    /* Format "json": the layout of PyTorch's profiler, for programs that analyze its traces. NULL:
     * our own layout. */
    const struct rf_kineto_options *kineto;
    /* Format "perfetto": GPU work and GPU counters become the events that Perfetto has for them
     * since v55. 0: tracks and flows, which every version shows. */
    int gpu_events;
    /* Formats "json" (our own layout) and "perfetto": annotations that have a category stand on a
     * track of that category. */
    int tracks_by_category;
    /* Formats "json" (our own layout), "perfetto" and "fxt": as rf_project_options.by_process. The
     * argument "by process" or "by_process" marks what such ranges caused. */
    int by_process;
    /* Formats "csv" and "text": names as they are. 0: control characters, and characters that turn
     * the direction of text, are written as \x1b and \u202e; in CSV an apostrophe precedes what a
     * spreadsheet takes for a formula (= + - @). The other formats are always exact. */
    int is_raw;
    /* Where output is NULL: receives the bytes in order, in pieces of any size (not for sqlite).
     * Returns 0, or non-zero to stop: RF_ERR_IO. */
    int (*write)(void *context, const void *bytes, size_t size);
    void *write_context;
    /* Formats "json" (our own layout), "perfetto" and "fxt": no flows from calls to the GPU work
     * that they caused. */
    int no_flows;
    /* The same formats: the ranges as the GPU saw them without their calls, pieces of GPU work, its
     * busy time, and the times of the range itself. */
    int no_figures;
};

#define RF_EXPORT_OPTIONS_INIT                                                                     \
    {                                                                                              \
        sizeof(struct rf_export_options), NULL, NULL, 0, NULL, NULL, NULL, NULL, 0, 0, 0, 0, NULL, \
            NULL, 0, 0                                                                             \
    }

/* Writes a recording in another format. The file gets its name when it is complete: a failed export
 * leaves nothing. What `write` has received before a failure stays with the caller. */
RF_API int rf_export(const rf_recording *rec, const struct rf_export_options *options,
                     struct rf_err *err);

/* One file of several recordings, which are written one after another: ids are told apart, and the
 * times of all are on the clock of the first one. */
typedef struct rf_merged_export rf_merged_export;

/* Begins the file; formats "sqlite", "json", "perfetto" and "html". options: as for rf_export(),
 * without layouts; progress is told of each recording; what they point to must outlive it. *out is
 * NULL on failure. The caller frees it with rf_merged_export_free(). */
RF_API int rf_merged_export_new(const struct rf_export_options *options, rf_merged_export **out,
                                struct rf_err *err);

/* Writes a recording, which may be closed then. input: what it is called; NULL: its path. rank: of
 * its processes; -1: as they know it. Where the machine has not booted in between, times are put
 * side by side exactly, by its clock, and otherwise by the time of day, or as
 * rf_merged_export_align() of clocks.h says. RF_ERR_USAGE: it was
 * added before. RF_ERR_UNSUPPORTED: its time of day is not known, or, in "perfetto", it is from
 * before the first one's machine booted. After a failure nothing can be added, and no file is
 * left. */
RF_API int rf_merged_export_add(rf_merged_export *merged, const rf_recording *rec,
                                const char *input, int64_t rank, struct rf_err *err);

/* How the times of an input were found. */
struct rf_merged_input_info {
    const char *path;         /* what the input is called */
    const char *host;         /* "": it is not known */
    const char *clock_method; /* "first input", "monotonic", "counter", "realtime", "anchors": see
                               * enum rf_align_method; "none" of formats without times */
    int64_t clock_shift_ns;   /* time of the first input at this one's time 0 */
    int64_t clock_uncertainty_ns; /* plus and minus this; -1: not known */
};

/* The inputs so far. */
RF_API uint32_t rf_merged_export_n_inputs(const rf_merged_export *merged);

/* Describes input i; its texts live as long as merged. RF_ERR_USAGE: there is none. */
RF_API int rf_merged_export_input_at(const rf_merged_export *merged, uint32_t i,
                                     struct rf_merged_input_info *out);

/* Completes the file, once: it gets its name now. */
RF_API int rf_merged_export_finish(rf_merged_export *merged, struct rf_err *err);

/* Frees it; a file that was not finished is removed. NULL is none. */
RF_API void rf_merged_export_free(rf_merged_export *merged);

/* The name of export format i. *description (may be NULL) is one line. NULL past the last. */
RF_API const char *rf_export_format_at(size_t i, const char **description);

/* The format that the ending of a file's name stands for, with or without ".gz" behind it: "json"
 * for "run.json.gz". NULL: none. */
RF_API const char *rf_export_format_of(const char *path);

/* The ending of a format's file names: "pftrace" for "perfetto". NULL for an unknown format. */
RF_API const char *rf_export_extension(const char *format);

/* Whether a format is a trace with GPU work: such formats can leave out flows (no_flows), and what
 * recordings lack that were opened with RF_OPEN_NO_DETAILS. 0 for an unknown format. */
RF_API int rf_export_is_trace(const char *format);

/* Where a range is in the trace that rf_export() makes with the format "perfetto", for a viewer
 * that is to show it. Times are the trace's. */
struct rf_trace_view {
    size_t size;                          /* of this struct: RF_TRACE_VIEW_INIT sets it */
    size_t event;                         /* rf_thread_event_at(rec, thread, event) is the range */
    size_t n_found;                       /* how many ranges the text names */
    int64_t start_ns, end_ns;             /* of the range */
    int64_t shown_begin_ns, shown_end_ns; /* a view of it: some time before and after */
    uint32_t thread;
    /* A regular expression of JavaScript that the name of the range's track in Perfetto's user
     * interface matches. Its characters are letters, digits, and " _-:/[]^*$". "": the track cannot
     * be told by its name. */
    char track[516];
};

#define RF_TRACE_VIEW_INIT                                                                         \
    {                                                                                              \
        sizeof(struct rf_trace_view), 0, 0, 0, 0, 0, 0, RF_NO_INDEX, ""                            \
    }

/* Finds "MESSAGE[@DOMAIN][/INDEX]", as rf_filter_options.nvtx has it: the first of these ranges;
 * "slowest:" before it asks for the longest one, and takes no INDEX. tracks_by_category: as in
 * rf_export_options. RF_ERR_NOT_FOUND: the recording has no such range. */
RF_API int rf_find_view(const rf_recording *rec, const char *range, int tracks_by_category,
                        struct rf_trace_view *out, struct rf_err *err);

/* The same in a file of several recordings, of the format "perfetto", for rec, which is the one
 * that was added last. Tracks that belong to a process and do not have its pid are not named, since
 * each input has some. */
RF_API int rf_merged_export_find_view(rf_merged_export *merged, const rf_recording *rec,
                                      const char *range, struct rf_trace_view *out,
                                      struct rf_err *err);

/* Removes the temporary files of exports and imports in progress, for the handler of a signal that
 * ends the program. Safe in signal handlers. The exports and imports in progress then fail, or
 * leave a file without a name. */
RF_API void rf_remove_unfinished(void);

/* Copies a SQLite database that nsys or rf_export() wrote, without command lines, environment,
 * paths, output, and the names of host and user. Events, and the names that the program gave, stay;
 * of tables that are not known only numbers stay. The file gets its name when it is complete. */
RF_API int rf_scrub_export(const char *input, const char *output, int can_overwrite,
                           struct rf_err *err);

/* ---- Reports ---- */

struct rf_report_options {
    size_t size;        /* of this struct: RF_REPORT_OPTIONS_INIT sets it */
    const char *report; /* "nvtx_sum": see rf_report_at(). Arguments may follow, as in
                         * "cuda_gpu_kern_sum:base:rows=5": rows=N (the first N rows), and of
                         * kernels base or mangled (names) and nvtx-name (that of the innermost
                         * range before them) */
    const char *format; /* "column" (NULL), "csv", and what else rf_report_format_at() lists, with
                         * its options: "csv:nohdr:dur=us" */
    const char *output; /* path; "-": standard output. NULL: `write` receives the bytes; where that
                         * is NULL too, standard output does */
    int can_overwrite;  /* an existing file is replaced; otherwise it is RF_ERR_EXISTS */
    int by_process;     /* reports of GPU work by range: as rf_project_options.by_process. Such
                         * ranges have the style "StartEnd (process)" */
    int is_raw;         /* formats "column", "table", "csv": as rf_export_options.is_raw */
    unsigned width;     /* columns of the terminal: "column" and "table" cut longer names, and have
                         * bars and lines made of characters; 0: no limit, and none of these */
    /* Called before the report is computed, with 0, and before it is written, with 1; or NULL. Its
     * result is not used. */
    int (*progress)(void *context, double done);
    void *progress_context;
    /* Where output is NULL: receives the bytes in order, in pieces of any size. Returns 0, or
     * non-zero to stop: RF_ERR_IO. */
    int (*write)(void *context, const void *bytes, size_t size);
    void *write_context;
    /* Reports of ranges by name: each value at this path of their payloads ("payload.rank", or
     * "payload" where it is one value) has a row of its own, in a column behind Range. NULL: no
     * such rows. RF_ERR_NOT_FOUND where no payload of the recording has the path; RF_ERR_USAGE for
     * a report that cannot do it; with RF_OPEN_SUMS only as rf_filter_options.group_by had it */
    const char *group_by;
    /* Summaries with a median: columns p50, p99.9, ... of "50,99.9": the smallest value that so
     * many percent of the values do not exceed. NULL: none. Other reports are as without it. From a
     * histogram, as the median, with RF_OPEN_SUMS */
    const char *quantiles;
    /* nvtx_tree, self_time, steps, critical, and the sums of ranges and of kernels by name: names
     * of ranges, and in these sums of kernels, that differ by numbers are one: op_17 and op_18 are
     * op_#. 0: self_time and critical do so where
     * there are more than 100 names; below 0: they do not. Other reports are as without it */
    int fold_numbers;
    /* steps, breakdown_steps: the ranges of this name, MESSAGE[@DOMAIN], are the steps, and those
     * whose names differ only by numbers. NULL: they are found. RF_ERR_NOT_FOUND: there is no
     * such range. Other reports are as without it */
    const char *step;
    /* collectives: the ranges of this name, MESSAGE[@DOMAIN], are collectives too. NULL: none.
     * RF_ERR_NOT_FOUND: there is no such range. Other reports are as without it */
    const char *collective;
    /* Not more rows than this are written; a line says how many more there are. 0: all. A report
     * may have fewer, by rows=N or its own limit */
    uint64_t max_rows;
    int is_ascii;   /* the terminal knows no UTF-8: bars and lines are made of ASCII */
    size_t *n_rows; /* receives how many rows there are; NULL: they are not counted */
    /* self_time: receives the range whose instances differ the most, as rf_why_find() takes it, or
     * "" where none stands out. Other reports leave it alone. NULL: it is not looked for */
    char *differing;
    size_t differing_size;
    int *is_approximate; /* receives 1 where medians and quantiles come from a histogram, at most
                          * 0.4 % off (of launches in summaries: 4 %), else 0; NULL: it is not
                          * asked */
    int marks_cut; /* nvtx_sum, nvtx_pushpop_sum, nvtx_startend_sum: a last column Cut, how many of
                    * the ranges have an end, or a begin in a capture, that was not recorded. Other
                    * reports are as without it */
};

#define RF_REPORT_OPTIONS_INIT                                                                     \
    {                                                                                              \
        sizeof(struct rf_report_options), NULL, NULL, NULL, 0, 0, 0, 0, NULL, NULL, NULL, NULL,    \
            NULL, NULL, 0, NULL, NULL, 0, 0, NULL, NULL, 0, NULL, 0                                \
    }

/* Computes a table of statistics and writes it. RF_ERR_UNSUPPORTED: the report would have to
 * examine too much; err says how to ask for less. */
RF_API int rf_report(const rf_recording *rec, const struct rf_report_options *options,
                     struct rf_err *err);

/* One report of several recordings: its rows, behind columns Input, Host and Rank. */
typedef struct rf_joined_report rf_joined_report;

/* Begins the table. options: as for rf_report(); progress is not called; what they point to must
 * outlive it. *out is NULL on failure. The caller frees it with rf_joined_report_free(). */
RF_API int rf_joined_report_new(const struct rf_report_options *options, rf_joined_report **out,
                                struct rf_err *err);

/* Adds the rows of a recording, which may be closed then. input: what the first column says.
 * rank: -1: none. After RF_ERR_UNSUPPORTED (see rf_report()) the next recording may be added. */
RF_API int rf_joined_report_add(rf_joined_report *joined, const rf_recording *rec,
                                const char *input, int64_t rank, struct rf_err *err);

/* Adds a row without figures for what could not be read, and a line with the reason. */
RF_API int rf_joined_report_add_missing(rf_joined_report *joined, const char *input,
                                        const char *reason, struct rf_err *err);

/* Moves the rows of another one, which was begun with the same options, behind those of this one:
 * each thread can add its recordings to one of its own. */
RF_API int rf_joined_report_append(rf_joined_report *joined, rf_joined_report *from,
                                   struct rf_err *err);

/* The rows so far. */
RF_API size_t rf_joined_report_n_rows(const rf_joined_report *joined);

/* As rf_report_options.is_approximate, of any of its rows: 1 or 0. */
RF_API int rf_joined_report_is_approximate(const rf_joined_report *joined);

/* Writes the table, once. */
RF_API int rf_joined_report_write(rf_joined_report *joined, struct rf_err *err);

/* Frees it; NULL is none. */
RF_API void rf_joined_report_free(rf_joined_report *joined);

/* The name of report i. *description (may be NULL) is one line. NULL past the last. */
RF_API const char *rf_report_at(size_t i, const char **description);

/* The title of column i of a report, with its unit: "Avg (ns)". *meaning (may be NULL) is one line:
 * what the column holds, how it is computed, and after "None: " when a row has no value there. NULL
 * past the last, and for an unknown report. */
RF_API const char *rf_report_column_at(const char *report, size_t i, const char **meaning);

/* The columns of quantiles that a report has with rf_report_options.quantiles: what stands before
 * and after the quantile in their titles, "Proj " and " (ns)" of "Proj p99 (ns)". NULL past the
 * last, and for an unknown report. */
RF_API const char *rf_report_quantile_at(const char *name, size_t i, const char **unit);

/* The report that a name means: the name itself, or an older name that nsys has for it, such as
 * "nvtxsum" for "nvtx_sum". NULL: none. */
RF_API const char *rf_report_find(const char *name);

/* The name of format i of reports. *usage (may be NULL) is its name with the options that it takes,
 * *description (may be NULL) one line. NULL past the last. */
RF_API const char *rf_report_format_at(size_t i, const char **usage, const char **description);

/* Whether a format with options is made for people to read, as "column" and "markdown" are: 1, or 0
 * of one for programs ("csv"), and where there is no such format. */
RF_API int rf_report_format_is_for_people(const char *format);

/* The ending of the files of a format with options: "csv" of "csv:nohdr". NULL: there is no such
 * format, or it has no such option; err says which. */
RF_API const char *rf_report_extension(const char *format, struct rf_err *err);

/* Whether rf_report() can make what rf_report_options.report says. RF_ERR_USAGE: err says why not,
 * and for a name that is not known which is the nearest, or what the report has instead of an
 * argument. */
RF_API int rf_report_parse(const char *report, struct rf_err *err);

/* Argument i of a report: "base". *meaning (may be NULL) is one line. NULL past the last. */
RF_API const char *rf_report_argument_at(const char *report, size_t i, const char **meaning);

/* Whether the recording lacks what a report is made of. 1: yes, and text (may be NULL) has one
 * line: what is missing, and how it is recorded. 0: no, or the report is unknown. */
RF_API int rf_report_missing(const rf_recording *rec, const char *report, char *text, size_t size);

/* Whether report i is one of those that are shown where none is asked for. 1: yes, or rec is NULL
 * and it can be. -1: it would be, but the recording has no data for it. 0: it is shown on request
 * only. */
RF_API int rf_report_is_default(const rf_recording *rec, size_t i);

/* The report that is shown to people where `name` is a default that they would look at in vain:
 * self_time for nvtx_sum. Otherwise name. */
RF_API const char *rf_report_for_people(const char *name);

/* What rf_open() may leave out for a report: enum rf_open_flags. 0 for an unknown name. */
RF_API unsigned rf_report_open_flags(const char *name);

#ifdef __cplusplus
}
#endif

#include "rangefinder/gpu_work.h"
#endif
