/* SPDX-License-Identifier: Apache-2.0 */
/* Filters of recordings that are summed up as they are read, against those of all events. */
#include "check_paths.h"
#include "check_sums.h"
#include "random_payloads.h"
#include "random_windows.h"
#include "unit_threads.h"

#define N_ROUNDS SANITIZED_ROUNDS(4)

static uint64_t seed;
/* Filters that were compared, and how. */
static unsigned n_selected, n_failed, n_sums, n_paths, n_groups;

static uint64_t dice(uint64_t n)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (seed >> 33) % n;
}

/* ---- Recordings ---- */

struct kind {
    bool has_starts, has_ties, crosses, has_losses, has_handlers, has_captures, has_payloads;
    bool has_end_payloads, has_named; /* payloads at ends; those that say names and strings */
};

static const struct kind all_but_captures = {true, true, true, true, true, .has_captures = false};
static const struct kind of_all = {true, true, true, true, true, .has_captures = true};
static const struct kind all_with_payloads = {true, true, true, true, true, true, true, true, true};

/* Payloads of what was recorded last, or none. */
static void add_payload(struct rfw_stream *s, const struct kind *kind)
{
    if (kind->has_payloads)
        add_random_payload(s, kind->has_named, dice);
}

static const char *const names[] = {"load", "step 1", "step 2", "a name of some words", "load/3"};

static void add_thread(struct rfw *w, uint32_t p, uint32_t slot, uint64_t domain, size_t n,
                       const struct kind *kind)
{
    struct rfw_stream *s = rfw_stream(w, p, slot, 100 + slot, slot + 1);
    struct rfw_stream *handler =
        kind->has_handlers ? rfw_stream(w, p, slot + 3, 100 + slot, slot + 1) : NULL;
    uint64_t open[8], started = 0;
    size_t depth = 0;
    int64_t ns = 10;
    for (size_t i = 0; i < n; i++) {
        uint64_t what = dice(100), d = depth % 2 * domain;
        struct rfw_attr attr = {.text = names[(depth + dice(2)) % 5], .domain = d};
        if (kind->has_payloads)
            set_random_payload(&attr, dice);
        ns += (int64_t)(kind->has_ties ? dice(3) : 1 + dice(dice(50) == 0 ? 30000 : 30));
        if (what < 45 && depth < 8) {
            rfw_push(s, ns, &attr);
            add_payload(s, kind);
            open[depth++] = d;
        } else if (what < 90 && depth > 0) {
            depth--;
            rfw_pop(s, ns, kind->crosses && dice(1000) == 0 ? domain - open[depth] : open[depth]);
            if (kind->has_end_payloads && dice(100) == 0)
                add_payload(s, kind);
        } else if (what < 92) {
            rfw_mark(s, ns, &attr);
            add_payload(s, kind);
        } else if (kind->has_starts && what < 96) {
            if (started != 0)
                rfw_end(s, ns, started);
            started = rfw_start(s, ns, &attr);
            add_payload(s, kind);
        } else if (handler != NULL && dice(100) == 0) {
            rfw_push(handler, ns, &attr);
            rfw_pop(handler, ns, d);
        }
        if (kind->has_losses && dice(3000) == 0) {
            rfw_next_part(s, ns)->part.lost_records = 3;
            depth = 0;
        }
    }
    if (dice(2) == 0)
        rfw_thread_end(s, ns + 5, NULL);
}

static struct rfw *random_recording(size_t n, const struct kind *kind)
{
    struct rfw *w = rfw_new();
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t p = rfw_process(w, 200 - i, i == 1 ? "other" : "app");
        uint64_t d = rfw_domain(w, p, 1, 9, "D");
        if (kind->has_payloads)
            define_random_schemas(w, p, 9);
        for (uint32_t slot = 0; slot < 3; slot++)
            add_thread(w, p, slot, d, n, kind);
        rfw_thread_name(w, p, 5, 9, 101, "named");
        if (dice(2) == 0)
            rfw_exit(w, p, (int64_t)n * 10000);
    }
    if (kind->has_captures)
        add_windows(w, (int64_t)n * (kind->has_ties ? 1 : 200), dice);
    return w;
}

/* ---- Filters ---- */

static const char *one_of(const char *const *all, size_t n)
{
    const uint64_t i = dice(n);
    return all[i];
}

#define ONE_OF(...)                                                                                \
    one_of((const char *const[]){__VA_ARGS__},                                                     \
           sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static char *random_time(size_t n)
{
    char *text = NULL;
    const int64_t begin = (int64_t)dice(n * (dice(2) == 0 ? 20 : 2)) + 5,
                  end = begin + (int64_t)(dice(3) == 0 ? dice(3) : dice(n * 20));
    if (dice(4) == 0)
        assert_true(asprintf(&text, dice(2) == 0 ? "%lldns/" : "/%lldns", (long long)begin) > 0);
    else
        assert_true(asprintf(&text, "%lldns/%lldns", (long long)begin, (long long)end) > 0);
    return text;
}

/* The caller frees options->time. */
static struct rf_filter_options random_filter(size_t n, const struct kind *kind)
{
    struct rf_filter_options options = RF_FILTER_OPTIONS_INIT;
    if (dice(2) == 0)
        options.time = random_time(n);
    if (dice(3) == 0)
        options.nvtx =
            ONE_OF("load", "step 1", "load/3", "step 2/7", "load@D", "load@",
                   "a name of some words/0", "load@D/12", "no such range", "load/99999999");
    if (dice(4) == 0)
        options.processes = ONE_OF("200", "199,198", "app", "other", "nobody");
    if (dice(4) == 0)
        options.threads = ONE_OF("100", "101,102", "named", "named,100", "nobody");
    if (dice(3) == 0)
        options.names = ONE_OF("load", "step*", "/o/", "/^step [12]$/", "nothing", "/(/", "*");
    if (dice(12) == 0)
        options.activities = ONE_OF("nvtx", "kernel", "nvtx,gpu", "nonsense");
    if (dice(12) == 0)
        options.ranks = "0";
    options.without_cut = dice(5) == 0;
    if (kind->has_payloads)
        set_random_filter(&options, kind->has_named, dice);
    return options;
}

/* ---- The same ---- */

static void check_selected_sums(const rf_recording *whole, const rf_recording *selected)
{
    struct rf_sums expected = {.sum = NULL};
    const struct rf_sums *sums = rf_recording_sums(selected);
    assert_non_null(sums);
    add_events(&expected, whole);
    assert_int_equal(sums->n, expected.n);
    for (size_t i = 0; i < sums->n; i++)
        check_sum(&sums->sum[i], find_sum(&expected, whole, &sums->sum[i].key,
                                          rf_string(selected, sums->sum[i].key.name, NULL)));
    rf_sums_release(&expected);
    check_counts(whole, selected);
}

/* Opens a recording, and filters it. Returns the filtered one, or NULL and the error. */
static rf_recording *open_filtered(const char *path, unsigned flags, bool selects,
                                   const struct rf_filter_options *options, rf_recording **rec,
                                   struct rf_err *err)
{
    rf_recording *filtered = NULL;
    int status = selects ? rf_open_selected(path, flags, NULL, options, rec, err)
                         : rf_open(path, flags, rec, err);
    assert_int_equal(status, RF_OK);
    status = rf_filter(*rec, options, &filtered, err);
    assert_int_equal(status == RF_OK, filtered != NULL);
    return filtered;
}

/* Sums are of one filter. */
static void check_other(const rf_recording *rec, const rf_recording *filtered)
{
    const struct rf_filter_options other = {.size = sizeof(other), .names = "another"};
    rf_recording *part = NULL;
    struct rf_err err;
    if (rf_recording_sums(rec) == NULL || rf_recording_sums(filtered) == NULL)
        return;
    assert_int_equal(rf_filter(rec, &other, &part, &err), RF_ERR_USAGE);
    assert_int_equal(rf_filter(filtered, &other, &part, &err), RF_ERR_USAGE);
    assert_null(part);
}

/* ---- Groups ---- */

struct text {
    char bytes[1 << 20];
    size_t n;
};

static int keep_text(void *context, const void *bytes, size_t size)
{
    struct text *text = context;
    assert_true(size < sizeof(text->bytes) - text->n);
    memcpy(text->bytes + text->n, bytes, size);
    text->n += size;
    text->bytes[text->n] = '\0';
    return 0;
}

/* Ranges by values in payloads, as CSV without the medians, which may come from a histogram; or the
 * error. */
static void report_groups(const rf_recording *rec, const char *group_by, struct text *text)
{
    const struct rf_report_options options = {.size = sizeof(options),
                                              .report = "nvtx_sum",
                                              .format = "csv",
                                              .group_by = group_by,
                                              .write = keep_text,
                                              .write_context = text};
    struct rf_err err;
    text->n = 0;
    if (rf_report(rec, &options, &err) != RF_OK) {
        (void)strcpy(text->bytes, err.text);
        return;
    }
    char *to = text->bytes;
    size_t field = 0;
    for (const char *from = text->bytes; *from != '\0'; from++) {
        field = *from == '\n' ? 0 : field + (*from == ',');
        if (field != 4)
            *to++ = *from;
    }
    *to = '\0';
}

static void check_groups(const char *path, struct rf_filter_options options,
                         const rf_recording *whole, const char *group_by)
{
    static struct text expected, grouped;
    const unsigned flags = RF_OPEN_SUMS_ALWAYS | RF_OPEN_SUMS | RF_OPEN_NO_WORK;
    struct rf_err err;
    rf_recording *rec;
    options.group_by = group_by;
    rf_recording *filtered = open_filtered(path, flags, true, &options, &rec, &err);
    assert_non_null(filtered);
    report_groups(whole, options.group_by, &expected);
    report_groups(filtered, options.group_by, &grouped);
    assert_string_equal(grouped.bytes, expected.bytes);
    if (rf_recording_sums(filtered) != NULL) {
        assert_string_equal(rf_recording_group_by(filtered), options.group_by);
        report_groups(filtered, "another", &grouped);
        assert_non_null(strstr(grouped.bytes, "by other values"));
        n_groups++;
    }
    rf_close(filtered);
    rf_close(rec);
}

static void check_filter(const char *path, const struct rf_filter_options *options)
{
    rf_recording *rec[3], *filtered[3];
    struct rf_err err[3] = {{.code = RF_OK}};
    const unsigned sums = RF_OPEN_SUMS_ALWAYS | RF_OPEN_SUMS | RF_OPEN_NO_WORK,
                   paths = RF_OPEN_PATHS_ALWAYS | RF_OPEN_PATHS | RF_OPEN_RANGE_WORK;
    filtered[0] = open_filtered(path, 0, false, options, &rec[0], &err[0]);
    filtered[1] = open_filtered(path, sums, true, options, &rec[1], &err[1]);
    filtered[2] = open_filtered(path, paths, true, options, &rec[2], &err[2]);
    for (int i = 1; i < 3; i++) {
        assert_int_equal(filtered[i] != NULL, filtered[0] != NULL);
        assert_string_equal(err[i].text, err[0].text);
    }
    if (filtered[0] != NULL) {
        if (rf_recording_sums(filtered[1]) != NULL || options->n_payloads == 0)
            check_selected_sums(filtered[0], filtered[1]);
        n_sums += rf_recording_sums(filtered[1]) != NULL;
        check_other(rec[1], filtered[1]);
        check_bytes(filtered[0], filtered[2], 0);
        check_bytes(filtered[0], filtered[2], 9);
        if (n_groups == 0 || dice(2) == 0)
            check_groups(path, *options, filtered[0],
                         ONE_OF("payload", "payload.size", "peer", "text", "string", "nothing"));
        n_selected++;
        n_paths += rf_recording_paths(filtered[2]) != NULL;
    }
    n_failed += filtered[0] == NULL;
    for (int i = 0; i < 3; i++) {
        rf_close(filtered[i]);
        rf_close(rec[i]);
    }
}

static void check_filters(const struct rfw *w, size_t n, unsigned n_filters,
                          const struct kind *kind)
{
    char *dir = rfw_make_tmpdir(), path[4096];
    (void)snprintf(path, sizeof(path), "%s/a.rf", dir);
    rfw_save_packed(w, path);
    for (unsigned i = 0; i < n_filters; i++) {
        struct rf_filter_options options = random_filter(n, kind);
        check_filter(path, &options);
        free((void *)(uintptr_t)options.time);
    }
    rfw_remove_tree(dir);
    free(dir);
}

static void check_kind(const struct kind *kind)
{
    n_selected = n_failed = n_sums = n_paths = n_groups = 0;
    for (uint64_t round = 1; round <= N_ROUNDS; round++) {
        const size_t n = round % 2 == 0 ? 1200 : 60;
        seed = round;
        struct rfw *w = random_recording(n, kind);
        (void)check_recording(w);
        check_filters(w, n, round % 2 == 0 ? 12 : 40, kind);
        rfw_free(w);
    }
    assert_true(n_selected > 10 * N_ROUNDS && n_failed > (IS_SANITIZED ? 2 : 5));
}

static void test_nested(void **state)
{
    (void)state;
    check_kind(&(struct kind){.has_starts = false});
    assert_int_equal(n_paths, n_selected);
}

static void test_losses(void **state)
{
    (void)state;
    check_kind(&(struct kind){.has_losses = true});
    assert_int_equal(n_paths, n_selected);
}

static void test_starts(void **state)
{
    (void)state;
    check_kind(&(struct kind){.has_starts = true});
    check_kind(&(struct kind){.has_starts = true, .has_ties = true});
    assert_true(n_paths > 0);
}

static void test_crossing(void **state)
{
    (void)state;
    check_kind(&(struct kind){.crosses = true});
    check_kind(&(struct kind){.has_ties = true});
    check_kind(&(struct kind){.has_handlers = true});
    check_kind(&all_but_captures);
}

static void test_captures(void **state)
{
    (void)state;
    check_kind(&(struct kind){.has_captures = true});
    assert_true(n_paths > 0);
    check_kind(&(struct kind){.has_starts = true, .has_captures = true});
    check_kind(&(struct kind){.has_losses = true, .has_captures = true});
    check_kind(&of_all);
}

static void test_payloads(void **state)
{
    (void)state;
    check_kind(&(struct kind){.has_payloads = true});
    assert_true(n_sums == n_selected && n_paths == n_selected && n_groups > n_selected / 10);
    check_kind(&(struct kind){.has_starts = true, .has_payloads = true});
    assert_true(n_sums == n_selected && n_paths > 0 && n_groups > n_selected / 10);
    check_kind(&(struct kind){.has_payloads = true, .has_named = true});
    assert_true(n_sums > n_selected / 2 && n_groups > 0);
    check_kind(
        &(struct kind){.has_handlers = true, .has_payloads = true, .has_end_payloads = true});
    check_kind(&(struct kind){.has_losses = true, .has_captures = true, .has_payloads = true});
    check_kind(&all_with_payloads);
}

/* Two workers, which number names differently. Long texts make many parts. */
static void test_workers(void **state)
{
    enum { STREAMS = 6, OUTER = 1500, INNER = 4, TEXT = 4000 };
    static char text[TEXT + 1];
    static const struct rf_filter_options filters[] = {
        {.size = sizeof(filters[0]), .names = "/[ac]/"},
        {.size = sizeof(filters[0]), .nvtx = "b"},
        {.size = sizeof(filters[0]), .nvtx = "c/1000", .names = "?*"},
        {.size = sizeof(filters[0]), .threads = "201,204", .time = "30us/"},
        {.size = sizeof(filters[0]), .processes = "99", .names = "b*"},
    };
    struct rfw *w = rfw_new();
    (void)state;
    n_selected = n_paths = 0;
    memset(text, 'x', TEXT);
    seed = 5;
    for (uint32_t i = 0; i < STREAMS; i++) {
        const uint32_t p = i % 3 == 0 ? rfw_process(w, 100 - i / 3, "app") : i / 3;
        struct rfw_stream *s = rfw_stream(w, p, i % 3, 200 + i, i % 3 + 1);
        for (int64_t k = 0; k < OUTER; k++) {
            text[0] = (char)('a' + dice(1 + i));
            rfw_push(s, 100 * k + 1, &(struct rfw_attr){.text = text});
            for (int64_t inner = 0; inner < INNER; inner++) {
                const char name[2] = {(char)('a' + dice(1 + i)), '\0'};
                rfw_push(s, 100 * k + 10 * inner + 2,
                         &(struct rfw_attr){.text = name,
                                            .payload_kind = RF_PAYLOAD_UINT64,
                                            .payload = 10 * i + dice(3)});
                rfw_pop(s, 100 * k + 10 * inner + 3 + (int64_t)dice(7), 0);
            }
            rfw_pop(s, 100 * k + 90, 0);
        }
    }
    char *dir = rfw_make_tmpdir(), path[4096];
    (void)snprintf(path, sizeof(path), "%s/a.rf", dir);
    rfw_save_packed(w, path);
    for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++)
        check_filter(path, &filters[i]);
    assert_true(n_selected == sizeof(filters) / sizeof(filters[0]) && n_paths == n_selected);
    const struct rf_filter_options none = RF_FILTER_OPTIONS_INIT;
    rf_recording *whole = NULL;
    assert_int_equal(rf_open(path, 0, &whole, NULL), RF_OK);
    n_groups = 0;
    check_groups(path, none, whole, "payload");
    assert_int_equal(n_groups, 1);
    rf_close(whole);
    rfw_remove_tree(dir);
    free(dir);
    rfw_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_ONE_THREAD(test_nested),   UNIT_ONE_THREAD(test_losses),
        UNIT_ONE_THREAD(test_starts),   UNIT_ONE_THREAD(test_crossing),
        cmocka_unit_test(test_workers), UNIT_ONE_THREAD(test_captures),
        UNIT_ONE_THREAD(test_payloads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
