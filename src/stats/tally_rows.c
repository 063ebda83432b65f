/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/tally_rows.h"

#include <stdlib.h>
#include <string.h>

#include "stats/group_by.h"
#include "stats/quantile_columns.h"
#include "stats/range_labels.h"
#include "stats/range_tree_cells.h"
#include "stats/summary_cells.h"
#include "summary/work_names.h"

const struct rf_tally *rf_tally_next(const rf_summary *summary, uint32_t input,
                                     enum rf_tally_kind kind, size_t *i)
{
    const struct rf_tallies *all = &summary->tallies;
    while (*i < all->n) {
        const struct rf_tally *tally = &all->item[(*i)++];
        if (tally->key.input == input && tally->key.kind == kind)
            return tally;
    }
    return NULL;
}

const struct rf_tally *rf_tally_beside(const rf_summary *summary, const struct rf_tally *tally,
                                       enum rf_tally_kind kind)
{
    struct rf_tally_key key = tally->key;
    key.kind = kind;
    return rf_tally_find(&summary->tallies, &key);
}

void rf_row_set_no_quantiles(const struct rf_table *table, struct rf_cell *row, size_t place)
{
    const struct rf_group none = {.quantile = NULL};
    rf_row_set_quantiles(table, row, place, &none);
}

double rf_tally_total(const rf_summary *summary, uint32_t input, enum rf_tally_kind kind)
{
    const struct rf_tally *tally;
    double total = 0;
    for (size_t i = 0; (tally = rf_tally_next(summary, input, kind, &i)) != NULL;)
        total += (double)tally->values.total;
    return total;
}

bool rf_tally_rows_own_words(struct rf_table *table, const struct rf_report *report)
{
    if (!rf_table_own_columns(table, report))
        return false;
    for (size_t i = 0; i < report->n_columns; i++)
        if (report->columns[i].type == RF_COLUMN_WORD)
            table->own_columns[i].type = RF_COLUMN_TEXT;
    return true;
}

int rf_tally_rows_add(const struct rf_report *report, const rf_summary *summary, uint32_t input,
                      enum rf_tally_kind kind, struct rf_table *table, size_t column,
                      rf_add_tally *add)
{
    const struct rf_tally_rows rows = {report, summary, table,
                                       rf_tally_total(summary, input, kind)};
    const struct rf_tally *tally;
    if (!rf_tally_rows_own_words(table, report))
        return RF_ERR_NO_MEMORY;
    for (size_t i = 0; (tally = rf_tally_next(summary, input, kind, &i)) != NULL;)
        if (tally->values.n > 0 && !add(&rows, tally))
            return RF_ERR_NO_MEMORY;
    rf_table_sort_by_total(table, column);
    return RF_OK;
}

bool rf_cell_set_summary_text(struct rf_cell *cell, const rf_summary *summary, uint32_t string)
{
    const struct rf_tally_key key = {.domain = RF_NO_STRING, .name = string};
    return rf_cell_set_tally_name(cell, summary, &key);
}

bool rf_cell_set_summary_function(struct rf_cell *cell, const rf_summary *summary, uint32_t string)
{
    size_t size;
    const char *text = rf_summary_text(summary, string, &size);
    return text != NULL ? rf_cell_set_text(cell, text, rf_function_size(text, size))
                        : rf_cell_set_text(cell, "None", 4);
}

bool rf_cell_set_tally_detail(struct rf_cell *cell, const rf_summary *summary,
                              const struct rf_tally_key *key)
{
    size_t size;
    const char *text = rf_summary_text(summary, key->detail, &size);
    return text != NULL ? rf_cell_set_text(cell, text, size) : rf_cell_set_text(cell, "None", 4);
}

bool rf_cell_set_tally_names(struct rf_cell *cell, const rf_summary *summary,
                             const struct rf_tally_key *key, char between)
{
    struct rf_cell name;
    size_t size;
    const char *detail = rf_summary_text(summary, key->detail, &size);
    if (detail == NULL)
        return rf_cell_set_tally_name(cell, summary, key);
    if (!rf_cell_set_tally_name(&name, summary, key))
        return false;
    char *text = malloc(name.size + size + 2);
    if (text != NULL) {
        memcpy(text, name.text, name.size);
        text[name.size] = between;
        memcpy(text + name.size + 1, detail, size);
        text[name.size + 1 + size] = '\0';
        cell->size = name.size + 1 + size;
    }
    free((char *)name.text);
    cell->text = text;
    return text != NULL;
}

bool rf_cell_set_tally_name(struct rf_cell *cell, const rf_summary *summary,
                            const struct rf_tally_key *key)
{
    const struct rf_summary_path path = {RF_NO_INDEX, key->domain, key->name};
    return rf_cell_set_path(cell, summary, &path, 0);
}

bool rf_is_summary_text(const rf_summary *summary, uint32_t string, const char *text)
{
    size_t size;
    const char *of = rf_summary_text(summary, string, &size);
    return of != NULL && size == strlen(text) && memcmp(of, text, size) == 0;
}

const char *rf_summary_style(const rf_summary *summary, uint32_t style)
{
    if (rf_is_summary_text(summary, style, rf_summary_kind_name(RF_SUMMARY_PUSH_POP)))
        return rf_range_style(RF_EVENT_PUSH_POP);
    return rf_is_summary_text(summary, style, rf_summary_kind_name(RF_SUMMARY_START_END))
               ? rf_range_style(RF_EVENT_START_END)
               : "None";
}

uint64_t rf_summary_note(const rf_summary *summary, uint32_t input, enum rf_tally_kind kind)
{
    size_t i = 0;
    const struct rf_tally *tally = rf_tally_next(summary, input, kind, &i);
    return tally != NULL ? tally->sum[0] : 0;
}

void rf_add_summary_coverage_notes(struct rf_table *table, const rf_summary *summary,
                                   uint32_t input, enum rf_tally_kind kind)
{
    struct rf_coverage coverage = RF_COVERAGE_INIT;
    size_t i = 0;
    const struct rf_tally *tally = rf_tally_next(summary, input, kind, &i);
    if (tally != NULL)
        coverage = (struct rf_coverage){coverage.size, tally->sum[0], tally->sum[1], tally->sum[2],
                                        tally->sum[3]};
    rf_add_coverage_note(table, &coverage);
    rf_add_left_out_note(table, rf_summary_note(summary, input, RF_TALLY_ENDED_ELSEWHERE));
}

void rf_tally_rows_add_notes(const struct rf_report *report, struct rf_table *table,
                             const rf_summary *summary, uint32_t input, enum rf_tally_kind kind)
{
    const struct rf_searched searched = rf_searched_of(&summary->tallies.searched[kind], input);
    const struct rf_summary_input *of = &summary->input[input];
    if (table->n_rows > 0)
        rf_add_summary_notes(report, table, of, rf_tally_may_be_coarse(kind));
    if (searched.n_left_out > 0)
        rf_table_add_note(table,
                          "%llu rows with the least time are (all other names): 'rangefinder "
                          "summarize --max-tallies' keeps more",
                          (unsigned long long)searched.n_left_out);
    if (searched.n_searched < of->n_inputs)
        rf_table_add_note(table,
                          "%llu of %llu recordings are not in it: an older rangefinder summed them "
                          "up, or they were summed up as they were read; 'rangefinder summarize "
                          "--steps' opens them with all events",
                          (unsigned long long)(of->n_inputs - searched.n_searched),
                          (unsigned long long)of->n_inputs);
}
