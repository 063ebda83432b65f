/* SPDX-License-Identifier: Apache-2.0 */
#include "export/sqlite/sqlite_db.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"

static int describe_error(const struct rf_sqlite *out)
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

void rf_sqlite_fail(struct rf_sqlite *out)
{
    if (out->status == RF_OK)
        out->status = describe_error(out);
}

void rf_sqlite_fail_memory(struct rf_sqlite *out)
{
    if (out->status == RF_OK)
        out->status = rf_fail(out->job->err, RF_ERR_NO_MEMORY, "out of memory");
}

void *rf_sqlite_alloc(struct rf_sqlite *out, size_t n, size_t size)
{
    void *items = out->status == RF_OK ? calloc(n + 1, size) : NULL;
    if (items == NULL)
        rf_sqlite_fail_memory(out);
    return items;
}

void rf_sqlite_run(struct rf_sqlite *out, const char *sql)
{
    if (out->status == RF_OK && sqlite3_exec(out->db, sql, NULL, NULL, NULL) != SQLITE_OK)
        rf_sqlite_fail(out);
}

void rf_sqlite_run_made(struct rf_sqlite *out, char *sql)
{
    if (sql != NULL)
        rf_sqlite_run(out, sql);
    else
        rf_sqlite_fail_memory(out);
    sqlite3_free(sql);
}

/* ---- Questions ---- */

sqlite3_stmt *rf_sqlite_ask(struct rf_sqlite *out, char *sql)
{
    sqlite3_stmt *question = NULL;
    if (sql == NULL)
        rf_sqlite_fail_memory(out);
    else if (out->status == RF_OK &&
             sqlite3_prepare_v2(out->db, sql, -1, &question, NULL) != SQLITE_OK)
        rf_sqlite_fail(out);
    sqlite3_free(sql);
    return question;
}

bool rf_sqlite_answer(struct rf_sqlite *out, sqlite3_stmt *question)
{
    if (question == NULL)
        return false;
    int code = out->status == RF_OK ? sqlite3_step(question) : SQLITE_DONE;
    if (code == SQLITE_ROW)
        return true;
    if (code != SQLITE_DONE)
        rf_sqlite_fail(out);
    (void)sqlite3_finalize(question);
    return false;
}

int64_t rf_sqlite_ask_number(struct rf_sqlite *out, char *sql)
{
    sqlite3_stmt *question = rf_sqlite_ask(out, sql);
    int64_t number = 0;
    while (rf_sqlite_answer(out, question))
        number = sqlite3_column_int64(question, 0);
    return number;
}

/* ---- Rows ---- */

void rf_sqlite_create_table(struct rf_sqlite *out, struct rf_sqlite_table *table)
{
    if (table->columns == NULL)
        return;
    char *sql = sqlite3_mprintf("CREATE TABLE %s(%s)", table->name, table->columns);
    if (sql != NULL)
        rf_sqlite_run(out, sql);
    else
        rf_sqlite_fail_memory(out);
    sqlite3_free(sql);
    table->columns = NULL;
}

void rf_sqlite_create_with(struct rf_sqlite *out, struct rf_sqlite_table *table,
                           sqlite3_str *columns)
{
    char *text = sqlite3_str_finish(columns);
    if (text == NULL)
        rf_sqlite_fail_memory(out);
    table->columns = text;
    rf_sqlite_create_table(out, table);
    sqlite3_free(text);
}

void rf_sqlite_prepare(struct rf_sqlite *out, struct rf_sqlite_table *table, size_t n)
{
    static const char more[] = ",?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?"
                               ",?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?";
    rf_sqlite_create_table(out, table);
    assert(n > 0 && 2 * (n - 1) < sizeof(more));
    char *sql =
        sqlite3_mprintf("INSERT INTO %s VALUES(?%.*s)", table->name, (int)(2 * (n - 1)), more);
    if (sql == NULL)
        rf_sqlite_fail_memory(out);
    else if (out->status == RF_OK &&
             sqlite3_prepare_v2(out->db, sql, -1, &table->insert, NULL) != SQLITE_OK)
        rf_sqlite_fail(out);
    sqlite3_free(sql);
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

void rf_sqlite_insert(struct rf_sqlite *out, struct rf_sqlite_table *table, size_t n,
                      const struct rf_sqlite_value *values)
{
    if (table->insert == NULL)
        rf_sqlite_prepare(out, table, n);
    if (out->status != RF_OK)
        return;
    int code = SQLITE_OK;
    for (size_t i = 0; i < n && code == SQLITE_OK; i++)
        code = bind(table->insert, (int)i + 1, &values[i]);
    if (code != SQLITE_OK || sqlite3_step(table->insert) != SQLITE_DONE)
        rf_sqlite_fail(out);
    else
        (void)sqlite3_reset(table->insert);
}

/* The row of a string in the whole's StringIds, which it is added to if it is new. */
static uint32_t find_shared(struct rf_sqlite *out, uint32_t string)
{
    const struct rf_sqlite_value value = rf_sqlite_name(out, string);
    sqlite3_int64 row = 0;
    if (out->status != RF_OK)
        return 0;
    if (bind(out->find_string, 1, &value) == SQLITE_OK &&
        sqlite3_step(out->find_string) == SQLITE_ROW)
        row = sqlite3_column_int64(out->find_string, 0);
    if (sqlite3_reset(out->find_string) != SQLITE_OK) {
        rf_sqlite_fail(out);
    } else if (row == 0) {
        if (bind(out->add_string, 1, &value) != SQLITE_OK ||
            sqlite3_step(out->add_string) != SQLITE_DONE)
            rf_sqlite_fail(out);
        row = sqlite3_last_insert_rowid(out->db);
        (void)sqlite3_reset(out->add_string);
    }
    return (uint32_t)row;
}

uint32_t rf_sqlite_string(struct rf_sqlite *out, uint32_t string)
{
    if (out->find_string != NULL && out->string_ids[string] == 0)
        out->string_ids[string] = find_shared(out, string);
    if (out->find_string != NULL)
        return out->string_ids[string];
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

struct rf_sqlite_value rf_sqlite_name(const struct rf_sqlite *out, uint32_t string)
{
    struct rf_sqlite_value value = {.type = SQLITE_TEXT};
    value.text = rf_string(out->rec, string, &value.size);
    return value.text != NULL ? value : rf_sqlite_null();
}

struct rf_sqlite_value rf_sqlite_hex(char buffer[20], uint64_t handle)
{
    (void)snprintf(buffer, 20, "0x%llx", (unsigned long long)handle);
    return rf_sqlite_text(buffer);
}
