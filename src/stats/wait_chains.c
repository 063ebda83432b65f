/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/wait_chains.h"

#include <stdlib.h>

#include "base/grow.h"
#include "stats/gpu_pieces.h"

#define VISITS 64 /* per piece of work */

static int compare_ends(const void *a, const void *b)
{
    const struct rf_work_end *x = a, *y = b;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    if (x->end_ns != y->end_ns)
        return x->end_ns < y->end_ns ? -1 : 1;
    return x->op < y->op ? -1 : x->op > y->op;
}

int rf_wait_chains_init(struct rf_wait_chains *chains, const rf_recording *rec)
{
    size_t n = 0;
    const struct rf_gpu_op *op = rf_gpu_ops(rec, &n);
    *chains = (struct rf_wait_chains){.rec = rec};
    chains->n_visits = VISITS * (uint64_t)n;
    for (size_t i = 0; i < n; i++) {
        if (op[i].kind == RF_OP_SYNC)
            continue;
        if (rf_grow_array(&chains->end, chains->n, &chains->room, sizeof(*chains->end)) != RF_OK)
            return RF_ERR_NO_MEMORY;
        chains->end[chains->n++] = (struct rf_work_end){
            op[i].end_ns, rf_gpu_track_at(rec, op[i].track)->process, (uint32_t)i};
    }
    if (chains->n > 0)
        qsort(chains->end, chains->n, sizeof(*chains->end), compare_ends);
    return RF_OK;
}

void rf_wait_chains_release(struct rf_wait_chains *chains)
{
    free(chains->end);
}

/* Behind the last work of a process that ends up to a time. */
static size_t find_end(const struct rf_wait_chains *chains, uint32_t process, int64_t ns)
{
    const struct rf_work_end key = {ns, process, UINT32_MAX};
    size_t low = 0;
    for (size_t n = chains->n; n > 0;) {
        size_t half = n / 2;
        bool is_before = compare_ends(&chains->end[low + half], &key) <= 0;
        low = is_before ? low + half + 1 : low;
        n = is_before ? n - half - 1 : half;
    }
    return low;
}

/* What a call inside the wait asked for belongs to it: it is the same copy. */
static bool is_in_scope(const struct rf_wait_chains *chains, const struct rf_wait_scope *scope,
                        const struct rf_one_wait *wait, const struct rf_gpu_op *op)
{
    const struct rf_gpu_track *track = rf_gpu_track_at(chains->rec, op->track);
    if ((scope->context != RF_NO_INDEX && track->context != scope->context) ||
        (scope->stream != RF_NO_INDEX && track->stream != scope->stream))
        return false;
    const struct rf_call *call = rf_call_of_work(chains->rec, op);
    return call == NULL || call->start_ns < scope->before_ns ||
           (op->thread == wait->thread && call->start_ns >= wait->start_ns &&
            call->start_ns <= wait->end_ns);
}

int rf_wait_chain_find(struct rf_wait_chains *chains, const struct rf_wait_scope *scope,
                       const struct rf_one_wait *wait,
                       int (*add)(void *context, const struct rf_gpu_op *op, uint64_t ns),
                       void *context, bool *is_cut)
{
    const int64_t start_ns = wait->start_ns, end_ns = wait->end_ns;
    size_t first = find_end(chains, scope->process, start_ns);
    size_t i = find_end(chains, scope->process, end_ns);
    int64_t at_ns = end_ns;
    int status = RF_OK;
    *is_cut = i - first > chains->n_visits;
    if (*is_cut)
        return RF_OK;
    chains->n_visits -= i - first;
    while (i > first && at_ns > start_ns && status == RF_OK) {
        const struct rf_gpu_op *op = rf_gpu_op_at(chains->rec, chains->end[--i].op);
        if (op->end_ns > at_ns || !is_in_scope(chains, scope, wait, op))
            continue;
        const int64_t from_ns = op->start_ns > start_ns ? op->start_ns : start_ns;
        if (op->end_ns < at_ns)
            status = add(context, NULL, (uint64_t)at_ns - (uint64_t)op->end_ns);
        if (status == RF_OK)
            status = add(context, op, (uint64_t)op->end_ns - (uint64_t)from_ns);
        at_ns = from_ns;
    }
    if (status == RF_OK && at_ns > start_ns)
        status = add(context, NULL, (uint64_t)at_ns - (uint64_t)start_ns);
    return status;
}
