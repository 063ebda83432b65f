/* SPDX-License-Identifier: Apache-2.0 */
/* Filters of values in payloads: what each of them leaves, and what is no filter. */
#include "unit.h"

#include "model/private_access.h"
#include "rf_payload_writer.h"

#define ID(n)   ((1ULL << 32) + (n))
#define N_OF(a) ((uint32_t)(sizeof(a) / sizeof((a)[0])))

struct operation {
    int64_t rank;
    uint64_t size;
    double ratio;
    float scale;
    uint32_t kind;
    char word[8];
};

struct narrow {
    int8_t op;
    int8_t x, y; /* a struct */
    int8_t list[3];
    int16_t code;
};

static struct rfw *w;
static rf_recording *rec;
static char *dir, path[4096]; /* the same with the payloads of "b" at its begin */

static void define(uint32_t process)
{
    static const struct rfw_enum_value kinds[] = {{"sum", 0, 0}, {"max", 2, 0}};
    static const struct rfw_entry operation[] = {{0, 17, "rank", 0, 0},    {0, 18, "size", 0, 0},
                                                 {0, 44, "ratio", 0, 0},   {0, 43, "scale", 0, 0},
                                                 {0, ID(1), "kind", 0, 0}, {0, 75, "word", 8, 0}};
    static const struct rfw_entry outer[] = {{0, ID(2), "comm", 0, 0}, {0, 18, NULL, 0, 0}};
    static const struct rfw_enum_value ops[] = {{"down", (uint64_t)-1, 0}, {"up", 1, 0}};
    static const struct rfw_entry point[] = {{0, 11, "x", 0, 0}, {0, 11, "y", 0, 0}};
    static const struct rfw_entry narrow[] = {{0, ID(4), "op", 0, 0},
                                              {0, ID(6), "point", 0, 0},
                                              {16, 11, "list", 3, 0},
                                              {0, ID(5), "code", 0, 0}};
    rfw_define_enum(w, process, ID(4), 1, ops, N_OF(ops));
    rfw_define_enum(w, process, ID(5), 2, ops, N_OF(ops));
    rfw_define_schema(w, process, &(struct rfw_schema){.id = ID(6), .name = "point"}, point,
                      N_OF(point));
    rfw_define_schema(w, process, &(struct rfw_schema){.id = ID(7), .name = "narrow"}, narrow,
                      N_OF(narrow));
    rfw_define_enum(w, process, ID(1), 4, kinds, N_OF(kinds));
    rfw_define_schema(w, process, &(struct rfw_schema){.id = ID(2), .name = "operation"}, operation,
                      N_OF(operation));
    rfw_define_schema(w, process, &(struct rfw_schema){.id = ID(3), .name = "outer"}, outer,
                      N_OF(outer));
}

/* Ranges "a", "b", "c", marks "d" to "j". */
static struct rfw *make(bool at_end)
{
    const struct operation a = {-1, 1ULL << 63, 0.5, 0.1f, 0, "=x"};
    const struct operation b = {3, (1ULL << 63) + 1, 2, 0.2f, 2, "7"};
    const struct {
        struct operation comm;
        uint64_t last;
    } c = {{4, 5, 1e300, 3, 9, "1..x"}, 6};
    const struct narrow i = {-1, 1, -2, {1, 2, 3}, -5}, j = {1, 1, 3, {1, 2}, -1};
    const int32_t d = -9;
    w = rfw_new();
    uint32_t process = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, process, 0, 100, 1);
    define(process);
    rfw_push(s, 100, &(struct rfw_attr){.text = "a"});
    rfw_payload(s, ID(2), &a, sizeof(a), sizeof(a), 0);
    rfw_push(s, 200, &(struct rfw_attr){.text = "b"});
    if (!at_end)
        rfw_payload(s, ID(2), &b, sizeof(b), sizeof(b), 0);
    rfw_pop(s, 300, 0);
    if (at_end)
        rfw_payload(s, ID(2), &b, sizeof(b), sizeof(b), 0);
    rfw_pop(s, 400, 0);
    rfw_push(s, 500, &(struct rfw_attr){.text = "c"});
    rfw_payload(s, ID(3), &c, sizeof(c), sizeof(c), 0);
    rfw_pop(s, 600, 0);
    rfw_mark(s, 700, &(struct rfw_attr){.text = "d"});
    rfw_payload(s, 15, &d, sizeof(d), sizeof(d), 0);
    rfw_mark(s, 800,
             &(struct rfw_attr){
                 .text = "e", .payload_kind = RF_PAYLOAD_DOUBLE, .payload = 0x3fe0000000000000});
    rfw_mark(
        s, 900,
        &(struct rfw_attr){.text = "f", .payload_kind = RF_PAYLOAD_UINT64, .payload = UINT64_MAX});
    rfw_mark(
        s, 1000,
        &(struct rfw_attr){.text = "g", .payload_kind = RF_PAYLOAD_INT32, .payload = 0xfffffff7});
    rfw_mark(s, 1100, &(struct rfw_attr){.text = "h"});
    rfw_mark(s, 1200, &(struct rfw_attr){.text = "i"});
    rfw_payload(s, ID(7), &i, sizeof(i), sizeof(i), 0);
    rfw_mark(s, 1300, &(struct rfw_attr){.text = "j"});
    rfw_payload(s, ID(7), &j, sizeof(j), sizeof(j), 0);
    return w;
}

static int setup(void **state)
{
    (void)state;
    dir = rfw_make_tmpdir();
    (void)snprintf(path, sizeof(path), "%s/a.rf", dir);
    rfw_save_packed(make(false), path);
    rfw_free(w);
    rec = rfw_reopen(make(true), 0, 0);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    rf_close(rec);
    rfw_free(w);
    rfw_remove_tree(dir);
    free(dir);
    return 0;
}

/* Events that are added up as they are read: as many, or the same error. */
static void check_summed(const struct rf_filter_options *options, const rf_recording *part,
                         const char *error)
{
    rf_recording *summed = NULL, *left = NULL;
    struct rf_err err = {.code = RF_OK};
    assert_int_equal(rf_open_selected(path, RF_OPEN_SUMS | RF_OPEN_SUMS_ALWAYS | RF_OPEN_NO_WORK,
                                      NULL, options, &summed, &err),
                     RF_OK);
    assert_int_equal(rf_filter(summed, options, &left, &err) == RF_OK, part != NULL);
    if (part != NULL) {
        assert_non_null(rf_recording_sums(left));
        assert_int_equal(rf_get_info(left)->n_ranges, rf_get_info(part)->n_ranges);
        assert_int_equal(rf_get_info(left)->n_marks, rf_get_info(part)->n_marks);
    } else {
        assert_string_equal(err.text, error);
    }
    rf_close(left);
    rf_close(summed);
}

/* The names of the events that filters leave, or the error. */
static const char *left(const char *const *payloads, size_t n)
{
    static struct rf_err err;
    static char text[16];
    const struct rf_filter_options options = {
        .size = sizeof(options), .payloads = payloads, .n_payloads = n};
    rf_recording *part;
    size_t n_events = 0, used = 0;
    int status = rf_filter(rec, &options, &part, &err);
    if (status != RF_OK) {
        const bool is_missing = strncmp(err.text, "no ", 3) == 0; /* in this recording */
        assert_int_equal(status, is_missing ? RF_ERR_NOT_FOUND : RF_ERR_USAGE);
        check_summed(&options, NULL, err.text);
        return err.text;
    }
    check_summed(&options, part, NULL);
    const struct rf_event *event = rf_thread_events(part, 0, &n_events);
    for (size_t i = 0; i < n_events; i++)
        text[used++] = rf_string(part, event[i].name, NULL)[0];
    text[used] = '\0';
    rf_close(part);
    return text;
}

static void assert_left(const char *payload, const char *expected)
{
    assert_string_equal(left(&payload, 1), expected);
}

static void test_numbers(void **state)
{
    (void)state;
    assert_left("rank=3", "b");
    assert_left("rank=-1", "a");
    assert_left("rank=0x3", "b");
    assert_left("rank=3.5", "");
    assert_left("rank=-1..3", "ab");
    assert_left("rank=..2", "a");
    assert_left("rank=-0.5..", "b");
    assert_left("size=9223372036854775808", "a"); /* a double does not tell it from the next */
    assert_left("size=9223372036854775809", "b");
    assert_left("size=9223372036854775809..", "b");
    assert_left("ratio=0.5", "a");
    assert_left("ratio=5e-1..2", "ab");
    assert_left("comm.ratio=1e300", "c");
    assert_left("comm.ratio=1e300..", "c");
    assert_left("scale=0.1", "a");
    assert_left("scale=0.1..0.2", "ab");
    assert_left("scale=0.1000001", "");
}

static void test_words(void **state)
{
    (void)state;
    assert_left("kind=sum", "a");
    assert_left("kind=0", "a");
    assert_left("kind=1..2", "b");
    assert_left("word==x", "a");
    assert_left("word=7", "b");
    assert_left("word=6..8", "");
    assert_left("word=", "");
    assert_left("payload.kind=max", "b");
}

/* NVTX does not tell whether an enum is signed. */
static void test_narrow_enums(void **state)
{
    (void)state;
    assert_left("op=-1", "i");
    assert_left("op=255", "i");
    assert_left("op=down", "i");
    assert_left("op=-1..1", "ij");
    assert_left("op=1", "j");
    assert_left("op=65535", "");
    assert_left("code=-5", "i"); /* without a name */
    assert_left("code=65531", "i");
    assert_left("code=-1", "j");
    assert_left("code=-6..-4", "i");
    assert_left("kind=-1", "");
}

/* Structs and arrays that are reached as a whole are JSON. */
static void test_wholes(void **state)
{
    const char *const none[] = {"rank=77", "point"};
    (void)state;
    assert_left("point", "ij");
    assert_left("point={\"x\":1,\"y\":-2}", "i");
    assert_left("payload.point={\"x\":1,\"y\":3}", "j");
    assert_left("point={\"x\":1}", "");
    assert_left("list=[1,2,3]", "i");
    assert_left("list=[1,2,0]", "j");
    assert_left("comm", "c");
    assert_left("payload={\"op\":\"up\",\"point\":{\"x\":1,\"y\":3},\"list\":[1,2,0],\"code\":"
                "\"down\"}",
                "j");
    assert_string_equal(left(none, 2), ""); /* no event is left to find "point" in */
    assert_non_null(strstr(left((const char *const[]){"poin"}, 1), "no payload"));
}

static void test_paths(void **state)
{
    (void)state;
    assert_left("rank", "ab");
    assert_left("comm.rank=4", "c");
    assert_left("comm.ratio=1e300", "c");
    assert_left("comm.kind=9", "c"); /* an enum that has no such name */
    assert_left("1=6", "c");         /* an entry without a name */
    assert_left("payload.1", "c");
}

static void test_payload_itself(void **state)
{
    (void)state;
    assert_left("payload", "abcdefgij");
    assert_left("payload=-9", "dg");
    assert_left("-9", "dg");
    assert_left("0.5", "e");
    assert_left("..0", "dg");
    assert_left("18446744073709551615", "f");
    assert_left("18446744073709551614..", "f");
    assert_left("-100..1", "deg");
}

static void test_several(void **state)
{
    const char *const both[] = {"rank=-1..3", "kind=max"}, *const none[] = {"rank=3", "payload"};
    (void)state;
    assert_string_equal(left(both, 2), "b");
    assert_string_equal(left(none, 2), "b");
    assert_string_equal(left(NULL, 0), "abcdefghij");
    assert_string_equal(left(NULL, 1), "rf_filter: payloads is NULL, and n_payloads is not 0");
}

/* A name that other filters leave no event for is no mistake. */
static void test_with_others(void **state)
{
    const char *const payload = "rank=3";
    const struct rf_filter_options options = {
        .size = sizeof(options), .names = "c", .payloads = &payload, .n_payloads = 1};
    rf_recording *part;
    (void)state;
    assert_int_equal(rf_filter(rec, &options, &part, NULL), RF_OK);
    assert_int_equal(rf_get_info(part)->n_events, 0);
    rf_close(part);
}

static void test_mistakes(void **state)
{
    (void)state;
    assert_left("rnak=3", "no payload of this recording has 'rnak': did you mean 'rank'? there is "
                          "'rank', 'size', 'ratio', 'scale', 'kind', 'word', 'comm.rank', "
                          "'comm.size', 'comm.ratio', 'comm.scale', 'comm.kind', 'comm.word', ...");
    assert_non_null(strstr(left((const char *const[]){"=3"}, 1), "has no name"));
    assert_non_null(strstr(left((const char *const[]){""}, 1), "has no name"));
    assert_non_null(strstr(left((const char *const[]){NULL}, 1), "has no name"));
    assert_non_null(strstr(left((const char *const[]){"rank=.."}, 1), "neither MIN nor MAX"));
    assert_non_null(strstr(left((const char *const[]){"rank=1..x"}, 1), "MAX is not a number"));
    assert_non_null(strstr(left((const char *const[]){"rank=x..1"}, 1), "MIN is not a number"));
    assert_non_null(strstr(left((const char *const[]){"rank=2..1"}, 1), "greater than MAX"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),  cmocka_unit_test(test_words),
        cmocka_unit_test(test_paths),    cmocka_unit_test(test_payload_itself),
        cmocka_unit_test(test_several),  cmocka_unit_test(test_with_others),
        cmocka_unit_test(test_mistakes), cmocka_unit_test(test_narrow_enums),
        cmocka_unit_test(test_wholes),
    };
    return cmocka_run_group_tests_name("payload_filter", tests, setup, teardown);
}
