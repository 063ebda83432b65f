/* SPDX-License-Identifier: Apache-2.0 */
#include "summary/counter_ranges_data.h"

#include <stdlib.h>

#include "base/add_count.h"
#include "base/grow.h"
#include "summary/summary_data.h"

void rf_counter_ranges_release(struct rf_counter_ranges *all)
{
    free(all->item);
    free(all->digits.digit);
}

/* ---- Adding ---- */

static int add_item(struct rf_counter_ranges *all, const struct rf_counter_range *item)
{
    int status = rf_grow_array(&all->item, all->n, &all->room, sizeof(*all->item));
    if (status == RF_OK)
        all->item[all->n++] = *item;
    return status;
}

static int add(struct rf_counter_ranges *all, const struct rf_counter_range *item,
               const struct rf_exact_sum *sum)
{
    struct rf_counter_range added = *item;
    int status = rf_digits_add_sum(&all->digits, &added.sum, sum);
    return status == RF_OK ? add_item(all, &added) : status;
}

int rf_counter_range_add(struct rf_summary *summary, const struct rf_counter_range *item,
                         const struct rf_exact_sum *sum)
{
    return add(&summary->counter_ranges, item, sum);
}

void rf_counter_range_sum(const struct rf_summary *summary, const struct rf_counter_range *item,
                          struct rf_exact_sum *sum)
{
    *sum = (struct rf_exact_sum){.n_added = 0};
    rf_digits_sum(&summary->counter_ranges.digits, &item->sum, sum);
    rf_exact_settle(sum);
}

/* ---- Adding those of another summary ---- */

static int copy_item(struct rf_summary *to, const struct rf_summary *from,
                     const struct rf_counter_range *item, uint32_t input)
{
    struct rf_counter_range copy = *item;
    uint32_t *const strings[] = {&copy.domain, &copy.name, &copy.counter_domain, &copy.counter_name,
                                 &copy.unit};
    copy.input = input;
    for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++)
        if (!rf_summary_copy_text(to, from, strings[i]))
            return RF_ERR_NO_MEMORY;
    int status = rf_digits_copy(&to->counter_ranges.digits, &copy.sum, &from->counter_ranges.digits,
                                &item->sum);
    return status == RF_OK ? add_item(&to->counter_ranges, &copy) : status;
}

int rf_counter_ranges_absorb(struct rf_summary *to, const struct rf_summary *from,
                             const uint32_t *input)
{
    const struct rf_counter_ranges *all = &from->counter_ranges;
    int status = RF_OK;
    for (size_t i = 0; i < all->n && status == RF_OK; i++) {
        const uint32_t goes_to = input != NULL ? input[all->item[i].input] : all->item[i].input;
        if (goes_to != RF_NO_INDEX)
            status = copy_item(to, from, &all->item[i], goes_to);
    }
    return status;
}

/* ---- Order ---- */

static int compare(const void *left, const void *right, void *context)
{
    const struct rf_counter_range *a = left, *b = right;
    const uint32_t x[] = {a->domain, a->name, a->counter_domain, a->counter_name, a->unit};
    const uint32_t y[] = {b->domain, b->name, b->counter_domain, b->counter_name, b->unit};
    int order = (a->input > b->input) - (a->input < b->input);
    for (size_t i = 0; i < sizeof(x) / sizeof(x[0]) && order == 0; i++)
        order = rf_summary_compare_texts(context, x[i], y[i]);
    if (order == 0)
        order = (a->style > b->style) - (a->style < b->style);
    return order != 0 ? order : (int)a->is_by_time - (int)b->is_by_time;
}

static bool merge(struct rf_counter_range *to, const struct rf_counter_range *from)
{
    if (__builtin_add_overflow(to->range_ns, from->range_ns, &to->range_ns))
        to->range_ns = UINT64_MAX;
    return rf_add_count(&to->n, from->n) && rf_add_count(&to->n_not_finite, from->n_not_finite) &&
           rf_add_count(&to->n_samples, from->n_samples) && rf_add_count(&to->weight, from->weight);
}

/* Adds up the n first ones of *from, which nothing tells apart. */
static int join_equal(struct rf_counter_ranges *to, const struct rf_counter_ranges *all,
                      const struct rf_counter_range *from, size_t n)
{
    struct rf_counter_range joined = *from;
    struct rf_exact_sum sum = {.n_added = 0};
    rf_digits_sum(&all->digits, &from->sum, &sum);
    for (size_t i = 1; i < n; i++) {
        if (!merge(&joined, &from[i]))
            return RF_ERR_UNSUPPORTED;
        rf_digits_sum(&all->digits, &from[i].sum, &sum);
    }
    rf_exact_settle(&sum);
    return add(to, &joined, &sum);
}

int rf_counter_ranges_join(struct rf_summary *summary)
{
    struct rf_counter_ranges *all = &summary->counter_ranges, joined = {.n = 0};
    int status = RF_OK;
    if (all->n > 0)
        qsort_r(all->item, all->n, sizeof(*all->item), compare, summary);
    for (size_t begin = 0, end; begin < all->n && status == RF_OK; begin = end) {
        end = begin + 1;
        while (end < all->n && compare(&all->item[begin], &all->item[end], summary) == 0)
            end++;
        status = join_equal(&joined, all, &all->item[begin], end - begin);
    }
    rf_counter_ranges_release(status == RF_OK ? all : &joined);
    if (status == RF_OK)
        *all = joined;
    return status;
}

/* ---- The limit ---- */

static int compare_times(const void *left, const void *right, void *context)
{
    const struct rf_counter_ranges *all = context;
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    if (all->item[a].range_ns != all->item[b].range_ns)
        return all->item[a].range_ns > all->item[b].range_ns ? -1 : 1;
    return (a > b) - (a < b); /* they are in order */
}

int rf_counter_ranges_limit(struct rf_summary *summary, size_t most)
{
    struct rf_counter_ranges *all = &summary->counter_ranges;
    struct rf_searched *searched =
        rf_searched_at(&summary->tallies.searched[RF_TALLY_RANGE_COUNTER], 0);
    if (all->n <= most)
        return RF_OK;
    uint32_t *order = malloc(all->n * sizeof(*order));
    int status = order != NULL && searched != NULL ? RF_OK : RF_ERR_NO_MEMORY;
    if (status == RF_OK) {
        for (size_t i = 0; i < all->n; i++)
            order[i] = (uint32_t)i;
        qsort_r(order, all->n, sizeof(*order), compare_times, all);
        for (size_t i = most; i < all->n; i++)
            all->item[order[i]].name = RF_REST_OF_NAMES;
        searched->n_left_out += all->n - most;
        status = rf_counter_ranges_join(summary);
    }
    free(order);
    return status;
}
