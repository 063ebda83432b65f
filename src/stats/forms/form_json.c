/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/forms/form_json.h"

#include <string.h>

#include "base/escape.h"

void rf_write_json(const struct rf_view *view, struct rf_sink *sink)
{
    char number[RF_NUMBER_SIZE];
    const size_t n_rows = view->table->n_rows;
    rf_sink_char(sink, '[');
    for (size_t row = 0; row < n_rows; row++) {
        rf_sink_text(sink, row > 0 ? ",\n  {" : "\n  {");
        for (size_t i = 0; i < view->n_columns; i++) {
            const struct rf_cell *cell = rf_view_cell(view, row, i);
            rf_sink_text(sink, i > 0 ? ", " : "");
            rf_sink_json(sink, view->column[i].title, strlen(view->column[i].title));
            rf_sink_text(sink, ": ");
            if (rf_view_is_text(view, i))
                rf_sink_json(sink, cell->text, cell->size);
            else if (rf_view_is_none(view, row, i))
                rf_sink_text(sink, "null");
            else
                rf_sink_bytes(sink, number, rf_view_number(number, view, row, i, false));
        }
        rf_sink_text(sink, view->table->is_approximate ? ", \"Approximate\": true}" : "}");
    }
    rf_sink_text(sink, n_rows > 0 ? "\n]\n" : "]\n");
}
