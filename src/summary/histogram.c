/* SPDX-License-Identifier: Apache-2.0 */
#include "summary/histogram.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "model/sums/range_sums.h"
#include "rangefinder/rangefinder.h"

/* The place of a bucket, or where it belongs. */
static size_t find(const struct rf_histogram *histogram, uint32_t bucket)
{
    size_t low = 0, n = histogram->n;
    if (n > 0 && histogram->bucket[n - 1].bucket < bucket)
        return n;   /* files have them in order */
    while (n > 1) { /* the processor need not guess */
        const size_t half = n / 2;
        low += histogram->bucket[low + half - 1].bucket < bucket ? half : 0;
        n -= half;
    }
    return low;
}

static int make_room(struct rf_histogram *histogram, size_t n)
{
    if (n <= histogram->room)
        return RF_OK;
    struct rf_bucket *bucket = realloc(histogram->bucket, n * sizeof(*bucket));
    if (bucket == NULL)
        return RF_ERR_NO_MEMORY;
    histogram->bucket = bucket;
    histogram->room = n;
    return RF_OK;
}

/* Of names that come once each histogram has one bucket, and there may be many: room for one, then
 * for more. */
int rf_histogram_add(struct rf_histogram *histogram, uint32_t bucket, uint64_t n)
{
    size_t i = find(histogram, bucket);
    if (i == histogram->n || histogram->bucket[i].bucket != bucket) {
        if (make_room(histogram, 1) != RF_OK ||
            rf_grow_array(&histogram->bucket, histogram->n, &histogram->room,
                          sizeof(*histogram->bucket)) != RF_OK)
            return RF_ERR_NO_MEMORY;
        memmove(histogram->bucket + i + 1, histogram->bucket + i,
                (histogram->n - i) * sizeof(*histogram->bucket));
        histogram->bucket[i] = (struct rf_bucket){.bucket = bucket};
        histogram->n++;
    }
    bool is_too_large = __builtin_add_overflow(histogram->bucket[i].n, n, &histogram->bucket[i].n);
    return is_too_large ? RF_ERR_UNSUPPORTED : RF_OK;
}

/* How many buckets two histograms have together. */
static size_t count_both(const struct rf_histogram *a, const struct rf_histogram *b)
{
    size_t n = 0, i = 0, k = 0;
    for (; i < a->n && k < b->n; n++) {
        const uint32_t x = a->bucket[i].bucket, y = b->bucket[k].bucket;
        i += x <= y;
        k += y <= x;
    }
    return n + (a->n - i) + (b->n - k);
}

/* Both are in order; the result is written from its end on, over what was moved already. */
int rf_histogram_merge(struct rf_histogram *histogram, const struct rf_histogram *from)
{
    const size_t n = count_both(histogram, from);
    size_t own = histogram->n, other = from->n, to = n;
    bool is_too_large = false;
    if (make_room(histogram, n) != RF_OK)
        return RF_ERR_NO_MEMORY;
    struct rf_bucket *bucket = histogram->bucket;
    while (other > 0) {
        const struct rf_bucket *next = &from->bucket[other - 1];
        if (own > 0 && bucket[own - 1].bucket > next->bucket) {
            bucket[--to] = bucket[--own];
            continue;
        }
        struct rf_bucket sum = *next;
        other--;
        if (own > 0 && bucket[own - 1].bucket == sum.bucket)
            is_too_large |= __builtin_add_overflow(sum.n, bucket[--own].n, &sum.n);
        bucket[--to] = sum;
    }
    histogram->n = n;
    return is_too_large ? RF_ERR_UNSUPPORTED : RF_OK;
}

void rf_histogram_coarsen(struct rf_histogram *histogram, unsigned bits)
{
    struct rf_bucket *bucket = histogram->bucket;
    const uint32_t in_group = (1u << bits) - 1, last = (uint32_t)histogram->n - 1;
    size_t n = 1;
    for (size_t i = 1; i < histogram->n; i++) {
        struct rf_bucket next = bucket[i];
        if (next.bucket >= RF_SUM_STEPS && i < last)
            next.bucket = (next.bucket & ~in_group) + in_group / 2 + 1;
        if (next.bucket > bucket[last].bucket)
            next.bucket = bucket[last].bucket;
        if (next.bucket > bucket[n - 1].bucket)
            bucket[n++] = next;
        else
            bucket[n - 1].n += next.n; /* all together are a row's n */
    }
    histogram->n = histogram->n > 0 ? n : 0;
}

uint64_t rf_histogram_rank(const struct rf_histogram *histogram, uint64_t k)
{
    for (size_t i = 0; i < histogram->n; i++) {
        if (k < histogram->bucket[i].n)
            return rf_bucket_middle(histogram->bucket[i].bucket);
        k -= histogram->bucket[i].n;
    }
    return 0;
}

void rf_histogram_release(struct rf_histogram *histogram)
{
    free(histogram->bucket);
    *histogram = (struct rf_histogram){.bucket = NULL};
}
