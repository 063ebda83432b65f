/* SPDX-License-Identifier: Apache-2.0 */
#include "summary/collectives_data.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "summary/summary_data.h"

int rf_summary_collective_add(struct rf_summary *summary,
                              const struct rf_summary_collective *collective)
{
    struct rf_summary_collectives *all = &summary->collectives;
    int status = rf_grow_array(&all->item, all->n, &all->room, sizeof(*all->item));
    if (status == RF_OK)
        all->item[all->n++] = *collective;
    return status;
}

void rf_summary_collectives_release(struct rf_summary_collectives *collectives)
{
    free(collectives->item);
    free(collectives->searched.input);
}

/* ---- Adding those of another summary ---- */

static int add_item(struct rf_summary *to, const struct rf_summary *from, uint32_t input,
                    const struct rf_summary_collective *item)
{
    struct rf_summary_collective copy = *item;
    size_t size;
    const char *text = rf_summary_text(from, item->operation, &size);
    copy.input = input;
    copy.operation = rf_strings_add(&to->strings, text, size);
    return copy.operation != RF_NO_STRING ? rf_summary_collective_add(to, &copy) : RF_ERR_NO_MEMORY;
}

int rf_summary_collectives_absorb(struct rf_summary *to, const struct rf_summary *from,
                                  const uint32_t *input)
{
    const struct rf_summary_collectives *all = &from->collectives;
    int status = rf_searched_absorb(&to->collectives.searched, &all->searched, input);
    for (size_t i = 0; i < all->n && status == RF_OK; i++) {
        uint32_t goes_to = input != NULL ? input[all->item[i].input] : all->item[i].input;
        if (goes_to != RF_NO_INDEX)
            status = add_item(to, from, goes_to, &all->item[i]);
    }
    return status;
}

/* ---- Order ---- */

static int compare_numbers(const int64_t *a, const int64_t *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

int rf_summary_compare_series(const struct rf_summary_collective *p,
                              const struct rf_summary_collective *q)
{
    const int64_t x[] = {p->input, p->operation, p->kind,   p->communicator, p->rank,
                         p->pid,   p->tid,       p->device, p->stream,       p->bytes};
    const int64_t y[] = {q->input, q->operation, q->kind,   q->communicator, q->rank,
                         q->pid,   q->tid,       q->device, q->stream,       q->bytes};
    return compare_numbers(x, y, sizeof(x) / sizeof(x[0]));
}

static int compare(const void *a, const void *b, void *context)
{
    const struct rf_summary_collective *p = a, *q = b;
    int order = (p->input > q->input) - (p->input < q->input);
    if (order == 0 && p->operation != q->operation)
        order = rf_summary_compare_texts(context, p->operation, q->operation);
    if (order == 0)
        order = rf_summary_compare_series(p, q);
    const int64_t x[] = {(int64_t)p->number, p->start_utc_ns, p->end_utc_ns};
    const int64_t y[] = {(int64_t)q->number, q->start_utc_ns, q->end_utc_ns};
    return order != 0 ? order : compare_numbers(x, y, sizeof(x) / sizeof(x[0]));
}

void rf_summary_collectives_sort(struct rf_summary *summary)
{
    struct rf_summary_collectives *all = &summary->collectives;
    if (all->n > 0)
        qsort_r(all->item, all->n, sizeof(*all->item), compare, summary);
}
