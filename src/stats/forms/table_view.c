/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/forms/table_view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/amounts.h"
#include "base/escape.h"

/* ---- Columns ---- */

/* The unit that a column is to have instead of its own, or NULL. */
static const struct rf_unit *other_unit(const struct rf_table_format *format,
                                        const struct rf_column *column, const char **bracket)
{
    *bracket = strrchr(column->title, '(');
    if (*bracket == NULL)
        return NULL;
    if (strcmp(*bracket, "(MB)") == 0 && column->type == RF_COLUMN_MEGA)
        return format->unit[RF_UNIT_SIZE];
    if (strcmp(*bracket, "(ns)") != 0)
        return NULL;
    return format->unit[column->type == RF_COLUMN_TIME ? RF_UNIT_TIMESTAMP : RF_UNIT_DURATION];
}

static bool is_for_people(const struct rf_table_format *format)
{
    return format->is_for_people && (format->options & RF_FORM_NOFMT) == 0;
}

static void show_column(struct rf_shown_column *shown, const struct rf_table_format *format,
                        const struct rf_column *column, size_t index)
{
    const char *bracket;
    const struct rf_unit *unit = other_unit(format, column, &bracket);
    shown->title = column->title;
    shown->type = column->type;
    shown->index = index;
    shown->digits = column->type == RF_COLUMN_MEGA ? 6 : 0;
    shown->is_human = unit == NULL && column->type == RF_COLUMN_SPAN && is_for_people(format);
    if (shown->is_human) {
        (void)snprintf(shown->own_title, sizeof(shown->own_title), "%.*s",
                       (int)(bracket - column->title - 1), column->title);
        shown->title = shown->own_title;
    }
    if (unit == NULL)
        return;
    shown->digits = unit->digits;
    (void)snprintf(shown->own_title, sizeof(shown->own_title), "%.*s(%s)",
                   (int)(bracket - column->title), column->title, unit->name);
    shown->title = shown->own_title;
}

/* Whether people are to see a column. */
static bool is_shown(const struct rf_table *table, const struct rf_table_format *format, size_t i)
{
    if (i < format->n_widths)
        return format->width[i] != 0;
    bool is_shown = !is_for_people(format) || table->columns[i].type != RF_COLUMN_FOLDED;
    for (size_t row = 0; row < table->n_rows && !is_shown; row++)
        is_shown = rf_table_row(table, row)[i].count > 1;
    return is_shown;
}

void rf_view_init(struct rf_view *view, const struct rf_table *table,
                  const struct rf_table_format *format)
{
    view->table = table;
    view->format = format;
    view->n_columns = 0;
    for (size_t i = 0; i < table->n_columns; i++)
        if (is_shown(table, format, i))
            show_column(&view->column[view->n_columns++], format, &table->columns[i], i);
}

/* ---- Numbers ---- */

/* Digits of value, in groups of three where is_grouped. */
static size_t format_count(char *out, uint64_t value, bool is_grouped)
{
    char digits[RF_SINK_U64];
    size_t n = rf_format_u64(digits, value);
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        if (is_grouped && i > 0 && (n - i) % 3 == 0)
            out[used++] = ',';
        out[used++] = digits[i];
    }
    return used;
}

/* value / 10^n_digits, exactly, with as many decimals. */
static size_t format_fixed(char *out, uint64_t value, unsigned n_digits, bool is_grouped)
{
    uint64_t power = 1;
    if (n_digits == 0)
        return format_count(out, value, is_grouped);
    for (unsigned i = 0; i < n_digits; i++)
        power *= 10;
    size_t used = format_count(out, value / power, is_grouped);
    out[used++] = '.';
    for (uint64_t unit = power / 10; unit > 0; unit /= 10)
        out[used++] = (char)('0' + value / unit % 10);
    return used;
}

static size_t format_signed(char *out, int64_t value, unsigned n_digits, bool is_grouped)
{
    if (value >= 0)
        return format_fixed(out, (uint64_t)value, n_digits, is_grouped);
    out[0] = '-';
    return 1 + format_fixed(out + 1, 0 - (uint64_t)value, n_digits, is_grouped);
}

/* One decimal of the smallest unit, halves away from zero, whatever the locale. */
static size_t format_real(char *out, double value, unsigned n_digits, bool is_grouped)
{
    size_t used = 0;
    if (value < 0)
        out[used++] = '-';
    value = fabs(value);
    if (value > 1e18) /* beyond what a sum of nanoseconds can be */
        value = 1e18;
    uint64_t whole = (uint64_t)value;
    uint64_t tenths = (uint64_t)((value - (double)whole) * 10 + 0.5);
    return used + format_fixed(out + used, whole * 10 + tenths, n_digits + 1, is_grouped);
}

/* Bytes / 10^n_digits: millions have three decimals. */
static size_t format_mega(char *out, double value, unsigned n_digits, bool is_grouped)
{
    static const struct {
        double unit;
        unsigned n_digits;
    } precision[] = {{0.1, 1}, {1, 3}, {1e3, 3}, {1e3, 6}};
    const unsigned i = n_digits / 3;
    value = value > 0 ? value / precision[i].unit + 0.5 : 0;
    uint64_t n = value < 1e18 ? (uint64_t)value : (uint64_t)1e18;
    return format_fixed(out, n, precision[i].n_digits, is_grouped);
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

/* Whole numbers with all their digits, but for the console. */
static size_t format_whole(char *out, const struct rf_cell *cell, bool is_short)
{
    char digits[48];
    size_t n = 0, size = 0;
    __int128 value;
    if (is_short || !rf_cell_whole(cell, &value))
        return format_value(out, cell->real, is_short);
    unsigned __int128 left = value < 0 ? -(unsigned __int128)value : (unsigned __int128)value;
    do {
        digits[n++] = (char)('0' + (int)(left % 10));
        left /= 10;
    } while (left > 0);
    if (value < 0)
        out[size++] = '-';
    while (n > 0)
        out[size++] = digits[--n];
    return size;
}

bool rf_view_is_none(const struct rf_view *view, size_t row, size_t column)
{
    const struct rf_cell *cell = rf_view_cell(view, row, column);
    if (row < view->table->n_marked && view->table->is_missing[row])
        return true;
    switch (view->column[column].type) {
    case RF_COLUMN_ID:
        return cell->count == RF_NO_ID;
    case RF_COLUMN_TIME:
    case RF_COLUMN_SIGNED:
    case RF_COLUMN_SPAN:
        return cell->time == RF_NO_TIME;
    case RF_COLUMN_REAL:
    case RF_COLUMN_SHARE:
    case RF_COLUMN_MEGA:
    case RF_COLUMN_VALUE:
        return !isfinite(cell->real);
    default:
        return false;
    }
}

size_t rf_view_number(char out[RF_NUMBER_SIZE], const struct rf_view *view, size_t row,
                      size_t column, bool is_grouped)
{
    const struct rf_shown_column *shown = &view->column[column];
    const struct rf_cell *cell = rf_view_cell(view, row, column);
    if (rf_view_is_none(view, row, column)) {
        memcpy(out, "None", 4);
        return 4;
    }
    if (shown->is_human && cell->count <= INT64_MAX)
        return strlen(rf_format_duration(out, RF_NUMBER_SIZE, (int64_t)cell->count));
    switch (shown->type) {
    case RF_COLUMN_REAL:
    case RF_COLUMN_SHARE:
        return format_real(out, cell->real, shown->digits, is_grouped);
    case RF_COLUMN_TIME:
    case RF_COLUMN_SIGNED:
        return format_signed(out, cell->time, shown->digits, is_grouped);
    case RF_COLUMN_ID:
        return format_count(out, cell->count, false);
    case RF_COLUMN_VALUE:
        return format_whole(out, cell, is_grouped);
    case RF_COLUMN_MEGA:
        return format_mega(out, cell->real, shown->digits, is_grouped);
    default:
        return format_fixed(out, cell->count, shown->digits, is_grouped);
    }
}

bool rf_label_is_number(const struct rf_cell *cell)
{
    char *end = NULL;
    bool is_decimal = cell->size > 0 && strspn(cell->text, "-.0123456789e+") == cell->size;
    if (is_decimal)
        (void)strtod(cell->text, &end);
    return is_decimal && (cell->text[0] == '-' || cell->text[0] >= '0') &&
           end == cell->text + cell->size;
}

/* ---- Texts ---- */

static int pass_on(void *context, const void *data, size_t size, struct rf_err *err)
{
    struct rf_escaping *escaping = context;
    (void)err;
    escaping->put(escaping->to, data, size);
    return RF_OK;
}

bool rf_escaping_init(struct rf_escaping *escaping, struct rf_sink *to,
                      void (*put)(struct rf_sink *to, const char *text, size_t size))
{
    *escaping = (struct rf_escaping){.to = to, .put = put};
    if (rf_sink_init(&escaping->sink, pass_on, escaping, to->err) == RF_OK)
        return true;
    to->status = RF_ERR_NO_MEMORY;
    return false;
}

void rf_escaping_text(struct rf_escaping *escaping, const char *text, size_t size)
{
    rf_sink_printable(&escaping->sink, text, size);
    rf_sink_drain(&escaping->sink);
}

void rf_escaping_release(struct rf_escaping *escaping)
{
    rf_sink_release(&escaping->sink);
}
