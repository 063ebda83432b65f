/* SPDX-License-Identifier: Apache-2.0 */
/* A copy of an export of nsys without private data. It is a new database, written row by row: its
 * free pages hold nothing that was removed either. Views and triggers of the source are not used;
 * the tables are made from names and plain types. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/map.h"
#include "base/output.h"
#include "import/nsys_rows.h"
#include "import/scrub_rules.h"

#define MAX_COLUMNS 100 /* an SQL function takes no more in older versions of SQLite */

struct column {
    char *name;
    enum scrub_column rule;
    bool is_required; /* a text that is removed leaves "" */
};

struct scrub {
    struct nsys_db in;
    sqlite3 *out;
    const char *output;
    struct rf_err *err;
    struct rf_map strings; /* id to enum scrub_column: what rows that stay refer to */
    /* The table that is being copied. */
    const char *table;
    enum scrub_table rule;
    struct column column[MAX_COLUMNS];
    int n_columns, id_column, name_column, value_column;
    sqlite3_stmt *insert;
    sqlite3_str *create;
};

static int fail_memory(struct scrub *scrub)
{
    return rf_fail(scrub->err, RF_ERR_NO_MEMORY, "cannot scrub '%s': out of memory",
                   scrub->in.path);
}

static int fail_write(struct scrub *scrub)
{
    return rf_fail(scrub->err, RF_ERR_IO, "cannot write '%s': SQLite says: %s", scrub->output,
                   sqlite3_errmsg(scrub->out));
}

static int run(struct scrub *scrub, const char *sql)
{
    return sqlite3_exec(scrub->out, sql, NULL, NULL, NULL) == SQLITE_OK ? RF_OK : fail_write(scrub);
}

/* ---- Columns ---- */

/* The type of a column is a text of the source too, which is not copied. */
static const char *plain_type(const char *type)
{
    if (type == NULL || type[0] == '\0')
        return "";
    if (sqlite3_strlike("%int%", type, 0) == 0)
        return "INTEGER";
    if (sqlite3_strlike("%char%", type, 0) == 0 || sqlite3_strlike("%text%", type, 0) == 0)
        return "TEXT";
    return sqlite3_strlike("%blob%", type, 0) == 0 ? "BLOB" : "REAL";
}

static bool is_named(const char *name, const char *wanted)
{
    return sqlite3_stricmp(name, wanted) == 0;
}

static int add_column(void *context, sqlite3_stmt *info)
{
    struct scrub *scrub = context;
    if (scrub->n_columns == MAX_COLUMNS)
        return rf_fail(scrub->err, RF_ERR_UNSUPPORTED,
                       "cannot scrub '%s': its table %.100s has more than %d columns",
                       scrub->in.path, scrub->table, MAX_COLUMNS);
    const char *name = (const char *)sqlite3_column_text(info, 0);
    const char *type = plain_type((const char *)sqlite3_column_text(info, 1));
    struct column *column = &scrub->column[scrub->n_columns];
    column->name = name != NULL ? strdup(name) : NULL;
    if (column->name == NULL)
        return fail_memory(scrub);
    column->rule = scrub_column_rule(scrub->table, name);
    column->is_required = sqlite3_column_int(info, 2) != 0;
    if (is_named(name, "id"))
        scrub->id_column = scrub->n_columns;
    if (is_named(name, "name"))
        scrub->name_column = scrub->n_columns;
    if (is_named(name, "value"))
        scrub->value_column = scrub->n_columns;
    sqlite3_str_appendf(
        scrub->create, "%s\"%w\" %s%s", scrub->n_columns++ > 0 ? ", " : "", name, type,
        is_named(name, "id") && strcmp(type, "INTEGER") == 0 && sqlite3_column_int(info, 3) == 1
            ? " PRIMARY KEY"
            : "");
    return RF_OK;
}

/* Makes the table, and the statement that fills it. */
static int begin_table(struct scrub *scrub, const char *table)
{
    scrub->table = table;
    scrub->rule = scrub_table_rule(table);
    scrub->n_columns = 0;
    scrub->id_column = scrub->name_column = scrub->value_column = -1;
    scrub->create = sqlite3_str_new(scrub->out);
    sqlite3_str_appendf(scrub->create, "CREATE TABLE main.\"%w\"(", table);
    int status = nsys_db_list_columns(&scrub->in, table, add_column, scrub);
    sqlite3_str_appendall(scrub->create, ")");
    char *create = sqlite3_str_finish(scrub->create);
    if (status == RF_OK)
        status = create != NULL ? run(scrub, create) : fail_memory(scrub);
    sqlite3_free(create);
    sqlite3_str *sql = sqlite3_str_new(scrub->out);
    sqlite3_str_appendf(sql, "INSERT INTO main.\"%w\" VALUES(", table);
    for (int i = 0; i < scrub->n_columns; i++)
        sqlite3_str_appendall(sql, i > 0 ? ", ?" : "?");
    sqlite3_str_appendall(sql, ")");
    char *insert = sqlite3_str_finish(sql);
    if (status == RF_OK && insert == NULL)
        status = fail_memory(scrub);
    if (status == RF_OK &&
        sqlite3_prepare_v2(scrub->out, insert, -1, &scrub->insert, NULL) != SQLITE_OK)
        status = fail_write(scrub);
    sqlite3_free(insert);
    return status;
}

static void end_table(struct scrub *scrub)
{
    (void)sqlite3_finalize(scrub->insert);
    scrub->insert = NULL;
    for (int i = 0; i < MAX_COLUMNS; i++) {
        free(scrub->column[i].name);
        scrub->column[i].name = NULL;
    }
}

/* ---- Rows ---- */

static bool is_number(const struct nsys_row *row, int column)
{
    int type = row->cells[column].type;
    return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

/* A string that is a name anywhere stays whole, even if it is a path elsewhere. */
static int mark_string(struct scrub *scrub, enum scrub_column rule, int64_t id)
{
    uint32_t known = rf_map_find(&scrub->strings, (uint64_t)id, 0);
    if (known == (uint32_t)rule || known == SCRUB_NAME)
        return RF_OK;
    return rf_map_set(&scrub->strings, (uint64_t)id, 0, (uint32_t)rule) == RF_OK
               ? RF_OK
               : fail_memory(scrub);
}

static bool keeps_setting(struct scrub *scrub, struct nsys_row *row)
{
    size_t size = 0;
    int i = scrub->value_column;
    if (scrub->name_column < 0 || i < 0)
        return false;
    const char *value = nsys_row_text(row, i, &size);
    bool has_number = is_number(row, i) || value == NULL || scrub_is_number(value, size);
    const struct nsys_value *cell = &row->cells[scrub->name_column];
    const char *name = cell->type == SQLITE_TEXT ? cell->text : NULL;
    return name != NULL && scrub_keeps_setting(scrub->table, name, has_number);
}

/* What stays of a string; NULL: all of it, as it is. */
static const char *part_of_string(struct scrub *scrub, struct nsys_row *row, size_t *size)
{
    int64_t id = 0;
    if (scrub->id_column < 0 || !nsys_row_int(row, scrub->id_column, &id) ||
        rf_map_find(&scrub->strings, (uint64_t)id, 0) != SCRUB_PATH)
        return NULL;
    const char *text = nsys_row_text(row, scrub->value_column, size);
    return text != NULL ? scrub_file_name(text, size) : NULL;
}

static bool keeps_string(struct scrub *scrub, struct nsys_row *row)
{
    int64_t id = 0;
    return scrub->id_column >= 0 && scrub->value_column >= 0 &&
           nsys_row_int(row, scrub->id_column, &id) &&
           rf_map_find(&scrub->strings, (uint64_t)id, 0) != RF_MAP_NONE;
}

static bool keeps_row(struct scrub *scrub, struct nsys_row *row)
{
    switch (scrub->rule) {
    case SCRUB_SETTINGS:
        return keeps_setting(scrub, row);
    case SCRUB_STRINGS:
        return keeps_string(scrub, row);
    default:
        return scrub->rule != SCRUB_NOTHING;
    }
}

static bool keeps_text(const struct scrub *scrub, struct nsys_row *row, int i)
{
    size_t size;
    if (scrub->rule == SCRUB_SETTINGS && i != scrub->name_column && i != scrub->value_column)
        return false;
    if (scrub->rule == SCRUB_PROCESSES)
        return false;
    const char *text = nsys_row_text(row, i, &size);
    return scrub->rule != SCRUB_NUMBERS || scrub_is_number(text, size);
}

static int bind_text(const struct scrub *scrub, int i, const char *text, size_t size)
{
    return sqlite3_bind_text64(scrub->insert, i + 1, text, size, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/* A value as it is. */
static int bind_cell(const struct scrub *scrub, const struct nsys_value *cell, int i)
{
    switch (cell->type) {
    case SQLITE_INTEGER:
        return sqlite3_bind_int64(scrub->insert, i + 1, cell->integer);
    case SQLITE_FLOAT:
        return sqlite3_bind_double(scrub->insert, i + 1, cell->real);
    case SQLITE_TEXT:
        return bind_text(scrub, i, cell->text, cell->size);
    case SQLITE_BLOB:
        return sqlite3_bind_blob64(scrub->insert, i + 1, cell->text, cell->size, SQLITE_STATIC);
    default:
        return sqlite3_bind_null(scrub->insert, i + 1);
    }
}

/* A value that is no number. */
static int bind_other(struct scrub *scrub, struct nsys_row *row, int i)
{
    size_t size = 0;
    const char *part = NULL;
    if (!nsys_row_has(row, i))
        return sqlite3_bind_null(scrub->insert, i + 1);
    if (scrub->rule == SCRUB_STRINGS && i == scrub->value_column)
        part = part_of_string(scrub, row, &size);
    if (scrub->rule == SCRUB_PROCESSES && i == scrub->name_column) {
        part = nsys_row_text(row, i, &size);
        part = part != NULL ? scrub_executable(part, &size) : "";
    }
    if (part != NULL)
        return bind_text(scrub, i, part, size);
    if (keeps_text(scrub, row, i))
        return bind_cell(scrub, &row->cells[i], i);
    return scrub->column[i].is_required ? bind_text(scrub, i, "", 0)
                                        : sqlite3_bind_null(scrub->insert, i + 1);
}

static int copy_row(void *context, struct nsys_row *row)
{
    struct scrub *scrub = context;
    int code = SQLITE_OK, status = RF_OK;
    if (!keeps_row(scrub, row))
        return RF_OK;
    for (int i = 0; i < scrub->n_columns && code == SQLITE_OK && status == RF_OK; i++) {
        if (!is_number(row, i)) {
            code = bind_other(scrub, row, i);
            continue;
        }
        code = bind_cell(scrub, &row->cells[i], i);
        if (scrub->column[i].rule != SCRUB_PLAIN && row->cells[i].type == SQLITE_INTEGER)
            status = mark_string(scrub, scrub->column[i].rule, row->cells[i].integer);
    }
    if (status == RF_OK && (code != SQLITE_OK || sqlite3_step(scrub->insert) != SQLITE_DONE))
        status = fail_write(scrub);
    (void)sqlite3_reset(scrub->insert);
    return status;
}

/* ---- Tables ---- */

static int copy_table(struct scrub *scrub, const char *table)
{
    const char *names[MAX_COLUMNS + 1] = {NULL};
    const struct nsys_reader readers[] = {{table, copy_row, names}, {.table = NULL}};
    int status = begin_table(scrub, table);
    for (int i = 0; i < scrub->n_columns; i++)
        names[i] = scrub->column[i].name;
    if (status == RF_OK && scrub->rule != SCRUB_NOTHING)
        status = nsys_db_read(&scrub->in, readers, scrub);
    end_table(scrub);
    return status;
}

/* Strings are copied in a second pass, when it is known which of them are used. */
static int copy_tables(struct scrub *scrub)
{
    int status = run(scrub, "BEGIN");
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < scrub->in.n_tables && status == RF_OK; i++) {
            const char *table = scrub->in.table[i].name;
            if (sqlite3_strnicmp(table, "sqlite_", 7) != 0 &&
                (scrub_table_rule(table) == SCRUB_STRINGS) == (pass == 1))
                status = copy_table(scrub, table);
        }
    }
    return status == RF_OK ? run(scrub, "COMMIT") : status;
}

static int write_copy(struct scrub *scrub, const char *path)
{
    static const char settings[] = "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
                                   "PRAGMA locking_mode=EXCLUSIVE; PRAGMA trusted_schema=OFF";
    int code =
        sqlite3_open_v2(path, &scrub->out, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    if (scrub->out == NULL)
        return fail_memory(scrub);
    int status = code == SQLITE_OK ? run(scrub, settings) : fail_write(scrub);
    if (status == RF_OK)
        status = copy_tables(scrub);
    if (sqlite3_close(scrub->out) != SQLITE_OK && status == RF_OK)
        status = rf_fail(scrub->err, RF_ERR_IO, "cannot write '%s'", scrub->output);
    return status;
}

int rf_scrub_export(const char *input, const char *output, int can_overwrite, struct rf_err *err)
{
    struct rf_output file = {0};
    struct scrub scrub = {.output = output, .err = err};
    if (input == NULL || output == NULL)
        return rf_fail(err, RF_ERR_USAGE, "rf_scrub_export: input or output is NULL");
    int status = nsys_db_open(&scrub.in, input, 0, err);
    if (status == RF_OK)
        status = rf_output_open(&file, output, can_overwrite, err);
    if (status == RF_OK && file.temporary == NULL)
        status = rf_fail(err, RF_ERR_USAGE, "cannot write a database to '%s': name a file", output);
    if (status == RF_OK)
        status = write_copy(&scrub, file.temporary);
    if (status == RF_OK)
        status = rf_output_commit(&file, err);
    else
        rf_output_abandon(&file);
    nsys_db_close(&scrub.in);
    rf_map_release(&scrub.strings);
    return status;
}
