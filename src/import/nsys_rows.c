/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a table, as SQLite gives them, and their values. */
#include "import/nsys_rows.h"

#include <stdlib.h>
#include <string.h>

#include "import/nsys_pages.h"
#include "import/nsys_pass.h"

/* ---- Rows ---- */

/* This is most of the work of an import. */
static void put_value(struct nsys_value *to, sqlite3_value *from)
{
    to->type = (uint8_t)sqlite3_value_type(from);
    if (to->type == SQLITE_INTEGER) {
        to->integer = sqlite3_value_int64(from);
    } else if (to->type == SQLITE_FLOAT) {
        to->real = sqlite3_value_double(from);
    } else if (to->type != SQLITE_NULL) {
        to->text = to->type == SQLITE_BLOB ? sqlite3_value_blob(from)
                                           : (const char *)sqlite3_value_text(from);
        to->size = to->text != NULL ? (uint32_t)sqlite3_value_bytes(from) : 0;
        to->text = to->text != NULL ? to->text : ""; /* an empty BLOB */
    }
}

/* SQLite hands the rows to this aggregate function. That costs two thirds of stepping through them
 * and asking for each value. */
static void read_row(sqlite3_context *context, int n_values, sqlite3_value **value)
{
    struct nsys_pass *pass = sqlite3_user_data(context);
    struct nsys_value *cell = pass->cell;
    const int *cell_of = pass->cell_of;
    for (int i = 0; i < n_values; i++)
        put_value(&cell[cell_of[i]], value[i]);
    if (nsys_pass_row(pass) != RF_OK)
        sqlite3_result_error(context, "stopped", -1);
}

static void end_rows(sqlite3_context *context)
{
    sqlite3_result_null(context);
}

/* With the pass over the table that is read next. */
static void register_pass(struct nsys_pass *pass)
{
    (void)sqlite3_create_function_v2(pass->row.db->db, "rf_read_row", -1,
                                     SQLITE_UTF8 | SQLITE_DIRECTONLY, pass, NULL, read_row,
                                     end_rows, NULL);
}

/* ---- The statement ---- */

int nsys_db_list_columns(struct nsys_db *db, const char *table, nsys_column_fn add, void *context)
{
    sqlite3_stmt *info = NULL;
    int step = SQLITE_ERROR, status = RF_OK;
    if (sqlite3_prepare_v2(db->db, "SELECT name, type, \"notnull\", pk FROM pragma_table_info(?1)",
                           -1, &info, NULL) == SQLITE_OK) {
        (void)sqlite3_bind_text(info, 1, table, -1, SQLITE_STATIC);
        while (status == RF_OK && (step = sqlite3_step(info)) == SQLITE_ROW)
            status = add(context, info);
    }
    (void)sqlite3_finalize(info);
    return status == RF_OK && step != SQLITE_DONE ? nsys_db_fail(db, table) : status;
}

/* Adds a column to the statement if it is to be read. %w doubles quotes: a name stays a name. */
static int add_column(void *context, sqlite3_stmt *info)
{
    struct nsys_pass *pass = context;
    const char *name = (const char *)sqlite3_column_text(info, 0);
    for (int i = 0; i < pass->n_columns; i++) {
        bool tests = nsys_is_test(pass->reader->columns[i]);
        if (sqlite3_stricmp(name, pass->reader->columns[i] + (tests ? 1 : 0)) != 0)
            continue;
        if (pass->n_cells > 0)
            sqlite3_str_appendall(pass->sql, ", ");
        /* typeof() does not read a long value */
        sqlite3_str_appendf(pass->sql, tests ? "typeof(\"%w\") <> 'null'" : "\"%w\"", name);
        pass->cell_of[pass->n_cells++] = i;
    }
    return RF_OK;
}

/* The number of the row, which is no column of its own. */
static void add_row_id(struct nsys_pass *pass)
{
    for (int i = 0; i < pass->n_columns; i++)
        if (strcmp(pass->reader->columns[i], NSYS_ROW_ID) == 0) {
            sqlite3_str_appendall(pass->sql, pass->n_cells > 0 ? ", rowid" : "rowid");
            pass->cell_of[pass->n_cells++] = i;
        }
}

/* NULL: the error is in *status. */
static sqlite3_stmt *prepare_pass(struct nsys_pass *pass, int *status)
{
    struct nsys_db *db = pass->row.db;
    sqlite3_stmt *stmt = NULL;
    pass->sql = sqlite3_str_new(db->db);
    sqlite3_str_appendall(pass->sql, "SELECT rf_read_row(");
    *status = nsys_db_list_columns(db, pass->row.table, add_column, pass);
    add_row_id(pass);
    /* in the order of the table, also where an index has all that is asked for */
    sqlite3_str_appendf(pass->sql, ") FROM main.\"%w\" NOT INDEXED", pass->row.table);
    char *text = sqlite3_str_finish(pass->sql);
    if (*status == RF_OK && text == NULL)
        *status = nsys_db_no_memory(db);
    if (*status == RF_OK && sqlite3_prepare_v2(db->db, text, -1, &stmt, NULL) != SQLITE_OK)
        *status = nsys_db_fail(db, pass->row.table);
    sqlite3_free(text);
    return stmt;
}

static int read_table(struct nsys_pass *pass)
{
    struct nsys_db *db = pass->row.db;
    int status;
    register_pass(pass);
    sqlite3_stmt *stmt = prepare_pass(pass, &status);
    int step = stmt != NULL ? sqlite3_step(stmt) : SQLITE_ERROR;
    if (status == RF_OK && pass->status != RF_OK)
        status = pass->status;
    else if (status == RF_OK && step != SQLITE_ROW)
        status = nsys_db_fail(db, pass->row.table);
    (void)sqlite3_finalize(stmt);
    return status;
}

static int read_one(struct nsys_db *db, const struct nsys_reader *reader, void *context)
{
    struct nsys_pass pass;
    struct nsys_table *found = nsys_db_find_table(db, reader->table);
    if (found == NULL)
        return RF_OK;
    found->is_known = true;
    const struct nsys_paged_table *paged = nsys_pages_find(db->pages, found->name);
    int status = nsys_pass_init(&pass, db, found->name, reader, context);
    if (status == RF_OK)
        status = paged != NULL ? nsys_pages_read(&pass, paged) : read_table(&pass);
    nsys_pass_release(&pass);
    if (status != RF_ERR_DAMAGED || (db->flags & RF_OPEN_SALVAGE) == 0)
        return status;
    nsys_db_skip(db, found->name, "damaged: the rest of the table could not be read", 1);
    return RF_OK;
}

int nsys_db_read(struct nsys_db *db, const struct nsys_reader *readers, void *context)
{
    int status = RF_OK;
    for (; readers->table != NULL && status == RF_OK; readers++)
        status = read_one(db, readers, context);
    return status;
}

/* ---- Values ---- */

int nsys_row_skip(const struct nsys_row *row, const char *reason)
{
    nsys_db_skip(row->db, row->table, reason, 1);
    return RF_OK;
}

static bool is_wrong_type(struct nsys_row *row, int column)
{
    const struct nsys_value *cell = &row->cells[column];
    if (cell->type != SQLITE_NULL) {
        row->db->text_bytes +=
            cell->type == SQLITE_TEXT || cell->type == SQLITE_BLOB ? cell->size : 0;
        (void)nsys_row_skip(row, "value of a wrong type, taken as none");
    }
    return false;
}

bool nsys_row_other_int(struct nsys_row *row, int column, int64_t *value)
{
    const struct nsys_value *cell = &row->cells[column];
    *value = 0;
    if (cell->type == SQLITE_FLOAT && cell->real >= -9.2e18 && cell->real <= 9.2e18) {
        *value = (int64_t)cell->real;
        return true;
    }
    return is_wrong_type(row, column);
}

bool nsys_row_double(struct nsys_row *row, int column, double *value)
{
    const struct nsys_value *cell = &row->cells[column];
    *value = 0;
    if (cell->type != SQLITE_FLOAT && cell->type != SQLITE_INTEGER)
        return is_wrong_type(row, column);
    *value = cell->type == SQLITE_FLOAT ? cell->real : (double)cell->integer;
    return true;
}

uint32_t nsys_row_other_u32(struct nsys_row *row, int column)
{
    int64_t value;
    if (!nsys_row_int(row, column, &value))
        return 0;
    if (value >= 0 && value <= UINT32_MAX)
        return (uint32_t)value;
    (void)nsys_row_skip(row, "number out of range, taken as 0");
    return 0;
}

/* As SQLite writes them. */
static const char *number_text(const struct nsys_row *row, int column)
{
    const struct nsys_value *cell = &row->cells[column];
    char *text = row->numbers[column];
    return cell->type == SQLITE_INTEGER
               ? sqlite3_snprintf(NSYS_NUMBER_SIZE, text, "%lld", (sqlite3_int64)cell->integer)
               : sqlite3_snprintf(NSYS_NUMBER_SIZE, text, "%!.15g", cell->real);
}

const char *nsys_row_text(struct nsys_row *row, int column, size_t *size)
{
    const struct nsys_value *cell = &row->cells[column];
    *size = 0;
    if (cell->type == SQLITE_NULL)
        return NULL;
    if (cell->type == SQLITE_INTEGER || cell->type == SQLITE_FLOAT) {
        const char *text = number_text(row, column);
        *size = strlen(text);
        return text;
    }
    *size = cell->size;
    row->db->text_bytes += *size;
    if (*size > NSYS_MAX_TEXT) {
        *size = NSYS_MAX_TEXT;
        (void)nsys_row_skip(row, "text of more than 16 MiB, cut");
    }
    return cell->text;
}
