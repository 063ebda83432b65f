/* SPDX-License-Identifier: Apache-2.0 */
/* One name of a recording for all that differ from it by numbers alone. */
#ifndef RF_STATS_FOLDED_NAMES_H
#define RF_STATS_FOLDED_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "model/folded_strings.h"
#include "rangefinder/rangefinder.h"
#include "stats/table.h"

struct rf_folded_names {
    const rf_recording *rec;
    struct rf_folded_strings strings;
};

void rf_folded_names_init(struct rf_folded_names *names, const rf_recording *rec);
void rf_folded_names_release(struct rf_folded_names *names);

/* The string that stands for one; itself where it is none of the recording. false: out of memory.
 */
bool rf_folded_names_find(struct rf_folded_names *names, uint32_t string, uint32_t *found);

/* The folded text of a string that was found; NULL: it is none of the recording. */
const char *rf_folded_names_text(const struct rf_folded_names *names, uint32_t string,
                                 size_t *size);

/* Makes the name in the label of a range, which is its last part, a folded one. */
void rf_cell_fold_name(struct rf_cell *cell, const rf_recording *rec, uint32_t name);

#endif
