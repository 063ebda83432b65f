/* SPDX-License-Identifier: Apache-2.0 */
/* The final order: processes and threads by their ids, events and work by time, links between
 * them. */
#include <stdlib.h>
#include <string.h>

#include "import/nsys_load.h"
#include "model/counters.h"

/* ---- Order ---- */

struct order {
    uint64_t key;
    uint32_t index;
};

static int compare_order(const void *left, const void *right)
{
    const struct order *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

/* Sorts order and returns the new place of every index; NULL when out of memory. */
static uint32_t *sort_order(struct order *order, uint32_t n)
{
    uint32_t *place = malloc(((size_t)n + 1) * sizeof(*place));
    if (place == NULL)
        return NULL;
    qsort(order, n, sizeof(*order), compare_order);
    for (uint32_t i = 0; i < n; i++)
        place[order[i].index] = i;
    return place;
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a == RF_NO_TIME || (b != RF_NO_TIME && b < a) ? b : a;
}

/* ---- Processes ---- */

/* A process of several tables; its place among the others is by its id. */
static int list_processes(struct nsys_load *load, struct order *order, uint32_t **place)
{
    rf_recording *rec = load->rec;
    uint32_t n = load->n_processes;
    for (uint32_t i = 0; i < n; i++)
        order[i] = (struct order){load->process[i].key, i};
    *place = sort_order(order, n);
    rec->process = calloc((size_t)n + 1, sizeof(*rec->process));
    if (*place == NULL || rec->process == NULL)
        return RF_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < n; i++) {
        const struct nsys_process *from = &load->process[order[i].index];
        rec->process[i] = (struct rf_process){.pid = from->pid,
                                              .parent = RF_NO_INDEX,
                                              .name = from->name,
                                              .exe = RF_NO_STRING,
                                              .command = from->name,
                                              .cwd = RF_NO_STRING,
                                              .first_ns = RF_NO_TIME,
                                              .exit_ns = RF_NO_TIME};
    }
    rec->n_processes = n;
    for (uint32_t i = 0; i < rec->n_domains; i++)
        rec->domain[i].process = (*place)[rec->domain[i].process];
    for (uint32_t i = 0; i < rec->n_tracks; i++)
        rec->track[i].process = (*place)[rec->track[i].process];
    return RF_OK;
}

/* ---- Threads ---- */

/* What was open when the capture ended gets its end there. */
static int finish_events(struct nsys_load *load, struct nsys_thread *thread)
{
    rf_recording *rec = load->rec;
    int status = RF_OK, is_unsorted = thread->is_unsorted;
    for (size_t i = 0; i < thread->n_events; i++) {
        struct rf_event *event = &thread->event[i];
        if (event->cut == RF_CUT_NONE)
            continue;
        event->end_ns = load->last_ns;
        is_unsorted = 1; /* it can enclose one that starts with it */
        if (event->link != RF_NO_INDEX)
            rec->start_end[event->link].end_thread = RF_NO_INDEX; /* its own, see list_threads() */
    }
    if (is_unsorted)
        status = rf_sort_events(thread->event, thread->n_events);
    for (size_t i = 0, end; is_unsorted && i < thread->n_events && status == RF_OK; i = end) {
        for (end = i + 1;
             end < thread->n_events && thread->event[end].start_ns == thread->event[i].start_ns;)
            end++;
        if (end - i > 1)
            status = rf_sort_enclosing(&thread->event[i], end - i);
    }
    return status;
}

static void take_thread(struct nsys_load *load, struct nsys_thread *from, uint32_t to,
                        const uint32_t *process_place)
{
    rf_recording *rec = load->rec;
    uint32_t process = process_place[from->process];
    int64_t first_ns = from->n_events > 0 ? from->event[0].start_ns : RF_NO_TIME;
    int64_t *process_ns = &rec->process[process].first_ns;
    *process_ns = earlier(*process_ns, first_ns);
    if (from->n_calls > 0)
        *process_ns = earlier(*process_ns, from->call[0].start_ns);
    rec->thread[to] = (struct rf_thread){.process = process,
                                         .tid = from->tid,
                                         .serial = 1,
                                         .name = from->name,
                                         .is_named = from->is_named,
                                         .first_ns = first_ns,
                                         .end_ns = RF_NO_TIME,
                                         .n_events = from->n_events};
    if (to > 0 && rec->thread[to - 1].process == process)
        rec->thread[to].serial = rec->thread[to - 1].serial + 1;
    rec->events[to] = (struct rf_thread_events){from->event, from->n_events, from->event};
    rec->calls[to] = (struct rf_thread_calls){from->call, from->n_calls};
    for (size_t i = 0; i < from->n_events; i++)
        if (from->event[i].link != RF_NO_INDEX &&
            rec->start_end[from->event[i].link].end_thread == RF_NO_INDEX)
            rec->start_end[from->event[i].link].end_thread = to;
    from->event = NULL;
    from->call = NULL;
}

static int list_threads(struct nsys_load *load, struct order *order, const uint32_t *process_place,
                        uint32_t **place)
{
    rf_recording *rec = load->rec;
    uint32_t n = load->n_threads;
    int status = RF_OK;
    for (uint32_t i = 0; i < n && status == RF_OK; i++) {
        const struct nsys_thread *thread = &load->thread[i];
        order[i] = (struct order){(uint64_t)process_place[thread->process] << 32 | thread->tid, i};
        status = finish_events(load, &load->thread[i]);
    }
    rec->thread = calloc((size_t)n + 1, sizeof(*rec->thread));
    rec->events = calloc((size_t)n + 1, sizeof(*rec->events));
    rec->calls = calloc((size_t)n + 1, sizeof(*rec->calls));
    if (status != RF_OK || rec->thread == NULL || rec->events == NULL || rec->calls == NULL)
        return RF_ERR_NO_MEMORY;
    *place = sort_order(order, n);
    if (*place == NULL)
        return RF_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < rec->n_start_end; i++)
        if (rec->start_end[i].end_thread != RF_NO_INDEX)
            rec->start_end[i].end_thread = (*place)[rec->start_end[i].end_thread];
    rec->n_threads = n;
    for (uint32_t i = 0; i < n; i++)
        take_thread(load, &load->thread[order[i].index], i, process_place);
    return RF_OK;
}

/* ---- GPU work ---- */

#define MANY_OPS ((size_t)2 << 20) /* a copy of them costs over 100 MB */

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

/* Sorts the tracks, and counts their work. place: the new index of each. */
static int sort_tracks(rf_recording *rec, uint32_t *place)
{
    uint32_t n = rec->n_tracks, first = 0;
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
    for (size_t i = 0; i < rec->n_ops; i++) {
        rec->op[i].track = place[rec->op[i].track];
        rec->track[rec->op[i].track].n_ops++;
    }
    for (uint32_t i = 0; i < n; i++) {
        rec->track[i].first_op = first;
        first += rec->track[i].n_ops;
    }
    return RF_OK;
}

/* Brings the work of a track together, in the order in which it was read. */
static int group_small(rf_recording *rec)
{
    struct rf_gpu_op *sorted = malloc((rec->n_ops + 1) * sizeof(*sorted));
    uint32_t *next = malloc(((size_t)rec->n_tracks + 1) * sizeof(*next));
    if (sorted != NULL && next != NULL) {
        for (uint32_t i = 0; i < rec->n_tracks; i++)
            next[i] = rec->track[i].first_op;
        for (size_t i = 0; i < rec->n_ops; i++)
            sorted[next[rec->op[i].track]++] = rec->op[i];
        free(rec->op);
        rec->op = sorted;
        sorted = NULL;
    }
    int status = sorted == NULL && next != NULL ? RF_OK : RF_ERR_NO_MEMORY;
    free(sorted);
    free(next);
    return status;
}

/* The same in place, where it is most of what an import holds. */
static int group_large(rf_recording *rec)
{
    uint32_t *to = malloc((rec->n_ops + 1) * sizeof(*to));
    uint32_t *next = malloc(((size_t)rec->n_tracks + 1) * sizeof(*next));
    if (to == NULL || next == NULL) {
        free(to);
        free(next);
        return RF_ERR_NO_MEMORY;
    }
    for (uint32_t i = 0; i < rec->n_tracks; i++)
        next[i] = rec->track[i].first_op;
    for (size_t i = 0; i < rec->n_ops; i++)
        to[i] = next[rec->op[i].track]++;
    for (uint32_t i = 0; i < rec->n_ops; i++) {
        while (to[i] != i) {
            uint32_t k = to[i];
            struct rf_gpu_op op = rec->op[k];
            rec->op[k] = rec->op[i];
            rec->op[i] = op;
            to[i] = to[k];
            to[k] = k;
        }
    }
    free(to);
    free(next);
    return RF_OK;
}

static int compare_ops(const void *left, const void *right)
{
    const struct rf_gpu_op *a = left, *b = right;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return a->end_ns > b->end_ns ? -1 : a->end_ns < b->end_ns;
}

static int sort_ops(rf_recording *rec)
{
    int status = rec->n_ops < MANY_OPS ? group_small(rec) : group_large(rec);
    for (uint32_t t = 0; t < rec->n_tracks && status == RF_OK; t++) {
        struct rf_gpu_op *op = &rec->op[rec->track[t].first_op];
        size_t n = rec->track[t].n_ops, i = 1;
        while (i < n && compare_ops(&op[i - 1], &op[i]) <= 0)
            i++;
        if (i < n)
            status = nsys_sort(op, n, sizeof(*op), compare_ops);
    }
    return status;
}

/* The work of a call as a list. Waits are not work: they know their call, and are in no list. */
static void link_ops(rf_recording *rec, const uint32_t *thread_place)
{
    for (size_t i = rec->n_ops; i-- > 0;) {
        struct rf_gpu_op *op = &rec->op[i];
        if (op->thread == RF_NO_INDEX)
            continue;
        op->thread = thread_place[op->thread];
        if (op->kind == RF_OP_SYNC)
            continue;
        struct rf_call *call = &rec->calls[op->thread].call[op->call];
        op->next_op = call->first_op;
        call->first_op = (uint32_t)i;
    }
}

static int finish_ops(struct nsys_load *load, const uint32_t *thread_place)
{
    rf_recording *rec = load->rec;
    uint32_t *place = malloc(((size_t)rec->n_tracks + 1) * sizeof(*place));
    int status = place != NULL ? sort_tracks(rec, place) : RF_ERR_NO_MEMORY;
    free(place);
    if (status == RF_OK)
        status = sort_ops(rec);
    if (status != RF_OK)
        return status;
    link_ops(rec, thread_place);
    for (uint32_t i = 0; i < rec->n_tracks; i++) {
        struct rf_process *process = &rec->process[rec->track[i].process];
        process->first_ns = earlier(process->first_ns, rec->op[rec->track[i].first_op].start_ns);
    }
    rec->kernel = load->kernels.record;
    rec->n_kernels = load->kernels.n;
    rec->transfer = load->transfers.record;
    rec->n_transfers = load->transfers.n;
    rec->wait = load->waits.record;
    rec->n_waits = load->waits.n;
    load->kernels.record = load->transfers.record = load->waits.record = NULL;
    return RF_OK;
}

int nsys_finish(struct nsys_load *load)
{
    rf_recording *rec = load->rec;
    uint32_t n = load->n_threads > load->n_processes ? load->n_threads : load->n_processes;
    struct order *order = malloc(((size_t)n + 1) * sizeof(*order));
    uint32_t *process_place = NULL, *thread_place = NULL;
    int status = order != NULL ? RF_OK : RF_ERR_NO_MEMORY;
    if (load->last_ns == RF_NO_TIME)
        load->last_ns = 0;
    if (status == RF_OK)
        status = list_processes(load, order, &process_place);
    if (status == RF_OK)
        status = list_threads(load, order, process_place, &thread_place);
    if (status == RF_OK)
        status = finish_ops(load, thread_place);
    if (status == RF_OK)
        status = nsys_finish_extras(load, process_place, thread_place);
    free(order);
    free(process_place);
    free(thread_place);
    if (status != RF_OK)
        return nsys_no_memory(load);
    for (uint32_t i = 0; i < rec->n_processes; i++)
        if (rec->process[i].first_ns == RF_NO_TIME)
            rec->process[i].first_ns = 0;
    rec->info.end_ns = load->last_ns;
    return rf_recording_finish_counters(rec) == RF_OK ? RF_OK : nsys_no_memory(load);
}
