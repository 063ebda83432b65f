/* SPDX-License-Identifier: Apache-2.0 */
/* The state of the recorder in this process.
 *
 * The recorder uses three kinds of memory:
 *   rf_recorder    one struct in the library's data. It is written while a process initialises and
 *                  only read afterwards, except for the members marked atomic. A forked child has
 *                  a copy.
 *   rf_local       pages that a fork leaves as zeros in the child (local.h): the writers and
 *                  everything else that must start anew there.
 *   the mappings   files of the session directory, which the command line and readers also map. */
#ifndef RF_RECORD_RECORDER_H
#define RF_RECORD_RECORDER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "log/layout.h"
#include "record/platform.h"

/* A hash table of definitions: interned.c. */
struct rf_def_table;

/* Schemas by their ids: schema_table.c. */
struct rf_schema_table;

#define RF_MAX_DEF_TABLES 20u

/* A definitions stream in a mapping: defs.c. */
struct rf_defs {
    uint8_t *data;
    uint64_t size;      /* mapped */
    uint64_t allocated; /* bytes that can be used; atomic */
    uint64_t tail;      /* hint; atomic */
    uint64_t ticks;     /* about when the last definition was added; atomic */
};

struct rf_recorder {
    /* read by every event */
    uint32_t clock_kind;
    bool is_watched;             /* by valgrind: never read past a text's NUL, map less */
    uint64_t n_excluded_handles; /* of domains, from RF_EXCLUDED_DOMAIN on */

    /* read by every event of a focused run */
    uint64_t drops;         /* RF_CAPTURE_OVER, where nothing is kept between captures; else 0 */
    uint64_t watched_limit; /* registered strings from this handle on are no triggers; atomic */
    uint64_t *watched;      /* bits: strings that equal the trigger's message but for case */
    uint64_t *equal;        /* bits: strings that are the trigger's message */
    uint64_t *domains;      /* bits: domains that have the name of the trigger's */
    uint8_t watched_first;  /* texts are compared with the trigger's message where their first byte
                             * equals this one */
    uint8_t watched_mask;   /* in these bits */
    bool is_focused;
    bool is_slow;          /* is_watched, is_standby, or the clock is not the processor's counter */
    bool is_standby;       /* sessions come and go: standby.c */
    bool was_handed_files; /* this process cannot open its files: the command line passed them */
    bool has_filter;       /* seccomp filters the system calls of this process */

    struct rf_local *local;
    struct rf_control *control; /* shared with the command line */
    uint8_t *pool;
    size_t pool_size;
    uint8_t *old_pool; /* of the process that this one was forked from */
    size_t old_pool_size;
    uint32_t max_slots;
    uint32_t process;          /* number in the session */
    uint32_t parent;           /* number of the process that it was forked from, or UINT32_MAX */
    uint32_t origin;           /* the last process that started here: its definitions are known */
    uint32_t key;              /* pthread key + 1; 0: none */
    uint32_t n_writable_slots; /* the pool is accessible up to there; atomic */
    uint32_t late_ring_beat;   /* the drainer's beat when a ring was waited for in vain; atomic */
    uint64_t defs_file_size;   /* when the definitions were mapped */
    const char *refused_call;  /* the first system call that failed while this process started */
    long refused_code;         /* its errno */
    const char *refusal; /* why the session cannot be used; NULL: for no reason that is known */

    struct rf_defs defs;  /* in the session */
    struct rf_defs names; /* in standby: the definitions of all sessions, in memory */
    uint32_t defs_pid;  /* whose defs are; a forked child has its parent's until its first event */
    uint32_t n_domains; /* handles given out; atomic; a forked child continues the count */
    uint32_t n_strings;
    uint32_t n_resources;
    uint32_t n_syncs;
    uint64_t n_ext_ids;        /* of the payload and counters extensions; atomic */
    uint64_t n_memory_handles; /* of the memory extension; atomic */
    struct rf_schema_table *schemas;
    uint64_t pointer_bits; /* of schemas that have some, by the low bits of their ids; atomic */
    uint64_t type_sizes;   /* hash of the last definition of them; atomic */
    struct rf_def_table *tables[RF_MAX_DEF_TABLES];

    char session[PATH_MAX];
    char log_path[PATH_MAX + 16];
    char defs_path[PATH_MAX + 16];
    char pool_path[PATH_MAX + 16];
};

/* Hidden, so that no access goes through the global offset table. */
#define RF_HIDDEN __attribute__((visibility("hidden")))
extern RF_HIDDEN struct rf_recorder rf_recorder;

#endif
