/* SPDX-License-Identifier: Apache-2.0 */
/* The limit of paths of one recording. */
#ifndef RF_SUMMARY_LIMIT_PATHS_H
#define RF_SUMMARY_LIMIT_PATHS_H

#include "summary/summary_data.h"

struct rf_paths_limit {
    size_t most;
    const uint64_t *bytes; /* that each path takes; NULL: any */
    uint64_t room;         /* for those that are kept */
};

/* Of a summary of one input: keeps the paths with most time, and those around them, and makes one
 * of the others of each domain. Where bytes are the limit, the names of steps, and of what is
 * directly inside them, come first. */
int rf_summary_limit_paths(rf_summary *summary, const struct rf_paths_limit *limit,
                           struct rf_err *err);

#endif
