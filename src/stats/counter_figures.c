/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/counter_figures.h"

#include <math.h>

void rf_cell_set_number(struct rf_cell *cell, const struct rf_exact_number *number, double factor)
{
    const bool has_scale = factor < 1 || factor > 1;
    const double value = number->real * factor;
    if (number->is_whole && !has_scale)
        rf_cell_set_whole(cell, number->whole);
    else
        cell->real = isfinite(value) ? value : (double)NAN;
}

struct rf_exact_number rf_counter_last(const struct rf_sample_figures *figures,
                                       const struct rf_exact_sum *total, uint32_t value_type)
{
    __int128 whole;
    if (value_type != RF_COUNTER_DELTA)
        return figures->last;
    /* a sum of doubles stays one, though it may be whole */
    if (figures->min.is_whole && figures->max.is_whole && rf_exact_whole(total, &whole))
        return rf_exact_of_whole(whole);
    return rf_exact_of_real(rf_exact_mean(total, 1));
}

double rf_counter_mean(const struct rf_sample_figures *figures, const struct rf_exact_sum *total)
{
    return figures->n > 0 ? rf_exact_mean(total, figures->n) : (double)NAN;
}

static void add_notes(struct rf_table *table, const struct rf_summary *summary, uint32_t input)
{
    const struct rf_searched searched = rf_searched_of(&summary->counters.searched, input);
    const struct rf_summary_input *of = &summary->input[input];
    if (searched.n_left_out > 0)
        rf_table_add_note(table,
                          "counters behind the first ones were left out, %llu: 'rangefinder "
                          "summarize --max-counters' keeps more",
                          (unsigned long long)searched.n_left_out);
    if (searched.n_searched < of->n_inputs)
        rf_table_add_note(table, "in %llu of %llu recordings counters were not looked for",
                          (unsigned long long)(of->n_inputs - searched.n_searched),
                          (unsigned long long)of->n_inputs);
    if (of->filter[0] != '\0')
        rf_table_add_note(table, "a part was summed up: %s", of->filter);
}

int rf_each_summary_counter(struct rf_table *table, const struct rf_summary *summary,
                            uint32_t input, enum rf_summary_counter_kind kind,
                            bool (*add)(struct rf_table *table, const struct rf_summary *summary,
                                        const struct rf_summary_counter *counter))
{
    const struct rf_summary_counters *all = &summary->counters;
    bool is_done = true;
    for (size_t i = 0; i < all->n && is_done; i++)
        if (all->item[i].input == input && all->item[i].kind == kind)
            is_done = add(table, summary, &all->item[i]);
    add_notes(table, summary, input);
    return is_done ? RF_OK : RF_ERR_NO_MEMORY;
}
