/* SPDX-License-Identifier: Apache-2.0 */
/* Rows taken from the pages of a file are those that SQLite gives; tables that are out of the
 * ordinary are left to SQLite; pages that say what cannot be end the pass. */
#include <stdio.h>

#include "import/nsys_db.h"
#include "import_support.h"

#define MAX_COLUMNS 400
#define MAX_AT_ONCE 100 /* that SQLite hands to a function */

/* The values of all rows as a list, to compare two of them. */
struct dump {
    char *text;
    size_t size, room;
    int n_columns;
    uint64_t n_rows;
    int is_sql; /* SQLite read them */
};

static void add(struct dump *dump, const void *bytes, size_t size)
{
    if (size > dump->room - dump->size) {
        dump->room = (dump->size + size) * 2;
        dump->text = realloc(dump->text, dump->room);
        assert_non_null(dump->text);
    }
    if (size > 0)
        memcpy(dump->text + dump->size, bytes, size);
    dump->size += size;
}

static int take(void *context, struct nsys_row *row)
{
    struct dump *dump = context;
    dump->n_rows++;
    dump->is_sql = row->sql_value != NULL;
    for (int i = 0; i < dump->n_columns; i++) {
        const struct nsys_value *cell = &row->cells[i];
        add(dump, &cell->type, 1);
        if (cell->type == SQLITE_INTEGER)
            add(dump, &cell->integer, sizeof(cell->integer));
        if (cell->type == SQLITE_FLOAT)
            add(dump, &cell->real, sizeof(cell->real));
        if (cell->type == SQLITE_TEXT || cell->type == SQLITE_BLOB) {
            add(dump, &cell->size, sizeof(cell->size));
            add(dump, cell->text, cell->size);
        }
    }
    return RF_OK;
}

static struct dump dump_table(const char *file, int by_pages, const char *table,
                              const char *const *column, int n_columns)
{
    struct dump dump = {.n_columns = n_columns};
    struct rf_err err;
    struct nsys_db db;
    assert_int_equal(nsys_db_open(&db, file, 0, &err), RF_OK);
    if (by_pages)
        nsys_db_use_pages(&db);
    if (nsys_db_read(&db, table, column, n_columns, take, &dump) != RF_OK)
        fail_msg("%s", err.text);
    nsys_db_close(&db);
    return dump;
}

/* Reads a table both ways, and whether pages were used. */
static int compare_table(const char *file, const char *table, const char *const *column,
                         int n_columns)
{
    struct dump sql = dump_table(file, 0, table, column, n_columns);
    struct dump pages = dump_table(file, 1, table, column, n_columns);
    int by_pages = !pages.is_sql;
    assert_true(sql.is_sql || sql.n_rows == 0);
    assert_int_equal(sql.n_rows, pages.n_rows);
    assert_int_equal(sql.size, pages.size);
    if (sql.size > 0)
        assert_memory_equal(sql.text, pages.text, sql.size);
    free(sql.text);
    free(pages.text);
    return by_pages;
}

/* All columns, in the order of the table, backwards, one by one, and as tests. */
static int compare_columns(const char *file, const char *table, char *const *name, int n)
{
    const char *column[MAX_COLUMNS + 1];
    char test[64];
    for (int i = 0; i < n; i++)
        column[i] = name[i];
    column[n] = "not there";
    int by_pages = compare_table(file, table, column, n + 1);
    for (int i = 0; i < n; i++)
        column[i] = name[n - 1 - i];
    (void)compare_table(file, table, column, n);
    for (int i = 0; i < n && n < 30; i++) {
        (void)snprintf(test, sizeof(test), "?%s", name[n - 1 - i]);
        column[0] = name[i];
        column[1] = test;
        column[2] = "?not there";
        (void)compare_table(file, table, column, i == n - 1 - i ? 1 : 3);
    }
    return by_pages;
}

/* Whether the pages of a table were used. */
static int check_table(const char *file, const char *table)
{
    char *name[MAX_COLUMNS];
    int n = 0;
    sqlite3 *db;
    sqlite3_stmt *stmt;
    assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_prepare_v2(db, "SELECT name FROM pragma_table_info(?1)", -1, &stmt, NULL),
        SQLITE_OK);
    (void)sqlite3_bind_text(stmt, 1, table, -1, SQLITE_STATIC);
    while (sqlite3_step(stmt) == SQLITE_ROW && n < MAX_COLUMNS)
        name[n++] = strdup((const char *)sqlite3_column_text(stmt, 0));
    (void)sqlite3_finalize(stmt);
    (void)sqlite3_close(db);
    char *some[MAX_AT_ONCE] = {NULL};
    int n_some = 0, step = n / MAX_AT_ONCE + 1;
    for (int i = 0; i < n; i += step)
        some[n_some++] = name[i];
    int by_pages = compare_columns(file, table, some, n_some);
    while (n > 0)
        free(name[--n]);
    return by_pages;
}

static void test_real_file(void **state)
{
    static const char *const tables[] = {"CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY",
                                         "CUPTI_ACTIVITY_KIND_RUNTIME", "NVTX_EVENTS"};
    (void)state;
    const char *file = data_file("c_real_h100_2gpu");
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
        assert_true(check_table(file, tables[i]));
    assert_false(check_table(file, "StringIds")); /* its id is the row's */
}

static const char odd_numbers[] =
    "INSERT INTO t VALUES (0, 1, 2), (-1, 127, -128), (128, -129, 32767), (-32768, 32768, -32769),"
    " (8388607, 8388608, -8388609), (2147483647, 2147483648, -2147483649),"
    " (140737488355327, 140737488355328, -140737488355329),"
    " (9223372036854775807, -9223372036854775808, NULL), (0.5, -1e300, 9e999), (9e999 - 9e999, 2.0,"
    " -0.0), ('', x'', x'00ff'), ('text', CAST(x'ff00fe' AS TEXT), '5'), (NULL, NULL, NULL);";

static void test_values(void **state)
{
    (void)state;
    char sql[4096];
    static const char *const types[] = {"a, b, c", "a INTEGER, b REAL, c TEXT",
                                        "a NUMERIC, b BLOB, c INT NOT NULL ON CONFLICT IGNORE"};
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        (void)snprintf(sql, sizeof(sql),
                       "CREATE TABLE t(%s); %s ALTER TABLE t ADD COLUMN d; ALTER TABLE t ADD COLUMN"
                       " e; INSERT INTO t VALUES (1, 2, 3, 4, 5), (1, 2, 3, 4, NULL)",
                       types[i], odd_numbers);
        /* of a column of reals the pages may have whole numbers */
        if (i != 1)
            assert_true(check_table(made_file(sql), "t"));
    }
}

/* Rows of all sizes around those at which they go on on other pages, and trees of several levels.
 */
static void test_sizes(void **state)
{
    static const int page_sizes[] = {512, 1024, 4096, 65536};
    char sql[1024];
    (void)state;
    for (size_t i = 0; i < sizeof(page_sizes) / sizeof(page_sizes[0]); i++) {
        (void)snprintf(sql, sizeof(sql),
                       "COMMIT; PRAGMA page_size=%d; PRAGMA auto_vacuum=%d; BEGIN;"
                       "CREATE TABLE t(a, b, c, d); CREATE TABLE gone(a);"
                       "INSERT INTO gone VALUES (zeroblob(100000));"
                       "INSERT INTO t WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM"
                       " r WHERE n < 3000) SELECT n, printf('%%.*c', n %% 1500, 'x'),"
                       " zeroblob(n * 7 %% 1100), n FROM r;"
                       "INSERT INTO t SELECT rowid, zeroblob(%d + rowid), NULL, 'after' FROM t"
                       " WHERE rowid < 90; DELETE FROM t WHERE a %% 7 = 3; DROP TABLE gone;"
                       "INSERT INTO t VALUES (1, printf('%%.*c', 300000, 'y'), 2, 3);"
                       "INSERT INTO t(rowid, a) VALUES (-5, 1), (9223372036854775807, 2)",
                       page_sizes[i], (int)i % 2, page_sizes[i] - 80);
        assert_true(check_table(made_file(sql), "t"));
    }
}

/* The header of a row is longer than a page. */
static void test_wide(void **state)
{
    char sql[16384] = "COMMIT; PRAGMA page_size=512; BEGIN; CREATE TABLE t(c0";
    (void)state;
    for (int i = 1; i < MAX_COLUMNS; i++)
        (void)snprintf(sql + strlen(sql), sizeof(sql) - strlen(sql), ", c%d", i);
    (void)snprintf(sql + strlen(sql), sizeof(sql) - strlen(sql),
                   "); INSERT INTO t(c0, c7, c398, c399) VALUES (1, 2, 3, 4);"
                   "INSERT INTO t(c%d) SELECT zeroblob(3000)",
                   MAX_COLUMNS - 1);
    for (int i = 0; i < 150; i++)
        (void)snprintf(sql + strlen(sql), sizeof(sql) - strlen(sql), "; UPDATE t SET c%d = %d",
                       i * 2 + 1, i * 1000);
    (void)snprintf(sql + strlen(sql), sizeof(sql) - strlen(sql),
                   "; UPDATE t SET c5 = zeroblob(200), c6 = zeroblob(20000)");
    assert_true(check_table(made_file(sql), "t"));
}

static void test_left_to_sqlite(void **state)
{
    static const char *const tables[] = {
        "CREATE TABLE t(a INTEGER PRIMARY KEY, b); INSERT INTO t VALUES (5, 6)",
        "CREATE TABLE t(a PRIMARY KEY, b) WITHOUT ROWID; INSERT INTO t VALUES (5, 6)",
        "CREATE TABLE t(a, b AS (a + 1)); INSERT INTO t VALUES (5)",
        "CREATE TABLE t(a, b AS (a + 1) STORED, c); INSERT INTO t VALUES (5, 6)",
        "CREATE TABLE t(a); INSERT INTO t VALUES (5); ALTER TABLE t ADD COLUMN b DEFAULT 7",
        "COMMIT; PRAGMA encoding='UTF-16le'; BEGIN; CREATE TABLE t(a); INSERT INTO t VALUES ('u')",
    };
    (void)state;
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
        assert_false(check_table(made_file(tables[i]), "t"));
}

/* What a log beside the file may change is left to SQLite. */
static void test_journal(void **state)
{
    char journal[128];
    (void)state;
    const char *file = made_file("CREATE TABLE t(a); INSERT INTO t VALUES (1)");
    (void)snprintf(journal, sizeof(journal), "%s-journal", file);
    FILE *out = fopen(journal, "w");
    assert_non_null(out);
    (void)fclose(out);
    int by_pages = check_table(file, "t");
    (void)remove(journal);
    assert_false(by_pages);
    assert_true(check_table(file, "t"));
}

/* ---- Pages that lie ---- */

#define EVENTS "CREATE TABLE NVTX_EVENTS(start, end, eventType, globalTid, text);"

static uint8_t *find_root(uint8_t *bytes, uint8_t type)
{
    assert_int_equal(bytes[4096], type); /* the first table begins on the second page */
    return bytes + 4096;
}

static void check_too_much(const uint8_t *bytes, size_t size)
{
    struct rf_err err;
    assert_int_equal(open_error(bytes_file(bytes, size), &err), RF_ERR_DAMAGED);
    assert_non_null(strstr(err.text, "it holds more than its size can"));
}

static void test_circle(void **state)
{
    size_t size;
    (void)state;
    uint8_t *bytes = read_bytes(
        made_file(EVENTS "INSERT INTO NVTX_EVENTS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL"
                         " SELECT n + 1 FROM r WHERE n < 5000) SELECT n, n, 59, 5, 'x' FROM r"),
        &size);
    uint8_t *root = find_root(bytes, 5);
    /* its last page is the root again: too deep */
    memcpy(root + 8, (const uint8_t[]){0, 0, 0, 2}, 4);
    struct rf_err err;
    assert_int_equal(open_error(bytes_file(bytes, size), &err), RF_ERR_DAMAGED);
    /* all of its pages are one, over and over */
    size_t n = (size_t)root[3] << 8 | root[4];
    const uint8_t *first = root + ((size_t)root[12] << 8 | root[13]);
    for (size_t i = 0; i < n; i++)
        memmove(root + ((size_t)root[12 + 2 * i] << 8 | root[13 + 2 * i]), first, 4);
    memcpy(root + 8, first, 4);
    for (uint32_t i = 0; i < 2000; i++) { /* as many as fit */
        root[12 + 2 * i] = root[12];
        root[13 + 2 * i] = root[13];
        if (12 + 2 * i + 4 >= (size_t)(first - root))
            break;
        root[3] = (uint8_t)((i + 1) >> 8);
        root[4] = (uint8_t)(i + 1);
    }
    check_too_much(bytes, size);
    free(bytes);
}

/* One long row that a page names hundreds of times. */
static void test_same_row(void **state)
{
    size_t size;
    (void)state;
    uint8_t *bytes = read_bytes(made_file(EVENTS "INSERT INTO NVTX_EVENTS VALUES (1, 2, 59, 5,"
                                                 " printf('%.*c', 1000000, 'x'))"),
                                &size);
    uint8_t *root = find_root(bytes, 13);
    root[3] = 500 >> 8;
    root[4] = 500 & 0xff;
    for (int i = 1; i < 500; i++)
        memcpy(root + 8 + 2 * i, root + 8, 2);
    check_too_much(bytes, size);
    free(bytes);
}

static void test_damage(void **state)
{
    size_t size;
    struct rf_err err;
    rf_recording *rec = NULL;
    (void)state;
    uint8_t *bytes = read_bytes(
        made_file(EVENTS "INSERT INTO NVTX_EVENTS VALUES (1, 2, 59, 5, 'x'), (2, 3, 59, 5, 'y')"),
        &size);
    uint8_t *root = find_root(bytes, 13);
    root[8 + 2] = 0xff; /* the second row begins behind the page */
    assert_int_equal(open_error(bytes_file(bytes, size), &err), RF_ERR_DAMAGED);
    assert_non_null(strstr(err.text, "cannot read NVTX_EVENTS of '"));
    assert_non_null(
        strstr(err.text, "the page at byte 4096 is damaged; export it again with nsys"));
    assert_int_equal(err.offset, 4096);
    assert_int_equal(rf_open(bytes_file(bytes, size), RF_OPEN_SALVAGE, &rec, &err), RF_OK);
    assert_int_equal(rf_get_info(rec)->n_events, 1);
    assert_int_equal(count_skipped(rec, "the rest of the table could not be read"), 1);
    rf_close(rec);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_real_file),      cmocka_unit_test(test_values),
        cmocka_unit_test(test_sizes),          cmocka_unit_test(test_wide),
        cmocka_unit_test(test_left_to_sqlite), cmocka_unit_test(test_journal),
        cmocka_unit_test(test_circle),         cmocka_unit_test(test_same_row),
        cmocka_unit_test(test_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
