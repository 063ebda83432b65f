/* SPDX-License-Identifier: Apache-2.0 */
/* What differs between the machines and settings of the sides. */
#ifndef RF_STATS_COMPARE_SETTINGS_H
#define RF_STATS_COMPARE_SETTINGS_H

#include "stats/compare/compare_data.h"

struct rf_compare_settings {
    struct rf_compare_setting *item; /* their texts belong to the list, but for names */
    size_t n, room;
};

/* Fills an empty list. side: by input. ignored: names that do not matter, as in struct
 * rf_compare_options. RF_OK or RF_ERR_NO_MEMORY; to be released either way. */
int rf_compare_settings_make(struct rf_compare_settings *settings, const rf_summary *summary,
                             const uint8_t *side, const char *ignored);
void rf_compare_settings_release(struct rf_compare_settings *settings);

#endif
