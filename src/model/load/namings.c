/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that create and name things, by thread and time, and when domains were destroyed. */
#include "model/load/namings.h"

#include <stdlib.h>

#include "base/grow.h"

int rf_load_add_naming(struct rf_load *load, uint32_t process, uint32_t tid,
                       const struct rf_event *event)
{
    /* what NVTXW defines has no time */
    if (load->rec->control.is_written && event->kind != RF_EVENT_RESOURCE)
        return RF_OK;
    if (rf_grow_array(&load->naming, load->n_namings, &load->naming_room, sizeof(*load->naming)) !=
        RF_OK)
        return RF_ERR_NO_MEMORY;
    load->naming[load->n_namings++] = (struct rf_load_naming){*event, process, tid};
    return RF_OK;
}

static int compare_namings(const void *left, const void *right)
{
    const struct rf_load_naming *a = left, *b = right;
    uint64_t x = (uint64_t)a->process << 32 | a->tid, y = (uint64_t)b->process << 32 | b->tid;
    if (x != y)
        return x < y ? -1 : 1;
    if (a->event.start_ns != b->event.start_ns)
        return a->event.start_ns < b->event.start_ns ? -1 : 1;
    return a->event.link < b->event.link ? -1 : a->event.link > b->event.link;
}

static int compare_destroys(const void *left, const void *right)
{
    const struct rf_load_destroy *a = left, *b = right;
    if (a->domain != b->domain)
        return a->domain < b->domain ? -1 : 1;
    return a->ns < b->ns ? -1 : a->ns > b->ns;
}

void rf_load_sort_namings(struct rf_load *load)
{
    /* link keeps the order of the stream while they are sorted */
    for (uint32_t i = 0; i < load->n_namings; i++)
        load->naming[i].event.link = i;
    if (load->n_namings > 0)
        qsort(load->naming, load->n_namings, sizeof(*load->naming), compare_namings);
    for (uint32_t i = 0; i < load->n_namings; i++)
        load->naming[i].event.link = RF_NO_INDEX;
}

int64_t rf_load_destroyed_ns(const struct rf_load *load, uint32_t domain, int64_t ns)
{
    uint32_t low = 0, high = load->n_destroys;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct rf_load_destroy *destroy = &load->destroy[middle];
        if (destroy->domain < domain || (destroy->domain == domain && destroy->ns < ns))
            low = middle + 1;
        else
            high = middle;
    }
    return low < load->n_destroys && load->destroy[low].domain == domain ? load->destroy[low].ns
                                                                         : RF_NO_TIME;
}

uint32_t rf_load_count_namings(const struct rf_load *load, uint32_t process, uint32_t tid)
{
    uint64_t key = (uint64_t)process << 32 | tid;
    uint32_t low = 0, high = load->n_namings, end;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct rf_load_naming *naming = &load->naming[middle];
        if (((uint64_t)naming->process << 32 | naming->tid) < key)
            low = middle + 1;
        else
            high = middle;
    }
    for (end = low; end < load->n_namings && load->naming[end].process == process &&
                    load->naming[end].tid == tid;
         end++) {
    }
    return end - low;
}

void rf_load_sort_destroys(struct rf_load *load)
{
    if (load->n_destroys > 0)
        qsort(load->destroy, load->n_destroys, sizeof(*load->destroy), compare_destroys);
}
