/* SPDX-License-Identifier: Apache-2.0 */
#include "export/flat/csv_payloads.h"

#include <stdbool.h>
#include <string.h>

#include "base/escape.h"
#include "model/payload/payload_cells.h"

int rf_csv_payloads_init(struct rf_csv_payloads *payloads, const rf_recording *rec,
                         struct rf_err *err)
{
    const struct rf_payload_column *column;
    *payloads = (struct rf_csv_payloads){.none = RF_NO_INDEX};
    int status = rf_payload_columns_new(rec, 0, &payloads->columns, err);
    if (status == RF_OK)
        status = rf_payload_cells_new(payloads->columns, &payloads->cells, err);
    while (status == RF_OK &&
           (column = rf_payload_column_at(payloads->columns, payloads->n)) != NULL) {
        if (column->path[0] == '\0')
            payloads->none = payloads->n;
        payloads->n++;
    }
    return status;
}

void rf_csv_payloads_put_names(const struct rf_csv_payloads *payloads, struct rf_sink *sink)
{
    for (uint32_t i = 0; i < payloads->n; i++) {
        const char *path = rf_payload_column_at(payloads->columns, i)->path;
        char name[sizeof("payload.") + RF_PAYLOAD_PATH_MAX];
        if (i == payloads->none)
            continue;
        size_t size = (size_t)(rf_put_text(rf_put_text(name, "payload."), path) - name);
        rf_sink_char(sink, ',');
        (void)rf_sink_csv(sink, name, size);
    }
}

static void put_value(const struct rf_csv_payloads *payloads, struct rf_sink *sink, uint32_t column,
                      struct rf_value value)
{ /* numbers as they are, whatever else the column has */
    bool is_number = value.kind == RF_VALUE_SIGNED || value.kind == RF_VALUE_UNSIGNED ||
                     value.kind == RF_VALUE_REAL;
    if (!is_number && rf_payload_cell_convert(payloads->cells, column, &value) != RF_OK)
        sink->status = sink->status == RF_OK ? RF_ERR_NO_MEMORY : sink->status;
    else if (value.kind == RF_VALUE_TEXT)
        (void)rf_sink_csv(sink, value.text, value.count);
    else if (value.kind == RF_VALUE_SIGNED)
        rf_sink_i64(sink, value.integer);
    else if (value.kind == RF_VALUE_UNSIGNED)
        rf_sink_u64(sink, value.number);
    else if (value.kind == RF_VALUE_REAL && (value.flags & RF_VALUE_FLOAT) != 0)
        rf_sink_float(sink, (float)value.real);
    else if (value.kind == RF_VALUE_REAL)
        rf_sink_double(sink, value.real);
}

static void put_no_values(const struct rf_csv_payloads *payloads, struct rf_sink *sink)
{
    size_t n = payloads->n - (payloads->none != RF_NO_INDEX);
    char *out = rf_sink_reserve(sink, n); /* there are not that many columns */
    memset(out, ',', n);
    sink->used += n;
}

void rf_csv_payloads_put(const struct rf_csv_payloads *payloads, struct rf_sink *sink,
                         const struct rf_event *event)
{
    bool has_any = event != NULL &&
                   (event->payload_type == RF_TYPE_EXTENDED || event->payload_type == RF_TYPE_JSON);
    if (!has_any) {
        put_no_values(payloads, sink);
        return;
    }
    const struct rf_value *values = rf_payload_cells_of(payloads->cells, event);
    if (values == NULL)
        sink->status = sink->status == RF_OK ? RF_ERR_NO_MEMORY : sink->status;
    for (uint32_t i = 0; i < payloads->n && values != NULL; i++) {
        if (i == payloads->none)
            continue;
        rf_sink_char(sink, ',');
        put_value(payloads, sink, i, values[i]);
    }
}

void rf_csv_payloads_release(struct rf_csv_payloads *payloads)
{
    rf_payload_cells_free(payloads->cells);
    rf_payload_columns_free(payloads->columns);
    *payloads = (struct rf_csv_payloads){.columns = NULL};
}
