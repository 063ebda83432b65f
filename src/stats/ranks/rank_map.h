/* SPDX-License-Identifier: Apache-2.0 */
/* Maps of a job: a row of numbers for each rank, along its time or its steps. */
#ifndef RF_STATS_RANKS_RANK_MAP_H
#define RF_STATS_RANKS_RANK_MAP_H

#include "stats/ranks/rank_times.h"

#define RF_RANK_MAP_COLUMNS 40

struct rf_rank_map {
    size_t n_columns;   /* at most RF_RANK_MAP_COLUMNS */
    double column;      /* what a column stands for: nanoseconds, or steps */
    size_t n;           /* ranks */
    double *value;      /* rank by rank; NAN: nothing there */
    double least, most; /* of value; NAN: there is none */
    double *all;        /* of each rank, over all columns */
};

/* How busy each rank is with its own work, in percent of its time in steps, from the start of its
 * first step on. RF_OK or RF_ERR_NO_MEMORY; to be released either way. */
int rf_rank_map_of_time(struct rf_rank_map *map, const struct rf_rank_times *times);

/* The mean duration of its steps, in nanoseconds: a column has one step, or as many as it must. */
int rf_rank_map_of_steps(struct rf_rank_map *map, const struct rf_rank_times *times);

void rf_rank_map_release(struct rf_rank_map *map);

#endif
