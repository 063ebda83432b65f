/* SPDX-License-Identifier: Apache-2.0 */
/* From a file to a file: recordings written byte by byte, opened by the reader, exported. What the
 * reader says about processes, domains and cuts must arrive in the database. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "rangefinder/rangefinder.h"
#include "rf_writer.h"

static char *folder;
static char recording[256];
static char output[256];

static int make_folder(void **state)
{
    (void)state;
    folder = rfw_make_tmpdir();
    (void)snprintf(recording, sizeof(recording), "%s/a.rf", folder);
    (void)snprintf(output, sizeof(output), "%s/out", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    rfw_remove_tree(folder);
    free(folder);
    return 0;
}

/* Saves, opens, and exports what w holds; frees it. */
static void export_of(struct rfw *w, const char *format)
{
    struct rf_err err = {0};
    rf_recording *rec = NULL;
    struct rf_export_options options = {
        .size = sizeof(options), .format = format, .output = output, .can_overwrite = 1};
    rfw_save_packed(w, recording);
    rfw_free(w);
    if (rf_open(recording, 0, &rec, &err) != RF_OK || rf_export(rec, &options, &err) != RF_OK)
        fail_msg("%s", err.text);
    rf_close(rec);
}

/* The rows of a query, values with | between them, one line each. */
static const char *rows(const char *sql)
{
    static char text[16384];
    size_t used = 0;
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    assert_int_equal(sqlite3_open_v2(output, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    text[0] = '\0';
    while (sqlite3_step(statement) == SQLITE_ROW)
        for (int i = 0; i < sqlite3_column_count(statement); i++) {
            const unsigned char *value = sqlite3_column_text(statement, i);
            used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
                                     value != NULL ? (const char *)value : "-",
                                     i + 1 < sqlite3_column_count(statement) ? "|" : "\n");
        }
    (void)sqlite3_finalize(statement);
    (void)sqlite3_close(db);
    return text;
}

#define EVENTS                                                                                     \
    "SELECT start, end, eventType, rangeId, category, color, text, value, domainId,"               \
    " globalTid >> 24 & 0xFFFFFF, globalTid & 0xFFFFFF, endGlobalTid & 0xFFFFFF, uint64Value"      \
    " FROM NVTX_EVENTS e LEFT JOIN StringIds ON id = textId ORDER BY e.rowid"

static void test_all_of_nvtx(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    struct rfw_stream *t = rfw_stream(w, p, 1, 101, 2);
    uint32_t domain = rfw_domain(w, p, 1000, 100, "dom");
    uint32_t string = rfw_string(w, p, 1100, 100, domain, "registered");
    (void)state;
    rfw_category(w, p, 1200, 100, domain, 5, "io");
    rfw_thread_name(w, p, 1300, 100, 101, "worker");
    rfw_push(s, 2000, &(struct rfw_attr){.text = "outer"});
    rfw_push(s, 3000,
             &(struct rfw_attr){.domain = domain,
                                .string = string,
                                .has_color = 1,
                                .color = 0xff00ff00,
                                .has_category = 1,
                                .category = 5,
                                .payload_kind = RF_PAYLOAD_UINT64,
                                .payload = 7});
    rfw_mark(s, 3500, &(struct rfw_attr){.is_null_message = 1});
    rfw_mark(s, 3600, &(struct rfw_attr){.string = 0x999});
    rfw_pop(s, 4000, 0);
    rfw_pop(s, 5000, domain);
    uint64_t id = rfw_start(s, 6000, &(struct rfw_attr){.text = "handed over"});
    rfw_end(t, 7000, id);
    rfw_push(t, 8000, &(struct rfw_attr){.text = "never popped"});
    rfw_thread_end(t, 9000, "worker");
    rfw_exit(w, p, 10000);
    export_of(w, "sqlite");
    assert_string_equal(rows(EVENTS), "1000|-|75|-|-|-|dom|-|1|100|100|-|-\n"
                                      "1200|-|33|-|5|-|io|-|1|100|100|-|-\n"
                                      "1300|-|39|-|-|-|worker|-|0|100|101|-|-\n"
                                      "2000|4000|59|-|-|-|outer|-|0|100|100|-|-\n"
                                      "3000|5000|59|-|5|4278255360|-|registered|1|100|100|-|7\n"
                                      "3500|-|34|-|-|-|-|-|0|100|100|-|-\n"
                                      "3600|-|34|-|-|-|0x999|-|0|100|100|-|-\n"
                                      "6000|7000|60|1|-|-|handed over|-|0|100|100|101|-\n"
                                      "8000|9000|59|-|-|-|never popped|-|0|100|101|-|-\n");
    assert_string_equal(rows("SELECT text, reason FROM RANGEFINDER_NVTX_CUTS JOIN NVTX_EVENTS e"
                             " ON e.rowid = eventId"),
                        "never popped|thread ended\n");
    assert_string_equal(rows("SELECT value, priority FROM ThreadNames JOIN StringIds"
                             " ON id = nameId WHERE globalTid & 0xFFFFFF = 101"),
                        "worker|0\n");
    assert_string_equal(rows("SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME"),
                        "1700000000000000000\n");
}

/* A child that uses its parent's domain, and a program that follows another by exec. */
static void test_fork_and_exec(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t parent = rfw_process(w, 100, "app");
    uint32_t child = rfw_process(w, 200, "app");
    uint32_t image = rfw_process(w, 200, "other");
    uint32_t domain = rfw_domain(w, parent, 1000, 100, "dom");
    (void)state;
    rfw_fact(w, child, 2000, RF_PROC_FORK_OF, parent, NULL);
    rfw_push(rfw_stream(w, parent, 0, 100, 1), 1500,
             &(struct rfw_attr){.domain = domain, .text = "a"});
    rfw_mark(rfw_stream(w, child, 0, 200, 1), 3000,
             &(struct rfw_attr){.domain = domain, .text = "b"});
    uint32_t own = rfw_domain(w, image, 5000, 200, "dom");
    rfw_mark(rfw_stream(w, image, 0, 200, 1), 6000, &(struct rfw_attr){.domain = own, .text = "c"});
    export_of(w, "sqlite");
    assert_string_equal(rows("SELECT e.text, d.text, count(*) FROM NVTX_EVENTS e JOIN NVTX_EVENTS d"
                             " ON d.eventType = 75 AND d.domainId = e.domainId AND"
                             " d.globalTid >> 24 = e.globalTid >> 24 WHERE e.eventType <> 75"
                             " GROUP BY e.text ORDER BY e.text"),
                        "a|dom|1\nb|dom|1\nc|dom|1\n");
    assert_string_equal(rows("SELECT count(DISTINCT globalPid), count(*) FROM PROCESSES"), "3|3\n");
}

static void test_nothing_recorded(void **state)
{
    static const char *const formats[] = {"sqlite", "json", "jsonl", "csv", "text"};
    (void)state;
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
        export_of(rfw_new(), formats[i]);
    export_of(rfw_new(), "sqlite");
    assert_string_equal(rows("SELECT count(*) FROM NVTX_EVENTS"), "0\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_of_nvtx),
        cmocka_unit_test(test_fork_and_exec),
        cmocka_unit_test(test_nothing_recorded),
    };
    return cmocka_run_group_tests_name("export.recordings", tests, make_folder, remove_folder);
}
