/* SPDX-License-Identifier: Apache-2.0 */
/* Time domains of NVTX, and how the times of one become those of another: by points at which two
 * clocks were read, by slopes, and through domains between. */
#ifndef RF_LOG_TIME_RELATIONS_H
#define RF_LOG_TIME_RELATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "log/nvtx_ext.h"

/* A time domain: its id, and in what the id is unique; predefined ones have the place 0. */
struct rf_time_domain {
    uint64_t place, id;
};

struct rf_time_relation_found;

/* All zero: none so far. */
struct rf_time_relations {
    struct rf_time_relation_found *relation;
    size_t n, room;
    struct rf_time_resolution {
        struct rf_time_domain domain;
        int64_t per_second;
    } * resolution;
    size_t n_resolutions, resolution_room;
};

/* Ticks per second of a domain; those of others are nanoseconds. Returns RF_OK or RF_ERR_NO_MEMORY.
 */
int rf_time_relations_set_resolution(struct rf_time_relations *all, struct rf_time_domain domain,
                                     int64_t per_second);

/* Adds points, or a slope through the first of them. Points of the same two domains add up; of
 * slopes the last one is valid, and goes before points. A relation that says nothing (a slope that
 * is no number, no points) is left out. Returns as above. */
int rf_time_relations_add(struct rf_time_relations *all, struct rf_time_domain from,
                          struct rf_time_domain to, double slope, const struct rf_sync_point *point,
                          size_t n);

/* Relates a registered domain to the clock of its type (NVTX_TIMESTAMP_TYPE_), unless its scope is
 * one that the program registered, such as another machine. Returns as above. */
int rf_time_relations_add_type(struct rf_time_relations *all, struct rf_time_domain domain,
                               uint64_t scope, uint64_t type);

#define RF_TIME_ROUTE_MOST 16u

/* The steps from one domain to another. */
struct rf_time_route {
    uint32_t n;
    uint32_t target; /* which of those that were asked for */
    struct rf_time_step {
        uint32_t relation;
        bool is_backward;
    } step[RF_TIME_ROUTE_MOST];
};

/* The shortest way from a domain to any of n others, of which an earlier one goes before a later
 * one. False: there is none. */
bool rf_time_route_find(const struct rf_time_relations *all, struct rf_time_domain from,
                        const struct rf_time_domain *target, size_t n, struct rf_time_route *route);

int64_t rf_time_route_apply(const struct rf_time_relations *all, const struct rf_time_route *route,
                            int64_t time);

void rf_time_relations_release(struct rf_time_relations *all);

#endif
