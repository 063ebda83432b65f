/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/forms/form_html.h"

#include <string.h>

#include "base/escape.h"

static void put_row(const struct rf_view *view, struct rf_escaping *escaping, size_t row)
{
    struct rf_sink *sink = escaping->to;
    char number[RF_NUMBER_SIZE];
    const bool is_grouped = (view->format->options & RF_FORM_NOFMT) == 0;
    rf_sink_text(sink, "<tr>");
    for (size_t i = 0; i < view->n_columns; i++) {
        const struct rf_cell *cell = rf_view_cell(view, row, i);
        bool is_text = rf_view_is_text(view, i);
        rf_sink_text(sink, is_text ? "<td>" : "<td align=\"right\">");
        if (is_text)
            rf_escaping_text(escaping, cell->text, cell->size);
        else
            rf_sink_bytes(sink, number, rf_view_number(number, view, row, i, is_grouped));
        rf_sink_text(sink, "</td>");
    }
    rf_sink_text(sink, "</tr>\n");
}

static void put_table(const struct rf_view *view, struct rf_escaping *escaping)
{
    struct rf_sink *sink = escaping->to;
    rf_sink_text(sink, "<table>\n<thead>\n<tr>");
    for (size_t i = 0; i < view->n_columns; i++) {
        rf_sink_text(sink, "<th>");
        rf_escaping_text(escaping, view->column[i].title, strlen(view->column[i].title));
        rf_sink_text(sink, "</th>");
    }
    rf_sink_text(sink, "</tr>\n</thead>\n<tbody>\n");
    for (size_t row = 0; row < view->table->n_rows; row++)
        put_row(view, escaping, row);
    rf_sink_text(sink, "</tbody>\n</table>\n");
}

static void put_title(const struct rf_view *view, struct rf_escaping *escaping)
{
    const struct rf_table_format *format = view->format;
    if (format->title != NULL)
        rf_escaping_text(escaping, format->title, format->title_size);
    else
        rf_escaping_text(escaping, view->table->title, strlen(view->table->title));
}

static void put_style(const struct rf_view *view, struct rf_escaping *escaping)
{
    if (view->format->css == NULL) {
        rf_sink_text(escaping->to, "<style>\nbody { font-family: sans-serif }\n"
                                   "table { border-collapse: collapse }\n"
                                   "th, td { border: 1px solid #999; padding: 2px 8px }\n"
                                   "</style>\n");
        return;
    }
    rf_sink_text(escaping->to, "<link rel=\"stylesheet\" href=\"");
    rf_escaping_text(escaping, view->format->css, strlen(view->format->css));
    rf_sink_text(escaping->to, "\">\n");
}

static void put_document(const struct rf_view *view, struct rf_escaping *escaping)
{
    struct rf_sink *sink = escaping->to;
    rf_sink_text(sink, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                       "<title>");
    put_title(view, escaping);
    rf_sink_text(sink, "</title>\n");
    put_style(view, escaping);
    rf_sink_text(sink, "</head>\n<body>\n<h1>");
    put_title(view, escaping);
    rf_sink_text(sink, "</h1>\n");
    put_table(view, escaping);
    for (size_t i = 0; i < view->table->n_notes; i++) {
        rf_sink_text(sink, "<p>");
        rf_escaping_text(escaping, view->table->notes[i], strlen(view->table->notes[i]));
        rf_sink_text(sink, "</p>\n");
    }
    rf_sink_text(sink, "</body>\n</html>\n");
}

static void write_html(const struct rf_view *view, struct rf_sink *sink,
                       void (*put)(const struct rf_view *view, struct rf_escaping *escaping))
{
    struct rf_escaping escaping;
    if (!rf_escaping_init(&escaping, sink, rf_sink_html))
        return;
    put(view, &escaping);
    rf_escaping_release(&escaping);
}

void rf_write_hdoc(const struct rf_view *view, struct rf_sink *sink)
{
    write_html(view, sink, put_document);
}

void rf_write_htable(const struct rf_view *view, struct rf_sink *sink)
{
    write_html(view, sink, put_table);
}
