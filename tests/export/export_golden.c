/* SPDX-License-Identifier: Apache-2.0 */
/* export_golden FOLDER: writes a sample and an empty recording in every format, and their reports
 * in every form, into FOLDER; of the databases the rows, one per line. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rf_writer.h"
#include "sample.h"

static char *folder;

static char *path_of(const char *name, const char *suffix)
{
    char *path;
    if (asprintf(&path, "%s/%s.%s", folder, name, suffix) < 0)
        abort();
    return path;
}

static void check(int status, const struct rf_err *err)
{
    if (status == RF_OK)
        return;
    (void)fprintf(stderr, "%s: %s\n", rf_error_name(status), err->text);
    exit(1);
}

static void export_as(const rf_recording *rec, const char *name, const char *format,
                      const char *suffix)
{
    struct rf_err err = {0};
    char *path = path_of(name, suffix);
    struct rf_export_options options = {
        .size = sizeof(options), .format = format, .output = path, .can_overwrite = 1};
    check(rf_export(rec, &options, &err), &err);
    free(path);
}

/* As PyTorch's profiler writes it; the name of the file stands in it. */
static void export_kineto(const rf_recording *rec, const char *name)
{
    struct rf_err err = {0};
    const struct rf_kineto_options kineto = {.size = sizeof(kineto), .rank = -1};
    char *path = path_of(name, "kineto.json");
    if (chdir(folder) != 0)
        exit(1);
    const struct rf_export_options options = {.size = sizeof(options),
                                              .format = "json",
                                              .output = strrchr(path, '/') + 1,
                                              .can_overwrite = 1,
                                              .kineto = &kineto};
    check(rf_export(rec, &options, &err), &err);
    free(path);
}

static void report_as(const rf_recording *rec, const char *name, const char *form,
                      const char *suffix)
{
    struct rf_err err = {0};
    char *path = path_of(name, suffix);
    struct rf_report_options options = {.size = sizeof(options),
                                        .report = "nvtx_sum",
                                        .format = form,
                                        .output = path,
                                        .can_overwrite = 1,
                                        .by_process = 0};
    check(rf_report(rec, &options, &err), &err);
    free(path);
}

/* Text that is not UTF-8 is legible in hexadecimal. */
static void dump_value(FILE *to, sqlite3_stmt *rows, int column)
{
    const unsigned char *text = sqlite3_column_text(rows, column);
    int size = sqlite3_column_bytes(rows, column);
    if (sqlite3_column_type(rows, column) != SQLITE_TEXT) {
        (void)fprintf(to, "%s", text != NULL ? (const char *)text : "NULL");
        return;
    }
    (void)fputc('\'', to);
    for (int i = 0; i < size; i++) {
        if (text[i] < ' ' || text[i] >= 0x7f)
            (void)fprintf(to, "\\x%02x", text[i]);
        else
            (void)fputc(text[i], to);
    }
    (void)fputc('\'', to);
}

static void dump_columns(FILE *to, sqlite3 *db, const char *table, sqlite3_stmt *rows)
{
    for (int i = 0; i < sqlite3_column_count(rows); i++) {
        const char *name = sqlite3_column_name(rows, i);
        const char *type = NULL;
        int is_not_null = 0;
        int is_key = 0;
        (void)sqlite3_table_column_metadata(db, NULL, table, name, &type, NULL, &is_not_null,
                                            &is_key, NULL);
        (void)fprintf(to, "%s%s %s%s%s", i > 0 ? "|" : "", name, type != NULL ? type : "",
                      is_not_null ? " NOT NULL" : "", is_key ? " KEY" : "");
    }
    (void)fputc('\n', to);
}

static void dump_rows(FILE *to, sqlite3 *db, const char *table)
{
    char sql[200];
    sqlite3_stmt *rows = NULL;
    (void)fprintf(to, "== %s\n", table);
    (void)snprintf(sql, sizeof(sql), "SELECT * FROM \"%s\"", table);
    if (sqlite3_prepare_v2(db, sql, -1, &rows, NULL) != SQLITE_OK)
        exit(1);
    dump_columns(to, db, table, rows);
    while (sqlite3_step(rows) == SQLITE_ROW) {
        for (int i = 0; i < sqlite3_column_count(rows); i++) {
            if (i > 0)
                (void)fputc('|', to);
            dump_value(to, rows, i);
        }
        (void)fputc('\n', to);
    }
    (void)sqlite3_finalize(rows);
}

static void dump_database(const char *name, int has_enums)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *tables = NULL;
    char *from = path_of(name, "sqlite");
    char *path = path_of(name, "sqlite.txt");
    FILE *to = fopen(path, "w");
    if (to == NULL || sqlite3_open_v2(from, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(db, "SELECT name FROM sqlite_master ORDER BY name", -1, &tables, NULL) !=
            SQLITE_OK)
        exit(1);
    while (sqlite3_step(tables) == SQLITE_ROW) {
        const char *table = (const char *)sqlite3_column_text(tables, 0);
        if (strncmp(table, "ENUM_", 5) != 0 || has_enums) /* the same in every database */
            dump_rows(to, db, table);
    }
    (void)sqlite3_finalize(tables);
    (void)sqlite3_close(db);
    (void)fclose(to);
    (void)remove(from);
    free(from);
    free(path);
}

static void write_all(const rf_recording *rec, const char *name, int has_enums)
{
    export_as(rec, name, "json", "json");
    export_kineto(rec, name);
    export_as(rec, name, "jsonl", "jsonl");
    export_as(rec, name, "csv", "csv");
    export_as(rec, name, "text", "txt");
    export_as(rec, name, "sqlite", "sqlite");
    dump_database(name, has_enums);
    report_as(rec, name, "column", "nvtx_sum.txt");
    report_as(rec, name, "csv", "nvtx_sum.csv");
    report_as(rec, name, "json", "nvtx_sum.json");
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    folder = realpath(argv[1], NULL);
    if (folder == NULL)
        return 1;
    rf_recording *sample = sample_new();
    rf_recording *focused = sample_focused_new();
    rf_recording *gpu = sample_gpu_new();
    rf_recording *empty = fake_new();
    struct rfw *w = rfw_new();
    rf_recording *payloads = sample_payloads_new(w);
    write_all(sample, "sample", 0);
    write_all(focused, "focused", 0);
    write_all(gpu, "gpu", 0);
    write_all(empty, "empty", 1);
    export_as(payloads, "payloads", "csv", "csv");
    fake_free(sample);
    fake_free(focused);
    fake_free(gpu);
    fake_free(empty);
    rf_close(payloads);
    rfw_free(w);
    free(folder);
    return 0;
}
