/* SPDX-License-Identifier: Apache-2.0 */
/* The units in which a table is shown. */
#ifndef RF_STATS_FORMS_TABLE_UNITS_H
#define RF_STATS_FORMS_TABLE_UNITS_H

#include <stddef.h>

#include "rangefinder/rangefinder.h"

struct rf_unit {
    const char *name; /* as a title has it: "us" */
    unsigned digits;  /* decimals of a value that is whole in the smallest unit */
};

/* What units are set for: times of the recording, durations, sizes. */
enum rf_unit_kind { RF_UNIT_TIMESTAMP, RF_UNIT_DURATION, RF_UNIT_SIZE, RF_N_UNIT_KINDS };

/* The unit of time that a name of `size` bytes is the beginning of: "us", "micro", "sec". NULL,
 * with err, for none or several. */
const struct rf_unit *rf_unit_of_time(const char *name, size_t size, struct rf_err *err);

/* B, KB, MB or GB: powers of 1000. NULL, with err, for none. */
const struct rf_unit *rf_unit_of_size(const char *name, size_t size, struct rf_err *err);

#endif
