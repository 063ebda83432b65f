/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of rf_pm_chip: what pm_chip.c, pm_nearest.c and pm_check.c share. */
#ifndef RF_PMSAMPLING_PM_CHIP_H
#define RF_PMSAMPLING_PM_CHIP_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "pmsampling/pm_host.h"
#include "pmsampling/pm_strings.h"

struct rf_pm_chip {
    pthread_mutex_t lock; /* over all that follows the name */
    const struct pm_library *library;
    char name[32];
    uint8_t *availability; /* of the counters of one GPU, malloc; NULL: any GPU with this chip */
    struct pm_host host;   /* nothing is ever added to it */
    struct pm_strings strings;
    struct rf_pm_metric *metric; /* NULL: not listed yet */
    size_t n_metrics;
};

/* What stands behind a base metric when nothing better is known; by enum rf_pm_metric_type. */
extern const char *const pm_plain_submetric[3];

/* As rf_pm_chip_open(), of one GPU; takes a copy of its availability, of n bytes. */
int pm_chip_open_of(const char *name, const uint8_t *availability, size_t n, rf_pm_chip **out,
                    struct rf_pm_error *err);

struct pm_host_kind pm_chip_host_kind(const struct rf_pm_chip *chip, const char *set);

/* The functions below want the lock held. */

/* Fills chip->metric. */
int pm_chip_list(struct rf_pm_chip *chip, struct rf_pm_error *err);

/* As rf_pm_chip_nearest(). */
int pm_chip_nearest(struct rf_pm_chip *chip, const char *metric, const char *nearest[RF_PM_NEAREST],
                    struct rf_pm_error *err);

/* RF_PM_ERR_METRIC: names all metrics whose fit is RF_PM_UNKNOWN, and what they may mean. */
int pm_chip_fail_unknown(struct rf_pm_chip *chip, const char *const *metrics, const uint8_t *fit,
                         size_t n, struct rf_pm_error *err);

/* Whether the chip has this single-pass set; RF_PM_ERR_LIBRARY, RF_PM_ERR_ARGUMENT. CUPTI itself
 * takes any name. */
int pm_chip_check_set(struct rf_pm_chip *chip, const char *set, struct rf_pm_error *err);

#endif
