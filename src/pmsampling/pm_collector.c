/* SPDX-License-Identifier: Apache-2.0 */
/* The life of a collector: enable, start, stop, restart, disable. */
#include "pmsampling/pm_collector.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "pmsampling/pm_access.h"
#include "pmsampling/pm_chip.h"
#include "pmsampling/pm_error.h"
#include "pmsampling/pm_spare.h"

int rf_pm_collector_new(size_t device, rf_pm_collector **out, struct rf_pm_error *err)
{
    if (out == NULL)
        return pm_fail_null(err, "rf_pm_collector_new");
    struct rf_pm_collector *c = calloc(1, sizeof(*c));
    *out = c;
    if (c == NULL)
        return pm_no_memory(err);
    c->device = device;
    c->pid = getpid();
    (void)pthread_mutex_init(&c->lock, NULL);
    return RF_PM_OK;
}

int pm_collector_check_pid(const struct rf_pm_collector *c, struct rf_pm_error *err)
{
    if (c == NULL)
        return pm_fail(err, RF_PM_ERR_ARGUMENT, "the collector is NULL");
    if (c->pid == getpid())
        return RF_PM_OK;
    return pm_fail(err, RF_PM_ERR_ORDER,
                   "this collector belongs to process %d, from which this one was forked: make one "
                   "of your own",
                   (int)c->pid);
}

int pm_collector_check_enabled(const struct rf_pm_collector *c, const char *what,
                               struct rf_pm_error *err)
{
    int status = pm_collector_check_pid(c, err);
    if (status == RF_PM_OK && c->object == NULL)
        status =
            pm_fail(err, RF_PM_ERR_ORDER,
                    "the collector of GPU %zu is not enabled: it cannot be %s", c->device, what);
    return status;
}

/* ---- Errors ---- */

static int fail_in_use(const struct rf_pm_collector *c, int status, int code, const char *function,
                       struct rf_pm_error *err)
{
    char holders[512];
    pm_access_holders("/proc", holders, sizeof(holders));
    return pm_fail_cupti(
        err, status, code, function,
        "the counters of GPU %zu are in use already%s; only one session can sample a GPU "
        "(DCGM: dcgmi profile --pause)",
        c->device, holders[0] != '\0' ? holders : ", perhaps by a process that is not visible");
}

int pm_collector_fail(const struct rf_pm_collector *c, int code, const char *function,
                      const char *what, struct rf_pm_error *err)
{
    switch (code) {
    case PM_INSUFFICIENT_PRIVILEGES:
    case PM_VIRTUALIZED_INSUFFICIENT_PRIVILEGES:
        return pm_access_fail(code, function, err);
    case PM_HARDWARE_BUSY:
        return fail_in_use(c, RF_PM_ERR_REFUSED, code, function, err);
    default:
        return pm_fail_code(err, code, function, what);
    }
}

/* ---- Enabling ---- */

static int fail_enable(const struct rf_pm_collector *c, int code, struct rf_pm_error *err)
{
    static const char function[] = "cuptiPmSamplingEnable";
    switch (code) {
    case PM_OUT_OF_MEMORY:
        return pm_fail_cupti(err, RF_PM_ERR_NO_MEMORY, code, function,
                             "there is not enough memory to sample GPU %zu", c->device);
    case PM_INVALID_OPERATION:
        return fail_in_use(c, RF_PM_ERR_ENABLED, code, function, err);
    case PM_NOT_SUPPORTED:
        return pm_fail_cupti(err, RF_PM_ERR_REFUSED, code, function,
                             "GPU %zu (%s) cannot be sampled: it must be Turing or later, and "
                             "neither split (MIG), shared (MPS) nor virtual",
                             c->device, c->chip);
    default:
        return pm_collector_fail(c, code, function, "the GPU cannot be sampled", err);
    }
}

static int call_enable(struct rf_pm_collector *c)
{
    struct pm_enable params = {.struct_size = PM_ENABLE_SIZE, .device = c->device};
    int code = c->library->call.cuptiPmSamplingEnable(&params);
    if (code == PM_SUCCESS)
        c->object = params.object;
    return code;
}

/* It is given no context, but is said to want one on the device; what it says where it misses one
 * is not documented. */
static bool may_miss_context(int code)
{
    return code == PM_INVALID_CONTEXT || code == PM_NOT_INITIALIZED || code == PM_UNKNOWN;
}

int pm_collector_open_object(struct rf_pm_collector *c, struct rf_pm_error *err)
{
    int code = call_enable(c);
    if (may_miss_context(code) && !c->has_context) {
        void *context;
        c->has_context = c->driver.retain(&context, c->cu_device) == 0;
        if (c->has_context)
            code = call_enable(c);
    }
    return code == PM_SUCCESS ? RF_PM_OK : fail_enable(c, code, err);
}

static int find_chip(struct rf_pm_collector *c, struct rf_pm_error *err)
{
    struct pm_get_chip_name params = {.struct_size = PM_GET_CHIP_NAME_SIZE, .device = c->device};
    int code = c->library->call.cuptiDeviceGetChipName(&params);
    if (code == PM_INVALID_PARAMETER || code == PM_INVALID_DEVICE)
        return pm_fail_cupti(err, RF_PM_ERR_DEVICE, code, "cuptiDeviceGetChipName",
                             "there is no GPU %zu", c->device);
    if (code != PM_SUCCESS)
        return pm_fail_code(err, code, "cuptiDeviceGetChipName", "the GPU's chip is not known");
    (void)snprintf(c->chip, sizeof(c->chip), "%s", params.chip != NULL ? params.chip : "");
    return RF_PM_OK;
}

static void forget_availability(struct rf_pm_collector *c)
{
    free(c->availability);
    c->availability = NULL;
    c->availability_size = 0;
}

/* A GPU may lack counters of its chip, those of NVLink in a virtual machine with one GPU for
 * example. Their metrics would be taken, and no sample would ever be complete. CUPTI can say so
 * before sampling is enabled; where it does not, all counters are taken to be there. */
static int find_availability(struct rf_pm_collector *c, struct rf_pm_error *err)
{
    struct pm_get_counter_availability params = {.struct_size = PM_GET_COUNTER_AVAILABILITY_SIZE,
                                                 .device = c->device};
    forget_availability(c);
    if (c->library->call.cuptiPmSamplingGetCounterAvailability == NULL ||
        c->library->call.cuptiPmSamplingGetCounterAvailability(&params) != PM_SUCCESS ||
        params.size == 0)
        return RF_PM_OK;
    c->availability = calloc(1, params.size);
    c->availability_size = params.size;
    if (c->availability == NULL)
        return pm_no_memory(err);
    params.image = c->availability;
    if (c->library->call.cuptiPmSamplingGetCounterAvailability(&params) != PM_SUCCESS)
        forget_availability(c);
    return RF_PM_OK;
}

/* Between ProfilerInitialize and its opposite. */
static int enable_held(struct rf_pm_collector *c, struct rf_pm_error *err)
{
    int status = find_chip(c, err);
    if (status == RF_PM_OK)
        status = pm_access_device(c->library, c->cu_device, c->device, err);
    if (status == RF_PM_OK)
        status = find_availability(c, err);
    if (status == RF_PM_OK)
        status = pm_collector_open_object(c, err);
    if (status != RF_PM_OK && c->has_context) {
        (void)c->driver.release(c->cu_device);
        c->has_context = false;
    }
    return status;
}

static int enable(struct rf_pm_collector *c, struct rf_pm_error *err)
{
    c->library = pm_library_get(err);
    if (c->library == NULL)
        return RF_PM_ERR_LIBRARY;
    int status = pm_driver_open(&c->driver, err);
    if (status == RF_PM_OK)
        status = pm_driver_device(&c->driver, c->device, &c->cu_device, err);
    if (status == RF_PM_OK)
        status = pm_access_check("/proc", err);
    if (status == RF_PM_OK)
        status = pm_session_enter(&c->session, c->device, err);
    if (status != RF_PM_OK)
        return status;
    status = pm_library_hold(c->library, err);
    if (status == RF_PM_OK) {
        status = enable_held(c, err);
        if (status != RF_PM_OK)
            pm_library_release(c->library);
    }
    if (status != RF_PM_OK)
        pm_session_leave(&c->session);
    return status;
}

static int enable_with_spare(struct rf_pm_collector *c, struct rf_pm_error *err)
{
    c->spare = pm_spare_new();
    int status = c->spare != NULL ? enable(c, err) : pm_no_memory(err);
    if (status != RF_PM_OK) {
        pm_spare_drop(c->spare);
        c->spare = NULL;
    }
    return status;
}

int rf_pm_collector_enable(rf_pm_collector *c, struct rf_pm_error *err)
{
    int status = pm_collector_check_pid(c, err);
    if (status != RF_PM_OK)
        return status;
    (void)pthread_mutex_lock(&c->lock);
    if (c->object != NULL)
        status = pm_fail(err, RF_PM_ERR_ENABLED, "the collector of GPU %zu is enabled already",
                         c->device);
    else
        status = enable_with_spare(c, err);
    (void)pthread_mutex_unlock(&c->lock);
    return status;
}

/* ---- Disabling ---- */

int pm_collector_close_object(struct rf_pm_collector *c, struct rf_pm_error *err)
{
    struct pm_object params = {.struct_size = PM_OBJECT_SIZE, .object = c->object};
    if (c->is_started)
        (void)c->library->call.cuptiPmSamplingStop(&params);
    c->is_started = false;
    params = (struct pm_object){.struct_size = PM_OBJECT_SIZE, .object = c->object};
    int code = c->library->call.cuptiPmSamplingDisable(&params);
    c->object = NULL;
    pm_collector_forget_pristine(c);
    return code == PM_SUCCESS ? RF_PM_OK
                              : pm_fail_code(err, code, "cuptiPmSamplingDisable",
                                             "sampling does not end as it should");
}

int pm_collector_shut(struct rf_pm_collector *c, struct rf_pm_error *err)
{
    int status = c->object != NULL ? pm_collector_close_object(c, err) : RF_PM_OK;
    if (c->has_context)
        (void)c->driver.release(c->cu_device);
    c->has_context = false;
    pm_library_release(c->library);
    pm_session_leave(&c->session);
    pm_setup_release(&c->setup);
    pm_spare_drop(c->spare);
    c->spare = NULL;
    return status;
}

int pm_collector_renew_object(struct rf_pm_collector *c, struct rf_pm_error *err)
{
    (void)pm_collector_close_object(c, NULL); /* whatever it says of an overflow */
    int status = pm_library_renew(c->library, err);
    if (status == RF_PM_OK)
        status = pm_collector_open_object(c, err);
    if (status != RF_PM_OK)
        (void)pm_collector_shut(c, NULL);
    return status;
}

int rf_pm_collector_disable(rf_pm_collector *c, struct rf_pm_error *err)
{
    int status = RF_PM_OK;
    if (c == NULL)
        return pm_fail_null(err, "rf_pm_collector_disable");
    if (c->pid != getpid())
        return RF_PM_OK;
    (void)pthread_mutex_lock(&c->lock);
    if (c->object != NULL)
        status = pm_collector_shut(c, err);
    (void)pthread_mutex_unlock(&c->lock);
    return status;
}

void rf_pm_collector_free(rf_pm_collector *c)
{
    if (c == NULL)
        return;
    (void)rf_pm_collector_disable(c, NULL);
    pm_setup_release(&c->setup);
    forget_availability(c);
    free(c->pristine);
    if (c->pid == getpid()) /* in a child, a thread that is not there may hold it */
        (void)pthread_mutex_destroy(&c->lock);
    free(c);
}

/* ---- Starting ---- */

static int start(struct rf_pm_collector *c, struct rf_pm_error *err)
{
    struct pm_object params = {.struct_size = PM_OBJECT_SIZE, .object = c->object};
    int code = c->library->call.cuptiPmSamplingStart(&params);
    if (code == PM_INVALID_OPERATION)
        return pm_fail_cupti(err, RF_PM_ERR_ORDER, code, "cuptiPmSamplingStart",
                             "sampling of GPU %zu is started already", c->device);
    if (code != PM_SUCCESS)
        return pm_collector_fail(c, code, "cuptiPmSamplingStart", "sampling cannot be started",
                                 err);
    c->is_started = true;
    c->is_fresh = true;
    return RF_PM_OK;
}

static int stop(struct rf_pm_collector *c, struct rf_pm_error *err)
{
    struct pm_object params = {.struct_size = PM_OBJECT_SIZE, .object = c->object};
    int code = c->library->call.cuptiPmSamplingStop(&params);
    if (code == PM_INVALID_OPERATION)
        return pm_fail_cupti(err, RF_PM_ERR_ORDER, code, "cuptiPmSamplingStop",
                             "sampling of GPU %zu is stopped already", c->device);
    if (code != PM_SUCCESS)
        return pm_fail_code(err, code, "cuptiPmSamplingStop", "sampling cannot be stopped");
    c->is_started = false;
    return RF_PM_OK;
}

/* what: "started"; is_started: what it must not be. */
static int check_order(const struct rf_pm_collector *c, const char *what, bool is_started,
                       struct rf_pm_error *err)
{
    int status = pm_collector_check_enabled(c, what, err);
    if (status != RF_PM_OK)
        return status;
    if (c->setup.image.bytes == NULL)
        return pm_fail(err, RF_PM_ERR_ORDER,
                       "the collector of GPU %zu is not configured: it cannot be %s", c->device,
                       what);
    if (c->is_started == is_started)
        return pm_fail(err, RF_PM_ERR_ORDER, "the collector of GPU %zu is %s already", c->device,
                       what);
    return RF_PM_OK;
}

int rf_pm_collector_start(rf_pm_collector *c, struct rf_pm_error *err)
{
    int status = pm_collector_check_pid(c, err);
    if (status != RF_PM_OK)
        return status;
    (void)pthread_mutex_lock(&c->lock);
    status = check_order(c, "started", true, err);
    if (status == RF_PM_OK)
        status = start(c, err);
    (void)pthread_mutex_unlock(&c->lock);
    return status;
}

int rf_pm_collector_stop(rf_pm_collector *c, struct rf_pm_error *err)
{
    int status = pm_collector_check_pid(c, err);
    if (status != RF_PM_OK)
        return status;
    (void)pthread_mutex_lock(&c->lock);
    status = check_order(c, "stopped", false, err);
    if (status == RF_PM_OK)
        status = stop(c, err);
    (void)pthread_mutex_unlock(&c->lock);
    return status;
}

static int restart(struct rf_pm_collector *c, struct rf_pm_error *err)
{
    bool was_started = c->is_started;
    int status = pm_collector_renew_object(c, err);
    if (status != RF_PM_OK)
        return status;
    status = pm_collector_apply(c, &c->setup, err);
    if (status == RF_PM_OK && was_started)
        status = start(c, err);
    if (status != RF_PM_OK)
        (void)pm_collector_shut(c, NULL);
    return status;
}

int rf_pm_collector_restart(rf_pm_collector *c, struct rf_pm_error *err)
{
    int status = pm_collector_check_pid(c, err);
    if (status != RF_PM_OK)
        return status;
    (void)pthread_mutex_lock(&c->lock);
    status = pm_collector_check_enabled(c, "restarted", err);
    if (status == RF_PM_OK && c->setup.image.bytes == NULL)
        status = pm_fail(err, RF_PM_ERR_ORDER,
                         "the collector of GPU %zu is not configured: it cannot be restarted",
                         c->device);
    if (status == RF_PM_OK)
        status = restart(c, err);
    (void)pthread_mutex_unlock(&c->lock);
    return status;
}

int rf_pm_collector_open_chip(const rf_pm_collector *collector, rf_pm_chip **out,
                              struct rf_pm_error *err)
{
    if (out == NULL)
        return pm_fail_null(err, "rf_pm_collector_open_chip");
    *out = NULL;
    struct rf_pm_collector *c = (struct rf_pm_collector *)collector; /* only its lock changes */
    int status = pm_collector_check_pid(c, err);
    if (status != RF_PM_OK)
        return status;
    (void)pthread_mutex_lock(&c->lock);
    status = pm_collector_check_enabled(c, "asked for its chip", err);
    if (status == RF_PM_OK)
        status = pm_chip_open_of(c->chip, c->availability, c->availability_size, out, err);
    (void)pthread_mutex_unlock(&c->lock);
    return status;
}

static void read_state(struct rf_pm_collector *c, struct rf_pm_collector_state *out)
{
    out->device = c->device;
    if (c->pid != getpid())
        return;
    (void)pthread_mutex_lock(&c->lock);
    out->is_enabled = c->object != NULL;
    out->is_configured = c->setup.image.bytes != NULL;
    out->is_started = c->is_started;
    (void)snprintf(out->chip, sizeof(out->chip), "%s", c->chip);
    out->interval = c->setup.interval;
    out->trigger = c->setup.trigger;
    out->hardware_buffer_bytes = c->setup.hardware_buffer_bytes;
    out->sample_bytes = c->sample_bytes;
    (void)pthread_mutex_unlock(&c->lock);
}

int rf_pm_collector_get_state(const rf_pm_collector *c, struct rf_pm_collector_state *out)
{
    struct rf_pm_collector_state state = RF_PM_COLLECTOR_STATE_INIT;
    if (c == NULL || out == NULL)
        return RF_PM_ERR_ARGUMENT;
    read_state((struct rf_pm_collector *)c, &state); /* it takes the lock, and changes nothing */
    return rf_sized_write(out, sizeof(state), &state) == RF_SIZED_OK ? RF_PM_OK
                                                                     : RF_PM_ERR_ARGUMENT;
}
