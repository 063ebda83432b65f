/* SPDX-License-Identifier: Apache-2.0 */
/* Databases whose pages are read, and those that SQLite's library is asked for: which it is, and
 * why, and that both say the same. */
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "import/paged_record.h"
#include "import_support.h"
#include "same.h"

/* ---- Making ---- */

static char folder[64], path[96];

static void remove_files(void)
{
    static const char *const ending[] = {"", "-wal", "-shm", "-journal"};
    char name[128];
    for (size_t i = 0; i < sizeof(ending) / sizeof(ending[0]); i++) {
        (void)snprintf(name, sizeof(name), "%s%s", path, ending[i]);
        (void)unlink(name);
    }
}

static void remove_folder(void)
{
    remove_files();
    (void)rmdir(folder);
}

static void run_sql(sqlite3 *db, const char *sql)
{
    char *message = NULL;
    if (sql != NULL && sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s: %s", sql, message);
}

/* A database with this many bytes of each page set aside. setup: before the first table. */
static const char *make(int reserved, const char *setup, const char *sql)
{
    sqlite3 *db = NULL;
    if (folder[0] == 0) {
        (void)snprintf(folder, sizeof(folder), "/tmp/rf-pages-XXXXXX");
        assert_non_null(mkdtemp(folder));
        (void)snprintf(path, sizeof(path), "%s/t.sqlite", folder);
        (void)atexit(remove_folder);
    }
    remove_files();
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (reserved > 0)
        assert_int_equal(sqlite3_file_control(db, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved),
                         SQLITE_OK);
    run_sql(db, setup);
    run_sql(db, sql);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    return path;
}

static void patch(size_t offset, const void *bytes, size_t size)
{
    int fd = open(path, O_WRONLY);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, bytes, size, (off_t)offset), size);
    (void)close(fd);
}

/* ---- Both readers ---- */

static rf_recording *open_as(unsigned flags, int *status, struct rf_err *err)
{
    rf_recording *rec = NULL;
    *status = rf_open(path, flags, &rec, err);
    assert_true((*status == RF_OK) == (rec != NULL));
    return rec;
}

/* Whether what has no flag is as the library has it, and the pages say nothing else. */
static void compare_readers(const char *name)
{
    struct rf_err err, other;
    int by_library, by_either, by_pages;
    rf_recording *library = open_as(RF_OPEN_LIBRARY, &by_library, &err);
    rf_recording *either = open_as(0, &by_either, &other);
    if (by_library != by_either)
        fail_msg("%s: %s; or %s", name, by_library != RF_OK ? err.text : "read",
                 by_either != RF_OK ? other.text : "read");
    rf_recording *pages = open_as(RF_OPEN_PAGES, &by_pages, &err);
    const char *what = by_library == RF_OK ? rf_test_difference(library, either) : NULL;
    if (what == NULL && by_pages == RF_OK)
        what = by_library == RF_OK ? rf_test_difference(library, pages) : "only pages are read";
    if (what != NULL)
        fail_msg("%s: the readers differ: %s", name, what);
    rf_close(library);
    rf_close(either);
    rf_close(pages);
}

/* why: a part of the reason why the library reads it; NULL: it does not. */
static void check_reader(const char *name, const char *why, uint64_t n_events)
{
    struct rf_err err;
    int status;
    rf_recording *rec = open_as(0, &status, &err);
    if (rec == NULL)
        fail_msg("%s: %s", name, err.text);
    const struct rf_info *info = rf_get_info(rec);
    if (info->n_events != n_events)
        fail_msg("%s: %llu events", name, (unsigned long long)info->n_events);
    if (strcmp(info->import_reader, why == NULL ? "pages" : "library") != 0 ||
        (info->import_why == NULL) != (why == NULL) ||
        (why != NULL && strstr(info->import_why, why) == NULL))
        fail_msg("%s: read by the %s because: %s", name, info->import_reader,
                 info->import_why != NULL ? info->import_why : "(not)");
    rf_close(rec);
    rf_close(open_as(RF_OPEN_PAGES, &status, &err));
    assert_int_equal(status == RF_OK, why == NULL);
    if (why != NULL && (strstr(err.text, why) == NULL || status != RF_ERR_UNSUPPORTED))
        fail_msg("%s: %s", name, err.text);
    compare_readers(name);
}

/* ---- What is usual and what is not ---- */

#define NVTX                                                                                       \
    "CREATE TABLE NVTX_EVENTS(start INTEGER, end INTEGER, eventType INTEGER,"                      \
    " globalTid INTEGER, text TEXT, doubleValue REAL, color INTEGER);"
#define COUNT(n) "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < " #n ")"
#define ROWS(n)                                                                                    \
    "INSERT INTO NVTX_EVENTS " COUNT(                                                              \
        n) " SELECT i * 10, i * 10 + 5, 59, 281474976710665 + i % 3, 'range ' || i % 50,"          \
           " i * 0.25, iif(i % 2, i, NULL) FROM r;"
#define KERNELS(n)                                                                                 \
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, end, deviceId, streamId,"                      \
    " correlationId, globalPid, shortName, gridX, gridId);"                                        \
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL " COUNT(                                               \
        n) " SELECT i * 10, i * 10 + 5, i % 2, i % 7, i, 281474976710656, i % 4, i % 9, i"         \
           " FROM r;"                                                                              \
           "CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);"                           \
           "INSERT INTO StringIds VALUES (0, 'a'), (1, 'b'), (2, 'c');"

static const struct unusual {
    const char *name;
    int reserved;
    const char *setup, *sql;
    const char *why; /* NULL: the pages are read */
    uint64_t n_events;
} unusual[] = {
    {"plain", 0, NULL, NVTX ROWS(1000) KERNELS(3000), NULL, 1000},
    {"no rows", 0, NULL, NVTX, NULL, 0},
    {"pages of 512", 0, "PRAGMA page_size = 512", NVTX ROWS(20000) KERNELS(20000), NULL, 20000},
    {"pages of 1024", 0, "PRAGMA page_size = 1024", NVTX ROWS(1000) KERNELS(3000), NULL, 1000},
    {"pages of 65536", 0, "PRAGMA page_size = 65536", NVTX ROWS(9000) KERNELS(9000), NULL, 9000},
    {"reserved bytes", 40, NULL, NVTX ROWS(1000) KERNELS(3000), NULL, 1000},
    {"auto_vacuum", 0, "PRAGMA auto_vacuum = 1; PRAGMA page_size = 512",
     NVTX ROWS(5000) KERNELS(5000) "DELETE FROM NVTX_EVENTS WHERE start % 3 = 0;", NULL, 3334},
    {"incremental", 0, "PRAGMA auto_vacuum = 2; PRAGMA page_size = 512",
     NVTX ROWS(5000) "DELETE FROM NVTX_EVENTS WHERE start % 3 = 0;", NULL, 3334},
    {"free pages", 0, NULL,
     "CREATE TABLE other(a);" NVTX ROWS(
         2000) "INSERT INTO other SELECT text FROM NVTX_EVENTS;"
               "DROP TABLE other; DELETE FROM NVTX_EVENTS WHERE start < 10000;",
     NULL, 1001},
    {"rows in no order", 0, "PRAGMA page_size = 512",
     NVTX "INSERT INTO NVTX_EVENTS(rowid, start, end, eventType, globalTid) " COUNT(
         3000) " SELECT i * 7919 % 30011, i, i + 1, 59, 9 FROM r;",
     NULL, 3000},
    {"long texts", 0, "PRAGMA page_size = 1024",
     NVTX "INSERT INTO NVTX_EVENTS " COUNT(
         60) " SELECT i, i + 1, 59, 9, hex(zeroblob(i * i * 3)) || i, i, i FROM r;",
     NULL, 60},
    {"real numbers", 0, NULL,
     NVTX "INSERT INTO NVTX_EVENTS VALUES (1, 2, 59, 9, 'a', 7, 1), (2, 3, 59, 9, 'b', 1e300, 1),"
          " (3, 4, 59, 9, 'c', 9e999, 1), (4, 5, 59, 9, 'd', -9223372036854775807, 1),"
          " (5, 6, 59, 9, 'e', 'no', 1), (6.0, 7.5, 59, 9, 12, 0.5, x'00'),"
          " ('8', 9, 59, 9, x'4142', 140737488355328, -1);",
     NULL, 7},
    {"types of columns", 0, NULL,
     "CREATE TABLE NVTX_EVENTS(start BIGINT(20), end DOUBLE PRECISION, eventType FLOATING POINT,"
     " globalTid NUMERIC, text CHARACTER(20), doubleValue FLOAT, uint64Value 'DOUBLE INT',"
     " int32Value 'REAL TEXT', floatValue 'real(7)');"
     "INSERT INTO NVTX_EVENTS VALUES (1, 2, 59, 9, 'a', 3, NULL, NULL, NULL),"
     " (2, 3, 59, 9, 'b', NULL, 4, NULL, NULL), (3, 4, 59, 9, 'c', NULL, NULL, 5, NULL),"
     " (4, 5, 59, 9, 'd', NULL, NULL, NULL, 6);",
     NULL, 4},
    {"key", 0, NULL,
     "CREATE TABLE NVTX_EVENTS(start INTEGER PRIMARY KEY, end, eventType, globalTid, text);"
     "INSERT INTO NVTX_EVENTS VALUES (100, 200, 59, 9, 'a'), (-5, 7, 59, 9, 'b');",
     NULL, 2},
    {"key, descending", 0, NULL,
     "CREATE TABLE NVTX_EVENTS(start INTEGER PRIMARY KEY DESC, end, eventType, globalTid, text);"
     "INSERT INTO NVTX_EVENTS VALUES (100, 200, 59, 9, 'a'), (NULL, 7, 59, 9, 'b');",
     NULL, 1},
    {"key of another type", 0, NULL,
     "CREATE TABLE NVTX_EVENTS(start INT PRIMARY KEY, end, eventType, globalTid, text);"
     "INSERT INTO NVTX_EVENTS VALUES (100, 200, 59, 9, 'a'), (50, 7, 59, 9, 'b');",
     NULL, 2},
    {"key of two", 0, NULL,
     "CREATE TABLE NVTX_EVENTS(start INTEGER, end, eventType, globalTid, text,"
     " PRIMARY KEY(start, end));"
     "INSERT INTO NVTX_EVENTS VALUES (100, 200, 59, 9, 'a'), (50, 70, 59, 9, 'b');",
     NULL, 2},
    {"an index that covers", 0, NULL,
     "CREATE TABLE NVTX_EVENTS(start, end, eventType, globalTid, text);"
     "CREATE INDEX i ON NVTX_EVENTS(text DESC, start, end, eventType, globalTid);"
     "INSERT INTO NVTX_EVENTS VALUES (1, 9, 59, 9, 'a'), (2, 8, 59, 9, 'b');",
     NULL, 2},
    {"without rowid", 0, NULL,
     "CREATE TABLE NVTX_EVENTS(start, end, eventType, globalTid, text, PRIMARY KEY(start))"
     " WITHOUT ROWID; INSERT INTO NVTX_EVENTS VALUES (100, 200, 59, 9, 'a');",
     "no row ids", 1},
    {"short rows", 0, NULL,
     "CREATE TABLE NVTX_EVENTS(start, end, eventType, globalTid);"
     "INSERT INTO NVTX_EVENTS VALUES (100, 200, 59, 9);"
     "ALTER TABLE NVTX_EVENTS ADD COLUMN text; ALTER TABLE NVTX_EVENTS ADD COLUMN color;"
     "INSERT INTO NVTX_EVENTS VALUES (300, 400, 59, 9, 'a', 1);",
     NULL, 2},
    {"default", 0, NULL,
     "CREATE TABLE NVTX_EVENTS(start, end, globalTid); INSERT INTO NVTX_EVENTS VALUES (1, 2, 9);"
     "ALTER TABLE NVTX_EVENTS ADD COLUMN eventType DEFAULT 59;",
     "default value", 1},
    {"generated", 0, NULL,
     "CREATE TABLE NVTX_EVENTS(start, end, eventType, globalTid, text AS (start * 2));"
     "INSERT INTO NVTX_EVENTS VALUES (100, 200, 59, 9);",
     "generated", 1},
    {"generated and stored", 0, NULL,
     "CREATE TABLE NVTX_EVENTS(start, end AS (start + 100) STORED, eventType, globalTid);"
     "INSERT INTO NVTX_EVENTS VALUES (100, 59, 9);",
     "generated", 1},
    {"a column called rowid", 0, NULL,
     "CREATE TABLE NVTX_EVENTS(start, end, eventType, globalTid, rowid);"
     "INSERT INTO NVTX_EVENTS VALUES (100, 200, 59, 9, 77);",
     "called rowid", 1},
    {"strict", 0, NULL,
     "CREATE TABLE NVTX_EVENTS(start INT, end INT, eventType INT, globalTid INT, text TEXT,"
     " doubleValue REAL) STRICT; INSERT INTO NVTX_EVENTS VALUES (1, 2, 59, 9, 'a', 3);",
     NULL, 1},
    {"UTF-16", 0, "PRAGMA encoding = 'UTF-16'", NVTX ROWS(10), "UTF-8", 10},
    {"a view", 0, NULL,
     "CREATE TABLE ENUM_NSYS_EVENT_TYPE(id); CREATE TABLE e(start, end, eventType, globalTid);"
     "INSERT INTO e VALUES (1, 2, 59, 9); CREATE VIEW NVTX_EVENTS AS SELECT * FROM e;",
     NULL, 0},
    {"a virtual table", 0, NULL,
     "CREATE TABLE ENUM_NSYS_EVENT_TYPE(id);"
     "CREATE VIRTUAL TABLE NVTX_EVENTS USING fts4(start, end, eventType);",
     NULL, 0},
    {"old format", 0, "PRAGMA legacy_file_format = ON", NVTX ROWS(10), NULL, 10},
    {"WAL, and no log", 0, "PRAGMA journal_mode = WAL", NVTX ROWS(1000), NULL, 1000},
};

static void test_unusual(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(unusual) / sizeof(unusual[0]); i++) {
        const struct unusual *u = &unusual[i];
        (void)make(u->reserved, u->setup, u->sql);
        size_t size;
        uint8_t *bytes = read_bytes(path, &size);
        assert_int_equal(bytes[20], u->reserved);
        free(bytes);
        check_reader(u->name, u->why, u->n_events);
    }
}

static void test_salvage(void **state)
{
    struct rf_err err;
    int status;
    (void)state;
    (void)make(0, NULL, NVTX ROWS(10));
    rf_recording *rec = open_as(RF_OPEN_SALVAGE, &status, &err);
    assert_non_null(rec);
    assert_string_equal(rf_get_info(rec)->import_reader, "library");
    rf_close(rec);
    assert_null(open_as(RF_OPEN_PAGES | RF_OPEN_LIBRARY, &status, &err));
    assert_int_equal(status, RF_ERR_USAGE);
    assert_null(open_as(RF_OPEN_PAGES | RF_OPEN_SALVAGE, &status, &err));
    assert_int_equal(status, RF_ERR_USAGE);
}

/* ---- The header, and files beside ---- */

static void test_headers(void **state)
{
    static const struct {
        const char *name;
        size_t offset;
        uint8_t bytes[4];
        size_t n;
        const char *why; /* NULL: the library does not read it either */
    } change[] = {
        {"version of another writer", 92, {0, 0, 0, 77}, 4, "how many pages"},
        {"no number of pages", 28, {0, 0, 0, 0}, 4, "how many pages"},
        {"more pages than there are", 28, {0, 1, 0, 0}, 4, NULL},
        {"another page size", 16, {3, 0, 0, 0}, 2, NULL},
        {"all bytes reserved", 20, {255, 0, 0, 0}, 1, NULL},
        {"fractions", 21, {65, 32, 32, 0}, 3, NULL},
        {"a later format", 19, {3, 0, 0, 0}, 1, NULL},
        {"a later format of the schema", 44, {0, 0, 0, 5}, 4, NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(change) / sizeof(change[0]); i++) {
        (void)make(0, "PRAGMA page_size = 512", NVTX ROWS(100));
        patch(change[i].offset, change[i].bytes, change[i].n);
        if (change[i].why != NULL)
            check_reader(change[i].name, change[i].why, 100);
        else
            compare_readers(change[i].name);
    }
}

static void write_beside(const char *ending, const void *bytes, size_t size)
{
    char name[128];
    (void)snprintf(name, sizeof(name), "%s%s", path, ending);
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void test_beside(void **state)
{
    sqlite3 *db;
    (void)state;
    (void)make(0, NULL, NVTX ROWS(10));
    write_beside("-journal", (char[512]){0}, 512); /* of PRAGMA journal_mode = PERSIST */
    check_reader("a journal that was done with", "journal lies beside", 10);
    write_beside("-journal", "no journal", 10);
    compare_readers("a journal that is none");
    write_beside("-journal", "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7 and so on", 18);
    compare_readers("a journal");
    /* what stands in the log alone */
    (void)make(0, "PRAGMA journal_mode = WAL", NVTX ROWS(10));
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    run_sql(db, "INSERT INTO NVTX_EVENTS(start, end, eventType) VALUES (1, 2, 59)");
    check_reader("a log", "journal lies beside", 11);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    check_reader("no log any more", NULL, 11);
}

/* No file is made beside a database that is read, and it stays as it was. */
static void test_nothing_is_written(void **state)
{
    static const char *const mode[] = {"PRAGMA journal_mode = DELETE", "PRAGMA journal_mode = WAL"};
    struct stat before, after;
    char name[128];
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        (void)make(0, mode[i], NVTX ROWS(1000));
        assert_int_equal(stat(path, &before), 0);
        compare_readers(mode[i]);
        assert_int_equal(stat(path, &after), 0);
        assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
        (void)snprintf(name, sizeof(name), "%s-wal", path);
        assert_int_equal(access(name, F_OK), -1);
        (void)snprintf(name, sizeof(name), "%s-shm", path);
        assert_int_equal(access(name, F_OK), -1);
    }
}

/* ---- Damage ---- */

#define PAGE       512
#define MAGIC_SIZE 16

static uint8_t *pages_of_file(size_t *n)
{
    uint8_t *bytes = read_bytes(path, n);
    assert_int_equal(*n % PAGE, 0);
    *n /= PAGE;
    return bytes;
}

/* The number of a page of a kind, the skip-th; 0: there is none. */
static size_t find_page(const uint8_t *bytes, size_t n, uint8_t kind, size_t skip)
{
    for (size_t i = 1; i < n; i++)
        if (bytes[i * PAGE] == kind && skip-- == 0)
            return i + 1;
    return 0;
}

static void check_refused(const char *name, const char *what)
{
    struct rf_err err;
    int status;
    assert_null(open_as(RF_OPEN_PAGES, &status, &err));
    if (status != RF_ERR_DAMAGED || strstr(err.text, what) == NULL ||
        strstr(err.text, path) == NULL)
        fail_msg("%s: %d %s", name, status, err.text);
    compare_readers(name);
}

/* Interior pages whose children are above or beside them. */
static void test_loops(void **state)
{
    size_t n;
    (void)state;
    (void)make(0, "PRAGMA page_size = 512", NVTX ROWS(20000));
    uint8_t *bytes = pages_of_file(&n);
    const size_t leaf = find_page(bytes, n, PAGE_LEAF, 40);
    /* the root is the first page behind the schema */
    const uint8_t root[4] = {0, 0, 0, 2}, other[4] = {0, 0, (uint8_t)(leaf >> 8), (uint8_t)leaf};
    assert_int_equal(bytes[PAGE], PAGE_INTERIOR);
    const size_t inner = find_page(bytes, n, PAGE_INTERIOR, 1);
    assert_true(inner > 0 && leaf > 0);
    const size_t cell = (inner - 1) * PAGE;
    const size_t first = cell + paged_u16(bytes + cell + 12);
    patch(cell + 8, root, 4);
    check_refused("the root is its own leaf", "part of a table twice");
    patch(cell + 8, bytes + cell + 8, 4);
    patch(first, other, 4);
    check_refused("a leaf in two places", "part of a table twice");
    patch(first, "\xff\xff\xff\xff", 4);
    check_refused("a page that does not exist", "does not exist");
    patch(first, bytes + first, 4);
    compare_readers("as it was");
    free(bytes);
}

/* Two rows that go on in the same page: SQLite reads both. */
static void test_shared_rest(void **state)
{
    struct rf_err err;
    int status;
    size_t n;
    (void)state;
    (void)make(0, "PRAGMA page_size = 512",
               NVTX "INSERT INTO NVTX_EVENTS VALUES (5, 6, 59, 9, hex(zeroblob(300)), 1, 1),"
                    " (3, 4, 59, 9, hex(zeroblob(300)), 1, 1);");
    uint8_t *bytes = pages_of_file(&n);
    const size_t leaf = (find_page(bytes, n, PAGE_LEAF, 0) - 1) * PAGE;
    assert_int_equal(paged_u16(bytes + leaf + 3), 2);
    const size_t a = leaf + paged_u16(bytes + leaf + 8), b = leaf + paged_u16(bytes + leaf + 10);
    const size_t size = a > b ? a - b : b - a; /* of a cell, whose last bytes name the page */
    patch(a + size - 4, bytes + b + size - 4, 4);
    check_refused("a page of two rows", "part of a table twice");
    rf_recording *rec = open_as(0, &status, &err);
    assert_non_null(rec);
    assert_string_equal(rf_get_info(rec)->import_reader, "library");
    assert_non_null(strstr(rf_get_info(rec)->import_why, "a page was not"));
    assert_int_equal(rf_get_info(rec)->n_events, 2);
    rf_close(rec);
    free(bytes);
}

/* A row that is too long for this reader. */
static void test_long_row(void **state)
{
    struct rf_err err;
    int status;
    (void)state;
    (void)make(0, NULL,
               NVTX "INSERT INTO NVTX_EVENTS VALUES (1, 2, 59, 9, 'a', 1, 1),"
                    " (3, 4, 59, 9, CAST(zeroblob(20000000) AS TEXT), 1, 1);");
    check_refused("a row of 20 MB", "row of more than 16 MiB");
    rf_recording *rec = open_as(0, &status, &err);
    assert_non_null(rec);
    assert_string_equal(rf_get_info(rec)->import_reader, "library");
    assert_int_equal(rf_get_info(rec)->n_events, 2);
    assert_int_equal(count_skipped(rec, "text of more than 16 MiB"), 1);
    rf_close(rec);
}

/* Sizes that nothing has. */
static void test_claims(void **state)
{
    static const uint8_t huge[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    size_t n;
    (void)state;
    (void)make(0, "PRAGMA page_size = 512", NVTX ROWS(200));
    uint8_t *bytes = pages_of_file(&n);
    const size_t leaf = (find_page(bytes, n, PAGE_LEAF, 3) - 1) * PAGE;
    const size_t cell = leaf + paged_u16(bytes + leaf + 8);
    patch(cell, huge, sizeof(huge));
    check_refused("a row of 2^63 bytes", "16 MiB");
    patch(cell, bytes + cell, sizeof(huge));
    patch(cell, (const uint8_t[]){0x81, 0x80, 0x00}, 3);
    check_refused("a row that is longer than its page", "");
    patch(cell, bytes + cell, sizeof(huge));
    patch(leaf + 3, "\xff\xff", 2);
    check_refused("65,535 rows in a page", "no leaf of a table");
    patch(leaf + 3, "\0\0", 2);
    check_refused("no row in a page", "no leaf of a table");
    patch(leaf + 3, bytes + leaf + 3, 2);
    patch(leaf + 8, "\xff\xff", 2);
    check_refused("a row behind its page", "not within its page");
    free(bytes);
}

/* The file loses its end while a cursor is on it. */
static void test_truncated_meanwhile(void **state)
{
    struct paged_file file;
    struct paged_tree tree;
    struct paged_cursor cursor;
    struct paged_row row;
    struct paged_fault fault;
    int n = 0, status;
    (void)state;
    (void)make(0, "PRAGMA page_size = 512", NVTX ROWS(20000));
    assert_null(paged_file_open(&file, path));
    assert_int_equal(paged_tree_init(&tree, &file, 2, &fault), RF_OK);
    assert_int_equal(paged_cursor_init(&cursor, &tree, 0, tree.n_leaves), RF_OK);
    assert_true(paged_file_is_unchanged(&file, path));
    while ((status = paged_cursor_next(&cursor, &row)) > 0)
        if (++n == 100)
            assert_int_equal(truncate(path, 100 * PAGE), 0);
    assert_int_equal(status, RF_ERR_DAMAGED);
    assert_true(n >= 100);
    assert_string_equal(cursor.fault.what, "page that cannot be read");
    assert_true(cursor.fault.offset >= PAGE);
    assert_false(paged_file_is_unchanged(&file, path));
    paged_cursor_release(&cursor);
    paged_tree_release(&tree);
    paged_file_close(&file);
    check_refused("truncated", "");
}

static uint32_t next_number(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

/* Bytes of n_files files of this page size, changed at random: the readers agree, or both refuse.
 * Of page 1 the magic stays, which says that it is a database. */
static void mutate(int page_size, int n_files, uint32_t seed)
{
    char pragma[40], name[64];
    size_t n;
    (void)snprintf(pragma, sizeof(pragma), "PRAGMA page_size = %d", page_size);
    (void)make(0, pragma,
               NVTX ROWS(60) KERNELS(60) "UPDATE NVTX_EVENTS SET text = hex(zeroblob(700))"
                                         " WHERE start % 70 = 0;");
    uint8_t *bytes = pages_of_file(&n);
    const uint32_t n_pages = (uint32_t)(n * PAGE / (size_t)page_size);
    for (int i = 0; i < n_files; i++) {
        const uint32_t n_changes = 1 + next_number(&seed) % 4;
        size_t at[4];
        for (uint32_t k = 0; k < n_changes; k++) {
            const uint32_t page = next_number(&seed) % n_pages;
            const bool is_head = next_number(&seed) % 2 == 0;
            const uint32_t first = page == 0 ? MAGIC_SIZE : 0;
            const uint32_t end = is_head ? (page == 0 ? 124 : 24) : (uint32_t)page_size;
            at[k] = (size_t)page * (size_t)page_size + first + next_number(&seed) % (end - first);
            const uint8_t byte = (uint8_t)next_number(&seed);
            patch(at[k], &byte, 1);
        }
        (void)snprintf(name, sizeof(name), "pages of %d bytes, mutation %d", page_size, i);
        compare_readers(name);
        for (uint32_t k = 0; k < n_changes; k++)
            patch(at[k], bytes + at[k], 1);
    }
    free(bytes);
}

static void test_mutated(void **state)
{
    const char *count = getenv("RF_TEST_MUTATIONS");
    const int n_files = count != NULL ? (int)strtol(count, NULL, 10) : 2000;
    (void)state;
    mutate(512, n_files - n_files / 2, 5);
    mutate(1024, n_files / 4, 6);
    mutate(4096, n_files / 2 - n_files / 4, 7);
}

/* ---- Writers ---- */

/* Adds a row to both tables at a time, and takes others from both, until it is killed. */
static void write_on(const char *mode)
{
    for (;;) {
        sqlite3 *db;
        if (sqlite3_open(path, &db) != SQLITE_OK)
            _exit(1);
        (void)sqlite3_busy_timeout(db, 60000);
        (void)sqlite3_exec(db, mode, NULL, NULL, NULL);
        (void)sqlite3_exec(db,
                           "BEGIN IMMEDIATE;"
                           "INSERT INTO NVTX_EVENTS(start, end, eventType, globalTid)"
                           " SELECT max(rowid) + 1, 1 << 40, 59, 9 FROM NVTX_EVENTS;"
                           "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL(start, end)"
                           " SELECT max(rowid) + 1, 1 << 40 FROM CUPTI_ACTIVITY_KIND_KERNEL;"
                           "DELETE FROM NVTX_EVENTS WHERE rowid % 7 = 3;"
                           "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE rowid % 7 = 3;"
                           "COMMIT",
                           NULL, NULL, NULL);
        (void)sqlite3_close(db);
    }
}

/* What is read is of one moment: as many rows of either table. A file that is being written may be
 * refused, but not as one that is damaged. */
static void test_writers(void **state)
{
    static const char *const mode[] = {"PRAGMA journal_mode = DELETE",
                                       "PRAGMA journal_mode = TRUNCATE",
                                       "PRAGMA journal_mode = WAL"};
    (void)state;
    for (size_t i = 0; i < sizeof(mode) / sizeof(mode[0]); i++) {
        (void)make(0, mode[i], NVTX ROWS(3000) KERNELS(3000));
        const pid_t writer = fork();
        if (writer == 0)
            write_on(mode[i]);
        for (int n_read = 0; n_read < 30;) {
            struct rf_err err;
            int status;
            size_t n;
            rf_recording *rec = open_as(n_read % 3 == 2 ? RF_OPEN_LIBRARY : 0, &status, &err);
            if (rec == NULL && status != RF_ERR_IO)
                fail_msg("%s: %s", mode[i], err.text);
            if (rec == NULL)
                continue;
            (void)rf_gpu_ops(rec, &n);
            if (rf_get_info(rec)->n_ranges != n)
                fail_msg("%s, %s: %llu ranges and %zu kernels", mode[i],
                         rf_get_info(rec)->import_reader,
                         (unsigned long long)rf_get_info(rec)->n_ranges, n);
            rf_close(rec);
            n_read++;
        }
        assert_int_equal(kill(writer, SIGKILL), 0);
        assert_int_equal(waitpid(writer, NULL, 0), writer);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unusual),
        cmocka_unit_test(test_salvage),
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_beside),
        cmocka_unit_test(test_nothing_is_written),
        cmocka_unit_test(test_loops),
        cmocka_unit_test(test_shared_rest),
        cmocka_unit_test(test_long_row),
        cmocka_unit_test(test_claims),
        cmocka_unit_test(test_truncated_meanwhile),
        cmocka_unit_test(test_mutated),
        cmocka_unit_test(test_writers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
