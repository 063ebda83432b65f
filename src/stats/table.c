/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/table.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void rf_table_init(struct rf_table *table, const char *title, const struct rf_column *columns,
                   size_t n_columns)
{
    memset(table, 0, sizeof(*table));
    table->title = title;
    table->columns = columns;
    table->n_columns = n_columns;
}

struct rf_cell *rf_table_add_row(struct rf_table *table)
{
    if (table->n_rows == table->capacity) {
        size_t capacity = table->capacity * 2 + 16;
        struct rf_cell *grown =
            realloc(table->cells, capacity * table->n_columns * sizeof(*table->cells));
        if (grown == NULL)
            return NULL;
        table->cells = grown;
        table->capacity = capacity;
    }
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

void rf_table_sort(struct rf_table *table, int (*compare)(const void *a, const void *b))
{
    if (table->n_rows > 1)
        qsort(table->cells, table->n_rows, table->n_columns * sizeof(*table->cells), compare);
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
        if (table->columns[i % table->n_columns].type == RF_COLUMN_TEXT)
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
