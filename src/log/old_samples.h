/* SPDX-License-Identifier: Apache-2.0 */
/* The samples of GPU metrics of a ring, of which the oldest go like parts do. What describes a
 * sampler stays, and so does the last chunk of each. */
#ifndef RF_LOG_OLD_SAMPLES_H
#define RF_LOG_OLD_SAMPLES_H

#include "log/reader.h"

/* The chunks of a sampler. */
struct rf_old_sampler {
    uint32_t slot;
    uint64_t last_seq; /* of those that go; 0: none does */
};

struct rf_old_samples {
    struct rf_old_sampler *sampler;
    uint32_t n_samplers;
};

/* The samplers of a log, of which nothing goes yet. Returns RF_OK or RF_ERR_NO_MEMORY. */
int rf_old_samples_init(struct rf_old_samples *old, const struct rf_log *log);
void rf_old_samples_release(struct rf_old_samples *old);

/* Whether chunk i may go. */
bool rf_old_samples_may_go(const struct rf_log *log, size_t i);

/* Notes that chunk i goes, and with it those before it of its sampler. */
void rf_old_samples_add(struct rf_old_samples *old, const struct rf_log *log, size_t i);

/* Makes holes of those that go. */
void rf_old_samples_make_holes(const struct rf_old_samples *old, const char *session_dir);

#endif
