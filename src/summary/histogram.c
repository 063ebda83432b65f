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
    size_t low = 0, high = histogram->n;
    if (high > 0 && histogram->bucket[high - 1].bucket < bucket)
        return high; /* files have them in order */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (histogram->bucket[middle].bucket < bucket)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int rf_histogram_add(struct rf_histogram *histogram, uint32_t bucket, uint64_t n)
{
    size_t i = find(histogram, bucket);
    if (i == histogram->n || histogram->bucket[i].bucket != bucket) {
        if (rf_grow_array(&histogram->bucket, histogram->n, &histogram->room,
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
