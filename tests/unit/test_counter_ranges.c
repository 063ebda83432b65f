/* SPDX-License-Identifier: Apache-2.0 */
/* The counters of NVTX in ranges, in summaries: the same sums in every order and grouping, the same
 * table as of the recording, and files that say what cannot be. */
#include "unit.h"

#include <float.h>
#include <math.h>

#include <sqlite3.h>
#include <unistd.h>

#include "model/private_access.h"
#include "rangefinder/summary.h"
#include "rf_counter_writer.h"
#include "stats/counter_means.h"
#include "summary/summary_data.h"

#define N_PARTS 6
#define ID(n)   (((uint64_t)1 << 32) + (n))

static uint64_t seed;

static uint64_t dice(uint64_t n)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (seed >> 33) % n;
}

/* ---- Summaries of chance ---- */

static uint32_t string(rf_summary *summary, const char *format, unsigned n)
{
    char text[32];
    int size = snprintf(text, sizeof(text), format, n);
    return rf_strings_add(&summary->strings, text, (size_t)size);
}

static uint32_t string_or_none(rf_summary *summary, const char *format)
{
    return dice(4) > 0 ? string(summary, format, (unsigned)dice(2)) : RF_NO_STRING;
}

static double a_value(void)
{
    static const double value[] = {1e300,        1,   -1e300, -1, DBL_MAX, -DBL_MAX,
                                   DBL_TRUE_MIN, 0.1, -0.0};
    return value[dice(sizeof(value) / sizeof(value[0]))];
}

static rf_summary *an_empty_summary(unsigned number)
{
    char path[32];
    rf_summary *summary = NULL;
    (void)snprintf(path, sizeof(path), "part%u.rf", number);
    const struct rf_summary_input input = {
        .path = path, .host = "", .filter = "", .start_utc_ns = number, .n_inputs = 1};
    assert_int_equal(rf_summary_new(&summary, NULL), RF_OK);
    assert_int_equal(rf_summary_add_input(summary, &input), RF_OK);
    assert_int_equal(rf_summary_identify(summary, 0, 0, -1), RF_OK);
    assert_int_equal(rf_tallies_search(&summary->tallies, 0, RF_TALLY_RANGE_COUNTER), RF_OK);
    return summary;
}

static void add(rf_summary *summary, struct rf_counter_range item, const double *values, size_t n)
{
    struct rf_exact_sum sum = {.n_added = 0};
    for (size_t i = 0; i < n; i++) {
        const struct rf_exact_number number = rf_exact_of_real(values[i]);
        rf_exact_add(&sum, &number, 1);
    }
    rf_exact_settle(&sum);
    item.n = n + item.n_not_finite;
    item.weight += item.n;
    item.n_samples += item.is_by_time ? 0 : item.weight;
    assert_int_equal(rf_counter_range_add(summary, &item, &sum), RF_OK);
}

/* Those that often are told apart by nothing, or by one thing. */
static rf_summary *a_summary(unsigned number)
{
    rf_summary *summary = an_empty_summary(number);
    summary->tallies.searched[RF_TALLY_RANGE_COUNTER].input[0].n_left_out = dice(3);
    for (uint64_t k = dice(40) + 10; k > 0; k--) {
        double values[8];
        const size_t n = dice(8) + 1;
        for (size_t i = 0; i < n; i++)
            values[i] = a_value();
        const struct rf_counter_range item = {
            .domain = string_or_none(summary, "domain%u"),
            .name = dice(9) > 0 ? string_or_none(summary, "name%u") : RF_REST_OF_NAMES,
            .style = dice(2) > 0 ? RF_SUMMARY_PUSH_POP : RF_SUMMARY_START_END,
            .counter_domain = string_or_none(summary, "domain%u"),
            .counter_name = string_or_none(summary, "count%u"),
            .unit = string_or_none(summary, "unit%u"),
            .is_by_time = dice(2) > 0,
            .n_not_finite = dice(5) == 0,
            .n_samples = dice(9),
            .weight = dice(1000),
            .range_ns = dice(5)};
        add(summary, item, values, n);
    }
    assert_int_equal(rf_counter_ranges_join(summary), RF_OK);
    return summary;
}

/* ---- Files ---- */

static void name_file(char path[64], const char *name)
{
    (void)snprintf(path, 64, "counter-ranges-%d-%s.rfsum", (int)getpid(), name);
}

static void write_file(const rf_summary *summary, const char *path)
{
    struct rf_err err;
    if (rf_summary_write(summary, path, 1, &err) != RF_OK)
        fail_msg("%s", err.text);
}

static rf_summary *read_file(const char *path)
{
    struct rf_err err;
    rf_summary *summary = NULL;
    assert_int_equal(rf_summary_new(&summary, NULL), RF_OK);
    if (rf_summary_read(summary, path, &err) != RF_OK)
        fail_msg("%s", err.text);
    return summary;
}

static void check_same(const rf_summary *a, const rf_summary *b)
{
    char path[64];
    struct rfw_bytes x = {0}, y = {0};
    name_file(path, "bytes");
    write_file(a, path);
    rfw_read_file(path, &x);
    write_file(b, path);
    rfw_read_file(path, &y);
    assert_int_equal(x.size, y.size);
    assert_memory_equal(x.data, y.data, x.size);
    (void)unlink(path);
    free(x.data);
    free(y.data);
}

/* ---- Order and grouping ---- */

/* The parts in an order of chance, merged in groups of chance, some by way of a file. */
static rf_summary *merge_at_random(rf_summary *const part[N_PARTS])
{
    char path[64];
    rf_summary *all = NULL, *group = NULL;
    size_t order[N_PARTS];
    name_file(path, "group");
    assert_int_equal(rf_summary_new(&all, NULL), RF_OK);
    for (size_t i = 0; i < N_PARTS; i++) {
        const size_t k = dice(i + 1);
        order[i] = order[k];
        order[k] = i;
    }
    for (size_t i = 0; i < N_PARTS; i++) {
        if (group == NULL)
            assert_int_equal(rf_summary_new(&group, NULL), RF_OK);
        assert_int_equal(rf_summary_append(group, part[order[i]], NULL), RF_OK);
        if (i + 1 < N_PARTS && dice(2) > 0)
            continue;
        assert_int_equal(rf_summary_merge(group, NULL), RF_OK);
        if (dice(2) > 0) {
            write_file(group, path);
            rf_summary_free(group);
            group = read_file(path);
        }
        assert_int_equal(rf_summary_append(all, group, NULL), RF_OK);
        rf_summary_free(group);
        group = NULL;
    }
    (void)unlink(path);
    assert_int_equal(rf_summary_merge(all, NULL), RF_OK);
    return all;
}

static void test_order(void **state)
{
    (void)state;
    for (uint64_t round = 1; round < 30; round++) {
        rf_summary *part[N_PARTS];
        seed = round;
        for (unsigned i = 0; i < N_PARTS; i++)
            part[i] = a_summary(i);
        rf_summary *a = merge_at_random(part), *b = merge_at_random(part);
        check_same(a, b);
        rf_summary_free(a);
        rf_summary_free(b);
        for (unsigned i = 0; i < N_PARTS; i++)
            rf_summary_free(part[i]);
    }
}

/* What cancels leaves the rest, in whatever order it comes. */
static void test_cancelled(void **state)
{
    static const double values[] = {1e300, 1, -1e300, -0.25};
    static const int orders[][4] = {{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 0, 3, 2}, {0, 2, 1, 3}};
    (void)state;
    for (size_t k = 0; k < sizeof(orders) / sizeof(orders[0]); k++) {
        rf_summary *all = NULL;
        struct rf_exact_sum sum;
        assert_int_equal(rf_summary_new(&all, NULL), RF_OK);
        for (unsigned i = 0; i < 4; i++) {
            rf_summary *part = an_empty_summary(i);
            const struct rf_counter_range item = {.domain = RF_NO_STRING,
                                                  .name = string(part, "work", 0),
                                                  .counter_domain = RF_NO_STRING,
                                                  .counter_name = RF_NO_STRING,
                                                  .unit = RF_NO_STRING};
            add(part, item, &values[orders[k][i]], 1);
            assert_int_equal(rf_summary_append(all, part, NULL), RF_OK);
            assert_int_equal(rf_summary_merge(all, NULL), RF_OK);
            rf_summary_free(part);
        }
        assert_int_equal(all->counter_ranges.n, 1);
        const struct rf_counter_range *item = &all->counter_ranges.item[0];
        rf_counter_range_sum(all, item, &sum);
        assert_int_equal(item->n, 4);
        assert_true(fabs(rf_exact_mean(&sum, 1) - 0.75) < DBL_TRUE_MIN);
        rf_summary_free(all);
    }
}

/* ---- The limit ---- */

static void count(const rf_summary *summary, uint64_t total[4], struct rf_exact_sum *sum)
{
    const struct rf_counter_ranges *all = &summary->counter_ranges;
    for (size_t i = 0; i < all->n; i++) {
        total[0] += all->item[i].n;
        total[1] += all->item[i].n_not_finite;
        total[2] += all->item[i].n_samples;
        total[3] += all->item[i].weight;
        rf_digits_sum(&all->digits, &all->item[i].sum, sum);
    }
    rf_exact_settle(sum);
}

/* What is not kept is in the rest, and takes no more time than what is. */
static void test_limit(void **state)
{
    (void)state;
    for (uint64_t round = 1; round < 30; round++) {
        static struct rf_exact_sum before_sum, after_sum;
        uint64_t before[4] = {0}, after[4] = {0}, n_own = 0, n_rest = 0, least = UINT64_MAX;
        seed = round;
        rf_summary *summary = a_summary(0);
        const struct rf_counter_ranges *all = &summary->counter_ranges;
        before_sum = after_sum = (struct rf_exact_sum){.n_added = 0};
        for (size_t i = 0; i < all->n; i++)
            if (all->item[i].name == RF_REST_OF_NAMES)
                all->item[i].range_ns = 0;
        const size_t most = dice(8) + 1, n = all->n;
        const uint64_t n_left_out =
            summary->tallies.searched[RF_TALLY_RANGE_COUNTER].input[0].n_left_out;
        count(summary, before, &before_sum);
        assert_int_equal(rf_counter_ranges_limit(summary, most), RF_OK);
        count(summary, after, &after_sum);
        assert_memory_equal(before, after, sizeof(before));
        assert_memory_equal(&before_sum, &after_sum, sizeof(before_sum));
        for (size_t i = 0; i < all->n; i++) {
            const bool is_rest = all->item[i].name == RF_REST_OF_NAMES;
            n_rest += is_rest;
            n_own += !is_rest;
            if (!is_rest && all->item[i].range_ns < least)
                least = all->item[i].range_ns;
        }
        assert_true(n_own <= most && n_rest > 0 && all->n <= n);
        assert_int_equal(summary->tallies.searched[RF_TALLY_RANGE_COUNTER].input[0].n_left_out,
                         n_left_out + n - most);
        assert_int_equal(rf_counter_ranges_limit(summary, SIZE_MAX), RF_OK);
        rf_summary_free(summary);
    }
}

/* ---- Recordings ---- */

/* A process with its ranges and counters; their events differ in number, so that they are not taken
 * for one recording. */
static void write_process(struct rfw *w, uint32_t pid, const char *name, double scale)
{
    const uint32_t p = rfw_process(w, pid, "app"), d = rfw_domain(w, p, 1, pid, "engine");
    struct rfw_stream *s = rfw_stream(w, p, 0, pid, 1);
    const struct rfw_nvtx_counter counters[] = {
        {.id = ID(1), .schema = RFW_NVTX_DOUBLE, .name = "load", .unit = "%"},
        {.id = ID(2), .schema = RFW_NVTX_INT64, .name = "queue", .flags = 1 << 8},
        {.id = ID(3), .schema = RFW_NVTX_DOUBLE, .name = "read", .flags = 2 << 4}};
    char text[32];
    for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++) {
        struct rfw_nvtx_counter counter = counters[i];
        counter.domain = d;
        rfw_nvtx_counter(w, p, 2, &counter);
    }
    for (int i = 0; i < 40; i++) {
        const int64_t ns = 100 + 100 * i;
        (void)snprintf(text, sizeof(text), "%s_%d", name, i % 3);
        rfw_push(s, ns, &(struct rfw_attr){.text = text});
        rfw_float64(s, ns + 10, d, ID(1), scale * (i % 2 > 0 ? 0.1 : -0.3) * i);
        rfw_int64(s, ns + 20, d, ID(2), (i % 7 - 3) * INT64_C(1000000000000007));
        rfw_float64(s, ns + 30, d, ID(3), i == 7 ? (double)INFINITY : scale / (i + 1));
        const uint64_t id = rfw_start(s, ns + 40, &(struct rfw_attr){.text = "both", .domain = d});
        rfw_float64(s, ns + 45, d, ID(1), -scale / 3);
        rfw_end(s, ns + 57 + i % 5, id);
        rfw_pop(s, ns + 91, 0);
    }
    for (uint32_t i = 0; i < pid / 100; i++)
        rfw_mark(s, 4500, NULL);
    rfw_exit(w, p, 5000);
}

static const struct {
    uint32_t pid;
    const char *name;
    double scale;
} process[] = {{100, "step", 1}, {200, "step", -1e300}, {300, "other", 1e300}};

#define N_PROCESSES (sizeof(process) / sizeof(process[0]))

/* The recording of the processes from one on. */
static rf_recording *record(size_t from, size_t to, unsigned flags, char *folder)
{
    char path[4096];
    rf_recording *rec = NULL;
    struct rf_err err;
    struct rfw *w = rfw_new();
    for (size_t i = from; i < to; i++)
        write_process(w, process[i].pid, process[i].name, process[i].scale);
    (void)snprintf(path, sizeof(path), "%s/%zu-%zu.rf", folder, from, to);
    rfw_save_packed(w, path);
    rfw_free(w);
    if (rf_open(path, flags, &rec, &err) != RF_OK)
        fail_msg("%s", err.text);
    return rec;
}

static rf_summary *sum_up(const rf_recording *rec, const struct rf_summary_options *options)
{
    struct rf_err err;
    rf_summary *summary = NULL;
    assert_int_equal(rf_summary_new(&summary, NULL), RF_OK);
    if (rf_summary_add(summary, rec, options, &err) != RF_OK)
        fail_msg("%s", err.text);
    return summary;
}

static int keep(void *context, const void *bytes, size_t size)
{
    rfw_add(context, bytes, size);
    return 0;
}

static struct rf_report_options options_of(struct rfw_bytes *bytes)
{
    struct rf_report_options options = RF_REPORT_OPTIONS_INIT;
    options.report = "nvtx_counter_ranges";
    options.format = "csv";
    options.write = keep;
    options.write_context = bytes;
    return options;
}

/* The table of a recording. The caller frees it. */
static char *table_of(const rf_recording *rec)
{
    struct rfw_bytes bytes = {0};
    const struct rf_report_options options = options_of(&bytes);
    struct rf_err err;
    if (rf_report(rec, &options, &err) != RF_OK)
        fail_msg("%s", err.text);
    rfw_add(&bytes, "", 1);
    return (char *)bytes.data;
}

/* Without three columns in front of each row. */
static void cut_columns(char *text)
{
    char *to = text;
    for (const char *line = text; *line != '\0';) {
        const char *end = strchr(line, '\n') + 1;
        for (int i = 0; i < 3; i++)
            line = strchr(line, ',') + 1;
        memmove(to, line, (size_t)(end - line));
        to += end - line;
        line = end;
    }
    *to = '\0';
}

/* The same of a summary; NULL: it has none, and err says why. */
static char *table_of_summary(const rf_summary *summary, struct rf_err *err)
{
    struct rfw_bytes bytes = {0};
    const struct rf_report_options options = options_of(&bytes);
    rf_joined_report *joined = NULL;
    assert_int_equal(rf_joined_report_new(&options, &joined, err), RF_OK);
    int status = rf_joined_report_add_summary(joined, summary, 0, err);
    if (status == RF_OK)
        status = rf_joined_report_write(joined, err);
    rf_joined_report_free(joined);
    if (status != RF_OK)
        return NULL;
    rfw_add(&bytes, "", 1);
    cut_columns((char *)bytes.data);
    return (char *)bytes.data;
}

static void check_table(const rf_summary *summary, const char *expected)
{
    struct rf_err err;
    char *table = table_of_summary(summary, &err);
    if (table == NULL)
        fail_msg("%s", err.text);
    assert_string_equal(table, expected);
    free(table);
}

static size_t count_lines(const char *text)
{
    size_t n = 0;
    for (; *text != '\0'; text++)
        n += *text == '\n';
    return n;
}

/* A recording, its summary, and that summary when it was read. */
static void test_recording(void **state)
{
    char path[64];
    rf_recording *rec = record(0, N_PROCESSES, 0, *state);
    char *table = table_of(rec);
    assert_int_equal(count_lines(table), 1 + 6 * 3 + 1); /* in both there is one */
    assert_non_null(strstr(table, ":step_1,PushPop,engine:queue,"));
    assert_non_null(strstr(table, "engine:both,StartEnd,engine:load,%,"));
    rf_summary *summary = sum_up(rec, NULL);
    check_table(summary, table);
    name_file(path, "read");
    write_file(summary, path);
    rf_summary *read = read_file(path);
    check_table(read, table);
    (void)unlink(path);
    rf_summary_free(read);
    rf_summary_free(summary);
    free(table);
    rf_close(rec);
}

/* The summaries of its processes, in every order, add up to that of the whole. */
static void test_parts(void **state)
{
    static const size_t orders[][N_PROCESSES] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                                 {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    rf_recording *rec = record(0, N_PROCESSES, 0, *state);
    char *table = table_of(rec);
    for (size_t k = 0; k < sizeof(orders) / sizeof(orders[0]); k++) {
        rf_summary *all = NULL;
        assert_int_equal(rf_summary_new(&all, NULL), RF_OK);
        for (size_t i = 0; i < N_PROCESSES; i++) {
            rf_recording *part = record(orders[k][i], orders[k][i] + 1, 0, *state);
            rf_summary *summary = sum_up(part, NULL);
            struct rf_err err;
            if (rf_summary_append(all, summary, &err) != RF_OK)
                fail_msg("%s", err.text);
            rf_summary_free(summary);
            rf_close(part);
        }
        assert_int_equal(rf_summary_merge(all, NULL), RF_OK);
        check_table(all, table);
        rf_summary_free(all);
    }
    free(table);
    rf_close(rec);
}

/* What lies between two times, wherever it was looked before. */
static void test_between(void **state)
{
    rf_recording *rec = record(0, 1, 0, *state);
    seed = 7;
    for (uint32_t i = 0; i < rf_n_counters(rec); i++) {
        const struct rf_counter *counter = rf_counter_at(rec, i);
        struct rf_counter_integral integral;
        assert_int_equal(rf_counter_integrate(&integral, rec, counter), RF_OK);
        for (int k = 0; k < 20000; k++) {
            const int64_t start = (int64_t)dice(5000) - 50,
                          end = start + (int64_t)dice(dice(2) > 0 ? 60 : 5000);
            uint64_t n_samples, n_wanted, n = 0;
            const struct rf_weighed got = rf_counter_between(&integral, start, end, &n_samples);
            const size_t place = integral.place;
            integral.place = dice(counter->n_samples + 1);
            const struct rf_weighed wanted = rf_counter_between(&integral, start, end, &n_wanted);
            for (size_t at = 0; at < counter->n_samples; at++)
                n += counter->ns[at] >= start && counter->ns[at] <= end;
            assert_int_equal(n_samples, n);
            assert_int_equal(n_wanted, n);
            assert_int_equal(integral.place, place);
            assert_memory_equal(&got, &wanted, sizeof(got));
        }
        rf_counter_integral_release(&integral);
    }
    rf_close(rec);
}

/* Names without their numbers, and few of them. */
static void test_options(void **state)
{
    struct rf_summary_options options = RF_SUMMARY_OPTIONS_INIT;
    struct rf_err err;
    rf_recording *rec = record(0, N_PROCESSES, 0, *state);
    options.fold_numbers = 1;
    rf_summary *summary = sum_up(rec, &options);
    char *table = table_of_summary(summary, &err);
    assert_non_null(table);
    assert_int_equal(count_lines(table), 1 + 2 * 3 + 1);
    assert_non_null(strstr(table, ":step_#,PushPop,engine:load,%,"));
    assert_non_null(strstr(table, ",160,80\n")); /* of two processes with 40 ranges */
    free(table);
    rf_summary_free(summary);
    options.fold_numbers = 0;
    options.max_tallies = 4;
    summary = sum_up(rec, &options);
    table = table_of_summary(summary, &err);
    assert_int_equal(count_lines(table), 1 + 4 + 3 + 1);
    assert_non_null(strstr(table, ":(all other names),PushPop,engine:load,%,"));
    assert_non_null(strstr(table, "engine:(all other names),StartEnd,engine:load,%,"));
    free(table);
    rf_summary_free(summary);
    rf_close(rec);
}

/* Of a recording that was summed up as it was read there is nothing, and the error says what has
 * it. */
static void test_streamed(void **state)
{
    static const unsigned flags[] = {RF_OPEN_PATHS_ALWAYS, RF_OPEN_NO_SAMPLES | RF_OPEN_SAMPLE_SUMS,
                                     RF_OPEN_NO_SAMPLES};
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        rf_recording *rec = record(0, 1, flags[i], *state);
        rf_summary *summary = sum_up(rec, NULL);
        struct rf_err err;
        assert_int_equal(
            rf_searched_of(&summary->tallies.searched[RF_TALLY_RANGE_COUNTER], 0).n_searched, 0);
        assert_int_equal(summary->counter_ranges.n, 0);
        assert_null(table_of_summary(summary, &err));
        assert_int_equal(err.code, RF_ERR_UNSUPPORTED);
        assert_non_null(strstr(err.text, "summarize --steps"));
        rf_summary_free(summary);
        rf_close(rec);
    }
}

/* Counters of one name that are weighed by other things, or have other units, stay apart; what is
 * too large has no mean. */
static void test_apart(void **state)
{
    static const struct rfw_nvtx_counter counters[] = {
        {.id = ID(1), .schema = RFW_NVTX_DOUBLE, .name = "c", .unit = "B"},
        {.id = ID(2), .schema = RFW_NVTX_DOUBLE, .name = "c", .unit = "kB"},
        {.id = ID(3), .schema = RFW_NVTX_DOUBLE, .name = "c", .unit = "kB", .flags = 1 << 8}};
    char path[4096];
    rf_recording *rec = NULL;
    struct rfw *w = rfw_new();
    const uint32_t p = rfw_process(w, 100, "app"), d = rfw_domain(w, p, 1, 100, "engine");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    for (size_t i = 0; i < 3; i++) {
        struct rfw_nvtx_counter counter = counters[i];
        counter.domain = d;
        rfw_nvtx_counter(w, p, 2, &counter);
    }
    rfw_push(s, 100, &(struct rfw_attr){.text = "work"});
    rfw_float64(s, 110, d, ID(1), DBL_MAX / 16);
    rfw_float64(s, 120, d, ID(1), DBL_MAX / 16);
    rfw_float64(s, 130, d, ID(1), DBL_MAX / 16);
    rfw_float64(s, 140, d, ID(2), 4);
    rfw_float64(s, 150, d, ID(3), 8);
    rfw_float64(s, 160, d, ID(3), -10);
    rfw_pop(s, 200, 0);
    rfw_exit(w, p, 300);
    (void)snprintf(path, sizeof(path), "%s/apart.rf", (const char *)*state);
    rfw_save_packed(w, path);
    rfw_free(w);
    assert_int_equal(rf_open(path, 0, &rec, NULL), RF_OK);
    char *table = table_of(rec);
    assert_string_equal(table, "Range,Style,Counter,Unit,Mean,Samples,Range Instances\n"
                               ":work,PushPop,engine:c,B,None,3,1\n"
                               ":work,PushPop,engine:c,kB,-1,2,1\n"
                               ":work,PushPop,engine:c,kB,4,1,1\n");
    rf_summary *summary = sum_up(rec, NULL);
    check_table(summary, table);
    assert_int_equal(summary->counter_ranges.n, 3);
    rf_summary_free(summary);
    free(table);
    rf_close(rec);
}

/* ---- What cannot be ---- */

static int read_changed(const char *sql)
{
    char path[64];
    sqlite3 *db = NULL;
    rf_summary *read = NULL;
    struct rf_err err = {.code = RF_OK};
    seed = 4;
    rf_summary *written = a_summary(0);
    name_file(path, "changed");
    write_file(written, path);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    if (sqlite3_total_changes(db) == 0 && strstr(sql, "TABLE") == NULL)
        fail_msg("it changes nothing: %s", sql);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    assert_int_equal(rf_summary_new(&read, NULL), RF_OK);
    const int status = rf_summary_read(read, path, &err);
    assert_int_equal(rf_summary_n_inputs(read), status == RF_OK); /* all of it or nothing */
    (void)unlink(path);
    rf_summary_free(read);
    rf_summary_free(written);
    return status;
}

static void test_changed(void **state)
{
    static const char *const damage[] = {
        "UPDATE counter_ranges SET counter_range=counter_range+1000",
        "DELETE FROM counter_ranges WHERE counter_range=1",
        "DELETE FROM counter_ranges",
        "UPDATE counter_ranges SET input=0",
        "UPDATE counter_ranges SET input=2",
        "UPDATE counter_ranges SET input=4294967297",
        "UPDATE counter_ranges SET domain=100000",
        "UPDATE counter_ranges SET name=0",
        "UPDATE counter_ranges SET counter_name=x'41'",
        "UPDATE counter_ranges SET counter_domain='app'",
        "UPDATE counter_ranges SET unit=-1",
        "UPDATE counter_ranges SET is_rest=2 WHERE name IS NULL",
        "UPDATE counter_ranges SET is_rest=1 WHERE name IS NOT NULL",
        "UPDATE counter_ranges SET is_rest='yes'",
        "UPDATE counter_ranges SET style='mark'",
        "UPDATE counter_ranges SET style='kernel'",
        "UPDATE counter_ranges SET style=x'41'",
        "UPDATE counter_ranges SET weighed_by='size'",
        "UPDATE counter_ranges SET weighed_by=0",
        "UPDATE counter_ranges SET n=0",
        "UPDATE counter_ranges SET n=weight+1",
        "UPDATE counter_ranges SET n=1.5",
        "UPDATE counter_ranges SET n_not_finite=n+1",
        "UPDATE counter_ranges SET n_not_finite=n",
        "UPDATE counter_ranges SET n_not_finite=-1",
        "UPDATE counter_ranges SET n_samples=-1",
        "UPDATE counter_ranges SET n_samples=weight-1 WHERE weighed_by='samples'",
        "UPDATE counter_ranges SET weight=n-1",
        "UPDATE counter_ranges SET weight='much'",
        "INSERT INTO counter_ranges SELECT (SELECT max(counter_range) FROM counter_ranges)+1, "
        "input,"
        " domain, name, is_rest, style, counter_domain, counter_name, unit, weighed_by, n,"
        " n_not_finite, n_samples, weight FROM counter_ranges WHERE counter_range=1",
        "ALTER TABLE counter_ranges RENAME COLUMN weight TO mass",
        "UPDATE counter_range_digits SET counter_range=counter_range+1000",
        "UPDATE counter_range_digits SET counter_range=-counter_range",
        "UPDATE counter_range_digits SET digit=digit+100",
        "UPDATE counter_range_digits SET digit=digit-100",
        "UPDATE counter_range_digits SET value=0",
        "UPDATE counter_range_digits SET value=4294967296",
        "UPDATE counter_range_digits SET value=-4294967296",
        "UPDATE counter_range_digits SET value=0.5",
        "UPDATE counter_range_digits SET value='NaN'",
        "UPDATE counter_range_digits SET value=9e999",
        "UPDATE counter_range_digits SET value=-value WHERE (counter_range, digit) IN (SELECT"
        " counter_range, max(digit) FROM counter_range_digits GROUP BY 1 HAVING count(*)>1)",
        "INSERT INTO counter_range_digits VALUES (1, 35, 1)",
        "INSERT INTO counter_range_digits VALUES (1, 35, -1)",
        "UPDATE counter_range_digits SET value=4294967295 WHERE digit=32 AND value<0;"
        "INSERT OR REPLACE INTO counter_range_digits VALUES (1, 32, 1048576)",
        "CREATE TABLE twice AS SELECT * FROM counter_range_digits UNION ALL SELECT * FROM"
        " counter_range_digits; DROP TABLE counter_range_digits;"
        " ALTER TABLE twice RENAME TO counter_range_digits",
        "DROP TABLE counter_ranges",
        "DROP TABLE counter_range_digits",
        "DROP TABLE counter_range_digits; DROP TABLE counter_ranges",
        "DROP TABLE counter_ranges; CREATE VIEW counter_ranges AS SELECT 1 counter_range",
        "DELETE FROM tally_inputs",
        "UPDATE tally_inputs SET n_searched=0",
        "UPDATE tally_inputs SET kind='later'",
        "DELETE FROM tally_texts",
    };
    (void)state;
    assert_int_equal(read_changed("CREATE TABLE later (x)"), RF_OK);
    assert_int_equal(read_changed("DROP TABLE counter_range_digits; DROP TABLE counter_ranges;"
                                  "DELETE FROM tally_inputs"),
                     RF_OK); /* as of an older rangefinder */
    for (size_t i = 0; i < sizeof(damage) / sizeof(damage[0]); i++)
        if (read_changed(damage[i]) != RF_ERR_DAMAGED)
            fail_msg("not noticed: %s", damage[i]);
}

/* Too large is an error, and no small number. */
static void test_too_large(void **state)
{
    static const size_t places[] = {
        offsetof(struct rf_counter_range, n), offsetof(struct rf_counter_range, n_not_finite),
        offsetof(struct rf_counter_range, n_samples), offsetof(struct rf_counter_range, weight)};
    static const uint64_t most = INT64_MAX, one = 1;
    (void)state;
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        struct rf_err err;
        seed = 4;
        rf_summary *all = a_summary(0);
        seed = 4; /* the same names */
        rf_summary *other = a_summary(1);
        assert_int_equal(rf_summary_append(all, other, NULL), RF_OK);
        for (size_t k = 0; k < all->counter_ranges.n; k++) {
            struct rf_counter_range *item = &all->counter_ranges.item[k];
            memcpy((char *)item + places[i], item->input == 0 ? &most : &one, sizeof(most));
        }
        assert_int_equal(rf_summary_merge(all, &err), RF_ERR_UNSUPPORTED);
        assert_int_equal(rf_summary_n_inputs(all), 2);
        rf_summary_free(all);
        rf_summary_free(other);
    }
}

static int make_folder(void **state)
{
    *state = rfw_make_tmpdir();
    return 0;
}

static int remove_folder(void **state)
{
    rfw_remove_tree(*state);
    free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),     cmocka_unit_test(test_cancelled),
        cmocka_unit_test(test_limit),     cmocka_unit_test(test_recording),
        cmocka_unit_test(test_parts),     cmocka_unit_test(test_between),
        cmocka_unit_test(test_options),   cmocka_unit_test(test_streamed),
        cmocka_unit_test(test_apart),     cmocka_unit_test(test_changed),
        cmocka_unit_test(test_too_large),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
