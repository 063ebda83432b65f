/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of payloads: what payloads a recording has, and the table that they are. */
#include "unit.h"

#include "model/payload/payload_cells.h"
#include "model/payload/payload_from_json.h"
#include "rf_payload_writer.h"

#define ID(n)   ((1ULL << 32) + (n))
#define N_OF(a) ((uint32_t)(sizeof(a) / sizeof((a)[0])))
#define FIXED   (1u << 4)
#define LENGTH  (3u << 4)
#define POINTER (1u << 1)
#define PLAIN                                                                                      \
    {                                                                                              \
        .id = ID(1), .name = "s"                                                                   \
    }

/* A recording of one thread. */
struct one {
    struct rfw *w;
    uint32_t process;
    struct rfw_stream *s;
    rf_recording *rec;
    int64_t ns;
};

static struct one begin(void)
{
    struct one o = {.w = rfw_new()};
    o.process = rfw_process(o.w, 100, "app");
    o.s = rfw_stream(o.w, o.process, 0, 100, 1);
    return o;
}

static void define(struct one *o, uint64_t id, uint32_t type, const struct rfw_entry *entries,
                   uint32_t n)
{
    rfw_define_schema(o->w, o->process, &(struct rfw_schema){.id = id, .name = "s", .type = type},
                      entries, n);
}

static void mark(struct one *o, uint64_t schema, const void *bytes, size_t size)
{
    rfw_mark(o->s, o->ns += 10, NULL);
    rfw_payload(o->s, schema, bytes, size, size, 0);
}

static void finish(struct one *o)
{
    rf_close(o->rec);
    rfw_free(o->w);
}

/* ---- The table as text ---- */

struct page {
    char text[8192];
    size_t used;
};

static void put(struct page *page, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int n = vsnprintf(page->text + page->used, sizeof(page->text) - page->used, format, list);
    va_end(list);
    assert_true(n >= 0 && (size_t)n < sizeof(page->text) - page->used);
    page->used += (size_t)n;
}

static void put_value(struct page *page, const struct rf_value *value)
{
    switch (value->kind) {
    case RF_VALUE_SIGNED:
        put(page, "%lld", (long long)value->integer);
        break;
    case RF_VALUE_UNSIGNED:
        put(page, "%lluu", (unsigned long long)value->number);
        break;
    case RF_VALUE_REAL:
        put(page, "%.9gr", value->real);
        break;
    case RF_VALUE_TEXT:
        assert_int_equal(value->text[value->count], 0);
        put(page, value->flags & RF_VALUE_JSON ? "%.*s" : "'%.*s'", (int)value->count, value->text);
        break;
    default:
        assert_int_equal(value->kind, RF_VALUE_NULL);
        put(page, "-");
    }
}

static void put_header(struct page *page, const rf_payload_columns *columns)
{
    static const char *const types[] = {"", "int64", "uint64", "double", "text", "json"};
    const struct rf_payload_column *column;
    for (uint32_t i = 0; (column = rf_payload_column_at(columns, i)) != NULL; i++)
        put(page, "%s%s:%s", i > 0 ? " " : "", column->path, types[column->type]);
}

/* A column at a time, and all at once. */
static void put_rows(struct page *page, struct page *other, rf_payload_cells *cells,
                     const rf_payload_columns *columns, const rf_recording *rec)
{
    size_t n;
    const struct rf_event *event = rf_thread_events(rec, 0, &n);
    struct rf_value value;
    for (size_t e = 0; e < n; e++) {
        put(page, "\n");
        put(other, "\n");
        for (uint32_t i = 0; rf_payload_column_at(columns, i) != NULL; i++) {
            assert_int_equal(rf_payload_cell(cells, &event[e], i, &value), RF_OK);
            put(page, "%s", i > 0 ? " " : "");
            put_value(page, &value);
            const struct rf_value *all = rf_payload_cells_of(cells, &event[e]);
            assert_non_null(all);
            value = all[i];
            assert_int_equal(rf_payload_cell_convert(cells, i, &value), RF_OK);
            put(other, "%s", i > 0 ? " " : "");
            put_value(other, &value);
        }
    }
}

static void assert_table_of(const rf_recording *rec, const char *expected)
{
    struct page page = {.used = 0}, other = {.used = 0};
    rf_payload_columns *columns;
    rf_payload_cells *cells;
    assert_int_equal(rf_payload_columns_new(rec, 0, &columns, NULL), RF_OK);
    assert_int_equal(rf_payload_cells_new(columns, &cells, NULL), RF_OK);
    put_header(&page, columns);
    put_header(&other, columns);
    put_rows(&page, &other, cells, columns, rec);
    assert_string_equal(page.text, expected);
    assert_string_equal(other.text, expected);
    assert_null(rf_payload_path_left_out(columns, 0, NULL));
    rf_payload_cells_free(cells);
    rf_payload_columns_free(columns);
}

static void assert_table(struct one *o, const char *expected)
{
    o->rec = rfw_reopen(o->w, 0, 0);
    assert_table_of(o->rec, expected);
    finish(o);
}

/* ---- One schema ---- */

static void test_numbers(void **state)
{
    static const struct rfw_entry entries[] = {{0, 11, "i8", 0, 0},  {0, 16, "u32", 0, 0},
                                               {0, 17, "i64", 0, 0}, {0, 18, "u64", 0, 0},
                                               {0, 19, "f", 0, 0},   {0, 20, "d", 0, 0}};
    const struct {
        int8_t i8;
        uint32_t u32;
        int64_t i64;
        uint64_t u64;
        float f;
        double d;
    } value = {-1, 4294967295u, INT64_MIN, UINT64_MAX, 0.5f, 0.25};
    struct one o = begin();
    (void)state;
    define(&o, ID(1), 1, entries, N_OF(entries));
    mark(&o, ID(1), &value, sizeof(value));
    rfw_mark(o.s, 100, NULL);
    assert_table(&o, "i8:int64 u32:uint64 i64:int64 u64:uint64 f:double d:double\n"
                     "-1 4294967295u -9223372036854775808 18446744073709551615u 0.5r 0.25r\n"
                     "- - - - - -");
}

static void test_texts(void **state)
{
    static const struct rfw_enum_value values[] = {{"NONE", 0, 0}, {"READ", 1, 1}, {"WRITE", 2, 1}};
    static const struct rfw_entry entries[] = {{0, 75, "text", 4, 0}, {FIXED, 32, "bytes", 2, 0},
                                               {0, 77, "wide", 2, 0}, {0, ID(9), "mode", 0, 0},
                                               {0, 80, "name", 0, 0}, {0, 23, "at", 0, 0},
                                               {0, 34, "long", 0, 0}};
    struct {
        char text[4];
        uint8_t bytes[2];
        uint16_t wide[2];
        uint32_t mode;
        uint64_t name;
        uint64_t at;
        uint64_t number[2] __attribute__((aligned(16)));
    } value = {"ab", {1, 0xff}, {0xe9}, 3, 0, 0x1000, {1, 1}};
    struct one o = begin();
    (void)state;
    value.name = rfw_string(o.w, o.process, 1, 100, 0, "hello");
    rfw_define_enum(o.w, o.process, ID(9), 4, values, N_OF(values));
    define(&o, ID(1), 1, entries, N_OF(entries));
    mark(&o, ID(1), &value, sizeof(value));
    value.mode = 8;
    value.name = 0;
    value.number[1] = 0;
    mark(&o, ID(1), &value, sizeof(value));
    assert_table(&o, "text:text bytes:text wide:text mode:text name:text at:text long:text\n"
                     "'ab' '01ff' '\xc3\xa9' 'READ|WRITE' 'hello' '0x1000' '18446744073709551617'\n"
                     "'ab' '01ff' '\xc3\xa9' '8' - '0x1000' '1'");
}

/* Structs in structs, entries without names, arrays of numbers and of structs. */
static void test_nested(void **state)
{
    static const struct rfw_entry inner[] = {{0, 12, "x", 0, 0}, {0, 16, NULL, 0, 0}};
    static const struct rfw_entry only[] = {{0, 16, "only", 0, 0}};
    static const struct rfw_entry entries[] = {
        {0, 12, "n", 0, 0},        {0, ID(2), "one", 0, 0},     {FIXED, ID(2), "two", 2, 0},
        {FIXED, 16, "list", 2, 0}, {0, ID(3), "wrapped", 0, 0}, {FIXED, ID(3), NULL, 1, 0}};
    const uint32_t value[] = {7, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11};
    struct one o = begin();
    (void)state;
    define(&o, ID(2), 1, inner, 2);
    rfw_define_schema(o.w, o.process, &(struct rfw_schema){.id = ID(3)}, only, 1);
    define(&o, ID(1), 1, entries, N_OF(entries));
    mark(&o, ID(1), value, sizeof(value));
    assert_table(&o, "n:uint64 one.x:uint64 one.1:uint64 two:json list:json wrapped:uint64 5:json\n"
                     "7u 1u 2u [{\"x\":3,\"1\":4},{\"x\":5,\"1\":6}] [8,9] 10u [11]");
}

/* What has no fixed place: lengths, pointers, unions. */
static void test_dynamic(void **state)
{
    static const struct rfw_entry target[] = {{0, 16, "a", 0, 0}};
    static const struct rfw_entry members[] = {{0, 16, "number", 0, 0}, {0, 19, "real", 0, 0}};
    static const struct rfw_entry entries[] = {{0, 12, "which", 0, 0},       {0, ID(3), "u", 0, 0},
                                               {POINTER, ID(2), "to", 0, 0}, {0, 16, "n", 0, 0},
                                               {LENGTH, 16, "list", 3, 0},   {0, 16, "last", 0, 0}};
    struct {
        uint32_t which;
        float real;
        uint64_t to;
        uint32_t n, list[2], last;
    } value = {1, 1.5f, 0x5000, 2, {3, 4}, 5};
    const uint32_t pointed[] = {77, 78};
    struct one o = begin();
    (void)state;
    define(&o, ID(2), 1, target, 1);
    define(&o, ID(3), 3, members, 2);
    define(&o, ID(1), 2, entries, N_OF(entries));
    mark(&o, ID(1), &value, 32);
    rfw_reference(o.s, 0x5000, pointed, 8);
    value.which = 0;
    value.to = 0;
    value.n = 1;
    mark(&o, ID(1), &value, 28);
    assert_table(&o, "which:uint64 u.real:double to.a:uint64 n:uint64 list:json last:uint64 "
                     "u.number:uint64 to:text\n"
                     "1u 1.5r 77u 2u [3,4] 5u - -\n"
                     "0u - - 1u [3] 4u 1069547520u -");
}

/* A payload that is one value has the empty path. */
static void test_one_value(void **state)
{
    static const struct rfw_entry entries[] = {{0, 17, NULL, 0, 0}};
    const int64_t value[] = {-5, 6};
    struct one o = begin();
    (void)state;
    define(&o, ID(1), 1, entries, 1);
    mark(&o, ID(1), value, 8);
    mark(&o, 17, value, 8);
    assert_table(&o, ":int64\n-5\n-5");
}

/* ---- Several schemas and payloads ---- */

/* Schemas that share paths: what holds the values of all. */
static void test_types(void **state)
{
    static const struct rfw_entry first[] = {{0, 17, "a", 0, 0}, {0, 17, "b", 0, 0},
                                             {0, 18, "c", 0, 0}, {0, 17, "d", 0, 0},
                                             {0, 18, "e", 0, 0}, {0, 17, "f", 0, 0}};
    static const struct rfw_entry second[] = {{0, 18, "a", 0, 0},    {0, 20, "b", 0, 0},
                                              {FIXED, 1, "c", 8, 0}, {FIXED, 17, "d", 1, 0},
                                              {0, 17, "e", 0, 0},    {0, 18, "f", 0, 0}};
    const int64_t one[] = {-1, -2, 3, -4, 5, 7}, half = 0x3fe0000000000000;
    const int64_t two[] = {1, half, 0x6f6c6c6568, 4, 6, -1};
    struct one o = begin();
    (void)state;
    define(&o, ID(1), 1, first, 6);
    define(&o, ID(2), 1, second, 6);
    mark(&o, ID(1), one, sizeof(one));
    mark(&o, ID(2), two, sizeof(two));
    assert_table(&o, "a:int64 b:double c:text d:json e:int64 f:uint64\n"
                     "-1 -2r '3' -4 5 7u\n"
                     "1 0.5r 'hello' [4] 6 18446744073709551615u");
}

/* Neither an int64 nor a uint64 holds the numbers of this one. */
static void test_no_type(void **state)
{
    static const struct rfw_entry first[] = {{0, 17, "a", 0, 0}}, second[] = {{0, 18, "a", 0, 0}};
    const int64_t value = -1;
    struct one o = begin();
    (void)state;
    define(&o, ID(1), 1, first, 1);
    define(&o, ID(2), 1, second, 1);
    mark(&o, ID(1), &value, sizeof(value));
    mark(&o, ID(2), &value, sizeof(value));
    assert_table(&o, "a:text\n'-1'\n'18446744073709551615'");
}

/* Of several payloads the first one that has a path, those of the begin first; cut ones, too. */
static void test_several(void **state)
{
    static const struct rfw_entry a[] = {{0, 16, "a", 0, 0}, {0, 16, "a", 0, 0}};
    static const struct rfw_entry b[] = {{0, 16, "b", 0, 0}, {0, 16, "a", 0, 0}};
    const uint32_t one[] = {1, 2}, two[] = {3, 4}, three[] = {5, 6};
    struct one o = begin();
    (void)state;
    define(&o, ID(1), 1, a, 2);
    define(&o, ID(2), 1, b, 2);
    rfw_push(o.s, 10, NULL);
    rfw_payload(o.s, ID(2), two, 8, 8, 0);
    rfw_payload(o.s, ID(1), one, 8, 8, 0);
    rfw_pop(o.s, 20, 0);
    rfw_payload(o.s, ID(2), three, 8, 8, 0);
    rfw_push(o.s, 30, NULL);
    rfw_pop(o.s, 40, 0);
    rfw_payload(o.s, ID(1), one, 8, 8, 0);
    o.ns = 40;
    mark(&o, ID(2), two, 4);
    assert_table(&o, "b:uint64 a:uint64 1:uint64\n3u 4u 2u\n- 1u 2u\n3u - -");
}

/* ---- Limits ---- */

static void test_too_many(void **state)
{
    static const struct rfw_entry entries[] = {
        {0, 16, "a", 0, 0}, {0, 16, "b", 0, 0}, {0, 16, "c", 0, 0}};
    const uint32_t value[] = {1, 2, 3};
    rf_payload_columns *columns;
    rf_payload_cells *cells;
    struct rf_value cell;
    int has_more = 7;
    struct one o = begin();
    (void)state;
    define(&o, ID(1), 1, entries, 3);
    mark(&o, ID(1), value, sizeof(value));
    o.rec = rfw_reopen(o.w, 0, 0);
    assert_int_equal(rf_payload_columns_new(o.rec, 1, &columns, NULL), RF_OK);
    assert_string_equal(rf_payload_column_at(columns, 0)->path, "a");
    assert_null(rf_payload_column_at(columns, 1));
    assert_string_equal(rf_payload_path_left_out(columns, 0, &has_more), "b");
    assert_int_equal(has_more, 0);
    assert_string_equal(rf_payload_path_left_out(columns, 1, NULL), "c");
    assert_null(rf_payload_path_left_out(columns, 2, NULL));
    assert_int_equal(rf_payload_cells_new(columns, &cells, NULL), RF_OK);
    assert_int_equal(rf_payload_cell(cells, rf_thread_event_at(o.rec, 0, 0), 0, &cell), RF_OK);
    assert_int_equal(cell.number, 1);
    assert_int_equal(rf_payload_cell(cells, rf_thread_event_at(o.rec, 0, 0), 1, &cell),
                     RF_ERR_USAGE);
    rf_payload_cells_free(cells);
    rf_payload_columns_free(columns);
    finish(&o);
}

/* A path that is too long is no column, and said to be there. */
static void test_long_path(void **state)
{
    static char name[5001];
    memset(name, 'x', sizeof(name) - 1);
    const struct rfw_entry inner[] = {{0, 16, name + 1000, 0, 0}, {0, 16, "b", 0, 0}};
    const struct rfw_entry entries[] = {{0, 16, name, 0, 0}, {0, ID(2), name + 1000, 0, 0}};
    const uint32_t value[] = {1, 2, 3};
    rf_payload_columns *columns;
    int has_more = 0;
    struct one o = begin();
    (void)state;
    define(&o, ID(2), 1, inner, 2);
    define(&o, ID(1), 1, entries, 2);
    mark(&o, ID(1), value, sizeof(value));
    o.rec = rfw_reopen(o.w, 0, 0);
    assert_int_equal(rf_payload_columns_new(o.rec, 0, &columns, NULL), RF_OK);
    const struct rf_payload_column *column = rf_payload_column_at(columns, 0);
    assert_non_null(column);
    assert_int_equal(strlen(column->path), 4002);
    assert_string_equal(column->path + 4000, ".b");
    assert_null(rf_payload_column_at(columns, 1));
    assert_null(rf_payload_path_left_out(columns, 0, &has_more));
    assert_int_equal(has_more, 1);
    rf_payload_columns_free(columns);
    finish(&o);
}

/* ---- JSON ---- */

static int put_leaf(void *context, const char *path, size_t size, const struct rf_value *value)
{
    struct page *page = context;
    struct rf_value copy = *value;
    char text[256];
    put(page, "%s%.*s=", page->used > 0 ? " " : "", (int)size, path);
    if (value->kind == RF_VALUE_TEXT || value->kind == RF_VALUE_DIGITS) {
        assert_true(value->count < sizeof(text));
        memcpy(text, value->text, value->count);
        text[value->count] = 0;
        copy.text = text;
        copy.kind = RF_VALUE_TEXT;
    }
    put_value(page, &copy);
    return 0;
}

/* whole: the path of a struct that is one value, or NULL. */
static void assert_json_of(const char *text, size_t size, const char *whole, const char *expected)
{
    struct rf_string_entry path = {.text = whole};
    struct rf_payload_leaves leaves = {.whole = whole != NULL ? &path : NULL};
    struct page page = {.used = 0};
    path.size = whole != NULL ? (uint32_t)strlen(whole) : 0;
    assert_int_equal(rf_payload_leaves_of_json(&leaves, text, size, put_leaf, &page), 0);
    assert_string_equal(page.text, expected);
    rf_payload_leaves_release(&leaves);
}

static void assert_json(const char *text, const char *expected)
{
    assert_json_of(text, strlen(text), NULL, expected);
}

static void assert_whole(const char *whole, const char *text, const char *expected)
{
    assert_json_of(text, strlen(text), whole, expected);
}

/* A struct that is asked for stands as it is. */
static void test_whole_json(void **state)
{
    static const char text[] = " {\"a\":1,\"b\":{\"c\": {\"d\":-2}},\"e\":{}} ";
    (void)state;
    assert_whole("b", text, "a=1 b={\"c\": {\"d\":-2}}");
    assert_whole("b.c", text, "a=1 b.c={\"d\":-2}");
    assert_whole("e", text, "a=1 b.c.d=-2 e={}");
    assert_whole("a", text, "a=1 b.c.d=-2");
    assert_whole("", text, "={\"a\":1,\"b\":{\"c\": {\"d\":-2}},\"e\":{}}");
    assert_whole("", "[{\"a\":1},{\"b\":2}]", "={\"a\":1} ={\"b\":2}");
}

static void test_json(void **state)
{
    (void)state;
    assert_json("{\"a\":1,\"b\":{\"c\":-2,\"\":3.5},\"d\":\"x\",\"e\":null}",
                "a=1 b.c=-2 b.1=3.5r d='x' e=-");
    assert_json(" { \"a\" : [ 1 , {\"b\":2} ] , \"t\" : true, \"f\":false } ",
                "a=[ 1 , {\"b\":2} ] t=true f=false");
    assert_json("[{\"a\":1},{\"b\":2}]", "a=1 b=2");
    assert_json("[{\"a\":1},2]", "=[{\"a\":1},2]");
    assert_json("[]", "=[]");
    assert_json("{}", "");
    assert_json("7", "=7");
    assert_json("{\"a\":18446744073709551615,\"b\":18446744073709551616,"
                "\"c\":-9223372036854775808,\"d\":-9223372036854775809,\"e\":1e999}",
                "a=18446744073709551615u b='18446744073709551616' c=-9223372036854775808 "
                "d='-9223372036854775809' e=1e999");
    assert_json("{\"\\u00e9\\ud83d\\ude00\\ud800\":\"\\n\\\\\\\"\\/\\t\"}",
                "\xc3\xa9\xf0\x9f\x98\x80\xef\xbf\xbd='\n\\\"/\t'");
}

static void test_no_json(void **state)
{
    static const char *const texts[] = {"{",    "{\"a\":1", "{\"a\"1}", "{\"a\":01}",  "{a:1}",
                                        "[1,]", "nul",      "\"\\x\"",  "\"\\u12g4\"", "\"",
                                        "1.",   "-",        "1e",       "{\"a\":1}}",  "+1",
                                        "[",    "\"a\nb\"", "{,}",      "tru",         "\"\\"};
    char expected[64];
    (void)state;
    for (size_t i = 0; i < N_OF(texts); i++) {
        (void)snprintf(expected, sizeof(expected), "='%s'", texts[i]);
        assert_json(texts[i], expected);
    }
    assert_json_of("[", 0, NULL, "=''");
    char deep[123] = "";
    struct page page = {.used = 0};
    memset(deep, '[', 61);
    memset(deep + 61, ']', 61);
    put(&page, "='%s'", deep);
    assert_json(deep, page.text); /* too deep: a text */
    page.used = 0;
    put(&page, "=%.*s", 120, deep + 1);
    assert_json_of(deep + 1, 120, NULL, page.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),    cmocka_unit_test(test_texts),
        cmocka_unit_test(test_nested),     cmocka_unit_test(test_dynamic),
        cmocka_unit_test(test_one_value),  cmocka_unit_test(test_types),
        cmocka_unit_test(test_no_type),    cmocka_unit_test(test_several),
        cmocka_unit_test(test_too_many),   cmocka_unit_test(test_long_path),
        cmocka_unit_test(test_json),       cmocka_unit_test(test_no_json),
        cmocka_unit_test(test_whole_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
