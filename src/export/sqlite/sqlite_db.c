/* SPDX-License-Identifier: Apache-2.0 */
#include "export/sqlite/sqlite_db.h"

#include <stdio.h>

#include "base/error.h"

int rf_sqlite_fail(struct rf_sqlite *out)
{
    const char *path = out->job->options->output;
    int code = sqlite3_errcode(out->db);
    int system_code = sqlite3_system_errno(out->db);
    if (code == SQLITE_NOMEM)
        return rf_fail(out->job->err, RF_ERR_NO_MEMORY, "out of memory");
    if (code == SQLITE_TOOBIG)
        return rf_fail(out->job->err, RF_ERR_UNSUPPORTED,
                       "cannot write '%s': a text is longer than SQLite can hold", path);
    return rf_fail(out->job->err, RF_ERR_IO, "cannot write '%s': %s%s%s", path,
                   sqlite3_errmsg(out->db), system_code != 0 ? ": " : "",
                   system_code != 0 ? strerror(system_code) : "");
}

int rf_sqlite_run(struct rf_sqlite *out, const char *sql)
{
    return sqlite3_exec(out->db, sql, NULL, NULL, NULL) == SQLITE_OK ? RF_OK : rf_sqlite_fail(out);
}

int rf_sqlite_prepare(struct rf_sqlite *out, const char *sql, sqlite3_stmt **statement)
{
    return sqlite3_prepare_v2(out->db, sql, -1, statement, NULL) == SQLITE_OK ? RF_OK
                                                                              : rf_sqlite_fail(out);
}

int rf_sqlite_prepare_insert(struct rf_sqlite *out, const char *table, int n_columns,
                             sqlite3_stmt **statement)
{
    char sql[256];
    int n = snprintf(sql, sizeof(sql), "INSERT INTO %s VALUES(?", table);
    for (int i = 1; i < n_columns; i++)
        n += snprintf(sql + n, sizeof(sql) - (size_t)n, ",?");
    (void)snprintf(sql + n, sizeof(sql) - (size_t)n, ")");
    return rf_sqlite_prepare(out, sql, statement);
}

static int bind(sqlite3_stmt *statement, int column, const struct rf_sqlite_value *value)
{
    switch (value->type) {
    case SQLITE_INTEGER:
        return sqlite3_bind_int64(statement, column, value->integer);
    case SQLITE_FLOAT:
        return sqlite3_bind_double(statement, column, value->real);
    case SQLITE_TEXT:
        return sqlite3_bind_text64(statement, column, value->text, value->size, SQLITE_STATIC,
                                   SQLITE_UTF8);
    default:
        return sqlite3_bind_null(statement, column);
    }
}

int rf_sqlite_insert(struct rf_sqlite *out, sqlite3_stmt *statement, int n,
                     const struct rf_sqlite_value *values)
{
    for (int i = 0; i < n; i++)
        if (bind(statement, i + 1, &values[i]) != SQLITE_OK)
            return rf_sqlite_fail(out);
    if (sqlite3_step(statement) != SQLITE_DONE)
        return rf_sqlite_fail(out);
    (void)sqlite3_reset(statement);
    return RF_OK;
}

uint32_t rf_sqlite_string(struct rf_sqlite *out, uint32_t string)
{
    if (out->string_ids[string] == 0) {
        out->used_strings[out->n_used_strings++] = string;
        out->string_ids[string] = out->n_used_strings;
    }
    return out->string_ids[string];
}

struct rf_sqlite_value rf_sqlite_null(void)
{
    return (struct rf_sqlite_value){.type = SQLITE_NULL};
}

struct rf_sqlite_value rf_sqlite_int(int64_t value)
{
    return (struct rf_sqlite_value){.type = SQLITE_INTEGER, .integer = value};
}

struct rf_sqlite_value rf_sqlite_int_unless(int64_t value, int64_t none)
{
    return value == none ? rf_sqlite_null() : rf_sqlite_int(value);
}

struct rf_sqlite_value rf_sqlite_real(double value)
{
    return (struct rf_sqlite_value){.type = SQLITE_FLOAT, .real = value};
}

struct rf_sqlite_value rf_sqlite_text(const char *text)
{
    if (text == NULL)
        return rf_sqlite_null();
    return (struct rf_sqlite_value){.type = SQLITE_TEXT, .text = text, .size = strlen(text)};
}

struct rf_sqlite_value rf_sqlite_name(const rf_recording *rec, uint32_t string)
{
    struct rf_sqlite_value value = {.type = SQLITE_TEXT};
    value.text = rf_string(rec, string, &value.size);
    return value.text != NULL ? value : rf_sqlite_null();
}
