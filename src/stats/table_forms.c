/* SPDX-License-Identifier: Apache-2.0 */
/* A table on a console, as CSV and as JSON, in the layout of Nsight Systems: what reads its reports
 * reads ours. */
#include "stats/table_forms.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/width.h"

#define NARROWEST ((size_t)20) /* column of names, cut to fit a terminal */

static const struct rf_cell *cell_at(const struct rf_table *table, size_t row, size_t column)
{
    return &table->cells[row * table->n_columns + column];
}

/* ---- Numbers ---- */

/* Digits of value, in groups of three where is_grouped. out has room for 32 bytes. */
static size_t format_count(char *out, uint64_t value, bool is_grouped)
{
    char digits[20];
    size_t n = rf_format_u64(digits, value);
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        if (is_grouped && i > 0 && (n - i) % 3 == 0)
            out[used++] = ',';
        out[used++] = digits[i];
    }
    return used;
}

/* One decimal, halves away from zero, whatever the locale. out has room for 40 bytes. */
static size_t format_real(char *out, double value, bool is_grouped)
{
    size_t used = 0;
    if (!isfinite(value)) {
        memcpy(out, "0.0", 3);
        return 3;
    }
    if (value < 0)
        out[used++] = '-';
    value = fabs(value);
    if (value > 1e18) /* beyond what a sum of nanoseconds can be */
        value = 1e18;
    uint64_t whole = (uint64_t)value;
    uint64_t tenths = (uint64_t)((value - (double)whole) * 10 + 0.5);
    whole += tenths / 10;
    used += format_count(out + used, whole, is_grouped);
    out[used++] = '.';
    out[used++] = (char)('0' + tenths % 10);
    return used;
}

/* Bytes as millions with three decimals. */
static size_t format_mega(char *out, double value, bool is_grouped)
{
    value = value > 0 ? value / 1e3 + 0.5 : 0;
    uint64_t thousandths = value < 1e18 ? (uint64_t)value : (uint64_t)1e18;
    size_t used = format_count(out, thousandths / 1000, is_grouped);
    out[used++] = '.';
    for (uint64_t unit = 100; unit > 0; unit /= 10)
        out[used++] = (char)('0' + thousandths / unit % 10);
    return used;
}

/* As many digits as the number needs; on the console seven at most. */
static size_t format_value(char *out, double value, bool is_short)
{
    int n = 0;
    for (int digits = is_short ? 7 : 15; digits <= (is_short ? 7 : 17); digits++) {
        n = snprintf(out, 32, "%.*g", digits, value);
        if (strtod(out, NULL) == value)
            break;
    }
    for (int i = 0; i < n; i++) /* some locales have a decimal comma */
        out[i] = out[i] == ',' ? '.' : out[i];
    return (size_t)n;
}

static bool is_none(const struct rf_table *table, size_t row, size_t column)
{
    const enum rf_column_type type = table->columns[column].type;
    const struct rf_cell *cell = cell_at(table, row, column);
    if (row < table->n_marked && table->is_missing[row])
        return true;
    return (type == RF_COLUMN_ID && cell->count == RF_NO_ID) ||
           ((type == RF_COLUMN_TIME || type == RF_COLUMN_SIGNED) && cell->time == RF_NO_TIME) ||
           ((type == RF_COLUMN_REAL || type == RF_COLUMN_MEGA || type == RF_COLUMN_VALUE) &&
            isnan(cell->real));
}

/* out has room for 48 bytes. */
static size_t format_number(char *out, const struct rf_table *table, size_t row, size_t column,
                            bool is_grouped)
{
    const enum rf_column_type type = table->columns[column].type;
    const struct rf_cell *cell = cell_at(table, row, column);
    if (is_none(table, row, column)) {
        memcpy(out, "None", 4);
        return 4;
    }
    switch (type) {
    case RF_COLUMN_REAL:
        return format_real(out, cell->real, is_grouped);
    case RF_COLUMN_TIME:
    case RF_COLUMN_SIGNED:
        if (cell->time >= 0)
            return format_count(out, (uint64_t)cell->time, is_grouped);
        out[0] = '-';
        return 1 + format_count(out + 1, 0 - (uint64_t)cell->time, is_grouped);
    case RF_COLUMN_ID:
        return format_count(out, cell->count, false);
    case RF_COLUMN_VALUE:
        return format_value(out, cell->real, is_grouped);
    case RF_COLUMN_MEGA:
        return format_mega(out, cell->real, is_grouped);
    default:
        return format_count(out, cell->count, is_grouped);
    }
}

/* ---- For the console ---- */

struct measured_sink {
    struct rf_sink sink;
    size_t n_columns;
};

static int measure(void *context, const void *data, size_t size, struct rf_err *err)
{
    (void)err;
    ((struct measured_sink *)context)->n_columns += rf_utf8_columns(data, size);
    return RF_OK;
}

/* The columns that text takes on a terminal, with its control characters escaped. */
static size_t printable_width(struct measured_sink *measured, const struct rf_cell *cell)
{
    measured->n_columns = 0;
    rf_sink_printable(&measured->sink, cell->text, cell->size);
    rf_sink_drain(&measured->sink);
    return measured->n_columns;
}

static size_t cell_width(struct measured_sink *measured, const struct rf_table *table, size_t row,
                         size_t column)
{
    char number[48];
    return rf_column_is_text(table->columns[column].type)
               ? printable_width(measured, cell_at(table, row, column))
               : format_number(number, table, row, column, true);
}

static void put_centered(struct rf_sink *sink, const char *text, size_t width)
{
    size_t size = strlen(text);
    size_t left = (width - size) / 2;
    rf_sink_pad(sink, left);
    rf_sink_bytes(sink, text, size);
    rf_sink_pad(sink, width - size - left);
}

static void put_header(const struct rf_table *table, struct rf_sink *sink, const size_t *widths)
{
    rf_sink_text(sink, " ** ");
    rf_sink_text(sink, table->title);
    rf_sink_text(sink, " (");
    rf_sink_text(sink, table->name);
    rf_sink_text(sink, "):\n\n");
    for (size_t i = 0; i < table->n_columns; i++) {
        rf_sink_text(sink, i > 0 ? "  " : " ");
        put_centered(sink, table->columns[i].title, widths[i]);
    }
    rf_sink_char(sink, '\n');
    for (size_t i = 0; i < table->n_columns; i++) {
        rf_sink_text(sink, i > 0 ? "  " : " ");
        for (size_t k = 0; k < widths[i]; k++)
            rf_sink_char(sink, '-');
    }
    rf_sink_char(sink, '\n');
}

/* A sink that passes on the beginning of a text. */
struct cut_sink {
    struct rf_sink sink;
    struct rf_sink *to;
    size_t n_columns; /* that are left */
};

static int pass_on(void *context, const void *data, size_t size, struct rf_err *err)
{
    struct cut_sink *cut = context;
    size_t columns, n = rf_utf8_fitting(data, size, cut->n_columns, &columns);
    (void)err;
    rf_sink_bytes(cut->to, data, n);
    cut->n_columns = n < size ? 0 : cut->n_columns - columns;
    return RF_OK;
}

/* Writes as much of a text as fits, and an ellipsis if there is more. */
static void put_cut(struct rf_sink *sink, const struct rf_cell *cell, size_t width)
{
    struct cut_sink cut = {.to = sink, .n_columns = width - 1};
    if (rf_sink_init(&cut.sink, pass_on, &cut, sink->err) != RF_OK) {
        sink->status = RF_ERR_NO_MEMORY;
        return;
    }
    cut.sink.is_raw = sink->is_raw;
    rf_sink_printable(&cut.sink, cell->text, cell->size);
    rf_sink_drain(&cut.sink);
    rf_sink_release(&cut.sink);
    rf_sink_text(sink, "\xe2\x80\xa6"); /* an ellipsis */
    rf_sink_pad(sink, cut.n_columns);   /* where a wide character did not fit */
}

static void put_cell(const struct rf_table *table, struct rf_sink *sink, size_t row, size_t column,
                     size_t width, size_t columns)
{
    char number[48];
    const struct rf_cell *cell = cell_at(table, row, column);
    enum rf_column_type type = table->columns[column].type;
    size_t padding = width > columns ? width - columns : 0;
    if (!rf_column_is_text(type)) {
        rf_sink_pad(sink, padding);
        rf_sink_bytes(sink, number, format_number(number, table, row, column, true));
        return;
    }
    if (columns > width)
        put_cut(sink, cell, width);
    else
        rf_sink_printable(sink, cell->text, cell->size);
    if (column + 1 < table->n_columns)
        rf_sink_pad(sink, padding);
}

/* Narrows the widest columns of text until a row fits or they are NARROWEST. */
static void fit(const struct rf_table *table, size_t *widths)
{
    size_t all = 1; /* a space before the first, two before the others */
    for (size_t i = 0; i < table->n_columns; i++)
        all += widths[i] + (i > 0 ? 2 : 0);
    while (table->width > 0 && all > table->width) {
        size_t widest = table->n_columns;
        for (size_t i = 0; i < table->n_columns; i++)
            if (rf_column_is_text(table->columns[i].type) && widths[i] > NARROWEST &&
                (widest == table->n_columns || widths[i] > widths[widest]))
                widest = i;
        if (widest == table->n_columns)
            return;
        widths[widest]--;
        all--;
    }
}

static void put_rows(const struct rf_table *table, struct rf_sink *sink,
                     struct measured_sink *measured)
{
    size_t widths[RF_TABLE_MAX_COLUMNS];
    for (size_t i = 0; i < table->n_columns; i++) {
        widths[i] = strlen(table->columns[i].title);
        for (size_t row = 0; row < table->n_rows; row++) {
            size_t width = cell_width(measured, table, row, i);
            widths[i] = width > widths[i] ? width : widths[i];
        }
    }
    fit(table, widths);
    put_header(table, sink, widths);
    for (size_t row = 0; row < table->n_rows; row++) {
        for (size_t i = 0; i < table->n_columns; i++) {
            size_t width = cell_width(measured, table, row, i);
            rf_sink_text(sink, i > 0 ? "  " : " ");
            put_cell(table, sink, row, i, widths[i], width);
        }
        rf_sink_char(sink, '\n');
    }
}

static void write_table(const struct rf_table *table, struct rf_sink *sink)
{
    struct measured_sink measured = {.n_columns = 0};
    if (rf_sink_init(&measured.sink, measure, &measured, sink->err) != RF_OK) {
        sink->status = RF_ERR_NO_MEMORY;
        return;
    }
    measured.sink.is_raw = sink->is_raw;
    put_rows(table, sink, &measured);
    if (table->n_rows == 0)
        rf_sink_text(sink, " (no rows)\n");
    for (size_t i = 0; i < table->n_notes; i++) {
        rf_sink_text(sink, i == 0 ? "\n " : " ");
        rf_sink_text(sink, table->notes[i]);
        rf_sink_char(sink, '\n');
    }
    rf_sink_release(&measured.sink);
}

/* ---- For programs ---- */

/* A number needs no apostrophe to keep a spreadsheet from taking it for a formula. */
static bool is_number(const struct rf_cell *cell)
{
    char *end = NULL;
    bool is_decimal = cell->size > 0 && strspn(cell->text, "-.0123456789e+") == cell->size;
    if (is_decimal)
        (void)strtod(cell->text, &end);
    return is_decimal && (cell->text[0] == '-' || cell->text[0] >= '0') &&
           end == cell->text + cell->size;
}

static void write_csv(const struct rf_table *table, struct rf_sink *sink)
{
    char number[48];
    for (size_t i = 0; i < table->n_columns; i++) {
        rf_sink_text(sink, i > 0 ? "," : "");
        rf_sink_csv(sink, table->columns[i].title, strlen(table->columns[i].title));
    }
    rf_sink_char(sink, '\n');
    for (size_t row = 0; row < table->n_rows; row++) {
        for (size_t i = 0; i < table->n_columns; i++) {
            const struct rf_cell *cell = cell_at(table, row, i);
            rf_sink_text(sink, i > 0 ? "," : "");
            if (table->columns[i].type == RF_COLUMN_LABEL && is_number(cell))
                rf_sink_bytes(sink, cell->text, cell->size);
            else if (table->columns[i].type == RF_COLUMN_TREE)
                (void)rf_sink_csv_tree(sink, cell->text, cell->size);
            else if (rf_column_is_text(table->columns[i].type))
                (void)rf_sink_csv(sink, cell->text, cell->size);
            else
                rf_sink_bytes(sink, number, format_number(number, table, row, i, false));
        }
        rf_sink_char(sink, '\n');
    }
}

static void write_json(const struct rf_table *table, struct rf_sink *sink)
{
    char number[48];
    rf_sink_char(sink, '[');
    for (size_t row = 0; row < table->n_rows; row++) {
        rf_sink_text(sink, row > 0 ? ",\n  {" : "\n  {");
        for (size_t i = 0; i < table->n_columns; i++) {
            const struct rf_cell *cell = cell_at(table, row, i);
            rf_sink_text(sink, i > 0 ? ", " : "");
            rf_sink_json(sink, table->columns[i].title, strlen(table->columns[i].title));
            rf_sink_text(sink, ": ");
            if (rf_column_is_text(table->columns[i].type))
                rf_sink_json(sink, cell->text, cell->size);
            else if (is_none(table, row, i))
                rf_sink_text(sink, "null");
            else
                rf_sink_bytes(sink, number, format_number(number, table, row, i, false));
        }
        rf_sink_char(sink, '}');
    }
    rf_sink_text(sink, table->n_rows > 0 ? "\n]\n" : "]\n");
}

static const struct rf_table_form forms[] = {
    {"table", write_table},
    {"csv", write_csv},
    {"json", write_json},
};

const struct rf_table_form *rf_table_form_at(size_t i)
{
    return i < sizeof(forms) / sizeof(forms[0]) ? &forms[i] : NULL;
}
