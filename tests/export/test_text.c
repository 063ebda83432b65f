/* SPDX-License-Identifier: Apache-2.0 */
/* The pieces that text formats are made of: numbers, escapes, nearest names. */
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/escape.h"
#include "base/width.h"
#include "base/nearest.h"
#include "base/sink.h"

/* ---- A sink into memory ---- */

struct memory {
    char text[4096];
    size_t size;
    size_t total;
    int fails;
};

static int take(void *context, const void *data, size_t size, struct rf_err *err)
{
    struct memory *memory = context;
    (void)err;
    memory->total += size;
    if (memory->fails)
        return RF_ERR_IO;
    size_t n = size < sizeof(memory->text) - 1 - memory->size
                   ? size
                   : sizeof(memory->text) - 1 - memory->size;
    memcpy(memory->text + memory->size, data, n);
    memory->size += n;
    memory->text[memory->size] = '\0';
    return RF_OK;
}

static struct memory memory;
static struct rf_sink sink;

static int setup(void **state)
{
    (void)state;
    memset(&memory, 0, sizeof(memory));
    return rf_sink_init(&sink, take, &memory, NULL);
}

static int teardown(void **state)
{
    (void)state;
    rf_sink_release(&sink);
    return 0;
}

static const char *written(void)
{
    (void)rf_sink_finish(&sink);
    return memory.text;
}

static void clear(void)
{
    (void)rf_sink_finish(&sink);
    memory.size = 0;
    memory.text[0] = '\0';
}

/* ---- Numbers ---- */

static void test_integers(void **state)
{
    static const int64_t numbers[] = {0,  1,   9,    10,   99,    100,       101,       999,
                                      -1, -10, 1000, 9999, 10000, INT64_MAX, INT64_MIN, 12345678};
    char expected[64];
    (void)state;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        clear();
        rf_sink_i64(&sink, numbers[i]);
        rf_sink_char(&sink, ' ');
        rf_sink_u64(&sink, (uint64_t)numbers[i]);
        rf_sink_char(&sink, ' ');
        rf_sink_hex(&sink, (uint64_t)numbers[i]);
        (void)snprintf(expected, sizeof(expected), "%" PRId64 " %" PRIu64 " 0x%" PRIx64, numbers[i],
                       (uint64_t)numbers[i], (uint64_t)numbers[i]);
        assert_string_equal(written(), expected);
    }
}

static void test_thousandths(void **state)
{
    static const struct {
        int64_t value;
        const char *text;
    } cases[] = {
        {0, "0.000"},
        {1, "0.001"},
        {-1, "-0.001"},
        {999, "0.999"},
        {1000, "1.000"},
        {1010, "1.010"},
        {-500, "-0.500"},
        {123456789, "123456.789"},
        {INT64_MIN, "-9223372036854775.808"},
        {INT64_MAX, "9223372036854775.807"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        clear();
        rf_sink_thousandths(&sink, cases[i].value);
        assert_string_equal(written(), cases[i].text);
    }
}

static void test_reals_read_back(void **state)
{
    uint64_t random = 88172645463325252u;
    (void)state;
    for (int i = 0; i < 20000; i++) {
        double value;
        float single;
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        uint32_t low = (uint32_t)random;
        memcpy(&value, &random, sizeof(value));
        memcpy(&single, &low, sizeof(single));
        if (isfinite(value)) {
            clear();
            rf_sink_double(&sink, value);
            assert_true(strtod(written(), NULL) == value);
        }
        if (isfinite(single)) {
            clear();
            rf_sink_float(&sink, single);
            assert_true(strtof(written(), NULL) == single);
        }
    }
    clear();
    rf_sink_double(&sink, 0.1);
    rf_sink_char(&sink, ' ');
    rf_sink_float(&sink, 1.1f);
    rf_sink_char(&sink, ' ');
    rf_sink_double(&sink, -INFINITY);
    rf_sink_char(&sink, ' ');
    rf_sink_double(&sink, (double)NAN);
    assert_string_equal(written(), "0.1 1.1 -inf nan");
}

static void test_reals_in_a_locale_with_comma(void **state)
{
    (void)state;
    if (setlocale(LC_NUMERIC, "de_DE.UTF-8") == NULL)
        skip();
    rf_sink_double(&sink, 0.5);
    (void)setlocale(LC_NUMERIC, "C");
    assert_string_equal(written(), "0.5");
}

/* ---- Escapes ---- */

static const char *json(const char *text, int *was_replaced)
{
    clear();
    int replaced = rf_sink_json(&sink, text, strlen(text));
    if (was_replaced != NULL)
        *was_replaced = replaced;
    return written();
}

static void test_json(void **state)
{
    int was_replaced;
    (void)state;
    assert_string_equal(json("", NULL), "\"\"");
    assert_string_equal(json("a\"b\\c/", NULL), "\"a\\\"b\\\\c/\"");
    assert_string_equal(json("\b\f\n\r\t\x01\x1f\x7f", NULL),
                        "\"\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\"");
    assert_string_equal(json("caf\xc3\xa9 \xf0\x9f\x98\x80", &was_replaced),
                        "\"caf\xc3\xa9 \xf0\x9f\x98\x80\"");
    assert_int_equal(was_replaced, 0);
    assert_string_equal(json("\xff", &was_replaced), "\"\xef\xbf\xbd\"");
    assert_int_equal(was_replaced, 1);
}

/* The examples of the Unicode standard, section 3.9: one U+FFFD per maximal part. */
static void test_invalid_utf8(void **state)
{
#define R "\xef\xbf\xbd"
    static const struct {
        const char *bytes;
        const char *text;
    } cases[] = {
        {"\xc0\xaf\xe0\x80\xbf\xf0\x81\x82\x41", R R R R R R R R "A"},   /* overlong */
        {"\xed\xa0\x80\xed\xbf\xbf\xed\xaf\x41", R R R R R R R R "A"},   /* surrogates */
        {"\xf4\x91\x92\x93\xff\x41\x80\xbf\x42", R R R R R "A" R R "B"}, /* above U+10FFFF */
        {"\xe1\x80\xe2\xf0\x91\x92\xf1\xbf\x41", R R R R "A"},           /* truncated */
        {"\xe2\x82", R},
        {"\xf0\x9f\x98", R},
        {"x\x80", "x" R},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        clear();
        assert_int_equal(rf_sink_json_inner(&sink, cases[i].bytes, strlen(cases[i].bytes)), 1);
        assert_string_equal(written(), cases[i].text);
        assert_false(rf_is_utf8(cases[i].bytes, strlen(cases[i].bytes)));
    }
    assert_true(rf_is_utf8("\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf", 10));
#undef R
}

/* Every byte at every place of a text long enough for the search by words. */
static void test_every_byte_at_every_place(void **state)
{
    char text[19];
    (void)state;
    for (size_t place = 0; place < sizeof(text); place++) {
        for (int byte = 1; byte < 256; byte++) {
            memset(text, 'a', sizeof(text));
            text[place] = (char)byte;
            clear();
            rf_sink_json_inner(&sink, text, sizeof(text));
            size_t grown = strlen(written()) - sizeof(text);
            int is_short = strchr("\b\f\n\r\t\"\\", byte) != NULL;
            size_t expected = byte >= 0x80 ? 2 : is_short ? 1 : byte < 0x20 ? 5 : 0;
            assert_int_equal(grown, expected);
        }
    }
}

static void test_csv(void **state)
{
    static const struct {
        const char *text;
        const char *field;
    } cases[] = {
        {"plain", "plain"},       {"", "\"\""},         {"a,b", "\"a,b\""},
        {"\"", "\"\"\"\""},       {"a\nb", "\"a\nb\""}, {"a\rb", "\"a\rb\""},
        {" a", "\" a\""},         {"a ", "\"a \""},     {"x \"y\", z", "\"x \"\"y\"\", z\""},
        {"\xff", "\xef\xbf\xbd"}, {"a\tb", "a\tb"},
    };
    /* What a spreadsheet, a terminal or a reader would take for something else. */
    static const struct {
        const char *text;
        const char *field, *tree;
    } harmful[] = {
        {"=1+1", "'=1+1", "'=1+1"},
        {"=a,b", "\"'=a,b\"", "\"'=a,b\""},
        {"+1", "'+1", "'+1"},
        {"@x", "'@x", "'@x"},
        {"-1", "'-1", "-1"},
        {"\t=1", "'\t=1", "'\t=1"},
        {"a=1", "a=1", "a=1"},
        {"\x1b[31m\x07", "\\x1b[31m\\x07", "\\x1b[31m\\x07"},
        {"a\xc2\x9b"
         "b\x7f",
         "a\\xc2\\x9bb\\x7f", "a\\xc2\\x9bb\\x7f"},
        {"\xe2\x80\xaex\xe2\x81\xa9", "\\u202ex\\u2069", "\\u202ex\\u2069"},
        {"\xd8\x9c\xe2\x80\x8d", "\\u061c\xe2\x80\x8d", "\\u061c\xe2\x80\x8d"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        for (int form = 0; form < 2; form++) {
            sink.is_raw = form != 0;
            clear();
            rf_sink_csv(&sink, cases[i].text, strlen(cases[i].text));
            assert_string_equal(written(), cases[i].field);
        }
    }
    for (size_t i = 0; i < sizeof(harmful) / sizeof(harmful[0]); i++) {
        size_t size = strlen(harmful[i].text);
        sink.is_raw = false;
        clear();
        rf_sink_csv(&sink, harmful[i].text, size);
        assert_string_equal(written(), harmful[i].field);
        clear();
        rf_sink_csv_tree(&sink, harmful[i].text, size);
        assert_string_equal(written(), harmful[i].tree);
        sink.is_raw = true;
        clear();
        rf_sink_csv(&sink, harmful[i].text, size);
        assert_memory_equal(strstr(written(), harmful[i].text), harmful[i].text, size);
    }
    sink.is_raw = false;
}

static void test_printable(void **state)
{
    static const char text[] = "a\x1b[31m\x07\\ \xc2\x9b"
                               "31m \xc3\xa9 \xff\x7f\"";
    (void)state;
    rf_sink_printable(&sink, text, strlen(text));
    assert_string_equal(written(), "a\\x1b[31m\\x07\\\\ \\xc2\\x9b31m \xc3\xa9 \\xff\\x7f\"");
    clear();
    rf_sink_printable(&sink, "\xe2\x80\xae\xe2\x80\xa8.", 7);
    assert_string_equal(written(), "\\u202e\\u2028.");
    clear();
    sink.is_raw = true;
    rf_sink_printable(&sink, text, strlen(text));
    assert_string_equal(written(), text);
    sink.is_raw = false;
}

static void test_columns(void **state)
{
    static const struct {
        const char *text;
        size_t columns;
    } cases[] = {
        {"", 0},
        {"caf\xc3\xa9", 4},
        {"cafe\xcc\x81", 4},                     /* a mark on the e */
        {"\xe6\x97\xa5\xe6\x9c\xac", 4},         /* two kanji */
        {"\xed\x95\x9c", 2},                     /* a syllable of Hangul */
        {"\xf0\x9f\x8e\x89!", 3},                /* an emoji */
        {"\xf0\x9f\x91\x8d\xf0\x9f\x8f\xbd", 2}, /* with a tone of skin */
        {"\xef\xbc\xa1", 2},                     /* a full-width A */
        {"\xd7\xa9\xd6\xb8", 1},                 /* a Hebrew letter with a vowel */
        {"\xff\xc3", 2},                         /* no UTF-8 */
        {"\xed\xa0\x80", 3},                     /* half of a pair */
        {"\xf0\x9f\x8e", 3},                     /* cut */
    };
    size_t columns;
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(rf_utf8_columns(cases[i].text, strlen(cases[i].text)), cases[i].columns);
    assert_int_equal(rf_utf8_fitting("a\xe6\x97\xa5z", 5, 2, &columns), 1);
    assert_int_equal(columns, 1);
    assert_int_equal(rf_utf8_fitting("a\xe6\x97\xa5z", 5, 3, &columns), 4);
    assert_int_equal(columns, 3);
    assert_int_equal(rf_utf8_fitting("ae\xcc\x81z", 5, 2, &columns), 4);
}

/* ---- The sink itself ---- */

static void test_more_than_the_buffer(void **state)
{
    size_t size = RF_SINK_CAPACITY * 3 + 17;
    char *data = malloc(size);
    (void)state;
    assert_non_null(data);
    memset(data, 'x', size);
    rf_sink_char(&sink, 'a');
    rf_sink_bytes(&sink, data, size);
    rf_sink_pad(&sink, 200);
    assert_int_equal(rf_sink_finish(&sink), RF_OK);
    assert_int_equal(memory.total, size + 201);
    free(data);
}

static void test_errors_stick(void **state)
{
    (void)state;
    memory.fails = 1;
    rf_sink_text(&sink, "lost");
    rf_sink_drain(&sink);
    assert_int_equal(rf_sink_status(&sink), RF_ERR_IO);
    memory.fails = 0;
    rf_sink_text(&sink, "more");
    assert_int_equal(rf_sink_finish(&sink), RF_ERR_IO);
    assert_int_equal(memory.total, 4);
}

/* ---- Names ---- */

static void test_nearest(void **state)
{
    static const char *const names[] = {"sqlite", "json", "jsonl", "csv", "text"};
    (void)state;
    assert_int_equal(rf_name_distance("json", "json"), 0);
    assert_int_equal(rf_name_distance("", "csv"), 3);
    assert_int_equal(rf_name_distance("jsno", "json"), 1);
    assert_int_equal(rf_name_distance("kitten", "sitting"), 3);
    assert_string_equal(rf_nearest_name("sqllite", names, 5), "sqlite");
    assert_string_equal(rf_nearest_name("sql", names, 5), "sqlite");
    assert_string_equal(rf_nearest_name("jsno", names, 5), "json");
    assert_string_equal(rf_nearest_name("tet", names, 5), "text");
    assert_null(rf_nearest_name("perfetto", names, 5));
    assert_string_equal(rf_nearest_name("stat", (const char *[]){"start", "status", "stats"}, 3),
                        "stats");
    assert_null(rf_nearest_name("recipe", (const char *[]){"recover"}, 1));
    assert_null(rf_nearest_name("", names, 5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_integers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_thousandths, setup, teardown),
        cmocka_unit_test_setup_teardown(test_reals_read_back, setup, teardown),
        cmocka_unit_test_setup_teardown(test_reals_in_a_locale_with_comma, setup, teardown),
        cmocka_unit_test_setup_teardown(test_json, setup, teardown),
        cmocka_unit_test_setup_teardown(test_invalid_utf8, setup, teardown),
        cmocka_unit_test_setup_teardown(test_every_byte_at_every_place, setup, teardown),
        cmocka_unit_test_setup_teardown(test_columns, setup, teardown),
        cmocka_unit_test_setup_teardown(test_csv, setup, teardown),
        cmocka_unit_test_setup_teardown(test_printable, setup, teardown),
        cmocka_unit_test_setup_teardown(test_more_than_the_buffer, setup, teardown),
        cmocka_unit_test_setup_teardown(test_errors_stick, setup, teardown),
        cmocka_unit_test(test_nearest),
    };
    return cmocka_run_group_tests_name("export.text", tests, NULL, NULL);
}
