/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/forms/form_separated.h"

#include <string.h>

#include "base/escape.h"

/* ---- CSV ---- */

static void put_csv_text(struct rf_sink *sink, enum rf_column_type type, const struct rf_cell *cell)
{
    if (type == RF_COLUMN_LABEL && rf_label_is_number(cell))
        rf_sink_bytes(sink, cell->text, cell->size);
    else if (type == RF_COLUMN_TREE)
        (void)rf_sink_csv_tree(sink, cell->text, cell->size);
    else
        (void)rf_sink_csv(sink, cell->text, cell->size);
}

/* ---- TSV ---- */

static void put_tsv_text(struct rf_sink *sink, enum rf_column_type type, const struct rf_cell *cell)
{
    const bool is_raw = sink->is_raw;
    bool is_formula = rf_is_formula(cell->text, cell->size);
    if (is_formula && type == RF_COLUMN_LABEL)
        is_formula = !rf_label_is_number(cell);
    if (is_formula && type == RF_COLUMN_TREE)
        is_formula = cell->text[0] != '-';
    if (is_formula && !is_raw)
        rf_sink_char(sink, '\'');
    sink->is_raw = false;
    rf_sink_printable(sink, cell->text, cell->size);
    sink->is_raw = is_raw;
}

/* ---- Both ---- */

typedef void put_text_fn(struct rf_sink *sink, enum rf_column_type type,
                         const struct rf_cell *cell);

static void write_rows(const struct rf_view *view, struct rf_sink *sink, char separator,
                       put_text_fn *put_text)
{
    char number[RF_NUMBER_SIZE];
    for (size_t row = 0; row < view->table->n_rows; row++) {
        for (size_t i = 0; i < view->n_columns; i++) {
            if (i > 0)
                rf_sink_char(sink, separator);
            if (rf_view_is_text(view, i))
                put_text(sink, view->column[i].type, rf_view_cell(view, row, i));
            else
                rf_sink_bytes(sink, number, rf_view_number(number, view, row, i, false));
        }
        rf_sink_char(sink, '\n');
    }
}

static void write_header(const struct rf_view *view, struct rf_sink *sink, char separator,
                         put_text_fn *put_text)
{
    if ((view->format->options & RF_FORM_NOHDR) != 0)
        return;
    for (size_t i = 0; i < view->n_columns; i++) {
        struct rf_cell title = {.text = view->column[i].title};
        title.size = strlen(title.text);
        if (i > 0)
            rf_sink_char(sink, separator);
        put_text(sink, RF_COLUMN_TEXT, &title);
    }
    rf_sink_char(sink, '\n');
}

void rf_write_csv(const struct rf_view *view, struct rf_sink *sink)
{
    write_header(view, sink, ',', put_csv_text);
    write_rows(view, sink, ',', put_csv_text);
}

void rf_write_tsv(const struct rf_view *view, struct rf_sink *sink)
{
    write_header(view, sink, '\t', put_tsv_text);
    write_rows(view, sink, '\t', put_tsv_text);
}
