/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/gpu_pieces.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/grow.h"

static void add_track(struct rf_gpu_pieces *pieces, const rf_recording *rec,
                      const struct rf_gpu_track *track)
{
    const struct rf_gpu *gpu = rf_gpu_of(rec, track->process, track->device);
    const uint32_t id = gpu != NULL ? gpu->id : track->device;
    for (uint32_t i = track->first_op; i < track->first_op + track->n_ops; i++) {
        const struct rf_gpu_op *op = rf_gpu_op_at(rec, i);
        if (op->kind == RF_OP_SYNC)
            continue;
        pieces->piece[pieces->n++] = (struct rf_gpu_piece){op->start_ns, op->end_ns, id, i};
    }
}

static int compare_pieces(const void *a, const void *b)
{
    const struct rf_gpu_piece *x = a, *y = b;
    if (x->gpu != y->gpu)
        return x->gpu < y->gpu ? -1 : 1;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return x->op < y->op ? -1 : x->op > y->op;
}

static bool is_sorted(const struct rf_gpu_pieces *pieces)
{
    for (size_t i = 1; i < pieces->n; i++)
        if (compare_pieces(&pieces->piece[i - 1], &pieces->piece[i]) > 0)
            return false;
    return true;
}

int rf_gpu_pieces_init(struct rf_gpu_pieces *pieces, const rf_recording *rec)
{
    size_t room = 0;
    *pieces = (struct rf_gpu_pieces){.piece = NULL};
    for (uint32_t i = 0; i < rf_n_gpu_tracks(rec); i++)
        room += rf_gpu_track_at(rec, i)->n_ops;
    if (rf_reserve_array(&pieces->piece, room, &pieces->room, sizeof(*pieces->piece)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < rf_n_gpu_tracks(rec); i++)
        add_track(pieces, rec, rf_gpu_track_at(rec, i));
    if (!is_sorted(pieces)) /* those of one stream most often are */
        qsort(pieces->piece, pieces->n, sizeof(*pieces->piece), compare_pieces);
    return RF_OK;
}

void rf_gpu_pieces_release(struct rf_gpu_pieces *pieces)
{
    free(pieces->piece);
}

size_t rf_gpu_pieces_end(const struct rf_gpu_pieces *pieces, size_t first)
{
    size_t end = first;
    while (end < pieces->n && pieces->piece[end].gpu == pieces->piece[first].gpu)
        end++;
    return end;
}

const struct rf_call *rf_call_of_work(const rf_recording *rec, const struct rf_gpu_op *op)
{
    if (op->thread == RF_NO_INDEX || op->call == RF_NO_INDEX)
        return NULL;
    return rf_thread_call_at(rec, op->thread, op->call);
}
