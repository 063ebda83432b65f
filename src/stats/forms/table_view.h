/* SPDX-License-Identifier: Apache-2.0 */
/* What a form shows of a table: its columns under their titles, and its numbers, in the units that
 * the format asks for. */
#ifndef RF_STATS_FORMS_TABLE_VIEW_H
#define RF_STATS_FORMS_TABLE_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "base/sink.h"
#include "stats/forms/table_format.h"
#include "stats/table.h"

#define RF_NUMBER_SIZE 64 /* room for what rf_view_number() writes */

struct rf_shown_column {
    const char *title;
    enum rf_column_type type;
    unsigned digits; /* of the unit */
    bool is_human;   /* SPAN with a unit of each number's own */
    size_t index;    /* in the table */
    char own_title[64];
};

struct rf_view {
    const struct rf_table *table;
    const struct rf_table_format *format;
    size_t n_columns;
    struct rf_shown_column column[RF_TABLE_MAX_COLUMNS];
};

/* table and format must outlive the view. */
void rf_view_init(struct rf_view *view, const struct rf_table *table,
                  const struct rf_table_format *format);

static inline const struct rf_cell *rf_view_cell(const struct rf_view *view, size_t row,
                                                 size_t column)
{
    return &rf_table_row(view->table, row)[view->column[column].index];
}

static inline bool rf_view_is_text(const struct rf_view *view, size_t column)
{
    return rf_column_is_text(view->column[column].type);
}

/* Whether a cell of numbers has none: what is not finite is None, too. */
bool rf_view_is_none(const struct rf_view *view, size_t row, size_t column);

/* A number, or "None"; returns its size. is_grouped: for people, with commas between thousands. */
size_t rf_view_number(char out[RF_NUMBER_SIZE], const struct rf_view *view, size_t row,
                      size_t column, bool is_grouped);

/* Whether a label is a number: it needs no apostrophe to keep a spreadsheet from taking it for a
 * formula. */
bool rf_label_is_number(const struct rf_cell *cell);

/* A sink that passes on text in another way: what is written to `sink` comes, with its control
 * characters escaped, to put() in pieces. */
struct rf_escaping {
    struct rf_sink sink;
    struct rf_sink *to;
    void (*put)(struct rf_sink *to, const char *text, size_t size);
};

/* false: out of memory, which *to then says. */
bool rf_escaping_init(struct rf_escaping *escaping, struct rf_sink *to,
                      void (*put)(struct rf_sink *to, const char *text, size_t size));

void rf_escaping_text(struct rf_escaping *escaping, const char *text, size_t size);

void rf_escaping_release(struct rf_escaping *escaping);

#endif
