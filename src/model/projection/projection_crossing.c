/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges that cross: those of several domains on one thread, or start/end ranges. Two questions,
 * each answered by one walk over everything by start and a binary indexed tree over the ends, which
 * only ever grows:
 *
 *     what lies in a range    from the last start to the first: the tree holds the calls that start
 *                             no earlier; the sum over those that end no later
 *     what lies over a call   from the first start to the last: the tree holds the ranges that
 * start or a range              no later; the shortest of those that end no earlier */
#include "model/projection/projection_crossing.h"

#include <stdlib.h>
#include <string.h>

#include "model/projection/projection_sweep.h"
#include "model/projection/range_work.h"

/* ---- Ends in order ---- */

static int compare_ends(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static void sort_ends(int64_t *end, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (end[i] < end[i - 1]) {
            qsort(end, n, sizeof(*end), compare_ends);
            return;
        }
}

/* How many of the ends are smaller than value. */
static size_t count_below(const int64_t *end, size_t n, int64_t value)
{
    size_t low = 0;
    while (n > 0) {
        size_t half = n / 2;
        if (end[low + half] < value) {
            low += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return low;
}

/* ---- What lies in a range ---- */

struct work_tree {
    int64_t *end; /* of all calls, sorted */
    size_t n;
    struct rf_work *node; /* from 1 */
};

static size_t count_upto(const struct work_tree *tree, int64_t value)
{
    return value == INT64_MAX ? tree->n : count_below(tree->end, tree->n, value + 1);
}

static void work_tree_add(struct work_tree *tree, int64_t end_ns, const struct rf_work *work)
{
    for (size_t i = count_upto(tree, end_ns); i <= tree->n; i += i & (~i + 1))
        rf_work_add(&tree->node[i], work);
}

static struct rf_work work_tree_sum(const struct work_tree *tree, int64_t end_ns)
{
    struct rf_work sum = rf_no_work();
    for (size_t i = count_upto(tree, end_ns); i > 0; i -= i & (~i + 1))
        rf_work_add(&sum, &tree->node[i]);
    return sum;
}

static void add_call(struct work_tree *tree, const struct rf_calls *calls,
                     const struct rf_call *call)
{
    const struct rf_work work = rf_work_of_call(call, calls->op, calls->n_ops, calls->kernels_only);
    if (work.n_calls > 0)
        work_tree_add(tree, call->end_ns, &work);
}

int rf_work_inside(const struct rf_span *span, size_t n_spans, const struct rf_calls *calls,
                   struct rf_work *out)
{
    struct work_tree tree = {.n = calls->n};
    tree.end = malloc((calls->n + 1) * sizeof(*tree.end));
    tree.node = malloc((calls->n + 1) * sizeof(*tree.node));
    int status = tree.end != NULL && tree.node != NULL ? RF_OK : RF_ERR_NO_MEMORY;
    for (size_t i = 0; i < calls->n && status == RF_OK; i++)
        tree.end[i] = calls->call[i]->end_ns;
    for (size_t i = 0; i <= calls->n && status == RF_OK; i++)
        tree.node[i] = rf_no_work();
    if (status == RF_OK) {
        sort_ends(tree.end, calls->n);
        size_t c = calls->n;
        for (size_t i = n_spans; i-- > 0;) {
            for (; c > 0 && calls->call[c - 1]->start_ns >= span[i].start_ns; c--)
                add_call(&tree, calls, calls->call[c - 1]);
            out[i] = work_tree_sum(&tree, span[i].end_ns);
        }
    }
    free(tree.end);
    free(tree.node);
    return status;
}

/* ---- What lies over a call or a range ---- */

struct span_tree {
    const struct rf_span *span;
    int64_t *end; /* of all spans, sorted */
    size_t n;
    uint32_t *node; /* from 1: the best span, or RF_NO_INDEX */
};

/* The shorter one; of equals the one that stands behind. */
static uint32_t inner_span(const struct span_tree *tree, uint32_t a, uint32_t b)
{
    if (a == RF_NO_INDEX || b == RF_NO_INDEX)
        return a == RF_NO_INDEX ? b : a;
    uint64_t length_a = (uint64_t)tree->span[a].end_ns - (uint64_t)tree->span[a].start_ns;
    uint64_t length_b = (uint64_t)tree->span[b].end_ns - (uint64_t)tree->span[b].start_ns;
    if (length_a != length_b)
        return length_a < length_b ? a : b;
    return a > b ? a : b;
}

static void span_tree_add(struct span_tree *tree, uint32_t span)
{
    size_t place = tree->n - count_below(tree->end, tree->n, tree->span[span].end_ns);
    for (size_t i = place; i <= tree->n; i += i & (~i + 1))
        tree->node[i] = inner_span(tree, tree->node[i], span);
}

/* The innermost one that ends at end_ns or later. */
static uint32_t span_tree_find(const struct span_tree *tree, int64_t end_ns)
{
    uint32_t found = RF_NO_INDEX;
    for (size_t i = tree->n - count_below(tree->end, tree->n, end_ns); i > 0; i -= i & (~i + 1))
        found = inner_span(tree, found, tree->node[i]);
    return found;
}

static void own_call(struct rf_sweep *sweep, const struct span_tree *tree,
                     const struct rf_call *call)
{
    uint32_t owner = span_tree_find(tree, call->end_ns);
    rf_sweep_own(sweep, call, owner != RF_NO_INDEX ? &sweep->span[owner] : NULL);
}

static int find_owners(struct rf_sweep *sweep)
{
    size_t n = sweep->n_spans;
    struct span_tree tree = {.span = sweep->span, .n = n};
    tree.end = malloc((n + 1) * sizeof(*tree.end));
    tree.node = malloc((n + 1) * sizeof(*tree.node));
    int status = tree.end != NULL && tree.node != NULL ? RF_OK : RF_ERR_NO_MEMORY;
    if (status == RF_OK) {
        for (size_t i = 0; i < n; i++)
            tree.end[i] = sweep->span[i].end_ns;
        sort_ends(tree.end, n);
        memset(tree.node, 0xff, (n + 1) * sizeof(*tree.node)); /* RF_NO_INDEX */
        size_t c = 0;
        for (uint32_t i = 0; i < n; i++) {
            for (; c < sweep->n_calls && sweep->call[c].start_ns < sweep->span[i].start_ns; c++)
                own_call(sweep, &tree, &sweep->call[c]);
            sweep->parent[i] = span_tree_find(&tree, sweep->span[i].end_ns);
            span_tree_add(&tree, i);
        }
        for (; c < sweep->n_calls; c++)
            own_call(sweep, &tree, &sweep->call[c]);
    }
    free(tree.end);
    free(tree.node);
    return status;
}

int rf_sweep_crossing(struct rf_sweep *sweep)
{
    size_t n = 0;
    for (size_t i = 0; i < sweep->n_calls; i++)
        n += sweep->call[i].first_op < sweep->n_ops;
    const struct rf_call **call = malloc((n + 1) * sizeof(*call));
    if (call == NULL)
        return RF_ERR_NO_MEMORY;
    n = 0;
    for (size_t i = 0; i < sweep->n_calls; i++)
        if (sweep->call[i].first_op < sweep->n_ops)
            call[n++] = &sweep->call[i];
    const struct rf_calls calls = {call, n, sweep->op, sweep->n_ops, sweep->kernels_only};
    int status = rf_work_inside(sweep->span, sweep->n_spans, &calls, sweep->work);
    free(call);
    return status == RF_OK ? find_owners(sweep) : status;
}
