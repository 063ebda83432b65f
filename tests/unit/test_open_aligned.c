/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings that are opened at the speed of another clock, and what a recording says of its own.
 */
#include "rangefinder/clocks.h"
#include "rf_writer.h"
#include "unit.h"

#define SECOND 1000000000

static void save(const char *path)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    rfw_push(s, 1 * (int64_t)SECOND, &(struct rfw_attr){.text = "range"});
    rfw_pop(s, 9 * (int64_t)SECOND, 0);
    rfw_exit(w, p, 10 * (int64_t)SECOND);
    w->control.time_namespace = 77;
    w->control.quality[0] = (struct rf_clock_quality){5, 2, RF_CLOCK_TAKEN};
    w->control.quality[1] = (struct rf_clock_quality){9, 2, RF_CLOCK_TAKEN | RF_CLOCK_UNSYNC};
    rfw_save_packed(w, path);
    rfw_free(w);
}

static void test_stretched(void **state)
{
    char *dir = rfw_make_tmpdir(), path[4096];
    struct rf_alignment place = RF_ALIGNMENT_INIT;
    rf_recording *rec;
    size_t n;
    (void)state;
    (void)snprintf(path, sizeof(path), "%s/a.rf", dir);
    save(path);
    place.drift = 1e-4;
    assert_int_equal(rf_open_aligned(path, 0, &place, &rec, NULL), RF_OK);
    const struct rf_event *event = rf_thread_events(rec, 0, &n);
    assert_int_equal(n, 1);
    assert_true(llabs(event->start_ns - SECOND - 100000) <= 1);
    assert_true(llabs(event->end_ns - 9 * (int64_t)SECOND - 900000) <= 1);
    assert_true(llabs(rf_get_info(rec)->end_ns - 10 * (int64_t)SECOND - 1000000) <= 1);
    assert_true(rf_opened_drift(rec) == 1e-4);
    rf_close(rec);
    assert_int_equal(rf_open_aligned(path, 0, NULL, &rec, NULL), RF_OK);
    assert_int_equal(rf_thread_events(rec, 0, &n)->start_ns, SECOND);
    rf_close(rec);
    place.drift = 0.5;
    assert_int_equal(rf_open_aligned(path, 0, &place, &rec, NULL), RF_ERR_USAGE);
    assert_null(rec);
    rfw_remove_tree(dir);
    free(dir);
}

static void test_clock(void **state)
{
    char *dir = rfw_make_tmpdir(), path[4096];
    struct rf_clock clock = RF_CLOCK_INIT;
    struct rf_clock_moment moment = RF_CLOCK_MOMENT_INIT;
    rf_recording *rec;
    (void)state;
    (void)snprintf(path, sizeof(path), "%s/a.rf", dir);
    save(path);
    assert_int_equal(rf_open(path, 0, &rec, NULL), RF_OK);
    assert_int_equal(rf_clock_of(rec, &clock, NULL), RF_OK);
    assert_memory_equal(clock.boot_id, "a boot elsewhere", 16);
    assert_int_equal(clock.time_namespace, 77);
    assert_int_equal(clock.is_counter, 0);
    assert_int_equal(clock.ticks, RFW_TICKS_0);
    assert_int_equal(clock.utc_ns, RFW_REAL_NS_0);
    assert_int_equal(clock.utc_error_ns, 5000);
    assert_int_equal(clock.n_steps, 0);
    assert_int_equal(rf_n_clock_moments(rec), 2);
    assert_int_equal(rf_clock_moment_at(rec, 0, &moment), RF_OK);
    assert_int_equal(moment.max_error_ns, 5000);
    assert_int_equal(moment.is_synchronised, 1);
    assert_int_equal(rf_clock_moment_at(rec, 1, &moment), RF_OK);
    assert_int_equal(moment.ticks, RFW_TICKS_0 + 10 * (uint64_t)SECOND);
    assert_int_equal(moment.is_synchronised, 0);
    assert_int_equal(rf_clock_moment_at(rec, 2, &moment), RF_ERR_USAGE);
    rf_close(rec);
    rfw_remove_tree(dir);
    free(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_stretched),
                                       cmocka_unit_test(test_clock)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
