/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/covered_calls.h"

#include <stdlib.h>

#include "model/private_access.h"

const struct rf_call *rf_call_list_at(const struct rf_call_list *list, size_t i)
{
    return list->order != NULL ? list->order[i] : &list->call[i];
}

/* ---- Lists ---- */

static int compare_calls(const void *a, const void *b)
{
    const struct rf_call *x = *(const struct rf_call *const *)a;
    const struct rf_call *y = *(const struct rf_call *const *)b;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Fills n_before of a list, which takes n + 1 elements of *n_before. */
static void count_work(struct rf_call_list *list, const rf_recording *rec, uint64_t **n_before)
{
    size_t n_ops = 0;
    const struct rf_gpu_op *op = rf_gpu_ops(rec, &n_ops);
    list->n_before = *n_before;
    list->n_before[0] = 0;
    for (size_t c = 0; c < list->n; c++) {
        uint32_t i = rf_call_list_at(list, c)->first_op;
        uint64_t n = i >= n_ops;
        for (; i < n_ops; i = op[i].next_op)
            n++;
        list->n_before[c + 1] = list->n_before[c] + n;
    }
    *n_before += list->n + 1;
}

/* Lists the threads' calls by process. */
static void list_processes(struct rf_covered_calls *calls, const rf_recording *rec)
{
    const struct rf_call **next = calls->order;
    for (uint32_t t = 0; t < rf_n_threads(rec); t++)
        calls->of_process[rf_thread_at(rec, t)->process].n += calls->of_thread[t].n;
    for (uint32_t p = 0; p < rf_n_processes(rec); p++) {
        calls->of_process[p].order = next;
        next += calls->of_process[p].n;
        calls->of_process[p].n = 0;
    }
    for (uint32_t t = 0; t < rf_n_threads(rec); t++) {
        struct rf_call_list *list = &calls->of_process[rf_thread_at(rec, t)->process];
        next = calls->order + (list->order - calls->order);
        for (size_t c = 0; c < calls->of_thread[t].n; c++)
            next[list->n++] = &calls->of_thread[t].call[c];
    }
    for (uint32_t p = 0; p < rf_n_processes(rec); p++) {
        struct rf_call_list *list = &calls->of_process[p];
        qsort(calls->order + (list->order - calls->order), list->n, sizeof(*calls->order),
              compare_calls);
    }
}

int rf_covered_calls_init(struct rf_covered_calls *calls, const rf_recording *rec, bool by_process)
{
    uint32_t n_threads = rf_n_threads(rec);
    uint32_t n_processes = by_process ? rf_n_processes(rec) : 0;
    size_t n_calls = 0;
    *calls = (struct rf_covered_calls){.of_thread = NULL};
    calls->of_thread = calloc((size_t)n_threads + 1, sizeof(*calls->of_thread));
    if (calls->of_thread == NULL)
        return RF_ERR_NO_MEMORY;
    for (uint32_t t = 0; t < n_threads; t++) {
        calls->of_thread[t].call = rf_recording_calls(rec, t, &calls->of_thread[t].n);
        n_calls += calls->of_thread[t].n;
    }
    calls->n_before = malloc((n_calls * (by_process ? 2 : 1) + n_threads + n_processes + 1) *
                             sizeof(*calls->n_before));
    if (calls->n_before == NULL)
        return RF_ERR_NO_MEMORY;
    uint64_t *n_before = calls->n_before;
    for (uint32_t t = 0; t < n_threads; t++)
        count_work(&calls->of_thread[t], rec, &n_before);
    if (!by_process)
        return RF_OK;
    calls->of_process = calloc((size_t)n_processes + 1, sizeof(*calls->of_process));
    calls->order = malloc((n_calls + 1) * sizeof(*calls->order));
    if (calls->of_process == NULL || calls->order == NULL)
        return RF_ERR_NO_MEMORY;
    list_processes(calls, rec);
    for (uint32_t p = 0; p < n_processes; p++)
        count_work(&calls->of_process[p], rec, &n_before);
    return RF_OK;
}

void rf_covered_calls_release(struct rf_covered_calls *calls)
{
    free(calls->of_thread);
    free(calls->of_process);
    free(calls->order);
    free(calls->n_before);
}

const struct rf_call_list *rf_covered_calls_of(const struct rf_covered_calls *calls,
                                               const rf_recording *rec,
                                               const struct rf_projection *projection)
{
    if (!projection->by_process)
        return &calls->of_thread[projection->thread];
    return &calls->of_process[rf_thread_at(rec, projection->thread)->process];
}

/* ---- In a range ---- */

/* The first call that starts at a time or after it, or, with is_after, after it. */
static size_t find_call(const struct rf_call_list *list, int64_t start_ns, bool is_after)
{
    size_t low = 0;
    size_t n = list->n;
    while (n > 0) {
        size_t half = n / 2;
        int64_t at_ns = rf_call_list_at(list, low + half)->start_ns;
        if (at_ns < start_ns || (is_after && at_ns == start_ns)) {
            low += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return low;
}

void rf_call_list_find(const struct rf_call_list *list, const struct rf_event *range, size_t *first,
                       size_t *end)
{
    *first = find_call(list, range->start_ns, false);
    *end = find_call(list, range->end_ns, true);
}
