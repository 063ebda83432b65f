/* SPDX-License-Identifier: Apache-2.0 */
/* The recorder's state, and the functions between its files.
 *
 * Three kinds of memory:
 *   rf_recorder    one struct in the library's data; written while a process initialises, then
 *                  only read (but for the counters that say so). A forked child has a copy.
 *   rf_local       pages that a fork leaves as zeros in the child (MADV_WIPEONFORK): what must
 *                  start anew there, the writers above all. Zero is the state "fresh".
 *   the mappings   files of the session directory that the command line and readers see.
 *
 * A writer is the cursor of one stream. A thread finds its writer in one thread-local pointer;
 * taking a stream, changing parts and everything else that is rare happens in
 * rf_writer_prepare(). */
#ifndef RF_RECORD_RECORDER_H
#define RF_RECORD_RECORDER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "log/ask.h"
#include "log/layout.h"
#include "record/platform.h"

/* One stream's cursor. end is NULL while its thread is between the start and the end of a record:
 * a signal handler that comes in between finds no room here and takes the nested writer. */
struct rf_writer {
    uint8_t *cursor;
    uint8_t *end; /* of the part, less the room that a short record needs */
    uint64_t n_starts;
    uint64_t id_base;     /* rf_range_id() of counter 0 */
    uint8_t *parked_end;  /* end, while no thread has this writer or a part is changed */
    struct rf_idle *idle; /* in a focused run, otherwise NULL */
    uint8_t *part;        /* the active part */
    uint32_t slot;
    uint32_t n_triggers; /* entries of idle->trigger[] in use */
    struct rf_writer *nested;
    uint32_t part_index;
    uint32_t tid;
    uint32_t serial;
    uint32_t unused0;
    uint64_t seq;
    uint64_t lost_records; /* since the active part began */
    uint64_t lost_bytes;
    uint64_t pthread;  /* pthread_self() of the thread that has this stream, or 0; atomic */
    uint8_t unused[8]; /* two cache lines, so that the prefetcher of one thread's does not take
                        * another's */
};

/* ---- What a stream has in a focused run ----
 *
 * Between captures the starts of open ranges are kept, and taken back when the range ends. kept[]
 * lists what stands between kept[0].at and the cursor, record after record without a gap; what
 * stands before it is never touched again. */

#define RF_MAX_KEPT 64u

struct rf_kept {
    uint8_t *at;  /* where it begins; a START with its COUNTER */
    uint64_t key; /* RF_KEPT_ */
};

/* Keys: an open push has its domain's handle, an open start RF_KEPT_START and its counter. */
#define RF_KEPT_START (1ULL << 63)
#define RF_KEPT_VOID  (1ULL << 62)       /* it ended, but was not the newest */
#define RF_KEPT_FIRM  (1ULL << 61)       /* a record that stays */
#define RF_KEPT_NONE  (RF_KEPT_FIRM + 1) /* in no list */

/* Trigger pushes that are open on this stream's thread: its depth in a domain, << 24, and the
 * domain's handle; 0: free. Set by the thread; cleared, by a compare-and-swap, by the thread or by
 * exit(). */
#define RF_MAX_THREAD_TRIGGERS 14u
#define RF_TRIGGER_DEPTH_SHIFT 24

struct rf_idle {
    uint32_t phase; /* of the captures, for which kept[] holds; RF_NO_PHASE: for none */
    uint32_t n_kept;
    uint32_t needs_counter; /* the reader may have counted other starts than we */
    uint32_t unused;
    uint64_t trigger[RF_MAX_THREAD_TRIGGERS];
    struct rf_kept kept[RF_MAX_KEPT];
};
_Static_assert(sizeof(struct rf_idle) == 1152, "threads share no cache line");
#define RF_NO_PHASE UINT32_MAX

/* Start/end triggers that are open in a process. */
#define RF_MAX_START_TRIGGERS 256u

/* BUSY stands below the number of the thread that is initialising: one store tells both. */
enum rf_local_status { RF_LOCAL_FRESH = 0, RF_LOCAL_BUSY, RF_LOCAL_READY, RF_LOCAL_OFF };
#define RF_LOCAL_STATUS_BITS 2

struct rf_local {
    uint32_t status;  /* enum rf_local_status; atomic */
    uint32_t is_made; /* 1; 0 in a forked child, whose own set is yet to be made */
    uint32_t n_slots; /* streams ever used; atomic */
    uint32_t n_serials;
    uint32_t is_exhausted; /* no further slot could be made; atomic */
    uint32_t is_stuck;     /* parts were dropped: do not wait again until one could be written */
    uint32_t late_beat;    /* the drainer's beat when it was waited for in vain; atomic */

    /* of a focused run */
    uint32_t n_start_triggers; /* entries of start_trigger[] in use; atomic */
    uint32_t is_profiler_on;   /* cudaProfilerStart was called, and not yet Stop; atomic */
    uint32_t n_unrecorded_ids; /* given to triggers that are not recorded; atomic */

    /* of a recorder in standby, see standby.c */
    uint32_t n_inside;   /* threads in rf_writer_prepare(); atomic */
    uint16_t n_naming;   /* threads that add a definition; atomic */
    uint16_t is_renamed; /* definitions get another place: nobody may add any; atomic */

    uint64_t free_slots[(RF_MAX_SLOTS + 63) / 64]; /* bit set: has pages, and no thread */
    uint64_t start_trigger[RF_MAX_START_TRIGGERS]; /* ids; 0: free; atomic */

    struct rf_writer writers[RF_MAX_SLOTS];
    struct rf_idle idle[RF_MAX_SLOTS]; /* mapped only in a focused run */
};
_Static_assert(sizeof(struct rf_writer) == 128, "writers share no cache line");
_Static_assert(offsetof(struct rf_local, writers) == 4096, "writers start on a page");
_Static_assert(offsetof(struct rf_local, idle) % 4096 == 0, "what is not mapped is whole pages");

/* An insert-only hash table of definitions, grown by adding larger ones; entries are offsets into
 * the process's list of texts. See defs.c. */
struct rf_def_table;

/* A definitions stream in a mapping. */
struct rf_defs {
    uint8_t *data;
    uint64_t size;      /* mapped */
    uint64_t allocated; /* bytes that can be used; atomic */
    uint64_t tail;      /* hint; atomic */
};

struct rf_recorder {
    /* read by every event */
    uint32_t clock_kind;
    uint32_t is_watched;   /* by valgrind: never read behind a text's NUL, map less */
    uint64_t domain_floor; /* 1: events of the default domain are not wanted */

    /* read by every event of a focused run */
    uint64_t drops;         /* RF_CAPTURE_OVER, where nothing is kept between captures; else 0 */
    uint64_t watched_limit; /* registered strings from here on are no triggers; atomic */
    uint64_t *watched;      /* bits: strings that are the trigger's message, or nearly */
    uint64_t *equal;        /* bits: strings that are the trigger's message */
    uint64_t *domains;      /* bits: domains that have the name of the trigger's */
    uint8_t watched_first;  /* byte with which texts worth comparing begin, where it is equal in */
    uint8_t watched_mask;   /* these bits */
    uint8_t is_focused;
    uint8_t is_slow;    /* is_watched, or another clock than the processor's counter; is_standby */
    uint8_t is_standby; /* sessions come and go: standby.c */
    uint8_t was_handed_files; /* this process has no path to its files */
    uint8_t has_filter;       /* its system calls are filtered (seccomp) */
    uint8_t unused[1];

    struct rf_local *local;
    struct rf_control *control; /* shared with the command line */
    uint8_t *pool;
    size_t pool_size;
    uint8_t *old_pool; /* of the process that this one was forked from */
    size_t old_pool_size;
    uint32_t max_slots;
    uint32_t process;          /* number in the session */
    uint32_t parent;           /* number of the process that it was forked from, or UINT32_MAX */
    uint32_t origin;           /* the last that has started here: its definitions are known */
    uint32_t key;              /* pthread key + 1; 0: none */
    uint32_t n_writable_slots; /* the pool is accessible up to there; atomic */
    uint64_t defs_file_size;   /* when the definitions were mapped */
    const char *refused_call;  /* the first system call that failed while this process started */
    long refused_code;         /* its errno */

    struct rf_defs defs;  /* in the session */
    struct rf_defs names; /* in standby: all definitions there were, in memory */
    uint32_t defs_pid;  /* whose defs are; a forked child has its parent's until its first event */
    uint32_t n_domains; /* handles given out; atomic, go on in a forked child */
    uint32_t n_strings;
    uint32_t n_resources;
    uint32_t n_syncs;
    struct rf_def_table *tables[20];

    char session[PATH_MAX];
    char log_path[PATH_MAX + 16];
    char defs_path[PATH_MAX + 16];
    char pool_path[PATH_MAX + 16];
};

/* Hidden, so that they are reached without a table. */
#define RF_HIDDEN __attribute__((visibility("hidden")))
extern RF_HIDDEN struct rf_recorder rf_recorder;
extern RF_HIDDEN __thread struct rf_writer *rf_tls_writer;
extern RF_HIDDEN struct rf_writer rf_no_writer; /* what a thread has before its first event */

/* Room that every part keeps behind where its last short record may begin: the record, a 16-byte
 * store that begins before its end, and the zero word that ends the records; and three records more
 * of signal handlers, each of which came in after the interrupted one had seen that there is room
 * and before it was marked busy. */
#define RF_RESERVE       (4 * (RF_WORD_MAX_WORDS + RF_COUNTER_WORDS) * 8 + 16 + 8)
#define RF_COUNTER_WORDS 2 /* before a START of a focused run */

/* Domain handles from here on stand for domains that the user excluded. */
#define RF_EXCLUDED_DOMAIN         0xe00000u
#define RF_EXCLUDED_TRIGGER_DOMAIN 0xf00000u /* the one with the trigger */
#define RF_MAX_DOMAIN              (1u << 24)

/* ---- files.c ---- */

/* Whether RLIMIT_FSIZE allows a file of this size: growing over it would raise SIGXFSZ. */
bool rf_file_may_grow_to(uint64_t size);

/* Gives a range of a file its blocks, so that no store to its mapping can fail: where the file
 * system cannot reserve, zeros are written. A negative errno on failure; -EFBIG over RLIMIT_FSIZE,
 * where growing would raise SIGXFSZ. */
long rf_file_reserve(const char *path, uint64_t offset, uint64_t size);

/* Maps as rf_sys_mmap() does; notes a failure. */
void *rf_map(void *place, size_t size, int protection, int flags, int fd);

/* Notes a system call that failed, if it is the first; gives its status back. */
long rf_note(const char *call, long status);

/* ---- ask.c: what the command line does for this process ---- */

/* Asks the command line. fds: the descriptors that it passed, to be closed; -1: none. Returns 0 or
 * a negative errno. */
long rf_ask(struct rf_ask *ask, int fds[RF_ASK_MAX_FDS]);
void rf_ask_close(int fds[RF_ASK_MAX_FDS]);

/* As rf_file_reserve(), for a file of this process that is mapped, and there accessible, at place;
 * where it cannot be opened the command line does it. */
bool rf_process_reserve(enum rf_ask_file file, void *place, uint64_t offset, uint64_t size);

/* ---- session.c: joining a session, or making one ---- */

/* Maps the control page of the session named by RANGEFINDER_SESSION, or makes
 * ./rangefinder-PID.rfdir. False: there is nothing to record into. */
bool rf_session_open(void);

/* The same, in standby: makes the session in a directory that is there, and maps its control page
 * where the one before was. */
bool rf_session_make(const char *directory);

/* A control page that says that nothing is recorded, where the one before was. */
bool rf_session_blank(void);

/* Leaves a line for people; the command line prints it. */
void rf_session_say(const char *text);

/* Counts this process as one that is not recorded, and says why by way of the control page; where
 * that could not be mapped, by way of a file in the directory, or of the command line's socket.
 * reason: behind "process 12 "; the system call that failed is added. Returns false. */
bool rf_session_fail(const char *reason);

/* Counts what could not be recorded. Any thread, any time. */
void rf_count_lost(uint64_t records, uint64_t bytes);

/* Adds a clock pair, while there is room for more by the command line. */
void rf_session_add_clock(void);

/* ---- confined.c: what a process is, in a sandbox ---- */

/* Whether this process's system calls are filtered. */
bool rf_is_confined(void);

/* The path of the program (RF_PROC_EXE) or of the current directory (RF_PROC_CWD), without a NUL;
 * returns its length, 0: it could not be found out. */
size_t rf_confined_path(enum rf_proc_key key, char *path, size_t size);

/* The system's name of the calling thread. */
void rf_confined_thread_name(char name[16]);

/* 0: there is no such file. */
uint64_t rf_inode_of(const char *path);

/* ---- process.c: the files of this process ---- */

/* Makes this process ready to record: at the library's start, and in a forked child at its first
 * event. True when it is ready; any thread, any number of times. */
bool rf_process_ensure(void);

/* In standby, between sessions: the writers of this process, which in a forked child are made now.
 * NULL: no memory. */
struct rf_local *rf_process_own_local(void);

/* Starts the recorder; called once per copy of NVTX in the process. True: callbacks may come. */
bool rf_recorder_start(void);

/* ---- fork.c: forks in the middle of an annotation ---- */

void rf_fork_watch(void);

/* ---- standby.c: a recorder that waits for sessions ---- */

enum rf_standby_wish { RF_STANDBY_NO, RF_STANDBY_YES, RF_STANDBY_DECLINED };

/* What the environment says of this process. */
enum rf_standby_wish rf_standby_wish(void);

bool rf_standby_open(void);

/* Notes a copy of NVTX that was attached. */
void rf_standby_see_copy(const void *get_table);

/* Around what uses the session's files without a busy writer. NULL: there is no session now. */
struct rf_local *rf_standby_enter(void);
void rf_standby_leave(struct rf_local *local);

/* Around what adds definitions. NULL: they go to memory only. */
struct rf_local *rf_standby_begin_naming(void);
void rf_standby_end_naming(struct rf_local *local);

/* Waits until nobody adds any under this set of writers, which is not the current one any more. */
bool rf_standby_wait_for_naming(const struct rf_local *local);

/* Waits until nobody adds any, and keeps them from it. False: somebody does not come to an end. */
bool rf_standby_stop_naming(void);
void rf_standby_go_on_naming(void);

/* A busy writer of a session that is over is left; the writer for the session that is on now is
 * made busy, if there is one. */
struct rf_writer *rf_standby_check(struct rf_writer *writer, uint8_t **end);

/* ---- pool.c: streams and parts ---- */

/* given: the file, as large as it can become, with its headers' blocks; -1: it is to be made. */
bool rf_pool_create(int given);

/* A stream that no thread writes to, for this thread; NULL: no room. It is parked: end is NULL. */
struct rf_writer *rf_pool_take(uint32_t tid, uint32_t serial);
void rf_pool_give_back(struct rf_writer *writer);

/* In standby: the thread's own stream in the session that is on; a stream that another session
 * knew is for any thread. */
struct rf_writer *rf_pool_reopen(struct rf_writer *writer, uint32_t serial);
void rf_pool_set_free(const struct rf_writer *writer);

struct rf_pool_header *rf_pool_header(void);

/* Ends the active part and begins the next. The writer must be busy (end NULL); parked_end is the
 * new end. */
void rf_pool_next_part(struct rf_writer *writer);

/* ---- writer.c: the rare paths of an event ---- */

/* Called when the thread's writer has no room: gives the thread a writer, a new part, or, in a
 * signal handler that interrupted a record, the nested writer. NULL: not recorded (counted). */
struct rf_writer *rf_writer_prepare(void);

/* Records a text that does not fit a short record. head: type and attributes; words: how many of
 * the record's words stand at the writer's cursor already (word 0 not yet). */
void rf_writer_long_text(struct rf_writer *writer, uint8_t *end, uint64_t head, size_t words,
                         const char *text);

/* Ends this thread's stream; the thread may take another one afterwards. */
void rf_writer_thread_exit(void *writer);

/* ---- thread_names.c: threads that resource objects name ---- */

/* A pthread_t was named. text: as long as the process. */
void rf_thread_name_posix(uint64_t pthread, const char *text, size_t size);

/* The calling thread has its first stream: is there a name for it? */
void rf_thread_name_find(struct rf_writer *writer);

/* ---- defs.c: names ---- */

/* given: the file, with its first blocks; -1: it is to be made. */
bool rf_defs_create(int given);

/* In standby: makes the stream in memory; gives up the session's. */
bool rf_defs_create_names(void);
void rf_defs_release(void);

/* May a definition be added? In standby always: memory takes it. */
static inline bool rf_defs_ensure(void)
{
    return rf_recorder.is_standby || rf_process_ensure();
}

/* Appends a definition. Returns where its text is (valid as long as the process), or NULL if it
 * could not be recorded. text NULL: none. */
const char *rf_defs_add(uint32_t type, uint32_t index, uint32_t domain, uint64_t value,
                        uint32_t detail, const char *text, size_t text_size);

/* The handle of a domain or registered string, the same for the same text. Never 0. */
uint32_t rf_defs_domain(const char *name);
uint32_t rf_defs_string(uint64_t domain, const char *text);
void rf_defs_destroy_domain(uint64_t domain);
bool rf_defs_is_default_excluded(void);

/* The handle of a text among the definitions of this type and domain field, the same for the same
 * text: an old one, or the next of *counter. Never 0. */
uint32_t rf_defs_intern(uint32_t type, uint32_t domain, const char *text, uint32_t *counter);

/* A definition without text that was true at these ticks. */
void rf_defs_add_at(uint64_t ticks, uint32_t type, uint32_t domain, uint64_t value,
                    uint32_t detail);

/* The definition that gave a text this handle, or NULL. It takes its time. */
const struct rf_def *rf_defs_find(uint32_t type, uint64_t index);

/* ---- focus_path.c: between the captures of a focused run ---- */

/* A stream is taken by a thread, or begins a part. The writer must be busy. */
void rf_focus_forget(struct rf_writer *writer);

/* A part is full: moves what is open to where kept[] begins, if that makes enough room. */
bool rf_focus_compact(struct rf_writer *writer);

/* ---- trigger.c: what begins and ends captures ---- */

struct rf_attributes;

/* Once, when the process has its session. False: no memory for it. */
bool rf_trigger_prepare(void);

/* A string was registered, a domain was made (where the program may have got this handle before).
 */
void rf_trigger_see_string(uint64_t string, const char *text);
void rf_trigger_see_domain(uint64_t domain, const char *name);
bool rf_trigger_is_in_domain(const char *name);

/* Is this range, which looks like one, a trigger? If nearly, that is noted. */
bool rf_trigger_matches(const struct rf_attributes *a);

/* Records a range whose begin is a trigger; its id, for START. */
uint64_t rf_trigger_push(const struct rf_attributes *a);
uint64_t rf_trigger_start(const struct rf_attributes *a);

/* The pop of the trigger push that stands there; an end in a process that has a started trigger
 * open. */
void rf_trigger_pop(uint64_t domain, uint64_t *place);
void rf_trigger_end(uint64_t id);

/* cudaProfilerStart was called, or Stop; both any number of times. */
void rf_trigger_profiler(bool is_on);

void rf_trigger_thread_exit(struct rf_writer *writer);
void rf_trigger_process_exit(void);

/* ---- What src/cuda has called, once the program uses CUDA ---- */

struct rf_hooks {
    /* A trigger of this process opened or closed: a capture may have begun or ended. */
    void (*capture_changed)(void);
    /* A name was given to an object; a handle of CUDA's. */
    void (*object_named)(enum rf_object kind, uint64_t handle);
    /* In standby: the session is about to end; what is recorded until this returns is still in it.
     */
    void (*session_ends)(void);
};

/* NULL before; atomic. */
extern RF_HIDDEN const struct rf_hooks *rf_hooks;

/* ---- text.c ---- */

/* UTF-8 of a wide string in a buffer: the caller's where it fits, else a mapping of its own. */
struct rf_narrow {
    const char *text; /* NULL where the wide string was NULL */
    size_t mapped;    /* bytes to unmap; 0: none */
    char small[1024];
};
void rf_narrow_init(struct rf_narrow *narrow, const wchar_t *wide);
void rf_narrow_release(struct rf_narrow *narrow);

/* Formats into a fixed buffer, always NUL-ended: appends text or a number at offset `at` and
 * returns the new offset. */
size_t rf_put_text(char *buffer, size_t size, size_t at, const char *text);
size_t rf_put_number(char *buffer, size_t size, size_t at, uint64_t number, int min_digits);

#endif
