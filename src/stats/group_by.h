/* SPDX-License-Identifier: Apache-2.0 */
/* Durations in groups: a hash table from a key of a few numbers to the durations of a row of a
 * report. */
#ifndef RF_STATS_GROUP_BY_H
#define RF_STATS_GROUP_BY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/durations.h"
#include "stats/quantiles.h"

#define RF_GROUP_KEYS 5
#define RF_GROUP_SUMS 5

struct rf_group {
    uint32_t key[RF_GROUP_KEYS];
    uint32_t last; /* last and sums are the report's own; 0 in a new group */
    uint64_t sums[RF_GROUP_SUMS];
    size_t n; /* durations */
    struct rf_durations measured;
    uint64_t *quantile; /* of rf_group_by.quantiles; NULL: none, or not measured */
    uint64_t *values;   /* NULL once it is measured */
    size_t room;
    struct rf_value_counts counts; /* in place of values; empty once it is measured */
};

struct rf_group_by {
    struct rf_group *group; /* in the order of their first durations */
    size_t n, room;
    uint32_t *slot; /* 1 + index; n_slots is a power of two */
    size_t n_slots;
    size_t n_measured;                    /* groups that are complete */
    const struct rf_quantiles *quantiles; /* that groups are to have; NULL: none */
    /* NULL, or takes the durations of each group before they are freed. */
    void (*take)(void *context, const struct rf_group *group);
    void *context;
};

/* The group of a key, a new one if need be; valid until the next is added. NULL: out of memory. */
struct rf_group *rf_group_by_get(struct rf_group_by *by, const uint32_t key[RF_GROUP_KEYS]);

/* Adds a duration to the group of a key, and returns it as rf_group_by_get() does. */
struct rf_group *rf_group_by_add(struct rf_group_by *by, const uint32_t key[RF_GROUP_KEYS],
                                 uint64_t duration_ns);

/* Adds counted durations to the group of a key, which has no others. false: out of memory. */
bool rf_group_by_add_counts(struct rf_group_by *by, const uint32_t key[RF_GROUP_KEYS],
                            const struct rf_value_counts *counts);

/* Computes the figures of the groups and frees their durations. false: out of memory. */
bool rf_group_by_measure(struct rf_group_by *by);

/* Sets the quantiles of a group that has a histogram. false: out of memory. */
bool rf_group_set_quantiles(struct rf_group *group, const struct rf_quantiles *quantiles,
                            const struct rf_sum *sum);

/* The total of all measured groups. */
double rf_group_by_total_ns(const struct rf_group_by *by);

void rf_group_by_release(struct rf_group_by *by);

#endif
