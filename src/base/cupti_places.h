/* SPDX-License-Identifier: Apache-2.0 */
/* The files named libcupti.so.* of a machine, in the order in which they are worth a try. */
#ifndef RF_BASE_CUPTI_PLACES_H
#define RF_BASE_CUPTI_PLACES_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

/* In the order in which they are tried, where the version does not decide. */
enum rf_cupti_place {
    RF_CUPTI_MAPPED,
    RF_CUPTI_NAMED, /* by $RANGEFINDER_CUPTI */
    RF_CUPTI_BESIDE_RUNTIME,
    RF_CUPTI_OWN_PYTHON,
    RF_CUPTI_LOADER,
    RF_CUPTI_PYTHON,
    RF_CUPTI_TOOLKIT,
    RF_CUPTI_BUNDLED,
};

struct rf_cupti_candidate {
    char path[PATH_MAX]; /* without a slash: for the loader to find */
    enum rf_cupti_place place;
    char real[PATH_MAX]; /* which file it is */
    int major, minor;    /* of CUDA, by the name, or the file; 0: they do not say */
    uint32_t version;    /* cuptiGetVersion(), by the file; 0: unknown */
};

#define RF_CUPTI_MAX_CANDIDATES 64
#define RF_CUPTI_MAX_MAPPED     8

struct rf_cupti_places {
    struct rf_cupti_candidate candidates[RF_CUPTI_MAX_CANDIDATES];
    size_t n;
    char mapped[PATH_MAX]; /* the first libcupti that is; "": none */
    /* What else is mapped that tells where to look, as patterns of glob(); "" ends a list. */
    char runtimes[RF_CUPTI_MAX_MAPPED][PATH_MAX]; /* libcudart's folders */
    char sites[RF_CUPTI_MAX_MAPPED][PATH_MAX];    /* Python's folders of packages */
    char pythons[RF_CUPTI_MAX_MAPPED][PATH_MAX];  /* folders that have a python3.N */
    char pattern[3 * PATH_MAX];
};

/* Fills places, which is zeroed. */
void rf_cupti_places_find(struct rf_cupti_places *places);

/* How late a candidate is tried; the least first. driver: CUDA's major version, 0: unknown. */
long rf_cupti_candidate_rank(const struct rf_cupti_places *places,
                             const struct rf_cupti_candidate *candidate, int driver);

#endif
