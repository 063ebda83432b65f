/* SPDX-License-Identifier: Apache-2.0 */
/* What a mistyped metric may mean. A name is a base and a submetric,
 * "sm__cycles_active.avg.per_second", and both can be wrong. */
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "pmsampling/pm_chip.h"
#include "pmsampling/pm_error.h"

struct candidates {
    const struct rf_pm_metric *metric[RF_PM_NEAREST]; /* best first */
    unsigned distance[RF_PM_NEAREST];
    size_t n;
};

/* Where the submetric begins: at the first dot behind the unit, since there are names such as
 * "TPC.TriageCompute.sm__cycles_active.avg". */
static size_t split(const char *metric)
{
    const char *unit = strstr(metric, "__");
    const char *dot = strchr(unit != NULL ? unit : metric, '.');
    return dot != NULL ? (size_t)(dot - metric) : strlen(metric);
}

static void to_lower(char *out, size_t size, const char *text, size_t n)
{
    size_t i = 0;
    for (; i < n && i + 1 < size; i++)
        out[i] = (char)tolower((unsigned char)text[i]);
    out[i] = '\0';
}

static unsigned distance_of(const char *typed, const char *name)
{
    char lower[PM_MAX_NAME];
    to_lower(lower, sizeof(lower), name, strlen(name));
    unsigned distance = rf_name_distance(typed, lower);
    size_t n = strlen(typed);
    /* what was begun and not finished, and what is a part of the name */
    if (n > 2 && distance > 1 && strncmp(lower, typed, n) == 0)
        return 1;
    if (n > 2 && distance > 2 && strstr(lower, typed) != NULL)
        return 2;
    return distance <= 1 + (unsigned)n / 3 ? distance : UINT_MAX;
}

/* Keeps the list of candidates sorted; of equal ones the first stays first. */
static void offer(struct candidates *all, const struct rf_pm_metric *metric, unsigned distance)
{
    size_t at = all->n;
    while (at > 0 && all->distance[at - 1] > distance)
        at--;
    if (distance == UINT_MAX || at == RF_PM_NEAREST)
        return;
    size_t n = all->n < RF_PM_NEAREST ? all->n : RF_PM_NEAREST - 1;
    for (size_t i = n; i > at; i--) {
        all->metric[i] = all->metric[i - 1];
        all->distance[i] = all->distance[i - 1];
    }
    all->metric[at] = metric;
    all->distance[at] = distance;
    all->n = n + 1;
}

/* Of the submetrics of a candidate (each with its dot) the one that fits what was typed. */
static const char *choose_submetric(struct rf_pm_chip *chip, const struct rf_pm_metric *metric,
                                    const char *typed)
{
    char full[PM_MAX_NAME + 64];
    const char **names;
    size_t n;
    (void)snprintf(full, sizeof(full), "%s%s", metric->name, pm_plain_submetric[metric->type]);
    if (pm_host_submetrics(&chip->host, full, metric->type, &names, &n) != PM_SUCCESS)
        return pm_plain_submetric[metric->type];
    const char *nearest = rf_nearest_name(typed, names, n);
    return nearest != NULL ? nearest : pm_plain_submetric[metric->type];
}

/* A base metric was given alone where a whole one is needed. */
static size_t complete(struct rf_pm_chip *chip, const char *base,
                       const char *nearest[RF_PM_NEAREST], int type)
{
    static const char *const useful[3][RF_PM_NEAREST] = {
        {".avg.pct_of_peak_sustained_elapsed", ".avg", ".sum"},
        {".ratio", ".pct", ".max_rate"},
        {".avg.pct_of_peak_sustained_elapsed", ".max.pct_of_peak_sustained_elapsed",
         ".min.pct_of_peak_sustained_elapsed"}};
    char full[PM_MAX_NAME + 64];
    size_t n = 0;
    for (size_t i = 0; i < RF_PM_NEAREST; i++) {
        (void)snprintf(full, sizeof(full), "%s%s", base, useful[type][i]);
        if (pm_host_knows(&chip->host, full))
            nearest[n++] = pm_strings_add(&chip->strings, full);
    }
    return n;
}

static void find(const struct rf_pm_chip *chip, const char *metric, size_t base_size,
                 struct candidates *all)
{
    char base[PM_MAX_NAME];
    to_lower(base, sizeof(base), metric, base_size);
    *all = (struct candidates){.n = 0};
    for (size_t i = 0; i < chip->n_metrics; i++)
        offer(all, &chip->metric[i], distance_of(base, chip->metric[i].name));
    /* what is exactly a metric is meant, not its neighbours; a ratio and a counter may share it */
    if (all->n > 0 && all->distance[0] == 0)
        all->n = 1;
}

int pm_chip_nearest(struct rf_pm_chip *chip, const char *metric, const char *nearest[RF_PM_NEAREST],
                    struct rf_pm_error *err)
{
    struct candidates all;
    char full[PM_MAX_NAME + 64];
    size_t n = 0, base_size = split(metric);
    int status = pm_chip_list(chip, err);
    for (size_t i = 0; i < RF_PM_NEAREST; i++)
        nearest[i] = NULL;
    if (status != RF_PM_OK)
        return status;
    find(chip, metric, base_size, &all);
    if (all.n > 0 && all.distance[0] == 0 && metric[base_size] == '\0') {
        n = complete(chip, all.metric[0]->name, nearest, all.metric[0]->type);
    } else {
        for (; n < all.n; n++) {
            const char *submetric = metric[base_size] == '\0'
                                        ? ""
                                        : choose_submetric(chip, all.metric[n], metric + base_size);
            (void)snprintf(full, sizeof(full), "%s%s", all.metric[n]->name, submetric);
            nearest[n] = pm_strings_add(&chip->strings, full);
        }
    }
    for (size_t i = 0; i < n; i++) {
        if (nearest[i] == NULL)
            return pm_no_memory(err);
    }
    return (int)n;
}

int rf_pm_chip_nearest(rf_pm_chip *chip, const char *metric, const char *nearest[RF_PM_NEAREST],
                       struct rf_pm_error *err)
{
    if (chip == NULL || nearest == NULL)
        return pm_fail_null(err, "rf_pm_chip_nearest");
    if (metric == NULL)
        return pm_fail(err, RF_PM_ERR_ARGUMENT, "no metric is named");
    (void)pthread_mutex_lock(&chip->lock);
    int n = pm_chip_nearest(chip, metric, nearest, err);
    (void)pthread_mutex_unlock(&chip->lock);
    return n;
}
