/* SPDX-License-Identifier: Apache-2.0 */
/* Which instances of a range are slow, and which parts carry their excess. */
#ifndef RF_STATS_WHY_JUDGE_H
#define RF_STATS_WHY_JUDGE_H

#include <stddef.h>
#include <stdint.h>

#include "rangefinder/why.h"
#include "stats/why/why_store.h"

/* A slow instance. */
struct rf_why_slow {
    size_t one; /* of the store */
    uint64_t excess_ns;
    uint32_t node;  /* that carries its excess; RF_NO_INDEX: none does */
    int part;       /* enum rf_why_part: what of the node */
    uint32_t cause; /* RF_NO_INDEX: none */
    size_t next;    /* the next slow one of this cause; SIZE_MAX: none */
};

/* Slow instances with one carrier. The texts are made later. */
struct rf_why_group {
    uint32_t node;
    int part;
    uint64_t n;
    size_t first;     /* slow instance, the others by their next; while causes are found */
    double excess_ns; /* sum of the instances' */
    double ns, count; /* sums over them */
    double chance;
    uint32_t work; /* node; RF_NO_INDEX: none */
    double work_ns;
    uint32_t other; /* node: what another thread did meanwhile; RF_NO_INDEX: nothing else than
                     * usual */
    double other_ns;
};

struct rf_why_judgement {
    struct rf_why_verdict verdict;
    struct rf_why_slow *slow; /* those with most excess first */
    size_t n_slow;
    size_t n_most;              /* the first of these have most of the excess */
    struct rf_why_group *group; /* those with most excess first */
    size_t n_groups, room;
    /* Per node, means over typical instances; of nodes that take time with all below them. */
    double *typical_ns, *typical_count;
    double *typical_own_ns;
    double *more;   /* share of the typical instances that have more of the node than is typical */
    double *square; /* sum of the squares of typical_own_ns of the node and all below it */
};

/* Returns RF_OK or RF_ERR_NO_MEMORY; to be released either way. */
int rf_why_judge(struct rf_why_judgement *judgement, const struct rf_why_store *store);
void rf_why_judgement_release(struct rf_why_judgement *judgement);

#endif
