/* SPDX-License-Identifier: Apache-2.0 */
/* Which metrics there are, and which of them fit in one pass: only those can be sampled together.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "pmsampling/pm_chip.h"
#include "pmsampling/pm_error.h"

struct checking {
    struct rf_pm_chip *chip;
    const char *set;
    const char *const *metrics;
    struct rf_pm_check *check;
    uint8_t *fit;       /* of check */
    const char **tried; /* [n] what a configuration is made of */
};

/* Makes a configuration of the metrics that are RF_PM_FITS before end, and forgets it. */
static int try_metrics(struct checking *c, size_t end, struct pm_config_image *image,
                       struct rf_pm_error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < end; i++) {
        if (c->fit[i] == RF_PM_FITS)
            c->tried[n++] = c->metrics[i];
    }
    *image = (struct pm_config_image){0};
    if (n == 0)
        return RF_PM_OK;
    const struct pm_host_kind kind = pm_chip_host_kind(c->chip, c->set);
    int status = pm_host_configure(&kind, c->tried, n, image, err);
    free(image->bytes);
    image->bytes = NULL;
    return status;
}

static void find_unknown(struct checking *c)
{
    for (size_t i = 0; i < c->check->n; i++)
        c->fit[i] = pm_host_knows(&c->chip->host, c->metrics[i]) ? RF_PM_FITS : RF_PM_UNKNOWN;
}

/* What CUPTI describes and then does not take, each tried alone: metrics of counters that the GPU
 * lacks, among others. */
static int find_refused(struct checking *c, struct rf_pm_error *err)
{
    struct pm_config_image image;
    const struct pm_host_kind kind = pm_chip_host_kind(c->chip, c->set);
    int status = RF_PM_OK;
    for (size_t i = 0; i < c->check->n; i++) {
        if (c->fit[i] != RF_PM_FITS)
            continue;
        int result = pm_host_configure(&kind, &c->metrics[i], 1, &image, err);
        free(image.bytes);
        if (result == RF_PM_ERR_NO_MEMORY)
            status = result;
        else if (result != RF_PM_OK)
            c->fit[i] = RF_PM_UNKNOWN;
    }
    return status;
}

static int find_left_out(struct checking *c, struct rf_pm_error *err)
{
    struct pm_config_image image;
    struct rf_pm_check *check = c->check;
    for (size_t i = 0; i < check->n; i++) {
        if (c->fit[i] != RF_PM_FITS)
            continue;
        int status = try_metrics(c, i + 1, &image, err);
        if (status != RF_PM_OK)
            return status;
        if (image.n_passes > 1)
            c->fit[i] = RF_PM_LEFT_OUT;
        else
            check->config_bytes = image.size;
    }
    return RF_PM_OK;
}

static int run_check(struct checking *c, struct rf_pm_error *err)
{
    struct pm_config_image image;
    struct rf_pm_check *check = c->check;
    find_unknown(c);
    int status = try_metrics(c, check->n, &image, err);
    if (status != RF_PM_OK && status != RF_PM_ERR_NO_MEMORY) {
        status = find_refused(c, err);
        if (status == RF_PM_OK)
            status = try_metrics(c, check->n, &image, err);
    }
    if (status != RF_PM_OK)
        return status;
    check->n_passes = image.n_passes;
    check->config_bytes = image.size;
    if (check->n_passes > 1)
        status = find_left_out(c, err);
    for (size_t i = 0; i < check->n; i++) {
        check->n_fitting += c->fit[i] == RF_PM_FITS;
        check->n_unknown += c->fit[i] == RF_PM_UNKNOWN;
    }
    return status;
}

int rf_pm_check_new(rf_pm_chip *chip, const char *const *metrics, size_t n, const char *set,
                    struct rf_pm_check **out, struct rf_pm_error *err)
{
    if (out != NULL)
        *out = NULL;
    if (chip == NULL || (metrics == NULL && n > 0) || out == NULL)
        return pm_fail_null(err, "rf_pm_check_new");
    for (size_t i = 0; i < n; i++) {
        if (metrics[i] == NULL)
            return pm_fail(err, RF_PM_ERR_ARGUMENT, "metric %zu has no name", i);
    }
    struct rf_pm_check *check = calloc(1, sizeof(*check) + n);
    struct checking c = {.chip = chip,
                         .set = set,
                         .metrics = metrics,
                         .check = check,
                         .fit = (uint8_t *)(check + 1),
                         .tried = calloc(n + 1, sizeof(*c.tried))};
    int status = check != NULL && c.tried != NULL ? RF_PM_OK : pm_no_memory(err);
    (void)pthread_mutex_lock(&chip->lock);
    if (status == RF_PM_OK && set != NULL)
        status = pm_chip_check_set(chip, set, err);
    if (status == RF_PM_OK) {
        check->n = n;
        check->fit = c.fit;
        status = run_check(&c, err);
    }
    (void)pthread_mutex_unlock(&chip->lock);
    free(c.tried);
    if (status == RF_PM_OK)
        *out = check;
    else
        free(check);
    return status;
}

void rf_pm_check_free(struct rf_pm_check *check)
{
    free(check);
}

/* ---- Choosing from a metric set ---- */

struct choosing {
    const struct rf_pm_set *set;
    const char **names;                     /* [n_metrics] of what the chip has */
    const struct rf_pm_set_metric **metric; /* [n_metrics] these */
    size_t n;
};

static void look_up(struct rf_pm_chip *chip, struct choosing *c, struct rf_pm_choice *choice,
                    const struct rf_pm_set_metric **missing)
{
    (void)pthread_mutex_lock(&chip->lock);
    for (size_t i = 0; i < c->set->n_metrics; i++) {
        const struct rf_pm_set_metric *metric = &c->set->metrics[i];
        if (metric->instead_of != NULL && pm_host_knows(&chip->host, metric->instead_of))
            continue;
        if (!pm_host_knows(&chip->host, metric->metric)) {
            if (metric->instead_of == NULL)
                missing[choice->n_missing++] = metric;
            continue;
        }
        c->names[c->n] = metric->metric;
        c->metric[c->n++] = metric;
    }
    (void)pthread_mutex_unlock(&chip->lock);
}

/* A metric is not missing where its substitute is there. */
static void drop_substituted(const struct choosing *c, const struct rf_pm_set_metric **missing,
                             struct rf_pm_choice *choice)
{
    size_t n = 0;
    for (size_t i = 0; i < choice->n_missing; i++) {
        bool has_substitute = false;
        for (size_t k = 0; k < c->n; k++)
            has_substitute |= c->metric[k]->instead_of != NULL &&
                              strcmp(c->metric[k]->instead_of, missing[i]->metric) == 0;
        if (!has_substitute)
            missing[n++] = missing[i];
    }
    choice->n_missing = n;
}

static int choose(struct rf_pm_chip *chip, struct choosing *c, struct rf_pm_choice *choice,
                  const struct rf_pm_set_metric **lists, struct rf_pm_error *err)
{
    size_t n = c->set->n_metrics;
    struct rf_pm_check *check = NULL;
    look_up(chip, c, choice, lists + n);
    drop_substituted(c, lists + n, choice);
    if (c->n == 0)
        return pm_fail(err, RF_PM_ERR_METRIC, "%s has none of the metrics of the set '%s'",
                       chip->name, c->set->name);
    int status = rf_pm_check_new(chip, c->names, c->n, NULL, &check, err);
    for (size_t i = 0; status == RF_PM_OK && i < c->n; i++) {
        if (check->fit[i] == RF_PM_FITS)
            lists[choice->n_chosen++] = c->metric[i];
        else if (check->fit[i] == RF_PM_UNKNOWN)
            lists[n + choice->n_missing++] = c->metric[i];
        else
            lists[2 * n + choice->n_left_out++] = c->metric[i];
    }
    if (status == RF_PM_OK && choice->n_chosen + choice->n_left_out == 0)
        status = pm_fail(err, RF_PM_ERR_METRIC,
                         "this GPU (%s) can sample none of the metrics of the set '%s'", chip->name,
                         c->set->name);
    choice->chosen = lists;
    choice->missing = lists + n;
    choice->left_out = lists + 2 * n;
    rf_pm_check_free(check);
    return status;
}

int rf_pm_choose(rf_pm_chip *chip, const struct rf_pm_set *set, struct rf_pm_choice **out,
                 struct rf_pm_error *err)
{
    if (out != NULL)
        *out = NULL;
    if (chip == NULL || set == NULL || out == NULL)
        return pm_fail_null(err, "rf_pm_choose");
    size_t n = set->n_metrics;
    struct rf_pm_choice *choice = calloc(1, sizeof(*choice) + 3 * n * sizeof(void *));
    struct choosing c = {
        .set = set, .names = calloc(n, sizeof(*c.names)), .metric = calloc(n, sizeof(*c.metric))};
    int status = choice != NULL && c.names != NULL && c.metric != NULL
                     ? choose(chip, &c, choice, (const struct rf_pm_set_metric **)(choice + 1), err)
                     : pm_no_memory(err);
    free(c.names);
    free(c.metric);
    if (status == RF_PM_OK)
        *out = choice;
    else
        free(choice);
    return status;
}

void rf_pm_choice_free(struct rf_pm_choice *choice)
{
    free(choice);
}
