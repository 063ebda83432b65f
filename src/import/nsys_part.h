/* SPDX-License-Identifier: Apache-2.0 */
/* GPU work is most of the rows of most files. It is read by several threads, each into a part: what
 * a load has of it, with processes, tracks, strings and details of its own. A thread takes one job
 * after the other; jobs are some of the leaves of a table. What a part had before and after a job
 * tells what came of it, so that the jobs can be put together in the order of the file, whoever
 * read them. */
#ifndef RF_IMPORT_NSYS_PART_H
#define RF_IMPORT_NSYS_PART_H

#include "import/nsys_load.h"
#include "import/nsys_pages.h"

/* How much a part has. */
struct nsys_marks {
    size_t n_ops;
    uint32_t n_tracks, n_strings, n_skips;
    uint32_t n_details[RF_MAX_KINDS];
};

struct nsys_job {
    struct nsys_walk *walk; /* NULL: all tables, by SQLite's library */
    size_t table;           /* its number: see nsys_work_table() */
    size_t first, end;      /* leaves */
    uint32_t part;          /* that has read it */
    struct nsys_marks before, after;
};

struct nsys_part {
    struct nsys_parts *all;
    uint32_t number;
    struct nsys_load load;
    struct rf_err err;
    int status;
    size_t failed_job; /* where status is an error */
    /* By its numbers, those of the load; nsys_join.c makes them. */
    uint32_t *string_place;
    uint32_t *track_place;                /* RF_NO_INDEX: nothing is on it */
    uint32_t *detail_place[RF_MAX_KINDS]; /* NULL: the same numbers */
};

struct nsys_parts {
    struct nsys_load *load; /* what they are parts of */
    struct nsys_part *part;
    uint32_t n_parts;
    struct nsys_walk *walk;
    size_t n_walks;
    struct nsys_job *job;
    size_t n_jobs, job_room;
    size_t next_job; /* by all threads */
    bool is_stopped; /* likewise */
};

/* A string of work of the part as one of the load. */
static inline uint32_t nsys_part_string(const struct nsys_part *part, uint32_t string)
{
    return string != RF_NO_STRING && (string & NSYS_PART_STRING) != 0
               ? part->string_place[string & ~NSYS_PART_STRING]
               : string;
}

/* How many threads an import of a file is worth. */
uint32_t nsys_n_threads(const struct nsys_db *db);

/* Makes n parts, without jobs, as load->parts. Returns 0 or RF_ERR_NO_MEMORY. */
int nsys_parts_init(struct nsys_load *load, uint32_t n);

/* NULL is accepted. */
void nsys_parts_free(struct nsys_parts *parts);

struct nsys_marks nsys_part_marks(const struct nsys_part *part);

#endif
