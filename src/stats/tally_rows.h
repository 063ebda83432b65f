/* SPDX-License-Identifier: Apache-2.0 */
/* What reports of a summary have in common that show its tallies (summary/tallies). */
#ifndef RF_STATS_TALLY_ROWS_H
#define RF_STATS_TALLY_ROWS_H

#include "stats/report.h"
#include "summary/summary_data.h"

/* The next one of a kind from *i on, which starts as 0; NULL: there is no other one. */
const struct rf_tally *rf_tally_next(const rf_summary *summary, uint32_t input,
                                     enum rf_tally_kind kind, size_t *i);

/* That of the same names and numbers and another kind; NULL: there is none. */
const struct rf_tally *rf_tally_beside(const rf_summary *summary, const struct rf_tally *tally,
                                       enum rf_tally_kind kind);

/* The value of a cell of type ID. */
static inline uint64_t rf_tally_id(int64_t id)
{
    return id >= 0 ? (uint64_t)id : RF_NO_ID;
}

/* Sets what there is no value of to None: of a place of rf_report.quantile_place. */
void rf_row_set_no_quantiles(const struct rf_table *table, struct rf_cell *row, size_t place);

/* The sum of all values of a kind. */
double rf_tally_total(const rf_summary *summary, uint32_t input, enum rf_tally_kind kind);

/* A table of tallies while it is made. */
struct rf_tally_rows {
    const struct rf_report *report;
    const rf_summary *summary;
    struct rf_table *table;
    double total; /* of all values */
};

/* Adds a row. false: out of memory. */
typedef bool rf_add_tally(const struct rf_tally_rows *rows, const struct rf_tally *tally);

/* Adds a row for each tally of a kind that has values, the largest of a column first. Cells of type
 * WORD are set as texts then. */
int rf_tally_rows_add(const struct rf_report *report, const rf_summary *summary, uint32_t input,
                      enum rf_tally_kind kind, struct rf_table *table, size_t column,
                      rf_add_tally *add);

/* Cells of the report's type WORD are texts of the table's own: the summary goes before the table.
 * Styles have to be set as texts then, too. false: out of memory. */
bool rf_tally_rows_own_words(struct rf_table *table, const struct rf_report *report);

/* Sets a cell to a string of the summary; "(null)" for none. false: out of memory, likewise below.
 */
bool rf_cell_set_summary_text(struct rf_cell *cell, const rf_summary *summary, uint32_t string);

/* Sets a cell to the name of a function, without the version; "None" for none. */
bool rf_cell_set_summary_function(struct rf_cell *cell, const rf_summary *summary, uint32_t string);

/* Sets a cell to the detail; "None" for none. */
bool rf_cell_set_tally_detail(struct rf_cell *cell, const rf_summary *summary,
                              const struct rf_tally_key *key);

/* Sets a cell to "name@detail", with this between both where there is a detail. */
bool rf_cell_set_tally_names(struct rf_cell *cell, const rf_summary *summary,
                             const struct rf_tally_key *key, char between);

/* Sets a cell to "domain:name"; to a name alone where there is no domain. */
bool rf_cell_set_tally_name(struct rf_cell *cell, const rf_summary *summary,
                            const struct rf_tally_key *key);

/* Whether a string of the summary is this text. */
bool rf_is_summary_text(const rf_summary *summary, uint32_t string, const char *text);

/* "PushPop" or "StartEnd", of the style of a range; "None" of none. */
const char *rf_summary_style(const rf_summary *summary, uint32_t style);

/* Adds notes: how much of the GPU work, or of the kernels, lies under ranges, and which ranges were
 * left out. kind: RF_TALLY_COVERAGE, RF_TALLY_KERNEL_COVERAGE. */
void rf_add_summary_coverage_notes(struct rf_table *table, const rf_summary *summary,
                                   uint32_t input, enum rf_tally_kind kind);

/* How many something is of, which is a tally of its own kind. */
uint64_t rf_summary_note(const rf_summary *summary, uint32_t input, enum rf_tally_kind kind);

/* Adds notes, when the rows are there: what is about right, left out or was not looked for. */
void rf_tally_rows_add_notes(const struct rf_report *report, struct rf_table *table,
                             const rf_summary *summary, uint32_t input, enum rf_tally_kind kind);

#endif
