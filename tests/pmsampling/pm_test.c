/* SPDX-License-Identifier: Apache-2.0 */
#include "pm_test.h"

#include <dlfcn.h>

struct pm_double *cupti;
struct pm_double_driver *driver;
static struct pm_double pristine;

const char *const pm_test_metrics[3] = {"sm__cycles_active.avg.pct_of_peak_sustained_elapsed",
                                        "dram__read_throughput.avg.pct_of_peak_sustained_elapsed",
                                        "gpc__cycles_elapsed.avg.per_second"};

struct rf_pm_config pm_test_config(void)
{
    struct rf_pm_config config = RF_PM_CONFIG_INIT;
    config.metrics = pm_test_metrics;
    config.n_metrics = 3;
    return config;
}

static void *symbol(const char *path, const char *name)
{
    void *handle = dlopen(path, RTLD_NOW);
    void *found = handle != NULL ? dlsym(handle, name) : NULL;
    if (found == NULL) {
        (void)fprintf(stderr, "%s: %s\n", path, dlerror());
        abort();
    }
    return found;
}

int pm_test_setup(void **state)
{
    (void)state;
    if (cupti == NULL) {
        struct pm_double *(*get)(void) = NULL;
        *(void **)&get = symbol(getenv("RANGEFINDER_CUPTI"), "pm_double");
        cupti = get();
        pristine = *cupti;
        struct pm_double_driver *(*get_driver)(void) = NULL;
        *(void **)&get_driver = symbol("libcuda.so.1", "pm_double_driver");
        driver = get_driver();
    }
    *cupti = pristine;
    *driver = (struct pm_double_driver){.devices = 1, .version = 13000};
    return 0;
}

int pm_test_teardown(void **state)
{
    (void)state;
    if (cupti->violations != 0)
        (void)fprintf(stderr, "%u violations; the first: %s\n", cupti->violations,
                      cupti->violation);
    if (cupti->hosts_open != 0 || cupti->objects_open != 0 || cupti->initialized != 0 ||
        driver->contexts != 0)
        (void)fprintf(stderr,
                      "left open: %u hosts, %u objects, %u times the profiler, %u contexts\n",
                      cupti->hosts_open, cupti->objects_open, cupti->initialized, driver->contexts);
    return cupti->violations != 0 || cupti->hosts_open != 0 || cupti->objects_open != 0 ||
                   cupti->initialized != 0 || driver->contexts != 0
               ? -1
               : 0;
}

void pm_test_fail(const char *function, int code, int n)
{
    struct pm_double_fail *fail = cupti->fail;
    while (fail->function[0] != '\0')
        fail++;
    (void)snprintf(fail->function, sizeof(fail->function), "%s", function);
    fail->code = code;
    fail->n = n;
}
