/* SPDX-License-Identifier: Apache-2.0 */
#include "model/collectives/streamed_collectives.h"

#include <stdlib.h>

#include "base/grow.h"
#include "rangefinder/rangefinder.h"

/* The order of rf_collectives_find() begins with it. */
static int compare_times(const void *left, const void *right)
{
    const struct rf_streamed_collective *a = left, *b = right;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return a->end_ns < b->end_ns ? -1 : a->end_ns > b->end_ns;
}

/* Forgets all but the first ones, and those that are as early as the last of these. */
static void forget_last(struct rf_streamed_collectives *list)
{
    size_t n = RF_MOST_STREAMED;
    qsort(list->item, list->n, sizeof(*list->item), compare_times);
    while (n < list->n && compare_times(&list->item[n - 1], &list->item[n]) == 0)
        n++;
    list->n_more += list->n - n;
    list->n = list->n_sorted = n;
}

int rf_streamed_collectives_add(struct rf_streamed_collectives *list,
                                const struct rf_streamed_collective *item)
{
    if (list->n == list->room && list->n >= 2 * RF_MOST_STREAMED && list->n >= 2 * list->n_sorted)
        forget_last(list);
    if (rf_grow_array(&list->item, list->n, &list->room, sizeof(*list->item)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    list->item[list->n++] = *item;
    return RF_OK;
}

void rf_streamed_collectives_free(struct rf_streamed_collectives *list)
{
    if (list != NULL)
        free(list->item);
    free(list);
}
