/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/gpu_busy.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/grow.h"
#include "model/collectives/collective_names.h"
#include "stats/gpu_idle.h"
#include "summary/collect.h"

enum class { COMPUTE, COMMUNICATION, COPY, N_CLASSES };

/* Where a window begins or ends. */
struct edge {
    int64_t ns;
    size_t window;
    uint32_t gpu;
    bool is_end;
};

struct finding {
    const rf_recording *rec;
    struct rf_gpu_idle idle;
    struct rf_gpu_busy *window;
    struct edge *edge; /* by GPU, time */
    size_t n_edges, next_edge;
    uint64_t ns[RF_N_GPU_MOMENTS]; /* of the GPU so far; only differences are used */
    int64_t until_ns[N_CLASSES];   /* the last end of the class so far */
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

/* ---- Time ---- */

/* Adds a time of one kind; of a gap, its reasons. */
static void add_ns(uint64_t ns[RF_N_GPU_MOMENTS], enum rf_gpu_moment moment, int64_t from_ns,
                   int64_t to_ns, const struct rf_gpu_gap *gap)
{
    if (gap != NULL)
        rf_gpu_gap_add(gap, from_ns, to_ns, ns + RF_GPU_WAITS_FOR_HOST);
    else
        ns[moment] += (uint64_t)to_ns - (uint64_t)from_ns;
}

/* Goes from one time to a later one, and tells the windows that begin or end until then. */
static void spend(struct finding *f, enum rf_gpu_moment moment, int64_t from_ns, int64_t to_ns,
                  const struct rf_gpu_gap *gap)
{
    for (; f->next_edge < f->n_edges && f->edge[f->next_edge].ns <= to_ns; f->next_edge++) {
        const struct edge *edge = &f->edge[f->next_edge];
        struct rf_gpu_busy *window = &f->window[edge->window];
        add_ns(f->ns, moment, from_ns, edge->ns, gap);
        from_ns = edge->ns;
        for (int m = 0; m < RF_N_GPU_MOMENTS; m++)
            window->ns[m] += edge->is_end ? f->ns[m] : -f->ns[m];
    }
    add_ns(f->ns, moment, from_ns, to_ns, gap);
}

static enum rf_gpu_moment moment_at(const struct finding *f, int64_t ns)
{
    const bool computes = f->until_ns[COMPUTE] > ns;
    if (f->until_ns[COMMUNICATION] > ns)
        return computes ? RF_GPU_HIDES : RF_GPU_COMMUNICATES;
    return computes ? RF_GPU_COMPUTES : f->until_ns[COPY] > ns ? RF_GPU_COPIES : RF_GPU_IDLES;
}

/* Nothing ran from idle_ns on, of which from_ns and later counts, until this work began. */
static int spend_gap(struct finding *f, int64_t idle_ns, int64_t from_ns,
                     const struct rf_gpu_piece *next)
{
    struct rf_gpu_gap gap;
    int status = rf_gpu_idle_find(&f->idle, idle_ns, rf_gpu_op_at(f->rec, next->op), &gap);
    if (status == RF_OK)
        spend(f, RF_GPU_IDLES, from_ns, next->start_ns, &gap);
    return status;
}

/* From `from` to `to`, in which no work begins. next: what begins then, or NULL. */
static int spend_until(struct finding *f, int64_t from_ns, int64_t to_ns,
                       const struct rf_gpu_piece *next)
{
    while (from_ns < to_ns) {
        int64_t until_ns = to_ns;
        for (int c = 0; c < N_CLASSES; c++)
            if (f->until_ns[c] > from_ns && f->until_ns[c] < until_ns)
                until_ns = f->until_ns[c];
        enum rf_gpu_moment moment = moment_at(f, from_ns);
        if (moment == RF_GPU_IDLES && next != NULL)
            return spend_gap(f, from_ns, from_ns, next);
        spend(f, moment, from_ns, until_ns, NULL);
        from_ns = until_ns;
    }
    return RF_OK;
}

/* ---- GPUs ---- */

/* The pieces of one GPU, up to the end of the last one: *end_ns. */
static int spend_pieces(struct finding *f, const struct rf_gpu_piece *piece, size_t n,
                        int64_t *end_ns)
{
    int status = RF_OK;
    *end_ns = piece[0].end_ns;
    for (int c = 0; c < N_CLASSES; c++)
        f->until_ns[c] = INT64_MIN;
    for (size_t i = 0; i < n && status == RF_OK; i++) {
        if (i > 0)
            status = spend_until(f, piece[i - 1].start_ns, piece[i].start_ns, &piece[i]);
        int64_t *until_ns = &f->until_ns[class_of(f->rec, rf_gpu_op_at(f->rec, piece[i].op))];
        *until_ns = piece[i].end_ns > *until_ns ? piece[i].end_ns : *until_ns;
        *end_ns = piece[i].end_ns > *end_ns ? piece[i].end_ns : *end_ns;
    }
    return status == RF_OK ? spend_until(f, piece[n - 1].start_ns, *end_ns, NULL) : status;
}

int rf_gpu_busy_find(const rf_recording *rec, struct rf_gpu_busy **out, size_t *n)
{
    struct finding f = {.rec = rec};
    struct rf_gpu_pieces pieces;
    size_t room = 0;
    *out = NULL;
    *n = 0;
    int status = rf_gpu_pieces_init(&pieces, rec);
    if (status == RF_OK)
        status = rf_gpu_idle_init(&f.idle, rec);
    for (size_t first = 0, end; first < pieces.n && status == RF_OK; first = end) {
        const struct rf_gpu_piece *piece = &pieces.piece[first];
        struct rf_gpu_busy busy = {.gpu = piece->gpu, .start_ns = piece->start_ns};
        end = rf_gpu_pieces_end(&pieces, first);
        status = rf_grow_array(out, *n, &room, sizeof(**out));
        if (status == RF_OK)
            status = spend_pieces(&f, piece, end - first, &busy.end_ns);
        for (int m = 0; m < RF_N_GPU_MOMENTS; m++) {
            busy.ns[m] = f.ns[m];
            f.ns[m] = 0;
        }
        if (status == RF_OK)
            (*out)[(*n)++] = busy;
    }
    rf_gpu_idle_release(&f.idle);
    rf_gpu_pieces_release(&pieces);
    return status;
}

/* ---- Windows ---- */

static int compare_edges(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    if (x->gpu != y->gpu)
        return x->gpu < y->gpu ? -1 : 1;
    if (x->ns != y->ns)
        return x->ns < y->ns ? -1 : 1;
    return x->window < y->window ? -1 : x->window > y->window;
}

static int list_edges(struct finding *f, size_t n_windows)
{
    f->edge = malloc((2 * n_windows + 1) * sizeof(*f->edge));
    if (f->edge == NULL)
        return RF_ERR_NO_MEMORY;
    for (size_t i = 0; i < n_windows; i++) {
        const struct rf_gpu_busy *window = &f->window[i];
        f->edge[2 * i] = (struct edge){window->start_ns, i, window->gpu, false};
        f->edge[2 * i + 1] = (struct edge){window->end_ns, i, window->gpu, true};
    }
    qsort(f->edge, 2 * n_windows, sizeof(*f->edge), compare_edges);
    return RF_OK;
}

/* One GPU, of which the edges up to n_edges are. */
static int fill_gpu(struct finding *f, const struct rf_gpu_piece *piece, size_t n)
{
    const int64_t first_ns = f->edge[f->next_edge].ns;
    int64_t end_ns;
    int status = RF_OK;
    if (first_ns < piece[0].start_ns)
        status = spend_gap(f, INT64_MIN, first_ns, &piece[0]);
    if (status == RF_OK)
        status = spend_pieces(f, piece, n, &end_ns);
    if (status == RF_OK && f->next_edge < f->n_edges)
        spend(f, RF_GPU_WAITS_FOR_HOST, end_ns, f->edge[f->n_edges - 1].ns, NULL);
    return status;
}

static int fill(struct finding *f, const struct rf_gpu_pieces *pieces, size_t n_windows)
{
    int status = list_edges(f, n_windows);
    for (size_t first = 0, end; first < pieces->n && status == RF_OK; first = end) {
        const uint32_t gpu = pieces->piece[first].gpu;
        end = rf_gpu_pieces_end(pieces, first);
        while (f->n_edges < 2 * n_windows && f->edge[f->n_edges].gpu <= gpu)
            f->n_edges++;
        if (f->next_edge < f->n_edges)
            status = fill_gpu(f, &pieces->piece[first], end - first);
        f->next_edge = f->n_edges;
    }
    return status;
}

int rf_gpu_busy_fill(const rf_recording *rec, const struct rf_gpu_pieces *pieces,
                     struct rf_gpu_busy *window, size_t n)
{
    struct finding f = {.rec = rec, .window = window};
    int status = rf_gpu_idle_init(&f.idle, rec);
    if (status == RF_OK)
        status = fill(&f, pieces, n);
    rf_gpu_idle_release(&f.idle);
    free(f.edge);
    return status;
}

/* ---- Of summaries ---- */

const char *rf_gpu_moment_name(int moment)
{
    static const char *const names[RF_N_GPU_MOMENTS] = {
        [RF_GPU_COMPUTES] = "compute",
        [RF_GPU_HIDES] = "communication hidden",
        [RF_GPU_COMMUNICATES] = "communication exposed",
        [RF_GPU_COPIES] = "copies",
        [RF_GPU_WAITS_FOR_HOST] = "idle, waiting for the host",
        [RF_GPU_LAUNCHES] = "idle, launching",
        [RF_GPU_IDLES] = "idle, other",
    };
    return names[moment];
}

void rf_collect_gpu_time(struct rf_collecting *c, const struct rf_gpu_busy *busy)
{
    for (int m = 0; m < RF_N_GPU_MOMENTS; m++) {
        struct rf_tally_key key = RF_TALLY_NO_KEY;
        key.kind = RF_TALLY_GPU_TIME;
        key.name = rf_collect_text(c, rf_gpu_moment_name(m));
        key.device = busy->gpu;
        rf_collect_tally_sum(c, &key, 0, busy->ns[m]);
    }
}
