/* SPDX-License-Identifier: Apache-2.0 */
/* The instances of a range in a recording. */
#ifndef RF_STATS_WHY_INSTANCES_H
#define RF_STATS_WHY_INSTANCES_H

#include <stddef.h>
#include <stdint.h>

#include "model/filter/range_search.h"
#include "rangefinder/rangefinder.h"
#include "summary/range_keys.h"

struct rf_why_range {
    struct rf_found_range at;
    uint64_t index; /* among the ranges of its name and domain, as --at counts them */
    uint32_t key;   /* of rf_why_instances.keys */
};

struct rf_why_instances {
    struct rf_range_keys keys;
    struct rf_why_range *range; /* by thread, then start. None lies in another one of its thread,
                                 * but for start/end ranges */
    size_t n, room;
    uint64_t n_cut; /* ranges whose end was not recorded: left out */
};

/* text: as `--filter-nvtx` spells it; names that differ from it only by numbers count too.
 * RF_ERR_NOT_FOUND: there is no such range. To be released either way. */
int rf_why_instances_find(struct rf_why_instances *instances, const rf_recording *rec,
                          const char *text, struct rf_err *err);
void rf_why_instances_release(struct rf_why_instances *instances);

#endif
