/* SPDX-License-Identifier: Apache-2.0 */
/* A trace of torch.profiler (Kineto), or another one in the Trace Event Format, on its way to a
 * recording. The steps:
 *
 *     kineto_input.c    the bytes of the file, unpacked
 *     kineto_pieces.c   in pieces, which threads take apart ahead of
 *     kineto_open.c     opens it
 *     kineto_walk.c     goes through the pieces in order
 *     kineto_take.c     what becomes of an event, by its phase
 *     kineto_part.c     events, with kineto_args.c, kineto_members.c, kineto_texts.c,
 *                       kineto_json.c and kineto_scan.c
 *     kineto_head.c     what stands around them
 *     kineto_places.c   processes, threads and domains
 *     kineto_events.c   ranges and marks
 *     kineto_work.c     calls and GPU work
 *     kineto_counters.c counters
 *     kineto_finish.c   everything in its final order, and linked
 *
 * Times are those of the file until kineto_finish.c, which finds time 0. */
#ifndef RF_IMPORT_KINETO_LOAD_H
#define RF_IMPORT_KINETO_LOAD_H

#include "import/kineto_part.h"
#include "import/nsys_load.h"

/* Times that are accepted, in nanoseconds of the file: 36 years before 1970 to 109 years after it.
 * The difference of any two fits nsys_is_time(). */
#define KINETO_FIRST_NS (-((int64_t)1 << 60))
#define KINETO_LAST_NS  (((int64_t)1 << 62) - ((int64_t)1 << 60))

/* A pid of the file. Not each is a process: GPUs have pids, too. */
struct kineto_pid {
    int64_t number;
    uint32_t text;    /* string: the pid, if it is a text; or RF_NO_STRING */
    uint32_t name;    /* string, or RF_NO_STRING */
    uint32_t process; /* of nsys_load; RF_NO_INDEX: none so far */
    uint32_t n_domains;
    uint32_t space; /* upper halves of the correlation ids of its calls; RF_NO_INDEX: no calls */
};

/* A tid of a pid. */
struct kineto_tid {
    uint32_t pid; /* index */
    int64_t number;
    uint32_t text, name;
    uint32_t thread; /* of nsys_load; RF_NO_INDEX: none so far */
    uint32_t *open;  /* ranges that were begun and not ended: its events by index */
    size_t n_open, open_room;
};

/* Where a piece of GPU work ran, until its process is known. */
struct kineto_place {
    uint64_t correlation;
    int64_t pid; /* of the event; that of its process in our own layout alone */
    uint32_t device, context, stream;
};

/* A start/end range that was begun and not ended. */
struct kineto_open {
    uint32_t thread, event; /* of nsys_load */
    uint32_t outer;         /* index of the one of the same id around it, or RF_NO_INDEX */
};

/* What stands around the events. */
struct kineto_about {
    int64_t base_ns;          /* Unix time at ts 0 */
    int64_t rank, world_size; /* -1: not known */
    uint32_t product;         /* string, or RF_NO_STRING */
    bool has_base, is_kineto;
    bool is_own; /* our own layout, not that of Kineto */
};

struct kineto_counters;

struct kineto_load {
    struct nsys_load model; /* what it becomes; its db has no database */
    struct kineto_about about;
    struct kineto_pid *pid;
    struct kineto_tid *tid;
    uint32_t n_pids, n_tids;
    size_t pid_room, tid_room;
    struct rf_map pid_of;    /* (number or text, whether it is a text) */
    struct rf_map tid_of;    /* (number or text, twice the pid's index and whether it is a text) */
    struct rf_map domain_of; /* (process, string) */
    struct kineto_id last_pid, last_tid; /* of the event before, and their indices */
    uint32_t last_pid_index, last_tid_index;
    struct rf_map pid_of_space; /* see kineto_link_work() */
    struct kineto_place *place; /* of each piece of GPU work */
    size_t place_room;
    uint32_t *short_name; /* by string, of kernels; RF_NO_STRING: not known yet */
    uint32_t n_short_names;
    struct kineto_open *open;
    uint32_t n_open;
    size_t open_room;
    struct rf_map open_of; /* (pid and category, id) to open[] */
    struct kineto_counters *counters;
    int64_t first_ns; /* of everything; RF_NO_TIME: nothing */
    int64_t last_ns;
};

/* Counts something that was left out or changed, by the category of its event. reason: text that
 * lives for ever. */
void kineto_skip(struct kineto_load *load, const struct kineto_item *item, const char *reason);
void kineto_skip_several(struct kineto_load *load, const struct kineto_item *item,
                         const char *reason, uint64_t n);

/* The id of a text; RF_NO_STRING: out of memory, or it is none. */
static inline uint32_t kineto_string(struct kineto_load *load, const struct kineto_text *text)
{
    return text->at != NULL
               ? rf_strings_add_hashed(&load->model.rec->strings, text->at, text->size, text->hash)
               : RF_NO_STRING;
}

/* Widens what the recording spans. */
static inline void kineto_see_time(struct kineto_load *load, int64_t ns)
{
    if (load->first_ns == RF_NO_TIME || ns < load->first_ns)
        load->first_ns = ns;
    if (load->last_ns == RF_NO_TIME || ns > load->last_ns)
        load->last_ns = ns;
}

#endif
