/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of the work of ranges, and summaries, of what --filter-payload and --cut-ranges select: as
 * they are read they are, to the byte, what all in memory add up to. */
#include "check_cuda_filters.h"
#include "random_cuda.h"
#include "sanitized.h"
#include "model/load/load_recording.h"
#include "model/load/selecting.h"

#define N_ROUNDS  SANITIZED_ROUNDS(4)
#define N_FILTERS 8

/* Of each recording, with or without other filters. */
static void check_kind(const struct kind *kind, bool leaves_out_cut)
{
    n_filtered = n_selected = n_paths = 0;
    for (uint64_t round = 1; round <= N_ROUNDS; round++) {
        char *dir = rfw_make_tmpdir(), path[4096], time[64];
        seed = filter_seed = round;
        struct rfw *w = random_recording(round % 2 == 0 ? 600 : 200, kind);
        (void)snprintf(path, sizeof(path), "%s/a.rf", dir);
        rfw_save_packed(w, path);
        for (int i = 0; i < N_FILTERS; i++) {
            struct rf_filter_options options = RF_FILTER_OPTIONS_INIT;
            if (dice_filter(2) == 0)
                random_filter(&options, time, sizeof(time));
            if (kind->has_payloads)
                set_random_filter(&options, kind->has_named, dice_filter);
            options.without_cut = leaves_out_cut;
            check_filter(path, &options);
        }
        rfw_remove_tree(dir);
        free(dir);
        rfw_free(w);
    }
    assert_true(n_filtered > N_ROUNDS * N_FILTERS / 2);
}

/* ---- Payloads ---- */

static void test_payloads(void **state)
{
    (void)state;
    check_kind(&(struct kind){.has_payloads = true}, false);
    assert_true(n_selected == n_filtered && n_paths == n_filtered);
    check_kind(&(struct kind){.has_payloads = true, .has_losses = true, .has_threads = true},
               false);
    assert_true(n_selected == n_filtered && n_paths == n_filtered);
    check_kind(&(struct kind){.has_payloads = true, .has_destroyed = true}, false);
    assert_true(n_selected == n_filtered && n_paths == n_filtered);
}

static void test_starts(void **state)
{
    (void)state;
    check_kind(&(struct kind){.has_payloads = true, .has_starts = true, .ends_late = true}, false);
    assert_true(n_selected == n_filtered && n_paths > n_filtered / 2);
    check_kind(&(struct kind){.has_payloads = true, .crosses = true}, false);
    assert_true(n_selected == n_filtered && n_paths == n_filtered);
    check_kind(
        &(struct kind){
            .has_payloads = true, .has_starts = true, .ends_late = true, .ends_elsewhere = true},
        false);
    check_kind(&(struct kind){.has_payloads = true,
                              .has_starts = true,
                              .ends_late = true,
                              .ends_never = true,
                              .has_ties = true},
               false);
}

/* Payloads that say more than values, which are looked at last: ranges are in memory. */
static void test_named(void **state)
{
    (void)state;
    check_kind(&(struct kind){.has_payloads = true, .has_named = true}, false);
    assert_true(n_selected > n_filtered * 3 / 4);
    check_kind(&(struct kind){.has_payloads = true, .has_named = true, .has_starts = true}, false);
    assert_true(n_selected > n_filtered * 3 / 4);
    check_kind(&(struct kind){.has_payloads = true, .has_handlers = true, .has_deferred = true},
               false);
    check_kind(&(struct kind){.has_payloads = true, .has_captures = true, .has_starts = true},
               false);
    assert_true(n_selected > 0);
    check_kind(&(struct kind){.has_payloads = true, .has_collectives = true}, false);
    assert_true(n_selected > n_filtered * 3 / 4);
}

/* Payloads of ends are looked at beside those of begins. */
static void test_end_payloads(void **state)
{
    (void)state;
    check_kind(&(struct kind){.has_payloads = true, .has_end_payloads = true}, false);
    check_kind(&(struct kind){.has_payloads = true,
                              .has_named = true,
                              .has_end_payloads = true,
                              .has_starts = true,
                              .ends_late = true,
                              .has_losses = true},
               false);
}

/* ---- Captures ---- */

static void test_captures(void **state)
{
    static const struct kind kinds[] = {
        {.has_long_calls = true},
        {.has_losses = true, .has_threads = true, .has_payloads = true},
        {.has_starts = true, .ends_late = true, .has_payloads = true, .has_long_calls = true},
        {.has_starts = true, .ends_late = true, .ends_elsewhere = true, .ends_never = true},
        {.has_destroyed = true, .crosses = true, .has_payloads = true},
        {.has_collectives = true, .has_payloads = true, .has_named = true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        struct kind kind = kinds[i];
        kind.has_windows = true;
        check_kind(&kind, false);
        if (i < 3)
            assert_true(n_paths > n_filtered / 2);
        check_kind(&kind, true);
    }
}

/* A process whose thread 100 calls CUDA, and what CUPTI writes of it. */
static struct rfw *new_recording(struct rfw_stream **ranges, struct rfw_stream **cuda)
{
    struct rfw *w = rfw_new();
    const uint32_t p = rfw_process(w, 100, "app");
    rfw_cuda_clocks(w, p);
    rfw_cuda_names(w, p);
    *ranges = rfw_stream(w, p, 0, 100, 1);
    *cuda = rfw_stream(w, p, 1, 200, 2);
    return w;
}

static void launch(struct rfw_stream *cuda, int64_t ns, uint32_t id)
{
    rfw_cuda_call(cuda, 100, ns, ns + 100, id, RFW_LAUNCH);
    rfw_cuda_kernel(cuda, ns + 50, ns + 400, id, 7, RFW_KERNEL_ADD);
}

/* A start/end range whose payload says its name, by which it is selected. */
static void test_name_in_payload(void **state)
{
    static const char *const names[] = {"abc", "other"};
    static const struct rfw_entry text[] = {{1 << 10, 75, "text", 3, 0}};
    char *dir = rfw_make_tmpdir(), path[4096];
    struct rfw_stream *s, *cuda;
    struct rfw *w = new_recording(&s, &cuda);
    const uint64_t d = rfw_domain(w, 0, 1, 9, "D");
    (void)state;
    rfw_define_schema(w, 0, &(struct rfw_schema){.id = OF_NAMES, .domain = (uint32_t)d, .size = 3},
                      text, 1);
    const uint64_t id = rfw_start(s, 1000, &(struct rfw_attr){.text = "other", .domain = d});
    rfw_payload(s, OF_NAMES, "abc", 3, 3, 0);
    launch(cuda, 1100, 1);
    rfw_end(s, 2000, id);
    (void)snprintf(path, sizeof(path), "%s/a.rf", dir);
    rfw_save_packed(w, path);
    n_selected = 0;
    for (int i = 0; i < 2; i++)
        check_filter(path, &(struct rf_filter_options){.size = sizeof(struct rf_filter_options),
                                                       .names = names[i]});
    assert_int_equal(n_selected, 2);
    rfw_remove_tree(dir);
    free(dir);
    rfw_free(w);
}

/* Two processes use the domains of one that forked them, in which the schemas are: they are met in
 * records, and put in order since. */
static void test_inherited(void **state)
{
    static const char *const payloads[] = {"size=4"};
    static const struct rfw_entry entries[2][2] = {{{0, 17, "size", 0, 0}, {0, 17, "peer", 0, 8}},
                                                   {{0, 17, "peer", 0, 0}, {0, 17, "size", 0, 8}}};
    const uint64_t values[] = {4, 1};
    char *dir = rfw_make_tmpdir(), path[4096];
    struct rfw_stream *s, *cuda;
    struct rfw *w = new_recording(&s, &cuda);
    uint64_t domains[3];
    (void)state;
    for (int i = 0; i < 3; i++) {
        const char name[] = {(char)('A' + i), '\0'};
        domains[i] = rfw_domain(w, 0, 1 + i, 9, name);
        rfw_define_schema(
            w, 0, &(struct rfw_schema){.id = OF_PLAIN, .domain = (uint32_t)domains[i], .size = 16},
            entries[i != 0], 2);
    }
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t p = rfw_process_bare(w);
        rfw_fact(w, p, 300, RF_PROC_FORK_OF, 0, NULL);
        rfw_fact(w, p, 300, RF_PROC_PID, 300 + i, NULL);
        rfw_cuda_clocks(w, p);
        rfw_cuda_names(w, p);
        struct rfw_stream *forked = rfw_stream(w, p, 0, 300 + i, 1),
                          *work = rfw_stream(w, p, 1, 400 + i, 2);
        for (int k = 0; k < 3; k++) {
            const uint64_t d = domains[i == 0 ? 2 - k : k];
            const int64_t ns = 1000 + 1000 * k;
            rfw_push(forked, ns, &(struct rfw_attr){.text = "r", .domain = d});
            rfw_payload(forked, OF_PLAIN, values, sizeof(values), sizeof(values), 0);
            rfw_cuda_call(work, 300 + i, ns + 100, ns + 200, 1 + (uint32_t)k, RFW_LAUNCH);
            rfw_cuda_kernel(work, ns + 150, ns + 300, 1 + (uint32_t)k, 7, RFW_KERNEL_ADD);
            rfw_pop(forked, ns + 900, d);
        }
    }
    (void)snprintf(path, sizeof(path), "%s/a.rf", dir);
    rfw_save_packed(w, path);
    n_selected = n_paths = 0;
    check_filter(path, &(struct rf_filter_options){.size = sizeof(struct rf_filter_options),
                                                   .payloads = payloads,
                                                   .n_payloads = 1});
    assert_true(n_selected == 1 && n_paths == 1);
    rfw_remove_tree(dir);
    free(dir);
    rfw_free(w);
}

/* ---- Ranges that were cut ---- */

static void test_cut(void **state)
{
    (void)state;
    check_kind(&(struct kind){.has_losses = true}, true);
    assert_true(n_selected == n_filtered && n_paths == n_filtered);
    check_kind(&(struct kind){.has_threads = true, .has_payloads = true}, true);
    assert_true(n_selected == n_filtered && n_paths == n_filtered);
    check_kind(&(struct kind){.has_destroyed = true}, true);
    assert_true(n_selected == n_filtered && n_paths == n_filtered);
    check_kind(&(struct kind){.has_starts = true, .ends_late = true, .ends_never = true}, true);
    assert_true(n_selected == n_filtered && n_paths > n_filtered / 2);
}

static void test_cut_and_more(void **state)
{
    (void)state;
    check_kind(&(struct kind){.has_losses = true, .has_ties = true}, true);
    check_kind(&(struct kind){.has_captures = true, .has_starts = true, .ends_late = true}, true);
    for (unsigned i = 0; i < 128; i += 19)
        check_kind(&(struct kind){.has_losses = i & 1,
                                  .has_threads = i & 2,
                                  .crosses = i & 4,
                                  .has_starts = i & 8,
                                  .has_ties = i & 16,
                                  .has_destroyed = i & 32,
                                  .ends_elsewhere = i & 8,
                                  .ends_late = i & 8,
                                  .ends_never = i & 64,
                                  .has_payloads = i & 64,
                                  .has_named = i & 1},
                   true);
}

/* Ranges that begin at one time, of which one is cut. */
static void test_cut_ties(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        char *dir = rfw_make_tmpdir(), path[4096];
        struct rfw_stream *s, *cuda;
        struct rfw *w = new_recording(&s, &cuda);
        const uint64_t d = rfw_domain(w, 0, 1, 9, "D");
        rfw_push(s, 1000, &(struct rfw_attr){.text = "a", .domain = kind & 1 ? d : 0});
        if (kind & 2)
            rfw_start(s, 1000, &(struct rfw_attr){.text = "b"});
        else
            rfw_push(s, 1000, &(struct rfw_attr){.text = "b", .domain = kind & 1 ? 0 : d});
        launch(cuda, 1100, 1);
        rfw_pop(s, 2000, d);
        rfw_push(s, 2100, &(struct rfw_attr){.text = "c"});
        launch(cuda, 2200, 2);
        rfw_pop(s, 3000, 0);
        rfw_exit(w, 0, 4000);
        (void)snprintf(path, sizeof(path), "%s/a.rf", dir);
        rfw_save_packed(w, path);
        check_filter(path, &(struct rf_filter_options){.size = sizeof(struct rf_filter_options),
                                                       .without_cut = 1});
        rfw_remove_tree(dir);
        free(dir);
        rfw_free(w);
    }
}

/* A report where other ranges were thought to be cut, as of a session that goes on between two
 * readings. */
static void check_thought(const char *path, struct rf_map *cut)
{
    const struct rf_filter_options options = {.size = sizeof(options), .without_cut = 1};
    struct rf_selecting selecting = {.options = &options, .cut = cut};
    rf_recording *whole, *streamed;
    struct rf_err err;
    assert_int_equal(rf_open(path, 0, &whole, NULL), RF_OK);
    assert_int_equal(rf_recording_open(path, RF_OPEN_RANGE_WORK | RF_OPEN_SUMS_ALWAYS, 0,
                                       &selecting, &streamed, &err),
                     RF_OK);
    rf_recording *a = filter_of(whole, &options, &err), *b = filter_of(streamed, &options, &err);
    assert_true(a != NULL && b != NULL);
    check_report(a, b, "nvtx_kern_sum", 0);
    check_report(a, b, "nvtx_gpu_proj_sum", 0);
    rf_close(a);
    rf_close(b);
    rf_close(whole);
    rf_close(streamed);
}

static void test_wrong_cut(void **state)
{
    char *dir = rfw_make_tmpdir(), path[4096];
    struct rfw_stream *s, *cuda;
    struct rfw *w = new_recording(&s, &cuda);
    rf_recording *whole;
    size_t n;
    (void)state;
    rfw_push(s, 1000, &(struct rfw_attr){.text = "a"});
    launch(cuda, 1100, 1);
    rfw_pop(s, 1900, 0);
    const uint64_t id = rfw_start(s, 2000, &(struct rfw_attr){.text = "b"});
    launch(cuda, 2100, 2);
    rfw_end(s, 2900, id);
    rfw_push(s, 3000, &(struct rfw_attr){.text = "cut"});
    launch(cuda, 3100, 3);
    rfw_exit(w, 0, 4000);
    (void)snprintf(path, sizeof(path), "%s/a.rf", dir);
    rfw_save_packed(w, path);
    assert_int_equal(rf_open(path, 0, &whole, NULL), RF_OK);
    const struct rf_event *event = rf_thread_events(whole, 0, &n);
    assert_int_equal(n, 3);
    for (unsigned thought = 0; thought < 8; thought++) {
        struct rf_map cut = {.entry = NULL};
        for (unsigned i = 0; i < 3; i++)
            if (thought & 1u << i)
                assert_int_equal(rf_map_set(&cut, 1, (uint64_t)event[i].start_ns, 100), RF_OK);
        check_thought(path, &cut);
        rf_map_release(&cut);
    }
    rf_close(whole);
    rfw_remove_tree(dir);
    free(dir);
    rfw_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_payloads),     cmocka_unit_test(test_starts),
        cmocka_unit_test(test_named),        cmocka_unit_test(test_end_payloads),
        cmocka_unit_test(test_captures),     cmocka_unit_test(test_name_in_payload),
        cmocka_unit_test(test_inherited),    cmocka_unit_test(test_cut),
        cmocka_unit_test(test_cut_and_more), cmocka_unit_test(test_cut_ties),
        cmocka_unit_test(test_wrong_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
