/* SPDX-License-Identifier: Apache-2.0 */
/* The host half of PM sampling: an object of CUPTI that knows a chip's metrics, makes the
 * configuration to sample some, and evaluates what was sampled. It needs no GPU. A failed
 * AddMetrics leaves the object unusable, so configurations are made on objects of their own. Not
 * thread-safe. */
#ifndef RF_PMSAMPLING_PM_HOST_H
#define RF_PMSAMPLING_PM_HOST_H

#include <stdbool.h>

#include "pmsampling/pm_library.h"

#define PM_MAX_NAME 1024 /* of a metric */

struct pm_host {
    const struct pm_library *cupti;
    void *object; /* NULL: not open */
};

/* What a host object is for. */
struct pm_host_kind {
    const struct pm_library *library;
    const char *chip;            /* as CUPTI spells it */
    const uint8_t *availability; /* which counters a GPU has; NULL: all those of the chip */
    const char *set;             /* a single-pass set that there is, or NULL */
};

int pm_host_open(struct pm_host *host, const struct pm_host_kind *kind, struct rf_pm_error *err);

/* Harmless on a zeroed struct. */
void pm_host_close(struct pm_host *host);

/* What CUPTI says of a metric: a code of CUPTI. Texts are CUPTI's, and may be NULL. */
int pm_host_properties(const struct pm_host *host, const char *metric,
                       struct pm_get_metric_properties *out);

/* The submetrics of a metric of this type, each with its dot; a code of CUPTI. Before CUPTI 13.0,
 * metric must have a submetric itself. */
int pm_host_submetrics(const struct pm_host *host, const char *metric, int type,
                       const char ***names, size_t *n);

/* Whether this can be sampled: a metric of the chip with a submetric of its own. */
bool pm_host_knows(const struct pm_host *host, const char *metric);

/* A configuration that samples metrics, all of which the chip has. */
struct pm_config_image {
    uint8_t *bytes; /* malloc */
    size_t size;
    size_t n_passes;
};

/* Makes one, on an object of its own. */
int pm_host_configure(const struct pm_host_kind *kind, const char *const *metrics, size_t n,
                      struct pm_config_image *out, struct rf_pm_error *err);

#endif
