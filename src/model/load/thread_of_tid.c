/* SPDX-License-Identifier: Apache-2.0 */
#include "model/load/thread_of_tid.h"

#include <stdlib.h>

static int compare(const void *left, const void *right)
{
    const struct rf_tid_entry *a = left, *b = right;
    uint64_t x = (uint64_t)a->process << 32 | a->tid, y = (uint64_t)b->process << 32 | b->tid;
    if (x != y)
        return x < y ? -1 : 1;
    if (a->first_ns != b->first_ns)
        return a->first_ns < b->first_ns ? -1 : 1;
    if (a->serial != b->serial)
        return a->serial < b->serial ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

int rf_tid_list_init(struct rf_tid_list *list, const struct rf_load *load)
{
    *list = (struct rf_tid_list){.load = load, .n = load->n_threads};
    list->entry = calloc((size_t)list->n + 1, sizeof(*list->entry));
    if (list->entry == NULL)
        return RF_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < list->n; i++) {
        const struct rf_load_thread *thread = load->thread[i];
        list->entry[i] = (struct rf_tid_entry){thread->process, thread->tid, thread->first_ns,
                                               thread->serial, i};
    }
    qsort(list->entry, list->n, sizeof(*list->entry), compare);
    return RF_OK;
}

void rf_tid_list_release(struct rf_tid_list *list)
{
    free(list->entry);
    *list = (struct rf_tid_list){.entry = NULL};
}

static uint32_t first_behind(const struct rf_tid_list *list, uint64_t key)
{
    uint32_t low = 0, high = list->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct rf_tid_entry *at = &list->entry[middle];
        if (((uint64_t)at->process << 32 | at->tid) < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void rf_tid_list_find(const struct rf_tid_list *list, uint32_t process, uint32_t tid,
                      uint32_t *first, uint32_t *end)
{
    const uint64_t key = (uint64_t)process << 32 | tid;
    *first = first_behind(list, key);
    *end = first_behind(list, key + 1);
}

uint32_t rf_tid_list_at(const struct rf_tid_list *list, uint32_t process, uint32_t tid, int64_t ns)
{
    uint32_t low, high;
    rf_tid_list_find(list, process, tid, &low, &high);
    while (low + 1 < high) {
        uint32_t middle = low + (high - low - 1) / 2;
        const struct rf_load_thread *thread = list->load->thread[list->entry[middle].index];
        int64_t end_ns = thread->end_ns != RF_NO_TIME ? thread->end_ns : thread->last_ns;
        if (end_ns < ns)
            low = middle + 1;
        else
            high = middle + 1;
    }
    return list->entry[low].index;
}
