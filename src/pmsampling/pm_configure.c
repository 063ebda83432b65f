/* SPDX-License-Identifier: Apache-2.0 */
/* Configuring a collector: everything that can be known is tested before CUPTI is asked. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "pmsampling/pm_chip.h"
#include "pmsampling/pm_collector.h"
#include "pmsampling/pm_error.h"

/* cuptiGetVersion() of CUDA 12.8, where SetConfig learned of append modes. */
#define VERSION_OF_APPEND_MODES 26

/* ---- What chips can ---- */

static bool is_turing(const char *chip)
{
    return strncasecmp(chip, "TU", 2) == 0;
}

int rf_pm_chip_has_trigger(const char *chip, int trigger)
{
    if (chip == NULL)
        return 0;
    if (trigger == RF_PM_TRIGGER_TIME)
        return !is_turing(chip) && strcasecmp(chip, "GA100") != 0;
    return trigger == RF_PM_TRIGGER_SYSCLK;
}

int rf_pm_chip_has_append(const char *chip, int append)
{
    if (chip == NULL)
        return 0;
    if (append == RF_PM_KEEP_LATEST)
        return !is_turing(chip);
    return append == RF_PM_KEEP_OLDEST;
}

/* ---- Setups ---- */

void pm_setup_release(struct pm_setup *setup)
{
    for (size_t i = 0; setup->metrics != NULL && i < setup->n_metrics; i++)
        free(setup->metrics[i]);
    free(setup->metrics);
    free(setup->single_pass_set);
    free(setup->image.bytes);
    *setup = (struct pm_setup){.n_metrics = 0};
}

static int copy_setup(const struct rf_pm_config *config, struct pm_setup *out,
                      struct rf_pm_error *err)
{
    bool is_copied = true;
    out->hardware_buffer_bytes = config->hardware_buffer_bytes;
    out->interval = config->interval;
    out->trigger = config->trigger;
    out->append = config->append;
    out->n_metrics = config->n_metrics;
    out->metrics = calloc(config->n_metrics, sizeof(*out->metrics));
    if (out->metrics == NULL)
        return pm_no_memory(err);
    for (size_t i = 0; i < config->n_metrics; i++) {
        out->metrics[i] = strdup(config->metrics[i]);
        is_copied = is_copied && out->metrics[i] != NULL;
    }
    if (config->single_pass_set != NULL) {
        out->single_pass_set = strdup(config->single_pass_set);
        is_copied = is_copied && out->single_pass_set != NULL;
    }
    return is_copied ? RF_PM_OK : pm_no_memory(err);
}

/* ---- Testing ---- */

static int check_modes(const struct rf_pm_collector *c, const struct rf_pm_config *config,
                       struct rf_pm_error *err)
{
    if (config->trigger != RF_PM_TRIGGER_SYSCLK && config->trigger != RF_PM_TRIGGER_TIME)
        return pm_fail(err, RF_PM_ERR_ARGUMENT, "there is no trigger mode %d", config->trigger);
    if (config->append != RF_PM_KEEP_OLDEST && config->append != RF_PM_KEEP_LATEST)
        return pm_fail(err, RF_PM_ERR_ARGUMENT, "there is no append mode %d", config->append);
    if (!rf_pm_chip_has_trigger(c->chip, config->trigger))
        return pm_fail(err, RF_PM_ERR_UNSUPPORTED,
                       "%s cannot be sampled by time (GPU_TIME_INTERVAL): Turing and GA100 count "
                       "cycles of the SYS clock (GPU_SYSCLK_INTERVAL)",
                       c->chip);
    if (!rf_pm_chip_has_append(c->chip, config->append))
        return pm_fail(err, RF_PM_ERR_UNSUPPORTED,
                       "%s cannot keep the latest samples (KEEP_LATEST): Ampere and later can",
                       c->chip);
    if (config->append == RF_PM_KEEP_LATEST && c->library->info.version < VERSION_OF_APPEND_MODES)
        return pm_fail(err, RF_PM_ERR_UNSUPPORTED,
                       "CUPTI of CUDA %d.%d cannot keep the latest samples (KEEP_LATEST): 12.8 and "
                       "later can",
                       c->library->info.major, c->library->info.minor);
    return RF_PM_OK;
}

static int check_config(const struct rf_pm_collector *c, const struct rf_pm_config *config,
                        struct rf_pm_error *err)
{
    if (config->n_metrics == 0 || config->n_metrics > 65535 || config->metrics == NULL)
        return pm_fail(err, RF_PM_ERR_ARGUMENT, "%zu metrics are given: 1 to 65535 are valid",
                       config->n_metrics);
    if (config->hardware_buffer_bytes == 0)
        return pm_fail(err, RF_PM_ERR_ARGUMENT, "the hardware buffer must not be of 0 bytes");
    if (config->interval == 0)
        return pm_fail(err, RF_PM_ERR_ARGUMENT, "the sampling interval must not be 0");
    return check_modes(c, config, err);
}

static int fail_passes(const char *chip, const struct rf_pm_check *check,
                       const struct rf_pm_config *config, struct rf_pm_error *err)
{
    char names[1500];
    size_t n = 0, n_said = 0, n_left_out = check->n - check->n_fitting - check->n_unknown;
    names[0] = '\0';
    for (size_t i = 0; i < check->n; i++) {
        if (check->fit[i] != RF_PM_LEFT_OUT)
            continue;
        int added =
            snprintf(names + n, sizeof(names) - n, "%s'%s'", n > 0 ? ", " : "", config->metrics[i]);
        if (added < 0 || n + (size_t)added >= sizeof(names)) {
            names[n] = '\0';
            break;
        }
        n += (size_t)added;
        n_said++;
    }
    char more[48] = "";
    if (n_said < n_left_out)
        (void)snprintf(more, sizeof(more), " and %zu more", n_left_out - n_said);
    return pm_fail_cupti(
        err, RF_PM_ERR_PASSES, PM_NOT_SUPPORTED, "cuptiPmSamplingSetConfig",
        "these metrics need %zu passes on %s, and sampling has one: leave out %s%s",
        check->n_passes, chip, names, more);
}

static int check_metrics(rf_pm_chip *chip, const struct rf_pm_config *config,
                         struct rf_pm_error *err)
{
    struct rf_pm_check *check;
    int status = rf_pm_check_new(chip, config->metrics, config->n_metrics, config->single_pass_set,
                                 &check, err);
    if (status != RF_PM_OK)
        return status;
    if (check->n_unknown > 0) {
        (void)pthread_mutex_lock(&chip->lock);
        status = pm_chip_fail_unknown(chip, config->metrics, check->fit, check->n, err);
        (void)pthread_mutex_unlock(&chip->lock);
    } else if (check->n_passes != 1) {
        status = fail_passes(chip->name, check, config, err);
    }
    rf_pm_check_free(check);
    return status;
}

/* ---- Applying ---- */

static int set_config(const struct rf_pm_collector *c, const struct pm_setup *setup, size_t size)
{
    struct pm_set_config params = {.struct_size = size,
                                   .object = c->object,
                                   .config_size = setup->image.size,
                                   .config = setup->image.bytes,
                                   .hardware_buffer_size = setup->hardware_buffer_bytes,
                                   .interval = setup->interval,
                                   .trigger = setup->trigger,
                                   .append = setup->append};
    return c->library->call.cuptiPmSamplingSetConfig(&params);
}

static int fail_set_config(const struct rf_pm_collector *c, const struct pm_setup *setup, int code,
                           struct rf_pm_error *err)
{
    static const char function[] = "cuptiPmSamplingSetConfig";
    switch (code) {
    case PM_NOT_SUPPORTED:
        return pm_fail_cupti(err, RF_PM_ERR_UNSUPPORTED, code, function,
                             "%s cannot be sampled like this: the trigger or append mode, or these "
                             "metrics together, are not supported",
                             c->chip);
    case PM_OUT_OF_MEMORY:
        return pm_fail_cupti(err, RF_PM_ERR_NO_MEMORY, code, function,
                             "there is no memory for a hardware buffer of %zu bytes",
                             setup->hardware_buffer_bytes);
    default:
        return pm_collector_fail(c, code, function, "the configuration is not taken", err);
    }
}

int pm_collector_apply(struct rf_pm_collector *c, const struct pm_setup *setup,
                       struct rf_pm_error *err)
{
    int code = set_config(c, setup, PM_SET_CONFIG_SIZE);
    if (code == PM_INVALID_PARAMETER && c->library->info.version < VERSION_OF_APPEND_MODES)
        code = set_config(c, setup, PM_SET_CONFIG_OLD_SIZE);
    return code == PM_SUCCESS ? RF_PM_OK : fail_set_config(c, setup, code, err);
}

/* Some versions of CUPTI crash in a decode after a second SetConfig: they get a fresh object. */
static int replace(struct rf_pm_collector *c, struct pm_setup *setup, struct rf_pm_error *err)
{
    bool had_setup = c->setup.image.bytes != NULL;
    int status = RF_PM_OK;
    if (had_setup)
        status = pm_collector_renew_object(c, err);
    if (status != RF_PM_OK)
        return status;
    status = pm_collector_apply(c, setup, err);
    if (status != RF_PM_OK) {
        if (had_setup && pm_collector_apply(c, &c->setup, NULL) != RF_PM_OK)
            pm_setup_release(&c->setup);
        return status;
    }
    pm_collector_forget_pristine(c);
    pm_setup_release(&c->setup);
    c->setup = *setup;
    *setup = (struct pm_setup){.n_metrics = 0};
    return RF_PM_OK;
}

static int configure(struct rf_pm_collector *c, const struct rf_pm_config *config,
                     struct rf_pm_error *err)
{
    rf_pm_chip *chip = NULL;
    struct pm_setup setup = {.n_metrics = 0};
    int status = check_config(c, config, err);
    if (status == RF_PM_OK)
        status = pm_chip_open_of(c->chip, c->availability, c->availability_size, &chip, err);
    if (status == RF_PM_OK)
        status = check_metrics(chip, config, err);
    if (status == RF_PM_OK)
        status = copy_setup(config, &setup, err);
    if (status == RF_PM_OK) {
        const struct pm_host_kind kind = pm_chip_host_kind(chip, config->single_pass_set);
        status = pm_host_configure(&kind, config->metrics, config->n_metrics, &setup.image, err);
    }
    if (status == RF_PM_OK)
        status = replace(c, &setup, err);
    pm_setup_release(&setup);
    rf_pm_chip_close(chip);
    return status;
}

int rf_pm_collector_configure(rf_pm_collector *c, const struct rf_pm_config *config,
                              struct rf_pm_error *err)
{
    struct rf_pm_config own;
    int status = pm_collector_check_pid(c, err);
    if (status == RF_PM_OK && config == NULL)
        status = pm_fail_null(err, "rf_pm_collector_configure");
    if (status == RF_PM_OK)
        status = pm_fail_sized(err, rf_sized_read(&own, sizeof(own), config), "rf_pm_config");
    if (status != RF_PM_OK)
        return status;
    (void)pthread_mutex_lock(&c->lock);
    status = pm_collector_check_enabled(c, "configured", err);
    if (status == RF_PM_OK && c->is_started)
        status = pm_fail(err, RF_PM_ERR_ORDER,
                         "the collector of GPU %zu is started: stop it before it is configured",
                         c->device);
    if (status == RF_PM_OK)
        status = configure(c, &own, err);
    (void)pthread_mutex_unlock(&c->lock);
    return status;
}
