/* SPDX-License-Identifier: Apache-2.0 */
/* What samples add up to as they are read is what they add up to when all are there. */
#ifndef TESTS_UNIT_CHECK_SAMPLE_SUMS_H
#define TESTS_UNIT_CHECK_SAMPLE_SUMS_H

#include "model/sums/sample_sums.h"
#include "unit.h"

static void check_same_numbers(const struct rf_exact_number *a, const struct rf_exact_number *b)
{
    assert_int_equal(rf_exact_compare(a, b), 0);
    assert_int_equal(a->is_whole, b->is_whole);
}

/* rec: the recording of this path, with its samples. */
static void check_sample_sums(const char *path, const rf_recording *rec)
{
    static struct rf_sample_sum a, b;
    rf_recording *summed;
    assert_int_equal(rf_open(path, RF_OPEN_NO_SAMPLES | RF_OPEN_SAMPLE_SUMS, &summed, NULL), RF_OK);
    assert_int_equal(rf_n_counters(summed), rf_n_counters(rec));
    assert_int_equal(rf_get_info(summed)->n_samples, rf_get_info(rec)->n_samples);
    for (uint32_t i = 0; i < rf_n_counters(summed); i++) {
        assert_int_equal(rf_has_sample_sum(summed, i), rf_has_sample_sum(rec, i));
        rf_sample_sum_of(rec, i, &a);
        rf_sample_sum_of(summed, i, &b);
        assert_int_equal(a.figures.n_samples, b.figures.n_samples);
        assert_int_equal(a.figures.n_not_finite, b.figures.n_not_finite);
        assert_int_equal(a.figures.n, b.figures.n);
        assert_int_equal(a.figures.last_ns, b.figures.last_ns);
        check_same_numbers(&a.figures.min, &b.figures.min);
        check_same_numbers(&a.figures.max, &b.figures.max);
        check_same_numbers(&a.figures.last, &b.figures.last);
        assert_memory_equal(a.total.digit, b.total.digit, sizeof(a.total.digit));
    }
    rf_close(summed);
}

#endif
