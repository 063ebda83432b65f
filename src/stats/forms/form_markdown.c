/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/forms/form_markdown.h"

#include <string.h>

/* A backslash before what Markdown or HTML would take for something else. */
static void put_markdown(struct rf_sink *sink, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (text[i] != '\0' && strchr("\\`*_[]<>|~&#$!", text[i]) != NULL)
            rf_sink_char(sink, '\\');
        rf_sink_char(sink, text[i]);
    }
}

static void put_head(const struct rf_view *view, struct rf_escaping *escaping)
{
    struct rf_sink *sink = escaping->to;
    rf_sink_text(sink, "### ");
    rf_escaping_text(escaping, view->table->title, strlen(view->table->title));
    rf_sink_text(sink, " (`");
    rf_sink_text(sink, view->table->name);
    rf_sink_text(sink, "`)\n\n|");
    for (size_t i = 0; i < view->n_columns; i++) {
        rf_sink_char(sink, ' ');
        rf_escaping_text(escaping, view->column[i].title, strlen(view->column[i].title));
        rf_sink_text(sink, " |");
    }
    rf_sink_text(sink, "\n|");
    for (size_t i = 0; i < view->n_columns; i++)
        rf_sink_text(sink, rf_view_is_text(view, i) ? "---|" : "---:|");
    rf_sink_char(sink, '\n');
}

static void put_row(const struct rf_view *view, struct rf_escaping *escaping, size_t row)
{
    struct rf_sink *sink = escaping->to;
    char number[RF_NUMBER_SIZE];
    const bool is_grouped = (view->format->options & RF_FORM_NOFMT) == 0;
    rf_sink_char(sink, '|');
    for (size_t i = 0; i < view->n_columns; i++) {
        const struct rf_cell *cell = rf_view_cell(view, row, i);
        rf_sink_char(sink, ' ');
        if (rf_view_is_text(view, i))
            rf_escaping_text(escaping, cell->text, cell->size);
        else
            rf_sink_bytes(sink, number, rf_view_number(number, view, row, i, is_grouped));
        rf_sink_text(sink, " |");
    }
    rf_sink_char(sink, '\n');
}

void rf_write_markdown(const struct rf_view *view, struct rf_sink *sink)
{
    struct rf_escaping escaping;
    if (!rf_escaping_init(&escaping, sink, put_markdown))
        return;
    put_head(view, &escaping);
    for (size_t row = 0; row < view->table->n_rows; row++)
        put_row(view, &escaping, row);
    for (size_t i = 0; i < view->table->n_notes; i++) {
        rf_sink_char(sink, '\n');
        rf_escaping_text(&escaping, view->table->notes[i], strlen(view->table->notes[i]));
        rf_sink_char(sink, '\n');
    }
    rf_escaping_release(&escaping);
}
