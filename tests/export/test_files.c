/* SPDX-License-Identifier: Apache-2.0 */
/* What exports promise beyond the bytes that golden.sh compares: whole files or none, the rule of
 * existing files, names, compression, progress, and what must hold in any database and trace. */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <dirent.h>
#include <sqlite3.h>
#include <zlib.h>

#include "export/chrome/json_lanes.h"
#include "sample.h"

static char folder[] = "/tmp/rf-test-export-XXXXXX";
static char output[64];

static const char *all_formats[32];
static size_t n_formats;

static int make_folder(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL)
        return -1;
    while (n_formats < 32 &&
           (all_formats[n_formats] = rf_export_format_at(n_formats, NULL)) != NULL)
        n_formats++;
    (void)snprintf(output, sizeof(output), "%s/out", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static size_t n_files(void)
{
    size_t n = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        n += entry->d_name[0] != '.';
    (void)closedir(dir);
    return n;
}

static int export_to(const rf_recording *rec, const char *format, const char *path,
                     int can_overwrite, struct rf_err *err)
{
    struct rf_export_options options = {
        .size = sizeof(options), .format = format, .output = path, .can_overwrite = can_overwrite};
    memset(err, 0, sizeof(*err));
    return rf_export(rec, &options, err);
}

static char *read_all(const char *path)
{
    struct stat st;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fstat(fileno(file), &st), 0);
    char *text = calloc(1, (size_t)st.st_size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)st.st_size, file), st.st_size);
    (void)fclose(file);
    return text;
}

/* ---- Names and files ---- */

static void test_unknown_format(void **state)
{
    rf_recording *rec = fake_new();
    struct rf_err err;
    (void)state;
    assert_int_equal(export_to(rec, "sqllite", output, 0, &err), RF_ERR_USAGE);
    assert_non_null(strstr(
        err.text,
        "unknown export format 'sqllite': did you mean 'sqlite'? the "
        "formats are sqlite, json, perfetto, fxt, jsonl, csv, folded, speedscope, html, text"));
    assert_int_equal(export_to(rec, "parquet", output, 0, &err), RF_ERR_USAGE);
    assert_null(strstr(err.text, "did you mean"));
    assert_int_equal(export_to(rec, NULL, output, 0, &err), RF_ERR_USAGE);
    assert_int_equal(export_to(rec, "csv", "", 0, &err), RF_ERR_USAGE);
    assert_int_equal(rf_export(rec,
                               &(struct rf_export_options){.size = sizeof(struct rf_export_options),
                                                           .format = "x"},
                               NULL),
                     RF_ERR_USAGE);
    assert_int_equal(n_files(), 0);
    fake_free(rec);
}

static void test_the_list(void **state)
{
    const char *description = NULL;
    (void)state;
    assert_in_range(n_formats, 6, 31);
    for (size_t i = 0; i < n_formats; i++) {
        assert_non_null(rf_export_format_at(i, &description));
        assert_in_range(strlen(description), 5, 80);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(all_formats[i], all_formats[k]);
    }
    assert_null(rf_export_format_at(n_formats, NULL));
}

/* What export and open call their files, and what a name asks for. */
static void test_file_names(void **state)
{
    static const char *const names[][2] = {
        {"a.sqlite", "sqlite"},
        {"a.json", "json"},
        {"/b.c/a.json.gz", "json"},
        {"a.pftrace", "perfetto"},
        {"a.pftrace.gz", "perfetto"},
        {"a.perfetto-trace", "perfetto"},
        {"a.csv.jsonl", "jsonl"},
        {"a.csv", "csv"},
        {"a.txt", "text"},
        {"a", NULL},
        {"", NULL},
        {"json", NULL},
        {".json", NULL},
        {"a.text", NULL},
        {"a.json.gz.gz", NULL},
        {"a.gz", NULL},
        {"ajson", NULL},
        {"a.json/b", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *format = rf_export_format_of(names[i][0]);
        assert_int_equal(format == NULL, names[i][1] == NULL);
        if (format != NULL)
            assert_string_equal(format, names[i][1]);
    }
    for (size_t i = 0; i < n_formats; i++) {
        char name[32];
        (void)snprintf(name, sizeof(name), "a.%s", rf_export_extension(all_formats[i]));
        assert_string_equal(rf_export_format_of(name), all_formats[i]);
    }
    assert_string_equal(rf_export_extension("perfetto"), "pftrace");
    assert_null(rf_export_extension("parquet"));
    assert_null(rf_export_extension(NULL));
    assert_int_equal(rf_export_is_trace("fxt"), 1);
    assert_int_equal(rf_export_is_trace("sqlite"), 0);
    assert_int_equal(rf_export_is_trace("parquet"), 0);
}

static void test_an_existing_file(void **state)
{
    rf_recording *rec = sample_new();
    struct rf_err err;
    (void)state;
    for (size_t i = 0; i < n_formats; i++) {
        FILE *file = fopen(output, "w");
        assert_non_null(file);
        (void)fputs("precious", file);
        (void)fclose(file);
        assert_int_equal(export_to(rec, all_formats[i], output, 0, &err), RF_ERR_EXISTS);
        assert_non_null(strstr(err.text, output));
        char *text = read_all(output);
        assert_string_equal(text, "precious");
        free(text);
        assert_int_equal(export_to(rec, all_formats[i], output, 1, &err), RF_OK);
        text = read_all(output);
        assert_string_not_equal(text, "precious");
        free(text);
        assert_int_equal(n_files(), 1);
        assert_int_equal(unlink(output), 0);
    }
    fake_free(rec);
}

static void test_places_a_database_cannot_go(void **state)
{
    rf_recording *rec = fake_new();
    struct rf_err err;
    (void)state;
    assert_int_equal(export_to(rec, "sqlite", "-", 0, &err), RF_ERR_USAGE);
    assert_int_equal(export_to(rec, "sqlite", "/dev/null", 1, &err), RF_ERR_USAGE);
    assert_int_equal(export_to(rec, "sqlite", "x.sqlite.gz", 1, &err), RF_ERR_USAGE);
    assert_int_equal(export_to(rec, "sqlite", "/nonexistent/x", 1, &err), RF_ERR_IO);
    assert_int_equal(export_to(rec, "json", "/nonexistent/x", 1, &err), RF_ERR_IO);
    assert_non_null(strstr(err.text, "/nonexistent/x"));
    assert_int_equal(export_to(rec, "json", "/dev/null", 1, &err), RF_OK);
    fake_free(rec);
}

/* "-" is standard output, which stays open. */
static void test_standard_output(void **state)
{
    rf_recording *rec = sample_new();
    struct rf_err err;
    (void)state;
    (void)fflush(stdout);
    int kept = dup(STDOUT_FILENO);
    FILE *file = fopen(output, "w");
    assert_non_null(file);
    assert_int_equal(dup2(fileno(file), STDOUT_FILENO), STDOUT_FILENO);
    int first = export_to(rec, "csv", "-", 0, &err);
    int second = export_to(rec, "csv", "-", 0, &err);
    assert_int_equal(dup2(kept, STDOUT_FILENO), STDOUT_FILENO);
    (void)close(kept);
    (void)fclose(file);
    assert_int_equal(first, RF_OK);
    assert_int_equal(second, RF_OK);
    char *text = read_all(output);
    const char *again = strstr(text + 1, "type,start_ns,");
    assert_non_null(again);
    assert_int_equal(strlen(again) * 2, strlen(text));
    free(text);
    assert_int_equal(unlink(output), 0);
    fake_free(rec);
}

/* What any number of events add up to, which is little. */
static bool is_of_sums(const char *format)
{
    return strcmp(format, "folded") == 0 || strcmp(format, "html") == 0;
}

/* A file may not grow beyond some size: as on a full disk, a write fails midway. */
static void test_a_full_disk_leaves_nothing(void **state)
{
    rf_recording *rec = fake_new();
    struct rf_err err;
    struct rlimit before;
    (void)state;
    for (int i = 0; i < 30000; i++)
        fake_event(rec, 0, RF_EVENT_PUSH_POP, i * 10, i * 10 + 5, 0, "range in a full disk");
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    (void)signal(SIGXFSZ, SIG_IGN);
    for (size_t i = 0; i < n_formats; i++) {
        if (is_of_sums(all_formats[i]))
            continue;
        struct rlimit limit = {100000, before.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        int status = export_to(rec, all_formats[i], output, 0, &err);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_int_equal(status, RF_ERR_IO);
        assert_non_null(strstr(err.text, "cannot write '"));
        assert_non_null(strstr(err.text, output));
        assert_non_null(strstr(err.text, i == 0 ? "disk" : "(ulimit -f)"));
        assert_int_equal(n_files(), 0);
    }
    (void)signal(SIGXFSZ, SIG_DFL);
    fake_free(rec);
}

static void test_gzip_holds_the_same(void **state)
{
    rf_recording *rec = sample_new();
    struct rf_err err;
    char packed[80];
    (void)state;
    for (int i = 0; i < 20000; i++) /* more than a few buffers */
        fake_event(rec, 0, RF_EVENT_MARK, 100000 + i, RF_NO_TIME, 0, "one of many");
    (void)snprintf(packed, sizeof(packed), "%s.gz", output);
    assert_int_equal(export_to(rec, "jsonl", output, 0, &err), RF_OK);
    assert_int_equal(export_to(rec, "jsonl", packed, 0, &err), RF_OK);
    char *text = read_all(output);
    size_t size = strlen(text);
    char *unpacked = calloc(1, size + 2);
    assert_non_null(unpacked);
    gzFile file = gzopen(packed, "r");
    assert_non_null(file);
    assert_int_equal(gzdirect(file), 0);
    assert_int_equal(gzread(file, unpacked, (unsigned)size + 1), size);
    assert_int_equal(gzclose(file), Z_OK);
    assert_string_equal(text, unpacked);
    free(text);
    free(unpacked);
    assert_int_equal(unlink(output), 0);
    assert_int_equal(unlink(packed), 0);
    fake_free(rec);
}

struct progress {
    int n_calls;
    int stop_after;
    double last;
    double before_last;
};

static int progress(void *context, double done)
{
    struct progress *seen = context;
    assert_true(done >= seen->last && done <= 1);
    seen->before_last = seen->last;
    seen->last = done;
    return ++seen->n_calls == seen->stop_after;
}

static void test_progress(void **state)
{
    rf_recording *rec = fake_new();
    struct rf_err err;
    (void)state;
    for (int i = 0; i < 200000; i++)
        fake_event(rec, 0, RF_EVENT_MARK, i, RF_NO_TIME, 0, "m");
    for (size_t i = 0; i < n_formats; i++) {
        struct progress seen = {0};
        if (is_of_sums(all_formats[i]))
            continue;
        struct rf_export_options options = {.size = sizeof(options),
                                            .format = all_formats[i],
                                            .output = output,
                                            .progress = progress,
                                            .progress_context = &seen};
        assert_int_equal(rf_export(rec, &options, &err), RF_OK);
        assert_true(seen.n_calls >= 3);
        assert_true(seen.last >= 1);
        assert_int_equal(unlink(output), 0);
        seen = (struct progress){.stop_after = 2};
        assert_int_equal(rf_export(rec, &options, &err), RF_ERR_IO);
        assert_non_null(strstr(err.text, "was stopped"));
        assert_int_equal(seen.n_calls, 2);
        assert_int_equal(n_files(), 0);
    }
    fake_free(rec);
}

/* Calls and work count once each: progress neither jumps from the middle to 1 nor stays at 1. */
static void test_progress_of_work(void **state)
{
    rf_recording *rec = fake_new();
    struct rf_err err;
    (void)state;
    (void)fake_track(rec, 0, 0, 1, 7);
    for (int i = 0; i < 100000; i++) {
        fake_event(rec, 0, RF_EVENT_MARK, i, RF_NO_TIME, 0, "m");
        (void)fake_call(rec, 0, RF_CALL_OS, i, i, "c");
        (void)fake_op(rec, RF_OP_MEMSET, i, i, NULL);
    }
    for (size_t i = 0; i < n_formats; i++) {
        struct progress seen = {0};
        if (is_of_sums(all_formats[i]))
            continue;
        struct rf_export_options options = {.size = sizeof(options),
                                            .format = all_formats[i],
                                            .output = output,
                                            .progress = progress,
                                            .progress_context = &seen};
        assert_int_equal(rf_export(rec, &options, &err), RF_OK);
        assert_true(seen.before_last > 0.6 && seen.before_last < 1 && seen.last >= 1);
        assert_int_equal(unlink(output), 0);
    }
    fake_free(rec);
}

/* ---- Databases ---- */

static int64_t query(const char *sql)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    assert_int_equal(sqlite3_open_v2(output, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    int64_t value = sqlite3_column_type(statement, 0) == SQLITE_NULL
                        ? -999
                        : sqlite3_column_int64(statement, 0);
    (void)sqlite3_finalize(statement);
    (void)sqlite3_close(db);
    return value;
}

static void test_database_of_the_sample(void **state)
{
    rf_recording *rec = sample_new();
    struct rf_err err;
    (void)state;
    assert_int_equal(export_to(rec, "sqlite", output, 0, &err), RF_OK);
    assert_int_equal(query("SELECT count(*) FROM pragma_integrity_check"
                           " WHERE integrity_check = 'ok'"),
                     1);
    /* rows come sorted */
    assert_int_equal(query("SELECT count(*) FROM NVTX_EVENTS a JOIN NVTX_EVENTS b"
                           " ON b.rowid = a.rowid + 1 WHERE b.start < a.start"),
                     0);
    /* every domain that a range uses has exactly one row 75 in its process */
    assert_int_equal(query("SELECT count(*) FROM (SELECT 1 FROM NVTX_EVENTS WHERE eventType = 75"
                           " GROUP BY globalTid & 0xFFFFFFFFFF000000, domainId"
                           " HAVING count(*) > 1)"),
                     0);
    assert_int_equal(query("SELECT count(*) FROM NVTX_EVENTS r WHERE eventType IN (34, 59, 60)"
                           " AND domainId <> 0 AND domainId <> 4660 AND NOT EXISTS (SELECT 1 FROM"
                           " NVTX_EVENTS d WHERE d.eventType = 75 AND d.domainId = r.domainId AND"
                           " d.globalTid >> 24 = r.globalTid >> 24)"),
                     0);
    assert_int_equal(query("SELECT count(*) FROM NVTX_EVENTS LEFT JOIN StringIds ON id = textId"
                           " WHERE textId IS NOT NULL AND value IS NOT 'registered'"),
                     0);
    assert_int_equal(query("SELECT count(*) FROM NVTX_EVENTS WHERE globalTid & ~0xFFFFFF NOT IN"
                           " (SELECT globalPid FROM PROCESSES)"),
                     0);
    assert_int_equal(query("SELECT count(*) - count(DISTINCT globalPid) FROM PROCESSES"), 0);
    assert_int_equal(query("SELECT count(*) - count(DISTINCT globalTid) FROM ThreadNames"), 0);
    assert_int_equal(query("SELECT count(*) FROM ThreadNames LEFT JOIN StringIds ON id = nameId"
                           " WHERE value IS NULL"),
                     0);
    assert_int_equal(query("SELECT count(*) FROM NVTX_EVENTS WHERE eventType NOT IN"
                           " (SELECT id FROM ENUM_NSYS_EVENT_TYPE)"),
                     0);
    /* what is said about a row is about that row */
    assert_int_equal(query("SELECT count(*) FROM RANGEFINDER_NVTX_CUTS JOIN NVTX_EVENTS e"
                           " ON e.rowid = eventId WHERE text IN ('never popped', 'same')"),
                     2);
    assert_int_equal(query("SELECT domainId FROM RANGEFINDER_NVTX_NOTES JOIN NVTX_EVENTS e"
                           " ON e.rowid = eventId WHERE note = 'unknown domain handle'"),
                     4660);
    assert_int_equal(query("SELECT length(CAST(text AS BLOB)) FROM NVTX_EVENTS"
                           " WHERE start = 11120"),
                     13);
    assert_int_equal(query("SELECT length(text) FROM NVTX_EVENTS WHERE start = 11100"), 0);
    assert_int_equal(query("SELECT text FROM NVTX_EVENTS WHERE start = 11110"), -999);
    assert_int_equal(unlink(output), 0);
    fake_free(rec);
}

/* Large pages and the small ones: both are chosen, both are databases. */
static void test_many_rows(void **state)
{
    enum { N = 60000 };
    rf_recording *rec = fake_new();
    struct rf_err err;
    (void)state;
    uint32_t second = fake_thread(rec, 0, 101, "second");
    for (int i = 0; i < N; i++)
        fake_event(rec, i % 2 == 0 ? 0 : second, RF_EVENT_PUSH_POP, i * 10, i * 10 + 7, 0, "r");
    assert_int_equal(export_to(rec, "sqlite", output, 0, &err), RF_OK);
    assert_int_equal(query("SELECT count(*) FROM NVTX_EVENTS WHERE end - start = 7"
                           " AND start = (rowid - 1) * 10"),
                     N);
    assert_int_equal(query("SELECT count(DISTINCT globalTid) FROM NVTX_EVENTS"), 2);
    assert_int_equal(query("PRAGMA page_size"), 32768);
    assert_int_equal(unlink(output), 0);
    fake_free(rec);
}

static void test_a_long_text(void **state)
{
    enum { SIZE = 3 << 20 };
    rf_recording *rec = fake_new();
    struct rf_err err;
    char *text = malloc(SIZE + 1);
    (void)state;
    assert_non_null(text);
    memset(text, 'x', SIZE);
    text[SIZE] = '\0';
    fake_event(rec, 0, RF_EVENT_PUSH_POP, 1, 2, 0, text);
    assert_int_equal(export_to(rec, "sqlite", output, 0, &err), RF_OK);
    assert_int_equal(query("SELECT length(text) FROM NVTX_EVENTS"), SIZE);
    for (size_t i = 1; i < n_formats; i++) {
        if (strcmp(all_formats[i], "perfetto") == 0 || strcmp(all_formats[i], "fxt") == 0 ||
            strcmp(all_formats[i], "html") == 0)
            continue; /* no text; they cut long names */
        assert_int_equal(export_to(rec, all_formats[i], output, 1, &err), RF_OK);
        char *written = read_all(output);
        assert_non_null(strstr(written, text));
        free(written);
    }
    assert_int_equal(unlink(output), 0);
    free(text);
    fake_free(rec);
}

/* ---- Lanes of Chrome traces ---- */

/* Whatever crosses, the ranges of one lane nest; and what nests needs one lane. */
static void test_lanes_nest(void **state)
{
    enum { N = 400 };
    struct {
        int64_t start, end;
        int lane;
    } ranges[N];
    struct rf_lanes lanes = {0};
    uint64_t random = 88172645463325252u;
    (void)state;
    rf_lanes_begin_thread(&lanes);
    for (int i = 0; i < N; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        ranges[i].start = i / 2;
        ranges[i].end = ranges[i].start + (int64_t)(random % 12);
        if (i % 2 == 1 && ranges[i].end > ranges[i - 1].end) /* enclosing first */
            ranges[i].end = ranges[i - 1].end;
        ranges[i].lane = rf_lanes_place(&lanes, ranges[i].start, ranges[i].end, NULL);
        assert_in_range(ranges[i].lane, 0, 20);
        for (int k = 0; k < i; k++)
            if (ranges[k].lane == ranges[i].lane && ranges[k].end > ranges[i].start)
                assert_true(ranges[k].end >= ranges[i].end);
    }
    rf_lanes_begin_thread(&lanes);
    for (int i = 0; i < 100; i++)
        assert_int_equal(rf_lanes_place(&lanes, i, 1000 - i, NULL), 0);
    rf_lanes_release(&lanes);
}

/* More crossing than there are lanes: such ranges are asynchronous, none is lost. */
static void test_more_crossings_than_lanes(void **state)
{
    enum { N = 100 };
    rf_recording *rec = fake_new();
    struct rf_err err;
    size_t n_ranges = 0;
    (void)state;
    for (int i = 0; i < N; i++)
        fake_event(rec, 0, RF_EVENT_PUSH_POP, i, 1000 + i, 0, "r");
    assert_int_equal(export_to(rec, "json", output, 0, &err), RF_OK);
    char *text = read_all(output);
    for (const char *at = text; (at = strstr(at, "{\"ph\":\"X\"")) != NULL; at++)
        n_ranges++;
    assert_int_equal(n_ranges, RF_MAX_LANES);
    for (const char *at = text; (at = strstr(at, "{\"ph\":\"b\"")) != NULL; at++)
        n_ranges++;
    assert_int_equal(n_ranges, N);
    free(text);
    assert_int_equal(unlink(output), 0);
    fake_free(rec);
}

/* A tid of 0 would be read as the pid; events before time 0 would be dropped. */
static void test_ids_that_viewers_cannot_take(void **state)
{
    rf_recording *rec = fake_new();
    struct rf_err err;
    (void)state;
    uint32_t process = fake_process(rec, 0, "unknown");
    uint32_t thread = fake_thread(rec, process, 0, "unknown");
    fake_event(rec, thread, RF_EVENT_MARK, -1500, RF_NO_TIME, 0, "early");
    assert_int_equal(export_to(rec, "json", output, 0, &err), RF_OK);
    char *text = read_all(output);
    assert_null(strstr(text, "\"tid\":0,"));
    assert_non_null(strstr(text, "\"ts\":0.000"));
    assert_non_null(strstr(text, "\"ts_of_time_0\":1.500"));
    free(text);
    assert_int_equal(unlink(output), 0);
    fake_free(rec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unknown_format),
        cmocka_unit_test(test_the_list),
        cmocka_unit_test(test_file_names),
        cmocka_unit_test(test_an_existing_file),
        cmocka_unit_test(test_places_a_database_cannot_go),
        cmocka_unit_test(test_standard_output),
        cmocka_unit_test(test_a_full_disk_leaves_nothing),
        cmocka_unit_test(test_gzip_holds_the_same),
        cmocka_unit_test(test_progress),
        cmocka_unit_test(test_progress_of_work),
        cmocka_unit_test(test_database_of_the_sample),
        cmocka_unit_test(test_many_rows),
        cmocka_unit_test(test_a_long_text),
        cmocka_unit_test(test_lanes_nest),
        cmocka_unit_test(test_more_crossings_than_lanes),
        cmocka_unit_test(test_ids_that_viewers_cannot_take),
    };
    return cmocka_run_group_tests_name("export.files", tests, make_folder, remove_folder);
}
