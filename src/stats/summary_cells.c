/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/summary_cells.h"

#include <stdlib.h>
#include <string.h>

#include "stats/quantile_columns.h"
#include "stats/quantiles.h"

/* The value of rank k, from 0: those at both ends are known, the others are of the histogram. */
static uint64_t value_of_rank(const struct rf_summary_row *row, uint64_t k)
{
    if (k == 0 || k + 1 >= row->n)
        return k == 0 ? row->min.value : row->max.value;
    uint64_t value = rf_histogram_rank(&row->histogram, k);
    value = value < row->min.value ? row->min.value : value;
    return value > row->max.value ? row->max.value : value;
}

struct rf_durations rf_summary_measure(const struct rf_summary_row *row)
{
    struct rf_durations measured = {
        .total_ns = row->total, .min_ns = row->min.value, .max_ns = row->max.value};
    double middle = (double)value_of_rank(row, row->n / 2);
    double below = row->n % 2 == 1 ? middle : (double)value_of_rank(row, row->n / 2 - 1);
    measured.mean_ns = (double)row->total / (double)row->n;
    measured.median_ns = below / 2 + middle / 2;
    measured.stddev_ns = rf_stddev_of(row->n, row->total, row->squares);
    return measured;
}

bool rf_cell_set_path(struct rf_cell *cell, const rf_summary *summary,
                      const struct rf_summary_path *path, size_t indent)
{
    size_t domain_size, name_size;
    const char *domain = rf_summary_text(summary, path->domain, &domain_size);
    const char *name = rf_summary_text(summary, path->name, &name_size);
    if (name == NULL) {
        name = path->name == RF_REST_OF_NAMES ? "(all other names)" : "(null)";
        name_size = strlen(name);
    }
    size_t before = domain != NULL ? domain_size + 1 : 0;
    char *label = malloc(indent + before + name_size + 1);
    cell->text = label;
    if (label == NULL)
        return false;
    cell->size = indent + before + name_size;
    memset(label, ' ', indent);
    label += indent;
    if (domain != NULL) {
        memcpy(label, domain, domain_size);
        label[domain_size] = ':';
    }
    memcpy(label + before, name, name_size);
    label[before + name_size] = '\0';
    return true;
}

void rf_row_set_summary_quantiles(const struct rf_table *table, struct rf_cell *row, size_t place,
                                  const struct rf_summary_row *from)
{
    uint64_t quantile[RF_MAX_QUANTILES];
    const struct rf_group group = {.quantile = quantile};
    for (size_t q = 0; q < table->quantiles.n; q++)
        quantile[q] = value_of_rank(from, rf_quantile_rank(&table->quantiles, q, from->n));
    rf_row_set_quantiles(table, row, place, &group);
}

bool rf_table_set_step_origin(struct rf_table *table, const rf_summary *summary,
                              const struct rf_summary_step *step)
{
    size_t size;
    const char *host = rf_summary_text(summary, step->host, &size);
    return rf_summary_input_at(summary, step->input)->n_inputs == 1 ||
           rf_table_set_origin(table, host != NULL ? host : "", step->rank);
}

int64_t rf_summary_step_start(const rf_summary *summary, const struct rf_summary_step *step)
{
    return (int64_t)((uint64_t)step->start_utc_ns -
                     (uint64_t)rf_summary_input_at(summary, step->input)->start_utc_ns);
}

bool rf_table_own_columns(struct rf_table *table, const struct rf_report *report)
{
    const size_t size = RF_TABLE_MAX_COLUMNS * sizeof(*table->own_columns);
    if (table->own_columns == NULL && (table->own_columns = calloc(1, size)) != NULL)
        memcpy(table->own_columns, report->columns, report->n_columns * sizeof(*report->columns));
    if (table->own_columns == NULL)
        return false;
    table->columns = table->own_columns;
    return true;
}

void rf_add_summary_notes(const struct rf_report *report, struct rf_table *table,
                          const struct rf_summary_input *input, bool may_be_coarse)
{
    if (report->quantile_place != NULL) {
        table->is_approximate = true;
        rf_table_add_note(table, "medians and quantiles are ≈: from a histogram, at most %s off",
                          may_be_coarse ? "4 %" : "0.4 %");
    }
    if (input->n_lost > 0)
        rf_table_add_note(table, "%llu events were lost: the figures are too low",
                          (unsigned long long)input->n_lost);
    if (input->n_cut > 0)
        rf_table_add_note(table,
                          "%llu ranges were cut: their end was not recorded, and they count up to "
                          "where they were cut",
                          (unsigned long long)input->n_cut);
    if (input->filter[0] != '\0')
        rf_table_add_note(table, "a part was summed up: %s", input->filter);
}
