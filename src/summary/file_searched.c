/* SPDX-License-Identifier: Apache-2.0 */
#include "summary/file_searched.h"

#include "summary/file_values.h"

void rf_file_write_searched(struct rf_summary_file *file, sqlite3_stmt *insert,
                            const struct rf_searched_inputs *from)
{
    for (uint32_t i = 0; i < file->out->n_inputs && file->status == RF_OK; i++) {
        const struct rf_searched searched = rf_searched_of(from, i);
        if (searched.n_searched == 0)
            continue;
        (void)sqlite3_bind_int64(insert, 1, i + (int64_t)1);
        (void)sqlite3_bind_int64(insert, 2, (int64_t)searched.n_searched);
        (void)sqlite3_bind_int64(insert, 3, (int64_t)searched.n_left_out);
        rf_summary_file_insert(file, insert);
    }
}

void rf_file_read_searched(struct rf_summary_file *file, sqlite3_stmt *row,
                           struct rf_searched_inputs *to, const char *what)
{
    const int64_t input = rf_file_number(file, row, 0, 1);
    const uint64_t n_searched = (uint64_t)rf_file_number(file, row, 1, 1),
                   n_left_out = (uint64_t)rf_file_number(file, row, 2, 0);
    if (file->status != RF_OK)
        return;
    if (input > (int64_t)file->summary->n_inputs ||
        n_searched > file->summary->input[input - 1].n_inputs) {
        rf_summary_file_damaged(file, what);
        return;
    }
    struct rf_searched *searched = rf_searched_at(to, (uint32_t)input - 1);
    if (searched == NULL)
        rf_summary_file_fail(file, RF_ERR_NO_MEMORY);
    else
        *searched = (struct rf_searched){n_searched, n_left_out};
}
