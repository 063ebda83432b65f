/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of NVTX in the forms of export and in reports. */
#include <math.h>
#include <sqlite3.h>

#include "check_sample_sums.h"
#include "rf_counter_writer.h"

#define ID(n) (((uint64_t)1 << 32) + (n))

struct test {
    char *folder, recording[4096], output[4096];
    rf_recording *rec;
};

/* A queue, differences in kilobytes that are megabytes of a disk, and a counter of each thread. */
static void define(struct rfw *w, uint32_t p, uint32_t d)
{
    rfw_nvtx_scope(w, p, 2, d, ID(7), 1, "host");
    rfw_nvtx_scope(w, p, 2, d, ID(8), ID(7), "/disk[0]");
    const struct rfw_nvtx_counter counters[] = {{.id = ID(1),
                                                 .schema = RFW_NVTX_INT64,
                                                 .name = "queue",
                                                 .unit = "jobs",
                                                 .description = "jobs that wait",
                                                 .flags = 4 | 8 | 1 << 4,
                                                 .min = (uint64_t)-9007199254740993, /* -2^53 - 1 */
                                                 .max = 100,
                                                 .limit_type = 1},
                                                {.id = ID(2),
                                                 .schema = RFW_NVTX_DOUBLE,
                                                 .name = "read",
                                                 .unit = "MB",
                                                 .scope = ID(8),
                                                 .flags = 2 << 4 | 2 << 8,
                                                 .numerator = 1,
                                                 .denominator = 1024},
                                                {.id = ID(3),
                                                 .schema = RFW_NVTX_UINT64,
                                                 .name = "mine",
                                                 .scope = RFW_NVTX_THREAD,
                                                 .flags = 4 | 8 | 1 << 4,
                                                 .min = INT64_MAX,
                                                 .max = UINT64_MAX,
                                                 .limit_type = 2}};
    for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++) {
        struct rfw_nvtx_counter counter = counters[i];
        counter.domain = d;
        rfw_nvtx_counter(w, p, 2, &counter);
    }
}

static void write_recording(const char *path)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app"), d = rfw_domain(w, p, 1, 100, "engine");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1), *other = rfw_stream(w, p, 1, 101, 2);
    define(w, p, d);
    rfw_push(s, 100, &(struct rfw_attr){.text = "work"});
    rfw_int64(s, 100, d, ID(1), 4);
    rfw_float64(s, 110, d, ID(2), 512);
    rfw_push(s, 190, &(struct rfw_attr){.text = "twice"});
    rfw_int64(s, 200, d, ID(1), 8);
    rfw_pop(s, 205, 0);
    rfw_float64(s, 210, d, ID(2), 256);
    rfw_pop(s, 300, 0);
    rfw_ext(s, 400, d, RF_EXT_NO_VALUE, ID(1), 2);
    rfw_push(s, 405, &(struct rfw_attr){.text = "twice"});
    rfw_float64(s, 410, d, ID(2), INFINITY);
    rfw_int64(s, 420, d, ID(3), -1);
    rfw_pop(s, 425, 0);
    rfw_int64(other, 430, d, ID(3), 9007199254740993);
    rfw_exit(w, p, 500);
    rfw_save_packed(w, path);
    rfw_free(w);
}

static int set_up(void **state)
{
    struct test *t = calloc(1, sizeof(*t));
    struct rf_err err;
    t->folder = rfw_make_tmpdir();
    (void)snprintf(t->recording, sizeof(t->recording), "%s/a.rf", t->folder);
    (void)snprintf(t->output, sizeof(t->output), "%s/out", t->folder);
    write_recording(t->recording);
    if (rf_open(t->recording, 0, &t->rec, &err) != RF_OK)
        fail_msg("%s", err.text);
    *state = t;
    return 0;
}

static int tear_down(void **state)
{
    struct test *t = *state;
    rf_close(t->rec);
    rfw_remove_tree(t->folder);
    free(t->folder);
    free(t);
    return 0;
}

static void export_as(const struct test *t, const char *format)
{
    const struct rf_export_options options = {
        .size = sizeof(options), .format = format, .output = t->output, .can_overwrite = 1};
    struct rf_err err;
    if (rf_export(t->rec, &options, &err) != RF_OK)
        fail_msg("%s: %s", format, err.text);
}

/* Each line of expected stands in the file, one behind the other. */
static void check_lines(const struct test *t, const char *const *expected, size_t n)
{
    struct rfw_bytes bytes = {0};
    rfw_read_file(t->output, &bytes);
    rfw_add(&bytes, "", 1);
    const char *at = (const char *)bytes.data;
    for (size_t i = 0; i < n; i++) {
        const char *found = strstr(at, expected[i]);
        if (found == NULL)
            fail_msg("not there, or not in this order: %s\n%s", expected[i], at);
        at = found + strlen(expected[i]);
    }
    free(bytes.data);
}

#define CHECK_LINES(t, ...)                                                                        \
    check_lines(t, (const char *const[]){__VA_ARGS__},                                             \
                sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

/* ---- Forms ---- */

static void test_jsonl(void **state)
{
    export_as(*state, "jsonl");
    CHECK_LINES(
        *state,
        "{\"type\":\"counter\",\"counter\":0,\"name\":\"queue\",\"domain\":\"engine\","
        "\"unit\":\"jobs\",\"description\":\"jobs that wait\",\"number\":\"int64\","
        "\"value_type\":\"absolute\",\"interpolation\":\"until_next\",\"min\":-9007199254740993,"
        "\"max\":100,"
        "\"pid\":100,\"samples\":3}\n",
        "\"name\":\"read\",\"domain\":\"engine\",\"unit\":\"MB\",\"scope\":\"host/disk[0]\","
        "\"number\":\"double\",\"value_type\":\"delta\",\"interpolation\":\"since_last\","
        "\"scale_numerator\":1,\"scale_denominator\":1024,\"pid\":100,\"samples\":3}\n",
        "\"thread\":0,\"scope\":\"thread\",\"number\":\"uint64\"",
        "\"min\":9223372036854775807,\"max\":18446744073709551615,", "\"thread\":1,",
        "{\"type\":\"sample\",\"start_ns\":100,\"counter\":0,\"value\":4}\n",
        "{\"type\":\"sample\",\"start_ns\":400,\"counter\":0,\"value\":null,"
        "\"flags\":\"no_value\"}\n",
        "\"value\":\"inf\"}\n", "\"value\":18446744073709551615}\n",
        "\"value\":9007199254740993}\n");
}

static void test_csv(void **state)
{
    export_as(*state, "csv");
    CHECK_LINES(*state, ",unit,scale_numerator,scale_denominator\n",
                "\ncounter,100,,,100,,,,engine,queue,,,,int64,4,", ",jobs,,\n",
                ",engine,read,,,,double,512,", ",MB,1,1024\n", ",engine,queue,,,,,,,,,,no_value,",
                "double,inf,",
                "\ncounter,420,,,100,100,app,,engine,mine,,,,uint64,18446744073709551615,",
                "uint64,9007199254740993,");
}

static void test_text(void **state)
{
    export_as(*state, "text");
    CHECK_LINES(*state, "engine:queue = 4 jobs\n", "engine:read = 0.5 MB\n",
                "engine:queue  [no_value]\n", "engine:mine = 18446744073709551615\n");
}

/* Differences are summed up, and stand at the time from which on they hold. */
static void test_chrome(void **state)
{
    export_as(*state, "json");
    CHECK_LINES(*state,
                "\"name\":\"engine:queue\",\"pid\":100,\"ts\":0.100,\"args\":{\"value\":4}}",
                "\"name\":\"engine:queue\",\"pid\":100,\"ts\":0.200,\"args\":{\"value\":8}}",
                "\"name\":\"engine:read (host/disk[0])\",\"pid\":100,\"ts\":0.010,"
                "\"args\":{\"value\":0.5}}",
                "\"ts\":0.110,\"args\":{\"value\":0.75}}", "\"name\":\"engine:mine (thread 100)\"",
                "\"name\":\"engine:mine (thread 101)\"");
}

static int add_row(void *context, int n, char **values, char **names)
{
    (void)names;
    for (int i = 0; i < n; i++)
        (void)fprintf(context, "%s%s", i > 0 ? "|" : "", values[i] != NULL ? values[i] : "-");
    (void)fputc('\n', context);
    return 0;
}

static void test_sqlite(void **state)
{
    struct test *t = *state;
    char *text = NULL;
    size_t size;
    sqlite3 *db;
    FILE *out = open_memstream(&text, &size);
    export_as(t, "sqlite");
    assert_int_equal(sqlite3_open(t->output, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db,
                                  "SELECT counterId, name, unit, scope, valueType, minimum, "
                                  "maximum, scaleDenominator FROM RANGEFINDER_NVTX_COUNTERS",
                                  add_row, out, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_exec(db,
                                  "SELECT *, typeof(value) FROM RANGEFINDER_NVTX_COUNTER_SAMPLES "
                                  "WHERE counterId <> 1",
                                  add_row, out, NULL),
                     SQLITE_OK);
    (void)fclose(out);
    (void)sqlite3_close(db);
    assert_string_equal(text, "0|queue|jobs|-|absolute|-9007199254740993|100|-\n"
                              "1|read|MB|host/disk[0]|delta|-|-|1024\n"
                              "2|mine|-|thread|absolute|9223372036854775807|18446744073709551615|-"
                              "\n3|mine|-|thread|absolute|9223372036854775807|"
                              "18446744073709551615|-\n"
                              "0|100|4|-|integer\n0|200|8|-|integer\n0|400|-|no_value|null\n"
                              "2|420|18446744073709551615|-|text\n"
                              "3|430|9007199254740993|-|integer\n");
    free(text);
}

/* Summaries of the recording and of its export. */
static void test_imported_sums(void **state)
{
    const struct test *t = *state;
    rf_recording *imported;
    struct rf_err err;
    check_sample_sums(t->recording, t->rec);
    export_as(t, "sqlite");
    if (rf_open(t->output, 0, &imported, &err) != RF_OK)
        fail_msg("%s", err.text);
    check_sample_sums(t->output, imported);
    check_sample_sums(t->recording, imported);
    rf_close(imported);
}

/* ---- Reports ---- */

static void check_report(const struct test *t, const char *name, const char *expected)
{
    struct rf_report_options options = RF_REPORT_OPTIONS_INIT;
    struct rfw_bytes bytes = {0};
    struct rf_err err;
    options.report = name;
    options.format = "csv";
    options.output = t->output;
    options.can_overwrite = 1;
    if (rf_report(t->rec, &options, &err) != RF_OK)
        fail_msg("%s", err.text);
    rfw_read_file(t->output, &bytes);
    rfw_add(&bytes, "", 1);
    assert_string_equal((const char *)bytes.data, expected);
    free(bytes.data);
}

static void test_sum(void **state)
{
    check_report(*state, "nvtx_counter_sum",
                 "PID,TID,Counter,Unit,Samples,Min,Mean,Max,Last,Mean Over\n"
                 /* 4 for 100 ns, 8 for 200 ns */
                 "100,None,engine:queue,jobs,3,4,6.666666666666667,8,8,time\n"
                 "100,None,engine:read,MB,3,0.25,0.375,0.5,0.75,samples\n"
                 "100,100,engine:mine,\"\",1,18446744073709551615,1.8446744073709552e+19,"
                 "18446744073709551615,18446744073709551615,time\n"
                 "100,101,engine:mine,\"\",1,9007199254740993,9007199254740992,9007199254740993,"
                 "9007199254740993,time\n");
}

static void test_ranges(void **state)
{
    check_report(*state, "nvtx_counter_ranges",
                 "Range,Style,Counter,Unit,Mean,Samples,Range Instances\n"
                 ":twice,PushPop,engine:mine,\"\",1.8446744073709552e+19,1,1\n"
                 ":twice,PushPop,engine:queue,jobs,5.333333333333333,1,1\n"
                 ":work,PushPop,engine:queue,jobs,6,2,1\n"
                 ":work,PushPop,engine:read,MB,0.375,2,1\n");
}

/* ---- A part of the recording ---- */

static void check_filtered(const struct test *t, const struct rf_filter_options *options,
                           const char *expected)
{
    char *text = NULL;
    size_t size;
    struct rf_err err;
    rf_recording *part;
    FILE *out = open_memstream(&text, &size);
    if (rf_filter(t->rec, options, &part, &err) != RF_OK)
        fail_msg("%s", err.text);
    for (uint32_t i = 0; i < rf_n_counters(part); i++) {
        const struct rf_counter *c = rf_counter_at(part, i);
        (void)fprintf(out, "%s:", rf_string(part, c->name, NULL));
        for (size_t k = 0; k < c->n_samples; k++)
            (void)fprintf(out, " %lld=%g/%lld/%d", (long long)c->ns[k], c->value[k],
                          c->nvtx->integer != NULL ? (long long)c->nvtx->integer[k] : 0,
                          c->nvtx->flags != NULL ? c->nvtx->flags[k] : 0);
        (void)fputc('\n', out);
    }
    (void)fclose(out);
    rf_close(part);
    assert_string_equal(text, expected);
    free(text);
}

static void test_filter(void **state)
{
    struct rf_filter_options options = RF_FILTER_OPTIONS_INIT;
    options.time = "150ns/415ns";
    check_filtered(*state, &options,
                   "queue: 200=8/8/0 400=nan/0/1\nread: 210=256/0/0 410=inf/0/0\nmine:\nmine:\n");
    options.time = NULL;
    options.nvtx = "twice";
    check_filtered(*state, &options,
                   "queue: 200=8/8/0\nread: 410=inf/0/0\n"
                   "mine: 420=1.84467e+19/-1/0\nmine:\n");
    options.nvtx = NULL;
    options.activities = "gpu-metrics";
    check_filtered(*state, &options, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_jsonl, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_csv, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_text, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_chrome, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_sqlite, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_imported_sums, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_sum, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_ranges, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_filter, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
