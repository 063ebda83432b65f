/* SPDX-License-Identifier: Apache-2.0 */
#include "import/nsys_parts.h"

#include <assert.h>
#include <stdlib.h>

#include "base/grow.h"
#include "import/nsys_calls.h"
#include "import/nsys_contexts.h"
#include "import/nsys_counters.h"
#include "import/nsys_gpu.h"
#include "import/nsys_join.h"
#include "import/nsys_nvtx.h"
#include "import/nsys_nvtx_counters.h"
#include "base/helper_threads.h"

#define LEAVES_OF_A_JOB 512

/* ---- A job ---- */

static int read_tables(struct nsys_load *load)
{
    int status = RF_OK;
    for (size_t i = 0; nsys_work_table(i) != NULL && status == RF_OK; i++)
        status = nsys_read_work(load, i);
    return status;
}

/* By a connection of its own, which sees the same: nobody can write. */
static int read_by_library(struct nsys_load *load, const struct nsys_db *of, struct rf_err *err)
{
    int status = nsys_db_open_beside(&load->db, of, err);
    return status == RF_OK ? read_tables(load) : status;
}

/* By the connection of all else, in the thread that has it. What is left out is counted there. */
static int read_by_same_connection(struct nsys_part *part)
{
    struct nsys_db *of = &part->all->load->db;
    struct rf_err *err = of->err;
    struct nsys_db own = part->load.db;
    nsys_db_move(&part->load.db, of);
    part->load.db.err = &part->err;
    int status = read_tables(&part->load);
    nsys_db_move(of, &part->load.db);
    of->err = err;
    part->load.db = own;
    return status;
}

static int run_job(struct nsys_part *part, struct nsys_job *job)
{
    struct nsys_load *load = &part->load;
    int status;
    job->part = part->number;
    job->before = nsys_part_marks(part);
    if (job->walk != NULL)
        status = nsys_read_work_leaves(load, job->table, job->walk, job->first, job->end);
    else if (part->all->load->db.has_log)
        status = read_by_same_connection(part);
    else
        status = read_by_library(load, &part->all->load->db, &part->err);
    job->after = nsys_part_marks(part);
    return status;
}

/* Takes one job after the other. Jobs and what comes of them are looked at when threads were
 * joined: nothing is ordered here. */
static void *work(void *context)
{
    struct nsys_part *part = context;
    struct nsys_parts *all = part->all;
    while (part->status == RF_OK && !__atomic_load_n(&all->is_stopped, __ATOMIC_RELAXED)) {
        size_t i = __atomic_fetch_add(&all->next_job, 1, __ATOMIC_RELAXED);
        if (i >= all->n_jobs)
            break;
        part->status = run_job(part, &all->job[i]);
        part->failed_job = i;
    }
    if (part->status != RF_OK)
        __atomic_store_n(&all->is_stopped, true, __ATOMIC_RELAXED);
    return NULL;
}

/* ---- The jobs ---- */

static int add_job(struct nsys_parts *all, const struct nsys_job *job)
{
    if (rf_grow_array(&all->job, all->n_jobs, &all->job_room, sizeof(*all->job)) != RF_OK)
        return nsys_no_memory(all->load);
    all->job[all->n_jobs++] = *job;
    return RF_OK;
}

static int add_table(struct nsys_parts *all, size_t number, struct nsys_walk *walk)
{
    struct nsys_db *db = &all->load->db;
    struct nsys_table *found = nsys_db_find_table(db, nsys_work_table(number));
    if (found == NULL)
        return RF_OK;
    found->is_known = true;
    const struct nsys_paged_table *table = nsys_pages_find(db->pages, found->name);
    assert(table != NULL);
    int status = nsys_walk_init(walk, db, table);
    for (size_t at = 0; at < walk->tree.n_leaves && status == RF_OK; at += LEAVES_OF_A_JOB) {
        const size_t left = walk->tree.n_leaves - at;
        status = add_job(
            all, &(struct nsys_job){.walk = walk,
                                    .table = number,
                                    .first = at,
                                    .end = at + (left < LEAVES_OF_A_JOB ? left : LEAVES_OF_A_JOB)});
    }
    return status;
}

static int list_jobs(struct nsys_parts *all)
{
    int status = RF_OK;
    if (all->load->leaves_out_work)
        return RF_OK;
    if (all->load->db.pages == NULL)
        return add_job(all, &(struct nsys_job){.walk = NULL});
    while (nsys_work_table(all->n_walks) != NULL)
        all->n_walks++;
    all->walk = calloc(all->n_walks, sizeof(*all->walk));
    if (all->walk == NULL)
        return nsys_no_memory(all->load);
    for (size_t i = 0; i < all->n_walks && status == RF_OK; i++)
        status = add_table(all, i, &all->walk[i]);
    return status;
}

static int init_parts(struct nsys_load *load)
{
    uint32_t n = sqlite3_threadsafe() != 0 ? nsys_n_threads(&load->db) : 1;
    if (load->db.pages == NULL && n > 1)
        n = load->db.has_log ? 1 : 2; /* there is one job */
    int status = nsys_parts_init(load, n);
    return status == RF_OK ? list_jobs(load->parts) : status;
}

/* ---- Reading ---- */

static int read_others(struct nsys_load *load)
{
    int status = nsys_load_nvtx(load);
    if (status == RF_OK)
        status = nsys_load_calls(load);
    if (status == RF_OK)
        status = nsys_load_counters(load);
    return status == RF_OK ? nsys_load_nvtx_counters(load) : status;
}

/* The error of the first job that has one. */
static int first_error(struct nsys_parts *all)
{
    const struct nsys_part *first = NULL;
    for (uint32_t i = 0; i < all->n_parts; i++)
        if (all->part[i].status != RF_OK &&
            (first == NULL || all->part[i].failed_job < first->failed_job))
            first = &all->part[i];
    if (first != NULL && all->load->db.err != NULL)
        *all->load->db.err = first->err;
    return first != NULL ? first->status : RF_OK;
}

/* This thread takes jobs too, when it has read all else. */
static int read_all(struct nsys_load *load)
{
    struct nsys_parts *all = load->parts;
    struct rf_threads threads = {.n = 0};
    for (uint32_t i = 1; i < all->n_parts; i++)
        (void)rf_threads_start(&threads, work, &all->part[i]);
    int status = read_others(load);
    if (status == RF_OK)
        (void)work(&all->part[0]);
    else
        __atomic_store_n(&all->is_stopped, true, __ATOMIC_RELAXED);
    rf_threads_join(&threads);
    return status == RF_OK ? first_error(all) : status;
}

int nsys_load_parts(struct nsys_load *load)
{
    int status = init_parts(load);
    if (status == RF_OK)
        status = read_all(load);
    if (status == RF_OK)
        status = nsys_place_waits(load);
    return status == RF_OK ? nsys_join_parts(load) : status;
}
