/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/trace_rows.h"

#include <stdlib.h>

#include "base/error.h"
#include "model/arrays.h"

static const void *entry_at(const struct rf_trace_rows *rows, size_t i)
{
    return rows->entry + i * rows->kind->entry_size;
}

static void make_row(const struct rf_row_maker *maker, size_t row, struct rf_cell *cells)
{
    const struct rf_trace_rows *rows = (const struct rf_trace_rows *)(const void *)maker;
    if (rows->n - row > RF_KERNELS_AHEAD)
        rf_kernel_fetch(rows->rec,
                        *(const struct rf_gpu_op *const *)entry_at(rows, row + RF_KERNELS_AHEAD));
    (void)rows->kind->set(cells, rows, entry_at(rows, row));
}

static void free_rows(struct rf_row_maker *maker)
{
    struct rf_trace_rows *rows = (struct rf_trace_rows *)(void *)maker; /* its first member */
    free(rows->entry);
    free(rows->texts);
    free(rows);
}

static int find_entries(struct rf_trace_rows *rows)
{
    size_t n = 0;
    const struct rf_gpu_op *op = rf_gpu_ops(rows->rec, &n);
    rows->entry = malloc((n + 1) * rows->kind->entry_size);
    rows->texts = calloc(1, rows->kind->size_of_texts);
    if (rows->entry == NULL || rows->texts == NULL)
        return RF_ERR_NO_MEMORY;
    for (size_t i = 0; i < n; i++)
        rows->n +=
            rows->kind->find(rows->rec, &op[i], rows->entry + rows->n * rows->kind->entry_size);
    return rf_sort_records(rows->entry, rows->n, rows->kind->entry_size, rows->kind->compare);
}

/* The table owns the texts of its cells. */
static bool keep_texts(const struct rf_table *table, struct rf_cell *row)
{
    bool is_done = true;
    for (size_t i = 0; i < table->n_columns; i++) {
        enum rf_column_type type = table->columns[i].type;
        if (rf_column_is_text(type) && type != RF_COLUMN_WORD)
            is_done &=
                rf_cell_set_text(&row[i], row[i].text != NULL ? row[i].text : "", row[i].size);
    }
    return is_done;
}

static bool add_rows(struct rf_table *table, const struct rf_trace_rows *rows)
{
    for (size_t i = 0; i < rows->n; i++) {
        struct rf_cell *row = rf_table_add_row(table);
        if (row == NULL)
            return false;
        bool is_set = rows->kind->set(row, rows, entry_at(rows, i));
        if (!keep_texts(table, row) || !is_set)
            return false;
    }
    return true;
}

int rf_list_trace(const struct rf_trace_kind *kind, const rf_recording *rec, struct rf_table *table,
                  struct rf_err *err)
{
    struct rf_kernel_names *names;
    int status = rf_kernel_names_begin(rec, table, &names, err);
    if (status != RF_OK)
        return status;
    struct rf_trace_rows *rows = calloc(1, sizeof(*rows));
    if (rows == NULL)
        return RF_ERR_NO_MEMORY;
    rows->maker = (struct rf_row_maker){.make = make_row, .free = free_rows};
    rows->kind = kind;
    rows->rec = rec;
    rows->names = names;
    status = find_entries(rows);
    if (status == RF_OK && table->can_make_rows && !table->with_ranges) {
        rf_table_take_maker(table, &rows->maker, rows->n);
        return RF_OK;
    }
    if (status == RF_OK && !add_rows(table, rows))
        status = RF_ERR_NO_MEMORY;
    free_rows(&rows->maker);
    return status;
}
