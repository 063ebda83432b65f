/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/table.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/grow.h"

void rf_table_init(struct rf_table *table, const char *title, const struct rf_column *columns,
                   size_t n_columns)
{
    *table = (struct rf_table){.title = title,
                               .columns = columns,
                               .n_columns = n_columns,
                               .by_process = table->by_process,
                               .max_pairs = table->max_pairs};
}

struct rf_cell *rf_table_add_row(struct rf_table *table)
{
    if (rf_grow_array(&table->cells, table->n_rows, &table->capacity,
                      table->n_columns * sizeof(*table->cells)) != RF_OK)
        return NULL;
    struct rf_cell *row = table->cells + table->n_rows++ * table->n_columns;
    memset(row, 0, table->n_columns * sizeof(*row));
    return row;
}

int rf_cell_set_text(struct rf_cell *cell, const char *text, size_t size)
{
    char *copy = malloc(size + 1);
    cell->text = copy;
    if (copy == NULL)
        return 0;
    memcpy(copy, text, size);
    copy[size] = '\0';
    cell->size = size;
    return 1;
}

void rf_cell_set_word(struct rf_cell *cell, const char *word)
{
    cell->text = word;
    cell->size = strlen(word);
}

void rf_cell_set_model_string(struct rf_cell *cell, const rf_recording *rec, uint32_t string)
{
    cell->text = rf_string(rec, string, &cell->size);
    if (cell->text == NULL)
        rf_cell_set_word(cell, "(null)");
}

void rf_table_sort(struct rf_table *table, int (*compare)(const void *a, const void *b))
{
    if (table->n_rows > 1)
        qsort(table->cells, table->n_rows, table->n_columns * sizeof(*table->cells), compare);
}

/* ---- By total ---- */

struct order {
    const struct rf_table *table;
    size_t column;
};

static int compare_texts(const struct rf_cell *x, const struct rf_cell *y)
{
    size_t size = x->size < y->size ? x->size : y->size;
    int order = size > 0 ? memcmp(x->text, y->text, size) : 0;
    return order != 0 ? order : x->size < y->size ? -1 : x->size > y->size;
}

static int compare_cells(const struct rf_cell *x, const struct rf_cell *y, enum rf_column_type type)
{
    switch (type) {
    case RF_COLUMN_TEXT:
    case RF_COLUMN_TREE:
    case RF_COLUMN_WORD:
        return compare_texts(x, y);
    case RF_COLUMN_REAL:
    case RF_COLUMN_MEGA:
        if (isnan(x->real) || isnan(y->real))
            return isnan(x->real) - isnan(y->real);
        return x->real > y->real ? -1 : x->real < y->real;
    case RF_COLUMN_TIME:
        return x->time > y->time ? -1 : x->time < y->time;
    default:
        return x->count > y->count ? -1 : x->count < y->count;
    }
}

static int compare_rows(const void *a, const void *b, void *context)
{
    const struct order *by = context;
    const struct rf_cell *x = a, *y = b;
    const struct rf_column *columns = by->table->columns;
    int order = compare_cells(&x[by->column], &y[by->column], columns[by->column].type);
    for (size_t i = 0; i < by->table->n_columns && order == 0; i++)
        order = compare_cells(&x[i], &y[i], columns[i].type);
    return order;
}

void rf_table_sort_by_total(struct rf_table *table, size_t column)
{
    struct order by = {table, column};
    if (table->n_rows > 1)
        qsort_r(table->cells, table->n_rows, table->n_columns * sizeof(*table->cells), compare_rows,
                &by);
}

void rf_table_add_note(struct rf_table *table, const char *format, ...)
{
    va_list args;
    if (table->n_notes == sizeof(table->notes) / sizeof(table->notes[0]))
        return;
    va_start(args, format);
    if (vasprintf(&table->notes[table->n_notes], format, args) >= 0)
        table->n_notes++;
    va_end(args);
}

void rf_table_release(struct rf_table *table)
{
    for (size_t i = 0; i < table->n_rows * table->n_columns; i++)
        if (table->columns[i % table->n_columns].type == RF_COLUMN_TEXT ||
            table->columns[i % table->n_columns].type == RF_COLUMN_TREE)
            free((void *)table->cells[i].text);
    for (size_t i = 0; i < table->n_notes; i++)
        free(table->notes[i]);
    free(table->cells);
    memset(table, 0, sizeof(*table));
}

void rf_cells_set_durations(struct rf_cell *cell, const struct rf_durations *measured)
{
    cell[0].real = measured->mean_ns;
    cell[1].real = measured->median_ns;
    cell[2].count = measured->min_ns;
    cell[3].count = measured->max_ns;
    cell[4].real = measured->stddev_ns;
}
