/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/gpu_metrics/gpu_metrics_chip.h"

#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/say.h"

int gpu_metrics_fail(const struct rf_pm_error *err)
{
    cli_say("%s", err->text);
    return CLI_FAILED;
}

/* The names in one line, as many as fit. */
static const char *join(char *text, size_t size, const char *const *names, size_t n)
{
    size_t at = 0;
    text[0] = '\0';
    for (size_t i = 0; i < n && at < size; i++)
        at += (size_t)snprintf(text + at, size - at, "%s%s", i > 0 ? ", " : "", names[i]);
    return text;
}

/* There is no GPU here, or CUPTI does not identify it. */
static int fail_unnamed(const struct rf_pm_device *device, struct rf_pm_error *err)
{
    char text[1024];
    const char *const *names;
    size_t n;
    if (rf_pm_chips(&names, &n, err) != RF_PM_OK)
        return gpu_metrics_fail(err);
    if (device != NULL)
        cli_say("CUPTI does not say which chip '%s' has%s%s", device->name,
                device->reason[0] != '\0' ? ": " : "", device->reason);
    else
        cli_say("no GPU was found");
    cli_say("name a chip, --chip=GH100; CUPTI knows %s", join(text, sizeof(text), names, n));
    return CLI_FAILED;
}

static int open_named(const char *name, rf_pm_chip **chip, struct rf_pm_error *err)
{
    return rf_pm_chip_open(name, chip, err) == RF_PM_OK ? CLI_OK : gpu_metrics_fail(err);
}

/* Opens the first chip of the set that this CUPTI knows; if none, reports the first one's error. */
static int open_of_set(const struct rf_pm_set *set, rf_pm_chip **chip, struct rf_pm_error *err)
{
    struct rf_pm_error other;
    if (rf_pm_chip_open(set->chips[0], chip, err) == RF_PM_OK)
        return CLI_OK;
    for (const char *const *name = set->chips + 1; *name != NULL; name++)
        if (rf_pm_chip_open(*name, chip, &other) == RF_PM_OK)
            return CLI_OK;
    return gpu_metrics_fail(err);
}

int gpu_metrics_open_chip(const char *name, const struct rf_pm_set *set, rf_pm_chip **chip)
{
    struct rf_pm_error err;
    struct rf_pm_device device = RF_PM_DEVICE_INIT;
    size_t n = 0;
    *chip = NULL;
    if (name != NULL)
        return open_named(name, chip, &err);
    if (rf_pm_device_count(&n, &err) != RF_PM_OK)
        return gpu_metrics_fail(&err);
    if (n == 0)
        return set != NULL ? open_of_set(set, chip, &err) : fail_unnamed(NULL, &err);
    if (rf_pm_device_describe(0, &device, &err) != RF_PM_OK)
        return gpu_metrics_fail(&err);
    return device.chip[0] != '\0' ? open_named(device.chip, chip, &err)
                                  : fail_unnamed(&device, &err);
}
