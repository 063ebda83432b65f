/* SPDX-License-Identifier: Apache-2.0 */
/* The ranges of a recording that has its events, added up by the names around them. */
#ifndef RF_MODEL_SUMS_PATH_SUMS_H
#define RF_MODEL_SUMS_PATH_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/sums/range_sums.h"
#include "rangefinder/rangefinder.h"

struct rf_path_sums {
    struct rf_sums sums;
    uint32_t *
        *path; /* by thread, by event: of ranges, the index of their sum; NULL: not asked for */
    uint32_t n_threads;
};

/* Adds up what rf_range_parent() says, without memory for every range. RF_ERR_UNSUPPORTED: there
 * are too many names, each of which takes far more than a range; or RF_ERR_NO_MEMORY. To be
 * released either way. */
int rf_path_sums_init(struct rf_path_sums *out, const rf_recording *rec, bool with_paths);
void rf_path_sums_release(struct rf_path_sums *out);

#endif
