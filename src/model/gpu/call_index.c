/* SPDX-License-Identifier: Apache-2.0 */
#include "model/gpu/call_index.h"

#include <stdbool.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"

static bool is_before(const struct rf_call *a, const struct rf_call *b)
{
    return a->start_ns != b->start_ns ? a->start_ns < b->start_ns : a->end_ns > b->end_ns;
}

int rf_compare_calls(const void *left, const void *right)
{
    return is_before(right, left) - is_before(left, right);
}

static uint32_t *dense_place(const struct rf_call_ids *ids, uint32_t correlation)
{
    uint64_t i = (uint64_t)correlation - ids->lowest;
    return ids->call_of != NULL && correlation >= ids->lowest && i < ids->n_ids ? &ids->call_of[i]
                                                                                : NULL;
}

/* ---- Making it ---- */

static void count_ids(struct rf_call_ids *ids, const struct rf_indexed_calls *list)
{
    for (size_t i = 0; i < list->n; i++) {
        uint32_t correlation = list->call[i].correlation;
        if (correlation == 0)
            continue;
        ids->n_calls++;
        if (correlation < ids->lowest)
            ids->lowest = correlation;
        if (correlation >= ids->n_ids)
            ids->n_ids = (uint64_t)correlation + 1; /* the end of them, for now */
    }
}

/* A table, where it is worth it. */
static int make_table(struct rf_call_ids *ids)
{
    ids->n_ids = ids->n_ids > ids->lowest ? ids->n_ids - ids->lowest : 0;
    if (ids->n_ids == 0 || ids->n_ids > 8 * ids->n_calls + 1024)
        return RF_OK;
    ids->call_of = malloc(ids->n_ids * sizeof(*ids->call_of));
    if (ids->call_of == NULL)
        return RF_ERR_NO_MEMORY;
    memset(ids->call_of, 0xff, ids->n_ids * sizeof(*ids->call_of));
    return RF_OK;
}

static int note_calls(struct rf_call_ids *ids, const struct rf_indexed_calls *list, uint32_t first,
                      uint64_t *n_twice)
{
    int status = RF_OK;
    for (size_t i = 0; i < list->n && status == RF_OK; i++) {
        uint32_t correlation = list->call[i].correlation, number = first + (uint32_t)i;
        uint32_t *place = dense_place(ids, correlation);
        if (correlation == 0)
            continue;
        uint32_t old = place != NULL ? *place : rf_map_find(&ids->sparse, correlation, 0);
        if (old != RF_NO_INDEX)
            ++*n_twice;
        else if (place != NULL)
            *place = number;
        else
            status = rf_map_set(&ids->sparse, correlation, 0, number);
    }
    return status;
}

int rf_call_index_init(struct rf_call_index *index, uint32_t n_processes,
                       const struct rf_indexed_calls *list, uint32_t n_lists, uint64_t *n_twice)
{
    uint32_t first = 0;
    int status = RF_OK;
    *n_twice = 0;
    *index = (struct rf_call_index){.n_lists = n_lists};
    index->ids = calloc((size_t)n_processes + 1, sizeof(*index->ids));
    index->first = malloc(((size_t)n_lists + 1) * sizeof(*index->first));
    if (index->ids == NULL || index->first == NULL)
        return RF_ERR_NO_MEMORY;
    index->n_processes = n_processes;
    for (uint32_t i = 0; i < n_processes; i++)
        index->ids[i].lowest = UINT64_MAX;
    for (uint32_t i = 0; i < n_lists; i++)
        count_ids(&index->ids[list[i].process], &list[i]);
    for (uint32_t i = 0; i < n_processes && status == RF_OK; i++)
        status = make_table(&index->ids[i]);
    for (uint32_t i = 0; i < n_lists && status == RF_OK; i++) {
        index->first[i] = first;
        first += (uint32_t)list[i].n;
        status = note_calls(&index->ids[list[i].process], &list[i], index->first[i], n_twice);
    }
    return status;
}

void rf_call_index_release(struct rf_call_index *index)
{
    for (uint32_t i = 0; i < index->n_processes; i++) {
        free(index->ids[i].call_of);
        rf_map_release(&index->ids[i].sparse);
    }
    free(index->ids);
    free(index->first);
    *index = (struct rf_call_index){.ids = NULL};
}

/* ---- Finding ---- */

bool rf_call_index_find(const struct rf_call_index *index, uint32_t process, uint32_t correlation,
                        uint32_t *list, uint32_t *call)
{
    if (correlation == 0 || process >= index->n_processes)
        return false;
    const struct rf_call_ids *ids = &index->ids[process];
    const uint32_t *place = dense_place(ids, correlation);
    uint32_t number = place != NULL ? *place : rf_map_find(&ids->sparse, correlation, 0);
    uint32_t low = 0, high = index->n_lists;
    if (number == RF_NO_INDEX)
        return false;
    while (low + 1 < high) { /* the last list whose first call is not behind it */
        uint32_t middle = low + (high - low) / 2;
        if (index->first[middle] <= number)
            low = middle;
        else
            high = middle;
    }
    *list = low;
    *call = number - index->first[low];
    return true;
}
