/* SPDX-License-Identifier: Apache-2.0 */
#include "import/nsys_pass.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define MIN_ROW_BYTES 6 /* of a table's page: a cell and its pointer */

int nsys_pass_init(struct nsys_pass *pass, struct nsys_db *db, const char *table,
                   const struct nsys_reader *reader, void *context)
{
    *pass =
        (struct nsys_pass){.row = {.db = db, .table = table}, .reader = reader, .context = context};
    while (reader->columns[pass->n_columns] != NULL)
        pass->n_columns++;
    size_t n = (size_t)pass->n_columns + 1;
    pass->cell_of = calloc(n, sizeof(*pass->cell_of));
    pass->cell = calloc(n, sizeof(*pass->cell));
    pass->row.numbers = calloc(n, sizeof(*pass->row.numbers));
    pass->row.cells = pass->cell;
    if (pass->cell_of == NULL || pass->cell == NULL || pass->row.numbers == NULL)
        return nsys_db_no_memory(db);
    for (int i = 0; i < pass->n_columns; i++)
        pass->cell[i].type = nsys_is_test(reader->columns[i]) ? SQLITE_INTEGER : SQLITE_NULL;
    return RF_OK;
}

void nsys_pass_release(struct nsys_pass *pass)
{
    free(pass->cell_of);
    free(pass->cell);
    free(pass->row.numbers);
}

static int fail_too_much(const struct nsys_row *row)
{
    return rf_fail(row->db->err, RF_ERR_DAMAGED,
                   "cannot read %s of '%s': it holds more than its size can; export it again "
                   "with nsys",
                   row->table, row->db->path);
}

int nsys_pass_row(struct nsys_pass *pass)
{
    struct nsys_db *db = pass->row.db;
    if (++db->n_rows > db->size_bytes / MIN_ROW_BYTES + 64 ||
        db->text_bytes > 2 * db->size_bytes + NSYS_MAX_TEXT)
        pass->status = fail_too_much(&pass->row);
    else
        pass->status = pass->reader->read_row(pass->context, &pass->row);
    return pass->status;
}
