/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/summary_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "stats/quantile_columns.h"
#include "stats/quantiles.h"

#define KIND(name) (1u << RF_SUMMARY_##name)

/* What a report shows. */
struct shown {
    const char *report;
    unsigned kinds; /* 1 << enum rf_summary_kind */
};

static const struct shown shown_by[] = {
    {"nvtx_sum", KIND(PUSH_POP) | KIND(START_END)},
    {"nvtx_pushpop_sum", KIND(PUSH_POP)},
    {"nvtx_startend_sum", KIND(START_END)},
    {"cuda_api_sum", KIND(CUDA_CALL)},
    {"osrt_sum", KIND(OS_CALL)},
    {"cuda_gpu_kern_sum", KIND(KERNEL)},
    {"cuda_gpu_mem_time_sum", KIND(MEMORY)},
    {"cuda_gpu_mem_size_sum", KIND(MEMORY_BYTES)},
};

static unsigned kinds_of(const char *report)
{
    for (size_t i = 0; i < sizeof(shown_by) / sizeof(shown_by[0]); i++)
        if (strcmp(shown_by[i].report, report) == 0)
            return shown_by[i].kinds;
    return 0;
}

/* Adds up the rows of a name, whatever is around it. The strings stay those of the summary. */
static int add_up(rf_summary *flat, const rf_summary *summary, uint32_t input, unsigned kinds)
{
    int status = RF_OK;
    for (size_t i = 0; i < summary->n_rows && status == RF_OK; i++) {
        const struct rf_summary_row *from = &summary->row[i];
        const struct rf_summary_path *path = &summary->path[from->path];
        if (from->input != input || (1u << from->kind & kinds) == 0)
            continue;
        uint32_t to = rf_summary_path(flat, RF_NO_INDEX, path->domain, path->name);
        struct rf_summary_row *row =
            to != RF_NO_INDEX ? rf_summary_row(flat, 0, to, from->kind) : NULL;
        status = row != NULL ? rf_summary_row_merge(row, from) : RF_ERR_NO_MEMORY;
    }
    return status;
}

static uint64_t between(const struct rf_summary_row *row, uint64_t value)
{
    value = value < row->min.value ? row->min.value : value;
    return value > row->max.value ? row->max.value : value;
}

static struct rf_durations measure(const struct rf_summary_row *row)
{
    struct rf_durations measured = {
        .total_ns = row->total, .min_ns = row->min.value, .max_ns = row->max.value};
    double middle = (double)between(row, rf_histogram_rank(&row->histogram, row->n / 2));
    double below = row->n % 2 == 1
                       ? middle
                       : (double)between(row, rf_histogram_rank(&row->histogram, row->n / 2 - 1));
    measured.mean_ns = (double)row->total / (double)row->n;
    measured.median_ns = below / 2 + middle / 2;
    measured.stddev_ns = rf_stddev_of(row->n, row->total, row->squares);
    return measured;
}

/* "domain:name", as rf_cell_set_range() has it; the name alone of what has no domain. */
static bool set_label(struct rf_cell *cell, const rf_summary *summary,
                      const struct rf_summary_path *path)
{
    size_t domain_size, name_size;
    const char *domain = rf_summary_text(summary, path->domain, &domain_size);
    const char *name = rf_summary_text(summary, path->name, &name_size);
    if (name == NULL) {
        name = path->name == RF_REST_OF_NAMES ? "(all other names)" : "(null)";
        name_size = strlen(name);
    }
    size_t before = domain != NULL ? domain_size + 1 : 0;
    char *label = malloc(before + name_size + 1);
    cell->text = label;
    if (label == NULL)
        return false;
    if (domain != NULL) {
        memcpy(label, domain, domain_size);
        label[domain_size] = ':';
    }
    memcpy(label + before, name, name_size);
    label[before + name_size] = '\0';
    cell->size = before + name_size;
    return true;
}

static void set_sizes(struct rf_cell *row, const struct rf_durations *bytes, uint64_t n)
{
    row[0].real = (double)bytes->total_ns;
    row[1].count = n;
    row[2].real = bytes->mean_ns;
    row[3].real = bytes->median_ns;
    row[4].real = (double)bytes->min_ns;
    row[5].real = (double)bytes->max_ns;
    row[6].real = bytes->stddev_ns;
}

static void set_quantiles(const struct rf_table *table, struct rf_cell *row,
                          const struct rf_summary_row *from)
{
    uint64_t quantile[RF_MAX_QUANTILES];
    const struct rf_group group = {.quantile = quantile};
    for (size_t q = 0; q < table->quantiles.n; q++)
        quantile[q] =
            between(from, rf_histogram_rank(&from->histogram,
                                            rf_quantile_rank(&table->quantiles, q, from->n)));
    rf_row_set_quantiles(table, row, 0, &group);
}

static bool add_row(const struct rf_report *report, struct rf_table *table,
                    const rf_summary *summary, const rf_summary *flat,
                    const struct rf_summary_row *from, double all)
{
    const struct rf_durations measured = measure(from);
    struct rf_cell *row = rf_table_add_row(table);
    if (row == NULL)
        return false;
    if (from->kind == RF_SUMMARY_MEMORY_BYTES)
        set_sizes(row, &measured, from->n);
    else
        rf_row_set_summary(row, &measured, from->n, all);
    set_quantiles(table, row, from);
    if (report->n_columns > RF_SUMMARY_N + 1)
        rf_cell_set_word(&row[RF_SUMMARY_N],
                         from->kind == RF_SUMMARY_PUSH_POP ? "PushPop" : "StartEnd");
    return set_label(&row[report->n_columns - 1], summary, &flat->path[from->path]);
}

static void add_notes(struct rf_table *table, const struct rf_summary_input *input)
{
    rf_table_add_note(table, "medians and quantiles are ≈: from a histogram, at most 0.4 %% off");
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

int rf_report_of_summary(const struct rf_report *report, const rf_summary *summary, uint32_t input,
                         struct rf_table *table, struct rf_err *err)
{
    const unsigned kinds = kinds_of(report->name);
    double all = 0;
    rf_summary flat;
    if (kinds == 0 || table->group_by != NULL)
        return rf_fail(err, RF_ERR_UNSUPPORTED, "summaries have not what %s shows", report->name);
    rf_summary_init(&flat);
    int status = add_up(&flat, summary, input, kinds);
    for (size_t i = 0; i < flat.n_rows; i++)
        all += (double)flat.row[i].total;
    for (size_t i = 0; i < flat.n_rows && status == RF_OK; i++)
        if (!add_row(report, table, summary, &flat, &flat.row[i], all))
            status = RF_ERR_NO_MEMORY;
    rf_summary_release(&flat);
    const int sum = (kinds & KIND(MEMORY_BYTES)) != 0 ? 0 : RF_SUMMARY_TOTAL;
    const int order[] = {~sum, ~RF_SUMMARY_NUMBER, (int)report->n_columns - 1, RF_SUMMARY_N};
    rf_table_sort(table, order, report->n_columns > RF_SUMMARY_N ? 4 : 3);
    if (table->n_rows > 0)
        add_notes(table, &summary->input[input]);
    return rf_summary_fail(status, summary->input[input].path, err);
}
