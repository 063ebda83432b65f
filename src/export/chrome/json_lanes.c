/* SPDX-License-Identifier: Apache-2.0 */
#include "export/chrome/json_lanes.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"

/* Linux gives pids and tids below 2^22. */
#define FIRST_FREE_ID ((uint32_t)1 << 30)

static int compare_ids(const void *a, const void *b)
{
    const struct rf_wanted_id *x = a;
    const struct rf_wanted_id *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

void rf_lanes_give_ids(struct rf_lanes *lanes, struct rf_wanted_id *wanted, size_t n,
                       uint32_t first_id, uint32_t *ids)
{
    if (n > 0)
        qsort(wanted, n, sizeof(*wanted), compare_ids);
    for (size_t i = 0; i < n; i++) {
        bool is_taken =
            i > 0 && wanted[i].group == wanted[i - 1].group && wanted[i].id == wanted[i - 1].id;
        bool is_usable = wanted[i].id >= first_id && wanted[i].id < FIRST_FREE_ID;
        ids[wanted[i].index] = is_usable && !is_taken ? wanted[i].id : lanes->next_id++;
    }
}

int rf_lanes_init(struct rf_lanes *lanes, const rf_recording *rec, uint32_t first_pid,
                  struct rf_err *err)
{
    size_t n_processes = rf_n_processes(rec);
    size_t n_threads = rf_n_threads(rec);
    size_t n = n_processes > n_threads ? n_processes : n_threads;
    memset(lanes, 0, sizeof(*lanes));
    lanes->next_id = FIRST_FREE_ID;
    lanes->pids = calloc(n_processes + 1, sizeof(*lanes->pids));
    lanes->tids = calloc(n_threads + 1, sizeof(*lanes->tids));
    struct rf_wanted_id *order = calloc(n + 1, sizeof(*order));
    if (lanes->pids == NULL || lanes->tids == NULL || order == NULL) {
        free(order);
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    }
    for (uint32_t i = 0; i < n_processes; i++)
        order[i] = (struct rf_wanted_id){0, rf_process_at(rec, i)->pid, i};
    rf_lanes_give_ids(lanes, order, n_processes, first_pid, lanes->pids);
    for (uint32_t i = 0; i < n_threads; i++) {
        const struct rf_thread *thread = rf_thread_at(rec, i);
        order[i] = (struct rf_wanted_id){thread->process, thread->tid, i};
    }
    rf_lanes_give_ids(lanes, order, n_threads, 1, lanes->tids);
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

static bool push_end(struct rf_lane *lane, int64_t end_ns)
{
    if (rf_grow_array(&lane->ends, lane->n, &lane->capacity, sizeof(*lane->ends)) != RF_OK)
        return false;
    lane->ends[lane->n++] = end_ns;
    return true;
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
