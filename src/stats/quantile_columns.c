/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/quantile_columns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TITLE_SIZE 48

static const char meaning[] = "the smallest value that so many percent of the values behind Med do "
                              "not exceed; None: no values";

bool rf_quantile_columns_add(struct rf_table *table, const struct rf_report *report)
{
    const size_t n = report->n_quantile_places * table->quantiles.n;
    table->first_quantile = table->n_columns;
    if (n == 0)
        return true;
    table->quantile_titles = malloc(n * TITLE_SIZE);
    if (table->quantile_titles == NULL)
        return false;
    char *title = table->quantile_titles;
    for (size_t i = 0; i < n; i++, title += TITLE_SIZE) {
        const struct rf_quantile_place *place = &report->quantile_place[i / table->quantiles.n];
        (void)snprintf(title, TITLE_SIZE, "%sp%s%s", place->prefix,
                       table->quantiles.label[i % table->quantiles.n], place->unit);
        table->own_columns[table->n_columns++] = (struct rf_column){title, place->type, meaning};
    }
    return true;
}

struct rf_cell *rf_row_quantile(const struct rf_table *table, struct rf_cell *row, size_t place,
                                size_t q)
{
    return &row[table->first_quantile + place * table->quantiles.n + q];
}

static void set_none(struct rf_cell *cell, enum rf_column_type type)
{
    if (type == RF_COLUMN_SIGNED)
        cell->time = RF_NO_TIME;
    else
        cell->real = NAN;
}

static void set_value(struct rf_cell *cell, enum rf_column_type type, uint64_t value)
{
    if (type == RF_COLUMN_SIGNED)
        cell->time = value < INT64_MAX ? (int64_t)value : INT64_MAX;
    else
        cell->real = (double)value;
}

void rf_row_set_quantiles(const struct rf_table *table, struct rf_cell *row, size_t place,
                          const struct rf_group *group)
{
    for (size_t q = 0; q < table->quantiles.n; q++) {
        struct rf_cell *cell = rf_row_quantile(table, row, place, q);
        const enum rf_column_type type = table->columns[cell - row].type;
        if (group->quantile != NULL)
            set_value(cell, type, group->quantile[q]);
        else
            set_none(cell, type);
    }
}

/* The order of the columns: from[i] is the place of column i until now. Returns their number. */
static size_t find_order(const struct rf_table *table, const struct rf_report *report, size_t *from)
{
    size_t n = 0;
    for (size_t i = 0; i <= report->n_columns; i++) {
        for (size_t p = 0; p < report->n_quantile_places; p++)
            for (size_t q = 0; q < table->quantiles.n && report->quantile_place[p].at == i; q++)
                from[n++] = table->first_quantile + p * table->quantiles.n + q;
        if (i < report->n_columns)
            from[n++] = i;
    }
    for (size_t i = report->n_columns; i < table->first_quantile; i++) /* of group_by */
        from[n++] = i;
    return n;
}

static void reorder(void *items, size_t size, const size_t *from, size_t n, void *room)
{
    for (size_t i = 0; i < n; i++)
        memcpy((char *)room + i * size, (char *)items + from[i] * size, size);
    memcpy(items, room, n * size);
}

bool rf_quantile_columns_place(struct rf_table *table, const struct rf_report *report)
{
    size_t from[RF_TABLE_MAX_COLUMNS];
    if (table->quantile_titles == NULL)
        return true;
    const size_t n = find_order(table, report, from);
    struct rf_column *column = malloc(n * sizeof(*column));
    struct rf_cell *row = malloc(n * sizeof(*row));
    const bool is_done = column != NULL && row != NULL;
    if (is_done) {
        reorder(table->own_columns, sizeof(*column), from, n, column);
        for (size_t i = 0; i < table->n_rows; i++)
            reorder(&table->cells[i * n], sizeof(*row), from, n, row);
    }
    free(column);
    free(row);
    return is_done;
}
