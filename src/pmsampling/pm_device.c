/* SPDX-License-Identifier: Apache-2.0 */
/* The machine's GPUs. */
#include <stdio.h>
#include <string.h>

#include "pmsampling/pm_access.h"
#include "pmsampling/pm_driver.h"
#include "pmsampling/pm_error.h"
#include "pmsampling/pm_library.h"

int rf_pm_device_count(size_t *n, struct rf_pm_error *err)
{
    struct pm_driver driver;
    struct rf_pm_error reason;
    int count = 0;
    if (n == NULL)
        return pm_fail_null(err, "rf_pm_device_count");
    *n = 0;
    if (pm_driver_version() == 0)
        return RF_PM_OK;
    int status = pm_driver_open(&driver, &reason);
    if (status == RF_PM_ERR_DEVICE)
        return RF_PM_OK;
    if (status != RF_PM_OK)
        return pm_fail(err, status, "%s", reason.text);
    if (driver.get_count(&count) == 0 && count > 0)
        *n = (size_t)count;
    return RF_PM_OK;
}

/* Asks for the chip, and for what enable() would refuse. */
static int look_closer(const struct pm_library *library, size_t index, int device,
                       struct rf_pm_device *out, struct rf_pm_error *err)
{
    struct pm_get_chip_name params = {.struct_size = PM_GET_CHIP_NAME_SIZE, .device = index};
    int status = pm_library_hold(library, err);
    if (status != RF_PM_OK)
        return status;
    if (library->call.cuptiDeviceGetChipName(&params) == PM_SUCCESS && params.chip != NULL)
        (void)snprintf(out->chip, sizeof(out->chip), "%s", params.chip);
    status = pm_access_check("/proc", err);
    if (status == RF_PM_OK)
        status = pm_access_device(library, device, index, err);
    pm_library_release(library);
    return status;
}

static int describe(size_t index, struct rf_pm_device *out, struct rf_pm_error *err)
{
    struct pm_driver driver;
    struct rf_pm_error reason = {.text = ""};
    int device;
    int status = pm_driver_open(&driver, err);
    if (status == RF_PM_OK)
        status = pm_driver_device(&driver, index, &device, err);
    if (status != RF_PM_OK)
        return status;
    if (driver.get_name(out->name, (int)sizeof(out->name) - 1, device) != 0)
        out->name[0] = '\0';
    if (driver.get_pci(out->pci, (int)sizeof(out->pci) - 1, device) != 0)
        out->pci[0] = '\0';
    if (driver.get_uuid(out->uuid, device) != 0)
        memset(out->uuid, 0, sizeof(out->uuid));
    const struct pm_library *library = pm_library_get(&reason);
    out->can_be_sampled =
        library != NULL && look_closer(library, index, device, out, &reason) == RF_PM_OK;
    if (!out->can_be_sampled)
        (void)snprintf(out->reason, sizeof(out->reason), "%s", reason.text);
    return RF_PM_OK;
}

int rf_pm_device_describe(size_t index, struct rf_pm_device *out, struct rf_pm_error *err)
{
    struct rf_pm_device found = RF_PM_DEVICE_INIT;
    if (out == NULL)
        return pm_fail_null(err, "rf_pm_device_describe");
    int status = pm_fail_sized(err, rf_sized_write(out, sizeof(found), &found), "rf_pm_device");
    if (status == RF_PM_OK)
        status = describe(index, &found, err);
    if (status == RF_PM_OK)
        (void)rf_sized_write(out, sizeof(found), &found);
    return status;
}
