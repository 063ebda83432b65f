/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms: their quantiles, as they are and made coarser. */
#include "unit.h"

#include "model/sums/range_sums.h"
#include "summary/histogram.h"

enum { N = 3001 };

static uint64_t seed;

static uint64_t dice(uint64_t n)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (seed >> 33) % n;
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The values come back in order. */
static void fill(struct rf_histogram *histogram, uint64_t value[N])
{
    for (size_t i = 0; i < N; i++) {
        value[i] = i == 0 ? UINT64_MAX : (dice(1u << 30) + 1) >> dice(30) << dice(12);
        assert_int_equal(rf_histogram_add(histogram, rf_bucket_of(value[i]), 1), RF_OK);
    }
    qsort(value, N, sizeof(*value), compare);
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

static void test_quantiles(void **state)
{
    static uint64_t value[N];
    struct rf_histogram histogram = {.bucket = NULL};
    (void)state;
    seed = 11;
    fill(&histogram, value);
    for (size_t k = 0; k < N; k++)
        assert_true(distance(rf_histogram_rank(&histogram, k), value[k]) <= value[k] / 256);
    rf_histogram_release(&histogram);
}

static uint64_t total(const struct rf_histogram *histogram)
{
    uint64_t n = 0;
    for (size_t i = 0; i < histogram->n; i++) {
        n += histogram->bucket[i].n;
        assert_true(i == 0 || histogram->bucket[i - 1].bucket < histogram->bucket[i].bucket);
    }
    return n;
}

/* Small values stay as they are, others go to the middle of their group; a second time changes
 * nothing. */
static void test_coarse(void **state)
{
    static uint64_t value[N];
    (void)state;
    for (unsigned bits = 1; bits <= 3; bits++) {
        struct rf_histogram histogram = {.bucket = NULL};
        seed = bits;
        fill(&histogram, value);
        const size_t n_before = histogram.n;
        const struct rf_bucket first = histogram.bucket[0], last = histogram.bucket[n_before - 1];
        rf_histogram_coarsen(&histogram, bits);
        const size_t n = histogram.n;
        assert_true(n < n_before && total(&histogram) == N);
        assert_memory_equal(&histogram.bucket[0], &first, sizeof(first));
        assert_int_equal(histogram.bucket[n - 1].bucket, last.bucket);
        for (size_t k = 0; k < N; k++) {
            const double most = (double)value[k] * ((1u << bits) + 1) / 256 + 1;
            const uint64_t off = distance(rf_histogram_rank(&histogram, k), value[k]);
            assert_true(value[k] < 128 ? off == 0 : (double)off <= most);
        }
        rf_histogram_coarsen(&histogram, bits);
        assert_int_equal(histogram.n, n);
        rf_histogram_release(&histogram);
    }
}

/* The ends stay where the middle of their group lies outside. */
static void test_coarse_ends(void **state)
{
    static const uint32_t buckets[][4] = {{200, 201, 202, 203},
                                          {203, 204, 205, 206},
                                          {206, 207, 208, 209},
                                          {126, 127, 128, 129},
                                          {0, 1, 2, 3}};
    (void)state;
    for (size_t i = 0; i < sizeof(buckets) / sizeof(buckets[0]); i++) {
        for (unsigned n = 0; n <= 4; n++) {
            struct rf_histogram histogram = {.bucket = NULL};
            for (unsigned k = 0; k < n; k++)
                assert_int_equal(rf_histogram_add(&histogram, buckets[i][k], k + 1), RF_OK);
            rf_histogram_coarsen(&histogram, 3);
            assert_int_equal(total(&histogram), n * (n + 1) / 2);
            assert_true(n == 0 || (histogram.bucket[0].bucket == buckets[i][0] &&
                                   histogram.bucket[histogram.n - 1].bucket == buckets[i][n - 1]));
            assert_true(i + 1 < sizeof(buckets) / sizeof(buckets[0]) || histogram.n == n);
            rf_histogram_release(&histogram);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_quantiles),
                                       cmocka_unit_test(test_coarse),
                                       cmocka_unit_test(test_coarse_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
