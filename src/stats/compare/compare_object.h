/* SPDX-License-Identifier: Apache-2.0 */
/* The object of <rangefinder/compare.h>. */
#ifndef RF_STATS_COMPARE_OBJECT_H
#define RF_STATS_COMPARE_OBJECT_H

#include "stats/compare/compare_data.h"
#include "stats/compare/compare_judge.h"
#include "stats/compare/compare_settings.h"

struct rf_compare {
    struct rf_compare_options options; /* its texts belong to the object */
    rf_summary summary;                /* all inputs */
    uint8_t *side;                     /* by input */
    size_t side_room;
    bool has_tried, is_found;
    struct rf_compare_step step;
    struct rf_compare_items items;
    struct rf_compare_runs runs;
    struct rf_compare_rows rows;
    struct rf_compare_settings settings;
    struct rf_compare_judgement judgement;
    char *step_name;
};

#endif
