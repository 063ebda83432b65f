/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/ranks/job_ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"

#define MAX_NAMED 8 /* missing ranks in a note */

/* ---- Listing ---- */

static int add(struct rf_job_ranks *job, const rf_summary *summary, int64_t rank, uint32_t input,
               const char *host)
{
    const struct rf_job_rank *last = job->n > 0 ? &job->rank[job->n - 1] : NULL;
    if (rank < 0 || (last != NULL && last->rank == rank && last->input == input))
        return RF_OK;
    int status = rf_grow_array(&job->rank, job->n, &job->room, sizeof(*job->rank));
    if (status == RF_OK)
        job->rank[job->n++] =
            (struct rf_job_rank){rank, input, 1, host, summary->input[input].boot_id};
    return status;
}

/* Hosts and paths decide nothing but which of several inputs of a rank is the first. */
static int compare(const void *a, const void *b, void *context)
{
    const struct rf_job_rank *x = a, *y = b;
    const rf_summary *summary = context;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    int order = strcmp(summary->input[x->input].path, summary->input[y->input].path);
    if (order == 0)
        order = (x->input > y->input) - (x->input < y->input);
    return order != 0 ? order : strcmp(y->host, x->host); /* one that is known before "" */
}

bool rf_job_ranks_share_clock(const struct rf_job_rank *a, const struct rf_job_rank *b)
{
    static const uint8_t unknown[sizeof(((struct rf_summary_input *)NULL)->boot_id)];
    return a->host[0] != '\0' && strcmp(a->host, b->host) == 0 &&
           (memcmp(a->boot_id, b->boot_id, sizeof(unknown)) == 0 ||
            memcmp(a->boot_id, unknown, sizeof(unknown)) == 0 ||
            memcmp(b->boot_id, unknown, sizeof(unknown)) == 0);
}

static void unite(struct rf_job_ranks *job)
{
    size_t n = 0;
    for (size_t i = 0; i < job->n; i++) {
        struct rf_job_rank *last = n > 0 ? &job->rank[n - 1] : NULL;
        if (last == NULL || last->rank != job->rank[i].rank)
            job->rank[n++] = job->rank[i];
        else if (job->rank[i].input != job->rank[i - 1].input)
            last->n_inputs++;
    }
    job->n = n;
    for (size_t i = 0; i < n; i++) {
        const char *host = job->rank[i].host;
        job->n_duplicate += job->rank[i].n_inputs > 1;
        if (i == 0)
            job->host = host[0] != '\0' ? host : NULL;
        else if (!rf_job_ranks_share_clock(&job->rank[0], &job->rank[i]))
            job->host = NULL;
        if (i > 0 && host[0] != '\0' && job->rank[0].host[0] != '\0')
            job->has_hosts |= !rf_job_ranks_share_clock(&job->rank[0], &job->rank[i]);
    }
}

static int list_inputs(struct rf_job_ranks *job, const rf_summary *summary)
{
    int status = RF_OK;
    job->world_size = -1;
    for (size_t i = 0; i < summary->n_inputs && status == RF_OK; i++) {
        const struct rf_summary_input *input = &summary->input[i];
        status = add(job, summary, input->rank, (uint32_t)i, input->host);
        if (input->world_size < 0)
            continue;
        job->is_mixed |= job->world_size >= 0 && job->world_size != input->world_size;
        if (input->world_size > job->world_size)
            job->world_size = input->world_size;
    }
    return status;
}

/* Of recordings with several ranks, and of those that were added up. */
static int list_events(struct rf_job_ranks *job, const rf_summary *summary)
{
    const struct rf_summary_collectives *all = &summary->collectives;
    int status = RF_OK;
    size_t ignored;
    for (size_t i = 0; i < summary->n_steps && status == RF_OK; i++) {
        const struct rf_summary_step *step = &summary->step[i];
        const char *host = rf_summary_text(summary, step->host, &ignored);
        status = add(job, summary, step->rank, step->input, host != NULL ? host : "");
    }
    for (size_t i = 0; i < all->n && status == RF_OK; i++)
        status = add(job, summary, all->item[i].rank, all->item[i].input,
                     summary->input[all->item[i].input].host);
    return status;
}

static size_t count_unknown(const struct rf_job_ranks *job, const rf_summary *summary)
{
    size_t n = 0;
    bool *has_rank = calloc(summary->n_inputs + 1, sizeof(*has_rank));
    for (size_t i = 0; i < job->n && has_rank != NULL; i++)
        has_rank[job->rank[i].input] = true;
    for (size_t i = 0; i < summary->n_inputs && has_rank != NULL; i++)
        n += !has_rank[i];
    free(has_rank);
    return n;
}

int rf_job_ranks_init(struct rf_job_ranks *job, const rf_summary *summary)
{
    *job = (struct rf_job_ranks){.n = 0};
    int status = list_inputs(job, summary);
    if (status == RF_OK)
        status = list_events(job, summary);
    job->n_unknown = count_unknown(job, summary);
    if (job->n > 0)
        qsort_r(job->rank, job->n, sizeof(*job->rank), compare, (void *)summary);
    unite(job);
    return status;
}

void rf_job_ranks_release(struct rf_job_ranks *job)
{
    free(job->rank);
    *job = (struct rf_job_ranks){.n = 0};
}

uint32_t rf_job_ranks_find(const struct rf_job_ranks *job, int64_t rank)
{
    size_t from = 0, to = job->n;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (job->rank[middle].rank < rank)
            from = middle + 1;
        else
            to = middle;
    }
    return from < job->n && job->rank[from].rank == rank ? (uint32_t)from : RF_NO_INDEX;
}

/* ---- Saying what is wrong ---- */

/* ": 3, 9 and 4 more" */
static void note_missing(const struct rf_job_ranks *job, struct rf_table *table)
{
    char list[MAX_NAMED * 24 + 40] = "";
    size_t used = 0, n = 0, next = 0;
    const size_t n_missing = (size_t)job->world_size - job->n;
    for (int64_t rank = 0; rank < job->world_size && n < MAX_NAMED; rank++) {
        while (next < job->n && job->rank[next].rank < rank)
            next++;
        if (next == job->n || job->rank[next].rank != rank)
            used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%lld",
                                     n++ > 0 ? ", " : "", (long long)rank);
    }
    if (n_missing > MAX_NAMED)
        (void)snprintf(list + used, sizeof(list) - used, " and %zu more", n_missing - MAX_NAMED);
    rf_table_add_note(table, "%zu of %lld ranks are there; not there: %s", job->n,
                      (long long)job->world_size, list);
}

void rf_job_ranks_note(const struct rf_job_ranks *job, struct rf_table *table)
{
    if (job->is_mixed)
        rf_table_add_note(table, "the inputs are of jobs of different sizes");
    else if (job->world_size > 0 && job->n > 0 && (size_t)job->world_size > job->n &&
             job->rank[job->n - 1].rank < job->world_size)
        note_missing(job, table);
    if (job->n_unknown > 0 && job->n > 0)
        rf_table_add_note(table, "%zu inputs have no rank, and are left out", job->n_unknown);
}

int rf_job_ranks_check(const struct rf_job_ranks *job, const rf_summary *summary,
                       const char *report, struct rf_err *err)
{
    if (job->n == 0)
        return rf_fail(err, RF_ERR_UNSUPPORTED,
                       "%s compares ranks, and no input has one: --rank-from=order or "
                       "--rank-from='rank([0-9]+)' says which they are",
                       report);
    for (size_t i = 0; i < job->n; i++) {
        const struct rf_summary_input *first = &summary->input[job->rank[i].input];
        char name[320];
        if (job->rank[i].n_inputs < 2)
            continue;
        if (first->n_inputs > 1)
            (void)snprintf(name, sizeof(name), "what was added up of %llu recordings",
                           (unsigned long long)first->n_inputs);
        else
            (void)snprintf(name, sizeof(name), "'%.300s'", first->path);
        return rf_fail(err, RF_ERR_UNSUPPORTED,
                       "%s: %u inputs are rank %lld, %s is the first: give those of one run, or "
                       "--rank-from",
                       report, job->rank[i].n_inputs, (long long)job->rank[i].rank, name);
    }
    return RF_OK;
}
