/* SPDX-License-Identifier: Apache-2.0 */
#include "model/gpu/gpu_order.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/grow.h"
#include "base/large_pages.h"
#include "base/map.h"
#include "model/arrays.h"
#include "model/recording.h"

/* ---- Tracks ---- */

void rf_track_finder_init(struct rf_track_finder *finder)
{
    *finder = (struct rf_track_finder){.last = RF_NO_INDEX};
}

void rf_track_finder_release(struct rf_track_finder *finder)
{
    rf_map_release(&finder->group);
    rf_map_release(&finder->track);
}

static bool is_same_track(const struct rf_gpu_track *a, const struct rf_gpu_track *b)
{
    return a->process == b->process && a->device == b->device && a->context == b->context &&
           a->green_context == b->green_context && a->stream == b->stream;
}

uint32_t rf_find_track(struct rf_track_finder *finder, rf_recording *rec,
                       const struct rf_gpu_track *track)
{
    uint64_t device = (uint64_t)track->process << 32 | track->device;
    uint64_t context = (uint64_t)track->context << 32 | track->green_context;
    if (finder->last != RF_NO_INDEX && is_same_track(&rec->track[finder->last], track))
        return finder->last;
    uint32_t group = rf_map_find(&finder->group, device, context);
    if (group == RF_MAP_NONE) {
        group = finder->n_groups;
        if (rf_map_set(&finder->group, device, context, group) != RF_OK)
            return RF_NO_INDEX;
        finder->n_groups++;
    }
    uint32_t i = rf_map_find(&finder->track, group, track->stream);
    if (i == RF_MAP_NONE) {
        i = rec->n_tracks;
        if (rf_grow_array(&rec->track, i, &finder->room, sizeof(*rec->track)) != RF_OK ||
            rf_map_set(&finder->track, group, track->stream, i) != RF_OK)
            return RF_NO_INDEX;
        rec->track[rec->n_tracks++] = *track;
    }
    finder->last = i;
    return i;
}

/* ---- Order ---- */

#define BLOCK ((size_t)1 << 16) /* pieces of work that are given back at once when copied */

static int compare_tracks(const void *left, const void *right, void *context)
{
    const struct rf_gpu_track *track = context;
    const struct rf_gpu_track *a = &track[*(const uint32_t *)left];
    const struct rf_gpu_track *b = &track[*(const uint32_t *)right];
    uint32_t x[] = {a->process, a->device, a->context, a->green_context, a->stream};
    uint32_t y[] = {b->process, b->device, b->context, b->green_context, b->stream};
    for (int i = 0; i < 5; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

int rf_sort_tracks(rf_recording *rec, uint32_t *place)
{
    uint32_t n = rec->n_tracks;
    uint32_t *order = malloc(((size_t)n + 1) * sizeof(*order));
    struct rf_gpu_track *sorted = malloc(((size_t)n + 1) * sizeof(*sorted));
    if (order == NULL || sorted == NULL) {
        free(order);
        free(sorted);
        return RF_ERR_NO_MEMORY;
    }
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    qsort_r(order, n, sizeof(*order), compare_tracks, rec->track);
    for (uint32_t i = 0; i < n; i++) {
        sorted[i] = rec->track[order[i]];
        place[order[i]] = i;
    }
    free(order);
    free(rec->track);
    rec->track = sorted;
    return RF_OK;
}

/* Gives the work the new indices of its tracks, and counts it. */
static void count_ops(rf_recording *rec, const uint32_t *place)
{
    uint32_t first = 0;
    for (size_t i = 0; i < rec->n_ops; i++) {
        rec->op[i].track = place[rec->op[i].track];
        rec->track[rec->op[i].track].n_ops++;
    }
    for (uint32_t i = 0; i < rec->n_tracks; i++) {
        rec->track[i].first_op = first;
        first += rec->track[i].n_ops;
    }
}

/* Brings the work of a track together, in the order in which it was read. What was copied takes no
 * more memory. */
static int group_ops(rf_recording *rec)
{
    struct rf_gpu_op *sorted = malloc((rec->n_ops + 1) * sizeof(*sorted));
    uint32_t *next = malloc(((size_t)rec->n_tracks + 1) * sizeof(*next));
    const bool is_done = sorted != NULL && next != NULL;
    for (uint32_t i = 0; i < rec->n_tracks && is_done; i++)
        next[i] = rec->track[i].first_op;
    for (size_t i = 0; i < rec->n_ops && is_done; i++) {
        sorted[next[rec->op[i].track]++] = rec->op[i];
        if ((i + 1) % BLOCK == 0)
            rf_give_back_pages(&rec->op[i + 1 - BLOCK], BLOCK * sizeof(*rec->op));
    }
    free(next);
    if (!is_done) {
        free(sorted);
        return RF_ERR_NO_MEMORY;
    }
    free(rec->op);
    rec->op = sorted;
    return RF_OK;
}

static int compare_ops(const void *left, const void *right)
{
    const struct rf_gpu_op *a = left, *b = right;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return a->end_ns > b->end_ns ? -1 : a->end_ns < b->end_ns;
}

int rf_sort_grouped_ops(rf_recording *rec)
{
    int status = RF_OK;
    for (uint32_t t = 0; t < rec->n_tracks && status == RF_OK; t++) {
        const struct rf_gpu_track *track = &rec->track[t];
        status =
            rf_sort_records(&rec->op[track->first_op], track->n_ops, sizeof(*rec->op), compare_ops);
    }
    return status;
}

int rf_order_gpu_work(rf_recording *rec)
{
    uint32_t *place = malloc(((size_t)rec->n_tracks + 1) * sizeof(*place));
    int status = place != NULL ? rf_sort_tracks(rec, place) : RF_ERR_NO_MEMORY;
    if (status == RF_OK)
        count_ops(rec, place);
    free(place);
    if (status == RF_OK)
        status = group_ops(rec);
    return status == RF_OK ? rf_sort_grouped_ops(rec) : status;
}

/* How many pieces of work ahead a call is fetched. */
#define FETCH_AHEAD 16

static void fetch_call(const rf_recording *rec, const struct rf_gpu_op *op)
{
    if (op->thread != RF_NO_INDEX)
        __builtin_prefetch(&rec->calls[op->thread].call[op->call].first_op, 1);
}

void rf_link_gpu_work(rf_recording *rec)
{
    for (size_t i = rec->n_ops; i-- > 0;) {
        if (i >= FETCH_AHEAD)
            fetch_call(rec, &rec->op[i - FETCH_AHEAD]);
        struct rf_gpu_op *op = &rec->op[i];
        if (op->thread == RF_NO_INDEX || op->kind == RF_OP_SYNC)
            continue;
        struct rf_call *call = &rec->calls[op->thread].call[op->call];
        op->next_op = call->first_op;
        call->first_op = (uint32_t)i;
    }
}
