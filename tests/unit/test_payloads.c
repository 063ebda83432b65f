/* SPDX-License-Identifier: Apache-2.0 */
/* Payloads, rule by rule: a schema, bytes, and the JSON that they are. */
#include "unit.h"

#include "model/payload/payload_json.h"
#include "rf_payload_writer.h"

#define ID(n)     ((1ULL << 32) + (n))
#define N_OF(a)   ((uint32_t)(sizeof(a) / sizeof((a)[0])))
#define FIXED     (1u << 4)
#define ZERO      (2u << 4)
#define LENGTH    (3u << 4)
#define PAYLOAD   (4u << 4)
#define POINTER   (1u << 1)
#define FROM_BASE (1u << 2)
#define FROM_HERE (1u << 3)
#define HIDE      (1u << 9)
#define MESSAGE   (1u << 10)

/* A recording of one thread. */
struct one {
    struct rfw *w;
    uint32_t process;
    struct rfw_stream *s;
    rf_recording *rec;
    const struct rf_event *event;
    size_t n;
};

static struct one begin(void)
{
    struct one o = {.w = rfw_new()};
    o.process = rfw_process(o.w, 100, "app");
    o.s = rfw_stream(o.w, o.process, 0, 100, 1);
    return o;
}

static void read_back(struct one *o)
{
    o->rec = rfw_reopen(o->w, 0, 0);
    o->event = rf_thread_events(o->rec, 0, &o->n);
}

static void finish(struct one *o)
{
    rf_close(o->rec);
    rfw_free(o->w);
}

static void assert_json(const struct one *o, size_t event, unsigned flags, const char *expected)
{
    struct rf_json_text text = {.text = NULL};
    size_t size;
    assert_true(event < o->n);
    assert_int_equal(o->event[event].payload_type, RF_TYPE_EXTENDED);
    assert_string_equal(rf_json_text_of(&text, o->rec, &o->event[event], flags, &size), expected);
    assert_int_equal(size, strlen(expected));
    rf_json_text_release(&text);
}

/* The JSON of one payload with a schema of its own, whose id is ID(1). */
static void check(struct one *o, const struct rfw_schema *schema, const struct rfw_entry *entries,
                  uint32_t n, const void *bytes, size_t size, bool is_bad, const char *expected)
{
    struct rfw_schema own = *schema;
    own.id = ID(1);
    rfw_define_schema(o->w, o->process, &own, entries, n);
    rfw_mark(o->s, 10, &(struct rfw_attr){.text = "m"});
    rfw_payload(o->s, ID(1), bytes, size, size, 0);
    read_back(o);
    assert_json(o, 0, 0, expected);
    assert_int_equal((o->event[0].flags & RF_EVENT_BAD_PAYLOAD) != 0, is_bad);
    finish(o);
}

static void check_static(const struct rfw_entry *entries, uint32_t n, const void *bytes,
                         size_t size, const char *expected)
{
    struct one o = begin();
    check(&o, &(struct rfw_schema){.name = "s"}, entries, n, bytes, size, false, expected);
}

static void check_dynamic(const struct rfw_entry *entries, uint32_t n, const void *bytes,
                          size_t size, bool is_bad, const char *expected)
{
    struct one o = begin();
    check(&o, &(struct rfw_schema){.name = "s", .type = 2}, entries, n, bytes, size, is_bad,
          expected);
}

/* ---- The bytes and the JSON ---- */

static void test_bytes(void **state)
{
    static const struct rfw_entry entries[] = {{0, 16, "n", 0, 0}};
    const uint32_t first = 7, last = 8;
    struct rf_payload_bytes bytes;
    struct one o = begin();
    char text[32];
    (void)state;
    rfw_define_schema(o.w, o.process, &(struct rfw_schema){.id = ID(1), .name = "s"}, entries, 1);
    rfw_push(o.s, 10, &(struct rfw_attr){.text = "r"});
    rfw_payload(o.s, ID(1), &first, sizeof(first), sizeof(first), 0);
    rfw_pop(o.s, 20, 0);
    rfw_payload(o.s, 16, &last, sizeof(last), sizeof(last), 0);
    rfw_mark(o.s, 30, NULL);
    read_back(&o);
    assert_int_equal(rf_payload_at(o.rec, &o.event[0], 0, &bytes), 1);
    assert_int_equal(bytes.schema, ID(1));
    assert_string_equal(bytes.schema_name, "s");
    assert_int_equal(bytes.n_bytes, sizeof(first));
    assert_memory_equal(bytes.bytes, &first, sizeof(first));
    assert_int_equal(bytes.is_of_end, 0);
    assert_int_equal(rf_payload_at(o.rec, &o.event[0], 1, &bytes), 1);
    assert_int_equal(bytes.schema, 16);
    assert_null(bytes.schema_name);
    assert_int_equal(bytes.n_bytes, sizeof(last));
    assert_int_equal(bytes.size, sizeof(last));
    assert_int_equal(bytes.is_of_end, 1);
    assert_int_equal(rf_payload_at(o.rec, &o.event[0], 2, &bytes), 0);
    assert_null(bytes.bytes);
    assert_int_equal(rf_payload_at(o.rec, &o.event[1], 0, &bytes), 0);
    assert_int_equal(rf_payload_json(o.rec, &o.event[0], 0, text, sizeof(text)), 11);
    assert_string_equal(text, "[{\"n\":7},8]");
    assert_int_equal(rf_payload_json(o.rec, &o.event[0], 0, text, 4), 11);
    assert_string_equal(text, "[{\"");
    assert_int_equal(rf_payload_json(o.rec, &o.event[0], 0, NULL, 0), 11);
    assert_int_equal(rf_payload_json(o.rec, &o.event[1], 0, text, sizeof(text)), 0);
    finish(&o);
}

/* ---- Numbers ---- */

static void test_integers(void **state)
{
    static const struct rfw_entry entries[] = {
        {0, 11, "i8", 0, 0},  {0, 12, "u8", 0, 0},  {0, 13, "i16", 0, 0}, {0, 14, "u16", 0, 0},
        {0, 15, "i32", 0, 0}, {0, 16, "u32", 0, 0}, {0, 17, "i64", 0, 0}, {0, 18, "u64", 0, 0},
    };
    const struct {
        int8_t i8;
        uint8_t u8;
        int16_t i16;
        uint16_t u16;
        int32_t i32;
        uint32_t u32;
        int64_t i64;
        uint64_t u64;
    } value = {-1, 255, -2, 65535, -3, 4294967295u, INT64_MIN, UINT64_MAX};
    (void)state;
    check_static(entries, N_OF(entries), &value, sizeof(value),
                 "{\"i8\":-1,\"u8\":255,\"i16\":-2,\"u16\":65535,\"i32\":-3,\"u32\":4294967295,"
                 "\"i64\":-9223372036854775808,\"u64\":18446744073709551615}");
}

static void test_c_types(void **state)
{
    static const struct rfw_entry entries[] = {
        {0, 1, "c", 0, 0},  {0, 2, "uc", 0, 0}, {0, 3, "s", 0, 0},   {0, 5, "i", 0, 0},
        {0, 7, "l", 0, 0},  {0, 19, "f", 0, 0}, {0, 20, "d", 0, 0},  {0, 22, "z", 0, 0},
        {0, 23, "p", 0, 0}, {0, 24, "w", 0, 0}, {0, 21, "ld", 0, 0},
    };
    struct {
        char c;
        unsigned char uc;
        short s;
        int i;
        long l;
        float f;
        double d;
        size_t z;
        void *p;
        int32_t w;
        long double ld;
    } value;
    (void)state;
    memset(&value, 0, sizeof(value));
    value.c = 'x';
    value.uc = 200;
    value.s = -7;
    value.i = 8;
    value.l = -9;
    value.f = 0.1f;
    value.d = 0.1;
    value.z = 11;
    value.p = (void *)(uintptr_t)0x1000;
    value.w = 0x20ac;
    value.ld = -2.5L;
    check_static(entries, N_OF(entries), &value, sizeof(value),
                 "{\"c\":\"x\",\"uc\":200,\"s\":-7,\"i\":8,\"l\":-9,\"f\":0.1,\"d\":0.1,\"z\":11,"
                 "\"p\":\"0x1000\",\"w\":\"\xe2\x82\xac\",\"ld\":-2.5}");
}

static void test_sizes_of_the_program(void **state)
{
    static const struct rfw_entry entries[] = {
        {0, 7, "long", 0, 0}, {0, 21, "long_double", 0, 0}, {0, 23, "pointer", 0, 0}};
    struct rf_type_size sizes[28] = {[7] = {4, 4}, [21] = {8, 4}, [23] = {4, 4}};
    struct {
        int32_t l;
        double d;
        uint32_t p;
    } __attribute__((packed)) value = {-5, 1.5, 0x2000};
    (void)state;
    struct one o = begin();
    rfw_nvtx_def(o.w, o.process, RF_NVTX_DEF_TYPE_SIZES, 0, 0, sizes, sizeof(sizes));
    check(&o, &(struct rfw_schema){.name = "s"}, entries, N_OF(entries), &value, sizeof(value),
          false, "{\"long\":-5,\"long_double\":1.5,\"pointer\":\"0x2000\"}");
}

static void test_reals(void **state)
{
    static const struct rfw_entry entries[] = {
        {FIXED, 42, "half", 6, 0}, {FIXED, 50, "bf16", 2, 0}, {0, 52, "tf32", 0, 0},
        {FIXED, 43, "f32", 3, 0},  {0, 44, "f64", 0, 0},      {0, 45, "f128", 0, 0},
    };
    struct {
        uint16_t half[6], bf16[2];
        float tf32, f32[3];
        double f64;
        uint64_t f128[2] __attribute__((aligned(16)));
    } value = {
        .half = {0x3c00, 0xc000, 0x0001, 0x7bff, 0x7c00, 0x7e00},
        .bf16 = {0x3f80, 0xc0a0},
        .tf32 = 0.5f,
        .f32 = {0.1f, -0.0f, 1e10f},
        .f64 = 1e300,
        .f128 = {0, 0xc000400000000000ULL},
    };
    (void)state;
    check_static(entries, N_OF(entries), &value, sizeof(value),
                 "{\"half\":[1,-2,5.9604645e-08,65504,\"inf\",\"nan\"],\"bf16\":[1,-5],"
                 "\"tf32\":0.5,\"f32\":[0.1,-0,1e+10],\"f64\":1e+300,\"f128\":-2.5}");
}

static void test_long_integers(void **state)
{
    static const struct rfw_entry entries[] = {{FIXED, 33, "i", 2, 0}, {FIXED, 34, "u", 2, 0}};
    const uint64_t value[] = {(uint64_t)-5, UINT64_MAX, 0, 1ULL << 63, 7, 0,
                              UINT64_MAX,   UINT64_MAX};
    (void)state;
    check_static(entries, N_OF(entries), value, sizeof(value),
                 "{\"i\":[-5,-170141183460469231731687303715884105728],"
                 "\"u\":[7,340282366920938463463374607431768211455]}");
}

/* ---- Text and bytes ---- */

static void test_text(void **state)
{
    static const struct rfw_entry entries[] = {
        {0, 75, "fixed", 4, 0},     {FIXED, 76, "full", 4, 0}, {FIXED, 1, "chars", 4, 0},
        {FIXED, 32, "bytes", 4, 0}, {0, 77, "utf16", 4, 0},    {0, 78, "utf32", 3, 0},
        {0, 32, "byte", 0, 0},
    };
    struct {
        char fixed[4], full[4], chars[4];
        uint8_t bytes[4];
        uint16_t utf16[4];
        uint32_t utf32[3];
        uint8_t byte;
    } value = {"ab",
               {'w', 'x', 'y', 'z'},
               "c",
               {0, 1, 0xfe, 0xff},
               {'a', 0xd83d, 0xde00, 0xd800},
               {0xe9, 0x1f600, 0},
               7};
    (void)state;
    check_static(
        entries, N_OF(entries), &value, sizeof(value),
        "{\"fixed\":\"ab\",\"full\":\"wxyz\",\"chars\":\"c\",\"bytes\":\"0001feff\","
        "\"utf16\":\"a\xf0\x9f\x98\x80\xef\xbf\xbd\",\"utf32\":\"\xc3\xa9\xf0\x9f\x98\x80\","
        "\"byte\":\"07\"}");
}

static void test_registered_strings(void **state)
{
    static const struct rfw_entry entries[] = {{FIXED, 80, "s", 3, 0}};
    (void)state;
    struct one o = begin();
    uint64_t value[3] = {0, rfw_string(o.w, o.process, 1, 100, 0, "hello"), 99};
    check(&o, &(struct rfw_schema){.name = "s"}, entries, 1, value, sizeof(value), false,
          "{\"s\":[null,\"hello\",\"0x63\"]}");
}

static void test_enums(void **state)
{
    static const struct rfw_enum_value values[] = {{"NONE", 0, 0},
                                                   {"MINUS", (uint64_t)-1, 0},
                                                   {"READ", 1, 1},
                                                   {"WRITE", 2, 1},
                                                   {"ALL", 64, 0}};
    static const struct rfw_entry entries[] = {{FIXED, ID(9), "e", 6, 0}};
    const int32_t value[] = {0, -1, 1, 3, 35, 64};
    (void)state;
    struct one o = begin();
    rfw_define_enum(o.w, o.process, ID(9), 4, values, N_OF(values));
    check(&o, &(struct rfw_schema){.name = "s"}, entries, 1, value, sizeof(value), false,
          "{\"e\":[\"NONE\",\"MINUS\",\"READ\",\"READ|WRITE\",\"READ|WRITE|0x20\",\"ALL\"]}");
}

/* ---- Places ---- */

static void test_offsets(void **state)
{
    static const struct rfw_entry entries[] = {{0, 12, "a", 0, 2}, {0, 16, "b", 0, 0}};
    const uint8_t bytes[] = {9, 9, 1, 9, 2, 0, 0, 0};
    struct one o = begin();
    (void)state;
    check(&o, &(struct rfw_schema){.name = "s"}, entries, 2, bytes, sizeof(bytes), false,
          "{\"a\":1,\"b\":2}");
}

static void test_packed(void **state)
{
    static const struct rfw_entry entries[] = {{0, 12, "a", 0, 0}, {0, 18, "b", 0, 0}};
    const uint8_t bytes[] = {1, 9, 2, 0, 0, 0, 0, 0, 0, 0};
    struct one o = begin();
    (void)state;
    check(&o, &(struct rfw_schema){.name = "s", .pack = 2}, entries, 2, bytes, sizeof(bytes), false,
          "{\"a\":1,\"b\":2}");
}

static void test_nested(void **state)
{
    static const struct rfw_entry inner[] = {{0, 12, "x", 0, 0}, {0, 16, "y", 0, 0}};
    static const struct rfw_entry entries[] = {
        {0, 12, "n", 0, 0}, {0, ID(2), "one", 0, 0}, {FIXED, ID(2), "two", 2, 0}};
    const uint32_t value[] = {7, 1, 2, 3, 4, 5, 6};
    struct one o = begin();
    (void)state;
    rfw_define_schema(o.w, o.process, &(struct rfw_schema){.id = ID(2)}, inner, 2);
    check(&o, &(struct rfw_schema){.name = "s"}, entries, 3, value, sizeof(value), false,
          "{\"n\":7,\"one\":{\"x\":1,\"y\":2},\"two\":[{\"x\":3,\"y\":4},{\"x\":5,\"y\":6}]}");
}

/* Schemas that only wrap a value, as Python's nvtx makes them. */
static void test_wrapped(void **state)
{
    static const struct rfw_entry number[] = {{0, 17, NULL, 0, 0}};
    static const struct rfw_entry list[] = {{0, 18, "size", 0, 0}, {LENGTH, ID(2), "data", 0, 0}};
    static const struct rfw_entry entries[] = {{0, ID(2), "n", 0, 0}, {0, 12, NULL, 0, 0}};
    const uint64_t value[] = {2, 30, 40};
    struct one o = begin();
    (void)state;
    rfw_define_schema(o.w, o.process, &(struct rfw_schema){.id = ID(2)}, number, 1);
    rfw_define_schema(o.w, o.process, &(struct rfw_schema){.id = ID(3), .type = 2}, list, 2);
    rfw_define_schema(o.w, o.process, &(struct rfw_schema){.id = ID(4)}, entries, 2);
    rfw_mark(o.s, 10, NULL);
    rfw_payload(o.s, ID(2), value, 8, 8, 0);
    rfw_mark(o.s, 11, NULL);
    rfw_payload(o.s, ID(3), value, 24, 24, 0);
    rfw_mark(o.s, 12, NULL);
    rfw_payload(o.s, ID(4), value, 16, 16, 0);
    read_back(&o);
    assert_json(&o, 0, 0, "2");
    assert_json(&o, 1, 0, "[30,40]");
    assert_json(&o, 2, 0, "{\"n\":2,\"1\":30}");
    finish(&o);
}

/* ---- Arrays ---- */

static void test_lengths(void **state)
{
    static const struct rfw_entry entries[] = {
        {0, 12, "n", 0, 0},         {LENGTH, 14, "some", 0, 0}, {ZERO, 12, "to_zero", 0, 0},
        {LENGTH, 75, "text", 0, 0}, {ZERO, 76, "more", 0, 0},   {0, 16, "last", 0, 0}};
    const uint8_t bytes[] = {2, 9, 1, 0, 2, 0, 5, 6, 0, 'a', 'b', 'c', 'd', 0, 9, 9, 8, 0, 0, 0};
    (void)state;
    check_dynamic(entries, N_OF(entries), bytes, sizeof(bytes), false,
                  "{\"n\":2,\"some\":[1,2],\"to_zero\":[5,6],\"text\":\"ab\",\"more\":\"cd\","
                  "\"last\":8}");
}

static void test_dimensions(void **state)
{
    static const struct rfw_entry fixed[] = {{FIXED, 12, "d", 2, 0}, {LENGTH, 12, "a", 0, 0}};
    static const struct rfw_entry zero[] = {{ZERO, 12, "d", 0, 0}, {LENGTH, 12, "a", 0, 0}};
    static const struct rfw_entry negative[] = {{0, 11, "n", 0, 0}, {LENGTH, 12, "a", 0, 0}};
    const uint8_t bytes[] = {2, 3, 1, 2, 3, 4, 5, 6};
    const uint8_t ended[] = {1, 2, 1, 0, 7, 8};
    const uint8_t below[] = {0xff};
    (void)state;
    check_dynamic(fixed, 2, bytes, sizeof(bytes), false, "{\"d\":[2,3],\"a\":[[1,2,3],[4,5,6]]}");
    check_dynamic(zero, 2, ended, sizeof(ended), false, "{\"d\":[1,2,1],\"a\":[[[7],[8]]]}");
    check_dynamic(negative, 2, below, sizeof(below), false, "{\"n\":-1,\"a\":[]}");
}

static void test_lengths_in_another_payload(void **state)
{
    static const struct rfw_entry entries[] = {{PAYLOAD, 12, "a", 1, 0}, {0, 12, "b", 0, 0}};
    const uint8_t bytes[] = {1, 2, 3, 4, 5};
    const uint32_t lengths[] = {2, 2};
    struct one o = begin();
    (void)state;
    rfw_define_schema(o.w, o.process, &(struct rfw_schema){.id = ID(1), .type = 2}, entries, 2);
    rfw_mark(o.s, 10, NULL);
    rfw_payload(o.s, ID(1), bytes, sizeof(bytes), sizeof(bytes), 0);
    rfw_payload(o.s, 16, lengths, sizeof(lengths), sizeof(lengths), 0);
    read_back(&o);
    assert_json(&o, 0, 0, "[{\"a\":[[1,2],[3,4]],\"b\":5},[2,2]]");
    finish(&o);
}

/* ---- Pointers and offsets ---- */

static void test_offsets_in_payloads(void **state)
{
    static const struct rfw_entry entries[] = {{FROM_BASE | ZERO, 75, "base", 0, 0},
                                               {FROM_HERE | FIXED, 12, "here", 2, 0}};
    struct {
        uint64_t base, here;
        char text[8];
    } value = {16, 3, "abc\1\2"};
    (void)state;
    value.text[3] = 0;
    value.text[4] = 4;
    check_dynamic(entries, 2, &value, sizeof(value), false, "{\"base\":\"abc\",\"here\":[0,4]}");
}

static void test_pointers(void **state)
{
    static const struct rfw_entry entries[] = {{0, 75, "text", 0, 0},
                                               {POINTER, 16, "number", 0, 0},
                                               {POINTER, ID(1), "next", 0, 0},
                                               {POINTER, 16, "gone", 0, 0},
                                               {POINTER, 16, "null", 0, 0}};
    const uint64_t value[] = {0x1002, 0x2000, 0x3000, 0x9000, 0};
    const uint32_t number = 77;
    struct one o = begin();
    (void)state;
    rfw_define_schema(o.w, o.process, &(struct rfw_schema){.id = ID(1)}, entries, 5);
    rfw_mark(o.s, 10, NULL);
    rfw_payload(o.s, ID(1), value, 40, 40, 0);
    rfw_reference(o.s, 0x1000, "..text", 7);
    rfw_payload(o.s, 1022, &number, 4, 4, 0x2000);
    rfw_reference(o.s, 0x3000, (const uint64_t[5]){0}, 40);
    read_back(&o);
    assert_json(&o, 0, 0,
                "{\"text\":\"text\",\"number\":77,\"next\":{\"text\":null,\"number\":null,"
                "\"next\":null,\"gone\":null,\"null\":null},\"gone\":\"0x9000\",\"null\":null}");
    assert_int_equal(o.event[0].flags & RF_EVENT_BAD_PAYLOAD, 0);
    finish(&o);
}

/* A struct that points to itself ends. */
static void test_cycle(void **state)
{
    static const struct rfw_entry entries[] = {{POINTER, ID(1), "next", 0, 0},
                                               {POINTER, ID(1), "again", 0, 0}};
    const uint64_t value[] = {0x1000, 0x1000};
    struct rf_json_text text = {.text = NULL};
    size_t size;
    struct one o = begin();
    (void)state;
    rfw_define_schema(o.w, o.process, &(struct rfw_schema){.id = ID(1)}, entries, 2);
    rfw_mark(o.s, 10, NULL);
    rfw_payload(o.s, ID(1), value, 16, 16, 0x1000);
    read_back(&o);
    assert_non_null(rf_json_text_of(&text, o.rec, &o.event[0], 0, &size));
    assert_true(size < 1000000);
    assert_true(o.event[0].flags & RF_EVENT_BAD_PAYLOAD);
    rf_json_text_release(&text);
    finish(&o);
}

/* ---- Unions ---- */

static void test_unions(void **state)
{
    static const struct rfw_entry members[] = {{0, 16, "i", 0, 0}, {0, 43, "f", 0, 0}};
    static const struct rfw_entry own[] = {
        {0, 100, "kind", 0, 0}, {0, 16, "i", 0, 0}, {0, 43, "f", 0, 0}};
    static const struct rfw_entry entries[] = {
        {0, 16, "kind", 0, 0}, {0, ID(2), "external", 0, 0}, {0, ID(3), "internal", 0, 0}};
    struct {
        uint32_t kind;
        float f;
        uint32_t selector, i;
    } value = {1, 0.25f, 1, 9};
    struct one o = begin();
    (void)state;
    rfw_define_schema(o.w, o.process, &(struct rfw_schema){.id = ID(2), .type = 3}, members, 2);
    rfw_define_schema(o.w, o.process, &(struct rfw_schema){.id = ID(3), .type = 4}, own, 3);
    rfw_define_schema(o.w, o.process, &(struct rfw_schema){.id = ID(1)}, entries, 3);
    rfw_mark(o.s, 10, NULL);
    rfw_payload(o.s, ID(1), &value, 16, 16, 0);
    value.kind = 7;
    rfw_mark(o.s, 11, NULL);
    rfw_payload(o.s, ID(1), &value, 16, 16, 0);
    read_back(&o);
    assert_json(&o, 0, 0, "{\"kind\":1,\"external\":{\"f\":0.25},\"internal\":{\"i\":9}}");
    assert_json(&o, 1, 0, "{\"kind\":7,\"external\":{\"\":\"0000803e\"},\"internal\":{\"i\":9}}");
    assert_int_equal(o.event[0].flags & RF_EVENT_BAD_PAYLOAD, 0);
    assert_true(o.event[1].flags & RF_EVENT_BAD_PAYLOAD);
    finish(&o);
}

/* ---- Predefined types, and schemas that do not exist ---- */

static void test_predefined(void **state)
{
    const uint16_t numbers[] = {1, 2, 3, 4}; /* of which seven bytes are given first */
    struct one o = begin();
    (void)state;
    rfw_mark(o.s, 10, NULL);
    rfw_payload(o.s, 14, numbers, 7, 7, 0);
    rfw_mark(o.s, 11, NULL);
    rfw_payload(o.s, 14, numbers, 2, 2, 0);
    rfw_mark(o.s, 12, NULL);
    rfw_payload(o.s, 75, "text", 4, 4, 0);
    rfw_mark(o.s, 13, NULL);
    rfw_payload(o.s, 1023, "\1\2", 2, 2, 0);
    rfw_mark(o.s, 14, NULL);
    rfw_payload(o.s, ID(50), "\3\4", 2, 2, 0);
    rfw_mark(o.s, 15, NULL);
    rfw_payload(o.s, 14, numbers, 2, 40, 0);
    rfw_mark(o.s, 16, NULL);
    rfw_payload(o.s, 1022, numbers, 2, 2, 0);
    rfw_mark(o.s, 17, NULL);
    rfw_payload(o.s, 14, numbers, 0, 0, 0);
    read_back(&o);
    assert_json(&o, 0, 0, "[1,2,3]");
    assert_json(&o, 1, 0, "1");
    assert_json(&o, 2, 0, "\"text\"");
    assert_json(&o, 3, 0, "\"0102\"");
    assert_json(&o, 4, 0, "\"0304\"");
    assert_json(&o, 5, 0, "[1,0,0,0]"); /* up to the end of the word */
    assert_int_equal(o.event[3].flags & RF_EVENT_BAD_PAYLOAD, 0);
    assert_true(o.event[4].flags & RF_EVENT_BAD_PAYLOAD);
    assert_true(o.event[5].flags & RF_EVENT_BAD_PAYLOAD); /* it was cut */
    assert_int_equal(o.event[6].payload_type, RF_TYPE_NONE);
    assert_int_equal(o.event[7].payload_type, RF_TYPE_NONE);
    finish(&o);
}

/* What cannot be decoded is there as bytes, and what follows it as far as its place is known. */
static void test_bad(void **state)
{
    static const struct rfw_entry entries[] = {
        {0, 12, "a", 0, 0},         {FIXED, 16, "huge", 1ULL << 62, 4}, {0, ID(1), "self", 0, 0},
        {0, 12, "b", 0, 1},         {LENGTH, 12, "length", 99, 2},      {0, 5000, "type", 0, 3},
        {0, 18, "outside", 0, 1000}};
    const uint8_t bytes[] = {1, 2, 3, 4, 5, 6};
    struct one o = begin();
    (void)state;
    check(&o, &(struct rfw_schema){.name = "s"}, entries, N_OF(entries), bytes, sizeof(bytes), true,
          "{\"a\":1,\"huge\":\"0506\",\"self\":\"\",\"b\":2,\"length\":\"03040506\","
          "\"type\":\"040506\",\"outside\":\"\"}");
}

/* ---- Which event ---- */

static void test_ends(void **state)
{
    const uint32_t one = 1, two = 2;
    struct one o = begin();
    (void)state;
    rfw_push(o.s, 10, NULL);
    rfw_payload(o.s, 16, &one, 4, 4, 0);
    rfw_push(o.s, 11, &(struct rfw_attr){.payload_kind = RF_PAYLOAD_INT32, .payload = 5});
    rfw_pop(o.s, 12, 0);
    rfw_payload(o.s, 16, &two, 4, 4, 0);
    rfw_pop(o.s, 13, 0);
    rfw_payload(o.s, 16, &two, 4, 4, 0);
    uint64_t id = rfw_start(o.s, 20, NULL);
    rfw_end(o.s, 30, id);
    rfw_payload(o.s, 16, &two, 4, 4, 0);
    rfw_pop(o.s, 31, 0); /* of no range: its payload is nobody's */
    rfw_payload(o.s, 16, &two, 4, 4, 0);
    read_back(&o);
    assert_int_equal(o.n, 3);
    assert_json(&o, 0, 0, "[1,2]");
    assert_json(&o, 1, 0, "[5,2]");
    assert_json(&o, 2, 0, "2");
    finish(&o);
}

static void test_long_payload(void **state)
{
    uint8_t *bytes = malloc(200000);
    struct rf_json_text text = {.text = NULL};
    size_t size;
    struct one o = begin();
    (void)state;
    memset(bytes, 'x', 200000);
    rfw_push(o.s, 10, NULL);
    rfw_payload(o.s, 76, bytes, 200000, 200000, 0);
    rfw_pop(o.s, 12, 0);
    read_back(&o);
    assert_non_null(rf_json_text_of(&text, o.rec, &o.event[0], 0, &size));
    assert_int_equal(size, 200002);
    assert_int_equal(o.event[0].flags & RF_EVENT_BAD_PAYLOAD, 0);
    rf_json_text_release(&text);
    finish(&o);
    free(bytes);
}

/* Message, category and color: of several the last one is valid. */
static void test_attributes(void **state)
{
    static const struct rfw_entry entries[] = {{MESSAGE, 76, "name", 4, 0},
                                               {0, 68, "category", 0, 0},
                                               {0, 69, "color", 0, 0},
                                               {HIDE, 16, "secret", 0, 0}};
    struct {
        char name[4];
        uint32_t category, color, secret;
    } value = {"one", 3, 0xff00ff00u, 4};
    struct one o = begin();
    (void)state;
    rfw_define_schema(o.w, o.process, &(struct rfw_schema){.id = ID(1)}, entries, 4);
    rfw_push(o.s, 10, &(struct rfw_attr){.text = "begin"});
    rfw_payload(o.s, ID(1), &value, 16, 16, 0);
    memcpy(value.name, "two", 4);
    rfw_pop(o.s, 20, 0);
    rfw_payload(o.s, ID(1), &value, 16, 16, 0);
    read_back(&o);
    assert_string_equal(rf_string(o.rec, o.event[0].name, NULL), "two");
    assert_int_equal(o.event[0].category, 3);
    assert_int_equal(o.event[0].color, 0xff00ff00u);
    assert_int_equal(o.event[0].flags, RF_EVENT_HAS_CATEGORY | RF_EVENT_HAS_COLOR);
    assert_json(&o, 0, RF_JSON_SHOWN,
                "[{\"name\":\"one\",\"category\":3,\"color\":4278255360},"
                "{\"name\":\"two\",\"category\":3,\"color\":4278255360}]");
    finish(&o);
}

/* A forked process knows the schemas of its parent; static ids are those of a domain. */
static void test_whose_schema(void **state)
{
    static const struct rfw_entry a[] = {{0, 16, "a", 0, 0}}, b[] = {{0, 16, "b", 0, 0}};
    const uint32_t value = 1;
    struct one o = begin();
    (void)state;
    uint32_t domain = rfw_domain(o.w, o.process, 1, 100, "d");
    rfw_define_schema(o.w, o.process, &(struct rfw_schema){.id = 1 << 24}, a, 1);
    rfw_define_schema(o.w, o.process, &(struct rfw_schema){.id = 1 << 24, .domain = domain}, b, 1);
    rfw_mark(o.s, 10, NULL);
    rfw_payload(o.s, 1 << 24, &value, 4, 4, 0);
    rfw_mark(o.s, 11, &(struct rfw_attr){.domain = domain});
    rfw_payload(o.s, 1 << 24, &value, 4, 4, 0);
    uint32_t child = rfw_process(o.w, 200, "child");
    rfw_fact(o.w, child, 20, RF_PROC_FORK_OF, o.process, NULL);
    struct rfw_stream *s = rfw_stream(o.w, child, 0, 200, 1);
    rfw_mark(s, 30, NULL);
    rfw_payload(s, 1 << 24, &value, 4, 4, 0);
    rfw_mark(s, 31, &(struct rfw_attr){.domain = domain});
    rfw_payload(s, 1 << 24, &value, 4, 4, 0);
    read_back(&o);
    assert_json(&o, 1, 0, "{\"a\":1}"); /* behind the creation of the domain */
    assert_json(&o, 2, 0, "{\"b\":1}");
    o.event = rf_thread_events(o.rec, 1, &o.n);
    assert_json(&o, o.n - 2, 0, "{\"a\":1}");
    assert_json(&o, o.n - 1, 0, "{\"b\":1}");
    finish(&o);
}

/* ---- Work that grows with the bytes ---- */

/* Bytes that many arrays search for a zero cost as much as values. */
static void test_arrays_at_one_place(void **state)
{
    enum { ARRAYS = 2000, ELEMENT = 4096 };
    const struct rfw_entry zeros[] = {{FIXED, 12, "zeros", ELEMENT, 0}};
    const struct rfw_entry array[] = {{ZERO | FROM_BASE, ID(3), "array", 0, 0}};
    const size_t size = 8 * ARRAYS + ELEMENT;
    (void)state;
    for (uint64_t n = 10; n <= ARRAYS; n += ARRAYS - 10) {
        struct one o = begin();
        struct rfw_entry of[] = {{FIXED, ID(2), "arrays", n, 0}};
        uint64_t *bytes = calloc(1, size);
        assert_non_null(bytes);
        for (size_t i = 0; i < ARRAYS; i++)
            bytes[i] = 8 * ARRAYS;
        rfw_define_schema(o.w, o.process, &(struct rfw_schema){.id = ID(3), .name = "z"}, zeros, 1);
        rfw_define_schema(o.w, o.process, &(struct rfw_schema){.id = ID(2), .name = "a"}, array, 1);
        rfw_define_schema(o.w, o.process, &(struct rfw_schema){.id = ID(1), .name = "s"}, of, 1);
        rfw_mark(o.s, 10, &(struct rfw_attr){.text = "m"});
        rfw_payload(o.s, ID(1), bytes, size, size, 0);
        read_back(&o);
        assert_int_equal((o.event[0].flags & RF_EVENT_BAD_PAYLOAD) != 0, n == ARRAYS);
        finish(&o);
        free(bytes);
    }
}

/* As many pointers as a recorder follows: each is looked for among all that they point to. */
static void test_most_pointers(void **state)
{
    enum { POINTERS = 4096 };
    static uint64_t pointers[POINTERS];
    const struct rfw_entry entries[] = {{FIXED, ID(2), "pointers", POINTERS, 0}};
    const struct rfw_entry pointer[] = {{POINTER, 12, "pointer", 0, 0}};
    struct one o = begin();
    struct rf_json_text text = {.text = NULL};
    size_t size;
    (void)state;
    for (size_t i = 0; i < POINTERS; i++)
        pointers[i] = 0x1000 + i;
    rfw_define_schema(o.w, o.process, &(struct rfw_schema){.id = ID(2), .name = "p"}, pointer, 1);
    rfw_define_schema(o.w, o.process, &(struct rfw_schema){.id = ID(1), .name = "s"}, entries, 1);
    rfw_mark(o.s, 10, &(struct rfw_attr){.text = "m"});
    rfw_payload(o.s, ID(1), pointers, sizeof(pointers), sizeof(pointers), 0x900000);
    for (size_t i = 0; i < POINTERS; i++)
        rfw_reference(o.s, 0x1000 + i, &(uint8_t){7}, 1);
    read_back(&o);
    assert_int_equal(o.event[0].flags & RF_EVENT_BAD_PAYLOAD, 0);
    const char *json = rf_json_text_of(&text, o.rec, &o.event[0], 0, &size);
    assert_string_equal(json + size - 28, "\"pointer\":7},{\"pointer\":7}]}");
    rf_json_text_release(&text);
    finish(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_c_types),
        cmocka_unit_test(test_sizes_of_the_program),
        cmocka_unit_test(test_reals),
        cmocka_unit_test(test_long_integers),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_registered_strings),
        cmocka_unit_test(test_enums),
        cmocka_unit_test(test_offsets),
        cmocka_unit_test(test_packed),
        cmocka_unit_test(test_nested),
        cmocka_unit_test(test_wrapped),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_dimensions),
        cmocka_unit_test(test_lengths_in_another_payload),
        cmocka_unit_test(test_offsets_in_payloads),
        cmocka_unit_test(test_pointers),
        cmocka_unit_test(test_cycle),
        cmocka_unit_test(test_unions),
        cmocka_unit_test(test_predefined),
        cmocka_unit_test(test_bad),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_long_payload),
        cmocka_unit_test(test_attributes),
        cmocka_unit_test(test_whose_schema),
        cmocka_unit_test(test_arrays_at_one_place),
        cmocka_unit_test(test_most_pointers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
