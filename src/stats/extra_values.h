/* SPDX-License-Identifier: Apache-2.0 */
/* What reports take from rows of other profilers. */
#ifndef RF_STATS_EXTRA_VALUES_H
#define RF_STATS_EXTRA_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "rangefinder/rangefinder.h"

/* Kinds from first to last. */
struct rf_extra_kinds {
    uint8_t first, last;
};

#define RF_KINDS_OF_MPI                                                                            \
    (struct rf_extra_kinds)                                                                        \
    {                                                                                              \
        RF_EXTRA_MPI_MESSAGE, RF_EXTRA_MPI_OTHER                                                   \
    }
#define RF_KINDS_OF_OPENACC                                                                        \
    (struct rf_extra_kinds)                                                                        \
    {                                                                                              \
        RF_EXTRA_OPENACC_DATA, RF_EXTRA_OPENACC_OTHER                                              \
    }
#define RF_KINDS_OF_OPENMP                                                                         \
    (struct rf_extra_kinds)                                                                        \
    {                                                                                              \
        RF_EXTRA_OPENMP_THREAD, RF_EXTRA_OPENMP_FLUSH                                              \
    }
#define RF_KINDS_OF_SYSCALLS                                                                       \
    (struct rf_extra_kinds)                                                                        \
    {                                                                                              \
        RF_EXTRA_SYSCALL, RF_EXTRA_SYSCALL                                                         \
    }

/* The first row from *i on that is of these kinds, with *i behind it; NULL: there is none. */
const struct rf_extra *rf_extra_next(const rf_recording *rec, struct rf_extra_kinds kinds,
                                     size_t *i);

/* 0 for a moment. */
uint64_t rf_extra_duration_ns(const struct rf_extra *extra);

/* The value of a name, as nsys's databases call it; missing where the row does not have it. */
int64_t rf_extra_number(const rf_recording *rec, const struct rf_extra *extra, const char *name,
                        int64_t missing);

#endif
