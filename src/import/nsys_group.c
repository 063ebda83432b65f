/* SPDX-License-Identifier: Apache-2.0 */
/* The work is counted by track, and then each piece is copied to its place, by several threads:
 * each has some of the jobs, in the order of the file, and its own part of each track. */
#include "import/nsys_group.h"

#include <stdlib.h>
#include <string.h>

#include "base/large_pages.h"
#include "base/helper_threads.h"

#define OPS_WORTH_A_THREAD 65536
#define MAX_COUNTS         ((size_t)4 << 20) /* of tracks times threads */

/* Work of one part that stands together. */
struct run {
    struct nsys_part *part;
    size_t first, n;
};

struct grouping {
    struct nsys_load *load;
    struct run *run; /* all work, in the order of the file */
    size_t n_runs;
    size_t n_ops;
    uint32_t n_threads;
    size_t first_run[RF_MAX_THREADS + 1]; /* of each thread */
    uint32_t *place;                      /* of tracks: the final index */
    uint32_t *process;                    /* of tracks: the index in load->process */
    uint32_t *next; /* per thread and final track: counts, then where the next piece goes */
};

/* ---- Which work is whose ---- */

#define OPS_OF_A_RUN ((size_t)16384)

static int list_runs(struct grouping *g)
{
    const struct nsys_parts *all = g->load->parts;
    size_t n = 0;
    for (size_t i = 0; i < all->n_jobs; i++)
        n += (all->job[i].after.n_ops - all->job[i].before.n_ops) / OPS_OF_A_RUN + 1;
    g->run = malloc((n + 1) * sizeof(*g->run));
    if (g->run == NULL)
        return RF_ERR_NO_MEMORY;
    for (size_t i = 0; i < all->n_jobs; i++) {
        const struct nsys_job *job = &all->job[i];
        for (size_t at = job->before.n_ops; at < job->after.n_ops; at += OPS_OF_A_RUN) {
            const size_t left = job->after.n_ops - at;
            g->run[g->n_runs++] =
                (struct run){&all->part[job->part], at, left < OPS_OF_A_RUN ? left : OPS_OF_A_RUN};
        }
        g->n_ops += job->after.n_ops - job->before.n_ops;
    }
    return g->n_ops < RF_NO_INDEX ? RF_OK : RF_ERR_NO_MEMORY;
}

/* Each thread gets as many pieces of work as the others. */
static void share_runs(struct grouping *g)
{
    size_t n = 0, at = 0;
    for (uint32_t thread = 0; thread < g->n_threads; thread++) {
        g->first_run[thread] = at;
        while (at < g->n_runs && n < g->n_ops / g->n_threads * (thread + 1))
            n += g->run[at++].n;
    }
    g->first_run[g->n_threads] = g->n_runs;
}

static uint32_t n_threads(const struct grouping *g)
{
    const size_t n_tracks = (size_t)g->load->rec->n_tracks + 1;
    uint32_t n = nsys_n_threads(&g->load->db);
    while (n > 1 && (n > g->n_ops / OPS_WORTH_A_THREAD || n > MAX_COUNTS / n_tracks))
        n--;
    return n;
}

/* ---- Counting ---- */

static void count_ops(void *context, uint32_t thread)
{
    const struct grouping *g = context;
    uint32_t *count = g->next + (size_t)thread * g->load->rec->n_tracks;
    for (size_t r = g->first_run[thread]; r < g->first_run[thread + 1]; r++) {
        const struct run *run = &g->run[r];
        const struct rf_gpu_op *op = run->part->load.rec->op + run->first;
        const uint32_t *track_place = run->part->track_place;
        for (size_t i = 0; i < run->n; i++)
            count[g->place[track_place[op[i].track]]]++;
    }
}

/* Makes places of counts: those of a track follow each other by thread. */
static void add_up(struct grouping *g)
{
    rf_recording *rec = g->load->rec;
    uint32_t first = 0;
    for (uint32_t track = 0; track < rec->n_tracks; track++) {
        rec->track[track].first_op = first;
        for (uint32_t thread = 0; thread < g->n_threads; thread++) {
            uint32_t *next = &g->next[(size_t)thread * rec->n_tracks + track];
            const uint32_t n = *next;
            *next = first;
            first += n;
        }
        rec->track[track].n_ops = first - rec->track[track].first_op;
    }
}

/* ---- Copying ---- */

/* What was read of a piece of work, with the numbers of the load. */
static struct rf_gpu_op join_op(const struct grouping *g, const struct nsys_part *part,
                                const struct rf_gpu_op *from)
{
    const struct nsys_load *load = g->load;
    struct rf_gpu_op op = *from;
    uint32_t thread, call;
    const uint32_t track = part->track_place[op.track];
    const uint32_t *detail = part->detail_place[rf_row_kind(&rf_op_fields, op.kind)->detail_of];
    op.track = g->place[track];
    op.name = nsys_part_string(part, op.name);
    if (detail != NULL && op.detail != RF_NO_INDEX && op.kind != RF_OP_GRAPH)
        op.detail = detail[op.detail];
    if (rf_call_index_find(&load->call_of, g->process[track], op.correlation, &thread, &call)) {
        op.thread = load->thread[thread].place;
        op.call = call;
    }
    return op;
}

static void copy_ops(void *context, uint32_t thread)
{
    const struct grouping *g = context;
    const rf_recording *rec = g->load->rec;
    uint32_t *next = g->next + (size_t)thread * rec->n_tracks;
    for (size_t r = g->first_run[thread]; r < g->first_run[thread + 1]; r++) {
        const struct run *run = &g->run[r];
        const struct rf_gpu_op *from = run->part->load.rec->op + run->first;
        const uint64_t *grid_id =
            rec->grid_id != NULL ? run->part->load.grid_id + run->first : NULL;
        for (size_t i = 0; i < run->n; i++) {
            struct rf_gpu_op op = join_op(g, run->part, &from[i]);
            const uint32_t place = next[op.track]++;
            if (rec->grid_id != NULL && (rec->grid_id[place] = grid_id[i]) != 0)
                op.graph_end = place + 1;
            rec->op[place] = op;
        }
        rf_give_back_pages(from, run->n * sizeof(*from)); /* it is as large as the copy */
    }
}

/* ---- All of it ---- */

static int sort_tracks(struct grouping *g)
{
    rf_recording *rec = g->load->rec;
    const size_t n = (size_t)rec->n_tracks + 1;
    g->place = malloc(n * sizeof(*g->place));
    g->process = malloc(n * sizeof(*g->process));
    g->next = calloc(n * g->n_threads, sizeof(*g->next));
    if (g->place == NULL || g->process == NULL || g->next == NULL)
        return RF_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < rec->n_tracks; i++) {
        g->process[i] = rec->track[i].process;
        rec->track[i].process = g->load->process[rec->track[i].process].place;
    }
    return rf_sort_tracks(rec, g->place);
}

static int group(struct grouping *g)
{
    rf_recording *rec = g->load->rec;
    const size_t size = (g->n_ops + 1) * sizeof(*rec->op);
    rec->op = malloc(size);
    if (rec->op == NULL)
        return RF_ERR_NO_MEMORY;
    rf_prefer_large_pages(rec->op, size);
    rec->n_ops = g->n_ops;
    if (g->n_ops > 0 && g->run[0].part->load.grid_id != NULL) {
        rec->grid_id = malloc(g->n_ops * sizeof(*rec->grid_id));
        if (rec->grid_id == NULL)
            return RF_ERR_NO_MEMORY;
        rec->n_grid_ids = g->n_ops;
    }
    rf_in_threads(g->n_threads, count_ops, g);
    add_up(g);
    rf_in_threads(g->n_threads, copy_ops, g);
    return RF_OK;
}

int nsys_group_work(struct nsys_load *load)
{
    struct grouping g = {.load = load, .n_threads = 1};
    int status = list_runs(&g);
    if (status == RF_OK) {
        g.n_threads = n_threads(&g);
        share_runs(&g);
        status = sort_tracks(&g);
    }
    if (status == RF_OK)
        status = group(&g);
    free(g.run);
    free(g.place);
    free(g.process);
    free(g.next);
    nsys_parts_free(load->parts);
    load->parts = NULL;
    return status == RF_OK ? rf_sort_grouped_ops(load->rec) : status;
}
