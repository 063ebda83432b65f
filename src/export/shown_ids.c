/* SPDX-License-Identifier: Apache-2.0 */
#include "export/shown_ids.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

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

void rf_shown_ids_give(struct rf_shown_ids *shown, struct rf_wanted_id *wanted, size_t n,
                       uint32_t first_id, uint32_t *ids)
{
    if (n > 0)
        qsort(wanted, n, sizeof(*wanted), compare_ids);
    for (size_t i = 0; i < n; i++) {
        bool is_taken =
            i > 0 && wanted[i].group == wanted[i - 1].group && wanted[i].id == wanted[i - 1].id;
        bool is_usable = wanted[i].id >= first_id && wanted[i].id < FIRST_FREE_ID;
        ids[wanted[i].index] = is_usable && !is_taken ? wanted[i].id : shown->next_id++;
    }
}

/* Pids of earlier recordings become others. */
static int give_unused(struct rf_shown_ids *shown, size_t n_processes)
{
    struct rf_map *used = &shown->used->pids;
    int status = RF_OK;
    for (size_t i = 0; i < n_processes && status == RF_OK; i++) {
        if (rf_map_find(used, shown->pids[i], 0) != RF_MAP_NONE)
            shown->pids[i] = shown->next_id++;
        status = rf_map_set(used, shown->pids[i], 0, 1);
    }
    return status;
}

void rf_used_ids_release(struct rf_used_ids *used)
{
    rf_map_release(&used->pids);
}

int rf_shown_ids_init(struct rf_shown_ids *shown, const rf_recording *rec, uint32_t first_pid,
                      struct rf_used_ids *used, struct rf_err *err)
{
    size_t n_processes = rf_n_processes(rec);
    size_t n_threads = rf_n_threads(rec);
    size_t n = n_processes > n_threads ? n_processes : n_threads;
    memset(shown, 0, sizeof(*shown));
    shown->used = used;
    shown->next_id = used != NULL && used->next_id != 0 ? used->next_id : FIRST_FREE_ID;
    shown->pids = calloc(n_processes + 1, sizeof(*shown->pids));
    shown->tids = calloc(n_threads + 1, sizeof(*shown->tids));
    struct rf_wanted_id *order = calloc(n + 1, sizeof(*order));
    if (shown->pids == NULL || shown->tids == NULL || order == NULL) {
        free(order);
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    }
    for (uint32_t i = 0; i < n_processes; i++)
        order[i] = (struct rf_wanted_id){0, rf_process_at(rec, i)->pid, i};
    rf_shown_ids_give(shown, order, n_processes, first_pid, shown->pids);
    int status = used != NULL ? give_unused(shown, n_processes) : RF_OK;
    for (uint32_t i = 0; i < n_threads; i++) {
        const struct rf_thread *thread = rf_thread_at(rec, i);
        order[i] = (struct rf_wanted_id){thread->process, thread->tid, i};
    }
    rf_shown_ids_give(shown, order, n_threads, 1, shown->tids);
    free(order);
    return status == RF_OK ? RF_OK : rf_fail(err, status, "out of memory");
}

void rf_shown_ids_release(struct rf_shown_ids *shown)
{
    if (shown->used != NULL)
        shown->used->next_id = shown->next_id;
    free(shown->pids);
    free(shown->tids);
    memset(shown, 0, sizeof(*shown));
}
