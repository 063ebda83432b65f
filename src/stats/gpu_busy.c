/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/gpu_busy.h"

#include <stdlib.h>

#include "base/grow.h"
#include "model/collectives/collective_names.h"

enum class { COMPUTE, COMMUNICATION, COPY, N_CLASSES };

/* A piece of work and the GPU that did it. */
struct piece {
    int64_t start_ns, end_ns;
    uint32_t gpu, op;
};

struct finding {
    const rf_recording *rec;
    struct piece *piece;
    size_t n, room;
    struct rf_gpu_busy *busy;
    size_t n_busy, busy_room;
    int64_t until_ns[N_CLASSES]; /* the last end of the class so far */
};

static bool is_communication(const rf_recording *rec, const struct rf_gpu_op *op)
{
    size_t size = 0;
    const char *name = op->kind == RF_OP_KERNEL ? rf_string(rec, op->name, &size) : NULL;
    return rf_is_communication_kernel(name, size);
}

static enum class class_of(const rf_recording *rec, const struct rf_gpu_op *op) {
    if (op->kind == RF_OP_MEMCPY || op->kind == RF_OP_MEMSET) return COPY;
    return is_communication(rec, op) ? COMMUNICATION : COMPUTE;
}

/* ---- The work by GPU, then start ---- */

static bool add_track(struct finding *f, const struct rf_gpu_track *track)
{
    const struct rf_gpu *gpu = rf_gpu_of(f->rec, track->process, track->device);
    const uint32_t id = gpu != NULL ? gpu->id : track->device;
    for (uint32_t i = track->first_op; i < track->first_op + track->n_ops; i++) {
        const struct rf_gpu_op *op = rf_gpu_op_at(f->rec, i);
        if (op->kind == RF_OP_SYNC)
            continue;
        if (rf_grow_array(&f->piece, f->n, &f->room, sizeof(*f->piece)) != RF_OK)
            return false;
        f->piece[f->n++] = (struct piece){op->start_ns, op->end_ns, id, i};
    }
    return true;
}

static int compare_pieces(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    if (x->gpu != y->gpu)
        return x->gpu < y->gpu ? -1 : 1;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return x->op < y->op ? -1 : x->op > y->op;
}

/* ---- Moments ---- */

static enum rf_gpu_moment moment_at(const struct finding *f, int64_t ns)
{
    const bool computes = f->until_ns[COMPUTE] > ns;
    if (f->until_ns[COMMUNICATION] > ns)
        return computes ? RF_GPU_HIDES : RF_GPU_COMMUNICATES;
    return computes ? RF_GPU_COMPUTES : f->until_ns[COPY] > ns ? RF_GPU_COPIES : RF_GPU_IDLES;
}

/* Nothing ran from `from` until this work began. */
static void add_gap(const struct finding *f, struct rf_gpu_busy *busy, int64_t from_ns,
                    const struct piece *next)
{
    const struct rf_gpu_op *op = rf_gpu_op_at(f->rec, next->op);
    const struct rf_call *call =
        op->call != RF_NO_INDEX ? rf_thread_call_at(f->rec, op->thread, op->call) : NULL;
    if (call == NULL || call->start_ns < from_ns) {
        busy->ns[RF_GPU_IDLES] += (uint64_t)next->start_ns - (uint64_t)from_ns;
        return;
    }
    int64_t asked_ns = call->start_ns < next->start_ns ? call->start_ns : next->start_ns;
    busy->ns[RF_GPU_WAITS_FOR_HOST] += (uint64_t)asked_ns - (uint64_t)from_ns;
    busy->ns[RF_GPU_LAUNCHES] += (uint64_t)next->start_ns - (uint64_t)asked_ns;
}

/* From `from` to `to`, in which no work begins. next: what begins then, or NULL. */
static void add_time(const struct finding *f, struct rf_gpu_busy *busy, int64_t from_ns,
                     int64_t to_ns, const struct piece *next)
{
    while (from_ns < to_ns) {
        int64_t until_ns = to_ns;
        for (int c = 0; c < N_CLASSES; c++)
            if (f->until_ns[c] > from_ns && f->until_ns[c] < until_ns)
                until_ns = f->until_ns[c];
        enum rf_gpu_moment moment = moment_at(f, from_ns);
        if (moment == RF_GPU_IDLES && next != NULL)
            add_gap(f, busy, from_ns, next);
        else
            busy->ns[moment] += (uint64_t)until_ns - (uint64_t)from_ns;
        from_ns = until_ns;
    }
}

/* The pieces of one GPU. */
static bool add_gpu(struct finding *f, const struct piece *piece, size_t n)
{
    if (rf_grow_array(&f->busy, f->n_busy, &f->busy_room, sizeof(*f->busy)) != RF_OK)
        return false;
    struct rf_gpu_busy *busy = &f->busy[f->n_busy++];
    *busy = (struct rf_gpu_busy){
        .gpu = piece[0].gpu, .start_ns = piece[0].start_ns, .end_ns = piece[0].end_ns};
    for (int c = 0; c < N_CLASSES; c++)
        f->until_ns[c] = INT64_MIN;
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            add_time(f, busy, piece[i - 1].start_ns, piece[i].start_ns, &piece[i]);
        int64_t *until_ns = &f->until_ns[class_of(f->rec, rf_gpu_op_at(f->rec, piece[i].op))];
        *until_ns = piece[i].end_ns > *until_ns ? piece[i].end_ns : *until_ns;
        busy->end_ns = piece[i].end_ns > busy->end_ns ? piece[i].end_ns : busy->end_ns;
    }
    add_time(f, busy, piece[n - 1].start_ns, busy->end_ns, NULL);
    return true;
}

static bool find(struct finding *f)
{
    for (uint32_t i = 0; i < rf_n_gpu_tracks(f->rec); i++)
        if (!add_track(f, rf_gpu_track_at(f->rec, i)))
            return false;
    if (f->n > 0)
        qsort(f->piece, f->n, sizeof(*f->piece), compare_pieces);
    for (size_t first = 0, i = 1; i <= f->n; i++)
        if (i == f->n || f->piece[i].gpu != f->piece[first].gpu) {
            if (!add_gpu(f, &f->piece[first], i - first))
                return false;
            first = i;
        }
    return true;
}

int rf_gpu_busy_find(const rf_recording *rec, struct rf_gpu_busy **out, size_t *n)
{
    struct finding f = {.rec = rec};
    const bool is_done = find(&f);
    free(f.piece);
    if (!is_done)
        free(f.busy);
    *out = is_done ? f.busy : NULL;
    *n = is_done ? f.n_busy : 0;
    return is_done ? RF_OK : RF_ERR_NO_MEMORY;
}
