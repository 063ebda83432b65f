/* SPDX-License-Identifier: Apache-2.0 */
/* What the samples of a counter add up to. The same samples give the same result in whatever order
 * they are added, but for the last of several at one time. */
#ifndef RF_MODEL_SUMS_SAMPLE_SUMS_H
#define RF_MODEL_SUMS_SAMPLE_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/sums/exact_sum.h"
#include "rangefinder/rangefinder.h"

struct rf_sample_figures {
    uint64_t n_samples;
    uint64_t n_not_finite;           /* of them: infinite, or not a number */
    uint64_t n;                      /* of them: with a value; the rest has none */
    struct rf_exact_number min, max; /* if n > 0 */
    struct rf_exact_number last;     /* likewise: the one with the latest time */
    int64_t last_ns;
};

/* All zero: no samples. */
struct rf_sample_sum {
    struct rf_sample_figures figures;
    struct rf_exact_sum total;
};

void rf_sample_sum_add_none(struct rf_sample_sum *sum);
void rf_sample_sum_add_real(struct rf_sample_sum *sum, int64_t ns, double value);
void rf_sample_sum_add_whole(struct rf_sample_sum *sum, int64_t ns, __int128 value);

/* Adds figures; of two last ones at one time the larger counts. Returns false where a number does
 * not fit into 63 bits. */
bool rf_sample_figures_merge(struct rf_sample_figures *to, const struct rf_sample_figures *from);

/* The value of a sample of a counter, before it is scaled to the unit; false: it has no finite one.
 */
bool rf_sample_number(const struct rf_counter *counter, size_t i, struct rf_exact_number *number);

/* Whether the samples of a counter are known: it has them, or RF_OPEN_SAMPLE_SUMS added them up. */
bool rf_has_sample_sum(const rf_recording *rec, uint32_t counter);

/* What they add up to, settled. */
void rf_sample_sum_of(const rf_recording *rec, uint32_t counter, struct rf_sample_sum *out);

#endif
