/* SPDX-License-Identifier: Apache-2.0 */
/* Writes recordings for tests, straight from docs/format.md and independent of the recorder:
 *
 *     struct rfw *w = rfw_new();
 *     uint32_t p = rfw_process(w, 100, "app");
 *     struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
 *     rfw_push(s, 10, &(struct rfw_attr){.text = "work"});
 *     rfw_pop(s, 20, 0);
 *     rfw_exit(w, p, 30);
 *     rfw_save_packed(w, "a.rf");
 *     rfw_free(w);
 *
 * Times are nanoseconds after the recording's time 0; one tick of the recording's clock is one
 * nanosecond. A failed allocation or system call aborts: this is test code. */
#ifndef TESTS_SUPPORT_RF_WRITER_H
#define TESTS_SUPPORT_RF_WRITER_H

#include <stddef.h>
#include <stdint.h>

#include "log/cuda.h"
#include "log/layout.h"
#include "log/metrics.h"

/* The clock value and CLOCK_MONOTONIC at time 0; CLOCK_REALTIME then. */
#define RFW_TICKS_0   5000000000ULL
#define RFW_REAL_NS_0 1700000000000000000LL
/* Bytes of records in one part. */
#define RFW_PART_ROOM (RF_PART_SIZE - RF_PART_RECORDS_OFFSET)

/* Bytes that grow. */
struct rfw_bytes {
    uint8_t *data;
    size_t size, room;
};

/* Where a part stands when the recording is saved as a directory. */
enum rfw_place { RFW_IN_LOG = 0, RFW_IN_POOL = 1, RFW_IN_BOTH = 2, RFW_NOWHERE = 3 };

struct rfw_part {
    struct rf_chunk_header chunk; /* size is filled in when it is saved */
    struct rf_part_header part;
    struct rfw_bytes records;
    enum rfw_place place;
    uint32_t pool_state; /* enum rf_part_state, where it stands in the pool */
};

struct rfw_stream {
    struct rfw *writer;
    uint32_t process, slot;
    uint32_t tid, serial;
    uint64_t n_starts;
    uint64_t ticks_offset;  /* added to every tick: to try clocks that wrap */
    struct rfw_part **part; /* the last one is written to */
    size_t n_parts;
};

struct rfw_process {
    struct rfw_bytes defs; /* without the 64 bytes of the file's header */
    struct rfw_stream **stream;
    size_t n_streams;
    uint32_t n_domains, n_strings, n_resources, n_syncs; /* handles given out */
    uint32_t pid;                                        /* of the header of its pool */
    uint64_t start_time, pid_ns;
    int is_missing; /* it could not make its files: nothing is saved for it */
};

#define RFW_SLOTS 4 /* samplers of GPU metrics */

/* All of it may be changed by a test before it is saved. */
struct rfw {
    struct rf_control control; /* two clock pairs, 10 s apart; finished; root exited with 0 */
    struct rfw_process **process;
    size_t n_processes;
    int has_early_copies;     /* control page and definitions stand before the parts too */
    struct rfw_bytes metrics; /* chunks: metrics.log without its header */
    uint64_t metrics_seq[RFW_SLOTS];
};

struct rfw *rfw_new(void);
void rfw_free(struct rfw *w);

/* Adds a process with the facts that a recorder writes (pid, ppid 1, start time, name, path,
 * two arguments, cwd) at time 0. Returns its number. */
uint32_t rfw_process(struct rfw *w, uint32_t pid, const char *name);

/* Adds a process with no definitions at all. */
uint32_t rfw_process_bare(struct rfw *w);

/* Adds a definition. text NULL: no text. Returns the offset of the struct rf_def in the process's
 * defs bytes. */
size_t rfw_def(struct rfw *w, uint32_t process, const struct rf_def *def, int64_t ns,
               enum rf_record_type type, const char *text, size_t text_size);

/* One PROCESS fact. */
void rfw_fact(struct rfw *w, uint32_t process, int64_t ns, enum rf_proc_key key, uint64_t value,
              const char *text);

/* Definitions that give a handle return it: 1, 2, ... */
uint32_t rfw_domain(struct rfw *w, uint32_t process, int64_t ns, uint32_t tid, const char *name);
void rfw_domain_destroy(struct rfw *w, uint32_t process, int64_t ns, uint32_t tid, uint64_t domain);
uint32_t rfw_string(struct rfw *w, uint32_t process, int64_t ns, uint32_t tid, uint32_t domain,
                    const char *text);
void rfw_category(struct rfw *w, uint32_t process, int64_t ns, uint32_t tid, uint32_t domain,
                  uint32_t category, const char *name);
void rfw_thread_name(struct rfw *w, uint32_t process, int64_t ns, uint32_t tid, uint32_t named,
                     const char *name);
void rfw_object_name(struct rfw *w, uint32_t process, int64_t ns, uint32_t tid, enum rf_object kind,
                     uint64_t object, const char *name);
uint32_t rfw_resource(struct rfw *w, uint32_t process, int64_t ns, uint32_t tid, uint32_t domain,
                      uint32_t identifier_type, uint64_t identifier, const char *message);
void rfw_resource_destroy(struct rfw *w, uint32_t process, int64_t ns, uint32_t tid,
                          uint64_t handle);
uint32_t rfw_sync_create(struct rfw *w, uint32_t process, int64_t ns, uint32_t tid, uint32_t domain,
                         const char *message);
void rfw_sync_destroy(struct rfw *w, uint32_t process, int64_t ns, uint32_t tid, uint64_t handle);

/* The process ended by exit(). */
void rfw_exit(struct rfw *w, uint32_t process, int64_t ns);

/* The session is of this machine since it was started. */
void rfw_use_this_boot(struct rfw *w);

/* Says of a process that it is the calling one. */
void rfw_facts_of_self(struct rfw *w, uint32_t process, int64_t ns);

/* Opens stream slot of a process, written first by thread tid. Its first part begins with its
 * first record. */
struct rfw_stream *rfw_stream(struct rfw *w, uint32_t process, uint32_t slot, uint32_t tid,
                              uint32_t serial);

/* Begins the next part now; otherwise that happens when a record does not fit. */
struct rfw_part *rfw_next_part(struct rfw_stream *s, int64_t ns);

/* What an event carries. All zero: domain 0 and nothing else. */
struct rfw_attr {
    uint64_t domain;     /* handle; 2^24-1 and more go into an extension word */
    const char *text;    /* in line */
    size_t text_size;    /* bytes of text; 0: up to its NUL */
    uint64_t string;     /* registered string's handle, if not 0 */
    int is_null_message; /* a NULL pointer was given */
    int has_color, has_category;
    uint32_t color, category;
    enum rf_payload_kind payload_kind;
    uint64_t payload;
};

/* Records. attr may be NULL. rfw_start returns the range's id. Long text goes into long records
 * and TEXT records by itself. */
void rfw_mark(struct rfw_stream *s, int64_t ns, const struct rfw_attr *attr);
void rfw_push(struct rfw_stream *s, int64_t ns, const struct rfw_attr *attr);
void rfw_pop(struct rfw_stream *s, int64_t ns, uint64_t domain);
uint64_t rfw_start(struct rfw_stream *s, int64_t ns, const struct rfw_attr *attr);
void rfw_end(struct rfw_stream *s, int64_t ns, uint64_t id);
void rfw_thread(struct rfw_stream *s, int64_t ns, uint32_t tid, uint32_t serial, const char *name);
void rfw_thread_end(struct rfw_stream *s, int64_t ns, const char *name);
void rfw_sync(struct rfw_stream *s, int64_t ns, uint64_t object, enum rf_sync_op op);

/* Ranges begun before the next START are n; a record that was taken back, of n_words. */
void rfw_counter(struct rfw_stream *s, int64_t ns, uint64_t n);
void rfw_void(struct rfw_stream *s, int64_t ns, size_t n_words);

/* A CUDA record: one of the structures of log/cuda.h, whose head has kind, flags and correlation;
 * word 0 is filled in, and zero words at its end are left out. ns: when it is written. */
void rfw_cuda(struct rfw_stream *s, int64_t ns, const void *record, size_t size);

/* Its definitions. text may be NULL. */
void rfw_cuda_def(struct rfw *w, uint32_t process, int64_t ns, enum rf_cuda_def kind,
                  uint32_t index, uint64_t value, uint32_t detail, const char *text);

/* A clock of CUPTI's that shows CLOCK_REALTIME: a time in it, and two pairs that say so, 10 s
 * apart.
 */
#define RFW_CUPTI(ns) ((uint64_t)(RFW_REAL_NS_0 + (ns)))
void rfw_cuda_clocks(struct rfw *w, uint32_t process);

/* A METRICS chunk, written at ns: the head and what follows it, filled up to a word. Returns where
 * in w->metrics its chunk header stands. */
size_t rfw_metrics(struct rfw *w, uint32_t slot, int64_t ns, const struct rf_metrics_head *head,
                   const void *rest, size_t size);

/* A description. texts: chip, GPU, bus, set, then name and label of each of n metrics. */
void rfw_metrics_source(struct rfw *w, uint32_t slot, uint32_t device, const char *const *texts,
                        uint32_t n);

/* Samples, written when the last one ends. Per sample: its start, its end, n values. */
void rfw_metrics_samples(struct rfw *w, uint32_t slot, uint32_t n, const double *rows,
                         size_t n_rows);

/* The recording is one of a focused run. */
void rfw_focus(struct rfw *w, int keeps_open);
/* A capture; RFW_OPEN as its end: it goes on. */
#define RFW_OPEN INT64_MAX
void rfw_window(struct rfw *w, int64_t begin_ns, int64_t end_ns);

/* Appends words as they are to the stream's last part. */
void rfw_raw(struct rfw_stream *s, const uint64_t *words, size_t n_words);

/* A part as it stands in a packed file or a log. */
void rfw_part_bytes(const struct rfw_part *part, struct rfw_bytes *out);

/* The packed file as bytes (the caller frees out->data), or written to path. */
void rfw_packed_bytes(const struct rfw *w, struct rfw_bytes *out);
void rfw_save_packed(const struct rfw *w, const char *path);

/* Makes a session directory: session, pNNNNNN.log, .pool and .defs. */
void rfw_save_directory(const struct rfw *w, const char *path);

void rfw_add(struct rfw_bytes *bytes, const void *data, size_t size);
void rfw_write_file(const char *path, const void *data, size_t size);
/* The bytes of a file; the caller frees out->data. */
void rfw_read_file(const char *path, struct rfw_bytes *out);
/* Makes a private directory for the test's files and returns its path; the caller frees it. */
char *rfw_make_tmpdir(void);
/* Removes a directory made by it, with everything in it. */
void rfw_remove_tree(const char *path);

#endif
