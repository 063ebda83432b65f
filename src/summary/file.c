/* SPDX-License-Identifier: Apache-2.0 */
/* Writing and reading the file of a summary. What is read may come from anywhere: views, triggers
 * and virtual tables are not used, and reading stops where more comes out than the file can hold.
 */
#include "summary/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/output.h"
#include "base/rank_list.h"
#include "summary/file_counter_ranges.h"
#include "summary/file_counters.h"
#include "summary/file_identities.h"
#include "summary/file_values.h"
#include "summary/order.h"
#include "summary/tallies/file_tallies.h"

/* ---- Statements ---- */

static void run(struct rf_summary_file *file, const char *sql)
{
    if (file->status == RF_OK && sqlite3_exec(file->db, sql, NULL, NULL, NULL) != SQLITE_OK)
        rf_summary_file_fail_database(file, "write");
}

static sqlite3_stmt *prepare(struct rf_summary_file *file, const char *sql, const char *verb)
{
    sqlite3_stmt *stmt = NULL;
    if (file->status == RF_OK && sqlite3_prepare_v2(file->db, sql, -1, &stmt, NULL) != SQLITE_OK)
        rf_summary_file_fail_database(file, verb);
    return stmt;
}

/* ---- Writing ---- */

/* A page is the least that a table takes, and most tables of one recording have a few rows. */
#define SMALL_PAGE 512
#define LARGE_PAGE 1024 /* of several recordings */

static void write_tables(struct rf_summary_file *file)
{
    char settings[320];
    const struct rf_summary_table *table;
    (void)snprintf(settings, sizeof(settings),
                   "PRAGMA page_size=%d; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
                   "PRAGMA locking_mode=EXCLUSIVE; PRAGMA temp_store=MEMORY;"
                   "PRAGMA application_id=%d; PRAGMA user_version=%d; BEGIN",
                   file->out->n_inputs > 1 ? LARGE_PAGE : SMALL_PAGE, RF_SUMMARY_APPLICATION,
                   RF_SUMMARY_VERSION);
    run(file, settings);
    for (size_t i = 0; (table = rf_summary_table_at(i)) != NULL; i++) {
        if (table->create == NULL)
            continue;
        run(file, table->create);
        sqlite3_stmt *insert = prepare(file, table->insert, "write");
        if (insert != NULL)
            table->write(file, insert);
        (void)sqlite3_finalize(insert);
    }
    run(file, "COMMIT");
}

static void write_database(struct rf_summary_file *file, const char *temporary)
{
    if (sqlite3_open_v2(temporary, &file->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) !=
        SQLITE_OK)
        rf_summary_file_fail_database(file, "write");
    else
        write_tables(file);
    if (sqlite3_close(file->db) != SQLITE_OK)
        rf_summary_file_fail(file, RF_ERR_IO);
    free(file->text);
}

int rf_summary_write(const rf_summary *summary, const char *path, int can_overwrite,
                     struct rf_err *err)
{
    struct rf_output output = {0};
    rf_summary ordered;
    if (summary == NULL || path == NULL)
        return rf_fail(err, RF_ERR_USAGE, "rf_summary_write: summary or path is NULL");
    struct rf_summary_file file = {.path = path, .err = err, .out = &ordered};
    int status = rf_output_open(&output, path, can_overwrite != 0, err);
    if (status != RF_OK)
        return status;
    if (output.temporary == NULL) {
        rf_output_abandon(&output);
        return rf_fail(err, RF_ERR_USAGE, "a summary is written to a file, and '%s' is none", path);
    }
    rf_summary_init(&ordered);
    rf_summary_file_fail(&file, rf_summary_order(&ordered, summary));
    if (file.status == RF_OK)
        write_database(&file, output.temporary);
    rf_summary_release(&ordered);
    if (file.status == RF_OK)
        return rf_output_commit(&output, err);
    rf_output_abandon(&output);
    return file.status;
}

/* ---- Reading ---- */

int rf_is_summary(const char *path)
{
    unsigned char start[72];
    struct stat st;
    if (path == NULL || stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? pread(fd, start, sizeof(start), 0) : -1;
    if (fd >= 0)
        (void)close(fd);
    if (n != (ssize_t)sizeof(start) || memcmp(start, "SQLite format 3", 16) != 0)
        return 0;
    uint32_t id = (uint32_t)start[68] << 24 | (uint32_t)start[69] << 16 | (uint32_t)start[70] << 8 |
                  start[71];
    return id == RF_SUMMARY_APPLICATION;
}

static int on_progress(void *context)
{
    struct rf_summary_file *file = context;
    return ++file->n_ticks > file->max_ticks;
}

#define TICK             1000 /* of SQLite's virtual machine */
#define TICKS_BEFORE_ALL 1000 /* that any file may cost */
#define BYTES_PER_TICK   40   /* a row has a few bytes, and costs a few dozen steps */

static void restrict_database(struct rf_summary_file *file)
{
    struct stat st;
    (void)sqlite3_db_config(file->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    (void)sqlite3_db_config(file->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
#ifdef SQLITE_DBCONFIG_ENABLE_VIEW
    (void)sqlite3_db_config(file->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
#endif
#ifdef SQLITE_DBCONFIG_TRUSTED_SCHEMA
    (void)sqlite3_db_config(file->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
#endif
    uint64_t size = stat(file->path, &st) == 0 ? (uint64_t)st.st_size : 0;
    file->max_ticks = TICKS_BEFORE_ALL + size / BYTES_PER_TICK;
    sqlite3_progress_handler(file->db, TICK, on_progress, file);
    (void)sqlite3_exec(file->db, "PRAGMA cell_size_check=ON; PRAGMA query_only=ON", NULL, NULL,
                       NULL);
}

/* Notes that the file has a table that some files lack. */
static void note_table(struct rf_summary_file *file, const char *name)
{
    const struct rf_summary_table *table;
    for (size_t i = 0; name != NULL && (table = rf_summary_table_at(i)) != NULL; i++)
        if (table->since != NULL && strcmp(table->since, name) == 0)
            file->later_tables |= 1ULL << i;
}

/* Ordinary tables alone: nothing else has a page. */
static void check_schema(struct rf_summary_file *file)
{
    sqlite3_stmt *row = prepare(file, "SELECT type, name, rootpage FROM sqlite_master", "read");
    int step = SQLITE_DONE;
    while (row != NULL && file->status == RF_OK && (step = sqlite3_step(row)) == SQLITE_ROW) {
        const char *type = (const char *)sqlite3_column_text(row, 0);
        const bool is_table = type != NULL && strcmp(type, "table") == 0;
        if ((!is_table && (type == NULL || strcmp(type, "index") != 0)) ||
            sqlite3_column_int64(row, 2) == 0)
            rf_summary_file_damaged(file, "a view, trigger or virtual table");
        else if (is_table)
            note_table(file, (const char *)sqlite3_column_text(row, 1));
    }
    if (step != SQLITE_DONE && step != SQLITE_ROW)
        rf_summary_file_fail_database(file, "read");
    (void)sqlite3_finalize(row);
}

static void check_version(struct rf_summary_file *file)
{
    sqlite3_stmt *stmt = prepare(file, "PRAGMA user_version", "read");
    int64_t version = 0;
    if (stmt != NULL && sqlite3_step(stmt) == SQLITE_ROW)
        version = sqlite3_column_int64(stmt, 0);
    else
        rf_summary_file_fail_database(file, "read");
    (void)sqlite3_finalize(stmt);
    if (file->status == RF_OK && version > RF_SUMMARY_VERSION)
        file->status = rf_fail(file->err, RF_ERR_FORMAT,
                               "'%s' is a summary of version %lld; this program reads up to %d: "
                               "use a newer rangefinder",
                               file->path, (long long)version, RF_SUMMARY_VERSION);
    else if (version < 1)
        rf_summary_file_damaged(file, "its version");
}

static void read_table(struct rf_summary_file *file, const struct rf_summary_table *table)
{
    sqlite3_stmt *row = prepare(file, table->select, "read");
    int step = SQLITE_DONE;
    while (file->status == RF_OK && (step = sqlite3_step(row)) == SQLITE_ROW)
        table->read_row(file, row);
    if (step != SQLITE_DONE && step != SQLITE_ROW)
        rf_summary_file_fail_database(file, "read");
    (void)sqlite3_finalize(row);
}

static void read_tables(struct rf_summary_file *file)
{
    const struct rf_summary_table *table;
    for (size_t i = 0; (table = rf_summary_table_at(i)) != NULL; i++)
        if (table->since == NULL || (file->later_tables >> i & 1) != 0)
            read_table(file, table);
}

static void check_buckets(struct rf_summary_file *file)
{
    for (size_t i = 0; i < file->summary->n_rows && file->status == RF_OK; i++)
        if (!rf_summary_row_has_buckets(&file->summary->row[i]))
            rf_summary_file_damaged(file, "the buckets of a sum");
}

/* The URI of a file that nobody changes: no journal beside it is looked at. */
static char *make_uri(const char *path)
{
    char *uri = malloc(3 * strlen(path) + 64);
    if (uri == NULL)
        return NULL;
    char *to = uri + sprintf(uri, "file:%s", path[0] == '/' ? "//" : "");
    for (const char *c = path; *c != '\0'; c++) {
        bool is_plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                        (*c >= '0' && *c <= '9') || *c == '/' || *c == '.' || *c == '_';
        to += sprintf(to, is_plain ? "%c" : "%%%02X", (unsigned char)*c);
    }
    (void)strcpy(to, "?mode=ro&immutable=1");
    return uri;
}

static void read_database(struct rf_summary_file *file)
{
    char *uri = make_uri(file->path);
    if (uri == NULL)
        rf_summary_file_fail(file, RF_ERR_NO_MEMORY);
    else if (sqlite3_open_v2(uri, &file->db,
                             SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX,
                             NULL) != SQLITE_OK)
        rf_summary_file_fail_database(file, "read");
    free(uri);
    if (file->status == RF_OK) {
        restrict_database(file);
        check_version(file);
        check_schema(file);
        read_tables(file);
        check_buckets(file);
        rf_file_check_counters(file);
        rf_file_check_counter_ranges(file);
        rf_file_check_identities(file);
        rf_file_check_tallies(file);
    }
    (void)sqlite3_close(file->db);
    free(file->thread);
    free(file->series);
    free(file->text);
}

static void swap(rf_summary *a, rf_summary *b)
{
    const rf_summary before = *a;
    *a = *b;
    *b = before;
}

int rf_summary_read(rf_summary *summary, const char *path, struct rf_err *err)
{
    return rf_summary_read_ranks(summary, path, NULL, err);
}

int rf_summary_read_ranks(rf_summary *summary, const char *path, const char *ranks,
                          struct rf_err *err)
{
    rf_summary read;
    int status = ranks != NULL ? rf_rank_list_check(ranks, err) : RF_OK;
    if (status != RF_OK)
        return status;
    if (summary == NULL || path == NULL)
        return rf_fail(err, RF_ERR_USAGE, "rf_summary_read: summary or path is NULL");
    if (access(path, R_OK) != 0)
        return rf_fail(err, RF_ERR_IO, "cannot open '%s': %s", path, rf_write_error(errno));
    if (!rf_is_summary(path))
        return rf_fail(err, RF_ERR_FORMAT, "'%s' is no summary", path);
    struct rf_summary_file file = {.path = path, .err = err, .summary = &read};
    rf_summary_init(&read);
    read_database(&file);
    const struct rf_absorb_choice choice = {.ranks = ranks};
    if (file.status == RF_OK)
        rf_summary_file_fail(&file, rf_summary_identities_are_of(&read, path));
    status = file.status;
    if (status == RF_OK && ranks == NULL && summary->n_inputs == 0 && read.n_inputs == 1)
        swap(summary, &read);
    else if (status == RF_OK)
        status = rf_summary_absorb(summary, &read, &choice, err);
    rf_summary_release(&read);
    return status;
}
