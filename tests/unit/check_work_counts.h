/* SPDX-License-Identifier: Apache-2.0 */
/* A recording whose calls and GPU work were counted, against one that has them. */
#ifndef TESTS_UNIT_CHECK_WORK_COUNTS_H
#define TESTS_UNIT_CHECK_WORK_COUNTS_H

#include "unit.h"

static inline void check_tracks(const rf_recording *whole, const rf_recording *counted)
{
    assert_int_equal(rf_n_gpu_tracks(whole), rf_n_gpu_tracks(counted));
    for (uint32_t i = 0; i < rf_n_gpu_tracks(whole); i++) {
        const struct rf_gpu_track *a = rf_gpu_track_at(whole, i), *b = rf_gpu_track_at(counted, i);
        assert_true(a->process == b->process && a->device == b->device);
        assert_true(a->context == b->context && a->stream == b->stream);
    }
}

static inline void check_counters(const rf_recording *whole, const rf_recording *counted)
{
    assert_int_equal(rf_n_counters(whole), rf_n_counters(counted));
    for (uint32_t i = 0; i < rf_n_counters(whole); i++) {
        const struct rf_counter *a = rf_counter_at(whole, i), *b = rf_counter_at(counted, i);
        assert_true(a->process == b->process && a->device == b->device);
        assert_true(a->n_samples == b->n_samples);
    }
}

static inline void check_skipped(const rf_recording *whole, const rf_recording *counted)
{
    for (uint32_t i = 0; rf_skipped_at(whole, i) != NULL; i++) {
        const struct rf_skipped *skipped = rf_skipped_at(counted, i);
        assert_non_null(skipped);
        assert_string_equal(rf_skipped_at(whole, i)->reason, skipped->reason);
        assert_int_equal(rf_skipped_at(whole, i)->n_rows, skipped->n_rows);
    }
}

static inline void check_work_counts(const rf_recording *whole, const rf_recording *counted)
{
    struct rf_work_counts a = RF_WORK_COUNTS_INIT, b = RF_WORK_COUNTS_INIT;
    assert_int_equal(rf_work_counts_of(whole, &a), RF_OK);
    assert_int_equal(rf_work_counts_of(counted, &b), RF_OK);
    assert_memory_equal(&a, &b, sizeof(a));
    assert_int_equal(rf_n_threads(whole), rf_n_threads(counted));
    for (uint32_t t = 0; t < rf_n_threads(whole); t++)
        assert_int_equal(rf_thread_at(whole, t)->tid, rf_thread_at(counted, t)->tid);
    check_tracks(whole, counted);
    check_counters(whole, counted);
    assert_int_equal(rf_get_info(whole)->n_bad_times, rf_get_info(counted)->n_bad_times);
    assert_int_equal(rf_get_info(whole)->n_cuda_dropped, rf_get_info(counted)->n_cuda_dropped);
    check_skipped(whole, counted);
}

#endif
