/* SPDX-License-Identifier: Apache-2.0 */
#include "export/json_lanes.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* Linux gives pids and tids below 2^22. */
#define FIRST_FREE_ID ((uint32_t)1 << 30)

struct id_order {
    uint32_t group; /* process index, or 0 for processes themselves */
    uint32_t id;
    uint32_t index;
};

static int compare_ids(const void *a, const void *b)
{
    const struct id_order *x = a;
    const struct id_order *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* The first of equal ids keeps it. */
static void give_ids(struct rf_lanes *lanes, struct id_order *order, size_t n, uint32_t *ids)
{
    if (n > 0)
        qsort(order, n, sizeof(*order), compare_ids);
    for (size_t i = 0; i < n; i++) {
        int is_taken =
            i > 0 && order[i].group == order[i - 1].group && order[i].id == order[i - 1].id;
        int is_usable = order[i].id != 0 && order[i].id < FIRST_FREE_ID;
        ids[order[i].index] = is_usable && !is_taken ? order[i].id : lanes->next_id++;
    }
}

int rf_lanes_init(struct rf_lanes *lanes, const rf_recording *rec, struct rf_err *err)
{
    size_t n_processes = rf_n_processes(rec);
    size_t n_threads = rf_n_threads(rec);
    size_t n = n_processes > n_threads ? n_processes : n_threads;
    memset(lanes, 0, sizeof(*lanes));
    lanes->next_id = FIRST_FREE_ID;
    lanes->pids = calloc(n_processes + 1, sizeof(*lanes->pids));
    lanes->tids = calloc(n_threads + 1, sizeof(*lanes->tids));
    struct id_order *order = calloc(n + 1, sizeof(*order));
    if (lanes->pids == NULL || lanes->tids == NULL || order == NULL) {
        free(order);
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    }
    for (uint32_t i = 0; i < n_processes; i++)
        order[i] = (struct id_order){0, rf_process_at(rec, i)->pid, i};
    give_ids(lanes, order, n_processes, lanes->pids);
    for (uint32_t i = 0; i < n_threads; i++) {
        const struct rf_thread *thread = rf_thread_at(rec, i);
        order[i] = (struct id_order){thread->process, thread->tid, i};
    }
    give_ids(lanes, order, n_threads, lanes->tids);
    free(order);
    return RF_OK;
}

void rf_lanes_begin_thread(struct rf_lanes *lanes)
{
    for (int i = 0; i < lanes->n_lanes; i++) {
        lanes->lanes[i].n = 0;
        lanes->lanes[i].tid = 0;
    }
    lanes->n_lanes = 1;
}

static int push_end(struct rf_lane *lane, int64_t end_ns)
{
    if (lane->n == lane->capacity) {
        size_t capacity = lane->capacity * 2 + 32;
        int64_t *grown = realloc(lane->ends, capacity * sizeof(*grown));
        if (grown == NULL)
            return 0;
        lane->ends = grown;
        lane->capacity = capacity;
    }
    lane->ends[lane->n++] = end_ns;
    return 1;
}

int rf_lanes_place(struct rf_lanes *lanes, int64_t start_ns, int64_t end_ns, struct rf_err *err)
{
    for (int i = 0; i < RF_MAX_LANES; i++) {
        struct rf_lane *lane = &lanes->lanes[i];
        while (lane->n > 0 && lane->ends[lane->n - 1] <= start_ns)
            lane->n--;
        if (lane->n > 0 && lane->ends[lane->n - 1] < end_ns)
            continue;
        if (i >= lanes->n_lanes)
            lanes->n_lanes = i + 1;
        return push_end(lane, end_ns) ? i : rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    }
    return RF_MAX_LANES;
}

void rf_lanes_release(struct rf_lanes *lanes)
{
    for (size_t i = 0; i < RF_MAX_LANES; i++)
        free(lanes->lanes[i].ends);
    free(lanes->pids);
    free(lanes->tids);
    memset(lanes, 0, sizeof(*lanes));
}
