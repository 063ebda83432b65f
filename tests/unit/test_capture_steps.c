/* SPDX-License-Identifier: Apache-2.0 */
/* The steps that begin and end captures, taken by two threads at once. */
#include <pthread.h>

#include "log/capture.h"
#include "unit.h"

#define N_ROUNDS 2000

static struct rf_control control;

/* Ends each capture as soon as the word says that it is on. */
static void *end_at_once(void *unused)
{
    for (uint32_t i = 0; i < N_ROUNDS; i++) {
        uint64_t word;
        do
            word = rf_capture_word(&control);
        while (rf_capture_phase(word) != 2 * i + 1);
        (void)rf_capture_end(&control, false, 0, rf_capture_phase(word));
    }
    return unused;
}

static void test_an_end_is_not_lost(void **state)
{
    pthread_t thread;
    (void)state;
    control.clock_kind = RF_CLOCK_MONO;
    assert_int_equal(pthread_create(&thread, NULL, end_at_once, NULL), 0);
    for (uint32_t i = 0; i < N_ROUNDS; i++) {
        while (rf_capture_begin(&control, false, 0) != RF_CAPTURE_BEGAN) {
        }
        while (rf_capture_is_on(rf_capture_word(&control))) {
        }
        assert_int_not_equal(control.window[i % RF_MAX_WINDOWS].end_ticks, 0);
        __atomic_store_n(&control.capture.n_saved, i + 1, __ATOMIC_RELEASE);
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(control.n_windows, N_ROUNDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_an_end_is_not_lost)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
