/* SPDX-License-Identifier: Apache-2.0 */
#include "summary/counters_data.h"

#include <stdlib.h>

#include "base/grow.h"
#include "summary/summary_data.h"

const char *rf_summary_counter_kind_name(uint32_t kind)
{
    static const char *const names[] = {
#define NAME(symbol, name) name,
        RF_SUMMARY_COUNTER_KINDS(NAME)
#undef NAME
    };
    return kind < RF_SUMMARY_N_COUNTER_KINDS ? names[kind] : "";
}

void rf_summary_counters_release(struct rf_summary_counters *counters)
{
    free(counters->item);
    free(counters->digits.digit);
    free(counters->searched.input);
}

/* ---- Adding ---- */

static int add_item(struct rf_summary_counters *all, const struct rf_summary_counter *counter)
{
    int status = rf_grow_array(&all->item, all->n, &all->room, sizeof(*all->item));
    if (status != RF_OK)
        return status;
    all->item[all->n++] = *counter;
    return RF_OK;
}

static int add_counter(struct rf_summary_counters *all, const struct rf_summary_counter *counter,
                       const struct rf_exact_sum *total)
{
    struct rf_summary_counter added = *counter;
    int status = rf_digits_add_sum(&all->digits, &added.sum, total);
    return status == RF_OK ? add_item(all, &added) : status;
}

int rf_summary_counter_add(struct rf_summary *summary, const struct rf_summary_counter *counter,
                           const struct rf_exact_sum *total)
{
    return add_counter(&summary->counters, counter, total);
}

void rf_summary_counter_total(const struct rf_summary *summary,
                              const struct rf_summary_counter *counter, struct rf_exact_sum *total)
{
    *total = (struct rf_exact_sum){.n_added = 0};
    rf_digits_sum(&summary->counters.digits, &counter->sum, total);
    rf_exact_settle(total);
}

/* ---- Adding those of another summary ---- */

static int copy_item(struct rf_summary *to, const struct rf_summary *from,
                     const struct rf_summary_counter *item, uint32_t input, bool is_merged)
{
    struct rf_summary_counter copy = *item;
    uint32_t *const strings[] = {&copy.domain, &copy.name, &copy.unit};
    copy.input = input;
    if (is_merged)
        copy.pid = copy.tid = copy.device = -1;
    for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++)
        if (!rf_summary_copy_text(to, from, strings[i]))
            return RF_ERR_NO_MEMORY;
    int status =
        rf_digits_copy(&to->counters.digits, &copy.sum, &from->counters.digits, &item->sum);
    return status == RF_OK ? add_item(&to->counters, &copy) : status;
}

int rf_summary_counters_absorb(struct rf_summary *to, const struct rf_summary *from,
                               const uint32_t *input, bool is_merged)
{
    const struct rf_summary_counters *all = &from->counters;
    int status = rf_searched_absorb(&to->counters.searched, &all->searched, input);
    for (size_t i = 0; i < all->n && status == RF_OK; i++) {
        const uint32_t goes_to = input != NULL ? input[all->item[i].input] : all->item[i].input;
        if (goes_to != RF_NO_INDEX)
            status = copy_item(to, from, &all->item[i], goes_to, is_merged);
    }
    return status;
}

/* ---- Order ---- */

static int compare_texts(const rf_summary *summary, const struct rf_summary_counter *a,
                         const struct rf_summary_counter *b)
{
    int order = rf_summary_compare_texts(summary, a->domain, b->domain);
    if (order == 0)
        order = rf_summary_compare_texts(summary, a->name, b->name);
    return order != 0 ? order : rf_summary_compare_texts(summary, a->unit, b->unit);
}

static int compare(const void *left, const void *right, void *context)
{
    const struct rf_summary_counter *a = left, *b = right;
    const int64_t x[] = {a->pid, a->tid, a->device, a->number, a->value_type};
    const int64_t y[] = {b->pid, b->tid, b->device, b->number, b->value_type};
    if (a->input != b->input)
        return a->input < b->input ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    int order = compare_texts(context, a, b);
    for (size_t i = 0; i < sizeof(x) / sizeof(x[0]) && order == 0; i++)
        order = (x[i] > y[i]) - (x[i] < y[i]);
    return order != 0 ? order : (a->factor > b->factor) - (a->factor < b->factor);
}

/* Adds up the n first counters of *from, which nothing tells apart. */
static int join_equal(struct rf_summary_counters *to, const struct rf_summary_counters *all,
                      const struct rf_summary_counter *from, size_t n)
{
    struct rf_summary_counter joined = *from;
    struct rf_exact_sum total = {.n_added = 0};
    rf_digits_sum(&all->digits, &from->sum, &total);
    for (size_t i = 1; i < n; i++) {
        if (!rf_sample_figures_merge(&joined.figures, &from[i].figures))
            return RF_ERR_UNSUPPORTED;
        rf_digits_sum(&all->digits, &from[i].sum, &total);
    }
    rf_exact_settle(&total);
    return add_counter(to, &joined, &total);
}

int rf_summary_counters_join(struct rf_summary *summary)
{
    struct rf_summary_counters *all = &summary->counters, joined = {.searched = all->searched};
    int status = RF_OK;
    if (all->n > 0)
        qsort_r(all->item, all->n, sizeof(*all->item), compare, summary);
    for (size_t begin = 0, end; begin < all->n && status == RF_OK; begin = end) {
        end = begin + 1;
        while (end < all->n && compare(&all->item[begin], &all->item[end], summary) == 0)
            end++;
        status = join_equal(&joined, all, &all->item[begin], end - begin);
    }
    if (status != RF_OK)
        joined.searched = (struct rf_searched_inputs){.n = 0};
    else
        all->searched = (struct rf_searched_inputs){.n = 0};
    rf_summary_counters_release(status == RF_OK ? all : &joined);
    if (status == RF_OK)
        *all = joined;
    return status;
}
