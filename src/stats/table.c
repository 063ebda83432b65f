/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/table.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/amounts.h"
#include "base/fold_numbers.h"
#include "base/grow.h"
#include "model/private_access.h"

void rf_table_init(struct rf_table *table, const char *title, const struct rf_column *columns,
                   size_t n_columns)
{
    *table = (struct rf_table){.title = title,
                               .columns = columns,
                               .n_columns = n_columns,
                               .by_process = table->by_process,
                               .marks_cut = table->marks_cut,
                               .can_make_rows = table->can_make_rows,
                               .is_joined = table->is_joined,
                               .group_by = table->group_by,
                               .quantiles = table->quantiles,
                               .fold_numbers = table->fold_numbers,
                               .step = table->step,
                               .collective = table->collective,
                               .kernel_naming = table->kernel_naming,
                               .with_ranges = table->with_ranges,
                               .threshold = table->threshold,
                               .max_pairs = table->max_pairs,
                               .max_steps = table->max_steps,
                               .differing = table->differing,
                               .differing_size = table->differing_size,
                               .width = table->width,
                               .is_ascii = table->is_ascii};
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

void rf_table_take_maker(struct rf_table *table, struct rf_row_maker *maker, size_t n_rows)
{
    maker->row = SIZE_MAX;
    table->maker = maker;
    table->n_rows = n_rows;
}

const struct rf_cell *rf_table_make_row(const struct rf_table *table, size_t row)
{
    struct rf_row_maker *maker = table->maker;
    memset(maker->cells, 0, table->n_columns * sizeof(*maker->cells));
    maker->make(maker, row, maker->cells);
    maker->row = row;
    return maker->cells;
}

bool rf_table_set_origin(struct rf_table *table, const char *host, int64_t rank)
{
    const size_t row = table->n_rows - 1;
    if (rf_grow_array(&table->origin, row, &table->origin_room, sizeof(*table->origin)) != RF_OK)
        return false;
    table->origin[row] = (struct rf_row_origin){host, rank};
    return true;
}

bool rf_cell_set_text(struct rf_cell *cell, const char *text, size_t size)
{
    char *copy = malloc(size + 1);
    cell->text = copy;
    if (copy == NULL)
        return false;
    memcpy(copy, text, size);
    copy[size] = '\0';
    cell->size = size;
    return true;
}

void rf_cell_fold_numbers(struct rf_cell *cell, size_t name_size)
{
    char *name = (char *)cell->text + cell->size - name_size;
    cell->size -= name_size - rf_fold_numbers(name, name, name_size);
    ((char *)cell->text)[cell->size] = '\0';
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

#define LARGEST_WHOLE ((__int128)1 << 100) /* nearest to a double within 2^47 */

void rf_cell_set_whole(struct rf_cell *cell, __int128 value)
{
    cell->real = (double)value;
    cell->whole = 0;
    if (value <= LARGEST_WHOLE && value >= -LARGEST_WHOLE)
        cell->whole = (int64_t)(value - (__int128)cell->real) * 2 + 1;
}

bool rf_cell_whole(const struct rf_cell *cell, __int128 *value)
{
    if (cell->whole == 0)
        return false;
    *value = (__int128)cell->real + (cell->whole - 1) / 2;
    return true;
}

#define MOST_TYPED 100 /* bytes of a name */

void rf_table_set_captures(struct rf_table *table, const rf_recording *rec)
{
    table->n_captures = rf_n_captures(rec);
    table->captured_ns = rf_captured_ns(rec);
}

bool rf_table_set_differing(const struct rf_table *table, const char *name, size_t size)
{
    bool is_plain = size < MOST_TYPED && size < table->differing_size && name[0] != '-';
    for (size_t i = 0; i < size && is_plain; i++)
        is_plain = (unsigned char)name[i] >= ' ' && name[i] != 0x7f;
    if (is_plain) {
        memcpy(table->differing, name, size);
        table->differing[size] = '\0';
    }
    return is_plain && size > 0;
}

/* ---- Order ---- */

static int compare_texts(const struct rf_cell *x, const struct rf_cell *y)
{
    size_t size = x->size < y->size ? x->size : y->size;
    int order = size > 0 ? memcmp(x->text, y->text, size) : 0;
    return order != 0 ? order : x->size < y->size ? -1 : x->size > y->size;
}

/* NAN is less than every number. */
static int compare_cells(const struct rf_cell *x, const struct rf_cell *y, enum rf_column_type type)
{
    if (rf_column_is_text(type))
        return compare_texts(x, y);
    switch (type) {
    case RF_COLUMN_REAL:
    case RF_COLUMN_SHARE:
    case RF_COLUMN_MEGA:
    case RF_COLUMN_VALUE:
        if (isnan(x->real) || isnan(y->real))
            return isnan(y->real) - isnan(x->real);
        if (type != RF_COLUMN_VALUE || x->real != y->real)
            return x->real < y->real ? -1 : x->real > y->real;
        return x->whole < y->whole ? -1 : x->whole > y->whole;
    case RF_COLUMN_TIME:
    case RF_COLUMN_SIGNED:
        return x->time < y->time ? -1 : x->time > y->time;
    default:
        return x->count < y->count ? -1 : x->count > y->count;
    }
}

struct order {
    const struct rf_table *table;
    const int *columns;
    size_t n;
};

static int compare_rows(const void *a, const void *b, void *context)
{
    const struct order *by = context;
    const struct rf_cell *x = a, *y = b;
    int order = 0;
    for (size_t i = 0; i < by->n && order == 0; i++) {
        bool is_reversed = by->columns[i] < 0;
        int column = is_reversed ? ~by->columns[i] : by->columns[i];
        enum rf_column_type type = by->table->columns[column].type;
        order = compare_cells(&x[column], &y[column], type);
        if (is_reversed && !rf_column_is_text(type))
            order = -order;
    }
    return order;
}

void rf_table_sort(struct rf_table *table, const int *columns, size_t n)
{
    struct order by = {table, columns, n};
    const struct rf_cell *row = table->cells;
    size_t i = 1; /* rows that are in order: often all of them are */
    while (i < table->n_rows && compare_rows(row, row + table->n_columns, &by) <= 0) {
        row += table->n_columns;
        i++;
    }
    if (i < table->n_rows)
        qsort_r(table->cells, table->n_rows, table->n_columns * sizeof(*table->cells), compare_rows,
                &by);
}

void rf_table_sort_by_total(struct rf_table *table, size_t column)
{
    int columns[1 + RF_TABLE_MAX_COLUMNS];
    columns[0] = ~(int)column;
    for (size_t i = 0; i < table->n_columns; i++)
        columns[1 + i] = ~(int)i;
    rf_table_sort(table, columns, 1 + table->n_columns);
}

bool rf_table_mark_missing(struct rf_table *table)
{
    uint8_t *is_missing = calloc(table->n_rows, 1);
    if (is_missing == NULL)
        return false;
    if (table->is_missing != NULL)
        memcpy(is_missing, table->is_missing, table->n_marked);
    is_missing[table->n_rows - 1] = 1;
    free(table->is_missing);
    table->is_missing = is_missing;
    table->n_marked = table->n_rows;
    return true;
}

void rf_table_add_note(struct rf_table *table, const char *format, ...)
{
    va_list args;
    if (rf_grow_array(&table->notes, table->n_notes, &table->notes_room, sizeof(*table->notes)) !=
        RF_OK)
        return;
    va_start(args, format);
    if (vasprintf(&table->notes[table->n_notes], format, args) >= 0)
        table->n_notes++;
    va_end(args);
}

/* Frees the texts of the rows from one on. */
static void free_texts(struct rf_table *table, size_t row)
{
    if (table->maker != NULL)
        return;
    for (size_t column = 0; column < table->n_columns; column++) {
        enum rf_column_type type = table->columns[column].type;
        if (!rf_column_is_text(type) || type == RF_COLUMN_WORD)
            continue;
        for (size_t i = row; i < table->n_rows; i++)
            free((void *)table->cells[i * table->n_columns + column].text);
    }
}

static void remove_rows(struct rf_table *table, uint64_t n)
{
    free_texts(table, (size_t)n);
    table->n_rows = (size_t)n;
}

void rf_table_keep_rows(struct rf_table *table, uint64_t n)
{
    if (n >= table->n_rows)
        return;
    rf_table_add_note(table, "the first %llu of %zu rows; '-r %s:rows=N' shows N",
                      (unsigned long long)n, table->n_rows, table->name);
    remove_rows(table, n);
}

/* The note is the first: it stands where the rows end. */
void rf_table_cut(struct rf_table *table, uint64_t n)
{
    char count[32];
    const size_t n_notes = table->n_notes;
    if (n >= table->n_rows)
        return;
    rf_table_add_note(table, "and %s more row%s; --rows=all shows all",
                      rf_format_count(count, sizeof(count), table->n_rows - n),
                      table->n_rows - n == 1 ? "" : "s");
    if (table->n_notes > n_notes) {
        char *note = table->notes[n_notes];
        memmove(table->notes + 1, table->notes, n_notes * sizeof(*table->notes));
        table->notes[0] = note;
    }
    remove_rows(table, n);
}

void rf_table_release(struct rf_table *table)
{
    free_texts(table, 0);
    if (table->maker != NULL)
        table->maker->free(table->maker);
    if (table->free_words != NULL)
        table->free_words(table->words);
    for (size_t i = 0; i < table->n_notes; i++)
        free(table->notes[i]);
    free(table->notes);
    free(table->own_columns);
    free(table->group_title);
    free(table->quantile_titles);
    free(table->is_missing);
    free(table->origin);
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

void rf_row_set_summary(struct rf_cell *row, const struct rf_durations *measured, size_t n,
                        double all_ns)
{
    row[RF_SUMMARY_SHARE].real = all_ns > 0 ? 100 * (double)measured->total_ns / all_ns : 0;
    row[RF_SUMMARY_TOTAL].count = measured->total_ns;
    row[RF_SUMMARY_NUMBER].count = n;
    rf_cells_set_durations(&row[RF_SUMMARY_FIGURES], measured);
}
